"""Read the tracks of documents from a finished run, or from a table of segmentations."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

import pyarrow.compute as pc

from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.importing.tracks import (
    DocumentTracks,
    Track,
    edit_track,
    segment_track,
)
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.scoring.explain import Explained, explain_pairs, read_document_rows
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.tables.columns import SEGMENTATIONS
from segscore.pipeline.tables.find import InputTable, find_table
from segscore.pipeline.tables.read import join_rows, read_slice, validate_rows
from segscore.pipeline.tables.units import MILLISECOND
from segscore.pipeline.tables.validate import place_of


def read_tracks(
    url: str,
    documents: str | None,
    coders: Sequence[str],
    *,
    trust_inputs: bool = False,
    in_units: bool = False,
) -> tuple[list[DocumentTracks], int]:
    """Read the tracks of documents.

    Args:
        url: folder of a finished run of score or nightly, or a table of segmentations.
        documents: id of a document, or several separated by commas; None for all.
        coders: coders whose segmentations to read; none for all.  Edits are read if both coders
            are chosen.
        trust_inputs: whether the inputs of a run are read wherever it recorded them.
        in_units: whether they may count anything but milliseconds.

    Returns:
        The documents, and the number of those that were left out because they have no segmentation
        by the chosen coders.

    Raises:
        Refused: the run or the table cannot be read, is of another command, does not count
            milliseconds where it has to, or has no such document or coder; or segmentations have
            different lengths.
    """
    run = FinishedRun.find(url)
    if run is None:
        found = _of_table(url, documents, in_units=in_units)
    else:
        _refuse_audit(run)
        scored = FinishedScoring.open(url).trusting(everything=trust_inputs)
        found = _of_run(scored, documents, in_units=in_units)
    there = list(dict.fromkeys(track.coder for _, tracks in found.values() for track in tracks))
    for coder in coders:
        if coder not in there:
            of_document = f" for document {next(iter(found))}" if len(found) == 1 else ""
            raise Refused(
                f"{url}: no coder {coder}{of_document}{nearest(coder, there)}; there "
                f"are: {', '.join(there)}"
            )
    chosen = [_chosen(url, document, *found[document], coders) for document in found]
    kept = [each for each in chosen if each is not None]
    return kept, len(chosen) - len(kept)


def _chosen(
    url: str, document: str, lengths: dict[str, int], tracks: list[Track], coders: Sequence[str]
) -> DocumentTracks | None:
    """Return the tracks of some coders; None if there is none."""
    if coders:
        tracks = [
            track for track in tracks if {track.coder, track.against or track.coder} <= {*coders}
        ]
        lengths = {coder: n for coder, n in lengths.items() if coder in coders}
    if not tracks:
        return None
    _require_one_length(lengths, url, document)
    return DocumentTracks(document, max(lengths.values()), tracks)


def _require_one_length(lengths: dict[str, int], url: str, document: str) -> None:
    first, *others = lengths.items()
    for coder, n_units in others:
        if n_units != first[1]:
            raise Refused(
                f"{url}: {document} is {first[1]:,} units long for {first[0]}, but {n_units:,} for "
                f"{coder}; choose coders of one length with --coder"
            )


_SHORT: Mapping[str | None, str] = {MILLISECOND: "ms"}

_Found = dict[str, tuple[dict[str, int], list[Track]]]
"""Document -> lengths by coder, and tracks."""


def _of_run(run: FinishedScoring, documents: str | None, *, in_units: bool) -> _Found:
    """Return the length and the tracks: references, then each hypothesis with its edits."""
    if run.score_settings().units != "units":
        raise Refused(
            f"{run.url}: was scored with --units words, so that its positions are words; "
            "export its tables, or score them without --units"
        )
    known = _scored_documents(run) if documents is None or "," in documents else []
    pairs = explain_pairs(run, _wanted(documents, known)).pairs
    if not in_units:
        _require_milliseconds(run.url, pairs[0].unit)
    by_document: dict[str, list[Explained]] = {}
    for pair in pairs:
        by_document.setdefault(pair.document, []).append(pair)
    return {document: _of_pairs(each) for document, each in by_document.items()}


def _scored_documents(run: FinishedScoring) -> list[str]:
    parts = run.parts("scores", ["document_id"])
    return sorted({name for part in parts for name in pc.unique(part["document_id"]).to_pylist()})


def _wanted(documents: str | None, known: Collection[str]) -> list[str]:
    """Return the documents that are asked for; a name may itself contain a comma."""
    if documents is None:
        return list(known)
    if documents in known or "," not in documents:
        return [documents]
    return list(dict.fromkeys(name.strip() for name in documents.split(",") if name.strip()))


def _of_pairs(pairs: Sequence[Explained]) -> tuple[dict[str, int], list[Track]]:
    references = {pair.reference: _reference(pair) for pair in pairs}
    tracks = list(references.values())
    for coder in dict.fromkeys(pair.hypothesis for pair in pairs):
        of_coder = [pair for pair in pairs if pair.hypothesis == coder]
        tracks.append(_hypothesis(of_coder[0]))
        tracks += [
            edit_track(coder, pair.reference, pair.edits, _SHORT.get(pair.unit, "unit"))
            for pair in of_coder
        ]
    lengths = {coder: pair.n_units for pair in pairs for coder in (pair.reference, pair.hypothesis)}
    return lengths, tracks


def _reference(pair: Explained) -> Track:
    """Return the segmentation of the reference; every boundary is in one edit."""
    positions = [edit.position for edit in pair.edits if edit.position is not None]
    return segment_track(pair.reference, "reference", positions, pair.n_units)


def _hypothesis(pair: Explained) -> Track:
    """Return the segmentation of the hypothesis; every boundary is in one edit."""
    positions = [edit.other_position for edit in pair.edits if edit.other_position is not None]
    return segment_track(pair.hypothesis, "hypothesis", positions, pair.n_units)


def _refuse_audit(run: FinishedRun) -> None:
    if run.command == "agree":
        raise Refused(
            f"{run.url}: is a run of `segscore agree`, which has no pairs of segmentations; name "
            f"the table of its codings: {run.settings.get('codings')}"
        )


def _of_table(url: str, documents: str | None, *, in_units: bool) -> _Found:
    table = find_table("segmentations", url, SEGMENTATIONS)
    if not in_units:
        _require_milliseconds(url, table.unit)
    several = documents is None or "," in documents
    known = list(dict.fromkeys(_documents(table))) if several else []
    wanted = _wanted(documents, known)
    read = join_rows([*read_document_rows(table, wanted)])
    rows, rejects = validate_rows(read, SEGMENTATIONS)
    for reject in rejects.to_pylist():
        raise Refused(f"{place_of(reject)}: {reject['rule']}: {reject['detail']}")
    found: _Found = {document: ({}, []) for document in wanted}
    for index, row in enumerate(rows.table.to_pylist()):
        document, coder, n_units = row["document_id"], row["coder"], row["n_units"]
        lengths, tracks = found[document]
        if coder in lengths:
            raise Refused(
                f"{url}: more than one segmentation of document {document} by {coder}; remove one"
            )
        lengths[coder] = n_units
        role = _role_of(rows.urls[rows.file[index]])
        tracks.append(segment_track(coder, role, row["boundaries"], n_units))
    for document, (lengths, _) in found.items():
        if not lengths:
            near = nearest(document, known or _documents(table))
            raise Refused(f"{url}: no segmentation of document {document}{near}")
    return found


def _documents(table: InputTable) -> Iterator[str]:
    """Read the ids of a table's documents, each once for a slice."""
    for table_slice in table.slices:
        ids = read_slice(table_slice, table.further).table.column("document_id")
        yield from ids.unique().drop_null().to_pylist()


def _role_of(url: str) -> str:
    """Return the role of a table's rows: an import writes hypotheses to a folder of that name."""
    return "hypothesis" if PurePosixPath(url).parent.name == "hypotheses" else "reference"


def _require_milliseconds(url: str, unit: str | None) -> None:
    if unit != MILLISECOND:
        counted = "does not say what its units are" if unit is None else f"counts {unit}s"
        hint = "; if they are milliseconds, score them with --unit millisecond and export the run"
        raise Refused(
            f"{url}: {counted}, but formats of export need times, or the texts of the units with "
            "--units for label-studio or brat; tables that `segscore import` made of files with "
            f"times have them, and runs that scored these{hint if unit is None else ''}"
        )

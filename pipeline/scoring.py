"""The tasks of a scoring run: each takes a part, writes files whole, returns a small receipt."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline import storage
from pipeline.boundary_types import occurring, without_faults
from pipeline.class_confusion import Cells, count_classes
from pipeline.counting import Hypotheses, Pairs, Rule, Scored, meet, score_pairs, score_panels
from pipeline.document_ids import names
from pipeline.reading import Rows, Slice, join, read, refuse, validate
from pipeline.reference_points import REFERENCE_POINTS, Codings, Points, mean_size, points
from pipeline.references import (
    OTHER_UNITS,
    SAME_UNITS,
    SEGMENTATION_COLUMNS,
    TWICE,
    UNIQUE_CODER,
    References,
)
from pipeline.segmentations import Flags, Ints, numbers
from pipeline.sides import side, side_of
from pipeline.summary import Sums, merge

UNPAIRED = ("table", "source", "row", "document_id", "coder")
POINT = "point:"

Bits = NDArray[np.uint8]
Seen = dict[str, tuple[Bits, Bits]]
"""Coder -> bits over the run's documents: seen at least once, seen more than once."""


@dataclass(frozen=True)
class Part:
    """The work of one task: hypotheses to read, or documents to make reference points for.

    Attributes:
        name: of the files it writes; made from what it reads.
        slices: what it reads, in this order.
        documents: numbers of the documents, first and one past the last.
    """

    name: str
    slices: tuple[Slice, ...] = ()
    documents: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Job:
    """What all tasks of a run share.

    Attributes:
        references: the accepted ones.
        consensus: references made of them, one a document each.
        rule: how pairs are counted and added up.
        typed: whether boundary types are told apart.
        further: columns of the hypotheses beyond those every file has.
        folder: where parts are written until the run is published.
    """

    references: References
    consensus: tuple[References, ...]
    rule: Rule
    typed: bool
    further: pa.Schema
    folder: str


@dataclass(frozen=True)
class Accepted:
    """The hypotheses of a part that can be scored, and what became of the others.

    Attributes:
        rows: the hypotheses.
        document: of each, shape (rows,).
        unpaired: rows without an accepted reference.
        rejects: the refused ones.
        read: rows read.
        seen: which coders judged which documents.
    """

    rows: Rows
    document: Ints
    unpaired: Rows
    rejects: pa.Table
    read: int
    seen: Seen


@dataclass(frozen=True)
class Receipt:
    """What a task tells of its part; the rows themselves are in the files it wrote.

    Attributes:
        rows: hypotheses read.
        rejected: of these, refused.
        unpaired: of these, without an accepted reference.
        pairs: rows of scores written.
        met: bits over the rows of the references: met a hypothesis.
        seen: which coders judged which documents, to find duplicates across parts.
        sums: what the pairs add up to.
        panel_sums: what the panels add up to.
        confusion: which types were taken for which, where that was asked for.
        types: boundary types that occur.
    """

    rows: int = 0
    rejected: int = 0
    unpaired: int = 0
    pairs: int = 0
    met: Bits = field(default_factory=lambda: np.zeros(0, np.uint8))
    seen: Seen = field(default_factory=dict)
    sums: Sums | None = None
    panel_sums: Sums | None = None
    confusion: Cells = field(default_factory=dict)
    types: tuple[int, ...] = ()


def score_part(job: Job, part: Part, duplicates: Mapping[str, Bits]) -> Receipt:
    """Score the hypotheses of one part against all their references; write its files.

    Args:
        job: what all tasks share.
        part: what to read.
        duplicates: coder -> bits over the documents for which it has several rows, all refused.
    """
    accepted = accept(job, part, duplicates)
    references = job.references
    rows, document = accepted.rows, accepted.document
    further = [name for name in rows.table.column_names if name not in SEGMENTATION_COLUMNS]
    coder = rows.table.column("coder").chunk(0)
    attributes = rows.table.select([name for name in further if name != "boundary_scores"])
    sides = side_of(rows, document, references.words, typed=job.typed)
    hypotheses = Hypotheses(coder, coder, document, sides, attributes)
    pairs = meet(document, references.first)
    found = _all_references(job, hypotheses, pairs)
    panels = []
    if references.has_panels:
        panels.append(score_panels(hypotheses, found[0].table, pairs, references, job.rule))
    written = _write(job, part, found, panels)
    write_left_out(job, part, accepted.rejects, accepted.unpaired)
    met = np.zeros(len(references), bool)
    met[pairs.ref_row] = True
    return Receipt(
        rows=accepted.read,
        rejected=accepted.rejects.num_rows,
        unpaired=len(accepted.unpaired),
        pairs=written,
        met=np.packbits(met),
        seen=accepted.seen,
        sums=_merged(found),
        panel_sums=_merged(panels),
        confusion=_confusion(job, hypotheses, pairs),
    )


def write_left_out(job: Job, part: Part, rejects: pa.Table, unpaired: Rows) -> None:
    """Write the rows of a part that were refused, and those without a reference, if any."""
    if rejects.num_rows:
        storage.write_table(storage.join(job.folder, "rejects", part.name), rejects)
    if len(unpaired):
        listed = list_unpaired(unpaired)
        storage.write_table(storage.join(job.folder, "unpaired", part.name), listed)


def _confusion(job: Job, hypotheses: Hypotheses, pairs: Pairs) -> Cells:
    if not job.rule.settings.confusion:
        return {}
    return count_classes(hypotheses, pairs, job.references, job.rule)


def _all_references(job: Job, hypotheses: Hypotheses, pairs: Pairs) -> list[Scored]:
    """Score hypotheses against the original references, and against each consensus."""
    found = [score_pairs(hypotheses, pairs, job.references, job.rule, original=True)]
    for agreed in job.consensus:
        with_agreed = meet(hypotheses.document, agreed.first)
        found.append(score_pairs(hypotheses, with_agreed, agreed, job.rule, original=False))
    return found


def _merged(found: list[Scored]) -> Sums | None:
    sums = [each for scored in found for each in scored.sums]
    return merge(sums) if sums else None


def _write(job: Job, part: Part, found: list[Scored], panels: list[Scored]) -> int:
    """Write the tables of a part that have rows; return how many rows of scores there are."""
    scores = pa.concat_tables([scored.table for scored in found])
    if scores.num_rows:
        storage.write_table(storage.join(job.folder, "scores", part.name), scores)
        if panels:
            table = pa.concat_tables([scored.table for scored in panels])
            storage.write_table(storage.join(job.folder, "panel_scores", part.name), table)
    return int(scores.num_rows)


def score_points(job: Job, part: Part) -> Receipt:
    """Score the reference points of some documents; write their scores.

    A point that stands for a document is scored against each of its references, the consensus
    ones too; one that stands for a reference against that one, or against the others.
    """
    found: list[Scored] = []
    panels: list[Scored] = []
    references = job.references
    codings = _codings(job, part)
    for name in job.rule.settings.points:
        made = points(name, codings)
        hypotheses = _stand_ins(name, job, made, part.documents[0])
        pairs = Pairs(made.ref_row, made.hyp_row)
        if REFERENCE_POINTS[name].meets != "all":
            found.append(score_pairs(hypotheses, pairs, references, job.rule, original=True))
            continue
        by_reference = _all_references(job, hypotheses, pairs)
        found += by_reference
        if references.has_panels:
            table = by_reference[0].table
            panels.append(score_panels(hypotheses, table, pairs, references, job.rule))
    written = _write(job, part, found, panels)
    return Receipt(pairs=written, sums=_merged(found), panel_sums=_merged(panels))


def _stand_ins(name: str, job: Job, made: Points, first_document: int) -> Hypotheses:
    """Reference points as hypotheses; of a human one the coder is named, too."""
    document = first_document + made.document
    system = pa.array([POINT + name] * len(document), pa.string())
    coder = system
    if REFERENCE_POINTS[name].meets == "others":
        first = job.references.first[first_document]
        held_out = job.references.coder.slice(first, len(document))
        coder = pc.binary_join_element_wise(system, held_out, ":")
    nothing = pa.table({"": pa.nulls(len(document))}).select([])
    sides = side(made.boundaries, document, job.references.words)
    return Hypotheses(coder, system, document, sides, nothing)


def _codings(job: Job, part: Part) -> Codings:
    """The documents of a part, numbered from 0."""
    references = job.references
    first, end = part.documents
    in_units = references.side.in_units
    return Codings(
        hashes=names(references.documents.ids).hashes[first:end],
        n_units=references.units[first:end],
        first=references.first[first : end + 1],
        boundaries=in_units,
        mean_size=mean_size(references.units[references.document], in_units),
        seed=job.rule.settings.seed,
    )


def survey_part(job: Job, part: Part, duplicates: Mapping[str, Bits]) -> Receipt:
    """Find which boundary types the hypotheses of a part have; write nothing."""
    accepted = accept(job, part, duplicates)
    return Receipt(seen=accepted.seen, types=tuple(sorted(occurring(accepted.rows))))


def accept(job: Job, part: Part, duplicates: Mapping[str, Bits]) -> Accepted:
    """Read the hypotheses of a part and set aside those that cannot be scored."""
    return accept_rows(job, join([read(piece, job.further) for piece in part.slices]), duplicates)


def accept_rows(job: Job, read_rows: Rows, duplicates: Mapping[str, Bits]) -> Accepted:
    """Set aside the hypotheses that cannot be scored.

    Args:
        job: what all tasks share.
        read_rows: hypotheses as they were read.
        duplicates: coder -> bits over the documents for which it has several rows, all refused.
    """
    from schemas.segmentations import SEGMENTATIONS

    references = job.references
    rows, broken = validate(read_rows, SEGMENTATIONS)
    rejects = [broken]
    if job.typed:
        rows, refused = without_faults(rows, job.rule.settings.boundary_types)
        rejects += refused
    document = references.documents.find(rows.table.column("document_id").chunk(0))
    unpaired = rows.keep(document < 0)
    rows, document = rows.keep(document >= 0), document[document >= 0]
    seen = _seen(rows, document, len(references.documents))
    twice = _marked(rows, document, duplicates, len(references.documents))
    document = document[~twice]
    rows, repeated = refuse(rows, twice, UNIQUE_CODER, TWICE)
    other = numbers(rows.table.column("n_units").chunk(0)) != references.units[document]
    document = document[~other]
    rows, contradicting = refuse(rows, other, SAME_UNITS, OTHER_UNITS)
    rejects += [repeated, contradicting]
    return Accepted(rows, document, unpaired, pa.concat_tables(rejects), len(read_rows), seen)


def list_unpaired(rows: Rows) -> pa.Table:
    """List rows that met no partner (schemas/unpaired.py)."""
    return pa.table(rows.listed(np.arange(len(rows)))).select(list(UNPAIRED))


def _coders(rows: Rows) -> tuple[Ints, list[str]]:
    encoded = rows.table.column("coder").chunk(0).dictionary_encode()
    return numbers(encoded.indices).astype(np.int64), encoded.dictionary.to_pylist()


def _seen(rows: Rows, document: Ints, n_documents: int) -> Seen:
    coder, named = _coders(rows)
    seen: Seen = {}
    for number, name in enumerate(named):
        times = np.bincount(document[coder == number], minlength=n_documents)
        seen[name] = np.packbits(times > 0), np.packbits(times > 1)
    return seen


def _marked(
    rows: Rows, document: Ints, duplicates: Mapping[str, NDArray[np.uint8]], n_documents: int
) -> Flags:
    marked = np.zeros(len(rows), bool)
    if duplicates:
        coder, named = _coders(rows)
        for number, name in enumerate(named):
            if name in duplicates:
                twice = np.unpackbits(duplicates[name], count=n_documents).astype(bool)
                marked |= (coder == number) & twice[document]
    return marked

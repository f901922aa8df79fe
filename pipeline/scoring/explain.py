"""List the edits between hypotheses and references of documents in a finished run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.ragged import Positions, flags
from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.measures.edit_list import Edit, list_edits
from segscore.pipeline.measures.pairing import TypedSides
from segscore.pipeline.plain_text import first_named
from segscore.pipeline.runs.planning import ROWS_AT_ONCE
from segscore.pipeline.scoring.boundaries import Side, side_from_rows
from segscore.pipeline.scoring.counting import Pairs, pair_up
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.hypotheses import Accepted, accept_hypotheses, no_documents
from segscore.pipeline.scoring.missing import empty_hypotheses
from segscore.pipeline.scoring.reopen import Reopened, reopen
from segscore.pipeline.tables.find import InputTable
from segscore.pipeline.tables.path_columns import TRIAL
from segscore.pipeline.tables.read import Rows, join_rows, read_slice
from segscore.pipeline.tables.units import one_unit
from segscore.pipeline.tables.validate import owner_of, place_of


@dataclass(frozen=True)
class Explained:
    """The edits between a reference and a hypothesis.

    Attributes:
        document: id of the document.
        reference: coder of the reference.
        hypothesis: coder of the hypothesis.
        n_units: size of the document, in the unit of the run.
        edits: edits in the order of the text.
        unit: name of the unit of positions; None if it is not known, or positions are in words.
        trial: which of several answers of the system it is; None if there is but one.
    """

    document: str
    reference: str
    hypothesis: str
    n_units: int
    edits: list[Edit]
    unit: str | None
    trial: int | None = None


class ExplainedRows(NamedTuple):
    """The hypotheses of some documents.

    Attributes:
        pairs: each reference with each hypothesis of its document, in the order of the hypotheses.
        rejected: the place of each hypothesis that the run rejected, and the reason.
    """

    pairs: list[Explained]
    rejected: list[str]


def explain_pairs(
    run: FinishedScoring, documents: Sequence[str], hypothesis: str | None = None
) -> ExplainedRows:
    """List the edits of documents that a finished run has scored.

    Args:
        run: a run in a folder, whose inputs must not have changed.
        documents: ids of the documents.
        hypothesis: coder of the hypotheses; None for all.

    Raises:
        Refused: a document or the hypothesis does not exist or was rejected, or an input has
            changed or is in a place that is not trusted.
    """
    reopened = reopen(run)
    for number, document in zip(
        reopened.references.documents.find(pa.array(documents, pa.string())), documents, strict=True
    ):
        if number < 0:
            near = nearest(document, (name.as_py() for name in reopened.references.documents.ids))
            raise Refused(f"{document}: the run has no accepted reference for this document{near}")
    accepted = accept_hypotheses(
        join_rows([*read_document_rows(reopened.inputs.hypotheses, documents)]),
        reopened.references,
        typed=reopened.inputs.typed,
        settings=reopened.settings,
    )
    rows, rejected = accepted.rows, [*_rejected(accepted.rejects, hypothesis)]
    chosen = rows if hypothesis is None else _of_coder(rows, hypothesis)
    added = [*_added(reopened, accepted, documents, hypothesis)]
    if not len(chosen) and not added:
        by_hypothesis, near = "", ""
        if hypothesis is not None:
            by_hypothesis = f" of {hypothesis}"
            near = nearest(hypothesis, rows.table.column("coder").unique().to_pylist())
        why = f"rejected: {first_named(rejected, 'rows')}" if rejected else _NOT_THERE
        raise Refused(
            f"{run.url}: no accepted hypothesis{by_hypothesis} for {', '.join(documents)}{near}; "
            f"{why}"
        )
    pairs = [pair for each in (chosen, *added) for pair in _explain(reopened, each)]
    return ExplainedRows(pairs, rejected)


_NOT_THERE = "rejected rows are in its table rejects, and reference points cannot be explained"


def _rejected(rejects: pa.Table, hypothesis: str | None) -> Iterator[str]:
    """Yield the place of each rejected row of a hypothesis, None for all, and the reason."""
    for row in rejects.sort_by([("source", "ascending"), ("row", "ascending")]).to_pylist():
        if hypothesis in (None, row["coder"]):
            yield f"{place_of(row)} {owner_of(row)}: {row['rule']}: {row['detail']}"


def _added(
    reopened: Reopened, accepted: Accepted, documents: Sequence[str], hypothesis: str | None
) -> Iterator[Rows]:
    """Yield the hypotheses without boundaries that the run scored in the place of missing ones.

    Args:
        reopened: the run.
        accepted: the hypotheses of the documents.
        documents: ids of the documents.
        hypothesis: coder of the hypotheses; None for all.
    """
    if not reopened.missing.added:
        return
    known = reopened.references.documents
    others = np.isin(
        np.arange(len(known)), known.find(pa.array(documents, pa.string())), invert=True
    )
    given = {
        system: np.packbits(others)
        | accepted.uncharged.get(system, no_documents(reopened.references))
        for system in reopened.missing.systems
        if hypothesis in (None, system)
    }
    for added in empty_hypotheses(
        given, reopened.references, ROWS_AT_ONCE, typed=reopened.inputs.typed
    ):
        yield added.rows


def read_document_rows(table: InputTable, documents: Sequence[str]) -> Iterator[Rows]:
    """Read the segmentations of some documents, one slice of the table at a time."""
    ids = pa.array(documents, pa.string())
    for table_slice in table.slices:
        rows = read_slice(table_slice, table.further)
        chosen = pc.is_in(rows.table.column("document_id"), value_set=ids)
        yield rows.keep(flags(pc.fill_null(chosen.combine_chunks(), False)))


def _of_coder(rows: Rows, coder: str) -> Rows:
    is_chosen = pc.equal(rows.table.column("coder"), coder)
    return rows.keep(flags(is_chosen.combine_chunks()))


def _explain(reopened: Reopened, rows: Rows) -> list[Explained]:
    references = reopened.references
    document = references.documents.find(rows.ids)
    side = side_from_rows(rows, document, references.words, typed=reopened.inputs.typed)
    pairs = pair_up(document, references.first)
    tables = {table.location: table.unit for table in reopened.inputs.tables}
    unit = one_unit(tables) if reopened.settings.units == "units" else None
    return [
        Explained(
            rows.table.column("document_id")[hyp].as_py(),
            references.coder[ref].as_py(),
            rows.table.column("coder")[hyp].as_py(),
            int(references.size[ref]),
            _edits(reopened, side, Pairs(pairs.ref_row[[i]], pairs.hyp_row[[i]])),
            unit,
            rows.table.column(TRIAL)[hyp].as_py() if TRIAL in rows.table.column_names else None,
        )
        for i, (ref, hyp) in enumerate(
            zip(pairs.ref_row.tolist(), pairs.hyp_row.tolist(), strict=True)
        )
    ]


def _edits(reopened: Reopened, side: Side, pair: Pairs) -> list[Edit]:
    """List the edits of one pair."""
    settings, types = reopened.settings, reopened.rule.types
    ref, ref_types = _row(reopened.references.side, int(pair.ref_row[0]))
    hyp, hyp_types = _row(side, int(pair.hyp_row[0]))
    typed_sides = TypedSides(types, ref_types, hyp_types)
    return list_edits(ref, hyp, settings.near_limit, settings.pairing, typed_sides)


def _row(side: Side, row: int) -> tuple[list[int], Positions | None]:
    """Return the positions of one segmentation, and the type of each."""
    first, last = side.typed.offsets[row : row + 2]
    types = None if side.types is None else side.types[first:last]
    return side.typed.values[first:last].tolist(), types

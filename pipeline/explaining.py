"""One document of a run again: the edits between its hypotheses and its references."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.accepting import accept
from pipeline.counting import Pairs, meet
from pipeline.errors import Refused
from pipeline.measures.decisions import Edit, list_edits
from pipeline.reading import Rows, join, read
from pipeline.reopening import Reopened, reopen
from pipeline.sides import Side, side_of


@dataclass(frozen=True)
class Explained:
    """What stands between a reference and a hypothesis.

    Attributes:
        reference: its coder.
        hypothesis: its coder.
        n_units: of the document, in the unit of the run.
        edits: in the order of the text.
    """

    reference: str
    hypothesis: str
    n_units: int
    edits: list[Edit]


def explain(run: str, document: str, hypothesis: str | None) -> list[Explained]:
    """Find the edits of a document that a finished run has scored.

    Args:
        run: folder of the run, whose inputs must be as they were.
        document: its id.
        hypothesis: the coder to look at; None for all.

    Raises:
        Refused: no such run, document or hypothesis, or an input has changed since.
    """
    opened = reopen(run)
    rows = _of_document(opened, document, hypothesis)
    types = opened.settings.boundary_types
    rows = accept(rows, opened.references, {}, typed=opened.inputs.typed, types=types).rows
    if not len(rows):
        asked = "" if hypothesis is None else f" of {hypothesis}"
        raise Refused(
            f"{run}: its input has no accepted hypothesis{asked} for {document} (reference points "
            "are made by the run and not explained; refused rows are in its rejects)"
        )
    return _explain(opened, rows)


def _of_document(opened: Reopened, document: str, hypothesis: str | None) -> Rows:
    """Find the hypotheses of one document."""
    inputs = opened.inputs
    if opened.references.documents.find(pa.array([document]))[0] < 0:
        raise Refused(f"{document}: the run has no accepted reference for this document")
    parts = []
    for piece in inputs.hypotheses.slices:
        rows = read(piece, inputs.hypotheses.further)
        wanted = pc.equal(rows.table.column("document_id"), document)
        if hypothesis is not None:
            wanted = pc.and_(wanted, pc.equal(rows.table.column("coder"), hypothesis))
        chosen = pc.indices_nonzero(wanted.combine_chunks())
        parts.append(rows.take(np.array(chosen.to_pylist(), np.int64)))
    return join(parts)


def _explain(opened: Reopened, rows: Rows) -> list[Explained]:
    references = opened.references
    document = references.documents.find(rows.table.column("document_id").chunk(0))
    side = side_of(rows, document, references.words, typed=opened.inputs.typed)
    pairs = meet(document, references.first)
    return [
        Explained(
            references.coder[ref].as_py(),
            rows.table.column("coder")[hyp].as_py(),
            int(references.size[ref]),
            _edits(opened, side, Pairs(pairs.ref_row[[i]], pairs.hyp_row[[i]])),
        )
        for i, (ref, hyp) in enumerate(
            zip(pairs.ref_row.tolist(), pairs.hyp_row.tolist(), strict=True)
        )
    ]


def _edits(opened: Reopened, side: Side, pair: Pairs) -> list[Edit]:
    """List the edits of one pair."""
    settings, types = opened.settings, opened.job.rule.types
    ref, ref_types = _row(opened.references.side, int(pair.ref_row[0]))
    hyp, hyp_types = _row(side, int(pair.hyp_row[0]))
    return list_edits(ref, hyp, settings.n_t, settings.pairing, ref_types, hyp_types, types)


def _row(side: Side, row: int) -> tuple[list[int], list[int] | None]:
    """Positions of one segmentation, and the type of each."""
    first, last = side.typed.offsets[row : row + 2]
    types = None if side.types is None else side.types[first:last].tolist()
    return side.typed.values[first:last].tolist(), types

"""Warn of coders that were scored against their own segmentations."""

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.runs.sink import Sink
from segscore.pipeline.scoring.counting import pair_up
from segscore.pipeline.scoring.documents import DocumentRows
from segscore.pipeline.scoring.inputs import Inputs

_CODERS = ["reference", "hypothesis"]


def warn_of_self_pairs(sink: Sink, inputs: Inputs) -> list[str]:
    """Return a warning if rows were read on both sides, and coders scored against themselves."""
    if not inputs.shared_files:
        return []
    if not any(pc.any(pc.equal(*rows)).as_py() for rows in sink.read("scores", _CODERS)):
        return []
    return [describe_self_pairs(inputs)]


def has_self_pairs(rows: DocumentRows) -> bool:
    """Return whether a coder of some documents is scored against one of their own."""
    references, accepted = rows.references, rows.accepted
    pairs = pair_up(accepted.document, references.first)
    reference = references.coder.take(pa.array(pairs.ref_row))
    hypothesis = accepted.rows.table.column("coder").chunk(0).take(pa.array(pairs.hyp_row))
    return bool(pc.any(pc.equal(reference, hypothesis)).as_py())


def describe_self_pairs(inputs: Inputs) -> str:
    """Return the warning for rows that were read on both sides."""
    return (
        f"{inputs.references.location}: its rows were read both as references and as hypotheses, "
        "so coders were also scored against their own segmentations, and their averages are too "
        "good; state the role of each row in a column role (import --role writes it), or use "
        "`segscore agree` to compare coders with each other"
    )

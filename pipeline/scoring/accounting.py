"""Count the input rows that were scored, rejected or left unpaired in a scoring run."""

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Flags
from segscore.pipeline.errors import Absent, NoResult, NothingPaired
from segscore.pipeline.runs.record import RowCounts, count_rejected, rest_of, why_nothing_scored
from segscore.pipeline.runs.sink import Sink
from segscore.pipeline.scoring.hypotheses import list_unpaired
from segscore.pipeline.scoring.inputs import Collected, Inputs
from segscore.pipeline.tables.read import no_rows_error


def count_rows(collected: Collected, paired: Flags) -> RowCounts:
    """Count the scored, rejected and unpaired rows of the references and of the documents."""
    scored = {"references": int(paired.sum())}
    if collected.described is not None:
        ids = collected.reference_rows.keep(paired).ids
        row = collected.described.documents.find(ids)
        scored["documents"] = len(np.unique(row[row >= 0]))
    rows = {
        name: {
            "in": collected.read[name],
            "scored": scored[name],
            **count_rejected(collected.rejects, name),
        }
        for name in scored
    }
    for table in rows.values():
        table["unpaired"] = rest_of(table)
    return rows


def list_unpaired_inputs(collected: Collected, paired: Flags) -> pa.Table:
    """List the references without a hypothesis, and the documents without a scored pair."""
    rows = collected.reference_rows
    unpaired = [list_unpaired(rows.keep(~paired))]
    if collected.described is not None:
        described = collected.described
        ids = rows.keep(paired).ids
        used = np.isin(np.arange(len(described.rows)), described.documents.find(ids))
        unpaired.append(list_unpaired(described.rows.keep(~used)))
    return pa.concat_tables(unpaired)


def require_scored(sink: Sink, inputs: Inputs, account: RowCounts) -> None:
    """Refuse to publish a run in which nothing was scored.

    Raises:
        Absent: there is no reference or no hypothesis.
        NoResult: no reference was accepted, or no hypothesis was scored; the message gives the
            numbers of rows and the reasons: rejected rows, or ids without a counterpart.
    """
    if not account["hypotheses"]["scored"]:
        raise nothing_scored(inputs, account, why_nothing_scored(sink, SIDES))


SIDES = ("hypotheses", "references")
"""The tables whose rows are paired."""


def nothing_scored(inputs: Inputs, account: RowCounts, why: str) -> NoResult | Absent:
    """Return the error to raise if no hypothesis was scored; ``why`` ends its message."""
    for table in (inputs.references, inputs.hypotheses):
        if not account[table.name]["in"]:
            return no_rows_error(table)
    references = account["references"]
    if references["rejected"] == references["in"]:
        return NoResult(f"{inputs.references.location}: no reference was accepted{why}")
    hypotheses = account["hypotheses"]
    kind = NoResult
    if hypotheses["rejected"]:
        cause = (
            f"{hypotheses['rejected']:,} of {hypotheses['in']:,} hypotheses were rejected, "
            f"{hypotheses['unpaired']} have no accepted reference"
        )
    elif references["rejected"]:
        cause = "no document of the hypotheses has an accepted reference"
    else:
        cause = "no document id of the hypotheses is in the references"
        kind = NothingPaired
    return kind(f"{inputs.hypotheses.location}: nothing could be scored: {cause}{why}")

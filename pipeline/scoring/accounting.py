"""Count the input rows that were scored, rejected or left unpaired in a scoring run."""

from collections.abc import Sequence
from itertools import chain

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Flags
from segscore.pipeline.errors import Absent, NoResult, NothingPaired
from segscore.pipeline.runs.record import (
    REJECT_ORDER,
    RowCounts,
    count_broken_rules,
    count_rejected,
    explain_losses,
    require_few_rejects,
    rest_of,
)
from segscore.pipeline.runs.run_folder import REJECTS, UNPAIRED
from segscore.pipeline.runs.sink import Sink
from segscore.pipeline.scoring.hypotheses import list_unpaired
from segscore.pipeline.scoring.inputs import Collected, Inputs
from segscore.pipeline.scoring.missing import Missing, require_few_missing
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.scoring.unpaired import rejected_references, require_few_unpaired
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
        rejects = [*sink.read(REJECTS, [*REJECT_ORDER, "rule", "detail", "document_id"])]
        unpaired = [*sink.read(UNPAIRED, ["table", "document_id"])]
        raise nothing_scored(inputs, account, rejects, unpaired, count_broken_rules(rejects))


def require_few_lost(
    sink: Sink, settings: ScoreSettings, rows: RowCounts, missing: Missing
) -> None:
    """Refuse to publish a run that lost too many rows; one in memory is not published."""
    if sink.publishes:
        require_few_rejects(sink, rows, settings.max_rejects)
        require_few_unpaired(sink, rows, settings.most_unpaired)
        require_few_missing(missing, settings.max_unpaired, settings.missing)


SIDES = ("hypotheses", "references")
"""The tables whose rows are paired."""


_NO_LENGTH = "n_units_given"
"""The rule that a row without a length breaks."""


def nothing_scored(
    inputs: Inputs,
    account: RowCounts,
    rejects: Sequence[pa.Table],
    unpaired: Sequence[pa.Table],
    listed_in: str,
) -> NoResult | Absent:
    """Return the error to raise if no hypothesis was scored.

    It is ``NothingPaired`` if most hypotheses are of documents that have no reference at all.

    Args:
        inputs: the input tables.
        account: how many of their rows were rejected and unpaired.
        rejects: the rejected rows.
        unpaired: the unpaired rows.
        listed_in: says which rules the rejects broke, or where they are listed.
    """
    for table in (inputs.references, inputs.hypotheses):
        if not account[table.name]["in"]:
            return no_rows_error(table)
    references, hypotheses = account["references"], account["hypotheses"]
    if {*chain.from_iterable(table.column("rule").to_pylist() for table in rejects)} == {
        _NO_LENGTH
    }:
        has_lengths = references["rejected"] < references["in"]
        table = inputs.hypotheses if has_lengths else inputs.references
        return NoResult(
            f"{table.location}: no row has n_units, the number of units of its document; add this "
            "column, or give --documents with it and --length-tolerance 1 or more"
        )
    of_rejected = rejected_references(rejects, unpaired).hypotheses
    all_rejected = references["rejected"] == references["in"]
    without_reference = hypotheses["unpaired"] - of_rejected
    is_awaited = not all_rejected and 2 * without_reference > hypotheses["in"]
    why = explain_losses([] if is_awaited else rejects, unpaired, SIDES, listed_in)
    if all_rejected:
        return NoResult(f"{inputs.references.location}: no reference was accepted{why}")
    kind = NothingPaired if is_awaited else NoResult
    if hypotheses["rejected"]:
        cause = (
            f"{hypotheses['rejected']:,} of {hypotheses['in']:,} hypotheses were rejected, "
            f"{hypotheses['unpaired']} have no accepted reference"
        )
    elif of_rejected:
        cause = "no document of the hypotheses has an accepted reference"
    else:
        cause = "no document id of the hypotheses is in the references"
    return kind(f"{inputs.hypotheses.location}: nothing could be scored: {cause}{why}")

"""Show the best threshold by each measure of a sweep: a table, and the option that uses it."""

import shlex
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from segscore.pipeline.plain_text import named_list
from segscore.pipeline.scoring.sweep.measured import one_sided
from segscore.pipeline.statistics.result_table import Column, ResultTable

_Row = Mapping[str, Any]


def measures_table(rows: Sequence[_Row]) -> ResultTable:
    """Show the best threshold of each system and measure, and which are about as good.

    Args:
        rows: the rows of `measured`.
    """
    best = [row for row in rows if row["best"]]
    near = {
        key: [row["threshold"] for row in group if row["near_best"]]
        for key, group in groupby(rows, key=_key)
    }
    ranges = [f"{near[_key(row)][0]:g} to {near[_key(row)][-1]:g}" for row in best]
    ends = [(row["ci_low"], row["ci_high"]) for row in best]
    has_interval = any(low is not None for low, _ in ends)
    return ResultTable(
        [
            Column("system", [row["hypothesis"] for row in best], is_name=True),
            Column("measure", [row["measure"] for row in best], is_name=True),
            Column("best threshold", [row["threshold"] for row in best], write="{:g}".format),
            Column("value", [row["value"] for row in best], ends=ends if has_interval else ()),
            Column("about " * has_interval + "as good", ranges),
        ],
        caption="micro averages; "
        + "about as good: in the interval of the best value; " * has_interval
        + "the table measured has all thresholds",
    )


def threshold_in_words(rows: Sequence[_Row], measures: Sequence[str]) -> str:
    """Name the option that scores other documents at the best thresholds by the first measure.

    Precision or recall alone chooses none: the highest or the lowest threshold would be best.
    """
    chosen = [measure for measure in measures if not one_sided(measure)]
    if not chosen:
        return f"{measures[0]} alone chooses no threshold; add a measure such as f1 to --measure."
    measure = chosen[0]
    best = [row for row in rows if row["best"] and row["measure"] == measure]
    if not best:
        return f"{measure} is undefined at every threshold."
    unwritten = [row["hypothesis"] for row in best if "," in row["hypothesis"]]
    if unwritten:
        return (
            f"The thresholds that are best by {measure} are in the table measured; --threshold "
            f"cannot name {named_list(unwritten)}, because of the comma."
        )
    option = shlex.quote(",".join(f"{row['hypothesis']}={row['threshold']:g}" for row in best))
    return (
        f"To score other documents at the thresholds that are best by {measure} here: segscore "
        f"score REFERENCES HYPOTHESES --threshold {option} --measures {measure} --output RUN"
    )


def _key(row: _Row) -> tuple[str, str]:
    return row["hypothesis"], row["measure"]

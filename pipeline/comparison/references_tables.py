"""Tables that stand beside those of a comparison: published scores, and people's ratings."""

from collections.abc import Sequence

from segscore.pipeline.measures import ALL, shown_measures
from segscore.pipeline.runs.finished import RunRow
from segscore.pipeline.statistics.formatted_numbers import counted, short_interval
from segscore.pipeline.statistics.result_table import Column, ResultTable, more_in
from segscore.pipeline.testsets.published import group_published, heading_of

_SCORES = 20
"""Number of published scores that a terminal shows."""

_YOURS = "yours by the same convention"
_PUBLISHED = ("system", "document", "measure", "printed", "evidence", "convention", "yours")


def published_values_table(rows: Sequence[RunRow]) -> ResultTable:
    """Show published scores, and the systems by the same conventions.

    Args:
        rows: rows of the table `published`; one or more.
    """
    scores = group_published(rows)
    columns = {name: [score[name] for score in scores] for name in _PUBLISHED}
    return ResultTable(
        [
            Column(_YOURS if name == "yours" else name, values, is_name=name != "printed")
            for name, values in columns.items()
            if name != "document" or any(values)
        ],
        title=heading_of(rows),
        first=_SCORES,
        rest=lambda number: f"{more_in('published', number)} of --output and in JSON",
    )


def ratings_table(rows: Sequence[RunRow]) -> ResultTable:
    """Show how well the main measures agree with people's ratings, the highest first.

    Args:
        rows: rows of the table `ratings`; one or more.
    """
    by_measure = {row["measure"]: row for row in rows}
    shown = [by_measure[name] for name in shown_measures([*by_measure])]
    shown.sort(key=lambda row: (row["correlation"] is None, -(row["correlation"] or 0)))
    named = [row["measure"] + ALL[row["measure"]].arrow for row in shown]
    intervals = [short_interval(row["ci_low"], row["ci_high"]) or None for row in shown]
    return ResultTable(
        [
            Column("measure", named, is_name=True),
            Column("correlation", [row["correlation"] for row in shown]),
            Column("95 % interval", intervals),
            Column("pairs", [row["pairs"] for row in shown]),
            Column("documents", [row["documents"] for row in shown]),
        ],
        title="agreement with ratings (Spearman's correlation)",
        caption=_of_ratings(rows, len(shown)),
    )


def _of_ratings(rows: Sequence[RunRow], shown: int) -> str:
    """Say what the correlations are of, and where the others are."""
    most = max(rows, key=lambda row: int(row["pairs"]))
    pairs, documents = counted(most["pairs"], "pair"), counted(most["documents"], "document")
    more = f"; the table ratings has {len(rows) - shown} more measures" if len(rows) > shown else ""
    return (
        f"over {pairs} of a document and a system, {documents}; 1: the measure orders them as "
        f"people do, also where lower is better; intervals by the jackknife over documents{more}"
    )

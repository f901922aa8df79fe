"""Print how well measures agree with people's ratings."""

from collections.abc import Sequence
from typing import Any

from segscore.jobs.show.fitted import print_fitted
from segscore.jobs.show.formats import Layout, print_table
from segscore.pipeline.measures import ALL, shown_measures
from segscore.pipeline.statistics.shown_numbers import counted, short_interval, shown_number
from segscore.pipeline.statistics.shown_tables import Column

_TITLE = "agreement with ratings (Spearman's correlation)"


def print_ratings(rows: Sequence[dict[str, Any]], format_name: str = "text") -> None:
    """Print the correlation of the main measures, the highest first.

    Args:
        rows: rows of the table `ratings`.
        format_name: text or markdown.
    """
    by_measure = {row["measure"]: row for row in rows}
    shown = [by_measure[name] for name in shown_measures([*by_measure])]
    shown.sort(key=lambda row: (row["correlation"] is None, -(row["correlation"] or 0)))
    headings = ["measure", "correlation", "95 % interval", "pairs", "documents"]
    cells = [
        [
            row["measure"] + ALL[row["measure"]].arrow,
            shown_number(row["correlation"]),
            short_interval(row["ci_low"], row["ci_high"]) or "–",
            f"{row['pairs']:,}",
            f"{row['documents']:,}",
        ]
        for row in shown
    ]
    note = _note(rows, len(shown))
    if format_name == "markdown":
        print_table(Layout(headings, cells, headings, cells, 1, "", notes={(): note}), "markdown")
        return
    columns = zip(headings, zip(*cells, strict=True), strict=True)
    print_fitted(
        [Column(name, [*column], is_name=name == "measure") for name, column in columns],
        title=_TITLE,
        caption=note,
    )


def _note(rows: Sequence[dict[str, Any]], shown: int) -> str:
    """Say what the correlations are of, and where the others are."""
    most = max(rows, key=lambda row: int(row["pairs"]))
    pairs, documents = counted(most["pairs"], "pair"), counted(most["documents"], "document")
    more = f"; the table ratings has {len(rows) - shown} more measures" if len(rows) > shown else ""
    return (
        f"over {pairs} of a document and a system, {documents}; 1: the measure orders them as "
        f"people do, also where lower is better; intervals by the jackknife over documents{more}"
    )

"""The table of the systems of a comparison, with their ranks."""

import math
from collections.abc import Iterable, Sequence

from segscore.pipeline.measures import ALL
from segscore.pipeline.results.leaderboard import goodness, rank
from segscore.pipeline.results.names import is_point
from segscore.pipeline.results.summarised_baselines import summarised_baselines, summarised_in_words
from segscore.pipeline.statistics.shown_numbers import shown_rank
from segscore.pipeline.statistics.shown_tables import Column, ShownTable
from segscore.schemas.rows import SystemRow


def best_first(averages: Iterable[SystemRow], average: str) -> list[SystemRow]:
    """Return the rows of an average: the systems, best first, then the reference points."""
    return sorted((row for row in averages if row["average"] == average), key=order_of)


def order_of(row: SystemRow) -> tuple[bool, float, str]:
    """Return what a row is sorted by: systems by rank, then reference points, the best first."""
    value, point = row["value"], is_point(row["hypothesis"])
    directed = ALL[row["measure"]].better != "neither"
    if value is None or not directed or (row["rank"] is None and not point):
        return point, math.inf, row["system"]
    return point, -goodness(value, row["measure"]), row["system"]


def systems_shown(
    ranked: Sequence[SystemRow],
    averages: Iterable[SystemRow],
    whole: str,
    *,
    folds: bool = False,
) -> ShownTable:
    """Show the systems of a group with their ranks by a measure, best first.

    Args:
        ranked: the rows of the average by which the systems are ranked, as ``best_first`` has them.
        averages: the rows of both averages; the other one is shown beside it.
        whole: what is averaged over, in words.
        folds: whether the caption has the extreme reference points and chance, in place of rows.
    """
    values = {row["hypothesis"]: row["value"] for row in ranked}
    folded = summarised_baselines(values) if folds else set()
    rows = [row for row in ranked if row["hypothesis"] not in folded]
    remarks = summarised_in_words({name: values[name] for name in values if name in folded})
    average = rows[0]["average"]
    other = "micro" if average == "macro" else "macro"
    others = {row["system"]: row["value"] for row in averages if row["average"] == other}
    measure = rows[0]["measure"]
    (board,) = rank(rows, (), measure, "system")
    unranked = [] if board.coverage.ranks else [board.coverage.in_words]
    return ShownTable(
        [
            Column(board.heading, [row["system"] for row in rows], is_name=True),
            Column(
                average,
                [row["value"] for row in rows],
                ends=[(row["ci_low"], row["ci_high"]) for row in rows],
            ),
            Column(other, [others.get(row["system"]) for row in rows]),
            column_of_ranks(rows),
            Column("documents", [row["defined"] for row in rows]),
        ],
        title=f"{measure}{ALL[measure].arrow}, {average}, {whole}",
        caption="; ".join([*unranked, *remarks]),
        apart=sum(is_point(row["hypothesis"]) for row in rows),
    )


def column_of_ranks(rows: Sequence[SystemRow]) -> Column:
    """Return the ranks of systems."""
    return Column("rank", [row["rank"] for row in rows], write=shown_rank)

"""The table of the systems of a comparison, with their ranks."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from segscore.pipeline.comparison.certainty import why_untested
from segscore.pipeline.comparison.pair_rows import SIGNIFICANT, is_significant, turned
from segscore.pipeline.comparison.sentences import against_chance, within_margin
from segscore.pipeline.measures.several_references import COMPARED
from segscore.pipeline.results.leaderboard import goodness, rank
from segscore.pipeline.results.names import is_point
from segscore.pipeline.results.summarised_baselines import summarised_baselines, summarised_in_words
from segscore.pipeline.statistics.formatted_numbers import (
    counted,
    format_p,
    shown_change,
    shown_rank,
)
from segscore.pipeline.statistics.result_table import Column, ResultTable
from segscore.schemas.rows import PairRow, SystemRow


def best_first(averages: Iterable[SystemRow], average: str) -> list[SystemRow]:
    """Return the rows of an average: the systems, best first, then the reference points."""
    return sorted((row for row in averages if row["average"] == average), key=order_of)


def order_of(row: SystemRow) -> tuple[bool, float, str]:
    """Return what a row is sorted by: systems by rank, then reference points, the best first."""
    value, point = row["value"], is_point(row["hypothesis"])
    directed = COMPARED[row["measure"]].better != "neither"
    if value is None or not directed or (row["rank"] is None and not point):
        return point, math.inf, row["system"]
    return point, -goodness(value, row["measure"]), row["system"]


def systems_table(
    ranked: Sequence[SystemRow],
    averages: Iterable[SystemRow],
    whole: str,
    *,
    folds: bool = False,
) -> ResultTable:
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
    return ResultTable(
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
        title=f"{measure}{COMPARED[measure].arrow}, {average}, {whole}",
        caption="; ".join([*unranked, *remarks]),
        apart=sum(is_point(row["hypothesis"]) for row in rows),
    )


def standings_table(
    ranked: Sequence[SystemRow],
    averages: Iterable[SystemRow],
    pairs: Sequence[PairRow],
    whole: str,
    margin: float | None,
) -> ResultTable:
    """Show the systems of a group, best first, each with its difference from the first one.

    Args:
        ranked: as for ``systems_table``.
        averages: as for ``systems_table``.
        pairs: the comparisons of these systems by this measure and average.
        whole: what is averaged over, in words.
        margin: the difference within which systems count as equal; None without one.
    """
    table = systems_table(ranked, averages, whole, folds=True)
    (name, value, other, rank, documents) = table.columns
    first, *_ = name.values
    rows = [_against(first, system, pairs) for system in name.values]
    known = [row for row in rows if row is not None]
    if not known:
        return table
    starred = any(map(is_significant, known))
    columns = [
        name,
        value,
        Column(
            f"{first}\nminus it",
            ["" if row is None else shown_change(row["difference"]) for row in rows],
        ),
        Column("p (Holm)", ["" if row is None else written_p(row, starred) for row in rows]),
        *(
            [Column(f"within {margin:g}", ["" if r is None else within_margin(r) for r in rows])]
            if margin is not None
            else []
        ),
        rank,
        other,
        documents,
    ]
    left = len(pairs) - len(known)
    remarks = [
        table.caption,
        f"* p < {SIGNIFICANT:g}" if starred else "",
        (why_untested(known) or "").removesuffix("."),
        against_chance(pairs) or "",
        f"--layout pairs has {counted(left, 'more pair')}" if left > 0 else "",
    ]
    return replace(table, columns=columns, caption="; ".join(filter(None, remarks)))


def _against(first: str, system: str, pairs: Sequence[PairRow]) -> PairRow | None:
    """Return the comparison of the first system with another one, with the sign of first - other.

    None if there is none, as of the first system with itself.
    """
    for row in pairs:
        if (row["system"], row["other"]) == (first, system):
            return row
        if (row["system"], row["other"]) == (system, first):
            return turned(row)
    return None


def written_p(row: PairRow, starred: bool) -> str:
    """Write the adjusted p of a pair, with a star where it is significant."""
    mark = "*" if is_significant(row) else " "
    return format_p(row["p_holm"]) + f" {mark}" * starred


def groups_table(
    boards: Mapping[str, Sequence[SystemRow]], pairs: Mapping[str, Sequence[PairRow]]
) -> ResultTable:
    """Show which system is best in each group of documents, and how far ahead: a row a group.

    Args:
        boards: name of each group -> its rows by one measure and average, best first.
        pairs: name of each group -> the comparisons.
    """
    rows = []
    for group, ranked in boards.items():
        best, *others = [row for row in ranked if not is_point(row["hypothesis"])] or ranked
        second = others[0]["system"] if others else None
        pair = None if second is None else _against(best["system"], second, pairs.get(group, ()))
        rows.append((group, best, second, pair))
    measure, average = rows[0][1]["measure"], rows[0][1]["average"]
    starred = any(pair is not None and is_significant(pair) for *_, pair in rows)
    return ResultTable(
        [
            Column("group", [group for group, *_ in rows], is_name=True),
            Column("first", [best["system"] for _, best, *_ in rows], is_name=True),
            Column(average, [best["value"] for _, best, *_ in rows]),
            Column("second", [second or "" for *_, second, _ in rows], is_name=True),
            Column(
                "difference",
                ["" if pair is None else shown_change(pair["difference"]) for *_, pair in rows],
            ),
            Column("p (Holm)", ["" if p is None else written_p(p, starred) for *_, p in rows]),
            Column("documents", [best["defined"] for _, best, *_ in rows]),
        ],
        title=f"{measure}{COMPARED[measure].arrow}, {average}, by group",
        caption=f"* p < {SIGNIFICANT:g}" * starred,
        elsewhere="--layout systems, --layout pairs: all systems of each group",
    )


def column_of_ranks(rows: Sequence[SystemRow]) -> Column:
    """Return the ranks of systems."""
    return Column("rank", [row["rank"] for row in rows], write=shown_rank)

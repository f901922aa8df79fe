"""Tables of the pairs of systems of a comparison: their differences and the tests of these."""

from collections.abc import Callable, Sequence
from functools import partial

from segscore.pipeline.comparison.certainty import why_untested
from segscore.pipeline.comparison.pair_rows import (
    PAIRS_SHOWN,
    SIGNIFICANT,
    better_first,
    is_directed,
    is_significant,
)
from segscore.pipeline.comparison.sentences import against_chance, within_margin
from segscore.pipeline.measures import ALL
from segscore.pipeline.results.names import is_artificial
from segscore.pipeline.statistics.shown_numbers import shown_change, shown_number, shown_p
from segscore.pipeline.statistics.shown_tables import Column, ShownTable, more_in
from segscore.schemas.rows import PairRow

_ROWS = 1000
"""Maximum number of rows of a page's table."""


def columns_of_pairs(
    rows: Sequence[PairRow], write_p: Callable[[float | None], str] = shown_p
) -> list[Column]:
    """Return the difference of each pair, whose better system comes first, and its tests.

    Args:
        rows: the pairs.
        write_p: writes the adjusted p.
    """
    heading = "system, better first" if any(map(is_directed, rows)) or not rows else "system"
    return [
        Column(heading, [row["system"] for row in rows], is_name=True),
        Column("against", [row["other"] for row in rows], is_name=True),
        Column(
            "difference",
            [row["difference"] for row in rows],
            ends=[(row["ci_low"], row["ci_high"]) for row in rows],
            interval="{} (Holm)",
            write=shown_change,
        ),
        Column("p", [row["p"] for row in rows], write=shown_p),
        Column("p (Holm)", [row["p_holm"] for row in rows], write=write_p),
    ]


def _within(rows: Sequence[PairRow], margin: float | None) -> list[Column]:
    """Return whether pairs are equal within a margin, if there is one."""
    return [] if margin is None else [Column(f"within {margin:g}", [*map(within_margin, rows)])]


def first_pairs_shown(every: Sequence[PairRow], margin: float | None) -> ShownTable:
    """Show the first pairs of systems, and say what is to be known of pairs with chance.

    Without two systems, the pairs with reference points are shown.

    Args:
        every: the pairs of one group, measure and average, in the order in which they are shown.
        margin: the difference within which systems count as equal; None without one.
    """
    of_systems = [
        row for row in every if not (is_artificial(row["system"]) or is_artificial(row["other"]))
    ]
    chosen = of_systems or every
    rows = [better_first(row) for row in chosen[:PAIRS_SHOWN]]
    starred = any(map(is_significant, rows))
    system, against, difference, _, p = columns_of_pairs(rows, _starred if starred else shown_p)
    more = len(chosen) - len(rows)
    remarks = [
        f"* p < {SIGNIFICANT:g}" if starred else None,
        f"{more_in('comparisons', more)} of --output" if more else None,
        against_chance(every) if of_systems else None,
        (why_untested(rows) or "").removesuffix("."),
    ]
    # A narrow terminal leaves out the interval rather than p, so p comes first.
    value, interval = difference.for_terminal()
    return ShownTable(
        [system, against, value, p, interval, *_within(rows, margin)],
        caption="; ".join(remark for remark in remarks if remark),
    )


def _starred(p: float | None) -> str:
    """Write a p value, with a star where it is significant."""
    return shown_p(p) + (" *" if p is not None and p < SIGNIFICANT else "  ")


def all_pairs_shown(rows: Sequence[PairRow], measure: str, margin: float | None) -> ShownTable:
    """Show the differences of all pairs in a measure.

    Args:
        rows: the pairs, the better system of each first; of one average.
        measure: the measure.
        margin: the difference within which systems count as equal; None without one.
    """
    documents = Column("documents", [row["documents"] for row in rows])
    return ShownTable(
        [*columns_of_pairs(rows), *_within(rows, margin), documents],
        title=f"differences in {measure}",
    )


def differences_shown(
    rows: Sequence[PairRow], groups: Sequence[str], measure: str, margin: float | None
) -> ShownTable:
    """Show the differences in a measure in all groups, for a page.

    Args:
        rows: the pairs, the better system of each first; of one average.
        groups: the name of each one's group.
        measure: the measure.
        margin: the difference within which systems count as equal; None without one.
    """
    return ShownTable(
        [
            Column("group", groups, is_name=True),
            *all_pairs_shown(rows, measure, margin).columns,
            Column("smallest difference", [_smallest_difference(row) for row in rows]),
        ],
        title=f"Differences in {measure}{ALL[measure].arrow}",
        guide="The better system of each pair comes first.",
        most=_ROWS,
        rest=partial(more_in, "comparisons"),
    )


def _smallest_difference(row: PairRow) -> str | None:
    """Write the range of the smallest difference that the documents can show."""
    low, high = row["smallest_difference_low"], row["smallest_difference_high"]
    return None if low is None else f"{shown_number(low)} to {shown_number(high)}"

"""Tables of simulated power by number of documents."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from segscore.pipeline.comparison.pair_rows import PAIRS_SHOWN, name_of_pair
from segscore.pipeline.runs.finished import grouped
from segscore.pipeline.statistics.shown_numbers import percent, shown_as, shown_change
from segscore.pipeline.statistics.shown_tables import Column, ShownTable, more_in
from segscore.schemas.rows import PowerRow

_BAR = 30
"""Number of characters of the bar of a power of 1."""

_ROWS = 1000
"""Maximum number of rows of a page's table."""


def _columns(rows: Sequence[PowerRow]) -> list[Column]:
    return [
        Column("documents", [row["documents"] for row in rows]),
        Column("power", [row["power"] for row in rows], write=partial(shown_as, form=".2f")),
        Column("half-width", [row["half_width"] for row in rows]),
        Column("exaggeration", [row["exaggeration"] for row in rows], write=_times),
        Column(
            "wrong sign", [row["wrong_sign"] for row in rows], write=partial(percent, form=".1f")
        ),
    ]


def _times(factor: float | None) -> str:
    return "–" if factor is None else f"{factor:.1f} times"


def power_curves(rows: Iterable[PowerRow], average: str) -> Iterator[ShownTable]:
    """Show the power of each of the first pairs, with a bar for each number, for a terminal."""
    of_average = (row for row in rows if row["average"] == average)
    curves = grouped(of_average, ("measure", "system", "other", "sought"))
    for (measure, system, other, sought), curve in [*curves.items()][:PAIRS_SHOWN]:
        size, power, *others = _columns(curve)
        bars = Column("", [_bar(row["power"]) for row in curve], is_name=True)
        yield ShownTable(
            [size, power, bars, *others],
            title=f"{measure}, {average}: {system} against {other}, a difference of "
            f"{shown_change(sought)}",
        )


def _bar(power: float | None) -> str:
    return "" if power is None else "━" * round(power * _BAR)


def power_shown(rows: Sequence[PowerRow], measure: str) -> ShownTable:
    """Show the power of all pairs by a measure, for a page."""
    return ShownTable(
        [
            Column("pair", [name_of_pair(row) for row in rows], is_name=True),
            Column("difference to find", [row["sought"] for row in rows], write=shown_change),
            *_columns(rows),
        ],
        title=f"Power to find a difference in {measure}",
        guide="Power is the share of simulated corpora on which the difference is significant. The "
        "half-width is that of the 95 % interval; exaggeration says how much larger than the true "
        "difference a significant one is on average.",
        most=_ROWS,
        rest=partial(more_in, "power"),
    )

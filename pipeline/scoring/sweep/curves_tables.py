"""Curves of a sweep, over thresholds or tolerances: tables, and sentences on what they show."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa

from segscore.pipeline.measures import ALL
from segscore.pipeline.plain_text import first_named, named_list
from segscore.pipeline.scoring.sweep.curves import excerpt
from segscore.pipeline.statistics.formatted_numbers import counted, percent, shown_number
from segscore.pipeline.statistics.result_table import Column, ResultTable

_Row = Mapping[str, Any]

_POINTS = 7
"""Number of points that a terminal shows of each curve, besides the operating point."""

_TOLERANCES, _SYSTEMS = 20, 20
"""Maximum numbers of tolerances and systems that a terminal shows."""

_ABOUT = 0.1
"""Segments are about as long as others if the mean lengths differ by at most this share."""

_NAMED = 3
"""Maximum number of systems about which sentences are said."""

_HEADINGS = {
    "pk_miss_rate": "P_miss",
    "pk_false_alarm_rate": "P_fa",
    "r_miss": "R_miss",
    "r_false_alarm": "R_fa",
    "mean_segment_length": "mean length",
    "reference_mean_segment_length": "reference's",
}

_TOLERANT = {
    "tolerant_precision": "precision",
    "tolerant_recall": "recall",
    "tolerant_f1": "F",
    "reach_f1": "F in reach",
    "r_value": "R-value",
}


def _systems(rows: Sequence[_Row], *, once: bool = False) -> Column:
    return Column("system", [row["hypothesis"] for row in rows], is_name=True, once=once)


def _values(rows: Sequence[_Row], headings: Mapping[str, str]) -> Iterator[Column]:
    for name, heading in headings.items():
        yield Column(heading, [row[name] for row in rows])


def _last_of_each(rows: Sequence[_Row]) -> list[int]:
    """Return the index of the last row of each system but the last."""
    names = [row["hypothesis"] for row in rows]
    return [place for place, (name, after) in enumerate(pairwise(names)) if name != after]


def _shown_threshold(threshold: float | None) -> str:
    return "none" if threshold is None else f"{threshold:.6g}"


def curves_table(curves: pa.Table, operating_points: pa.Table) -> ResultTable:
    """Show a few points of the curve of each system and, marked, its operating point."""
    rows = excerpt(curves, operating_points, _POINTS)
    steps = [f"{'* ' * row['operating']}{_shown_threshold(row['threshold'])}" for row in rows]
    return ResultTable(
        [_systems(rows, once=True), Column("threshold", steps), *_values(rows, _HEADINGS)],
        caption="* mean length closest to the reference's",
        sections=_last_of_each(rows),
    )


def points_table(rows: Sequence[_Row]) -> ResultTable:
    """Show the operating point of each system."""
    thresholds = Column("threshold", [row["threshold"] for row in rows], write=_shown_threshold)
    return ResultTable(
        [_systems(rows), thresholds, *_values(rows, _HEADINGS)],
        title="Operating point of each system",
        guide="P_miss and P_fa are pk_miss_rate and pk_false_alarm_rate, R_miss and R_fa are "
        "r_miss and r_false_alarm. A dash is a threshold above all scores: no boundary at all.",
    )


def rates_by_threshold(points: Sequence[_Row], x: str, y: str, guide: str) -> ResultTable:
    """Show two rates at thresholds, for a chart.

    Args:
        points: ``name``, ``threshold``, ``x`` and ``y``.
        x: name of the rate across.
        y: name of the rate up.
        guide: how to read the chart.
    """
    thresholds = [point["threshold"] for point in points]
    return ResultTable(
        [
            Column("system", [point["name"] for point in points], is_name=True),
            Column("threshold", thresholds, write=_shown_threshold),
            Column(x, [point["x"] for point in points]),
            Column(y, [point["y"] for point in points]),
        ],
        title=f"{y} against {x}",
        guide=guide,
    )


def tolerances_table(rows: Sequence[_Row]) -> ResultTable:
    """Show precision, recall and F of the first systems, at tolerances spread over all."""
    names, limits = ({row[name]: None for row in rows} for name in ("hypothesis", "tolerance"))
    first, spread = {*[*names][:_SYSTEMS]}, {*_spread([*limits])}
    shown = [row for row in rows if row["hypothesis"] in first and row["tolerance"] in spread]
    left = (len(names) - len(first), "system"), (len(limits) - len(spread), "tolerance")
    more = named_list([counted(number, f"more {noun}") for number, noun in left if number])
    return ResultTable(
        [_systems(shown, once=True), _tolerances(shown), *_values(shown, _TOLERANT)],
        caption=f"{more}: in the table tolerances" if more else "",
        sections=_last_of_each(shown),
    )


def _tolerances(rows: Sequence[_Row]) -> Column:
    return Column("tolerance", [row["tolerance"] for row in rows])


def _spread(tolerances: Sequence[int]) -> Iterator[int]:
    """Yield the first and the last tolerance, and as many evenly between as are shown."""
    steps = min(len(tolerances), _TOLERANCES)
    for step in range(steps):
        yield tolerances[step * (len(tolerances) - 1) // max(1, steps - 1)]


def measure_by_tolerance(rows: Sequence[_Row], measure: str) -> ResultTable:
    """Show a measure at every tolerance, for a chart."""
    description = ALL[measure].description
    return ResultTable(
        [_systems(rows), _tolerances(rows), *_values(rows, {measure: measure})],
        title=measure + ALL[measure].arrow,
        guide=f"{description[:1].upper()}{description[1:]}.",
    )


def thresholds_in_words(rows: Sequence[_Row], shown: Callable[[str], str] = str) -> Iterator[str]:
    """Say at which threshold each of the first systems has segments of the references' length.

    Args:
        rows: the rows of `operating_points`.
        shown: writes a name.
    """
    for row in rows[:_NAMED]:
        name = shown(row["hypothesis"])
        if row["threshold"] is None:
            yield f"{name}: no threshold gives segments as long as the references'.{_area(row)}"
            continue
        yield (
            f"{name}: at threshold {row['threshold']:.6g} its segments are {_how_long(row)}; "
            f"there, {_share(row['pk_miss_rate'])} of the windows with a boundary "
            f"are missed, and {_share(row['pk_false_alarm_rate'])} of those without are false "
            f"alarms.{_area(row)}"
        )
    if len(rows) > _NAMED:
        more = counted(len(rows) - _NAMED, "more system")
        yield f"{more} {'is' if len(rows) == _NAMED + 1 else 'are'} in the table operating_points."


def _how_long(row: _Row) -> str:
    """Compare the lengths of segments at the operating point, the nearest that there are."""
    own, reference = row["mean_segment_length"], row["reference_mean_segment_length"]
    if abs(own - reference) <= _ABOUT * reference:
        return "about as long as the references'"
    how = "longer" if own > reference else "shorter"
    return f"{how} than the references', {own:.4g} against {reference:.4g}, but nearest to them"


def _area(row: _Row) -> str:
    """State the average precision of a row; nothing in a run of an earlier version."""
    area = row.get("average_precision")
    return "" if area is None else f" Over all thresholds, average precision is {area:.4f}."


def _share(value: float | None) -> str:
    return "an undefined share" if value is None else percent(value, ".1f")


def tolerances_in_words(rows: Sequence[_Row], shown: Callable[[str], str] = str) -> Iterator[str]:
    """Say which system has the highest F at the smallest and at the largest tolerance.

    Args:
        rows: the rows of `tolerances`.
        shown: writes a name.
    """
    tolerances = sorted({row["tolerance"] for row in rows})
    for tolerance in dict.fromkeys([tolerances[0], tolerances[-1]]):
        known = [
            row for row in rows if row["tolerance"] == tolerance and row["tolerant_f1"] is not None
        ]
        if len({(row["rows"], row["reference_boundaries"]) for row in known}) > 1:
            yield "Systems were scored on different documents, so that none has the highest F."
            return
        if not known:
            yield f"At a tolerance of {tolerance:,}, F is undefined for every system."
            continue
        highest = max(row["tolerant_f1"] for row in known)
        best = [row["hypothesis"] for row in known if row["tolerant_f1"] == highest]
        verb = "has" if len(best) == 1 else "have"
        yield (
            f"At a tolerance of {tolerance:,}, {first_named(best, shown=shown)} {verb} the highest "
            f"F, {shown_number(highest)}."
        )

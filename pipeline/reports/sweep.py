"""Sections of a sweep's report: curves and operating points, or over tolerances, or ranks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from segscore.pipeline.reports.line_charts import curves, line_chart
from segscore.pipeline.reports.page import Figure, Section, shown_figure
from segscore.pipeline.runs.finished import FinishedRun, RunRow
from segscore.pipeline.scoring.sweep.curves_tables import (
    measure_by_tolerance,
    points_table,
    rates_by_threshold,
)
from segscore.pipeline.scoring.sweep.measures_tables import measures_table
from segscore.pipeline.scoring.sweep.ranks_tables import ranks_tables

POINTS = 200
"""Maximum number of thresholds of a curve; a longer one is thinned to equal steps along it."""

_ENDS = (
    (
        "pk_false_alarm_rate",
        "pk_miss_rate",
        "Rates over windows: misses if the reference has a boundary, false alarms if it has none.",
    ),
    (
        "r_false_alarm",
        "r_miss",
        "Mean content per unit, in the unit of the run: what a unit's segment lacks, and what does "
        "not belong there.",
    ),
)
"""Pairs of rates drawn against each other, and how to read each chart."""


_SYSTEMS = 20
"""Maximum number of systems whose curves are drawn, the first by name."""


def sweep_page(run: FinishedRun) -> tuple[Figure | None, list[Section]]:
    """Return the first chart or table of a sweep, and its sections with the others.

    There are no sections if a run is not a sweep.
    """
    sections = [*_sections(run)]
    if not sections or not sections[0].figures:
        return None, sections
    first, *rest = sections
    picture, *figures = first.figures
    caption = " ".join(filter(None, (first.text, picture.caption)))
    picture = replace(picture, caption=caption, wide=True)
    rest = [*[replace(first, figures=figures)] * bool(figures), *rest]
    return picture, rest


def sweep_charts(run: FinishedRun) -> list[dict[str, Any] | None]:
    """Return the charts of a sweep, for a paper."""
    return [figure.chart for section in _sections(run) for figure in section.figures]


def _sections(run: FinishedRun) -> Iterator[Section]:
    """Yield the sections of the kind of sweep that a run is; none if it is not a sweep."""
    if run.files("curves"):
        yield from _curve_sections(run)
    if run.files("measured"):
        best = shown_figure(
            measures_table(run.rows("measured")),
            title="Best threshold of each system, by measure",
            folded=False,
        )
        yield Section("measured", "Best thresholds", "", [best])
    if run.files("tolerances"):
        yield _tolerance_section(run)
    if run.files("ranks"):
        yield _rank_section(run)


def _curve_sections(run: FinishedRun) -> Iterator[Section]:
    """Yield the sections on curves and operating points."""
    chosen = run.rows("operating_points")
    rows = run.rows("curves")
    by_system = {
        name: [row for row in rows if row["hypothesis"] == name] for name in _names(chosen)
    }
    left = len(chosen) - len(by_system)
    more = f" The first {_SYSTEMS} systems by name; {left} more are not drawn." if left else ""
    yield Section(
        "curves",
        "Misses against false alarms",
        "Each line is a system at falling thresholds. The large circle is its operating point, "
        f"where the mean segment length is closest to the references'.{more}",
        [_curve(by_system, chosen, *ends) for ends in _ENDS],
    )
    points = shown_figure(points_table(chosen), folded=False, wide=True)
    yield Section("points", "Operating points", "", [points])


def _names(chosen: Sequence[RunRow]) -> list[str]:
    return [row["hypothesis"] for row in chosen][:_SYSTEMS]


def _curve(
    by_system: Mapping[str, Sequence[RunRow]],
    chosen: Sequence[RunRow],
    x: str,
    y: str,
    caption: str,
) -> Figure:
    points = [_point(row, x, y) for row in chosen if row["hypothesis"] in by_system]
    drawn = [
        {**point, "place": place}
        for rows in by_system.values()
        for place, point in enumerate(thinned([_point(row, x, y) for row in rows], points))
    ]
    known = [row for row in drawn if None not in (row["x"], row["y"])]
    if any(len(rows) > POINTS for rows in by_system.values()):
        caption += (
            f" At most {POINTS} thresholds per system, and operating points; the table curves has "
            "all."
        )
    chart = curves(known, points, x, y) if known else None
    return shown_figure(rates_by_threshold(drawn, x, y, caption), chart)


def thinned(curve: Sequence[RunRow], required: Sequence[RunRow]) -> list[RunRow]:
    """Thin a long curve to points at equal steps along it.

    Args:
        curve: points with ``x`` and ``y``, in the order of the thresholds.
        required: points that are always kept.
    """
    if len(curve) <= POINTS:
        return list(curve)
    points = np.array([[row["x"], row["y"]] for row in curve], np.float64)
    if np.isnan(points).all(axis=0).any():
        return list(curve[:POINTS])
    size = np.nanmax(points, axis=0) - np.nanmin(points, axis=0)
    steps = np.nan_to_num(np.abs(np.diff(points, axis=0)) / np.where(size > 0, size, 1)).sum(axis=1)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    chosen = np.searchsorted(along, np.linspace(0, along[-1], POINTS))
    extra = {i for i, row in enumerate(curve) if row in required}
    return [curve[i] for i in sorted({0, len(curve) - 1, *chosen.tolist(), *extra})]


def _point(row: RunRow, x: str, y: str) -> RunRow:
    return {"name": row["hypothesis"], "threshold": row["threshold"], "x": row[x], "y": row[y]}


_TOLERANT = (
    "tolerant_f1",
    "tolerant_precision",
    "tolerant_recall",
    "reach_f1",
    "reach_precision",
    "reach_recall",
    "r_value",
)
"""The measures that are drawn."""


def _tolerance_section(run: FinishedRun) -> Section:
    """Return the section on how measures grow with the tolerance."""
    rows = run.rows("tolerances")
    names = list(dict.fromkeys(row["hypothesis"] for row in rows))
    left = len(names) - _SYSTEMS
    more = f" The first {_SYSTEMS} systems by name; {left} more are not drawn." if left > 0 else ""
    unit = run.record.get("unit") or "unit of the run"
    return Section(
        "tolerances",
        "Precision, recall and F by tolerance",
        "Each line is a system. At a tolerance, boundaries of a system and of a reference may be "
        f"that far apart to count as the same; counts are summed over all pairs.{more}",
        [_by_tolerance(rows, names[:_SYSTEMS], name, unit) for name in _TOLERANT],
    )


def _by_tolerance(rows: Sequence[RunRow], drawn: Sequence[str], measure: str, unit: str) -> Figure:
    points = [
        {"name": row["hypothesis"], "x": row["tolerance"], "y": row[measure]}
        for row in rows
        if row["hypothesis"] in drawn
    ]
    chart = line_chart(points, f"tolerance ({unit})", measure)
    return shown_figure(measure_by_tolerance(rows, measure), chart)


def _rank_section(run: FinishedRun) -> Section:
    """Return the section on the values and ranks of systems at each setting."""
    return Section(
        "ranks",
        "Ranks at other settings",
        "Each column changes one setting of the run; small: the rank. Where Kendall's tau-b is 1, "
        "the order of the systems is the same.",
        [shown_figure(table, folded=False, wide=True) for table in ranks_tables(run.rows("ranks"))],
    )

"""Make the line charts of a report as Vega-Lite JSON: values over nights, thresholds or sizes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from zlib import crc32

from segscore.pipeline.reports.chart_parts import (
    Chart,
    MarkValues,
    any_defined,
    as_data,
    as_json,
    different_values,
    tooltips,
    value_scale,
    with_labels,
)

if TYPE_CHECKING:
    import altair as alt


FEW = 10
"""Maximum number of lines for the smaller set of colours, which are easier to distinguish."""


_COLORS = (
    "#4c78a8", "#f58518", "#e45756", "#2a9d8f", "#54a24b", "#b8860b", "#b279a2", "#d45087",
    "#9d755d", "#6a7fdb",
)  # fmt: skip
"""Colors of lines, visible on white and on black."""


def colors_of(names: Sequence[str]) -> list[str]:
    """Return a color for each name, by the name alone unless that color is taken.

    >>> colors_of(["alpha", "beta"]) == colors_of(["beta", "alpha"])[::-1]
    True
    """
    taken: dict[str, int] = {}
    for name in sorted(names):
        place = crc32(name.encode()) % len(_COLORS)
        free = [(place + step) % len(_COLORS) for step in range(len(_COLORS))]
        taken[name] = next((each for each in free if each not in taken.values()), place)
    return [_COLORS[taken[name]] for name in names]


def line_colours(rows: Sequence[MarkValues], *, legend: bool = True) -> "alt.Color":
    """Colour lines by their name, with a legend for several; a name keeps its color everywhere."""
    import altair as alt

    names = different_values(rows, "name_label")
    several = alt.Legend(title=None, orient="bottom", columns=2, labelLimit=180)
    return alt.Color(
        "name_label:N",
        sort=None,
        scale=alt.Scale(domain=names, range=colors_of(names)),
        legend=several if legend and len(names) > 1 else None,
    )


def line_chart(
    rows: Sequence[MarkValues], across: str, up: str, *, dates: bool = False
) -> Chart | None:
    """Draw one line per name; return None if nothing is defined.

    Args:
        rows: ``name``, ``x`` and ``y``.
        across: title of the x axis.
        up: title of the y axis.
        dates: whether ``x`` is a date, such as 2026-05-01, and not a number.
    """
    import altair as alt

    if not any_defined(rows, "y"):
        return None
    rows = with_labels(rows, "name")
    x = date_axis({str(row["x"]) for row in rows}, across) if dates else alt.X("x:Q", title=across)
    tooltip = [
        alt.Tooltip("name:N", title="name"),
        alt.Tooltip("x:N" if dates else "x:Q", title=across),
        alt.Tooltip("y:Q", title=up, format=".4f"),
    ]
    chart = alt.Chart(as_data(rows)).mark_line(point=alt.OverlayMarkDef(size=30))
    encoded = chart.encode(
        x=x,
        y=alt.Y("y:Q", title=up, scale=value_scale(rows, "y")),
        color=line_colours(rows),
        tooltip=tooltip,
    )
    return as_json(encoded, 280)


def date_axis(days: set[str], title: str) -> "alt.X":
    """Return an axis of dates; a few of them are its ticks, as years, months or days."""
    import altair as alt

    years = {day[:4] for day in days}
    if all(day.endswith("-01-01") for day in days):
        unit = "%Y"
    elif all(day.endswith("-01") for day in days):
        unit = "%Y-%m"
    elif len(years) == 1:
        unit, title = "%m-%d", f"{title}, {years.pop()}"
    else:
        unit = "%Y-%m-%d"
    ticks: Any = sorted(days) if len(days) <= _TICKS else alt.Undefined
    axis = alt.Axis(values=ticks, format=unit, labelOverlap=True, tickCount=_TICKS // 3)
    return alt.X("x:T", title=title, scale=alt.Scale(type="utc"), axis=axis)


_TICKS = 24
"""Maximum number of dates that all have a tick; for more, Vega chooses the ticks."""


def curves(rows: Sequence[MarkValues], points: Sequence[MarkValues], across: str, up: str) -> Chart:
    """Draw one line per system over its thresholds, and its operating point.

    Args:
        rows: ``name``, ``x``, ``y``, ``threshold`` and ``place``, the order along the line.
        points: operating points, one per system, with the same values except ``place``.
        across: title of the x axis.
        up: title of the y axis.
    """
    import altair as alt

    labelled = with_labels([*rows, *points], "name")
    rows, points = labelled[: len(rows)], labelled[len(rows) :]
    colour = line_colours(rows)
    tooltip = tooltips({"name:N": "name", "threshold:Q": "threshold", "x:Q": across, "y:Q": up})
    x, y = alt.X("x:Q", title=across), alt.Y("y:Q", title=up)
    line = (
        alt.Chart(as_data(rows))
        .mark_line(point=alt.OverlayMarkDef(size=12))
        .encode(x=x, y=y, color=colour, order="place:Q", tooltip=tooltip)
    )
    operating = (
        alt.Chart(as_data(points))
        .mark_point(size=130, strokeWidth=3)
        .encode(x=x, y=y, color=colour, tooltip=tooltip)
    )
    return as_json(alt.layer(line, operating), 340)

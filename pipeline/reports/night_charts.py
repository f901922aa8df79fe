"""Draw systems night by night: a line each, named at its end, with the changes that were found."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from segscore.pipeline.reports.chart_parts import (
    MIDDLE,
    Chart,
    MarkValues,
    any_defined,
    as_data,
    as_json,
    domain_of,
    tooltips,
    value_scale,
    with_labels,
)
from segscore.pipeline.reports.line_charts import FEW, date_axis, line_colours

if TYPE_CHECKING:
    import altair as alt

_HEIGHT = 280
_LETTER, _GAP = 7, 16
"""Width of a letter, and what lies between a line and its name, in pixels."""

_SMALLEST_STEP = 0.07
"""Distance of two names at the ends of lines, as a share of the axis."""

_MEAN = "#8a8f98"


def night_chart(
    rows: Sequence[MarkValues],
    changes: Sequence[MarkValues],
    up: str,
    mean: str,
    every: Sequence[MarkValues],
) -> Chart | None:
    """Draw one line per system over nights; return None if nothing is defined.

    Args:
        rows: ``name``, ``x`` (a date) and ``y``.
        changes: what was found, in words: ``text``, ``x`` (its first night), and for a line through
            the nights its ends ``y``, ``x_end`` and ``y_end``, which are None for a step.
        up: title of the y axis.
        mean: the name that is drawn grey and dashed.
        every: values ``y`` of all charts on the page, which share a scale.
    """
    import altair as alt

    if not any_defined(rows, "y"):
        return None
    rows = with_labels(rows, "name")
    ends = [*_line_ends(rows)]
    are_named = len(ends) <= FEW
    x = date_axis({str(row["x"]) for row in rows}, "night")
    if are_named:
        letters = max(len(str(row["name_label"])) for row in rows)
        x = x.scale(type="utc", range=[0, alt.ExprRef(f"width - {letters * _LETTER + _GAP}")])
    domain = domain_of([*rows, *changes, *every], "y", "y_end")
    y = alt.Y("y:Q", title=up, scale=value_scale(rows, "y", domain=domain))
    colour = line_colours([row for row in rows if row["name"] != mean], legend=not are_named)
    tooltip = tooltips({"name:N": "name", "x:N": "night", "y:Q": up})
    base = alt.Chart(as_data([row for row in rows if row["name"] != mean]))
    layers = [
        base.mark_line(point=alt.OverlayMarkDef(size=25)).encode(
            x=x, y=y, color=colour, tooltip=tooltip
        )
    ]
    shared = [row for row in rows if row["name"] == mean]
    if shared:
        dashed = alt.Chart(as_data(shared)).mark_line(color=_MEAN, strokeDash=[5, 4])
        layers.append(dashed.encode(x=x, y=y, tooltip=tooltip))
    if are_named:
        named = alt.Chart(as_data(ends)).mark_text(align="left", dx=8, fontSize=12)
        layers.append(named.encode(x=x, y=alt.Y("y_name:Q", title=up), text="name_label:N"))
    drawn = alt.layer(*layers, *_changes(changes, x, y))
    if changes:
        drawn = drawn.properties(title=_words([str(change["text"]) for change in changes]))
    return as_json(drawn, _HEIGHT)


def _words(lines: list[str]) -> "alt.TitleParams":
    import altair as alt

    return alt.TitleParams(lines, anchor="start", fontSize=12, fontWeight="normal", frame="bounds")


def _line_ends(rows: Sequence[MarkValues]) -> Iterator[MarkValues]:
    """Yield the last night of each name, and where its name has space beside the others."""
    last: dict[str, MarkValues] = {str(row["name"]): row for row in rows if row["y"] is not None}
    defined = [row["y"] for row in rows if row["y"] is not None]
    apart = _SMALLEST_STEP * (max(defined) - min(defined))
    below: float | None = None
    for row in sorted(last.values(), key=lambda row: row["y"]):
        below = row["y"] if below is None else max(row["y"], below + apart)
        yield {**row, "y_name": below}


def _changes(changes: Sequence[MarkValues], x: "alt.X", y: "alt.Y") -> "Iterator[alt.Chart]":
    """Mark the first night after each step, and draw the line of each trend."""
    import altair as alt

    steps = [change for change in changes if change["y"] is None]
    if steps:
        yield alt.Chart(as_data(steps)).mark_rule(color=MIDDLE, strokeDash=[2, 3]).encode(x=x)
    lines = [change for change in changes if change["y"] is not None]
    if lines:
        drawn = alt.Chart(as_data(lines)).mark_rule(color=MIDDLE, strokeWidth=2, opacity=0.6)
        yield drawn.encode(x=x, y=y, x2="x_end:T", y2="y_end:Q")

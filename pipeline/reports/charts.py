"""Make the charts of a report as Vega-Lite JSON, each from the rows of its table."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Literal

from segscore.pipeline.reports.chart_parts import (
    BETTER,
    DATA,
    FLAGGED,
    MIDDLE,
    OPEN,
    Chart,
    MarkValues,
    any_defined,
    as_data,
    as_json,
    different_values,
    domain_of,
    height_of,
    name_axis,
    tooltips,
    value_scale,
    with_labels,
)

if TYPE_CHECKING:
    import altair as alt

_Side = Literal["left", "right"]


def intervals(
    rows: Sequence[MarkValues],
    axis: str,
    kinds: Sequence[str] = (),
    *,
    legend: bool = True,
    domain: tuple[float, float] | None = None,
    flagged: Collection[str] = (),
    joined: bool = False,
) -> Chart | None:
    """Draw one point with its interval per row; return None if nothing is defined.

    Args:
        rows: ``name``, ``value``, ``low``, ``high`` and ``kind``, from top to bottom.
        axis: title of the axis of values.
        kinds: all kinds, each with a shape of its own, in the order of the legend.
        legend: whether a legend tells several kinds apart.
        domain: the ends of the axis of values, if all values are between them.
        flagged: names of the rows to look at, which have a color.
        joined: whether a line joins the points, as in a learning curve.
    """
    import altair as alt

    if not any_defined(rows, "value"):
        return None
    rows = [{**row, "flagged": row["name"] in flagged} for row in with_labels(rows, "name")]
    rows = [{**row, "place": place} for place, row in enumerate(rows)]
    base = alt.Chart(as_data(rows)).encode(
        y=name_axis(different_values(rows, "name_label")),
        tooltip=tooltips({"name:N": "name", "value:Q": axis, "low:Q": "95 % from", "high:Q": "to"}),
    )
    scale = value_scale(rows, "value", "low", "high", domain=domain)
    color = alt.condition("datum.flagged == true", alt.value(FLAGGED), alt.value(DATA))
    span = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title=axis, scale=scale), x2="high:Q", color=color
    )
    x = alt.X("value:Q", title=axis, scale=scale)
    point = base.mark_point(filled=True, size=70, opacity=1).encode(
        color=color,
        x=x,
        shape=alt.Shape(
            "kind:N",
            scale=_kind_scale(kinds),
            legend=_legend(rows, "kind") if legend else None,
        ),
    )
    layers = [span, point] if any_defined(rows, "low", "high") else [point]
    if joined:
        layers.insert(0, base.mark_line(color=DATA, opacity=0.5).encode(x=x, order="place:Q"))
    return as_json(alt.layer(*layers), height_of(rows, "name"))


_SHAPES = ["circle", "diamond"]


def differences(
    rows: Sequence[MarkValues], axis: str, every: Sequence[MarkValues] = ()
) -> Chart | None:
    """Draw one difference with its interval per row, filled if it is significant, and its p.

    Args:
        rows: ``name``, ``value``, ``low``, ``high``, ``p`` (a text) and ``sure``, from the top.
        axis: title of the axis of values, which shows 0.
        every: rows of all charts that share the scale.
    """
    import altair as alt

    if not any_defined(rows, "value"):
        return None
    rows = with_labels(rows, "name")
    names = different_values(rows, "name_label")
    domain = domain_of([*rows, *every, {"value": 0.0}], "value", "low", "high")
    scale = value_scale(rows, "value", "low", "high", zero=True, domain=domain)
    data = alt.Chart(as_data(rows))
    base = data.encode(
        y=name_axis(names),
        tooltip=tooltips({"name:N": "name", "value:Q": axis, "low:Q": "from", "high:Q": "to"}),
    )
    is_sure = "datum.sure == true"
    color = alt.condition(is_sure, alt.value(BETTER), alt.value(DATA))
    value = alt.X("value:Q", title=axis, scale=scale)
    line = alt.Chart(as_data([{"zero": 0.0}])).mark_rule(color=MIDDLE)
    span = base.mark_rule(strokeWidth=3).encode(
        x=alt.X("low:Q", title=axis, scale=scale), x2="high:Q", color=color
    )
    point = base.mark_point(filled=True, size=90, opacity=1, strokeWidth=2).encode(
        x=value,
        stroke=color,
        fill=alt.condition(is_sure, alt.value(BETTER), alt.value(OPEN)),
    )
    p_values = data.mark_text(align="left", dx=6, fontSize=12).encode(
        y=name_axis(names), x=alt.value("width"), text="p:N"
    )
    layers = [
        line.encode(x=alt.X("zero:Q", title=axis, scale=scale)),
        *[span] * any_defined(rows, "low", "high"),
        point,
        p_values,
    ]
    return as_json(alt.layer(*layers), height_of(rows, "name"))


def _kind_scale(kinds: Sequence[str]) -> "alt.Scale":
    """Return the shapes of kinds; those of Altair if no kinds are named."""
    import altair as alt

    shapes = _SHAPES[: len(kinds)]
    return alt.Scale(domain=list(kinds), range=shapes) if kinds else alt.Scale()


def _legend(rows: Sequence[MarkValues], name: str) -> "alt.Legend | None":
    """Return a legend below the chart, or None if it would have one entry."""
    import altair as alt

    several = len(different_values(rows, name)) > 1
    return alt.Legend(title=None, orient="bottom", symbolFillColor=DATA) if several else None


def scatter(rows: Sequence[MarkValues], across: str, up: str) -> Chart | None:
    """Draw one point per system by two values, each with its interval; return None without points.

    Args:
        rows: ``name``, ``label``, ``x``, ``y``, ``x_low``, ``x_high``, ``y_low``, ``y_high``.
        across: title of the x axis.
        up: title of the y axis.
    """
    import altair as alt

    if not rows:
        return None
    edge = 0.7 * max(row["x"] for row in rows)
    ends = {axis: alt.Scale(zero=True, nice=True) for axis in "xy"}
    base = alt.Chart(as_data(rows)).encode(
        x=alt.X("x:Q", title=across, scale=ends["x"]),
        y=alt.Y("y:Q", title=up, scale=ends["y"]),
        tooltip=tooltips({"name:N": "name", "x:Q": across, "y:Q": up}),
    )
    layers = [base.mark_point(filled=True, size=70, color=DATA, opacity=1)]
    if any(row["x"] <= edge for row in rows):
        layers.append(_labels(base, f"datum.x <= {edge}", "left", 7))
    if any(row["x"] > edge for row in rows):
        layers.append(_labels(base, f"datum.x > {edge}", "right", -7))
    span = base.mark_rule(color=DATA, opacity=0.5)
    if any_defined(rows, "x_low", "x_high"):
        layers.append(span.encode(x=alt.X("x_low:Q", title=across), x2="x_high:Q"))
    if any_defined(rows, "y_low", "y_high"):
        layers.append(span.encode(y=alt.Y("y_low:Q", title=up), y2="y_high:Q"))
    return as_json(alt.layer(*layers), 320)


def _labels(base: "alt.Chart", where: str, align: _Side, dx: int) -> "alt.Chart":
    """Write labels beside points, on the side with enough space."""
    chart = base.transform_filter(where).mark_text(align=align, dx=dx, dy=-7, limit=190)
    return chart.encode(text="label:N")


def boxes(rows: Sequence[MarkValues], outliers: Sequence[MarkValues], axis: str) -> Chart | None:
    """Draw one box plot per row, with its outliers; return None without rows.

    Args:
        rows: ``name``, ``low``, ``q1``, ``median``, ``q3``, ``high``, from top to bottom.
        outliers: ``name``, ``value`` and ``document``.
        axis: title of the axis of values.
    """
    import altair as alt

    if not rows:
        return None
    labelled = with_labels([*rows, *outliers], "name")
    rows, outliers = labelled[: len(rows)], labelled[len(rows) :]
    y, scale = (
        name_axis(different_values(rows, "name_label")),
        value_scale([*rows, *outliers], "low", "high", "value"),
    )

    def x(name: str) -> "alt.X":
        return alt.X(f"{name}:Q", title=axis, scale=scale)

    titles = {"name:N": "name", "low:Q": "lower whisker", "q1:Q": "lower quartile"}
    titles |= {"median:Q": "median", "q3:Q": "upper quartile", "high:Q": "upper whisker"}
    base = alt.Chart(as_data(rows)).encode(y=y, tooltip=tooltips(titles))
    layers = [
        base.mark_rule(color=DATA).encode(x=x("low"), x2="high:Q"),
        base.mark_bar(size=12, color=DATA, opacity=0.6).encode(x=x("q1"), x2="q3:Q"),
        base.mark_tick(thickness=3, size=14, color=MIDDLE).encode(x=x("median")),
    ]
    if outliers:
        points = alt.Chart(as_data(outliers)).mark_point(color=DATA, size=25)
        tooltip = tooltips({"document:N": "document", "name:N": "name", "value:Q": axis})
        layers.append(points.encode(y=y, x=x("value"), tooltip=tooltip))
    return as_json(alt.layer(*layers), height_of(rows, "name"))


def columns(rows: Sequence[MarkValues], across: str, up: str, most: int) -> Chart:
    """Draw one bar per class.

    Args:
        rows: ``name`` and ``value``, from left to right.
        across: title of the axis of classes.
        up: title of the axis of values.
        most: the largest value on all charts beside each other, which share a scale.
    """
    import altair as alt

    chart = (
        alt.Chart(as_data(rows))
        .mark_bar(color=DATA)
        .encode(
            x=alt.X(
                "name:N",
                sort=None,
                title=across,
                axis=alt.Axis(labelAngle=0, labelOverlap=True),
            ),
            y=alt.Y("value:Q", title=up, scale=alt.Scale(domain=[0, max(1, most)], nice=True)),
            tooltip=[
                alt.Tooltip("name:N", title=across),
                alt.Tooltip("value:Q", title=up),
            ],
        )
    )
    return as_json(chart, 240)

"""The kinds of charts a report has, as Vega-Lite's JSON; each takes the rows of its table.

Names stand in the data alone, never in a field or an expression, so that any text is safe.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

Row = Mapping[str, Any]
Chart = dict[str, Any]

BLUE, ORANGE, RED = "#3b82c4", "#c77a14", "#d6336c"
"""Told apart by who is colour blind, and seen on white as on black."""

STEP = 24
"""Height of a row."""

FIELDS = 6
"""Significant digits that a chart is given."""


def _data(rows: Sequence[Row]) -> "alt.Data":
    import altair as alt

    return alt.Data(  # type: ignore[no-untyped-call]
        values=[{name: _short(value) for name, value in row.items()} for row in rows]
    )


def _short(value: object) -> object:
    return float(f"{value:.{FIELDS}g}") if isinstance(value, float) else value


def _finished(chart: Any, height: int) -> Chart:
    """As wide as the page lets it be."""
    made: Chart = chart.properties(width="container", height=height).to_dict()
    # What altair adds for its own viewers: their version, and a look that the page has its own of.
    return {name: value for name, value in made.items() if name not in ("$schema", "config")}


def _tall(rows: Sequence[Row], name: str) -> int:
    """Height of a chart with a row a name."""
    return STEP * max(1, len(_named(rows, name)))


def _known(rows: Sequence[Row], *names: str) -> bool:
    """Whether some row has these values; what has none would be drawn on an endless axis."""
    return any(all(row[name] is not None for name in names) for row in rows)


def _named(rows: Sequence[Row], name: str) -> list[str]:
    return list(dict.fromkeys(str(row[name]) for row in rows))


def intervals(rows: Sequence[Row], axis: str) -> Chart | None:
    """A point and its interval a row; None where nothing is defined.

    Args:
        rows: ``name``, ``value``, ``low``, ``high`` and ``kind``, from above.
        axis: what the values are.
    """
    import altair as alt

    if not _known(rows, "value"):
        return None

    base = alt.Chart(_data(rows)).encode(
        y=alt.Y("name:N", sort=_named(rows, "name"), title=None),
        tooltip=[
            alt.Tooltip("name:N", title="name"),
            *(
                alt.Tooltip(f"{each}:Q", title=title, format=".4f")
                for each, title in (("value", axis), ("low", "95 % from"), ("high", "to"))
            ),
        ],
    )
    scale = alt.Scale(zero=False, nice=True)
    span = base.mark_rule(strokeWidth=2, color=BLUE).encode(
        x=alt.X("low:Q", title=axis, scale=scale), x2="high:Q"
    )
    at = base.mark_point(filled=True, size=70, color=BLUE, opacity=1).encode(
        x=alt.X("value:Q", title=axis, scale=scale),
        shape=alt.Shape("kind:N", legend=_legend(rows, "kind")),
    )
    layers = [span, at] if _known(rows, "low", "high") else [at]
    return _finished(alt.layer(*layers), _tall(rows, "name"))


def _legend(rows: Sequence[Row], name: str) -> "alt.Legend | None":
    """A legend below the chart, if there is more than one thing to tell."""
    import altair as alt

    several = len(_named(rows, name)) > 1
    return alt.Legend(title=None, orient="bottom", symbolFillColor=BLUE) if several else None


def scatter(rows: Sequence[Row], across: str, up: str) -> Chart | None:
    """A point a system in two values, each with its interval; None without a point.

    Args:
        rows: ``name``, ``label``, ``x``, ``y``, ``x_low``, ``x_high``, ``y_low``, ``y_high``.
        across: what x is.
        up: what y is.
    """
    import altair as alt

    if not rows:
        return None
    ends = {axis: alt.Scale(zero=True, nice=True) for axis in "xy"}
    base = alt.Chart(_data(rows)).encode(
        x=alt.X("x:Q", title=across, scale=ends["x"]),
        y=alt.Y("y:Q", title=up, scale=ends["y"]),
        tooltip=[
            alt.Tooltip("name:N", title="name"),
            alt.Tooltip("x:Q", title=across, format=".4f"),
            alt.Tooltip("y:Q", title=up, format=".4f"),
        ],
    )
    layers = [
        base.mark_point(filled=True, size=70, color=BLUE, opacity=1),
        base.mark_text(align="left", dx=7, dy=-7, limit=120).encode(text="label:N"),
    ]
    span = base.mark_rule(color=BLUE, opacity=0.5)
    if _known(rows, "x_low", "x_high"):
        layers.append(span.encode(x=alt.X("x_low:Q", title=across), x2="x_high:Q"))
    if _known(rows, "y_low", "y_high"):
        layers.append(span.encode(y=alt.Y("y_low:Q", title=up), y2="y_high:Q"))
    return _finished(alt.layer(*layers), 320)


def boxes(rows: Sequence[Row], outliers: Sequence[Row], axis: str) -> Chart:
    """Quartiles and whiskers a row, and what lies beyond them one by one.

    Args:
        rows: ``name``, ``low``, ``q1``, ``median``, ``q3``, ``high``, from above.
        outliers: ``name``, ``value`` and ``document``.
        axis: what the values are.
    """
    import altair as alt

    y = alt.Y("name:N", sort=_named(rows, "name"), title=None)
    scale = alt.Scale(zero=False, nice=True)
    base = alt.Chart(_data(rows)).encode(
        y=y,
        tooltip=[
            alt.Tooltip("name:N", title="name"),
            *(
                alt.Tooltip(f"{each}:Q", title=title, format=".4f")
                for each, title in (
                    ("low", "lower whisker"),
                    ("q1", "lower quartile"),
                    ("median", "median"),
                    ("q3", "upper quartile"),
                    ("high", "upper whisker"),
                )
            ),
        ],
    )
    x = alt.X("low:Q", title=axis, scale=scale)
    far = alt.Chart(_data(outliers)).encode(
        y=y,
        x=alt.X("value:Q", title=axis, scale=scale),
        tooltip=[
            alt.Tooltip("document:N", title="document"),
            alt.Tooltip("name:N", title="name"),
            alt.Tooltip("value:Q", title=axis, format=".4f"),
        ],
    )
    layers = [
        base.mark_rule(color=BLUE).encode(x=x, x2="high:Q"),
        base.mark_bar(size=12, color=BLUE, opacity=0.6).encode(
            x=alt.X("q1:Q", title=axis, scale=scale), x2="q3:Q"
        ),
        base.mark_tick(thickness=3, size=14, color=ORANGE).encode(
            x=alt.X("median:Q", title=axis, scale=scale)
        ),
    ]
    if outliers:
        layers.append(far.mark_point(color=RED, size=25))
    return _finished(alt.layer(*layers), _tall(rows, "name"))


def heat(rows: Sequence[Row], value: str, *, signed: bool = False, format: str = ".3f") -> Chart:  # noqa: A002
    """A cell a pair of names, coloured by value and told in it where there is room.

    Args:
        rows: ``row``, ``column``, ``value``, ``says`` (what the cell holds) and ``mark`` (what it
            holds where there is no room).
        value: what the values are.
        signed: whether they lie on both sides of 0.
        format: of the value in a tooltip.
    """
    import altair as alt

    names, columns = _named(rows, "row"), _named(rows, "column")
    columns.sort(key=lambda name: names.index(name) if name in names else len(names))
    most = max((abs(row["value"]) for row in rows if row["value"] is not None), default=0) or 1.0
    scale = (
        alt.Scale(domain=[-most, 0, most], range=["#b8325e", "#f4f4f4", "#22689f"])
        if signed
        else alt.Scale(domain=[0, most], range=["#f4f4f4", "#22689f"])
    )
    base = alt.Chart(_data(rows)).encode(
        y=alt.Y("row:N", sort=names, title=None),
        x=alt.X("column:N", sort=columns, title=None, axis=alt.Axis(labelAngle=-45, labelLimit=90)),
        tooltip=[
            alt.Tooltip("row:N", title=" "),
            alt.Tooltip("column:N", title="  "),
            alt.Tooltip("value:Q", title=value, format=format),
            alt.Tooltip("says:N", title="   "),
        ],
    )
    cells = base.mark_rect(stroke="#808080", strokeWidth=0.5).encode(
        color=alt.Color("value:Q", title=value, scale=scale, legend=alt.Legend(orient="bottom"))
    )
    dark = f"abs(datum.value) > {0.6 * most}"
    text = base.mark_text(fontSize=11).encode(
        text="says:N" if len(columns) <= ROOM else "mark:N",
        color=alt.condition(dark, alt.value("#ffffff"), alt.value("#101010")),
    )
    return _finished(alt.layer(cells, text), _tall(rows, "row"))


ROOM = 10
"""Columns of a matrix that find room for text in their cells."""


def curves(rows: Sequence[Row], points: Sequence[Row], across: str, up: str) -> Chart:
    """A line a system through its thresholds, and the point at which it would be run.

    Args:
        rows: ``name``, ``x``, ``y`` and ``threshold``, in the order of the line.
        points: the same, one a system.
        across: what x is.
        up: what y is.
    """
    import altair as alt

    names = _named(rows, "name")
    colour = alt.Color(
        "name:N", sort=names, scale=alt.Scale(scheme="tableau10"), legend=_legend(rows, "name")
    )
    tooltip = [
        alt.Tooltip("name:N", title="name"),
        alt.Tooltip("threshold:Q", title="threshold", format=".4f"),
        alt.Tooltip("x:Q", title=across, format=".4f"),
        alt.Tooltip("y:Q", title=up, format=".4f"),
    ]
    x, y = alt.X("x:Q", title=across), alt.Y("y:Q", title=up)
    line = (
        alt.Chart(_data(rows))
        .mark_line(point=alt.OverlayMarkDef(size=12))
        .encode(x=x, y=y, color=colour, order="place:Q", tooltip=tooltip)
    )
    at = (
        alt.Chart(_data(points))
        .mark_point(size=130, strokeWidth=3)
        .encode(x=x, y=y, color=colour, tooltip=tooltip)
    )
    return _finished(alt.layer(line, at), 340)


def band(rows: Sequence[Row], low: float, mean: float, high: float, axis: str) -> Chart:
    """A point a coder before the band in which most lie.

    Args:
        rows: ``name``, ``value`` and ``flagged``, from above.
        low: where the band begins.
        mean: the middle of it.
        high: where it ends.
        axis: what the values are.
    """
    import altair as alt

    group = alt.Chart(_data([{"low": low, "mean": mean, "high": high}]))
    points = alt.Chart(_data(rows)).encode(
        y=alt.Y("name:N", sort=_named(rows, "name"), title=None),
        x=alt.X("value:Q", title=axis),
        color=alt.condition("datum.flagged == true", alt.value(RED), alt.value(BLUE)),
        shape=alt.condition("datum.flagged == true", alt.value("triangle-up"), alt.value("circle")),
        tooltip=[
            alt.Tooltip("name:N", title="coder"),
            alt.Tooltip("value:Q", title=axis, format=".4f"),
        ],
    )
    return _finished(
        alt.layer(
            group.mark_rect(opacity=0.15, color=BLUE).encode(
                x=alt.X("low:Q", title=axis), x2="high:Q"
            ),
            group.mark_rule(color=ORANGE, strokeDash=[4, 4]).encode(x=alt.X("mean:Q", title=axis)),
            points.mark_point(filled=True, size=80, opacity=1),
        ),
        _tall(rows, "name"),
    )


def columns(rows: Sequence[Row], across: str, up: str) -> Chart:
    """A bar a class.

    Args:
        rows: ``name`` and ``value``, from the left.
        across: what the classes are.
        up: what the values are.
    """
    import altair as alt

    chart = (
        alt.Chart(_data(rows))
        .mark_bar(color=BLUE)
        .encode(
            x=alt.X(
                "name:N",
                sort=_named(rows, "name"),
                title=across,
                axis=alt.Axis(labelAngle=0, labelOverlap=True),
            ),
            y=alt.Y("value:Q", title=up),
            tooltip=[
                alt.Tooltip("name:N", title=across),
                alt.Tooltip("value:Q", title=up),
            ],
        )
    )
    return _finished(chart, 240)

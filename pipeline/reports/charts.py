"""The kinds of charts a report has, as Vega-Lite's JSON; each takes the rows of its table.

Names stand in the data alone, never in a field or an expression, so that any text is safe.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import altair as alt

DrawnChart = Mapping[str, Any]
"""What one mark is drawn from."""

Chart = dict[str, Any]
_Side = Literal["left", "right"]

BLUE, ORANGE, RED = "#3b82c4", "#c77a14", "#d6336c"
"""Told apart by who is colour blind, and seen on white as on black."""

_STEP = 24
"""Height of a row."""

_FIELDS = 6
"""Significant digits that a chart is given."""


def _data(rows: Sequence[DrawnChart]) -> "alt.Data":
    import altair as alt

    return alt.Data(  # type: ignore[no-untyped-call]
        values=[{name: _short(value) for name, value in row.items()} for row in rows]
    )


def _short(value: object) -> object:
    if isinstance(value, str):
        return _text(value)
    return float(f"{value:.{_FIELDS}g}") if isinstance(value, float) else value


def _text(name: str) -> str:
    """A name as a chart can hold it: Vega keeps names as fields, of which JavaScript has one."""
    return f"{name}\N{ZERO WIDTH SPACE}" if name == "__proto__" else name


def _finished(chart: Any, height: int) -> Chart:
    """As wide as the page lets it be."""
    made: Chart = chart.properties(width="container", height=height).to_dict()
    # What altair adds for its own viewers: their version, and a look that the page has its own of.
    return {name: value for name, value in made.items() if name not in ("$schema", "config")}


def _tall(rows: Sequence[DrawnChart], name: str) -> int:
    """Height of a chart with a row a name."""
    return _STEP * max(1, len(_named(rows, name)))


def _known(rows: Sequence[DrawnChart], *names: str) -> bool:
    """Whether some row has these values; what has none would be drawn on an endless axis."""
    return any(all(row[name] is not None for name in names) for row in rows)


def _named(rows: Sequence[DrawnChart], name: str) -> list[str]:
    return list(dict.fromkeys(_text(str(row[name])) for row in rows))


def _names(names: Sequence[str], field: str = "name") -> Any:
    """Names in their order, from above or from the left; of a long one both ends."""
    import altair as alt

    # The domain, not a sort: that would make an expression of the names.
    settings: Any = {"sort": None, "title": None, "scale": alt.Scale(domain=list(names))}
    if field == "column":
        axis = alt.Axis(labelExpr=_ENDS, labelAngle=-45, labelLimit=130)
        return alt.X(f"{field}:N", axis=axis, **settings)
    return alt.Y(f"{field}:N", axis=alt.Axis(labelExpr=_ENDS), **settings)


_ENDS = (
    "length(datum.label) > 25 "
    "? slice(datum.label, 0, 12) + '…' + slice(datum.label, -12) : datum.label"
)
"""What an axis tells of a name: names often differ at one of their ends."""


def _wide(rows: Sequence[DrawnChart], *names: str) -> "alt.Scale":
    """A scale that holds the values of some fields, and has a width where all are the same."""
    import altair as alt

    values = [row[name] for row in rows for name in names if row.get(name) is not None]
    low, high = min(values), max(values)
    if high - low > NARROW * max(abs(low), abs(high)):
        return alt.Scale(zero=False, nice=True)
    aside = abs(low) / 2 or 0.5
    return alt.Scale(domain=[low - aside if low else 0, high + aside], nice=False)


NARROW = 1e-9
"""Share of the values below which they are taken for the same."""


def intervals(rows: Sequence[DrawnChart], axis: str) -> Chart | None:
    """A point and its interval a row; None where nothing is defined.

    Args:
        rows: ``name``, ``value``, ``low``, ``high`` and ``kind``, from above.
        axis: what the values are.
    """
    import altair as alt

    if not _known(rows, "value"):
        return None

    base = alt.Chart(_data(rows)).encode(
        y=_names(_named(rows, "name")),
        tooltip=[
            alt.Tooltip("name:N", title="name"),
            *(
                alt.Tooltip(f"{each}:Q", title=title, format=".4f")
                for each, title in (("value", axis), ("low", "95 % from"), ("high", "to"))
            ),
        ],
    )
    scale = _wide(rows, "value", "low", "high")
    span = base.mark_rule(strokeWidth=2, color=BLUE).encode(
        x=alt.X("low:Q", title=axis, scale=scale), x2="high:Q"
    )
    at = base.mark_point(filled=True, size=70, color=BLUE, opacity=1).encode(
        x=alt.X("value:Q", title=axis, scale=scale),
        shape=alt.Shape("kind:N", legend=_legend(rows, "kind")),
    )
    layers = [span, at] if _known(rows, "low", "high") else [at]
    return _finished(alt.layer(*layers), _tall(rows, "name"))


def _legend(rows: Sequence[DrawnChart], name: str) -> "alt.Legend | None":
    """A legend below the chart, if there is more than one thing to tell."""
    import altair as alt

    several = len(_named(rows, name)) > 1
    return alt.Legend(title=None, orient="bottom", symbolFillColor=BLUE) if several else None


def scatter(rows: Sequence[DrawnChart], across: str, up: str) -> Chart | None:
    """A point a system in two values, each with its interval; None without a point.

    Args:
        rows: ``name``, ``label``, ``x``, ``y``, ``x_low``, ``x_high``, ``y_low``, ``y_high``.
        across: what x is.
        up: what y is.
    """
    import altair as alt

    if not rows:
        return None
    edge = 0.7 * max(row["x"] for row in rows)
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
    layers = [base.mark_point(filled=True, size=70, color=BLUE, opacity=1)]
    if any(row["x"] <= edge for row in rows):
        layers.append(_labels(base, f"datum.x <= {edge}", "left", 7))
    if any(row["x"] > edge for row in rows):
        layers.append(_labels(base, f"datum.x > {edge}", "right", -7))
    span = base.mark_rule(color=BLUE, opacity=0.5)
    if _known(rows, "x_low", "x_high"):
        layers.append(span.encode(x=alt.X("x_low:Q", title=across), x2="x_high:Q"))
    if _known(rows, "y_low", "y_high"):
        layers.append(span.encode(y=alt.Y("y_low:Q", title=up), y2="y_high:Q"))
    return _finished(alt.layer(*layers), 320)


def _labels(base: "alt.Chart", where: str, align: _Side, dx: int) -> "alt.Chart":
    """Names beside points, on the side that has room."""
    chart = base.transform_filter(where).mark_text(align=align, dx=dx, dy=-7, limit=130)
    return chart.encode(text="label:N")


def boxes(rows: Sequence[DrawnChart], outliers: Sequence[DrawnChart], axis: str) -> Chart | None:
    """Quartiles and whiskers a row, and what lies beyond them one by one; None without a row.

    Args:
        rows: ``name``, ``low``, ``q1``, ``median``, ``q3``, ``high``, from above.
        outliers: ``name``, ``value`` and ``document``.
        axis: what the values are.
    """
    import altair as alt

    if not rows:
        return None
    y, scale = _names(_named(rows, "name")), _wide([*rows, *outliers], "low", "high", "value")

    def x(name: str) -> "alt.X":
        return alt.X(f"{name}:Q", title=axis, scale=scale)

    told = {"low": "lower whisker", "q1": "lower quartile", "median": "median"}
    told |= {"q3": "upper quartile", "high": "upper whisker"}
    base = alt.Chart(_data(rows)).encode(
        y=y,
        tooltip=[
            alt.Tooltip("name:N", title="name"),
            *(alt.Tooltip(f"{name}:Q", title=told[name], format=".4f") for name in told),
        ],
    )
    layers = [
        base.mark_rule(color=BLUE).encode(x=x("low"), x2="high:Q"),
        base.mark_bar(size=12, color=BLUE, opacity=0.6).encode(x=x("q1"), x2="q3:Q"),
        base.mark_tick(thickness=3, size=14, color=ORANGE).encode(x=x("median")),
    ]
    if outliers:
        far = alt.Chart(_data(outliers)).mark_point(color=RED, size=25)
        tooltip = [
            alt.Tooltip("document:N", title="document"),
            alt.Tooltip("name:N", title="name"),
            alt.Tooltip("value:Q", title=axis, format=".4f"),
        ]
        layers.append(far.encode(y=y, x=x("value"), tooltip=tooltip))
    return _finished(alt.layer(*layers), _tall(rows, "name"))


def heat(rows: Sequence[DrawnChart], value: str, *, signed: bool = False) -> Chart:
    """A cell a pair of names, coloured by value and told in it where there is room.

    Args:
        rows: ``row``, ``column``, ``value``, ``says`` (what the cell holds) and ``mark`` (what it
            holds where there is no room).
        value: what the values are.
        signed: whether they lie on both sides of 0.
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
        y=_names(names, "row"),
        x=_names(columns, "column"),
        tooltip=[
            alt.Tooltip("row:N", title=" "),
            alt.Tooltip("column:N", title="  "),
            alt.Tooltip("value:Q", title=value, format=".4f"),
            alt.Tooltip("says:N", title="   "),
        ],
    )
    cells = base.mark_rect(stroke="#808080", strokeWidth=0.5).encode(
        color=alt.Color("value:Q", title=value, scale=scale, legend=alt.Legend(orient="bottom"))
    )
    dark = f"abs(datum.value) > {DARK * most}"
    text = base.mark_text(fontSize=11).encode(
        text="says:N" if len(columns) <= _ROOM else "mark:N",
        color=alt.condition(dark, alt.value("#ffffff"), alt.value("#101010")),
    )
    return _finished(alt.layer(cells, text), _tall(rows, "row"))


DARK = 0.85
"""Share of the scale from which on light text is the easier to read."""

_ROOM = 10
"""Columns of a matrix that find room for text in their cells."""


FEW = 10
"""Lines that a smaller set of colours tells apart better."""


def curves(rows: Sequence[DrawnChart], points: Sequence[DrawnChart], across: str, up: str) -> Chart:
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
        "name:N",
        sort=None,
        scale=alt.Scale(domain=names, scheme="tableau20" if len(names) > FEW else "tableau10"),
        legend=alt.Legend(title=None, orient="bottom", columns=2, labelLimit=140)
        if len(names) > 1
        else None,
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


def band(rows: Sequence[DrawnChart], low: float, mean: float, high: float, axis: str) -> Chart:
    """A point a coder before the band in which most lie.

    Args:
        rows: ``name``, ``value`` and ``flagged``, from above.
        low: where the band begins.
        mean: the middle of it.
        high: where it ends.
        axis: what the values are.
    """
    import altair as alt

    span = {"low": low, "mean": mean, "high": high}
    scale = _wide([span, *rows], "low", "high", "value")
    group = alt.Chart(_data([span]))
    points = alt.Chart(_data(rows)).encode(
        y=_names(_named(rows, "name")),
        x=alt.X("value:Q", title=axis, scale=scale),
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
                x=alt.X("low:Q", title=axis, scale=scale), x2="high:Q"
            ),
            group.mark_rule(color=ORANGE, strokeDash=[4, 4]).encode(
                x=alt.X("mean:Q", title=axis, scale=scale)
            ),
            points.mark_point(filled=True, size=80, opacity=1),
        ),
        _tall(rows, "name"),
    )


def columns(rows: Sequence[DrawnChart], across: str, up: str) -> Chart:
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
                sort=None,
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

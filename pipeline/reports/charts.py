"""Make the charts of a report as Vega-Lite JSON, each from the rows of its table.

Names occur only in the data, never in a field or an expression, so that any text is safe.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from segscore.pipeline.reports.labels import short_labels

if TYPE_CHECKING:
    import altair as alt

MarkValues = Mapping[str, Any]
"""The values that one mark is drawn from."""

Chart = dict[str, Any]
_Side = Literal["left", "right"]

DATA, MIDDLE, FLAGGED = "#64748b", "currentColor", "#d6336c"
"""Colours of what was measured, of its middle, and of what is to be looked at, visible on white and
on black.  Blue is only for values that are better, in matrices."""

_STEP = 24
"""Height of a row."""

_FIELDS = 6
"""Significant digits of the numbers in a chart."""


LETTERS = 25
"""Letters of a name that fit on an axis."""


def _data(rows: Sequence[MarkValues]) -> "alt.Data":
    import altair as alt

    return alt.Data(  # type: ignore[no-untyped-call]
        values=[{name: _rounded(value) for name, value in row.items()} for row in rows]
    )


def _labelled(rows: Sequence[MarkValues], *fields: str) -> list[MarkValues]:
    """Add a short label to each row for each of some fields that are names."""
    labels = short_labels((str(row[field]) for row in rows for field in fields), LETTERS)
    return [
        {**row, **{f"{field}_label": labels[str(row[field])] for field in fields}} for row in rows
    ]


def _rounded(value: object) -> object:
    if isinstance(value, str):
        return _text(value)
    return float(f"{value:.{_FIELDS}g}") if isinstance(value, float) else value


def _text(name: str) -> str:
    """Make a name safe for Vega, which uses it as a field of a JavaScript object."""
    return f"{name}\N{ZERO WIDTH SPACE}" if name == "__proto__" else name


def _as_json(chart: Any, height: int) -> Chart:
    """Return a chart as JSON, as wide as the page allows."""
    encoded: Chart = chart.properties(width="container", height=height).to_dict()
    # Drop what altair adds for its own viewers: their version, and a theme; the page has its own.
    return {name: value for name, value in encoded.items() if name not in ("$schema", "config")}


def _height(rows: Sequence[MarkValues], name: str) -> int:
    """Return the height of a chart with one row per name."""
    return _STEP * max(1, len(_distinct(rows, name)))


def _tooltip(titles: Mapping[str, str]) -> "list[alt.Tooltip]":
    """Return what is shown of a mark, given the title of each field; numbers have four decimals."""
    import altair as alt

    return [
        alt.Tooltip(field, title=title, format=".4f" if field.endswith(":Q") else alt.Undefined)
        for field, title in titles.items()
    ]


def _any_defined(rows: Sequence[MarkValues], *names: str) -> bool:
    """Check whether some row has all these values; without one, Vega draws an endless axis."""
    return any(all(row[name] is not None for name in names) for row in rows)


def _distinct(rows: Sequence[MarkValues], name: str) -> list[str]:
    return list(dict.fromkeys(_text(str(row[name])) for row in rows))


def _name_axis(labels: Sequence[str], field: str = "name_label") -> Any:
    """Make an axis of labels in their order, from the top or left."""
    import altair as alt

    # Set the domain rather than a sort, which would put the names into an expression.
    settings: Any = {"sort": None, "title": None, "scale": alt.Scale(domain=list(labels))}
    if field == "column_label":
        return alt.X(f"{field}:N", axis=alt.Axis(labelAngle=-45, labelLimit=130), **settings)
    return alt.Y(f"{field}:N", **settings)


def _value_scale(rows: Sequence[MarkValues], *names: str) -> "alt.Scale":
    """Return a scale for the values of some fields; it has a width even if all are equal."""
    import altair as alt

    values = [row[name] for row in rows for name in names if row.get(name) is not None]
    low, high = min(values), max(values)
    if high - low > NARROW * max(abs(low), abs(high)):
        return alt.Scale(zero=False, nice=True)
    margin = abs(low) / 2 or 0.5
    return alt.Scale(domain=[low - margin if low else 0, high + margin], nice=False)


NARROW = 1e-9
"""Range of the values, as a share of the largest, up to which they count as equal."""


def intervals(
    rows: Sequence[MarkValues], axis: str, kinds: Sequence[str] = (), *, legend: bool = True
) -> Chart | None:
    """Draw one point with its interval per row; return None if nothing is defined.

    Args:
        rows: ``name``, ``value``, ``low``, ``high`` and ``kind``, from top to bottom.
        axis: title of the axis of values.
        kinds: all kinds, each with a shape of its own, in the order of the legend.
        legend: whether a legend tells several kinds apart.
    """
    import altair as alt

    if not _any_defined(rows, "value"):
        return None

    rows = _labelled(rows, "name")
    base = alt.Chart(_data(rows)).encode(
        y=_name_axis(_distinct(rows, "name_label")),
        tooltip=_tooltip({"name:N": "name", "value:Q": axis, "low:Q": "95 % from", "high:Q": "to"}),
    )
    scale = _value_scale(rows, "value", "low", "high")
    span = base.mark_rule(strokeWidth=2, color=DATA).encode(
        x=alt.X("low:Q", title=axis, scale=scale), x2="high:Q"
    )
    point = base.mark_point(filled=True, size=70, color=DATA, opacity=1).encode(
        x=alt.X("value:Q", title=axis, scale=scale),
        shape=alt.Shape(
            "kind:N",
            scale=alt.Scale(domain=list(kinds), range=_SHAPES[: len(kinds)])
            if kinds
            else alt.Scale(),
            legend=_legend(rows, "kind") if legend else None,
        ),
    )
    layers = [span, point] if _any_defined(rows, "low", "high") else [point]
    return _as_json(alt.layer(*layers), _height(rows, "name"))


_SHAPES = ["circle", "diamond"]


def _legend(rows: Sequence[MarkValues], name: str) -> "alt.Legend | None":
    """Return a legend below the chart, or None if it would have one entry."""
    import altair as alt

    several = len(_distinct(rows, name)) > 1
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
    base = alt.Chart(_data(rows)).encode(
        x=alt.X("x:Q", title=across, scale=ends["x"]),
        y=alt.Y("y:Q", title=up, scale=ends["y"]),
        tooltip=_tooltip({"name:N": "name", "x:Q": across, "y:Q": up}),
    )
    layers = [base.mark_point(filled=True, size=70, color=DATA, opacity=1)]
    if any(row["x"] <= edge for row in rows):
        layers.append(_labels(base, f"datum.x <= {edge}", "left", 7))
    if any(row["x"] > edge for row in rows):
        layers.append(_labels(base, f"datum.x > {edge}", "right", -7))
    span = base.mark_rule(color=DATA, opacity=0.5)
    if _any_defined(rows, "x_low", "x_high"):
        layers.append(span.encode(x=alt.X("x_low:Q", title=across), x2="x_high:Q"))
    if _any_defined(rows, "y_low", "y_high"):
        layers.append(span.encode(y=alt.Y("y_low:Q", title=up), y2="y_high:Q"))
    return _as_json(alt.layer(*layers), 320)


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
    labelled = _labelled([*rows, *outliers], "name")
    rows, outliers = labelled[: len(rows)], labelled[len(rows) :]
    y, scale = (
        _name_axis(_distinct(rows, "name_label")),
        _value_scale([*rows, *outliers], "low", "high", "value"),
    )

    def x(name: str) -> "alt.X":
        return alt.X(f"{name}:Q", title=axis, scale=scale)

    titles = {"name:N": "name", "low:Q": "lower whisker", "q1:Q": "lower quartile"}
    titles |= {"median:Q": "median", "q3:Q": "upper quartile", "high:Q": "upper whisker"}
    base = alt.Chart(_data(rows)).encode(y=y, tooltip=_tooltip(titles))
    layers = [
        base.mark_rule(color=DATA).encode(x=x("low"), x2="high:Q"),
        base.mark_bar(size=12, color=DATA, opacity=0.6).encode(x=x("q1"), x2="q3:Q"),
        base.mark_tick(thickness=3, size=14, color=MIDDLE).encode(x=x("median")),
    ]
    if outliers:
        points = alt.Chart(_data(outliers)).mark_point(color=DATA, size=25)
        tooltip = _tooltip({"document:N": "document", "name:N": "name", "value:Q": axis})
        layers.append(points.encode(y=y, x=x("value"), tooltip=tooltip))
    return _as_json(alt.layer(*layers), _height(rows, "name"))


def heat(rows: Sequence[MarkValues], value: str) -> Chart:
    """Draw a matrix with one cell per pair of names, bluer for higher values.

    Args:
        rows: ``row``, ``column``, ``value``, ``text`` (text of the cell) and ``mark`` (its text if
            there are too many columns for ``text``).
        value: title of the values.
    """
    import altair as alt

    largest = max((abs(row["value"]) for row in rows if row["value"] is not None), default=0) or 1.0
    scale = alt.Scale(domain=[0, largest], range=[_WORST, _BETTER])
    return _matrix(rows, value, scale, f"abs(datum.value) > {DARK * largest}")


def graded(rows: Sequence[MarkValues], value: str, better: str) -> Chart:
    """Draw a matrix with one cell per pair of names, bluer for better values.

    Args:
        rows: as in ``heat``.
        value: title of the values.
        better: whether lower or higher values are better.
    """
    import altair as alt

    values = [row["value"] for row in rows if row["value"] is not None] or [0.0]
    worst, best = (min(values), max(values)) if better == "higher" else (max(values), min(values))
    ends = [(worst, _WORST), (best if best != worst else worst + 1.0, _BETTER)]
    ends.sort()
    scale = alt.Scale(domain=[end for end, _ in ends], range=[colour for _, colour in ends])
    dark = f"abs(datum.value - {worst}) > {DARK * abs(best - worst) or 1.0}"
    return _matrix(rows, value, scale, dark)


_BETTER, _WORST = "#22689f", "#f4f4f4"
"""Colours of values in a matrix."""


def _matrix(rows: Sequence[MarkValues], value: str, scale: "alt.Scale", dark: str) -> Chart:
    """Draw a matrix.

    Args:
        rows: as in ``heat``.
        value: title of the values.
        scale: colours of the values.
        dark: expression that is true for cells with light text.
    """
    import altair as alt

    rows = _labelled(rows, "row", "column")
    names, columns = _distinct(rows, "row_label"), _distinct(rows, "column_label")
    columns.sort(key=lambda name: names.index(name) if name in names else len(names))
    base = alt.Chart(_data(rows)).encode(
        y=_name_axis(names, "row_label"),
        x=_name_axis(columns, "column_label"),
        tooltip=_tooltip({"row:N": " ", "column:N": "  ", "value:Q": value, "text:N": "   "}),
    )
    cells = base.mark_rect(stroke="#808080", strokeWidth=0.5).encode(
        color=alt.Color("value:Q", title=value, scale=scale, legend=alt.Legend(orient="bottom"))
    )
    text = base.mark_text(fontSize=11).encode(
        text="text:N" if len(columns) <= _ROOM else "mark:N",
        color=alt.condition(dark, alt.value("#ffffff"), alt.value("#101010")),
    )
    return _as_json(alt.layer(cells, text), _height(rows, "row"))


DARK = 0.85
"""Share of the scale above which light text is easier to read than dark."""

_ROOM = 10
"""Maximum number of columns of a matrix whose cells have space for text."""


FEW = 10
"""Maximum number of lines for the smaller set of colours, which are easier to distinguish."""


def _colours(rows: Sequence[MarkValues]) -> "alt.Color":
    """Colour lines by the label of their name."""
    import altair as alt

    names = _distinct(rows, "name_label")
    several = alt.Legend(title=None, orient="bottom", columns=2, labelLimit=180)
    return alt.Color(
        "name_label:N",
        sort=None,
        scale=alt.Scale(domain=names, scheme="tableau20" if len(names) > FEW else "tableau10"),
        legend=several if len(names) > 1 else None,
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

    if not _any_defined(rows, "y"):
        return None
    rows = _labelled(rows, "name")
    x = _date_axis({str(row["x"]) for row in rows}) if dates else alt.X("x:Q")
    tooltip = [
        alt.Tooltip("name:N", title="name"),
        alt.Tooltip("x:N" if dates else "x:Q", title=across),
        alt.Tooltip("y:Q", title=up, format=".4f"),
    ]
    chart = alt.Chart(_data(rows)).mark_line(point=alt.OverlayMarkDef(size=30))
    encoded = chart.encode(
        x=x.title(across),
        y=alt.Y("y:Q", title=up, scale=_value_scale(rows, "y")),
        color=_colours(rows),
        tooltip=tooltip,
    )
    return _as_json(encoded, 280)


def _date_axis(days: set[str]) -> "alt.X":
    """Return an axis of dates; a few of them are its ticks, as years, months or days."""
    import altair as alt

    unit = "%Y-%m-%d"
    for coarser, first in (("%Y-%m", "-01"), ("%Y", "-01-01")):
        if all(day.endswith(first) for day in days):
            unit = coarser
    ticks: Any = sorted(days) if len(days) <= _TICKS else alt.Undefined
    return alt.X(
        "x:T",
        scale=alt.Scale(type="utc"),
        axis=alt.Axis(values=ticks, format=unit, labelOverlap=True),
    )


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

    labelled = _labelled([*rows, *points], "name")
    rows, points = labelled[: len(rows)], labelled[len(rows) :]
    colour = _colours(rows)
    tooltip = _tooltip({"name:N": "name", "threshold:Q": "threshold", "x:Q": across, "y:Q": up})
    x, y = alt.X("x:Q", title=across), alt.Y("y:Q", title=up)
    line = (
        alt.Chart(_data(rows))
        .mark_line(point=alt.OverlayMarkDef(size=12))
        .encode(x=x, y=y, color=colour, order="place:Q", tooltip=tooltip)
    )
    operating = (
        alt.Chart(_data(points))
        .mark_point(size=130, strokeWidth=3)
        .encode(x=x, y=y, color=colour, tooltip=tooltip)
    )
    return _as_json(alt.layer(line, operating), 340)


def band(rows: Sequence[MarkValues], low: float, mean: float, high: float, axis: str) -> Chart:
    """Draw one point per coder on the band in which most of them lie.

    Args:
        rows: ``name``, ``value`` and ``flagged``, from top to bottom.
        low: lower end of the band.
        mean: middle of the band.
        high: upper end of the band.
        axis: title of the axis of values.
    """
    import altair as alt

    span = {"low": low, "mean": mean, "high": high}
    scale = _value_scale([span, *rows], "low", "high", "value")
    group = alt.Chart(_data([span]))
    rows = _labelled(rows, "name")
    points = alt.Chart(_data(rows)).encode(
        y=_name_axis(_distinct(rows, "name_label")),
        x=alt.X("value:Q", title=axis, scale=scale),
        color=alt.condition("datum.flagged == true", alt.value(FLAGGED), alt.value(DATA)),
        shape=alt.condition("datum.flagged == true", alt.value("triangle-up"), alt.value("circle")),
        tooltip=_tooltip({"name:N": "coder", "value:Q": axis}),
    )
    return _as_json(
        alt.layer(
            group.mark_rect(opacity=0.15, color=DATA).encode(
                x=alt.X("low:Q", title=axis, scale=scale), x2="high:Q"
            ),
            group.mark_rule(color=MIDDLE, strokeDash=[4, 4]).encode(
                x=alt.X("mean:Q", title=axis, scale=scale)
            ),
            points.mark_point(filled=True, size=80, opacity=1),
        ),
        _height(rows, "name"),
    )


def columns(rows: Sequence[MarkValues], across: str, up: str) -> Chart:
    """Draw one bar per class.

    Args:
        rows: ``name`` and ``value``, from left to right.
        across: title of the axis of classes.
        up: title of the axis of values.
    """
    import altair as alt

    chart = (
        alt.Chart(_data(rows))
        .mark_bar(color=DATA)
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
    return _as_json(chart, 240)

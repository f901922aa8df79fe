"""Make the matrices of a report as Vega-Lite JSON: one cell per pair of names."""

from collections.abc import Sequence

from segscore.pipeline.reports.chart_parts import (
    Chart,
    MarkValues,
    as_data,
    as_json,
    different_values,
    height_of,
    name_axis,
    tooltips,
    with_labels,
)


def matrix(rows: Sequence[MarkValues], value: str, better: str = "") -> Chart:
    """Draw a matrix with one cell per pair of names.

    Args:
        rows: ``row``, ``column``, ``value``, ``text`` (text of the cell) and ``mark`` (its text if
            there are too many columns for ``text``).
        value: title of the values.
        better: whether lower or higher values are better, and bluer; empty for a scale that begins
            at 0.
    """
    import altair as alt

    values = [row["value"] for row in rows if row["value"] is not None] or [0.0]
    worst, best = (max(values), min(values)) if better == "lower" else (min(values), max(values))
    worst, best = (worst, best) if better else (0.0, max(map(abs, values)))
    size = abs(best - worst) or 1.0
    ends = sorted([(worst, _WORST), (best if best != worst else worst + 1.0, _BETTER)])
    scale = alt.Scale(domain=[end for end, _ in ends], range=[colour for _, colour in ends])
    dark = f"abs(datum.value - {worst}) > {DARK * size}"
    rows = with_labels(rows, "row", "column")
    names, columns = different_values(rows, "row_label"), different_values(rows, "column_label")
    columns.sort(key=lambda name: names.index(name) if name in names else len(names))
    base = alt.Chart(as_data(rows)).encode(
        y=name_axis(names, "row_label"),
        x=name_axis(columns, "column_label"),
        tooltip=tooltips({"row:N": " ", "column:N": "  ", "value:Q": value, "text:N": "   "}),
    )
    cells = base.mark_rect(stroke="#808080", strokeWidth=0.5).encode(
        color=alt.Color("value:Q", title=value, scale=scale, legend=alt.Legend(orient="bottom"))
    )
    text = base.mark_text(fontSize=11).encode(
        text="text:N" if len(columns) <= _ROOM else "mark:N",
        color=alt.condition(dark, alt.value("#ffffff"), alt.value("#101010")),
    )
    return as_json(alt.layer(cells, text), height_of(rows, "row"))


_BETTER, _WORST = "#22689f", "#f4f4f4"
"""Colours of values in a matrix."""

DARK = 0.85
"""Share of the scale above which light text is easier to read than dark."""

_ROOM = 16
"""Maximum number of columns of a matrix whose cells have space for text."""

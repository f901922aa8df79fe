"""Parts that the charts of a report share: data, labels, axes, tooltips, colours.

Names occur only in the data, never in a field or an expression, so that any text is safe.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from segscore.pipeline.reports.labels import short_labels
from segscore.pipeline.statistics.result_table import ResultTable

if TYPE_CHECKING:
    import altair as alt

MarkValues = Mapping[str, Any]
"""The values that one mark is drawn from."""

Chart = dict[str, Any]

DATA, MIDDLE, FLAGGED = "#64748b", "currentColor", "#d6336c"
BETTER, OPEN = "#3b82c4", "transparent"
"""Colours of what was measured, of its middle, and of what is to be looked at, visible on white and
on black.  Blue is only for values that are better, in matrices."""


def interval_marks(table: ResultTable) -> list[MarkValues]:
    """Return the first numbers of a table with their intervals, as ``charts.intervals`` draws them.

    The kind of a row is its name, if a column before groups the rows, or else the same for all.
    """
    *groups, names = (column.cells for column in table.columns if column.is_name)
    column = next(column for column in table.columns if not column.is_name)
    ends = column.ends or [(None, None)] * table.rows
    return [
        {
            "name": ", ".join([name, *(group[place] for group in groups)]),
            "value": value,
            "low": low,
            "high": high,
            "kind": name if groups else column.name,
        }
        for place, (name, value, (low, high)) in enumerate(
            zip(names, column.values, ends, strict=True)
        )
    ]


_STEP = 24
"""Height of a row."""

_FIELDS = 6
"""Significant digits of the numbers in a chart."""


_LETTERS_ACROSS = 70
"""Letters of all labels of columns, as wide as the widest, that fit beside each other."""

LETTERS = 25
"""Letters of a name that fit on an axis."""


def as_data(rows: Sequence[MarkValues]) -> "alt.Data":
    """Return rows as the data of a chart, with numbers of a few digits."""
    import altair as alt

    return alt.Data(  # type: ignore[no-untyped-call]
        values=[{name: _rounded(value) for name, value in row.items()} for row in rows]
    )


def with_labels(rows: Sequence[MarkValues], *fields: str) -> list[MarkValues]:
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


def as_json(chart: Any, height: int) -> Chart:
    """Return a chart as JSON, as wide as the page allows."""
    encoded: Chart = chart.properties(width="container", height=height).to_dict()
    # Drop what altair adds for its own viewers: their version, and a theme; the page has its own.
    return {name: value for name, value in encoded.items() if name not in ("$schema", "config")}


def height_of(rows: Sequence[MarkValues], name: str) -> int:
    """Return the height of a chart with one row per name."""
    return _STEP * max(1, len(different_values(rows, name)))


def tooltips(titles: Mapping[str, str]) -> "list[alt.Tooltip]":
    """Return what is shown of a mark, given the title of each field; numbers have four decimals."""
    import altair as alt

    return [
        alt.Tooltip(field, title=title, format=".4f" if field.endswith(":Q") else alt.Undefined)
        for field, title in titles.items()
    ]


def any_defined(rows: Sequence[MarkValues], *names: str) -> bool:
    """Check whether some row has all these values; without one, Vega draws an endless axis."""
    return any(all(row[name] is not None for name in names) for row in rows)


def different_values(rows: Sequence[MarkValues], name: str) -> list[str]:
    """Return the different values of a field, in the order of the rows."""
    return list(dict.fromkeys(_text(str(row[name])) for row in rows))


def name_axis(labels: Sequence[str], field: str = "name_label") -> Any:
    """Make an axis of labels in their order, from the top or left."""
    import altair as alt

    # Set the domain rather than a sort, which would put the names into an expression.
    settings: Any = {"sort": None, "title": None, "scale": alt.Scale(domain=list(labels))}
    if field == "column_label":
        widest = max(map(len, labels), default=0)
        angle = -45 if len(labels) * widest > _LETTERS_ACROSS else 0
        return alt.X(f"{field}:N", axis=alt.Axis(labelAngle=angle, labelLimit=130), **settings)
    return alt.Y(f"{field}:N", **settings)


def value_scale(
    rows: Sequence[MarkValues],
    *names: str,
    zero: bool = False,
    domain: tuple[float, float] | None = None,
) -> "alt.Scale":
    """Return a scale for the values of some fields; it has a width even if all are equal.

    Args:
        rows: with the values.
        names: of the fields.
        zero: whether 0 is on the scale even if all values are far from it.
        domain: the ends of the scale, if all values are between them.
    """
    import altair as alt

    values = [row[name] for row in rows for name in names if row.get(name) is not None]
    values += [0.0] * zero
    low, high = min(values), max(values)
    if domain is not None and domain[0] <= low <= high <= domain[1] > domain[0]:
        return alt.Scale(domain=[*domain], nice=True)
    if high - low > NARROW * max(abs(low), abs(high)):
        return alt.Scale(zero=zero, nice=True)
    margin = abs(low) / 2 or 0.5
    return alt.Scale(domain=[low - margin if low else 0, high + margin], nice=False)


def domain_of(rows: Sequence[MarkValues], *names: str) -> tuple[float, float]:
    """Return the smallest and the largest value of some fields, for charts that share a scale."""
    values = [row[name] for row in rows for name in names if row.get(name) is not None]
    return min(values), max(values)


NARROW = 1e-9
"""Range of the values, as a share of the largest, up to which they count as equal."""

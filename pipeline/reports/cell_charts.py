"""Small drawings in the cells of a table: a value along a scale, a histogram, a line of nights."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from segscore.pipeline.arrays.ragged import Floats

_WIDTH = 300
"""Width of a bar, from 0 to the end of its scale, in pixels."""

_BINS, _HIGHEST = 20, 18
"""Columns of a histogram, and the height of the highest one."""

_LINE = (180, 26)
"""Size of a line."""


@dataclass(frozen=True)
class CellChart:
    """A drawing in a cell.

    Attributes:
        kind: bar, bins or line, each of which has a style.
        box: its size, as the ``viewBox`` of SVG.
        shapes: elements of SVG, each with its attributes.
        value: what a page sorts it by; None for nothing.
    """

    kind: str
    box: str
    shapes: Sequence[tuple[str, Mapping[str, object]]]
    value: float | None = None


def bar(
    value: float | None, low: float | None, high: float | None, chance: float | None, scale: float
) -> CellChart | None:
    """Draw a value from 0 to the end of a scale, its interval, and chance if it is known."""
    if value is None:
        return None
    x, start, end = (
        round(_WIDTH * min(max((value if each is None else each) / scale, 0.0), 1.0), 1)
        for each in (value, low, high)
    )
    shapes: list[tuple[str, Mapping[str, object]]] = [
        ("path", {"class": "scale", "d": f"M0 11H{_WIDTH}"}),
        ("rect", {"width": x, "y": 8.5, "height": 5, "rx": 2.5}),
        ("path", {"class": "span", "d": f"M{start} 11H{end}"}),
        ("circle", {"cx": x, "cy": 11, "r": 5}),
    ]
    if chance is not None:
        place = round(_WIDTH * min(max(chance / scale, 0.0), 1.0), 1)
        shapes.append(("path", {"class": "chance", "d": f"M{place} 3V19"}))
    return CellChart("bar", f"-6 0 {_WIDTH + 12} 22", shapes, value)


def bins(values: Floats, scale: float) -> CellChart:
    """Draw a histogram of the defined values, from 0 to the end of a scale."""
    known = np.clip(values[~np.isnan(values)], 0, scale)
    counts, _ = np.histogram(known, _BINS, (0.0, scale))
    heights = [int(-(-_HIGHEST * count // max(1, counts.max()))) for count in counts.tolist()]
    shapes = [
        ("rect", {"x": 4 * place, "y": _HIGHEST - height, "width": 3.4, "height": height})
        for place, height in enumerate(heights)
        if height
    ]
    return CellChart("bins", f"0 0 {4 * _BINS} {_HIGHEST}", shapes)


def line(values: Sequence[float], low: float, high: float) -> CellChart | None:
    """Draw values night by night on a scale; None if the last one is undefined."""
    if not values or isnan(values[-1]):
        return None
    width, height = _LINE
    step, size = width / max(1, len(values) - 1), (high - low) or 1.0
    points = [
        (round(place * step, 1), round(height * (1 - (value - low) / size), 1))
        for place, value in enumerate(values)
        if not isnan(value)
    ]
    shapes: list[tuple[str, Mapping[str, object]]] = [
        ("polyline", {"points": " ".join(f"{x:g},{y:g}" for x, y in points)}),
        ("circle", {"cx": points[-1][0], "cy": points[-1][1], "r": 4}),
    ]
    return CellChart("line", f"-5 -5 {width + 10} {height + 10}", shapes, values[-1])

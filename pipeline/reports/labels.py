"""Shorten names for labels, and choose the steps of axes."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import takewhile

from segscore.pipeline.tables.units import MILLISECOND

_BEGINNING = 5
"""Letters of the beginning of a name whose middle is shown."""

_SECOND, _MINUTE, _HOUR = 1000, 60_000, 3_600_000
_STEPS = (
    *(size * 10**power for power in range(3) for size in (1, 2, 5)),
    *(size * unit for unit in (_SECOND, _MINUTE) for size in (1, 2, 5, 10, 15, 30)),
    *(size * _HOUR for size in (1, 2, 3, 6, 12, 24, 48, 96)),
)
"""Milliseconds between the labels of an axis."""


def short_labels(names: Iterable[str], limit: int) -> dict[str, str]:
    """Shorten long names to about ``limit`` letters.

    A long name keeps both ends. Names whose ends are the same show where they begin to differ, and
    are numbered if that is not enough.

    Returns:
        Name -> label; different names have different labels.
    """
    by_label = defaultdict(list)
    for name in dict.fromkeys(names):
        by_label[_with_ends(name, limit)].append(name)
    labels: dict[str, str] = {}
    used: set[str] = set()
    for label, same in by_label.items():
        start = max(0, _first_difference(same) - limit // 4)
        for name in same:
            text = label if len(same) == 1 else _with_middle(name, start, limit)
            labels[name] = _unused(text, used)
            used.add(labels[name])
    return labels


def _first_difference(names: Sequence[str]) -> int:
    """Return the number of letters that all of some different names begin with."""
    columns = zip(*names, strict=False)
    return sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, columns))


def _with_ends(name: str, limit: int) -> str:
    half = (limit - 1) // 2
    return name if len(name) <= limit else f"{name[:half]}…{name[-half:]}"


def _with_middle(name: str, start: int, limit: int) -> str:
    end = start + limit - _BEGINNING - 2
    return f"{name[:_BEGINNING]}…{name[start:end]}{'…' * (end < len(name))}"


def _unused(label: str, used: set[str]) -> str:
    number, text = 1, label
    while text in used:
        number += 1
        text = f"{label} ({number})"
    return text


def round_step(least: float, unit: str | None) -> int:
    """Return the smallest round number of units that is at least ``least``."""
    steps = _STEPS
    if unit != MILLISECOND:
        steps = tuple(size * 10**power for power in range(10) for size in (1, 2, 5))
    return next(step for step in steps if least <= step)

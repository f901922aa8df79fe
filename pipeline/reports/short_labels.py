"""Shorten names for axes and labels, so that different names stay different."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import takewhile

_BEGINNING = 5
"""Letters of the beginning of a name whose middle is shown."""


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

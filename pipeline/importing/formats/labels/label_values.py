"""Sizes of segments from labels per unit: flags, names of segments, or the sizes themselves."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

from segscore.pipeline.importing.formats.json_fields import array_of
from segscore.pipeline.tables.rows import RowPlace

END, START, BETWEEN = "end", "start", "between"
_IGNORED = -100
"""What data sets have for labels that say nothing."""
_LARGEST = 2**31


def sizes_of_flags(value: object, marks: str, name: str, place: RowPlace) -> list[int]:
    """Return the sizes of the segments that flags of 0 and 1 mark.

    Args:
        value: a list of flags, or a text such as 0100.
        marks: what a 1 marks: the last unit of a segment (`end`), the first one (`start`), or a
            place between two units (`between`, one flag less than units).
        name: what the list is called in messages.
        place: where it was read.

    Raises:
        Refused: it is no list, is empty, or has another value. The last flag of `end` and the first
            one of `start` say nothing and may be -100.
    """
    flags = list(value) if isinstance(value, str) else _filled(value, name, place)
    if not flags:
        raise place.refusal(f"{name} is empty; expected a flag for each unit")
    silent = {END: len(flags) - 1, START: 0, BETWEEN: None}[marks]
    marked = [
        _is_marked(flag, f"{name}[{index}]", place, index == silent)
        for index, flag in enumerate(flags)
    ]
    if silent is not None:
        del marked[silent]
    return _sizes([p for p, mark in enumerate(marked, start=1) if mark], len(marked) + 1)


def sizes_of_ids(value: object, name: str, place: RowPlace) -> list[int]:
    """Return the sizes of the segments that begin where the name of the segment changes.

    Raises Refused for anything but a list of texts and numbers, or an empty list.
    """
    ids = _filled(value, name, place)
    for index, label in enumerate(ids):
        if not isinstance(label, str | int | float | Decimal) or label != label:
            raise place.wrong(f"{name}[{index}]", label, "a text or a number")
    changes = [p for p, (before, after) in enumerate(pairwise(ids), start=1) if before != after]
    return _sizes(changes, len(ids))


def stated_sizes(value: object, name: str, place: RowPlace) -> list[int]:
    """Return sizes of segments from a list of them.

    Raises Refused for anything but a list of whole numbers from 1, or an empty list.
    """
    return [
        _size(size, f"{name}[{index}]", place)
        for index, size in enumerate(_filled(value, name, place))
    ]


def _filled(value: object, name: str, place: RowPlace) -> Sequence[object]:
    items = array_of(value, name, place)
    if not items:
        raise place.refusal(f"{name} is an empty list; expected one unit at least")
    return items


def _is_marked(flag: object, name: str, place: RowPlace, silent: bool) -> bool:
    """Return whether a flag is 1; only a `silent` one may be -100."""
    if flag in ("0", "1"):
        return flag == "1"
    number = flag if isinstance(flag, int | float | Decimal) else None
    if number in (0, 1) or (silent and number == _IGNORED):
        return number == 1
    raise place.wrong(name, flag, "0 or 1")


def _size(size: object, name: str, place: RowPlace) -> int:
    number = size if isinstance(size, int | float | Decimal) else 0
    if isinstance(size, bool) or not 1 <= number < _LARGEST or number != int(number):
        raise place.wrong(name, size, "a whole number from 1")
    return int(number)


def _sizes(boundaries: Sequence[int], n_units: int) -> list[int]:
    return [end - start for start, end in pairwise([0, *boundaries, n_units])]

"""Recognise the forms in which answers state numbers of units, or quote."""

import json
import re
from collections.abc import Iterator

from segscore.pipeline.importing.answers.breaks import lines_of
from segscore.pipeline.importing.answers.cleaning import is_fence
from segscore.pipeline.importing.answers.options import RANGES, STARTS

RANGE = re.compile(
    r"(?<![0-9])([0-9]+)[ \t]*(?:-|–|—|\.\.\.?|to|bis|through)"
    r"[ \t]*[\[(]?[^\W\d_]{0,12}[ \t]?([0-9]+)"
)
"""A range, such as U1-U5."""

_LABEL = r"[\W_]*[^\W\d_]{0,3}"
_NO_MORE = rf"(?![0-9]|(?:[\W_]*|[ \t]+and[ \t]+){_LABEL}[0-9])"
_NUMBER_FIRST = re.compile(rf"{_LABEL}[0-9]+{_NO_MORE}")
_RANGE_FIRST = re.compile(rf"{_LABEL}{RANGE.pattern}{_NO_MORE}")
_MOST_STARTS = 100
"""Number of places at which JSON is looked for in a text."""

_START = re.compile(r'[\[{]\s*["\[{]')
_DECODER = json.JSONDecoder()


def is_clear(line: str, kind: str) -> bool:
    """Return whether only some numbers of a line name units, and it is plain which.

    A line that begins with its number, such as `4. The floods of 1953`, is clear, and one with a
    single range if ranges are read. `Segments start at: 0, 3` and `1. U5` are not.

    Args:
        line: a line with more numbers than are read.
        kind: starts, ends, ranges or sizes.
    """
    if kind == RANGES:
        return len(RANGE.findall(line)) == 1
    if _NUMBER_FIRST.match(line):
        return True
    return kind == STARTS and _RANGE_FIRST.match(line) is not None


def only_list(answer: object, kind: str) -> list[object] | None:
    """Return the one list of whole numbers in a JSON object; None if there is none, or several.

    Args:
        answer: an object, or a text with one, alone or in a code fence or between words.
        kind: starts, ends, ranges or sizes; a list of pairs also counts for ranges.
    """
    value = _object_in(answer) if isinstance(answer, str) else answer
    if not isinstance(value, dict):
        return None
    try:
        lists = [*_number_lists(value, kind)]
    except RecursionError:
        return None
    return lists[0] if len(lists) == 1 else None


def _object_in(text: str) -> object:
    """Return the JSON between the first brace and the last one, or None."""
    begin, end = text.find("{"), text.rfind("}")
    if not 0 <= begin < end:
        return None
    try:
        return json.loads(text[begin : end + 1])
    except (ValueError, RecursionError):
        return None


def _number_lists(value: object, kind: str) -> Iterator[list[object]]:
    """Yield the lists of whole numbers in a value, at any depth."""
    if isinstance(value, list) and (_are_whole(value) or (kind == RANGES and _are_pairs(value))):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _number_lists(inner, kind)


def _are_whole(values: list[object]) -> bool:
    return bool(values) and all(type(value) is int for value in values)


def _are_pairs(values: list[object]) -> bool:
    return bool(values) and all(
        isinstance(value, list) and len(value) == 2 and _are_whole(value) for value in values
    )


def quotes_in(answer: object) -> list[str]:
    r"""Return the quotes of an answer.

    They are the only list of texts in its JSON, which may be in an object, in a code fence or
    between words; without such a list, or with several, the lines of a text.

    Args:
        answer: a text, or what JSON has in its place.

    Examples:
        >>> quotes_in('Here you are: {"segments": ["Good evening", "In sport"]}')
        ['Good evening', 'In sport']
        >>> quotes_in("Good evening\nIn sport")
        ['Good evening', 'In sport']
    """
    try:
        values = [*_values(answer)] if isinstance(answer, str) else [answer]
        lists = [texts for value in values for texts in _text_lists(value)]
    except RecursionError:
        lists = []
    if len(lists) == 1:
        return lists[0]
    if isinstance(answer, list):
        return [each for each in answer if isinstance(each, str)]
    if isinstance(answer, str):
        return [line for line in lines_of(answer) if not is_fence(line)]
    return []


def _values(text: str) -> Iterator[object]:
    """Yield the JSON lists and objects in a text."""
    end = 0
    for number, found in enumerate(_START.finditer(text)):
        if number == _MOST_STARTS:
            return
        if found.start() < end:
            continue
        try:
            value, end = _DECODER.raw_decode(text, found.start())
        except ValueError:
            continue
        yield value


def _text_lists(value: object) -> Iterator[list[str]]:
    """Yield the lists of texts in a value, at any depth."""
    if not isinstance(value, dict | list):
        return
    inner = [*value.values()] if isinstance(value, dict) else value
    texts = [each for each in inner if isinstance(each, str)]
    if isinstance(value, list) and texts and not any(isinstance(e, dict | list) for e in inner):
        yield texts
        return
    for each in inner:
        yield from _text_lists(each)

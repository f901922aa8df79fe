"""Recognise the forms in which answers quote: lines, or a list in JSON with or without a remark."""

import json
import re
from collections.abc import Iterator

from segscore.pipeline.importing.answers.breaks import lines_of
from segscore.pipeline.importing.answers.cleaning import is_fence

_MOST_STARTS = 100
"""Number of places at which JSON is looked for in a text."""

_START = re.compile(r'[\[{]\s*["\[{]')
_DECODER = json.JSONDecoder()


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
        lists = [texts for value in values for texts in _lists(value)]
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


def _lists(value: object) -> Iterator[list[str]]:
    """Yield the lists of texts in a value, at any depth."""
    if not isinstance(value, dict | list):
        return
    inner = [*value.values()] if isinstance(value, dict) else value
    texts = [each for each in inner if isinstance(each, str)]
    if isinstance(value, list) and texts and not any(isinstance(e, dict | list) for e in inner):
        yield texts
        return
    for each in inner:
        yield from _lists(each)

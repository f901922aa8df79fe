"""Find the numbers that JSON in an answer names, as lines: an object or a list is a line each."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from segscore.pipeline.importing.answers.mentions import (
    TOO_LARGE,
    AnswerLine,
    NumberMention,
    read_line,
    role_before,
)
from segscore.pipeline.importing.answers.roles import HEADING, Role, is_title, role_of_name

_MOST_STARTS = 100
"""Number of places at which JSON is looked for in a text."""

_START = re.compile(r"[\[{]\s*+[\"\[{0-9-]")
_FENCE = re.compile(r"^[ \t]*```[^\n]*$", re.MULTILINE)
_DECODER = json.JSONDecoder()
_BEFORE = 80
_MEMBER, ELEMENT = "member", "element"
"""Labels of what several values of an object have, and of lists in a list."""

_OF_SEGMENTS = (Role.START, Role.END, Role.UNIT)
"""What the numbers in an object that describes a segment are."""


def values_in(text: str) -> list[tuple[int, int, object]]:
    """Return the JSON lists and objects in a text, with the places where they begin and end."""
    found: list[tuple[int, int, object]] = []
    end = 0
    for number, start in enumerate(_START.finditer(text)):
        if number == _MOST_STARTS:
            break
        if start.start() < end:
            continue
        try:
            value, end = _DECODER.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            continue
        found.append((start.start(), end, value))
    return found


def is_empty_list(answer: object) -> bool:
    """Return whether an answer is an empty list, also as the only member of an object.

    It is one segment: no segment begins, or ends, inside the document.
    """
    if isinstance(answer, str):
        try:
            answer = json.loads(_FENCE.sub("", answer))
        except (ValueError, RecursionError):
            return False
    if isinstance(answer, dict) and len(answer) == 1:
        (answer,) = answer.values()
    return answer == []


def json_lines_of_text(text: str) -> list[AnswerLine] | None:
    """Find the numbers that the JSON in a text names; None if the text is not JSON with words.

    A list of one number beside words, and several lists, are read as lines of the text.
    """
    found = values_in(text)
    if len(found) > 1 and all(_has_objects(value) for *_, value in found):
        return lines_of_json([value for *_, value in found])
    if len(found) != 1:
        return None
    start, _, value = found[0]
    if isinstance(value, list) and len(value) == 1 and _has_more(text, value[0]):
        return None
    return lines_of_json(value, role_before(text[:start].rstrip(" \t\n\r`")[-_BEFORE:])) or None


def _has_more(text: str, value: object) -> bool:
    """Return whether a text has letters or digits besides a value."""
    return not isinstance(value, dict | list) and any(
        char.isalnum() for char in text.replace(str(value), "", 1)
    )


def lines_of_json(value: object, role: Role = Role.NONE) -> list[AnswerLine]:
    """Find the numbers in a value; `role` is what words before it say that they are."""
    try:
        return [line for line in _lines(value, role, "") if line.mentions]
    except RecursionError:
        return []


def _lines(value: object, role: Role, name: str) -> Iterator[AnswerLine]:
    found = _mention(value, role, name)
    if found is not None:
        yield AnswerLine((found,))
    elif isinstance(value, list):
        for each in value:
            if isinstance(each, dict):
                yield from _of_object(each, role, is_row=True)
            else:
                yield from _lines(each, role, ELEMENT if isinstance(each, list) else name)
    elif isinstance(value, dict):
        yield from _of_object(value, role)
    elif isinstance(value, str) and not name:
        yield read_line(value)


def _of_object(
    value: Mapping[str, object], role: Role, *, is_row: bool = False
) -> Iterator[AnswerLine]:
    """Yield the lines of an object: one if it is a segment, else one for each of its values."""
    row = tuple(_of_fields(value))
    containers = {name: each for name, each in value.items() if isinstance(each, dict | list)}
    is_row = is_row and bool(row) and not any(map(_has_objects, containers.values()))
    if is_row or any(len(each.values) == 1 and each.role in _OF_SEGMENTS for each in row):
        yield AnswerLine(row, bare=False)
        return
    for name, inner in (containers or value).items():
        own = Role.NONE if name.lower() == HEADING else role_of_name(name)
        is_told = own in (Role.START, Role.END, Role.COUNT) or isinstance(inner, int | str)
        told = own if is_told and own else role
        lines = _lines(inner, told, "" if len(containers) == 1 or told else _MEMBER)
        of_name = read_line(name)
        if of_name.bare and len(of_name.mentions) == 1:
            titled = isinstance(inner, str) and of_name.mentions[0].names_units
            inside = () if titled else tuple(each for line in lines for each in line.mentions)
            yield AnswerLine((*of_name.mentions, *inside), bare=False)
        else:
            yield from lines


def _has_objects(value: object) -> bool:
    """Return whether a value is an object, or a list of objects or lists."""
    return isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(each, dict | list) for each in value)
    )


def _of_fields(record: Mapping[str, object]) -> Iterator[NumberMention]:
    """Yield what the fields of an object name; the name of a field is its label."""
    for name, value in record.items():
        if isinstance(value, dict):
            yield from _of_fields(value)
        elif (found := _mention(value, role_of_name(name), name)) is not None:
            yield found


def _mention(value: object, role: Role, name: str) -> NumberMention | None:
    """Return the number, range or list of numbers that a value is; None for other values."""
    if isinstance(value, str):
        if is_title(name) and not (value.isdecimal() and role is Role.SEGMENT):
            return None
        line = read_line(value)
        if len(line.mentions) != 1 or not line.bare:
            return None
        found = line.mentions[0]
        return replace(found, role=role or found.role, label=name or found.label)
    if isinstance(value, int) and not isinstance(value, bool):
        return NumberMention((min(value, TOO_LARGE),), role=role, label=name, leads=True)
    if isinstance(value, list) and value:
        inner = [_mention(each, role, name) for each in value if not isinstance(each, list)]
        singles = [each.values[0] for each in inner if each and len(each.values) == 1]
        if len(singles) == len(value):
            return NumberMention(tuple(singles), role=role, label=name, leads=True)
    return None

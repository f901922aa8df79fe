"""Find answers whose end is missing, and drop what may have been cut."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from segscore.pipeline.importing.answers.breaks import lines_of
from segscore.pipeline.importing.answers.cleaning import is_fence
from segscore.pipeline.importing.answers.json_numbers import values_in
from segscore.pipeline.importing.answers.layouts import ends_in_row

TRUNCATED = "truncated"
"""What an answer is called that ends inside a list, a text or a number."""

_NUMBERS_OPEN = re.compile(r"[\[{](?=\s*+(?:[\"\[{0-9-]|\Z))|\((?=[0-9])")
_TEXTS_OPEN = re.compile(r"[\[{](?=\s*+(?:[\"\[{]|\Z))")
_TEXTS_BEGIN = re.compile(r"\s*+(?:```[a-z]*+\s*+)?[\[{]\s*+[\"\[{]")
_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*+(?P<closed>"?)|[\[\]{}(),]', re.DOTALL)
_CLOSING = {"[": "]", "{": "}", "(": ")"}
_FENCES = ("```", "~~~")

_END = 80
"""Number of characters at the end of an answer in which a range or a list that goes on is found."""

_GOES_ON = re.compile(
    r"[0-9][\])]?[ \t]*+(?:[-–—−](?:[ \t]?[SULsul])?|[,&]|(?:to|and|through)\b)[ \t]*+\Z"
)
_AND_SO_ON = re.compile(r"(?:\A|[\n0-9,;\])}])[ \t]*+(?:\.\.\.|…)[\])}]?\Z")
"""An answer that says itself that it goes on; its last number is whole."""

_LAST_NUMBER = re.compile(
    r"(?:(?<![0-9])[0-9]++[\])]?[ \t]*+(?:[-–—−]|(?:to|through)\b)[ \t]*+"
    r"[\[(]?[^\W\d_]{0,9}[ \t]?)?[0-9]*+\Z"
)
"""A number, or a range with or without its upper bound, at the end of a text."""


@dataclass(frozen=True)
class AnswerEnd:
    """An answer without what may have been cut, and whether its end is missing."""

    text: str
    truncated: bool = False


def end_of_numbers(text: str, *, is_open: bool) -> AnswerEnd:
    """Return numbers without what may have been cut, and whether the end is missing.

    It is missing if JSON, a bracket of the last line, a range, a list or a row of a table there, or
    a code fence is not closed, or if the text ends with an ellipsis.

    Args:
        text: the answer.
        is_open: whether it was taken from a code fence or a tag that is not closed.
    """
    closed = _closed(text, _NUMBERS_OPEN)
    if closed is not None:
        return AnswerEnd(closed, truncated=True)
    stripped = text.rstrip()
    if _AND_SO_ON.search(stripped[-_END:]) is not None:
        return AnswerEnd(stripped.rstrip(".…])}"), truncated=True)
    if ends_in_row(stripped):
        return AnswerEnd(stripped.rpartition("\n")[0], truncated=True)
    if _goes_on(stripped) or _is_fence_open(text, is_open=is_open):
        return AnswerEnd(_without_last_number(stripped), truncated=True)
    return AnswerEnd(text)


def _without_last_number(text: str) -> str:
    """Return a text without the number or range that it ends with.

    A line that has words and another number, which may be its number in a list, goes as a whole.
    """
    end = text[-_END:]
    found = _LAST_NUMBER.search(end)
    if found is None or not found[0] or end.endswith((",", "&", "and")):
        return text
    shorter = text[: len(text) - len(found[0])]
    before, _, last = shorter.rpartition("\n")
    is_item = re.search("[0-9]", last) is not None and re.search(r"[^\W\d_]", last) is not None
    return before if is_item and re.search("[0-9]", before) is not None else shorter


def begins_as_texts(text: str) -> bool:
    """Return whether a text begins as a list of texts in JSON, perhaps in a code fence."""
    return _TEXTS_BEGIN.match(text) is not None


def end_of_quotes(text: str, *, is_open: bool) -> AnswerEnd:
    """Return quotes without what may have been cut, and whether the end is missing.

    It is missing if JSON or a code fence is not closed, or the last of lines in quotation marks; a
    fence then loses its last line, and so do such lines.
    """
    closed = _closed(text, _TEXTS_OPEN)
    if closed is not None:
        return AnswerEnd(closed, truncated=True)
    *marks, last = [sum(map(line.count, '"“”')) for line in lines_of(text) if line.strip()] or [0]
    if (last == 1 and {*marks} == {2}) or _is_fence_open(text, is_open=is_open):
        return AnswerEnd(text.rpartition("\n")[0], truncated=True)
    return AnswerEnd(text)


def _closed(text: str, opening: re.Pattern[str]) -> str | None:
    """Return a text up to its last complete element, with its JSON closed; None if it is."""
    last_line = text.rfind("\n") + 1
    at = 0
    while (found := opening.search(text, at)) is not None:
        if found[0] == "(" and found.start() < last_line:
            at = found.end()
            continue
        end, complete = _walk(text, found.start())
        if end is None:
            kept = text[:complete].rstrip(", \t\r\n")
            return kept + "".join(_CLOSING[each] for each in reversed(_opened(kept, found.start())))
        at = end
    return None


def _walk(text: str, start: int) -> tuple[int | None, int]:
    """Return where JSON or a bracket ends, None if it does not, and where its last element ends.

    An object or a list in a list is an element; what it has is none.
    """
    opened: list[str] = []
    inside, complete = 0, start
    for place, mark in _marks(text, start):
        if mark in _CLOSING:
            inside += opened[-1:] == ["["]
            opened.append(mark)
        elif not mark:
            return None, complete
        elif mark != ",":
            opened.pop()
            inside -= opened[-1:] == ["["]
        if not inside:
            complete = place + (mark != ",")
        if not opened:
            return place + 1, complete
    return None, complete


def _opened(text: str, start: int) -> list[str]:
    """Return the brackets that are open at the end of a text."""
    opened: list[str] = []
    for _, mark in _marks(text, start):
        if mark in _CLOSING:
            opened.append(mark)
        elif mark != ",":
            opened.pop()
    return opened


def _marks(text: str, start: int) -> Iterator[tuple[int, str]]:
    """Yield brackets and commas outside of texts, and "" where a text is not closed."""
    for found in _STRUCTURE.finditer(text, start):
        if found[0][0] != '"':
            yield found.start(), found[0]
        elif not found["closed"]:
            yield found.start(), ""


def _is_fence_open(text: str, *, is_open: bool) -> bool:
    """Return whether a code fence is open at the end, and does not have complete JSON."""
    fences = sum(
        is_fence(line) and line.count(_FENCES[0]) + line.count(_FENCES[1]) == 1
        for line in lines_of(text)
    )
    if not is_open and fences % 2 == 0:
        return False
    return not any(
        isinstance(value, dict) or (isinstance(value, list) and len(value) > 1)
        for *_, value in values_in(text)
    )


def _goes_on(text: str) -> bool:
    """Return whether the last line ends inside a range or a list."""
    before, _, last = text.rpartition("\n")
    if _GOES_ON.search(last[-_END:]) is None:
        return False
    return not (last.endswith(",") and before.rstrip().endswith(","))

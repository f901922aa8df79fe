"""Find answers that hold two lists: a draft and its correction, or several suggestions.

The numbers of both would be merged into a segmentation that nobody proposed.  Two lists are told by
numbers that begin again (1, 2, 4, 1, 11), or by parts of an answer that are complete lists which
differ.  A list that goes on in the next line is one list.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from segscore.pipeline.importing.answers.boundaries import boundaries_of
from segscore.pipeline.importing.answers.breaks import lines_of
from segscore.pipeline.importing.answers.deciding import (
    JSON,
    LINES,
    TABLE,
    Asked,
    NumberReading,
    decide_reading,
)
from segscore.pipeline.importing.answers.json_numbers import lines_of_json, values_in
from segscore.pipeline.importing.answers.layouts import CELL, lines_of_text
from segscore.pipeline.importing.answers.mentions import AnswerLine, read_line
from segscore.pipeline.importing.answers.options import RANGES, SIZES, STARTS
from segscore.pipeline.importing.answers.ranges_found import Span
from segscore.pipeline.importing.answers.roles import Role

_GOES_ON = re.compile(r",[ \t]*\r?\n[ \t]*(?=[0-9])")
"""The end of a line after which its list goes on."""

_VALUE = " value "
"""What stands in the place of JSON in the lines of an answer."""


def begins_again(reading: NumberReading, asked: Asked) -> bool:
    """Return whether the numbers of a reading are those of two lists that differ."""
    runs = [*(_runs_of_sizes if reading.kind == SIZES else _runs)(reading, asked)]
    if reading.kind == RANGES and not _overlap(reading.spans):
        return False
    return any(_differ(one, other, asked) for one, other in pairwise(runs))


def _runs(reading: NumberReading, asked: Asked) -> Iterator[NumberReading]:
    """Divide starts, ends or ranges where they fall back to the first, or follow the last unit."""
    begun, spans = 0, reading.spans
    for place in range(1, len(spans)):
        (first, _), (before, end), (low, _) = spans[begun], spans[place - 1], spans[place]
        ended = reading.kind != STARTS and end == asked.last and low <= before
        again = reading.where == LINES and low == before == first
        if (first < before and (low <= first or ended)) or again:
            yield replace(reading, spans=spans[begun:place])
            begun = place
    yield replace(reading, spans=spans[begun:])


def _runs_of_sizes(reading: NumberReading, asked: Asked) -> Iterator[NumberReading]:
    """Divide sizes where they add up to the document; a size of all units is their sum."""
    begun = total = 0
    for place, (size, _) in enumerate(reading.spans, 1):
        total += size
        if total == asked.n_units:
            if size != total:
                yield replace(reading, spans=reading.spans[begun:place])
            begun, total = place, 0
    if total:
        yield replace(reading, spans=reading.spans[begun:])


def _overlap(spans: Sequence[Span]) -> bool:
    return any(a[1] >= b[0] for a, b in pairwise(sorted(spans)))


def _differ(one: NumberReading, other: NumberReading, asked: Asked) -> bool:
    found = (boundaries_of(each, asked.first, asked.n_units) for each in (one, other))
    return len({tuple(each.boundaries) for each in found}) > 1


def holds_two_lists(text: str, whole: NumberReading, asked: Asked) -> bool:
    """Return whether two parts of a text are lists that differ, and not one list that goes on.

    Args:
        text: the answer.
        whole: how all its numbers are read.
        asked: what is known of the answer.
    """
    lists = [
        found
        for lines, where in _parts(text, divides=whole.kind != SIZES)
        if isinstance(found := decide_reading(lines, where, asked), NumberReading)
        if where == JSON or len(found.spans) > 1 or _is_one_segment(found, lines, asked)
        if _ascends(found)
    ]
    return any(
        _differ(one, other, asked) and not _goes_on(one, other, whole, asked)
        for one, other in pairwise(lists)
    )


def _ascends(reading: NumberReading) -> bool:
    return reading.kind == SIZES or all(a[0] < b[0] for a, b in pairwise(reading.spans))


def _is_one_segment(reading: NumberReading, lines: Sequence[AnswerLine], asked: Asked) -> bool:
    """Return whether the only range is that of all units, and not in a heading or a remark."""
    if reading.kind != RANGES or boundaries_of(reading, asked.first, asked.n_units).missing_tail:
        return False
    before = lines[0].mentions[0]
    numbered = before.leads and not before.is_range
    return numbered or (len(lines) == 1 and lines[0].bare and before.role is Role.NONE)


def _goes_on(one: NumberReading, other: NumberReading, whole: NumberReading, asked: Asked) -> bool:
    """Return whether a list goes on in another one: it ascends, or sizes add up to no more."""
    if SIZES in (one.kind, other.kind):
        sizes = [size for size, _ in (*one.spans, *other.spans)]
        return one.kind == other.kind and sum(sizes) <= asked.n_units
    last, first = one.spans[-1][1], other.spans[0][0]
    return last < first or (whole.kind == RANGES and last == first)


def _parts(text: str, *, divides: bool) -> Iterator[tuple[list[AnswerLine], str]]:
    """Yield the parts of an answer that may be lists by themselves, and where their numbers are.

    JSON with several numbers is a part, and so are a table and a line with a list.  Other lines
    belong together up to a line without a number, or, if ``divides``, up to one whose number is not
    above that of the first.
    """
    rest, at = "", 0
    for start, end, value in values_in(text):
        lines = lines_of_json(value)
        numbers = sum(len(each.values) for line in lines for each in line.mentions)
        if numbers > isinstance(value, list):
            yield lines, JSON
            rest, at = rest + text[at:start] + _VALUE, end
    written = lines_of(_GOES_ON.sub(", ", rest + text[at:]))
    table, in_table = lines_of_text("\n".join(written))
    if in_table:
        yield [line for line in table if line.mentions], TABLE
        written = [each for each in written if CELL not in each] if CELL in text else []
    part: list[AnswerLine] = []
    for line in map(read_line, written):
        alone = _has_list(line)
        falls = divides and bool(part and line.mentions) and _falls(part[0], line)
        if part and (alone or falls or not line.mentions):
            yield part, LINES
            part = []
        if alone and line.ends:
            yield [line], LINES
        elif line.mentions and not alone:
            part.append(line)
    yield part, LINES


def _has_list(line: AnswerLine) -> bool:
    lists = any(each.is_list and each.role is not Role.SEGMENT for each in line.mentions)
    return lists or sum(each.is_range for each in line.mentions) > 1


def _falls(first: AnswerLine, line: AnswerLine) -> bool:
    """Return whether a line begins with no larger number than the first line, both not of sizes."""
    before, after = first.mentions[0], line.mentions[0]
    return after.values[0] <= before.values[0] and Role.COUNT not in (before.role, after.role)

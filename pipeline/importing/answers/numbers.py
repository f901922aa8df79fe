"""Read numbers of units from an answer: those at a path, of a pattern, or that it shows."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.answers.deciding import (
    JSON,
    LINES,
    TABLE,
    TWO_LISTS,
    Asked,
    Decision,
    Doubtful,
    NumberReading,
    decide_reading,
)
from segscore.pipeline.importing.answers.json_numbers import (
    is_empty_list,
    json_lines_of_text,
    lines_of_json,
    values_in,
)
from segscore.pipeline.importing.answers.layouts import lines_of_text
from segscore.pipeline.importing.answers.mentions import read_line
from segscore.pipeline.importing.answers.options import (
    AUTO,
    NUMBERS,
    RANGES,
    SIZES,
    STARTS,
    TIMES,
)
from segscore.pipeline.importing.answers.patterns import matches, require_pattern
from segscore.pipeline.importing.answers.ranges_found import Span, ranges_in
from segscore.pipeline.importing.answers.several_lists import begins_again, holds_two_lists
from segscore.pipeline.importing.field_paths import FieldPath, field_path
from segscore.pipeline.settings.ranges import one_of
from segscore.pipeline.tables.rows import RowPlace

_OPTION = "--numbers"
_PATTERN = "pattern:"


@dataclass(frozen=True)
class HowNumbered:
    """How an answer names units.

    Attributes:
        kind: starts, ends, ranges or sizes; auto for what each answer shows.
        paths: where the numbers are in JSON; of ranges one path to pairs, or two.
        pattern: a regular expression whose matches contain the numbers; None if there is none.
    """

    kind: str
    paths: tuple[FieldPath, ...] = ()
    pattern: str | None = None


def how_numbered(text: str) -> HowNumbered:
    """Read a value of `--numbers`.

    Raises:
        Refused: it does not begin with a kind, or its path or pattern is malformed.
    """
    kind, _, place = text.partition(":")
    kinds = (*NUMBERS, TIMES) if place else (AUTO, *NUMBERS, TIMES)
    one_of(_OPTION, kind, kinds, ", alone or before a path such as starts:segments[].start")
    if place.startswith(_PATTERN):
        pattern = place.removeprefix(_PATTERN)
        require_pattern(_OPTION, pattern)
        return HowNumbered(kind, pattern=pattern)
    paths = tuple(field_path(_OPTION, path) for path in place.split(",")) if place else ()
    if len(paths) > 1 and (kind != RANGES or len(paths) > 2):
        raise Refused(f"{_OPTION} {text}: names several paths; only ranges have two, START,END")
    return HowNumbered(kind, paths)


def read_numbered(answer: object, how: HowNumbered, asked: Asked, place: RowPlace) -> Decision:
    """Read the numbers in an answer: a text, or what JSON has in its place.

    A path or a pattern is taken at its word; otherwise the answer shows which numbers name units.
    An answer with two lists that differ is not read.
    """
    found = _read(answer, how, asked, place)
    if not isinstance(found, NumberReading):
        return found
    whole = without_cut_number(found, answer, asked)
    shown = isinstance(answer, str) and not how.paths and how.pattern is None
    doubtful = shown and holds_two_lists(str(answer), whole, asked)
    return TWO_LISTS if doubtful or begins_again(whole, asked) else found


def _read(answer: object, how: HowNumbered, asked: Asked, place: RowPlace) -> Decision:
    if how.paths:
        values = _json_of(answer) if isinstance(answer, str) else [answer]
        lists = [found for value in values if (found := _lists_at(value, how.paths, place))]
        uneven = [found for found in lists if len(found[0]) != len(found[-1])]
        if uneven:
            return Doubtful((f"{len(uneven[0][0])} starts", f"{len(uneven[0][1])} ends"))
        pairs = (found[0] if len(found) == 1 else [*zip(*found, strict=True)] for found in lists)
        spans = tuple(span for each in pairs for span in _spans_in(each, how.kind))
        if lists and not any(each for found in lists for each in found):
            return NumberReading(STARTS, (), "a path")
        return NumberReading(how.kind, spans, "a path") if spans else None
    if how.pattern is not None and isinstance(answer, str):
        matched = matches(answer, how.pattern)
        spans = tuple(span for line in matched for span in _spans_of(line, how.kind))
        return NumberReading(how.kind, spans, "a pattern") if spans else None
    if is_empty_list(answer):
        return NumberReading(STARTS, (), JSON)
    if not isinstance(answer, str):
        return decide_reading(lines_of_json(answer), JSON, asked)
    of_json = json_lines_of_text(answer)
    if of_json is not None:
        return decide_reading(of_json, JSON, asked)
    lines, in_table = lines_of_text(answer)
    return decide_reading(lines, TABLE if in_table else LINES, asked)


def _json_of(text: str) -> list[object]:
    """Return the JSON that a text is, or the lists and objects in it."""
    try:
        return [json.loads(text)]
    except (ValueError, RecursionError):
        return [value for *_, value in values_in(text)]


def _lists_at(value: object, paths: Sequence[FieldPath], place: RowPlace) -> list[list[object]]:
    """Return the values at each path; nothing if a path leads nowhere."""
    try:
        found = [path.value(value, "the answer", place) for path in paths]
    except Refused:
        return []
    return [each if isinstance(each, list) else [each] for each in found]


def _spans_in(values: Sequence[object], kind: str) -> Iterator[Span]:
    """Yield the numbers of a list; of ranges, each element is a pair, a text or a number."""
    for value in values:
        if isinstance(value, str):
            yield from _spans_of(value, kind)
        elif isinstance(value, list | tuple) and value and all(type(each) is int for each in value):
            if kind == RANGES:
                yield value[0], value[-1]
            else:
                yield value[0], value[0]
        elif isinstance(value, dict) and kind == RANGES and {"start", "end"} <= value.keys():
            yield from _spans_in([[value["start"], value["end"]]], kind)
        elif isinstance(value, int) and not isinstance(value, bool):
            yield value, value


def _spans_of(text: str, kind: str) -> Iterator[Span]:
    """Yield the first range or number of a text, or all of them if it has nothing else."""
    line = read_line(text)
    if kind == RANGES and (ranges := ranges_in(line)):
        yield from ranges if line.bare else ranges[:1]
    elif line.mentions and (kind != RANGES or len(line.mentions) == 1):
        first = line.mentions[0]
        values = first.values if first.is_list and line.bare else first.values[:1]
        yield from ((value, value) for value in values)


def without_cut_number(reading: NumberReading, answer: object, asked: Asked) -> NumberReading:
    """Return a reading without its last number if that must have been cut: 4 of 1, 21, 41.

    It ends the answer, is smaller than the number before, and with more digits would not be.
    """
    numbers = [number for span in reading.spans for number in dict.fromkeys(span)]
    if reading.kind == SIZES or len(numbers) < 2 or not isinstance(answer, str):
        return reading
    *_, before, last = numbers
    lows = (max(last * 10**digits, before + 1) for digits in range(1, len(str(asked.last))))
    highs = (last * 10**digits + 10**digits - 1 for digits in range(1, len(str(asked.last))))
    longer = any(low <= min(high, asked.last) for low, high in zip(lows, highs, strict=True))
    if last < before and longer and answer.endswith(str(last)):
        return replace(reading, spans=reading.spans[:-1])
    return reading


def infer_first(zeros: int, lasts: int) -> int:
    """Infer the number of the first unit from answers with 0 or with the number of units.

    Raises:
        Refused: neither occurs, or both do.
    """
    if bool(zeros) == bool(lasts):
        found = (
            f"{zeros} answers contain 0, and {lasts} the number of units of their document"
            if zeros
            else "no answer contains 0 or the number of units of its document"
        )
        raise Refused(
            f"{found}, so that the number of the first unit is not clear; give it with "
            "--first-number 0 or --first-number 1"
        )
    return 0 if zeros else 1

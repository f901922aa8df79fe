"""Read numbers of units from an answer, and make boundaries of them; count what is wrong."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.answers.deciding import (
    JSON,
    LINES,
    TABLE,
    Asked,
    Decision,
    NumberReading,
    decide,
)
from segscore.pipeline.importing.answers.json_numbers import json_lines_of_text, lines_of_json
from segscore.pipeline.importing.answers.layouts import read_lines
from segscore.pipeline.importing.answers.mentions import read_line
from segscore.pipeline.importing.answers.options import AUTO, ENDS, NUMBERS, RANGES, SIZES
from segscore.pipeline.importing.answers.patterns import matches, require_pattern
from segscore.pipeline.importing.answers.ranges_found import Span, ranges_of
from segscore.pipeline.importing.field_paths import FieldPath, field_path
from segscore.pipeline.settings.ranges import one_of
from segscore.pipeline.tables.rows import RowPlace

_OPTION = "--numbers"
_PATTERN = "pattern:"

OUTSIDE, NOT_ASCENDING, REPEATED = "outside", "not ascending", "repeated"
GAP, OVERLAP, SUM, MISSING_TAIL = "gap", "overlap", "wrong sum", "missing tail"


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
    kinds = NUMBERS if place else (AUTO, *NUMBERS)
    one_of(_OPTION, kind, kinds, ", alone or before a path such as starts:segments[].start")
    if place.startswith(_PATTERN):
        pattern = place.removeprefix(_PATTERN)
        require_pattern(_OPTION, pattern)
        return HowNumbered(kind, pattern=pattern)
    paths = tuple(field_path(_OPTION, path) for path in place.split(",")) if place else ()
    if len(paths) > 1 and (kind != RANGES or len(paths) > 2):
        raise Refused(f"{_OPTION} {text}: names several paths; only ranges have two, START,END")
    return HowNumbered(kind, paths)


def read_numbers(answer: object, how: HowNumbered, asked: Asked, place: RowPlace) -> Decision:
    """Read the numbers in an answer: a text, or what JSON has in its place.

    A path or a pattern is taken at its word; otherwise the answer shows which numbers name units.
    """
    if how.paths:
        value = _json(answer) if isinstance(answer, str) else answer
        spans = tuple(_spans_at(value, how, place))
        return NumberReading(how.kind, spans, "a path") if spans else None
    if how.pattern is not None and isinstance(answer, str):
        found = matches(answer, how.pattern)
        spans = tuple(span for line in found for span in _spans_of(line, how.kind))
        return NumberReading(how.kind, spans, "a pattern") if spans else None
    if not isinstance(answer, str):
        return decide(lines_of_json(answer), JSON, asked)
    of_json = json_lines_of_text(answer)
    if of_json is not None:
        return decide(of_json, JSON, asked)
    lines, in_table = read_lines(answer)
    return decide(lines, TABLE if in_table else LINES, asked)


def _json(text: str) -> object:
    """Return the JSON in a text, between its first bracket and its last; None if it is not JSON."""
    stripped = text.strip()
    if stripped and stripped[0] not in "[{":
        begin = min((at for at in map(stripped.find, "[{") if at >= 0), default=0)
        stripped = stripped[begin : max(stripped.rfind("]"), stripped.rfind("}")) + 1]
    try:
        return json.loads(stripped)
    except (ValueError, RecursionError):
        return None


def _spans_at(value: object, how: HowNumbered, place: RowPlace) -> Iterator[Span]:
    try:
        found = [path.value(value, "the answer", place) for path in how.paths]
    except Refused:
        return
    lists = [each if isinstance(each, list) else [each] for each in found]
    if len(lists) == 1:
        yield from _spans_in(lists[0], how.kind)
        return
    for start, end in zip(*lists, strict=False):
        yield from _spans_in([[start, end]], how.kind)


def _spans_in(values: Sequence[object], kind: str) -> Iterator[Span]:
    """Yield the numbers of a list; of ranges, each element is a pair, a text or a number."""
    for value in values:
        if isinstance(value, str):
            yield from _spans_of(value, kind)
        elif isinstance(value, list) and value and all(type(each) is int for each in value):
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
    if kind == RANGES and (ranges := ranges_of(line)):
        yield from ranges if line.bare else ranges[:1]
    elif line.mentions and (kind != RANGES or len(line.mentions) == 1):
        first = line.mentions[0]
        values = first.values if first.is_list and line.bare else first.values[:1]
        yield from ((value, value) for value in values)


@dataclass
class NumberedBoundaries:
    """The boundaries that numbers name.

    Attributes:
        boundaries: positions, strictly ascending in 1..n_units-1.
        missing_tail: number of units after the last segment.
        problems: how often the numbers are wrong, by what is wrong.
    """

    boundaries: list[int]
    missing_tail: int = 0
    problems: Counter[str] = field(default_factory=Counter)


def boundaries_of(reading: NumberReading, first: int, n_units: int) -> NumberedBoundaries:
    """Make boundaries of numbers.

    A gap belongs to the segment before it, segments that overlap are cut where the later one
    starts, numbers outside the document are dropped, repeated ones count once.

    Args:
        reading: the numbers, at least one.
        first: number of the first unit, 0 or 1, unless the reading says it; sizes have none.
        n_units: number of units of the document.
    """
    kind, first = reading.kind, first if reading.first is None else reading.first
    if kind == SIZES:
        return _from_sizes([size for size, _ in reading.spans], n_units)
    problems: Counter[str] = Counter()
    inside: list[tuple[int, int]] = []
    for low, high in reading.spans:
        span = (low - first + 1, high - first + 1)
        if span[0] > span[1]:
            problems[NOT_ASCENDING] += 1
            span = span[::-1]
        if not (span[0] >= 1 and span[1] <= n_units):
            problems[OUTSIDE] += 1
            span = (max(span[0], 1), min(span[1], n_units))
            if kind != RANGES or span[0] > span[1]:
                continue
        inside.append(span)
    starts = [low for low, _ in inside]
    problems[NOT_ASCENDING] += sum(a > b for a, b in pairwise(starts))
    problems[REPEATED] += len(starts) - len({*starts})
    missing = 0
    if kind == RANGES:
        missing = _check_ranges(sorted(inside), n_units, problems)
    elif kind == ENDS:
        missing = n_units - max(starts, default=0)
    problems[MISSING_TAIL] += missing > 0
    shift = 1 if kind != ENDS else 0
    positions = {start - shift for start in starts}
    return NumberedBoundaries(sorted(positions - {0, n_units}), missing, +problems)


def _check_ranges(spans: Sequence[tuple[int, int]], n_units: int, problems: Counter[str]) -> int:
    """Count gaps and overlaps, and return the number of units after the last range."""
    reached = 0
    for low, high in spans:
        if low > reached + 1:
            problems[GAP] += 1
        elif low <= reached:
            problems[OVERLAP] += 1
        reached = max(reached, high)
    return n_units - reached


def _from_sizes(sizes: Sequence[int], n_units: int) -> NumberedBoundaries:
    """Make boundaries of sizes; what the last segment lacks or has too many is counted."""
    problems: Counter[str] = Counter()
    filled = [size for size in sizes if size > 0]
    problems[OUTSIDE] += len(sizes) - len(filled)
    ends = [*accumulate(filled)]
    total = ends[-1] if ends else 0
    problems[SUM] += total != n_units
    missing = max(0, n_units - total)
    problems[MISSING_TAIL] += missing > 0
    inside = [end for end in ends[:-1] if end < n_units]
    return NumberedBoundaries(inside, missing, +problems)


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

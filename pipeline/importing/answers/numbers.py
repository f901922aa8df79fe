"""Read numbers of units from an answer, and make boundaries of them; count what is wrong."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.answers.breaks import lines_of
from segscore.pipeline.importing.answers.forms import RANGE, is_clear, only_list
from segscore.pipeline.importing.answers.options import ENDS, NUMBERS, RANGES, SIZES
from segscore.pipeline.importing.answers.patterns import matches, require_pattern
from segscore.pipeline.importing.field_paths import FieldPath, field_path
from segscore.pipeline.settings.ranges import one_of
from segscore.pipeline.tables.rows import RowPlace

_OPTION = "--numbers"
_PATTERN = "pattern:"
_MOST_DIGITS = 15

_NUMBER = re.compile(r"[0-9]+(?:[.,][0-9]+)*")
_BETWEEN = r"(?:[ \t]*[,;&][ \t]*(?:and[ \t]+)?|[ \t]+and[ \t]+|[ \t]+)"
_LIST_LINE = re.compile(
    rf"[\[(\"'*_`]*[ \t]*[0-9]+(?:{_BETWEEN}[0-9]+)+[ \t]*[\])\"'*_`]*[ \t]*[,;.]?"
)
_DIGITS = re.compile("[0-9]+")
_ONLY_RANGES = re.compile(r"[\[\](),;. \t]*(?:and)?[\[\](),;. \t]*")

OUTSIDE, NOT_ASCENDING, REPEATED = "outside", "not ascending", "repeated"
GAP, OVERLAP, SUM, MISSING_TAIL = "gap", "overlap", "wrong sum", "missing tail"
UNREAD = "unread"


@dataclass(frozen=True)
class HowNumbered:
    """How an answer names units.

    Attributes:
        kind: starts, ends, ranges or sizes.
        paths: where the numbers are in JSON; of ranges one path to pairs, or two.
        pattern: a regular expression whose matches contain the numbers; None to read lines.
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
    one_of(_OPTION, kind, NUMBERS, ", alone or before a path such as starts:segments[].start")
    if place.startswith(_PATTERN):
        pattern = place.removeprefix(_PATTERN)
        require_pattern(_OPTION, pattern)
        return HowNumbered(kind, pattern=pattern)
    paths = tuple(field_path(_OPTION, path) for path in place.split(",")) if place else ()
    if len(paths) > 1 and (kind != RANGES or len(paths) > 2):
        raise Refused(f"{_OPTION} {text}: names several paths; only ranges have two, START,END")
    return HowNumbered(kind, paths)


@dataclass(frozen=True)
class Numbers:
    """The numbers in an answer.

    Attributes:
        spans: pairs of the first and last unit of ranges; else the number twice.
        unread: number of further numbers in the lines that were read.
        clear: whether the numbers that were read are plainly the right ones nevertheless.
    """

    spans: list[tuple[int, int]]
    unread: int = 0
    clear: bool = True

    @property
    def all(self) -> set[int]:
        """All numbers."""
        return {number for span in self.spans for number in span}


def numbers_in(answer: object, how: HowNumbered, place: RowPlace) -> Numbers:
    """Read the numbers in an answer: a text, or what JSON has in its place.

    Returns:
        The numbers; none if the answer is not what ``how`` says.
    """
    value = answer if not isinstance(answer, str) else _json(answer, wanted=bool(how.paths))
    if how.paths:
        return Numbers([*_spans_at(value, how, place)])
    if how.pattern is None or not isinstance(answer, str):
        value = only_list(answer if value is None else value, how.kind) or value
    if isinstance(value, list):
        return Numbers([*_spans_in(value, how.kind)])
    if isinstance(value, int) and not isinstance(value, bool):
        return Numbers([(value, value)])
    if not isinstance(answer, str):
        return Numbers([])
    if how.pattern is not None:
        found = matches(answer, how.pattern)
        return Numbers([span for line in found for span in _spans_of(line, how.kind)])
    lines = [*lines_of(answer)]
    spans = [[*_spans_of(line, how.kind)] for line in lines]
    read = [(2 if how.kind == RANGES else 1) * len(of_line) for of_line in spans]
    there = [len(_DIGITS.findall(line)) for line in lines]
    unread = max(0, sum(there) - sum(read))
    clear = not unread or all(
        found <= of_line or is_clear(line, how.kind)
        for line, found, of_line in zip(lines, there, read, strict=True)
    )
    return Numbers([span for of_line in spans for span in of_line], unread, clear)


def _json(text: str, *, wanted: bool) -> object:
    """Return a text as JSON if it is a list or a number, or if JSON is wanted; else None."""
    stripped = text.strip()
    if not wanted and not stripped.startswith("["):
        return None
    if wanted and stripped and stripped[0] not in "[{":
        begin = min((at for at in map(stripped.find, "[{") if at >= 0), default=0)
        stripped = stripped[begin : max(stripped.rfind("]"), stripped.rfind("}")) + 1]
    try:
        return json.loads(stripped)
    except (ValueError, RecursionError):
        return None


def _spans_at(value: object, how: HowNumbered, place: RowPlace) -> Iterator[tuple[int, int]]:
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


def _spans_in(values: Sequence[object], kind: str) -> Iterator[tuple[int, int]]:
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


def _spans_of(line: str, kind: str) -> Iterator[tuple[int, int]]:
    """Yield the first range or number of a line, or all of them if it has nothing else."""
    if kind == RANGES:
        found = [*RANGE.finditer(line)]
        if all(_ONLY_RANGES.fullmatch(rest) for rest in RANGE.sub("\0", line).split("\0")):
            yield from ((_whole(one[1]), _whole(one[2])) for one in found)
            return
        if found:
            yield _whole(found[0][1]), _whole(found[0][2])
            return
        numbers = _NUMBER.findall(line)
        if len(numbers) == 1 and numbers[0].isdigit():
            yield _whole(numbers[0]), _whole(numbers[0])
        return
    if _LIST_LINE.fullmatch(line.strip()):
        for number in re.findall("[0-9]+", line):
            yield _whole(number), _whole(number)
        return
    first = _NUMBER.search(line)
    if first is not None and first[0].isdigit():
        yield _whole(first[0]), _whole(first[0])


def _whole(digits: str) -> int:
    """Return a number; one of very many digits is certainly no unit, and becomes a large one."""
    return int(digits) if len(digits) <= _MOST_DIGITS else 10**_MOST_DIGITS


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


def boundaries_of(numbers: Numbers, kind: str, first: int, n_units: int) -> NumberedBoundaries:
    """Make boundaries of numbers.

    A gap belongs to the segment before it, segments that overlap are cut where the later one
    starts, numbers outside the document are dropped, repeated ones count once.

    Args:
        numbers: the numbers, at least one.
        kind: starts, ends, ranges or sizes.
        first: number of the first unit, 0 or 1; sizes have none.
        n_units: number of units of the document.
    """
    if kind == SIZES:
        return _from_sizes([size for size, _ in numbers.spans], n_units)
    problems: Counter[str] = Counter()
    inside: list[tuple[int, int]] = []
    for low, high in numbers.spans:
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

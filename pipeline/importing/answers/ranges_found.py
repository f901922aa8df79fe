"""Find the ranges that an answer names, however it writes them, and whether they cover a document.

Ranges that follow each other from the first unit to the last are no coincidence.  They tell which
numbers of an answer name units, and what the first unit is called.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from segscore.pipeline.importing.answers.mentions import AnswerLine, NumberMention
from segscore.pipeline.importing.answers.roles import Role

Span = tuple[int, int]
"""The first and the last unit of a segment, in the numbers of an answer."""

MOST_COLUMNS = 8
"""The most numbers side by side that are looked at as columns."""


def covering(spans: Sequence[Span], n_units: int) -> tuple[list[Span], int] | None:
    """Return ranges that cover a document without gap or overlap, and its first number; or None.

    Args:
        spans: ranges in the order of the answer; their ends may be exclusive.
        n_units: number of units of the document.
    """
    if not spans or any(low > high for low, high in spans):
        return None
    first, last = spans[0][0], spans[-1][1]
    if first not in (0, 1):
        return None
    if last == first + n_units - 1 and all(b[0] == a[1] + 1 for a, b in pairwise(spans)):
        return [*spans], first
    chained = all(b[0] == a[1] for a, b in pairwise(spans))
    if last == first + n_units and chained and all(low < high for low, high in spans):
        return [(low, high - 1) for low, high in spans], first
    return None


def possible_ranges(lines: Sequence[AnswerLine], n_units: int) -> Iterator[list[Span]]:
    """Yield what the ranges of an answer may be, without a range of all units beside others."""
    loose = any(each.loose for line in lines for each in line.mentions)
    for spans in _stated(lines):
        parts = _parts(spans, n_units)
        if not (loose and (counts_up(parts) or len(parts) == 1 < len(lines))):
            yield parts
    if not loose and 2 * sum(map(bool, map(ranges_of, lines))) >= len(lines):
        yield _parts([span for line in lines for span in _range_or_single(line)], n_units)
    for spans in _told(lines):
        yield _parts(spans, n_units)


def _parts(spans: list[Span], n_units: int) -> list[Span]:
    """Return ranges without those of all units, unless there is no other."""
    return [(low, high) for low, high in spans if high - low not in (n_units - 1, n_units)] or spans


def _stated(lines: Sequence[AnswerLine]) -> Iterator[list[Span]]:
    """Yield all ranges, the first of each line, and the last."""
    yield [span for line in lines for span in ranges_of(line)]
    yield [ranges[0] for line in lines if (ranges := ranges_of(line))]
    yield [ranges[-1] for line in lines if (ranges := ranges_of(line))]


def _told(lines: Sequence[AnswerLine]) -> Iterator[list[Span]]:
    """Yield ranges that are written in other ways: as starts and ends, pairs, or all units."""
    yield bounds_of(lines)
    yield pairs_of(lines)
    yield _members(lines, lists=True)
    yield _members(lines, lists=False)
    yield from _neighbouring_columns(lines)


def counts_up(spans: Sequence[Span]) -> bool:
    """Return whether the first numbers of ranges may be those of a list: 0, 1, 2 or 1, 2, 3."""
    lows = [low for low, _ in spans]
    return len(lows) > 1 and lows[0] in (0, 1) and lows == [*range(lows[0], lows[0] + len(lows))]


def ranges_of(line: AnswerLine) -> list[Span]:
    """Return the ranges that a line states, but for those of segments."""
    return [
        (each.values[0], each.values[1])
        for each in line.mentions
        if each.is_range and each.role is not Role.SEGMENT
    ]


def _range_or_single(line: AnswerLine) -> Iterator[Span]:
    """Yield the first range of a line, or the one unit that it names instead."""
    if ranges := ranges_of(line):
        yield ranges[0]
        return
    singles = [each for each in line.mentions if len(each.values) == 1 and _may_name_units(each)]
    named = [each for each in singles if each.names_units] or singles
    if len(named) == 1:
        yield named[0].values[0], named[0].values[0]


def _may_name_units(mention: NumberMention) -> bool:
    return mention.role not in (Role.COUNT, Role.SEGMENT)


def bounds_of(lines: Sequence[AnswerLine]) -> list[Span]:
    """Return the ranges whose starts and ends are named as such; none if their numbers differ."""
    starts, ends = (
        [
            value
            for line in lines
            for each in line.mentions
            if each.role is role and not each.is_range
            for value in each.values
        ]
        for role in (Role.START, Role.END)
    )
    return [*zip(starts, ends, strict=True)] if len(starts) == len(ends) else []


def pairs_of(lines: Sequence[AnswerLine]) -> list[Span]:
    """Return the lists of two numbers, if all lists have two and nothing says what they are.

    A single one is a pair only inside another list: `[1, 21]` has two starts, `[[1, 21]]` a range.
    """
    lists = [each for line in lines for each in line.mentions if each.is_list]
    told = any(each.role in (Role.START, Role.END, Role.COUNT) for each in lists)
    labels = {each.label for each in lists} - {"", "["}
    singles = any(m.label in labels and not m.is_list for line in lines for m in line.mentions)
    if told or singles or any(len(each.values) != 2 for each in lists):
        return []
    alone = len(lists) == 1 and lists[0].label in ("", "[")
    return [] if alone else [(each.values[0], each.values[1]) for each in lists]


def _members(lines: Sequence[AnswerLine], *, lists: bool) -> list[Span]:
    """Return the ranges that lines name by all their units, such as `1, 2, 3`; or none.

    Args:
        lines: the lines.
        lists: whether units are in lists; else each line has nothing but units, named alike, as a
            text that repeats their labels.
    """
    labels = {each.label for line in lines for each in line.mentions if each.is_list}
    rows: list[list[NumberMention]] = []
    for line in lines:
        named = [each for each in line.mentions if _may_name_units(each) and not each.is_range]
        of_lists = [each for each in named if each.is_list]
        alike = [each for each in named if each.label in labels]
        rows.append((of_lists or alike) if lists else named)
    rows = [row for row in rows if row]
    values = [[value for each in row for value in each.values] for row in rows]
    follows = all(row == [*range(row[0], row[0] + len(row))] for row in values)
    same = len({each.label for row in rows for each in row}) == 1
    longest = max(map(len, values), default=0)
    single = all(len(row) == 1 for row in rows)
    told = (longest > 1 and single) if lists else (longest > 2 and same)
    return [(row[0], row[-1]) for row in values] if follows and told and len(rows) > 1 else []


def _neighbouring_columns(lines: Sequence[AnswerLine]) -> Iterator[list[Span]]:
    """Yield the pairs of numbers that stand side by side, if all lines have equally many."""
    singles = [
        [each for each in line.mentions if len(each.values) == 1 and _may_name_units(each)]
        for line in lines
    ]
    rows = [row for row in singles if row]
    columns = len(rows[0]) if rows else 0
    if len(rows) < 2 or columns > MOST_COLUMNS or any(len(row) != columns for row in rows):
        return
    for column in range(columns - 1):
        pairs = [(row[column], row[column + 1]) for row in rows]
        spans = [(low.values[0], high.values[0]) for low, high in pairs]
        told = any(low.role is Role.END or high.role is Role.START for low, high in pairs)
        told = told or any(low.names_units > high.names_units for low, high in pairs)
        if not told and not counts_up(spans):
            yield spans

"""Decide which numbers of an answer name units, and what they are, by what the answer shows.

Ranges that cover the document decide at once.  Otherwise numbers must be ascending and inside the
document, names of starts, ends and units count, and numbers 1, 2, 3 before words may be those of
a list.  An answer that can be read in two ways that differ is not read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from segscore.pipeline.importing.answers.json_numbers import ELEMENT
from segscore.pipeline.importing.answers.mentions import AnswerLine, NumberMention
from segscore.pipeline.importing.answers.options import ENDS, RANGES, SIZES, STARTS
from segscore.pipeline.importing.answers.ranges_found import (
    MOST_COLUMNS,
    Span,
    bounds_of,
    counts_up,
    covering,
    pairs_of,
    possible_ranges,
    ranges_in,
)
from segscore.pipeline.importing.answers.roles import Role

JSON, TABLE, LINES, LIST = "JSON", "a table", "lines", "a list"
"""Where the numbers of an answer are."""

IN_DOUBT = "in doubt"
"""What a failure begins with if an answer can be read in several ways."""

_MOST_SHOWN = 4
_THOUSAND = 1000
_MOST_REMARKS = 3
_FLAGS = {0, 1}


@dataclass(frozen=True)
class Asked:
    """What is known when an answer is read.

    Attributes:
        kind: what numbers are if the answer does not show it: auto, starts, ends, ranges or sizes.
        n_units: number of units of the document.
        first: number of the first unit, 0 or 1.
        cut: whether the end of the answer is missing.
    """

    kind: str
    n_units: int
    first: int
    cut: bool = False

    @property
    def last(self) -> int:
        """Number of the last unit."""
        return self.first + self.n_units - 1

    def has(self, number: int) -> bool:
        """Return whether a number is that of a unit."""
        return self.first <= number <= self.last


@dataclass(frozen=True)
class NumberReading:
    """One way to read the numbers of an answer.

    Attributes:
        kind: starts, ends, ranges or sizes.
        spans: ranges, or each number twice.
        where: where the numbers are.
        first: number of the first unit, if the numbers show it; None for the one that is asked for.
    """

    kind: str
    spans: tuple[Span, ...]
    where: str
    first: int | None = None

    @property
    def name(self) -> str:
        """What the answer is read as."""
        if not self.spans:
            return f"an empty list in {self.where}"
        counted = "" if self.first is None else f", from {self.first}"
        return f"{self.kind} in {self.where}{counted}"

    @property
    def shown(self) -> str:
        """The kind and the first numbers."""
        texts = [f"{a}-{b}" if self.kind == RANGES else str(a) for a, b in self.spans]
        more = ", ..." if len(texts) > _MOST_SHOWN else ""
        return f"{self.kind} {', '.join(texts[:_MOST_SHOWN])}{more}"


@dataclass(frozen=True)
class Doubtful:
    """Why an answer is not read: the ways in which it can be."""

    ways: tuple[str, ...]

    def __str__(self) -> str:
        return f"{IN_DOUBT}: {' or '.join(self.ways)}"


TWO_LISTS = Doubtful(("2 lists", "one list"))

Decision = NumberReading | Doubtful | None
"""How an answer is read; None if it names no number."""


def decide_reading(lines: Sequence[AnswerLine], where: str, asked: Asked) -> Decision:
    """Decide how the numbers in the lines of an answer are read."""
    numbered = [line for line in lines if line.mentions]
    if not numbered:
        return None
    covers: dict[tuple[int, ...], tuple[list[Span], int]] = {}
    for spans in possible_ranges(numbered, asked.n_units):
        cover = covering(spans, asked.n_units)
        if cover is not None:
            covers.setdefault(tuple(low - cover[1] for low, _ in cover[0]), cover)
    whole = covers.pop((0,), None)
    if len(covers) > 1:
        return Doubtful(tuple(_ranges(each, where, asked).shown for each in covers.values()))
    if covers:
        (found,) = covers.values()
        return _ranges(found, where, asked)
    decided = _incomplete(numbered, where, asked)
    if whole is None or isinstance(decided, NumberReading) or not _is_alone(numbered, asked):
        return decided
    return _ranges(whole, where, asked)


def _ranges(found: tuple[list[Span], int], where: str, asked: Asked) -> NumberReading:
    spans, first = found
    return NumberReading(RANGES, tuple(spans), where, None if first == asked.first else first)


def _is_alone(lines: Sequence[AnswerLine], asked: Asked) -> bool:
    """Return whether an answer has a range and no other number but those of segments."""
    others = [
        each
        for line in lines
        for each in line.mentions
        if not each.is_range and each.role is not Role.SEGMENT
        if each.role is not Role.COUNT or each.values[0] != asked.n_units
    ]
    return len(others) <= 1 and all(each.leads and not each.names_units for each in others)


def _incomplete(lines: Sequence[AnswerLine], where: str, asked: Asked) -> Decision:
    """Read numbers that are no ranges that cover the document."""
    if asked.n_units >= _THOUSAND and any(each.glued for line in lines for each in line.mentions):
        return Doubtful(("numbers with commas in them", "lists"))
    for read in (_sizes, _ranges_with_faults, _bounds, _bare_numbers, _one_list, _columns):
        found = read(lines, where, asked)
        if found is not None:
            return found
    return Doubtful(("numbers of units", "other numbers"))


def _sizes(lines: Sequence[AnswerLine], where: str, asked: Asked) -> Decision:
    """Read counts of units, if they add up to the document, or if sizes are asked for."""
    having = [line for line in lines if {*_counts([line])} - {asked.n_units}]
    others = [line for line in lines if any(m.role is not Role.SEGMENT for m in line.mentions)]
    leading = [line for line in others if line.leads]
    if any(not _counts([line]) for line in leading):
        return None
    every = _counts(having)
    parts = tuple(value for value in every if value != asked.n_units)
    for values in (every, parts, _counts(leading)):
        alone = len(values) >= len(having) - 1 and len(lines) - len(having) <= _MOST_REMARKS
        if len(values) > 1 and sum(values) == asked.n_units and alone:
            return _twice(SIZES, values, where)
    return (
        _twice(SIZES, every, where)
        if asked.kind == SIZES and having and having == leading
        else None
    )


def _counts(lines: Sequence[AnswerLine]) -> tuple[int, ...]:
    return tuple(
        v for line in lines for m in line.mentions if m.role is Role.COUNT for v in m.values
    )


def _twice(kind: str, values: Sequence[int], where: str) -> NumberReading:
    return NumberReading(kind, tuple((value, value) for value in values), where)


def _ranges_with_faults(lines: Sequence[AnswerLine], where: str, asked: Asked) -> Decision:
    """Read ranges that leave something out or overlap, if all of them plainly name units."""
    having = [line for line in lines if _plain_ranges(line)]
    if not having:
        return None
    spans = [span for line in having for span in (_all_or_first(line))]
    others = [line for line in lines if not _plain_ranges(line)]
    reading = NumberReading(RANGES, tuple(spans), where)
    last = NumberReading(RANGES, tuple(_plain_ranges(line)[-1] for line in having), where)
    before = {sum(map(_is_plain, takewhile(_is_plain, line.mentions))) for line in having}
    if len(before) > 1 or any(not line.bare and len(_plain_ranges(line)) > 1 for line in having):
        return Doubtful((reading.shown, last.shown))
    if len(spans) > 1 and all(a[1] == b[0] for a, b in pairwise(spans)):
        return Doubtful((f"{reading.shown} with ends inside", "with ends outside"))
    loose = any(each.loose for line in having for each in line.mentions)
    overlap = any(a[1] >= b[0] for a, b in pairwise(spans))
    if (loose and (len(spans) == 1 or overlap or counts_up(spans))) or (
        overlap and counts_up(spans)
    ):
        return Doubtful((reading.shown, "numbers of a list"))
    beside = [m for line in others for m in line.mentions if line.leads or m.names_units]
    if any(map(_may_name_unit, beside)):
        return Doubtful((reading.shown, "other numbers"))
    if (stray := _stray(others, [v for span in spans for v in span], asked)) is not None:
        return Doubtful((reading.shown, f"a further number, {stray}"))
    return _checked(reading, asked)


def _is_plain(mention: NumberMention) -> bool:
    return len(mention.values) == 1


def _plain_ranges(line: AnswerLine) -> list[Span]:
    """Return the ranges of a line that name units: they lead, have a label, or stand alone."""
    plain = AnswerLine(
        tuple(m for m in line.mentions if m.is_range and (m.leads or m.names_units or line.bare))
    )
    return [span for span in ranges_in(plain) if line.bare or span[0] <= span[1]]


def _all_or_first(line: AnswerLine) -> list[Span]:
    ranges = _plain_ranges(line)
    return ranges if line.bare else ranges[:1]


def _bounds(lines: Sequence[AnswerLine], where: str, asked: Asked) -> Decision:
    """Read what is named as starts and ends, or pairs in JSON; starts alone if ends are missing."""
    may_be_pairs = where == JSON and (len(lines) > 1 or lines[0].mentions[0].label == ELEMENT)
    spans = bounds_of(lines) or (pairs_of(lines) if may_be_pairs else [])
    if any(a[1] >= b[0] for a, b in pairwise(spans)):
        return Doubtful((NumberReading(RANGES, tuple(spans), where).shown, "several lists"))
    if spans:
        return _checked(NumberReading(RANGES, tuple(spans), where), asked)
    return None


def _bare_numbers(lines: Sequence[AnswerLine], where: str, asked: Asked) -> Decision:
    """Read lines that have nothing but one number or list each."""
    bare = [line for line in lines if _is_bare_number(line)]
    named = [line.mentions[0] for line in bare]
    if not bare or any(m.role in (Role.COUNT, Role.SEGMENT) or m.is_range for m in named):
        return None
    lists = [each for each in named if each.is_list]
    if where == JSON and len(lists) > 1:
        return None
    values = [value for each in named for value in each.values]
    others = [line for line in lines if not _is_bare_number(line)]
    if any(line.leads for line in others) or _stray(others, values, asked) is not None:
        return None
    alike = len(lists) == len(bare) and len({len(m.values) for m in lists}) == 1
    falls = any(a >= b for a, b in pairwise(values)) and not _are_sizes(values, asked)
    if len(lists) > 1 and (alike or falls) and len({m.values for m in lists}) > 1:
        return Doubtful((f"{len(lists)} lists", "one list"))
    place = where if where != LINES or len(bare) > 1 else LIST
    return _numbers(values, _common_role(named), place, asked)


def _are_sizes(values: Sequence[int], asked: Asked) -> bool:
    return asked.kind == SIZES or sum(values) == asked.n_units


def _is_bare_number(line: AnswerLine) -> bool:
    return line.bare and len(line.mentions) == 1


def _one_list(lines: Sequence[AnswerLine], where: str, asked: Asked) -> Decision:
    """Read the only list of an answer."""
    lists = [(line, m) for line in lines for m in line.mentions if m.is_list]
    if not lists:
        return None
    if len(lists) > 1:
        shown = tuple(_twice("numbers", m.values, where).shown for _, m in lists[:2])
        return Doubtful(shown)
    line, found = lists[0]
    if not line.bare and any(a >= b for a, b in pairwise(found.values)) and asked.kind != SIZES:
        return Doubtful((_twice("numbers", found.values, where).shown, "other numbers"))
    others = [other for other in lines if other is not line]
    beside = AnswerLine(tuple(each for each in line.mentions if each is not found))
    stray = _stray([*others, beside], found.values, asked)
    if stray is not None:
        return Doubtful(
            (_twice("numbers", found.values, where).shown, f"a further number, {stray}")
        )
    return _numbers(found.values, found.role, where if where != LINES else LIST, asked)


def _stray(lines: Sequence[AnswerLine], values: Sequence[int], asked: Asked) -> int | None:
    """Return a number that may name a unit and is not among those that were read; or None.

    One line may name the number of segments, or of boundaries.
    """
    read = {*values}
    known = read | {asked.first, asked.last, asked.n_units}
    about = {len(values) - 1, len(values), len(values) + 1}
    for line in lines:
        told: set[int] = set()
        for each in line.mentions:
            if not _may_name_unit(each):
                continue
            for value in each.values:
                if not asked.has(value) or value in (read if line.leads else known):
                    continue
                if each.names_units or line.leads or value not in about:
                    return value
                told.add(value)
        if told:
            about = set()
    return None


def _columns(lines: Sequence[AnswerLine], where: str, asked: Asked) -> Decision:
    """Read one number of each line: the first, unless these are the numbers of a list."""
    lines = [line for line in lines if any(map(_may_name_unit, line.mentions))]
    leading = [line for line in lines if line.leads]
    items = leading or lines
    if not items or (not leading and not all(line.ends for line in lines)):
        return Doubtful(("numbers of units", "numbers in sentences"))
    others = [line for line in lines if leading and not line.leads]
    columns = _possible_columns(items, asked)
    if not columns:
        if leading and _begins_again(items):
            return TWO_LISTS
        values = [line.mentions[0].values[0] for line in items]
        kinds = "numbers of a list" if leading else "other numbers"
        return Doubtful((_twice("units", values, where).shown, kinds))
    shown = tuple(_twice("units", _values(each), where).shown for each in columns)
    if len(columns) > 1:
        return Doubtful(shown[:2])
    values = _values(columns[0])
    counts = {*_counts(lines)} - {asked.n_units}
    if counts and not any(each.names_units for each in columns[0]):
        return Doubtful((*shown, "sizes"))
    stray = _further(items[0], values[0]) if len(items) == 1 else _stray(others, values, asked)
    if stray is not None:
        return Doubtful((*shown, f"a further number, {stray}"))
    return _numbers(values, _common_role(columns[0]), where, asked)


def _possible_columns(items: Sequence[AnswerLine], asked: Asked) -> list[list[NumberMention]]:
    """Return the columns of numbers that may be of units; those of a list are none."""
    lead = [line.mentions[0] for line in items] if items[0].leads else []
    counted = bool(lead) and _may_be_counted(lead)
    columns = _named_columns(items, 1 if counted else 0)
    if lead and not counted:
        others = [each for each in columns if _values(each) != _values(lead)]
        return [lead, *(others or _last_column(items, asked))]
    columns = columns or _only_other(items, 1 if counted else 0, asked)
    alone = counted and len(lead) == 1 and lead[0].values[0] == asked.first
    return [lead] if alone and not columns else columns


def _may_name_unit(mention: NumberMention) -> bool:
    return mention.role not in (Role.COUNT, Role.SEGMENT)


def _further(line: AnswerLine, value: int) -> int | None:
    """Return a number of the only line that is not the one that was read; None if there is none."""
    others = (m.values[0] for m in line.mentions if _may_name_unit(m))
    return next((other for other in others if other != value), None)


def _values(column: Sequence[NumberMention]) -> list[int]:
    return [each.values[0] for each in column]


def _may_be_counted(lead: Sequence[NumberMention]) -> bool:
    """Return whether the first numbers of lines may be those of a list, or of segments."""
    values = _values(lead)
    if any(each.role is Role.SEGMENT for each in lead):
        return True
    if any(each.role in (Role.START, Role.END) for each in lead):
        return False
    if len(lead) == 1 and lead[0].role is Role.UNIT:
        return False
    return values[0] in _FLAGS and all(b in (a + 1, values[0]) for a, b in pairwise(values))


def _begins_again(items: Sequence[AnswerLine]) -> bool:
    """Return whether the numbers of a list begin again after several: 1, 2, 1, 2, 3."""
    values = [line.mentions[0].values[0] for line in items]
    return any(a > b for a, b in pairwise(values))


def _named_columns(items: Sequence[AnswerLine], skipped: int) -> list[list[NumberMention]]:
    """Return the columns of numbers that each line has once, named in the same way.

    Args:
        items: the lines.
        skipped: number of mentions at the start of each line that are no column.
    """
    found: dict[tuple[int, ...], list[NumberMention]] = {}
    rows = [line.mentions[skipped:] for line in items]
    named = [m for m in rows[0] if m.names_units and len(m.values) == 1]
    keys = dict.fromkeys((m.role, m.label) for m in named[:MOST_COLUMNS])
    for key in keys:
        column = [m for row in rows for m in row if (m.role, m.label) == key]
        single = all(len(m.values) == 1 for m in column)
        once = all(sum((m.role, m.label) == key for m in row) == 1 for row in rows)
        differ = len({*_values(column)}) > 1 or len(column) == 1
        if single and once and differ and not _is_counter(column):
            found.setdefault(tuple(_values(column)), column)
    return [*found.values()]


def _is_counter(column: Sequence[NumberMention]) -> bool:
    """Return whether a column counts segments, or may: 1, 2, 3 that are not called starts."""
    if column[0].role is Role.SEGMENT:
        return True
    values = _values(column)
    follows = values == [*range(values[0], values[0] + len(values))]
    return len(values) > 1 and follows and column[0].role not in (Role.START, Role.END)


def _only_other(
    items: Sequence[AnswerLine], skipped: int, asked: Asked
) -> list[list[NumberMention]]:
    """Return the only numbers of lines besides those of a list, if they are plainly of units.

    Either lines have nothing else, or the numbers begin or end all lines, and they begin with the
    first unit, end with the last, or add up to all.
    """
    rows = [line.mentions[skipped:] for line in items]
    if any(len(row) != 1 or not _is_plain(row[0]) or row[0].role is Role.COUNT for row in rows):
        return []
    column = [row[0] for row in rows]
    if len({each.role for each in column}) > 1:
        return []
    if skipped and all(line.bare for line in items):
        return [column]
    values = _values(column)
    placed = all(each.leads for each in column) or all(line.ends for line in items)
    ascending = all(a < b for a, b in pairwise(values))
    reaches = ascending and (values[0] == asked.first or values[-1] == asked.last)
    covers = len(values) > 1 and (reaches or sum(values) == asked.n_units)
    return [column] if placed and covers and not _is_counter(column) else []


def _last_column(items: Sequence[AnswerLine], asked: Asked) -> list[list[NumberMention]]:
    """Return the last numbers of lines that all have another one, if these may be units, too."""
    if any(len(line.mentions) < 2 for line in items):
        return []
    column = [line.mentions[-1] for line in items]
    values = _values(column)
    inside = all(map(asked.has, values)) and all(a < b for a, b in pairwise(values))
    return [column] if inside and all(each.role is not Role.COUNT for each in column) else []


def _common_role(column: Sequence[NumberMention]) -> Role:
    roles = {each.role for each in column}
    return roles.pop() if len(roles) == 1 else Role.NONE


def _numbers(values: Sequence[int], role: Role, where: str, asked: Asked) -> Decision:
    """Find out what numbers are that stand for a unit each: starts, ends or sizes."""
    doubt = _doubt_of_list(values, role, asked)
    if doubt is not None:
        return Doubtful(doubt)
    if role in (Role.START, Role.END):
        return _checked(_twice(STARTS if role is Role.START else ENDS, values, where), asked)
    readings = [_twice(kind, values, where) for kind in _possible_kinds(values, role, asked)]
    if len(readings) > 1 and asked.n_units > 1:
        return Doubtful(tuple(each.shown for each in readings))
    return _checked(readings[0], asked)


def _possible_kinds(values: Sequence[int], role: Role, asked: Asked) -> list[str]:
    """Return what numbers may be: what is asked for, and what they show if that differs."""
    unnamed = role is Role.NONE
    if asked.kind == SIZES and unnamed:
        return [SIZES]
    shown = _shown_kinds(values, asked)
    if role in (Role.NONE, Role.UNIT) and len(values) > 1 and sum(values) == asked.n_units:
        ascending = all(a < b for a, b in pairwise(values))
        shown = [*shown, SIZES] if ascending or not unnamed else [SIZES]
    if asked.kind not in (STARTS, ENDS):
        return shown
    return [asked.kind] if asked.kind in shown else [asked.kind, *shown]


def _shown_kinds(values: Sequence[int], asked: Asked) -> list[str]:
    """Return what units may be, by the first and the last unit: starts have one, ends the other."""
    begins, ends = asked.first in values, asked.last in values
    if begins != ends and (begins or len(values) > 1):
        return [STARTS] if begins else [ENDS]
    return [STARTS, ENDS]


def _doubt_of_list(values: Sequence[int], role: Role, asked: Asked) -> tuple[str, ...] | None:
    """Return why numbers may be no starts, ends or sizes at all; None if they may."""
    shown = _twice("numbers", values, LIST).shown
    if asked.kind == SIZES:
        return None
    n_units, different = asked.n_units, {*values}
    steps = different <= _FLAGS or all(b - a in _FLAGS for a, b in pairwise(values))
    many = len(values) in (n_units, n_units - 1) and 2 < len(values) > len(different)
    if many and steps:
        return (shown, "a label for each unit")
    if 0 in different and asked.first == 1:
        return (f"{shown} from 1", "from 0")
    if n_units in different and asked.first == 0 and 0 not in different:
        return (f"{shown} from 0", "from 1")
    pairs = [*zip(values[::2], values[1::2], strict=False)]
    follows = [*values] == [*range(values[0], values[0] + len(values))]
    told = role in (Role.START, Role.END) or follows
    if len(values) > 2 and not len(values) % 2 and not told and covering(pairs, n_units):
        return (shown, NumberReading(RANGES, tuple(pairs), LIST).shown)
    return None


def _checked(reading: NumberReading, asked: Asked) -> Decision:
    """Return a reading, unless more than half of its numbers are outside or repeated."""
    if reading.kind == SIZES:
        return reading
    spans = reading.spans
    if reading.kind == RANGES and asked.first and any(low == 0 for low, _ in spans):
        return Doubtful((f"{reading.shown} from 1", "from 0"))
    if reading.kind == RANGES and 2 * _left_out(spans, asked) > asked.n_units:
        return Doubtful((reading.shown, "a part of the document"))
    if reading.kind == ENDS and any(low == asked.last + 1 for low, _ in spans):
        return Doubtful((f"{reading.shown} with ends inside", "with ends outside"))
    kept = {low for low, high in spans if asked.has(low) and asked.has(high)}
    if 2 * len(kept) < len(spans):
        return Doubtful((reading.shown, "numbers that are not of units"))
    return reading


def _left_out(spans: Sequence[Span], asked: Asked) -> int:
    """Return the number of units that are in none of some ranges; if cut, up to the last range."""
    left, reached = 0, asked.first
    for low, high in sorted(spans):
        left += max(0, low - reached)
        reached = max(reached, high + 1)
    return left + (0 if asked.cut else max(0, asked.last + 1 - reached))

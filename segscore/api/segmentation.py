"""One segmentation of one document, created from any of the common notations."""

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, chain, pairwise
from math import floor
from numbers import Integral
from operator import index
from typing import TYPE_CHECKING, Any, Self

from segscore.api.wording import for_python, warn_user
from segscore.pipeline.errors import Refused
from segscore.pipeline.tables.label_changes import changes_of
from segscore.pipeline.tables.rows import NO_LINE, ParsedRow, RowPlace, integer_of, label_of, shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    WholeNumbers = Sequence[int] | NDArray[np.integer[Any]]

_PLACE = RowPlace("segmentation", NO_LINE)
_MOST_UNITS = 2**31 - 1
_RATES = {"ms": 1000, "s": 1, "units": 1}
"""Unit -> by how much the given numbers are multiplied: how many of them a second has."""

_IN_MILLISECONDS = "_in_milliseconds"
"""Attribute of a segmentation that was made of times, in this unit."""

_COLUMNS_DRAWN = 60
"""Largest number of units that are drawn one by one."""


@dataclass(frozen=True, init=False, repr=False)
class Segmentation:
    """The boundaries of one document by one coder.

    >>> import segscore
    >>> segscore.Segmentation(boundaries=[2, 5], n_units=11)
    Segmentation([2, 5], n_units=11)  ──│───│──────

    Attributes:
        boundaries: positions, strictly ascending in 1..n_units-1; position p lies between unit p
            and unit p + 1.
        n_units: number of units of the document, at least 1.
        types: type of each boundary, at least 1; None if boundaries have no types. With types a
            position may repeat, and (position, type) is strictly ascending.
        collapsed: number of boundaries that were dropped because of rounding.
        labels: label of each segment, None for one without; None if segments have no labels.

    Raises:
        Refused: a value is not a whole number, or the boundaries break a rule of input tables.
    """

    boundaries: tuple[int, ...]
    n_units: int
    types: tuple[int, ...] | None
    collapsed: int = field(compare=False)
    labels: tuple[str | None, ...] | None

    def __init__(
        self,
        boundaries: "WholeNumbers",
        n_units: int,
        types: "WholeNumbers | None" = None,
        *,
        collapsed: int = 0,
        labels: Sequence[str | None] | None = None,
    ) -> None:
        """Convert the numbers to Python's, and check the rules of input tables."""
        positions = _whole_numbers("boundaries", require_positions(boundaries))
        kinds = None if types is None else _whole_numbers("boundary_types", types)
        units = _whole_number("n_units", n_units)
        if not _keeps_rules(positions, units, kinds):
            raise _broken(positions, units, kinds)
        names = None if labels is None else _labels(labels, len({*positions}) + 1)
        # The class is frozen, so that a segmentation can be a key.
        self.__dict__.update(
            boundaries=positions, n_units=units, types=kinds, collapsed=collapsed, labels=names
        )

    @classmethod
    def from_masses(cls, masses: "WholeNumbers") -> Self:
        """Create a segmentation from the sizes of its segments, as in segeval.

        >>> import segscore
        >>> segscore.Segmentation.from_masses((2, 3, 6)).boundaries
        (2, 5)

        Raises:
            Refused: there is no segment, or a size is not a whole number of at least 1.
        """
        sizes = _whole_numbers("masses", masses)
        if not sizes or min(sizes) < 1:
            raise Refused(
                f"masses {list(sizes)}: must be the sizes of one segment or more, each >= 1"
            )
        *boundaries, n_units = accumulate(sizes)
        return cls(boundaries, n_units)

    @classmethod
    def from_mask(cls, mask: "str | WholeNumbers | Sequence[bool]") -> Self:
        """Create a segmentation from a flag for each of the n_units - 1 potential boundaries.

        >>> import segscore
        >>> segscore.Segmentation.from_mask("0100100000").boundaries
        (2, 5)

        Args:
            mask: a string of 0 and 1, as in NLTK, or a sequence of numbers or booleans.

        Raises:
            Refused: a flag is neither 0 nor 1.
        """
        flags = mask if isinstance(mask, str) else _in_order("mask", mask)
        for number, flag in enumerate(flags, start=1):
            if flag not in ("0", "1", 0, 1):
                raise Refused(f"character {number} of the mask is {flag!r}; expected 0 or 1")
        return cls([place for place, flag in enumerate(flags, 1) if int(flag)], len(flags) + 1)

    @classmethod
    def from_labels(cls, labels: Iterable[Hashable]) -> Self:
        """Create a segmentation from the labels of units; a boundary is where the label changes.

        Of tags such as B-SEG and I-SEG, it is where B-SEG begins a segment.

        >>> import segscore
        >>> segscore.Segmentation.from_labels(["sport", "sport", "weather"]).boundaries
        (2,)

        Raises:
            Refused: there is no label, or labels cannot be compared.
        """
        units = _in_order("labels", labels)
        if not units:
            raise Refused("labels is empty; pass one label for each unit")
        try:
            changes = changes_of(units)
        except (TypeError, ValueError):  # arrays, and pandas' missing value
            raise Refused(
                "labels: two of them cannot be compared; give a text or a number for each unit"
            ) from None
        return cls(changes, len(units))

    @classmethod
    def from_starts(
        cls,
        starts: "Iterable[float | Fraction]",
        *,
        duration: "float | Fraction",
        unit: "str | float | Fraction | None" = None,
    ) -> Self:
        """Create a segmentation from the times in seconds at which segments start.

        Times are rounded exactly, with halves rounded up. A start at 0 is the start of the
        document, not a boundary. Boundaries that round to 0, to the end or to the position of
        another boundary are dropped.

        >>> import segscore
        >>> segscore.Segmentation.from_starts([0, 125.0], duration=600.1).boundaries
        (125000,)
        >>> segscore.Segmentation.from_starts([0, 4, 7.5], duration=12, unit="s")
        Segmentation([4, 8], n_units=12)  ────│────│────

        Args:
            starts: times in seconds, in any order.
            duration: length of the recording in seconds.
            unit: unit to measure in: `ms`, `s`, or a number of frames per second; by default `ms`.
                `units`: the numbers are not times, but numbers of units. Must be given where all
                numbers are whole, which may be either.

        Raises:
            Refused: a time is negative or lies after the end, or the unit is unknown or missing.
        """
        given = _as_list("starts", starts)
        times = [_seconds("start", start) for start in given]
        end = _seconds("duration", duration)
        rate = _rate(unit, [*given, duration])
        return cls._from_times([time for time in times if time], end, rate)

    @classmethod
    def from_intervals(
        cls,
        intervals: "Iterable[Sequence[float | Fraction]]",
        *,
        duration: "float | Fraction | None" = None,
        unit: "str | float | Fraction | None" = None,
    ) -> Self:
        """Create a segmentation from segments as (start, end) in seconds, as in mir_eval.

        A boundary is where a segment starts, except the first: a gap belongs to the segment before
        it, and a gap at the start to the first segment. ``from_starts`` explains the rounding.

        >>> import segscore
        >>> segscore.Segmentation.from_intervals([(0, 2.5), (2.5, 9)], unit="s").boundaries
        (3,)

        Args:
            intervals: the segments, in any order.
            duration: length of the recording in seconds; by default the latest end.
            unit: as in ``from_starts``.

        A warning is given if intervals overlap.

        Raises:
            Refused: there is no interval, an interval ends before it starts, or for a reason that
                ``from_starts`` lists.
        """
        given = _as_list("intervals", intervals)
        both = [_interval(each) for each in given]
        if not both:
            raise Refused("intervals is empty; pass at least one")
        for start, end in both:
            if end < start:
                raise Refused(f"interval {float(start):g} to {float(end):g}: ends before it starts")
        _warn_of_overlaps(both)
        length = max(end for _, end in both) if duration is None else _seconds("duration", duration)
        rate = _rate(unit, [*chain.from_iterable(given), length])
        starts = sorted(start for start, end in both if _rounded(end, rate) > _rounded(start, rate))
        return cls._from_times(starts[1:], length, rate)

    @classmethod
    @for_python
    def from_text(
        cls, units: Sequence[str], text: str, breaks: str = "auto", *, max_edits: float = 0.5
    ) -> Self:
        r"""Create a segmentation of units from a text that a system wrote again with breaks.

        >>> import segscore
        >>> text = "# Weather\nIt rains.\n# Sport\nA draw."
        >>> segscore.Segmentation.from_text(["It rains.", "A draw."], text, breaks="heading")
        Segmentation([1], n_units=2)  ─│─

        Args:
            units: texts of the units.
            text: the answer of the system.
            breaks: what marks a break, as `--break` of `segscore import`: such as `blank`, `rule`,
                `heading` or `pattern:<SEP>`; `auto` takes the first kind that this text contains,
                and warns if it contains none.
            max_edits: largest edit rate.

        Raises:
            Refused: there is no unit, the answer cannot be used, or ``breaks`` is malformed.
        """
        from segscore.pipeline.importing.answers.breaks import BREAK_KINDS, kinds_in, require_break
        from segscore.pipeline.importing.answers.forms import texts_in
        from segscore.pipeline.importing.answers.options import AUTO, REWRITTEN, AnswerOptions
        from segscore.pipeline.importing.answers.placing import place_answer

        units = [*units]
        if not units:
            raise Refused("units is empty; pass at least one text")
        require_break(breaks)
        if breaks == AUTO:
            found = kinds_in(text)
            breaks = next((kind for kind in BREAK_KINDS if kind in found), BREAK_KINDS[0])
            if not found and len(units) > 1 and texts_in(text) is None:
                warn_user(
                    f"the text contains no break ({', '.join(BREAK_KINDS)}), so it is one segment; "
                    "breaks names another kind, such as breaks='pattern:<SEP>'"
                )
        options = AnswerOptions(REWRITTEN, breaks=breaks, max_edits=max_edits)
        placed = place_answer(text, units, options, _PLACE)
        if placed.failure is not None:
            raise Refused(f"the text cannot be used: {placed.failure}")
        return cls(placed.boundaries, len(units), placed.types)

    @classmethod
    def _from_times(cls, starts: Sequence[Fraction], duration: Fraction, rate: Fraction) -> Self:
        n_units = _rounded(duration, rate)
        positions = sorted(_rounded(start, rate) for start in starts)
        inside = sorted({position for position in positions if position not in (0, n_units)})
        segmentation = cls(inside, n_units, collapsed=len(positions) - len(inside))
        segmentation.__dict__[_IN_MILLISECONDS] = rate == _RATES["ms"]
        return segmentation

    @property
    def masses(self) -> tuple[int, ...]:
        """The sizes of the segments in units.

        >>> import segscore
        >>> segscore.Segmentation([2, 5], 11).masses
        (2, 3, 6)
        """
        ends = [0, *dict.fromkeys(self.boundaries), self.n_units]
        return tuple(int(end - start) for start, end in pairwise(ends))

    @property
    def mask(self) -> str:
        """A character for each potential boundary: 1 where there is a boundary, else 0.

        >>> import segscore
        >>> segscore.Segmentation([2, 5], 11).mask
        '0100100000'
        """
        flags = bytearray(b"0") * (self.n_units - 1)
        for position in self.boundaries:
            flags[position - 1] = ord("1")
        return flags.decode()

    def __repr__(self) -> str:
        types = "" if self.types is None else f", types={list(self.types)}"
        values = f"Segmentation({list(self.boundaries)}, n_units={self.n_units}{types})"
        return f"{values}  {self._drawn()}"

    def _drawn(self) -> str:
        """Draw a line with a stroke at every boundary, to scale if there are many units."""
        if self.n_units <= _COLUMNS_DRAWN:
            return "│".join("─" * mass for mass in self.masses)
        columns = {
            min(_COLUMNS_DRAWN - 1, position * _COLUMNS_DRAWN // self.n_units)
            for position in self.boundaries
        }
        return "".join("│" if column in columns else "─" for column in range(_COLUMNS_DRAWN))


def are_times(segmentations: Iterable[Any]) -> bool:
    """Return whether any of some segmentations was made of times, in milliseconds."""
    return any(getattr(each, _IN_MILLISECONDS, False) for each in segmentations)


def require_positions(values: Any) -> list[Any]:
    """Return boundaries as a list; refuse a mask, which is another notation of them.

    Raises:
        Refused: they are a text, flags, a set, or no list.
    """
    if isinstance(values, str | bytes):
        raise _not_positions("a text", values)
    positions = _in_order("boundaries", values)
    kinds = {*map(type, positions)}
    flags = kinds == {int} and len(positions) > 1 and 0 in positions and {*positions} <= {0, 1}
    if flags or kinds == {bool}:
        raise _not_positions("flags", positions)
    return positions


def _labels(labels: Any, segments: int) -> tuple[str | None, ...]:
    """Return the labels of so many segments."""
    names = _in_order("segment_labels", labels)
    if len(names) != segments:
        raise Refused(
            f"segment_labels: there are {len(names)}, but {segments} segments; give one each"
        )
    return tuple(label_of(name, f"segment_labels[{i}]", _PLACE) for i, name in enumerate(names))


def _not_positions(notation: str, values: Any) -> Refused:
    return Refused(
        f"boundaries are {notation}, not positions: {shown(values)}; for a flag per potential "
        "boundary, as in NLTK, use segscore.Segmentation.from_mask"
    )


def _as_list(name: str, values: Any) -> list[Any]:
    """Return a list; a numpy array as nested lists of Python's numbers."""
    plain = values.tolist() if hasattr(values, "tolist") else values
    if isinstance(plain, Mapping) or not isinstance(plain, Iterable):
        raise _PLACE.wrong(name, plain, "a list")
    return [*plain]


def _in_order(name: str, values: Any) -> list[Any]:
    """Return a list, as ``_as_list`` does; refuse a set, whose elements have no order."""
    if isinstance(values, Set):
        raise Refused(f"{name}: is a set, which has no order; give a list, such as sorted({name})")
    return _as_list(name, values)


def _interval(given: Any) -> tuple[Fraction, Fraction]:
    """Return the start and the end of a segment."""
    ends = _as_list("interval", given)
    if len(ends) != 2:
        raise _PLACE.wrong("interval", ends, "a start and an end")
    return _seconds("start", ends[0]), _seconds("end", ends[1])


def _whole_numbers(name: str, values: Any) -> tuple[int, ...]:
    values = tuple(_in_order(name, values))
    if set(map(type, values)) <= {int}:
        return values
    return tuple(_whole_number(f"{name}[{i}]", value) for i, value in enumerate(values))


def _whole_number(name: str, value: Any) -> int:
    if type(value) is int:
        return value
    with suppress(TypeError):
        value = value if isinstance(value, bool) else index(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return integer_of(value, name, _PLACE)


def _keeps_rules(boundaries: tuple[int, ...], n_units: int, types: tuple[int, ...] | None) -> bool:
    """Return whether a segmentation keeps every rule of input tables."""
    if not 1 <= n_units <= _MOST_UNITS:
        return False
    if boundaries and not (boundaries[0] >= 1 and boundaries[-1] < n_units):
        return False
    if types is None:
        return all(a < b for a, b in pairwise(boundaries))
    if len(types) != len(boundaries) or (
        types and not 1 <= min(types) <= max(types) <= _MOST_UNITS
    ):
        return False
    return all(a < b for a, b in pairwise(zip(boundaries, types, strict=True)))


def _broken(boundaries: tuple[int, ...], n_units: int, types: tuple[int, ...] | None) -> Refused:
    """Return the error for a segmentation that breaks a rule, as `segscore import` has it.

    The rules are those of tables; where Arrow is not installed, the error names them all.
    """
    try:
        from segscore.pipeline.tables.columns import SEGMENTATIONS
        from segscore.pipeline.tables.in_memory import numbered_rows
        from segscore.pipeline.tables.parsed_table import segmentation_table
        from segscore.pipeline.tables.read import validate_rows
    except ModuleNotFoundError:
        return Refused(
            f"{_PLACE.source}: boundaries must ascend within 1..n_units-1, where n_units is "
            f"{n_units}, and each may have one type of at least 1"
        )

    row = ParsedRow(
        "document",
        "coder",
        "reference",
        n_units,
        boundaries,
        types,
        source=_PLACE.source,
        line=NO_LINE,
    )
    table = segmentation_table([row])
    _, rejects = validate_rows(numbered_rows(_PLACE.source, table), SEGMENTATIONS)
    (reject,) = rejects.to_pylist()
    return Refused(f"{_PLACE.source}: {reject['rule']}: {reject['detail']}")


def _warn_of_overlaps(intervals: Iterable[tuple[Fraction, Fraction]]) -> None:
    """Warn if intervals begin before the one before them ends."""
    overlaps = sum(after[0] < before[1] for before, after in pairwise(sorted(intervals)))
    if overlaps:
        warn_user(
            f"{overlaps} of the intervals begin before the one before them ends; every start is a "
            "boundary"
        )


def _rate(unit: "str | float | Fraction | None", times: Sequence[Any]) -> Fraction:
    """Return how many units a second has; the unit must be given if all times are integers."""
    whole = all(isinstance(time, Integral) or _is_whole(time) for time in times)
    if unit is None and whole:
        raise Refused(
            'unit: all times are whole numbers; say unit="ms" or unit="s" if they are seconds, to '
            'measure in milliseconds or seconds, or unit="units" if they are numbers of units'
        )
    unit = "ms" if unit is None else unit
    if isinstance(unit, str) and unit not in _RATES:
        raise Refused(f"unit {unit}: must be one of {', '.join(_RATES)} or a number of frames")
    if unit == "units" and not whole:
        raise Refused("unit units: numbers of units must be whole")
    rate = Fraction(_RATES[unit]) if isinstance(unit, str) else _seconds("unit", unit)
    if rate <= 0:
        raise Refused(f"unit {unit}: must be above 0")
    return rate


def _is_whole(number: Any) -> bool:
    return isinstance(number, Fraction) and number.denominator == 1


def _seconds(name: str, value: Any) -> Fraction:
    """Return a number exactly; a float is the shortest decimal that reads back as it."""
    try:
        exact = value if isinstance(value, Fraction) else Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        raise Refused(f"{name} is {value!r}; expected a number of seconds") from None
    if exact < 0:
        raise Refused(f"{name} is {value}; expected a number of seconds >= 0")
    return exact


def _rounded(seconds: Fraction, rate: Fraction) -> int:
    """Return the nearest whole unit; a half goes up."""
    return floor(seconds * rate + Fraction(1, 2))

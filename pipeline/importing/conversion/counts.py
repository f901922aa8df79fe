"""Count what a conversion leaves out or reinterprets, and describe it; or refuse it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Moment, ParsedSegmentation
from segscore.pipeline.importing.times import round_half_up
from segscore.pipeline.tables.rows import ParsedRow, RowPlace
from segscore.pipeline.tables.units import MILLISECOND

_LINES = 10
"""Largest number of segmentations of one file that each get a line."""

_LENGTHS = {"gaps": "gap_length", "overlaps": "overlap_length", "clipped": "clipped_length"}
_COUNTED = {
    "gaps": "gap{s}{length} joined to the segment before",
    "overlaps": "overlap{s}{length}",
    "empty": "segment{s} without a length left out",
    "same_start": "segment{s} with the start of another",
    "beyond_end": "segment{s} that start at or after the end left out",
    "clipped": "segment{s} cut at the end of the document{length}",
    "merged": "segment{s} joined to a neighbour with the same label",
    "deeper": "segment{s} below --max-level left out",
    "moved": "edge{s} moved to the nearest unit",
    "empty_sections": "section{s} without text left out",
    "outside_region": "time{s} outside the region left out",
}
_OWN_GAPS = "gap{s}{length} kept as segments"
_NOTED = {
    "columns_not_taken": "columns not read",
    "coder_of_file": "coder named by its file",
    "tiers_not_taken": "tiers not read",
    "annotations_not_taken": "annotations not read",
    "letters_read_as_tags": "documents whose labels B, I and the like are read as tags of the "
    "beginning and inside of segments (rename them if they name parts)",
    "lines_not_taken": "lines not read",
    "not_in_contents": "chapters that are not in the table of contents left out",
    "named_by_media": "documents named by the file in",
    "cancelled": "cancelled annotations left out",
    "drafts": "drafts left out",
    "other_regions": "regions of other kinds left out",
    "predictions_without_regions": "predictions without regions left out",
    "not_accepted": "answers that are not accepted left out",
    "without_spans": "examples without spans left out",
    "one_channel": "words on one channel only, so that the whole recording is one segment",
    "utf16_offsets": "texts with offsets in UTF-16 units",
}


@dataclass(frozen=True)
class Event:
    """Something that was counted, and where; kept only for `--strict`."""

    place: RowPlace
    message: str

    def refusal(self) -> Refused:
        """Return the error to raise under `--strict`."""
        return self.place.refusal(f"{self.message}; --strict refuses what is otherwise counted")


@dataclass
class Counted:
    """Counts of what was left out or changed in one segmentation.

    Attributes:
        source: the file.
        strict: whether events are kept, to refuse the first of them.
        numbers: numbers by name: gaps, gap_length, overlaps ...
        events: everything that was counted, in no order; empty unless strict.
        collapsed: boundaries dropped because they lie at 0, at the end or at another boundary.
    """

    source: str
    strict: bool
    numbers: Counter[str] = field(default_factory=Counter)
    events: list[Event] = field(default_factory=list)
    collapsed: int = 0

    def add(self, name: str, line: int, message: str) -> None:
        """Count one occurrence; `message` describes it if `--strict` refuses it."""
        self.numbers[name] += 1
        if self.strict:
            self.events.append(Event(RowPlace(self.source, line), message))

    def add_length(self, name: str, length: int) -> None:
        """Add to a total length, such as gap_length."""
        self.numbers[name] += length


@dataclass(frozen=True)
class Converted:
    """A row, its unit, and the counts of what was left out or changed."""

    row: ParsedRow
    unit: str
    counts: Counted


@dataclass(frozen=True)
class Task:
    """One segmentation to convert; its ``counts`` are filled during the conversion."""

    stated: ParsedSegmentation
    settings: ImportSettings
    document_id: str
    role: str
    start: Fraction
    n_units: int
    region: bool
    counts: Counted

    def position(self, moment: Moment) -> int:
        """Return a moment in whole units since the start; halves are rounded up."""
        return round_half_up(moment.exact - self.start if self.start else moment.exact)

    def too_deep(self, level: int) -> bool:
        """Return whether a level is deeper than `--max-level`, and count it if it is."""
        deeper = self.settings.max_level is not None and level > self.settings.max_level
        if deeper:
            self.counts.numbers["deeper"] += 1
        return deeper

    def place(self, line: int) -> RowPlace:
        """Return the place of a line in the file."""
        return RowPlace(self.stated.place.source, line)

    def leave_out(self, moment: Moment, line: int) -> None:
        """Leave out a start that lies at or beyond the end.

        Raises:
            Refused: it belongs to a reference, and is beyond the end.
        """
        if self.region:
            self.counts.add("outside_region", line, f"{moment.text} is outside the region")
        elif self.role == "reference" and self.position(moment) > self.n_units:
            hint = "" if self.settings.clock.start else " or --start-timecode"
            raise self.place(line).refusal(
                f"a segment of a reference starts at {moment.text}, after the end of "
                f"{self.document_id} at "
                f"{shown_length(self.n_units, self.stated.unit)}; is it another recording, or does "
                f"--time-unit{hint} say how its times are meant?"
            )
        else:
            self.counts.add("beyond_end", line, f"{moment.text} is not before the end")


def shown_length(units: int, unit: str) -> str:
    """Format a number of units for a message, with milliseconds as seconds."""
    if unit != "millisecond":
        return f"{units:,} {unit}{'' if units == 1 else 's'}"
    whole, rest = divmod(units, 1000)
    return f"{whole}{f'.{rest:03}'.rstrip('0') if rest else ''} s"


def describe_counts(
    file: OpenedFile, converted: Sequence[Converted], settings: ImportSettings
) -> Iterator[str]:
    """Yield lines that describe what was counted in a file, without the file's name."""
    counted = [one for one in converted if any(one.counts.numbers.values())]
    if len(counted) <= _LINES:
        for one in counted:
            said = _counted(one.counts.numbers, one.unit, settings)
            yield f"{one.row.document_id}, {one.row.coder}: {said}"
    else:
        total = sum((one.counts.numbers for one in counted), Counter[str]())
        said = _counted(total, counted[0].unit, settings)
        yield f"{len(counted):,} of {len(converted):,} segmentations: {said}"
    for name, names in file.notes.names.items():
        yield f"{_noted(name)}: {', '.join(names)}"
    for name, number in file.notes.numbers.items():
        if number:
            yield f"{_noted(name)}: {number:,}"


def _counted(numbers: Counter[str], unit: str, settings: ImportSettings) -> str:
    said = []
    for name, number in numbers.items():
        if not number or name in _LENGTHS.values():
            continue
        text = _COUNTED.get(name, name.replace("_", " "))
        if name == "gaps" and settings.gaps == "own":
            text = _OWN_GAPS
        length = numbers[_LENGTHS[name]] if name in _LENGTHS else 0
        shown = f" ({length:,} {_short(unit, length)})"
        said.append(f"{number:,} {text.format(s='' if number == 1 else 's', length=shown)}")
    return "; ".join(said)


def _short(unit: str, number: int) -> str:
    return "ms" if unit == MILLISECOND else unit + ("" if number == 1 else "s")


def _noted(name: str) -> str:
    return _NOTED.get(name, name.replace("_", " "))

"""Convert the shapes of all files of an import to rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from segscore.pipeline.errors import Refused
from segscore.pipeline.tables.conversion.counts import Counted, Event, Task
from segscore.pipeline.tables.conversion.intervals import convert_intervals
from segscore.pipeline.tables.conversion.lengths import Lengths, units_of
from segscore.pipeline.tables.conversion.marks import convert_marks
from segscore.pipeline.tables.conversion.names import NamedShape, ReadFile, name_shapes
from segscore.pipeline.tables.conversion.order import require_order
from segscore.pipeline.tables.conversion.sizes import convert_sizes
from segscore.pipeline.tables.formats.asked import Asked
from segscore.pipeline.tables.formats.rows import ParsedRow
from segscore.pipeline.tables.formats.shapes import Extent, Intervals, Marks, Shape, Sizes


@dataclass(frozen=True)
class Converted:
    """A row, its unit, and the counts of what was left out or changed."""

    row: ParsedRow
    unit: str
    counts: Counted


def convert_files(
    files: Sequence[ReadFile],
    asked: Asked,
    extents: Mapping[str, Extent],
    others: Iterable[ParsedRow] = (),
) -> list[Converted]:
    """Convert the shapes of files to rows, in the order of the files.

    Args:
        files: files with the shapes that their readers yielded.
        asked: the options of the import.
        extents: lengths given by `--documents`, by document.
        others: rows of the same import from files that already contain segmentations.

    Raises:
        Refused: a coder or a length is missing, segments contradict their format's rules or the
            length, units differ, or `--strict` was given and something was counted.
    """
    named = name_shapes(files, asked)
    for one in named:
        require_order(one.shape)
    _require_one_unit(named)
    lengths = Lengths(extents, named, others)
    converted = []
    for _, inside in groupby(named, key=lambda one: one.file.url):
        rows = [_convert(one, asked, lengths) for one in inside]
        events = [event for one in rows for event in one.counts.events]
        if events:
            raise min(events, key=lambda event: event.place.line).refusal()
        converted += rows
    return converted


def _require_one_unit(named: Iterable[NamedShape]) -> None:
    first: dict[str, NamedShape] = {}
    for one in named:
        first.setdefault(one.shape.unit, one)
    if len(first) > 1:
        this, other, *_ = first.values()
        raise Refused(
            f"{other.file.url}: counts {other.shape.unit}s, and {this.file.url} counts "
            f"{this.shape.unit}s; import files of different units into different folders"
        )


def _convert(one: NamedShape, asked: Asked, lengths: Lengths) -> Converted:
    """Convert one shape to a row."""
    extent = lengths.extent_of(one)
    shape = one.shape
    counts = Counted(shape.place.source, asked.strict)
    task = Task(
        stated=shape,
        asked=asked,
        document_id=one.document_id,
        role=one.role,
        start=extent.start,
        n_units=units_of(extent),
        region=extent.region,
        counts=counts,
    )
    boundaries = _boundaries(shape, task)
    _add_stated(shape, counts)
    positions = [position for position, _ in boundaries]
    row = ParsedRow(
        document_id=one.document_id,
        coder=one.coder,
        role=one.role,
        n_units=task.n_units,
        boundaries=tuple(positions if asked.levels else sorted(set(positions))),
        boundary_types=tuple(level for _, level in boundaries) if asked.levels else None,
        unit_lengths=_unit_lengths(shape),
        attributes=shape.attributes,
        source=shape.place.source,
        line=shape.place.line,
        collapsed_boundaries=None if isinstance(shape, Sizes) else counts.collapsed,
    )
    return Converted(row, shape.unit, counts)


def _boundaries(shape: Shape, task: Task) -> list[tuple[int, int]]:
    if isinstance(shape, Intervals):
        return convert_intervals(shape, task)
    if isinstance(shape, Marks):
        return convert_marks(shape.marks, task)
    return convert_sizes(shape, task)


def _unit_lengths(shape: Shape) -> tuple[int, ...] | None:
    if isinstance(shape, Sizes) and shape.unit_lengths is not None:
        return tuple(shape.unit_lengths)
    return None


def _add_stated(shape: Shape, counts: Counted) -> None:
    """Add the counts of the reader."""
    for name, number in shape.counted.items():
        counts.numbers[name] += number
        if counts.strict and number:
            message = f"{number} {name.replace('_', ' ')}"
            counts.events.append(Event(shape.place, message))

"""Convert the shapes of all files of an import to rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, groupby

from segscore.pipeline.importing.conversion.boundaries import convert_intervals, convert_marks
from segscore.pipeline.importing.conversion.coders import FolderNames
from segscore.pipeline.importing.conversion.counts import Converted, Counted, Event, Task
from segscore.pipeline.importing.conversion.lengths import Lengths, units_of
from segscore.pipeline.importing.conversion.names import NamedShape
from segscore.pipeline.importing.conversion.segment_labels import labels_of_segments
from segscore.pipeline.importing.conversion.surveyed import (
    SurveyedShape,
    require_distinct,
    require_one_unit,
    surveyed_shape,
)
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Extent, Intervals, Marks, Shape, Sizes
from segscore.pipeline.tables.rows import ParsedRow


@dataclass(frozen=True)
class Survey:
    """A survey of all shapes of an import, which converting each of them needs.

    Attributes:
        names: what folders name.
        lengths: lengths of the documents.
    """

    names: FolderNames
    lengths: Lengths

    @classmethod
    def of(
        cls,
        surveyed: Sequence[SurveyedShape],
        extents: Mapping[str, Extent],
        others: Iterable[ParsedRow],
    ) -> "Survey":
        """Put together what is known of each shape.

        Raises:
            Refused: units differ, or a coder has two segmentations of a document.
        """
        require_one_unit(surveyed)
        names = FolderNames.of(surveyed)
        named = [names.named(one) for one in surveyed]
        require_distinct(named)
        return cls(names, Lengths(extents, named, others))

    def name(self, one: NamedShape) -> NamedShape:
        """Return a shape with the names of its folders, where it needs them."""
        named = self.names.named(surveyed_shape(one))
        return replace(one, document_id=named.document_id, coder=named.coder)


def convert_shapes(
    named: Iterable[NamedShape], settings: ImportSettings, survey: Survey
) -> list[Converted]:
    """Convert shapes to rows, in the order of their files.

    Raises:
        Refused: a length is missing, segments contradict their format's rules or the length, or
            `--strict` was given and something was counted.
    """
    converted = []
    for _, inside in groupby(named, key=lambda one: one.file.url):
        rows = [_convert(survey.name(one), settings, survey.lengths) for one in inside]
        events = [event for one in rows for event in one.counts.events]
        if events:
            raise min(events, key=lambda event: event.place.line).refusal()
        converted += rows
    return converted


def _convert(one: NamedShape, settings: ImportSettings, lengths: Lengths) -> Converted:
    """Convert one shape to a row."""
    extent = lengths.extent_of(one)
    shape = one.shape
    counts = Counted(shape.place.source, settings.strict)
    task = Task(
        stated=shape,
        settings=settings,
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
        boundaries=tuple(positions if settings.levels else sorted(set(positions))),
        boundary_types=tuple(level for _, level in boundaries) if settings.levels else None,
        unit_lengths=_unit_lengths(shape),
        attributes=shape.attributes,
        source=shape.place.source,
        line=shape.place.line,
        collapsed_boundaries=None if isinstance(shape, Sizes) else counts.collapsed,
        segment_labels=labels_of_segments(shape, positions, task),
    )
    return Converted(row, shape.unit, counts)


def _boundaries(shape: Shape, task: Task) -> list[tuple[int, int]]:
    if isinstance(shape, Intervals):
        return convert_intervals(shape, task)
    if isinstance(shape, Marks):
        return convert_marks(shape.marks, task)
    return _convert_sizes(shape, task)


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


def _convert_sizes(shape: Sizes, task: Task) -> list[tuple[int, int]]:
    """Return the (position, level) of each boundary; the level is that of the segment after it."""
    levels = shape.levels or (1,) * len(shape.sizes)
    starts = (0, *accumulate(shape.sizes))
    return [
        (start, level)
        for start, level in zip(starts, levels, strict=False)
        if not task.too_deep(level) and start
    ]

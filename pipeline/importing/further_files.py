"""Read what options name beside the files to import: lengths of documents, times of units."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from segscore.pipeline import storage
from segscore.pipeline.errors import Absent, Refused
from segscore.pipeline.importing.answers.inputs import has_json_lines_name, name_at
from segscore.pipeline.importing.answers.options import ANSWER_FORMATS
from segscore.pipeline.importing.conversion.names import without_endings
from segscore.pipeline.importing.field_paths import field_path
from segscore.pipeline.importing.formats.interval_columns import unit_of, use_of
from segscore.pipeline.importing.formats.intervals import DAY, name_of
from segscore.pipeline.importing.formats.speech import is_uem, read_regions
from segscore.pipeline.importing.formats.table_rows import read_table_rows
from segscore.pipeline.importing.formats.values import array_of, line_objects
from segscore.pipeline.importing.open_input import open_input
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.reading import Reading, read_input
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Extent, Intervals
from segscore.pipeline.importing.unit_times import (
    OPTION,
    UnitTimes,
    times_of_list,
    times_of_segments,
)
from segscore.pipeline.storage import InputFile
from segscore.pipeline.tables.rows import RowPlace, shown
from segscore.pipeline.tables.units import MILLISECOND, UNIT_KEY
from segscore.schemas.input_columns import INPUT_TYPES

_EXPECTED = "expected document_id, and n_units or duration"


def read_lengths(url: str, settings: ImportSettings) -> tuple[dict[str, Extent], list[str]]:
    """Return the length or the region of each document, from a file, folder or glob.

    Return also the columns that are not read.

    Raises:
        Refused: a file cannot be read or is another table, a value is not a length, or a document
            has two lengths.
    """
    extents: dict[str, Extent] = {}
    unread: dict[str, None] = {}
    for found in storage.find(url):
        file = open_input(found.url, settings)
        for document, extent in _regions_or_lengths(file, settings, unread):
            known = extents.setdefault(document, extent)
            if (known.start, known.end) != (extent.start, extent.end):
                if extent.region:
                    raise extent.place.refusal(
                        f"a second region of {document}; expected one, since positions count from "
                        "its start; give --regions, not --documents, to score several"
                    )
                raise extent.place.refusal(
                    f"{document} has another length here than at {known.place.source}:"
                    f"{known.place.line}; a document has one"
                )
    return extents, [*unread]


def _regions_or_lengths(
    file: OpenedFile, settings: ImportSettings, unread: dict[str, None]
) -> Iterable[tuple[str, Extent]]:
    if is_uem(file):
        return read_regions(file, settings)
    return _extents(file, settings, unread)


def _extents(
    file: OpenedFile, settings: ImportSettings, unread: dict[str, None]
) -> Iterator[tuple[str, Extent]]:
    """Yield the lengths in a table; add the columns that are not read."""
    rows = read_table_rows(file)
    header = rows.header
    names = [name for name in header if use_of(name) == "document"]
    lengths = [name for name in header if name.strip().lower() == "n_units"]
    lengths += [name for name in header if use_of(name) == "duration"]
    if not names or not lengths:
        raise rows.place.refusal(f"{_kind(header)}; {_EXPECTED} for --documents")
    name = "document_id" if "document_id" in names else names[0]
    if "boundaries" not in header:  # attributes of segmentations are in their own table
        known = {name, lengths[0], *INPUT_TYPES}
        unread.update(dict.fromkeys(each for each in header if each.strip() and each not in known))
    unit = _unit(file)
    for line, cells in rows.cells:
        place = file.place(line)
        if name not in cells or lengths[0] not in cells:
            raise place.refusal(f"the {name} or the {lengths[0]} is empty; every row needs both")
        length = cells[lengths[0]]
        if lengths[0].strip().lower() == "n_units":
            extent = Extent(Fraction(0), _whole(length, place), unit, False, place)
        else:
            unit_stated = unit_of(lengths[0])
            end = settings.clock.duration(length, place, unit=unit_stated or "s")
            if unit_stated is None and ":" not in str(length) and end > DAY:
                raise place.refusal(
                    f"a {lengths[0]} of {length} s is longer than 24 hours; if it is right, name "
                    "the column duration_s, otherwise duration_ms"
                )
            extent = Extent(Fraction(0), end, MILLISECOND, False, place)
        yield name_of(cells[name], name, place), extent


def _whole(value: object, place: RowPlace) -> Fraction:
    text = str(value).strip()
    if isinstance(value, bool) or not text.isascii() or not text.isdecimal() or len(text) > 10:
        raise place.wrong("n_units", value, "a whole number")
    return Fraction(int(text))


def _unit(file: OpenedFile) -> str | None:
    """Return the unit that an import recorded in a Parquet file."""
    if not file.is_parquet:
        return None
    metadata = storage.open_parquet(file.url).schema_arrow.metadata or {}
    unit = metadata.get(UNIT_KEY.encode())
    return None if unit is None else unit.decode("utf-8", "replace")


def _kind(header: Sequence[str]) -> str:
    """Say what a table is that has no lengths."""
    names = f"has the columns {', '.join(map(shown, header))}"
    if any(use_of(name) == "start" for name in header):
        return f"is a table of segments, which `segscore import` reads as FILE: it {names}"
    return names


def find_times(settings: ImportSettings) -> list[InputFile]:
    """Find the files with the times of units; none if those are in the records of segmentations.

    They are the files that `--unit-times` names, or else those of `--source`.

    Raises:
        Refused: it is neither.
    """
    named = settings.unit_times
    if named is None:
        return []
    try:
        return storage.find(named, any_kind=True)
    except Absent as absent:
        if "/" in named or "*" in named:
            raise Refused(f"{OPTION}: {absent}") from absent
        field_path(OPTION, named)
    if settings.source is None:
        return []
    found = storage.find(settings.source, any_kind=True)
    of_answers = settings.format_name in ANSWER_FORMATS
    # Times in records of the source of answers are read with the units.
    return [file for file in found if not (of_answers and has_json_lines_name(file.url))]


def read_times(files: list[InputFile], settings: ImportSettings) -> dict[str, UnitTimes] | None:
    """Return document -> times of its units, from all files; None if there are no files.

    Raises:
        Refused: a file has no times, or a document has them twice.
    """
    if not files:
        return None
    own_settings = ImportSettings(
        (),
        settings.output,
        time_unit=settings.time_unit,
        frame_rate=settings.frame_rate,
        start_timecode=settings.start_timecode,
        encoding=settings.encoding,
        memory_limit=settings.memory_limit,
    )
    reading = Reading([file.url for file in files], own_settings)
    found: dict[str, UnitTimes] = {}
    for file in files:
        if has_json_lines_name(file.url):
            _add(_of_records(open_input(file.url, own_settings), settings), found)
            continue
        read = read_input(file.url, reading)
        if read.positions:
            raise Refused(f"{OPTION} {file.url}: has positions, not times")
        own = settings.document_id or without_endings(read.file.name, read.endings)
        for shape in read.shapes:
            if shape.unit != MILLISECOND or not isinstance(shape, Intervals):
                raise shape.place.refusal(
                    f"has no starts and ends of {shape.unit}s in seconds, which {OPTION} needs"
                )
            times = times_of_segments(shape.segments, file.url, shape.place)
            _add([(shape.document_id or own, times)], found)
    return found


def _of_records(file: OpenedFile, settings: ImportSettings) -> Iterator[tuple[str, UnitTimes]]:
    """Yield the times in records of the source."""
    document = field_path("--document-field", settings.document_field or "document_id")
    starts = field_path(OPTION, settings.unit_times or "")
    for place, record in line_objects(file):
        values = array_of(starts.value(record, "", place), starts.text, place)
        name = settings.document_id or name_at(document, record, place)
        yield name, times_of_list(values, starts.text, settings.clock, place)


def _add(times: Iterable[tuple[str, UnitTimes]], found: dict[str, UnitTimes]) -> None:
    """Add the times of documents to those that were found before."""
    for document, one in times:
        if document in found:
            first = found[document].place
            raise one.place.refusal(
                f"the times of {document} are given twice; the first are at "
                f"{first.source}:{first.line}"
            )
        found[document] = one

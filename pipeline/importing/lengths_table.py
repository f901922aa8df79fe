"""Read the lengths of documents for `--documents`: a table, a UEM file or an imported table."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from segscore.pipeline import storage
from segscore.pipeline.importing.formats.interval_columns import unit_of, use_of
from segscore.pipeline.importing.formats.intervals import DAY, name_of
from segscore.pipeline.importing.formats.speech import read_regions
from segscore.pipeline.importing.formats.table_rows import read_table_rows
from segscore.pipeline.importing.open_input import open_input
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Extent
from segscore.pipeline.storage.compression import without_compression
from segscore.pipeline.tables.rows import RowPlace, shown
from segscore.pipeline.tables.units import MILLISECOND, UNIT_KEY

_UEM = ".uem"
_EXPECTED = "expected document_id, and n_units or duration"


def read_lengths(url: str, settings: ImportSettings) -> dict[str, Extent]:
    """Return the length or the region of each document.

    Args:
        url: a file, folder or glob; in a folder Parquet and JSON Lines files count.
        settings: the settings of the import.

    Raises:
        Refused: a file cannot be read or is another table, a value is not a length, or a document
            has two lengths.
    """
    extents: dict[str, Extent] = {}
    for found in storage.find(url):
        file = open_input(found.url, settings)
        for document, extent in _regions_or_lengths(file, settings):
            known = extents.setdefault(document, extent)
            if (known.start, known.end) != (extent.start, extent.end):
                raise extent.place.refusal(
                    f"{document} has another length here than at {known.place.source}:"
                    f"{known.place.line}; a document has one"
                )
    return extents


def _regions_or_lengths(file: OpenedFile, settings: ImportSettings) -> Iterable[tuple[str, Extent]]:
    if without_compression(file.name).lower().endswith(_UEM):
        return read_regions(file, settings).items()
    return _extents(file, settings)


def _extents(file: OpenedFile, settings: ImportSettings) -> Iterator[tuple[str, Extent]]:
    rows = read_table_rows(file)
    header = rows.header
    names = [name for name in header if use_of(name) == "document"]
    lengths = [name for name in header if name.strip().lower() == "n_units"]
    lengths += [name for name in header if use_of(name) == "duration"]
    if not names or not lengths:
        raise rows.place.refusal(f"{_kind(header)}; {_EXPECTED} for --documents")
    name = "document_id" if "document_id" in names else names[0]
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

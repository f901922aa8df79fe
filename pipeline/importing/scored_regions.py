"""Read the regions of documents that are scored: a table of starts and ends, or a UEM file."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from json import dumps

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.formats.interval_columns import unit_of, use_of
from segscore.pipeline.importing.formats.intervals import name_of
from segscore.pipeline.importing.formats.speech import is_uem, read_regions
from segscore.pipeline.importing.formats.table_rows import read_table_rows
from segscore.pipeline.importing.open_input import open_input
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Extent
from segscore.pipeline.importing.times import Ruler, round_half_up
from segscore.pipeline.tables.units import MILLISECOND, PER_SECOND

OPTION = "--regions"
_POSITIONS = "unit"
_EXPECTED = "expected the columns document_id, start and end, or a .uem file"

Regions = Mapping[str, Sequence[tuple[int, int]]]
"""Document -> start and end of each region in units, ascending; none overlap or touch."""


@dataclass(frozen=True)
class StatedRegions:
    """The regions of `--regions` as stated: of each document, in the order of the files."""

    location: str
    documents: Mapping[str, Sequence[Extent]]

    def extents(self) -> dict[str, Extent]:
        """Return the extent of each document up to its last region, where regions are times."""
        return {
            document: max(regions, key=lambda region: region.end).from_start()
            for document, regions in self.documents.items()
            if all(region.unit == MILLISECOND for region in regions)
        }

    def in_units(self, unit: str | None) -> Regions:
        """Return the regions in the unit of segmentations, joined where they overlap or touch.

        Args:
            unit: what segmentations count; None if that is not known.

        Raises:
            Refused: regions are times and the segmentations are not, or the other way round.
        """
        return {
            document: joined(_in_units(region, unit) for region in regions)
            for document, regions in self.documents.items()
        }


def read_scored_regions(settings: ImportSettings) -> StatedRegions | None:
    """Return the regions that `--regions` names; None without it.

    Raises:
        Refused: a file is malformed, or a region ends before it starts.
    """
    if settings.regions is None:
        return None
    found: dict[str, list[Extent]] = defaultdict(list)
    for file in storage.find(settings.regions, any_kind=True):
        opened = open_input(file.url, settings)
        read = read_regions if is_uem(opened) else _of_table
        for document, region in read(opened, settings):
            found[document].append(region)
    if not found:
        raise Refused(f"{OPTION} {settings.regions}: contains no regions; {_EXPECTED}")
    return StatedRegions(settings.regions, found)


def _of_table(file: OpenedFile, settings: ImportSettings) -> Iterator[tuple[str, Extent]]:
    """Yield the document and the region of each row of a table.

    Plain numbers are positions, unless `--time-unit` or the columns' names say that they are times.
    """
    rows = read_table_rows(file)
    columns: dict[str | None, str] = {use_of(name): name for name in reversed(rows.header)}
    if not {"document", "start", "end"} <= columns.keys():
        raise rows.place.refusal(f"has the columns {', '.join(rows.header)}; {_EXPECTED}")
    for line, cells in rows.cells:
        place = file.place(line)
        values = []
        unit = _POSITIONS
        for use in ("start", "end"):
            name = columns[use]
            stated = unit_of(name) or settings.clock.unit
            value = cells.get(name)
            if stated or ":" in str(value):
                unit = MILLISECOND
                values.append(settings.clock.time(value, place, unit=stated).exact)
            else:
                values.append(Ruler(_POSITIONS).duration(value, place))
        start, end = values
        if end <= start:
            raise place.refusal(f"the region ends at {end}; expected an end after its start")
        document = name_of(cells.get(columns["document"]), columns["document"], place)
        yield document, Extent(start, end, unit, True, place)


def _in_units(region: Extent, unit: str | None) -> tuple[int, int]:
    if region.unit != MILLISECOND and unit == MILLISECOND:
        raise region.place.refusal(
            "start and end are plain numbers, and the segmentations are in milliseconds; name the "
            "columns start_s and end_s, or start_ms and end_ms"
        )
    if region.unit != MILLISECOND:
        return int(region.start), int(region.end)
    if unit not in PER_SECOND:
        counted = "a unit that --unit does not name" if unit is None else f"{unit}s"
        raise region.place.refusal(
            f"the region is in seconds, and the segmentations count {counted}; expected positions, "
            "or segmentations with times"
        )
    per = Fraction(PER_SECOND[unit], 1000)
    return round_half_up(region.start * per), round_half_up(region.end * per)


def joined(regions: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join regions that overlap or touch.

    Examples:
        >>> joined(iter([(20, 30), (0, 5), (5, 9), (22, 25)]))
        [(0, 9), (20, 30)]
    """
    joined: list[tuple[int, int]] = []
    for start, end in sorted(regions):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def digest_of(regions: Regions) -> str:
    """Return a digest of regions, which says in a signature whether two runs had the same."""
    return sha256(dumps(sorted(regions.items())).encode()).hexdigest()[:8]

"""Cut the tables of `segscore.evaluate` to the regions that are scored."""

from collections.abc import Iterable, Mapping
from itertools import chain
from numbers import Integral
from typing import TYPE_CHECKING, Any

from segscore.api.inputs import Given, source_of
from segscore.api.wording import warn_user
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.cut_rows import cut_table
from segscore.pipeline.importing.scored_regions import OPTION, Regions, digest_of, joined
from segscore.pipeline.plain_text import first_named
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.pipeline.tables.columns import contract_of
from segscore.pipeline.tables.rows import RowPlace, shown
from segscore.pipeline.tables.units import PROJECTED_KEY, REGIONS_KEY, with_unit
from segscore.pipeline.tables.validate import broken_rules

if TYPE_CHECKING:
    import pyarrow as pa

Region = tuple[int, int]
GivenRegions = Mapping[Any, "Region | Iterable[Region]"]
"""The first unit of a region, from 0, and the one after its last: one or several a document."""


def cut_sides(given: GivenRegions, **sides: Given) -> dict[str, Given]:
    """Return tables of segmentations cut to regions, as `segscore import --regions` cuts them.

    Segmentations of documents without a region are left out, with a warning.

    Raises:
        Refused: a region is malformed or ends after its document, no document has one, or a row
            of a table breaks a rule.
    """
    regions = _read(given)
    left_out: dict[str, int] = {}
    cut = {name: _cut(name, side, regions, left_out) for name, side in sides.items()}
    if left_out:
        warn_user(
            f"{counted(sum(left_out.values()), 'segmentation')} without a region left out, such "
            f"as of {next(iter(left_out))}"
        )
    return cut


def _cut(name: str, side: Given, regions: Regions, left_out: dict[str, int]) -> "pa.Table":
    source = source_of(name, side)
    table = source.read().table
    broken = broken_rules(table, contract_of(name))
    if broken:
        row, rule = min(broken.items())
        raise Refused(f"{name}: row {row} breaks the rule {rule}; mend it, then cut it to {OPTION}")
    several = any(len(each) > 1 for each in regions.values())
    cut = cut_table(table, regions, lambda row: RowPlace(name, row), several=several)
    if not len(cut.chosen):
        raise Refused(
            f"{OPTION}: no document of the {name} has a region; they name {first_named([*regions])}"
        )
    for document, number in cut.left_out.items():
        left_out[document] = left_out.get(document, 0) + number
    stated = {PROJECTED_KEY: source.table.projected, REGIONS_KEY: digest_of(regions)}
    return with_unit(cut.applied(table.take(cut.chosen)), source.table.unit, stated)


def _read(given: GivenRegions) -> Regions:
    if not isinstance(given, Mapping) or not given:
        raise Refused(
            f"{OPTION}: is {shown(given)}; must be a mapping, such as {{'a': (0, 120)}}, or "
            "{'a': [(0, 50), (80, 120)]} for several regions of a document"
        )
    return {str(document): _regions_of(document, each) for document, each in given.items()}


def _regions_of(document: Any, given: Any) -> list[Region]:
    """Return the regions of a document, ascending and disjoint."""
    listed = [*given] if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    if len(listed) == 2 and all(isinstance(each, Integral) for each in listed):
        listed = [tuple(listed)]
    pairs = [tuple(each) if isinstance(each, Iterable) else (each,) for each in listed]
    numbers = [*chain.from_iterable(pairs)]
    if not pairs or any(len(pair) != 2 for pair in pairs) or not all(map(_is_whole, numbers)):
        raise Refused(
            f"{OPTION}: {document}: is {shown(given)}; must be a start and an end in whole units, "
            "such as (0, 120), or several of these"
        )
    for start, end in pairs:
        if not 0 <= start < end:
            raise Refused(
                f"{OPTION}: {document}: {start} to {end}; must start at 0 or later, and end later"
            )
    return joined((int(start), int(end)) for start, end in pairs)


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)

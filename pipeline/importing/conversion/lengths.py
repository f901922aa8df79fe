"""Determine the length of a document in units.

The first known of: the length given by `--documents`; the length stated in the file of a reference;
the latest end of the references; the length stated in the file of a hypothesis.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.conversion.names import NamedShape
from segscore.pipeline.importing.conversion.surveyed import SurveyedShape
from segscore.pipeline.importing.shapes import Extent, Sizes
from segscore.pipeline.importing.times import round_half_up
from segscore.pipeline.tables.rows import ParsedRow

_MOST_UNITS = 2**31 - 1


class Lengths:
    """The lengths of all documents of an import."""

    def __init__(
        self,
        extents: Mapping[str, Extent],
        shapes: Iterable[SurveyedShape],
        rows: Iterable[ParsedRow],
    ) -> None:
        """Collect the known lengths; of rows, only references are used."""
        self.extents = extents
        self.stated: dict[tuple[str, str], list[Fraction]] = defaultdict(list)
        self.ends: dict[str, list[Fraction]] = defaultdict(list)
        for one in shapes:
            if one.length is not None:
                self.stated[one.document_id, one.role].append(Fraction(one.length))
            if one.end is not None and one.role == "reference":
                self.ends[one.document_id].append(Fraction(one.end))
        for row in rows:
            if row.document_id is not None and row.n_units is not None and row.role == "reference":
                self.stated[row.document_id, row.role].append(Fraction(row.n_units))

    def extent_of(self, one: NamedShape) -> Extent:
        """Return where the document of a shape starts and ends.

        Raises:
            Refused: its length is not known, is 0 or too large, or is stated in another unit.
        """
        extent = self.extents.get(one.document_id) or self._from_files(one)
        unit = one.shape.unit
        if extent.unit not in (None, unit):
            raise extent.place.refusal(
                f"{one.document_id} is {extent.unit}s long here, and {one.shape.place.source} "
                f"counts {unit}s; name a table with its n_units with --documents"
            )
        units = units_of(extent)
        if not 1 <= units <= _MOST_UNITS:
            raise extent.place.refusal(
                f"{one.document_id} is {units:,} {unit}s long; expected 1 to {_MOST_UNITS:,}"
            )
        if isinstance(one.shape, Sizes) and units != sum(one.shape.sizes):
            raise one.shape.place.refusal(
                f"{one.document_id} has {sum(one.shape.sizes):,} {unit}s here, but {units:,} at "
                f"{extent.place.source}:{extent.place.line}"
            )
        return extent

    def _from_files(self, one: NamedShape) -> Extent:
        document, place, unit = one.document_id, one.shape.place, one.shape.unit
        if isinstance(one.shape, Sizes):
            return Extent(Fraction(0), Fraction(sum(one.shape.sizes)), unit, False, place)
        known = (
            self.stated.get((document, "reference"))
            or self.ends.get(document)
            or self.stated.get((document, "hypothesis"))
        )
        if not known:
            raise Refused(_unknown(one))
        return Extent(Fraction(0), max(known), unit, False, place)


def units_of(extent: Extent) -> int:
    """Return the length of an extent in whole units."""
    return round_half_up(extent.end - extent.start)


def _unknown(one: NamedShape) -> str:
    if one.role == "hypothesis":
        why = (
            "the last end of a hypothesis is not taken for it; import its references in the same "
            "command, or pass --documents with the references/ of an earlier import, or with a "
            "table of lengths"
        )
    else:
        why = (
            "not every segment has an end; pass --documents with a table of lengths (document_id "
            "and duration or n_units)"
        )
    return f"{one.shape.place.source}: the length of {one.document_id} is unknown, because {why}"

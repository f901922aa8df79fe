"""Give boundaries of answers the times of the units that they start."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from segscore.pipeline.importing.answers.gathering import DocumentUnits
from segscore.pipeline.importing.formats.values import array_of
from segscore.pipeline.importing.shapes import Extent
from segscore.pipeline.importing.times import Clock, round_half_up
from segscore.pipeline.importing.unit_times import OPTION, UnitTimes, times_of_list
from segscore.pipeline.tables.rows import RowPlace
from segscore.pipeline.tables.units import MILLISECOND


@dataclass(frozen=True)
class Timing:
    """What gives boundaries times.

    Attributes:
        times: document -> times of its units, from files; None if records of the source have them.
        extents: lengths given by `--documents`, by document.
        clock: how times in records are read.
    """

    times: Mapping[str, UnitTimes] | None
    extents: Mapping[str, Extent]
    clock: Clock

    def times_of(
        self, document: str, n_units: int, place: RowPlace, units: DocumentUnits | None = None
    ) -> UnitTimes:
        """Return the times of the units of a document.

        Args:
            document: its id.
            n_units: number of its units.
            place: where its segmentation or its answer was read.
            units: its units, whose record has the times where no file has them.

        Raises:
            Refused: there are none, or another number of times than of units.
        """
        if self.times is not None:
            if document not in self.times:
                raise place.refusal(f"{OPTION} has no times of the document {document}")
            times = self.times[document]
        else:
            assert units is not None
            if units.times is None:
                raise units.place.refusal(
                    f"{OPTION} names no file, and this source has no records with a list of times; "
                    "name a file with the times of the units: subtitles, STM, CTM or SegLST"
                )
            values = array_of(json.loads(units.times), OPTION, units.place)
            times = times_of_list(values, OPTION, self.clock, units.place)
        if len(times.starts) != n_units:
            raise times.place.refusal(
                f"{document} has {n_units} units, but {len(times.starts)} times here; expected a "
                "time for each"
            )
        return times

    def length_of(self, document: str, times: UnitTimes) -> tuple[int, int]:
        """Return the length of a document in milliseconds, and where it starts."""
        extent = self.extents.get(document)
        if extent is None:
            if times.end is None:
                raise times.place.refusal(
                    f"the length of {document} is unknown; pass --documents with a table of "
                    "lengths (document_id and duration)"
                )
            return round_half_up(times.end.exact), 0
        if extent.unit not in (None, MILLISECOND):
            raise extent.place.refusal(
                f"{document} is {extent.unit}s long here; expected its duration"
            )
        return round_half_up(extent.end - extent.start), round_half_up(extent.start)

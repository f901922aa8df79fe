"""Settings of `segscore reconcile`."""

from dataclasses import dataclass
from typing import Annotated

from segscore.pipeline.errors import Refused
from segscore.pipeline.runs.options import (
    DocumentsOption,
    LengthToleranceOption,
    Option,
    Panel,
    UnitsOption,
    read_whole_numbers,
)
from segscore.pipeline.runs.settings import MOST_UNITS, check_locations, within
from segscore.pipeline.scoring.measuring import MeasuringSettings


@dataclass(frozen=True)
class ReconcileSettings:
    """Which published numbers to explain, and how the tables are read.

    Attributes:
        measure: the measure that the paper names.
        published: the number as printed.
        published_table: CSV file with several numbers: system, measure, value.
        system: system that the number is about; None if there is only one.
        tolerance_of_print: largest distance of a value that is printed so; None: half a unit of the
            last digit.
        tolerance: distances to try for precision, recall and F, in the unit of the run.
        documents: table of unit lengths and attributes, or None.
        units: as in ``MeasuringSettings``, like ``length_tolerance``.
        output: folder for the table of all conventions, or None.
    """

    measure: Annotated[
        str | None, Option("Measure of the published number.", Panel.MEASURES)
    ] = None
    published: Annotated[
        str | None, Option("Number as printed, such as 0.312 or 31.2%.", Panel.MEASURES)
    ] = None
    published_table: Annotated[
        str | None,
        Option("CSV file of numbers, with columns system, measure and value.", Panel.MEASURES),
    ] = None
    system: Annotated[
        str | None, Option("System that the number is about; default: the only one.")
    ] = None
    tolerance_of_print: Annotated[
        float | None,
        Option(
            "Largest distance of a value that is printed so; default: half the last digit.",
            Panel.MEASURES,
        ),
    ] = None
    tolerance: Annotated[
        tuple[int, ...],
        Option(
            "Distances to try for precision, recall and F, separated by commas.",
            Panel.MEASURES,
            read_whole_numbers,
        ),
    ] = (0, 1, 2, 3, 5)
    documents: DocumentsOption = None
    units: UnitsOption = MeasuringSettings.units
    length_tolerance: LengthToleranceOption = MeasuringSettings.length_tolerance
    output: Annotated[
        str | None, Option("Folder for a table of all conventions.", Panel.OUTPUT)
    ] = None

    def __post_init__(self) -> None:
        """Check the settings.

        Raises:
            Refused: a setting is missing, or has a value that it cannot have.
        """
        if (self.published is None) == (self.published_table is None):
            raise Refused("--published: give either one number or a --published-table")
        if self.published is not None and self.measure is None:
            raise Refused("--measure: name the measure of the published number")
        if self.published_table is not None and (self.measure or self.system):
            raise Refused("--published-table: names measures and systems; omit those options")
        if self.tolerance_of_print is not None and not 0 < self.tolerance_of_print < 1:
            raise Refused(f"--tolerance-of-print {self.tolerance_of_print}: must lie in (0, 1)")
        for distance in self.tolerance:
            within("--tolerance", distance, 0, MOST_UNITS)
        check_locations({"--output": self.output, "--published-table": self.published_table})

"""Settings of `segscore reconcile`."""

from dataclasses import dataclass
from shlex import quote
from typing import Annotated

from segscore.pipeline.errors import Refused
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.settings.options import (
    Argument,
    DocumentsOption,
    LengthToleranceOption,
    Option,
    Panel,
    UnitOption,
    UnitsOption,
)
from segscore.pipeline.settings.ranges import MOST_UNITS, check_locations, within
from segscore.pipeline.settings.reading import (
    read_whole_numbers,
)


@dataclass(frozen=True)
class ReconcileSettings:
    """Which published numbers to explain, and how the tables are read."""

    references: Annotated[str, Argument("Reference segmentations: a file, folder or glob.")]
    hypotheses: Annotated[str, Argument("Segmentations with the numbers: a file, folder or glob.")]
    measure: Annotated[str | None, Option("Measure of the published number.", Panel.MEASURES)] = (
        None
    )
    published: Annotated[
        str | None, Option("Number as printed, such as 0.312 or 31.2%.", Panel.MEASURES)
    ] = None
    published_table: Annotated[
        str | None,
        Option("CSV file of numbers: system, measure, value.", Panel.MEASURES),
    ] = None
    apply: Annotated[
        str | None,
        Option("Compute by the convention of this name.", Panel.MEASURES),
    ] = None
    system: Annotated[str | None, Option("System with the number; default: the only one.")] = None
    tolerance_of_print: Annotated[
        float | None,
        Option(
            "Largest distance from a printed value; default: half the last digit.",
            Panel.MEASURES,
            rare=True,
        ),
    ] = None
    tolerance: Annotated[
        tuple[int, ...],
        Option(
            "Distances to try for precision, recall and F.",
            Panel.MEASURES,
            read_whole_numbers,
        ),
    ] = (0, 1, 2, 3, 5)
    documents: DocumentsOption = None
    units: UnitsOption = MeasuringSettings.units
    unit: UnitOption = None
    length_tolerance: LengthToleranceOption = MeasuringSettings.length_tolerance
    output: Annotated[
        str | None,
        Option("Folder for a table of the results.", Panel.OUTPUT),
    ] = None

    def __post_init__(self) -> None:
        """Check the settings.

        Raises:
            Refused: a setting is missing, or has a value that it cannot have.
        """
        if self.apply is not None:
            self._check_apply()
        elif (self.published is None) == (self.published_table is None):
            raise Refused("--published: give either one number or a --published-table")
        if self.published is not None and self.measure is None:
            raise Refused("--measure: name the measure of the published number")
        if self.published_table is not None and (self.measure or self.system):
            raise Refused("--published-table: names measures and systems; omit those options")
        if self.tolerance_of_print is not None and not 0 < self.tolerance_of_print < 1:
            raise Refused(f"--tolerance-of-print {self.tolerance_of_print}: must lie in (0, 1)")
        for distance in self.tolerance:
            within("--tolerance", distance, 0, MOST_UNITS)
        check_locations({**self.inputs, "--output": self.output})

    def _check_apply(self) -> None:
        """Refuse what does not go together with a named convention."""
        others = {
            "--published": self.published,
            "--published-table": self.published_table,
        }
        for option, value in others.items():
            if value is not None:
                raise Refused(f"--apply {self.apply}: omit {option}")

    @property
    def inputs(self) -> dict[str, str | None]:
        """Locations of the input tables by the argument or option that names them."""
        return {
            "REFERENCES": self.references,
            "HYPOTHESES": self.hypotheses,
            "--documents": self.documents,
            "--published-table": self.published_table,
        }

    @property
    def command(self) -> str:
        """The command that computes segscore's default."""
        words = ["segscore", "score", self.references, self.hypotheses]
        if self.documents is not None:
            words += ["--documents", self.documents]
        if self.units != MeasuringSettings.units:
            words += ["--units", self.units]
        if self.unit is not None:
            words += ["--unit", self.unit]
        if self.length_tolerance:
            words += ["--length-tolerance", str(self.length_tolerance)]
        return " ".join(quote(word) for word in words)

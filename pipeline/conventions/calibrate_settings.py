"""Settings of `segscore simulate values`."""

from dataclasses import dataclass
from typing import Annotated

from segscore.pipeline.conventions.published import Published, read_published
from segscore.pipeline.errors import Refused
from segscore.pipeline.settings.measuring import MeasuringSettings, measuring_of
from segscore.pipeline.settings.options import (
    DocumentsOption,
    LengthToleranceOption,
    NTOption,
    Option,
    Panel,
    ReferencesArgument,
    RoundingOption,
    ToleranceOption,
    UnitOption,
    UnitsOption,
    WindowOption,
    check_options,
)
from segscore.pipeline.settings.ranges import MOST_UNITS, check_locations, within
from segscore.pipeline.settings.reading import read_window


def _check_sample(option: str, sample: int | str) -> None:
    if isinstance(sample, int):
        within(option, sample, 1, MOST_UNITS)
    elif sample != "all":
        raise Refused(f"{option} {sample}: must be a number of documents, or all")


@dataclass(frozen=True)
class CalibrateSettings:
    """What to simulate on which references, and how to measure it, as the options say."""

    references: ReferencesArgument
    measure: Annotated[str, Option("Measure to calibrate.", Panel.MEASURES)]
    value: Annotated[float | None, Option("Value whose meaning to describe.", Panel.MEASURES)] = (
        None
    )
    documents: DocumentsOption = None
    n_t: NTOption = MeasuringSettings.n_t
    window: WindowOption = MeasuringSettings.window
    rounding: RoundingOption = MeasuringSettings.rounding
    units: UnitsOption = MeasuringSettings.units
    unit: UnitOption = None
    length_tolerance: LengthToleranceOption = MeasuringSettings.length_tolerance
    tolerance: ToleranceOption = MeasuringSettings.tolerance
    seed: Annotated[int, Option("Seed of the random numbers.", rare=True)] = MeasuringSettings.seed
    sample: Annotated[
        int | str | None,
        Option(
            "Number of documents to simulate, or `all`; default: as many as have about 100,000 "
            "segments.",
            read=read_window,
            check=_check_sample,
            rare=True,
        ),
    ] = None
    output: Annotated[str | None, Option("Folder for the table of the curve.", Panel.OUTPUT)] = None

    def __post_init__(self) -> None:
        """Refuse a value that an option cannot have; the message names the option."""
        from segscore.pipeline.measures import ALL, PAIRS
        from segscore.pipeline.measures.published import nearest_measure

        if self.measure not in PAIRS.measures:
            near = nearest_measure(self.measure, PAIRS.measures)
            raise Refused(
                f"--measure {self.measure}: is not a measure of pairs{near}; `segscore measures` "
                "lists them"
            )
        number = self.number
        if number is not None and not ALL[self.measure].has(number.value):
            raise Refused(
                f"--value {self.value:g}: {self.measure} has values from {ALL[self.measure].range}"
            )
        check_options(self)
        check_locations({**self.inputs, "--output": self.output})
        self.measuring.require_documents(self.documents)

    @property
    def number(self) -> Published | None:
        """The value; of a measure from 0 to 1, a number from 1 to 100 is read as a percentage."""
        from segscore.pipeline.measures import ALL

        if self.value is None:
            return None
        measure, printed = ALL[self.measure], f"{self.value:g}"
        if (measure.lower, measure.upper) == (0, 1) and 1 < self.value <= 100:
            return read_published({"measure": self.measure, "value": self.value})
        return Published(self.measure, printed, self.value, 0.0)

    @property
    def inputs(self) -> dict[str, str | None]:
        """Locations of the input tables by the argument or option that names them."""
        return {"REFERENCES": self.references, "--documents": self.documents}

    @property
    def measuring(self) -> MeasuringSettings:
        """How segmentations are measured."""
        return measuring_of(self, measures=(self.measure,))

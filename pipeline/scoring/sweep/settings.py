"""Settings and signature of `segscore sweep`, validated before any work starts."""

from dataclasses import dataclass
from typing import Annotated

from segscore.pipeline.runs.options import (
    Argument,
    DocumentsOption,
    FreshOption,
    LengthToleranceOption,
    OutputOption,
    PSegOption,
    ReferencesArgument,
    RoundingOption,
    UnitsOption,
    WindowOption,
)
from segscore.pipeline.runs.settings import check_locations
from segscore.pipeline.scoring.measuring import MeasuringSettings, select_fields

_SIGNED = ("window", "units", "length_tolerance", "p_seg", "v")


@dataclass(frozen=True)
class SweepSettings:
    """Settings of `segscore sweep`.

    Attributes:
        references: table of reference segmentations: a file, a directory or a glob.
        scored: table of segmentations with boundary_scores.
        output: folder or URL of the run.
        documents: table of unit lengths, or None.
        fresh: replace a finished run in the same place; the others as in ``MeasuringSettings``.
    """

    references: ReferencesArgument
    scored: Annotated[str, Argument("Segmentations with boundary_scores: a file, folder or glob.")]
    output: OutputOption
    documents: DocumentsOption = None
    window: WindowOption = MeasuringSettings.window
    rounding: RoundingOption = MeasuringSettings.rounding
    units: UnitsOption = MeasuringSettings.units
    length_tolerance: LengthToleranceOption = MeasuringSettings.length_tolerance
    p_seg: PSegOption = MeasuringSettings.p_seg
    fresh: FreshOption = False

    def __post_init__(self) -> None:
        """Refuse invalid settings.

        Raises:
            Refused: a value is invalid; the message names the option and what it allows.
        """
        check_locations({**self.inputs, "--output": self.output})
        self.measuring.require_documents(self.documents)

    @property
    def inputs(self) -> dict[str, str | None]:
        """Locations of the input tables by the argument or option that names them."""
        return {
            "REFERENCES": self.references,
            "SCORED": self.scored,
            "--documents": self.documents,
        }

    @property
    def measuring(self) -> MeasuringSettings:
        """How curves are measured; they have no intervals."""
        return MeasuringSettings(
            window=self.window,
            rounding=self.rounding,
            units=self.units,
            length_tolerance=self.length_tolerance,
            p_seg=self.p_seg,
            replicates=0,
        )

    @property
    def signature(self) -> str:
        """Description in one line of what was computed, so that two curves can be compared."""
        signed = select_fields(self.measuring.signature("none"), _SIGNED)
        return "|".join(["segscore", "sweep:score>=t", "operating_point:mean-length", *signed])

"""Settings and signature of `segscore sweep`, validated before any work starts."""

from dataclasses import dataclass
from typing import Annotated

from segscore.pipeline.settings.measuring import MeasuringSettings, measuring_of, signature_of
from segscore.pipeline.settings.options import (
    Argument,
    BetaOption,
    DocumentsOption,
    EdgesOption,
    FreshOption,
    LengthToleranceOption,
    Option,
    OutputOption,
    Panel,
    PSegOption,
    ReferencesArgument,
    RoundingOption,
    UnitsOption,
    WindowOption,
)
from segscore.pipeline.settings.ranges import MOST_UNITS, check_locations, comma_separated, within
from segscore.pipeline.settings.reading import (
    read_whole_numbers,
)

_SIGNED = ("window", "units", "length_tolerance", "p_seg", "v")
_SIGNED_WITH_TOLERANCES = ("units", "length_tolerance", "beta", "edges", "v")


@dataclass(frozen=True)
class SweepSettings:
    """Settings of `segscore sweep`; the tolerances are made ascending and distinct."""

    references: ReferencesArgument
    scored: Annotated[
        str,
        Argument(
            "Segmentations with boundary_scores (any with --tolerances): a file, folder or glob."
        ),
    ]
    output: OutputOption
    documents: DocumentsOption = None
    tolerances: Annotated[
        tuple[int, ...],
        Option(
            "Sweep over these tolerances, such as 0,500,1000, in place of thresholds.",
            Panel.MEASURES,
            read_whole_numbers,
        ),
    ] = ()
    edges: EdgesOption = MeasuringSettings.edges
    beta: BetaOption = MeasuringSettings.beta
    window: WindowOption = MeasuringSettings.window
    rounding: RoundingOption = MeasuringSettings.rounding
    units: UnitsOption = MeasuringSettings.units
    length_tolerance: LengthToleranceOption = MeasuringSettings.length_tolerance
    p_seg: PSegOption = MeasuringSettings.p_seg
    fresh: FreshOption = False

    def __post_init__(self) -> None:
        """Refuse a value that an option cannot have; the message names the option."""
        check_locations({**self.inputs, "--output": self.output})
        for tolerance in self.tolerances:
            within("--tolerances", tolerance, 0, MOST_UNITS)
        object.__setattr__(self, "tolerances", tuple(sorted(set(self.tolerances))))
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
        return measuring_of(self)

    @property
    def signature(self) -> str:
        """Description in one line of what was computed, so that two curves can be compared."""
        names, swept = _SIGNED, "sweep:score>=t|operating_point:mean-length"
        if self.tolerances:
            names = _SIGNED_WITH_TOLERANCES
            swept = f"sweep:tolerance|tol:{comma_separated(self.tolerances)}"
        return signature_of(self, self.measuring.signature("none"), swept, names)

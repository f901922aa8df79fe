"""Settings and signature of `segscore sweep`, validated before any work starts."""

from dataclasses import dataclass, replace
from typing import Annotated

from segscore.pipeline.errors import Refused
from segscore.pipeline.settings.measuring import MeasuringSettings, measuring_of, signature_of
from segscore.pipeline.settings.options import (
    Argument,
    BetaOption,
    DocumentsOption,
    EdgesOption,
    FreshOption,
    LengthToleranceOption,
    NTOption,
    Option,
    OutputOption,
    Panel,
    PSegOption,
    ReferencesArgument,
    RoundingOption,
    Signed,
    ToleranceOption,
    UnitsOption,
    WindowOption,
)
from segscore.pipeline.settings.ranges import (
    MOST_UNITS,
    check_locations,
    comma_separated,
    in_unit_interval,
    within,
)
from segscore.pipeline.settings.reading import read_names, read_numbers, read_whole_numbers
from segscore.pipeline.settings.signature import INTERVALS, fields

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
    measures: Annotated[
        tuple[str, ...],
        Option(
            "Measures to compute at each of --thresholds, such as pk,f1, to find the best one.",
            Panel.MEASURES,
            read_names,
            flags="--measure",
        ),
    ] = ()
    thresholds: Annotated[
        tuple[float, ...],
        Option(
            "Thresholds at which --measure is computed, such as 0.2,0.5; default: 0, 0.01, ... 1.",
            Panel.MEASURES,
            read_numbers,
            signed=Signed("thresholds", "thresholds of measures", text=comma_separated),
        ),
    ] = ()
    n_t: NTOption = None
    tolerance: ToleranceOption = MeasuringSettings.tolerance
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
        self._check_measures()
        self.measuring.require_documents(self.documents)

    def _check_measures(self) -> None:
        """Refuse measures that no threshold can be chosen by, and options without effect."""
        object.__setattr__(self, "thresholds", tuple(sorted({*self.thresholds})))
        for threshold in self.thresholds:
            in_unit_interval("--thresholds", threshold)
        if self.tolerances and self.measures:
            raise Refused("--measure: --tolerances has measures of its own; leave out one of them")
        if self.thresholds and not self.measures:
            raise Refused("--thresholds: needs --measure; curves have all thresholds without it")
        if not self.measures:
            return
        from segscore.pipeline.measures import ALL

        selection = self.measured.selection
        for name in selection.names:
            if name in selection.panels.measures or ALL[name].better == "neither":
                raise Refused(f"--measure {name}: no threshold can be chosen by it")

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
        families = ("tolerance",) if self.tolerances else ("window", "content")
        return replace(measuring_of(self), measures=families)

    @property
    def measured(self) -> MeasuringSettings:
        """How the measures are computed that are chosen, which ignore boundary types."""
        return measuring_of(self)

    def in_unit(self, unit: str | None) -> "SweepSettings":
        """Return the settings with n_t chosen, for tables in a unit, if measures need it."""
        if not self.measures:
            return self
        return replace(self, n_t=self.measured.in_unit(unit).n_t)

    @property
    def signature(self) -> str:
        """Description in one line of what was computed, so that two curves can be compared."""
        names, swept = _SIGNED, "sweep:score>=t|operating_point:mean-length"
        if self.tolerances:
            names = _SIGNED_WITH_TOLERANCES
            swept = f"sweep:tolerance|tol:{comma_separated(self.tolerances)}"
        signature = signature_of(self, self.measuring.signature("none"), swept, names)
        if not self.measures:
            return signature
        known = fields(signature)
        of_measures = fields(self.measured.signature("none"))
        more = [f"{name}:{v}" for name, v in of_measures.items() if name not in (*known, INTERVALS)]
        before, _, version = signature.rpartition("|")
        return "|".join([before, *more, version])

"""Settings and signature of `segscore sweep`, validated before any work starts."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated

from segscore.pipeline.errors import Refused
from segscore.pipeline.scoring.sweep.variants import Variant
from segscore.pipeline.settings.measuring import (
    MeasuringSettings,
    measuring_of,
    settings_without_effect,
    signature_of,
)
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
    ResampleByOption,
    RoundingOption,
    Signed,
    ToleranceOption,
    UnitOption,
    UnitsOption,
    WindowOption,
    check_options,
)
from segscore.pipeline.settings.ranges import (
    MOST_UNITS,
    check_locations,
    comma_separated,
    in_unit_interval,
    within,
)
from segscore.pipeline.settings.reading import (
    read_names,
    read_numbers,
    read_whole_numbers,
    read_window,
)
from segscore.pipeline.settings.signature import INTERVALS, NO_INTERVALS, fields

_RANKED_BY = ("boundary_similarity", "window_diff", "pk")
"""Measures by which systems are ranked under other settings, if none are named."""

_UNITS = ("units", "words")

_SIGNED = ("window", "units", "length_tolerance", "p_seg", "v")
_SIGNED_WITH_TOLERANCES = ("units", "length_tolerance", "beta", "edges", "v")


def _affects(varied: Iterable[str], measure: str) -> bool:
    """Return whether a measure depends on one of the settings that are varied."""
    from segscore.pipeline.measures.selection import select

    without = settings_without_effect(select((measure,)))
    return any(name not in without or name == "units" for name in varied)


@dataclass(frozen=True)
class SweepSettings:
    """Settings of `segscore sweep`; tolerances and n_t are made ascending and distinct.

    ``own_n_t`` is n_t where the user chose none or several; the run chooses it by the unit.
    """

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
            "Sweep over these tolerances, such as 0,500,1000.",
            Panel.MEASURES,
            read_whole_numbers,
        ),
    ] = ()
    measures: Annotated[
        tuple[str, ...],
        Option(
            "Measures to find the best threshold of, such as pk,f1.",
            Panel.MEASURES,
            read_names,
            flags="--measure",
        ),
    ] = ()
    thresholds: Annotated[
        tuple[float, ...],
        Option(
            "Thresholds, such as 0.2,0.5; default: 0, 0.01, ... 1.",
            Panel.MEASURES,
            read_numbers,
            signed=Signed("thresholds", "thresholds of measures", text=comma_separated),
        ),
    ] = ()
    n_t: Annotated[
        tuple[int, ...],
        Option(
            "Limit n_t; several, such as 1,2,3, rank systems at each.",
            Panel.MEASURES,
            read_whole_numbers,
        ),
    ] = ()
    windows: Annotated[
        tuple[str, ...],
        Option(
            "Rank systems with these windows: 5,per-pair,per-document.",
            Panel.MEASURES,
            read_names,
        ),
    ] = ()
    also_words: Annotated[
        bool,
        Option(
            "Rank systems in words, too (needs --documents).",
            Panel.MEASURES,
            flags="--also-words",
        ),
    ] = False
    tolerance: ToleranceOption = MeasuringSettings.tolerance
    edges: EdgesOption = MeasuringSettings.edges
    beta: BetaOption = MeasuringSettings.beta
    window: WindowOption = MeasuringSettings.window
    rounding: RoundingOption = MeasuringSettings.rounding
    units: UnitsOption = MeasuringSettings.units
    unit: UnitOption = None
    length_tolerance: LengthToleranceOption = MeasuringSettings.length_tolerance
    p_seg: PSegOption = MeasuringSettings.p_seg
    resample_by: ResampleByOption = MeasuringSettings.resample_by
    fresh: FreshOption = False
    own_n_t: int | None = None

    def __post_init__(self) -> None:
        """Refuse a value that an option cannot have; the message names the option."""
        check_options(self)
        check_locations({**self.inputs, "--output": self.output})
        for tolerance in self.tolerances:
            within("--tolerances", tolerance, 0, MOST_UNITS)
        object.__setattr__(self, "tolerances", tuple(sorted(set(self.tolerances))))
        for limit in self.n_t:
            within("--n-t", limit, 1, MOST_UNITS)
        object.__setattr__(self, "n_t", tuple(sorted(set(self.n_t))))
        if self.varies:
            self._check_varied()
        self._check_measures()
        self.measuring.require_documents(self.documents)

    @property
    def varies(self) -> bool:
        """Whether systems are ranked under other settings, in place of thresholds."""
        return len(self.n_t) > 1 or bool(self.windows) or self.also_words

    def _check_varied(self) -> None:
        """Refuse what a table of ranks has no place for; choose its measures."""
        if self.tolerances or self.thresholds:
            other = "--tolerances" if self.tolerances else "--thresholds"
            raise Refused(f"{other}: ranks at several --n-t or --windows have none; omit it")
        if "per-run" in (self.window, *self.windows):
            raise Refused("--windows per-run: is not ranked; name numbers, per-pair, per-document")
        named = self.measures
        object.__setattr__(self, "measures", named or _RANKED_BY)
        ways = self.ways
        for way in ways:
            way.settings.require_documents(self.documents)
        varied = dict.fromkeys(way.setting for way in ways)
        affected = [each for each in self.measured.selection.names if _affects(varied, each)]
        for name in named:
            members = replace(self.measured, measures=(name,)).selection.names
            if not {*affected} & {*members}:
                depends = " or ".join(varied)
                raise Refused(f"--measure {name}: does not depend on {depends}; omit it")
        object.__setattr__(self, "measures", tuple(affected))

    @property
    def ways(self) -> tuple[Variant, ...]:
        """The settings under which systems are ranked, one varied at a time; empty for none."""
        own = self.measured
        limits = {*self.n_t, own.near_limit}
        windows = dict.fromkeys([own.window, *(read_window("", each) for each in self.windows)])
        n_t = [replace(own, n_t=each) for each in sorted(limits) if len(limits) > 1]
        window = [replace(own, window=each) for each in windows if self.windows]
        units = [replace(own, units=each) for each in _UNITS if self.also_words]
        return (
            *(Variant("n_t", str(e.near_limit), e.near_limit == own.near_limit, e) for e in n_t),
            *(
                Variant("window", str(each.window), each.window == own.window, each)
                for each in window
            ),
            *(Variant("units", each.units, each.units == own.units, each) for each in units),
        )

    def _check_measures(self) -> None:
        """Refuse measures that no threshold can be chosen by, and options without effect."""
        object.__setattr__(self, "thresholds", tuple(sorted({*self.thresholds})))
        for threshold in self.thresholds:
            in_unit_interval("--thresholds", threshold)
        if self.tolerances and self.measures:
            raise Refused("--measure: --tolerances has measures of its own; leave out one of them")
        if self.resample_by is not None and (self.varies or not self.measures):
            raise Refused(
                "--resample-by: only the values at the best thresholds by --measure have intervals"
            )
        if self.thresholds and not self.measures:
            raise Refused("--thresholds: needs --measure; curves have all thresholds without it")
        if not self.measures:
            return
        from segscore.pipeline.measures import ALL

        selection = self.measured.selection
        for name in selection.names:
            if name in selection.panels.measures or ALL[name].better == "neither":
                what = "systems cannot be ranked" if self.varies else "no threshold can be chosen"
                raise Refused(f"--measure {name}: {what} by it")

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
        return measuring_of(self, n_t=self._n_t, measures=families)

    @property
    def measured(self) -> MeasuringSettings:
        """How the measures are computed that are chosen, which ignore boundary types."""
        return measuring_of(self, n_t=self._n_t)

    @property
    def _n_t(self) -> int | None:
        """The run's own n_t, where it is chosen."""
        return self.n_t[0] if len(self.n_t) == 1 else self.own_n_t

    def in_unit(self, unit: str | None) -> "SweepSettings":
        """Return the settings with n_t chosen if measures need it, and times in units."""
        chosen = self.measured.in_unit(unit)
        own_n_t = chosen.n_t if self.measures else self.own_n_t
        return replace(self, own_n_t=own_n_t, tolerance=chosen.tolerance)

    def signature(self, estimator: str) -> str:
        """Describe in one line what was computed, so that two curves can be compared.

        Args:
            estimator: how the intervals of the best values are estimated; ``NO_INTERVALS`` if there
                are none.
        """
        names, swept = _SIGNED, "sweep:score>=t|operating_point:mean-length"
        if self.tolerances:
            names = _SIGNED_WITH_TOLERANCES
            swept = f"sweep:tolerance|tol:{comma_separated(self.tolerances)}"
        if self.varies:
            varied: dict[str, list[str]] = {way.setting: [] for way in self.ways}
            for way in self.ways:
                varied[way.setting].append(way.choice)
            swept = "sweep:" + ";".join(f"{name}={','.join(each)}" for name, each in varied.items())
        signature = signature_of(self, self.measuring.signature(NO_INTERVALS), swept, names)
        if not self.measures:
            return signature
        known = fields(signature)
        of_measures = fields(self.measured.signature(estimator))
        if estimator == NO_INTERVALS:
            del of_measures[INTERVALS]
        more = [f"{name}:{value}" for name, value in of_measures.items() if name not in known]
        before, _, version = signature.rpartition("|")
        return "|".join([before, *more, version])

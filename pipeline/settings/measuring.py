"""Settings of measures, and the signature that makes two results comparable."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Self

from segscore.pipeline.errors import Refused
from segscore.pipeline.settings.options import (
    BetaOption,
    EdgesOption,
    LengthToleranceOption,
    NTOption,
    Option,
    Panel,
    PSegOption,
    ReplicatesOption,
    ResampleByOption,
    RoundingOption,
    SeedOption,
    Signed,
    ToleranceOption,
    UnitsOption,
    WindowOption,
    changed_fields,
    check_options,
    options_of,
    stated_options,
)
from segscore.pipeline.settings.ranges import (
    MOST_UNITS,
    among,
    between,
    comma_separated,
    how_many,
    in_unit_interval,
)
from segscore.pipeline.settings.reading import (
    LEVELS,
    OWN_POINT_NAMES,
    RANDOM_POINT_NAMES,
    parse_points,
    read_names,
    read_numbers,
    read_whole_numbers,
)

if TYPE_CHECKING:
    from fractions import Fraction

    from segscore.pipeline.measures.items import Selected
    from segscore.pipeline.measures.selection import Selection

LEVEL = "level"
"""Column of the tables of a run by level; null in averages over all levels."""

_MOST_WEIGHT = 1000
MOST_DRAWS = 1000
"""Largest number of draws of a random reference point."""

_MOST_LEVELS = 30
_CONTENT_ERRORS = ("leading_miss", "trailing_miss", "leading_false_alarm", "trailing_false_alarm")


def _check_types(option: str, types: tuple[int, ...]) -> None:
    if list(types) != sorted(set(types)) or not all(1 <= kind <= MOST_UNITS for kind in types):
        raise Refused(f"{option} {comma_separated(types)}: must be ascending numbers >= 1")


def _check_select(option: str, labels: tuple[str, ...]) -> None:
    for label in labels:
        if "|" in label or not label.isprintable():
            raise Refused(f"{option} {label!r}: a label cannot contain | or control characters")
    if len({*labels}) < len(labels):
        raise Refused(f"{option} {','.join(labels)}: names a label twice")


def _two_shares(option: str, values: tuple[float, ...]) -> None:
    how_many(option, values, 2)
    for value in values:
        in_unit_interval(option, value)


def _four_weights(option: str, weights: tuple[float, ...]) -> None:
    how_many(option, weights, 4)
    for weight in weights:
        if not 0 <= weight <= _MOST_WEIGHT:
            raise Refused(f"{option} {weight}: must lie in [0, {_MOST_WEIGHT}]")


def _iou_unless_half(text: str) -> str:
    from segscore.pipeline.settings.reading import parse_iou

    iou, reached = parse_iou(text)
    if reached:
        return f">={iou}"
    return "" if 2 * iou == 1 else str(iou)


@dataclass(frozen=True)
class MeasuringSettings:
    """Everything needed to measure segmentations, whatever the command.

    The help of each option says what it is, and docs/measures.md what it means.  Equal choices of
    measures become equal (``measures.selection.normal_form``).
    """

    measures: Annotated[
        tuple[str, ...],
        Option(
            "Names or families, such as pk,winpr. There are families (window, edit, content, "
            "tolerance, winpr, overlap, selected, panel, panel_tolerance), default and all. The "
            "default has 14, such as pk and boundary_similarity, and those that options are about.",
            Panel.MEASURES,
            read_names,
        ),
    ] = ()
    n_t: NTOption = None
    window: WindowOption = "per-pair"
    rounding: RoundingOption = "half-even"
    units: UnitsOption = "units"
    length_tolerance: LengthToleranceOption = 0
    pairing: Annotated[
        str,
        Option(
            "How near misses are matched: greedy (as published) or optimal.",
            Panel.MEASURES,
            check=among(("greedy", "optimal")),
            signed=Signed(
                "pairing", "how boundaries are matched as near misses", ("edit",), always=True
            ),
            rare=True,
        ),
    ] = "greedy"
    boundary_types: Annotated[
        tuple[int, ...],
        Option(
            "Boundary types, such as 1,2,3; default: those that occur.",
            Panel.MEASURES,
            read_whole_numbers,
            check=_check_types,
            signed=Signed("types", "boundary types that are distinguished", ("edit", "type_range")),
        ),
    ] = ()
    by_level: Annotated[
        str | None,
        Option(
            "Score boundary types as levels: cumulative (all up to it) or only (its own). "
            "Each type is a level of a hierarchy; without a value, it is cumulative.",
            Panel.MEASURES,
            check=among(LEVELS),
            signed=Signed("by_level", "the boundaries of a level: all types up to it, or its own"),
            optional=LEVELS,
        ),
    ] = None
    p_seg: PSegOption = None
    cost_miss: Annotated[
        float,
        Option(
            "Cost of a miss in Pr_error, 0 to 1.",
            Panel.MEASURES,
            check=in_unit_interval,
            signed=Signed(
                "cost_miss",
                "weight of misses in the cost of Pr_error",
                ("cost_miss", "cost_false_alarm"),
                always=True,
            ),
            rare=True,
        ),
    ] = 0.5
    c_seg_costs: Annotated[
        tuple[float, ...],
        Option(
            "Costs of a miss and of a false alarm in C_seg.",
            Panel.MEASURES,
            read_numbers,
            check=_two_shares,
            signed=Signed(
                "c_seg_costs",
                "cost of a miss and of a false alarm in C_seg",
                ("c_seg_cost_miss", "c_seg_cost_false_alarm"),
                comma_separated,
            ),
            rare=True,
        ),
    ] = (1.0, 0.3)
    beta: BetaOption = 1.0
    edit_constants: Annotated[
        tuple[float, ...],
        Option(
            "Constants added to the weight of a near miss and of a substitution.",
            Panel.MEASURES,
            read_numbers,
            check=_two_shares,
            signed=Signed(
                "edit_constants",
                "constants added to the costs of edits",
                ("constant_near_miss", "constant_substitution"),
                comma_separated,
            ),
            rare=True,
        ),
    ] = (0.0, 0.0)
    content_weights: Annotated[
        tuple[float, ...],
        Option(
            "Weights of leading and trailing misses, then of leading and trailing false alarms.",
            Panel.MEASURES,
            read_numbers,
            check=_four_weights,
            signed=Signed(
                "content_weights",
                "weights of the four content errors",
                tuple(f"weight_{part}" for part in _CONTENT_ERRORS),
                comma_separated,
            ),
            rare=True,
        ),
    ] = (1.0, 1.0, 1.0, 1.0)
    unit_weights: Annotated[
        bool,
        Option(
            "Measure content in the unit_weights of --documents.",
            Panel.MEASURES,
            signed=Signed(
                "unit_weights",
                "source of the weights of units",
                ("content",),
                lambda _: "documents",
            ),
            rare=True,
        ),
    ] = False
    tolerance: ToleranceOption = 0
    edges: EdgesOption = 0
    tiou: Annotated[
        str,
        Option(
            "IoU above which (>=0.7: from which) segments are the same in tiou_f1, selected_f1.",
            Panel.MEASURES,
            signed=Signed(
                "tiou",
                "overlap above which segments count as partners in tIoU",
                ("tiou_references", "tiou_hypotheses", "selected"),
                _iou_unless_half,
            ),
            rare=True,
        ),
    ] = "1/2"
    select: Annotated[
        tuple[str, ...],
        Option(
            "Score only segments with these labels (selected measures). "
            "Separate them by commas; the input needs segment_labels.",
            Panel.MEASURES,
            read_names,
            check=_check_select,
            signed=Signed(
                "select", "labels of the segments that are compared", ("selected",), ",".join
            ),
        ),
    ] = ()
    join: Annotated[
        str,
        Option(
            "Join segments of --select less than this apart: 15s, or units. "
            "Only segments that --select chooses are joined.",
            Panel.MEASURES,
            signed=Signed(
                "join", "selected segments less than this apart were joined", ("selected",)
            ),
        ),
    ] = "0"
    confusion: Annotated[
        bool,
        Option(
            "Write what boundary types or labels were taken for. "
            "Types are weighted by how near they are; labels of segments are counted "
            "in units.",
            Panel.OUTPUT,
        ),
    ] = False
    consensus: Annotated[
        str | None,
        Option("Consensus references to add, such as 0.5,any.", Panel.INPUTS, joined=(str, float)),
    ] = None
    reference_points: Annotated[
        str | None,
        Option(
            "Baselines to score, such as none,all,random-own. "
            "Others are regular, random-known, coin and human.",
            Panel.INPUTS,
            joined=(str,),
        ),
    ] = None
    draws: Annotated[
        int,
        Option(
            "Draws of each random reference point, whose mean is scored.",
            Panel.INPUTS,
            check=between(1, MOST_DRAWS),
            rare=True,
        ),
    ] = 64
    resample_by: ResampleByOption = None
    replicates: ReplicatesOption = None
    seed: SeedOption = 0

    def __post_init__(self) -> None:
        """Refuse a value that an option cannot have; the message names the option."""
        if self.measures:
            from segscore.pipeline.measures.selection import normal_form

            object.__setattr__(self, "measures", normal_form(self.measures))
        check_options(self)
        self._check_edit_constants()
        self._check_unit_weights()
        self._check_levels()
        self._check_selected()
        self.shares, self.points, self.iou  # noqa: B018  (refuse text that cannot be parsed)

    def _check_edit_constants(self) -> None:
        """Refuse constants with which an edit would weigh more than a full miss."""
        types = self.boundary_types
        widest = max(types) - min(types) + 1 if types else 1
        limits = {"near miss": self.near_limit, "substitution": widest}
        for constant, (edit, parts) in zip(self.edit_constants, limits.items(), strict=True):
            if constant > 1 / parts:
                raise Refused(
                    f"--edit-constants {constant:g}: must be at most {1 / parts:g}, or a {edit} "
                    "would weigh more than a full miss"
                )

    def _check_unit_weights(self) -> None:
        """Refuse measures that divide lengths by a size that would be counted in weights."""
        if self.unit_weights and self.measures:
            in_units = {
                *("purity", "coverage", "purity_coverage_f1", "covering"),
                *("bcubed_precision", "bcubed_recall", "bcubed_f1"),
            }
            if chosen := [name for name in self.selection.names if name in in_units]:
                raise Refused(
                    f"--unit-weights: {', '.join(chosen)} cannot be measured in weights; leave out "
                    "one or the other"
                )

    def _check_selected(self) -> None:
        """Refuse to join what is not selected, and to select segments that levels cut anew."""
        from segscore.pipeline.settings.reading import parse_amount

        if parse_amount("--join", self.join)[0] and not self.select:
            raise Refused(f"--join {self.join}: joins segments that --select chooses; name labels")
        if self.select and self.by_level is not None:
            raise Refused(
                "--select: labels are those of segments, and levels have other segments; omit "
                "--by-level"
            )

    def _check_levels(self) -> None:
        """Refuse more levels than a hierarchy has, each of which scores all rows again."""
        if self.by_level is not None and len(self.boundary_types) > _MOST_LEVELS:
            raise Refused(
                f"--by-level: {len(self.boundary_types)} boundary types would be as many levels; "
                f"at most {_MOST_LEVELS} can be scored"
            )

    def require_documents(self, documents: str | None) -> None:
        """Refuse to measure in unit lengths or unit weights without a documents table.

        Raises:
            Refused: an option needs a column of the documents table; the message names both.
        """
        needed = {"--units words": self.units == "words", "--unit-weights": self.unit_weights}
        for option in (option for option, is_set in needed.items() if is_set):
            if documents is None:
                column = "unit_lengths" if self.units == "words" else "unit_weights"
                raise Refused(f"{option} needs --documents TABLE with a column {column}")

    def in_unit(self, unit: str | None) -> Self:
        """Return the settings with n_t chosen, and times in units; None if that is not known.

        Raises:
            Refused: a time is given, and the unit is not one.
        """
        from segscore.pipeline.settings.reading import amount_in_units, tolerance_in_units
        from segscore.pipeline.tables.units import default_n_t, units_per_second

        per_second = units_per_second(unit, self.units)
        join = amount_in_units("--join", self.join, per_second)
        tolerance = tolerance_in_units(self.tolerance, per_second)
        if self.n_t is not None and (join, tolerance) == (self.join, self.tolerance):
            return self
        n_t = default_n_t(unit, self.units) if self.n_t is None else self.n_t
        return replace(self, n_t=n_t, join=join, tolerance=tolerance)

    @property
    def near_limit(self) -> int:
        """The limit n_t; where it was not chosen, that of tables whose unit is not known."""
        from segscore.pipeline.tables.units import default_n_t

        return default_n_t(None, self.units) if self.n_t is None else self.n_t

    @property
    def selection(self) -> "Selection":
        """The counts and measures to compute."""
        from segscore.pipeline.measures.selection import select

        return select(self.measures)

    @property
    def shares(self) -> dict[str, "Fraction"]:
        """Share of a document's coders by the name of the consensus coder."""
        if self.consensus is None:
            return {}
        from segscore.pipeline.settings.reading import parse_shares

        return parse_shares(self.consensus)

    @property
    def points(self) -> tuple[str, ...]:
        """Names of the reference points that are made for documents and their references."""
        return tuple(name for name in self._all_points if name not in OWN_POINT_NAMES)

    @property
    def own_points(self) -> tuple[str, ...]:
        """Names of the reference points that are drawn from each system's own segmentations."""
        return tuple(name for name in self._all_points if name in OWN_POINT_NAMES)

    @property
    def _all_points(self) -> tuple[str, ...]:
        return () if self.reference_points is None else parse_points(self.reference_points)

    @property
    def selected(self) -> "Selected | None":
        """Which segments are compared as items; None for all."""
        if not self.select:
            return None
        from segscore.pipeline.measures.items import Selected
        from segscore.pipeline.settings.reading import parse_amount

        return Selected(self.select, parse_amount("--join", self.join)[0])

    @property
    def reach(self) -> "int | Fraction":
        """The tolerance: a number of units, or a share of the units of each document."""
        from segscore.pipeline.settings.reading import parse_tolerance

        return parse_tolerance(self.tolerance)

    @property
    def iou(self) -> "Fraction":
        """The threshold that an IoU must exceed."""
        from segscore.pipeline.settings.reading import parse_iou

        return parse_iou(self.tiou)[0]

    @property
    def iou_reached(self) -> bool:
        """Whether an IoU equal to the threshold is enough."""
        from segscore.pipeline.settings.reading import parse_iou

        return parse_iou(self.tiou)[1]

    def parameters(self, p_seg: float, types: tuple[int, ...] = (1,)) -> dict[str, float]:
        """Return the parameters that formulas use in addition to counts.

        Args:
            p_seg: P_seg of the run; NaN if undefined.
            types: boundary types of the run, ascending.
        """
        weights = zip(_CONTENT_ERRORS, self.content_weights, strict=True)
        return {
            "p_seg": p_seg,
            "n_t": self.near_limit,
            "type_range": max(types) - min(types) + 1,
            "beta": float(self.beta),  # products of counts with it are then floats
            "edges": self.edges,
            "constant_near_miss": self.edit_constants[0],
            "constant_substitution": self.edit_constants[1],
            "cost_miss": self.cost_miss,
            "cost_false_alarm": 1 - self.cost_miss,
            "c_seg_cost_miss": self.c_seg_costs[0],
            "c_seg_cost_false_alarm": self.c_seg_costs[1],
            # Integral weights become int, so that sums of counts stay exact.
            **{f"weight_{part}": int(w) if w == int(w) else w for part, w in weights},
        }

    def signature(
        self,
        estimator: str,
        types: tuple[int, ...] | None = None,
        made: Mapping[str, str] | None = None,
        *,
        trials: bool = False,
    ) -> str:
        """Describe in one line what was computed, so that two results can be compared.

        Settings that concern few measures are omitted if they have their default values, and all
        that do not affect the measures of the run.

        Args:
            estimator: how the intervals are estimated.
            types: boundary types of the run; None if it does not distinguish them.
            made: how boundaries of the tables were made: field -> text.
            trials: whether values are means over the trials of a system.
        """
        from importlib.metadata import version

        stated = stated_options(self)
        stated["n_t"] = str(self.near_limit)
        if not isinstance(self.window, int):
            stated["window"] += f",{self.rounding},min2"
        stated["types"] = comma_separated(types or ())
        order = [signed.name for signed in SIGNED.values()]
        parts = {name: stated[name] for name in order if stated.get(name)}
        for name in settings_without_effect(self.selection):
            parts.pop(name, None)
        if self.measures:
            parts["measures"] = ",".join(self.measures)
        if {*self._all_points} & {*RANDOM_POINT_NAMES, *OWN_POINT_NAMES}:
            parts |= {"draws": str(self.draws), "seed": str(self.seed)}
        if trials:
            parts["trials"] = "mean"
        parts |= {**(made or {}), **_of_command(stated)}
        parts |= {"ci": estimator, "v": version("segscore")}
        return "|".join(["segscore", *(f"{name}:{value}" for name, value in parts.items())])


SIGNED = {
    field: option.signed
    for field, option in options_of(MeasuringSettings).items()
    if option.signed is not None
}
"""Field of the settings -> how it is stated in a signature, in the order of the signature."""


def _of_command(stated: Mapping[str, str]) -> dict[str, str]:
    """Return what is stated of the options that only one command has: field -> value."""
    shared = {signed.name for signed in SIGNED.values()}
    return {name: text for name, text in stated.items() if name not in shared}


def settings_without_effect(selection: "Selection") -> set[str]:
    """Return the fields of a signature that do not affect any of the measures."""
    used = {*selection.families, *selection.used_by_formulas}
    return {
        signed.name
        for signed in SIGNED.values()
        if signed.affects and used.isdisjoint(signed.affects)
    }


def affected_by(settings: MeasuringSettings) -> set[str]:
    """Return what settings affect that differ from their defaults and affect none of the measures.

    Returns:
        Families, counts and names in formulas; none if every setting has an effect.
    """
    names = changed_fields(settings)
    changed = [signed for name, signed in SIGNED.items() if signed.affects and name in names]
    if not changed:
        return set()
    without = settings_without_effect(settings.selection)
    return {name for signed in changed if signed.name in without for name in signed.affects}


def measuring_of(settings: Any, **fixed: Any) -> MeasuringSettings:
    """Return how a command measures: as in the options that it shares with ``MeasuringSettings``.

    Args:
        settings: settings of the command; None stands for the default.
        fixed: values of other fields, which the command decides itself.
    """
    shared = options_of(MeasuringSettings).keys() & options_of(settings.__class__).keys()
    given = {name: getattr(settings, name) for name in shared}
    known = {name: value for name, value in given.items() if value is not None}
    return MeasuringSettings(**{**known, **fixed})


def signature_of(settings: Any, measured: str, computed: str, names: tuple[str, ...]) -> str:
    """Return the signature of a command that has few of the options of ``MeasuringSettings``.

    Args:
        settings: settings of the command; what they state themselves is added.
        measured: the signature of how it measures.
        computed: its first fields, such as `agree:pooled`.
        names: the fields of ``measured`` that matter.
    """
    parts = [part for part in measured.split("|") if part.partition(":")[0] in names]
    stated = _of_command(stated_options(settings))
    own = [f"{name}:{value}" for name, value in stated.items()]
    end = len(parts) - sum(part.startswith(("ci:", "v:")) for part in parts)
    return "|".join(["segscore", computed, *parts[:end], *own, *parts[end:]])

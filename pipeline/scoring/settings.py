"""Settings of a scoring run, checked whole before any work starts, and the signature they make."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import version
from typing import Any

from segscore.pipeline.errors import Refused
from segscore.pipeline.scoring.consensus import parse_shares
from segscore.pipeline.scoring.reference_points import parse_points

WINDOWS = ("per-pair", "per-document", "per-run")
ROUNDINGS = ("half-even", "half-up")
_UNITS = ("units", "words")
_PAIRINGS = ("greedy", "optimal")
EQUAL = (1.0, 1.0, 1.0, 1.0)
MOST_WEIGHT = 1000
MOST_UNITS = 2**31 - 1
MOST_REPLICATES = 1_000_000
LEAST_P_SEG = 1e-6


@dataclass(frozen=True)
class ScoreSettings:
    """What `segscore score` was asked to do.

    Attributes:
        references: table of reference segmentations: a file, a directory or a glob.
        hypotheses: table of segmentations to judge.
        output: folder or URL of the run.
        documents: table of unit lengths and attributes, or None.
        group_by: attributes whose combinations are summarised apart.
        n_t: near misses lie 1..n_t-1 positions apart (docs/measures.md); at least 1.
        window: `per-pair`, `per-document`, `per-run`, or a fixed size K >= 1 (docs/measures.md).
        rounding: `half-even` or `half-up`, of half the mean segment size.
        units: `units`, or `words` (or whatever the documents' unit lengths count).
        pairing: `greedy` as published, or `optimal` (docs/measures.md).
        boundary_types: the types boundaries may have, ascending; empty: those that occur.
        p_seg: chance that a window holds a reference boundary; None: from the run's references.
        cost_miss: C_miss of Pr_error in [0, 1]; C_fa is 1 - C_miss.
        c_seg_costs: C_miss and C_fa of C_seg, each in [0, 1].
        beta: weight of recall in b_f1 and f1, above 0.
        edit_constants: added to the weight of each near miss, of each substitution, in [0, 1].
        content_weights: of leading and trailing misses, of leading and trailing false alarms.
        unit_weights: count content in the documents' unit_weights.
        confusion: write which boundary type was taken for which.
        consensus: shares of coders that make a consensus reference, such as `0.5,0.3,any`.
        reference_points: names of reference points to score beside the hypotheses.
        replicates: bootstrap replicates for the intervals; 0 for none.
        seed: of the bootstrap; at least 0.
        max_rejects: largest share of rejected input rows, in [0, 1], at which a run is published.
        memory_limit: bytes that a worker may take; None for the default of the plan.
        fresh: replace a finished run in the same place.
    """

    references: str
    hypotheses: str
    output: str
    documents: str | None = None
    group_by: tuple[str, ...] = ()
    n_t: int = 2
    window: str | int = "per-pair"
    rounding: str = "half-even"
    units: str = "units"
    pairing: str = "greedy"
    boundary_types: tuple[int, ...] = ()
    p_seg: float | None = None
    cost_miss: float = 0.5
    c_seg_costs: tuple[float, ...] = (1.0, 0.3)
    beta: float = 1.0
    edit_constants: tuple[float, ...] = (0.0, 0.0)
    content_weights: tuple[float, ...] = (1.0, 1.0, 1.0, 1.0)
    unit_weights: bool = False
    confusion: bool = False
    consensus: str | None = None
    reference_points: str | None = None
    replicates: int = 1000
    seed: int = 0
    max_rejects: float = 1.0
    memory_limit: int | None = None
    fresh: bool = False

    def __post_init__(self) -> None:
        """Refuse settings that cannot be meant.

        Raises:
            Refused: naming the option, the value and what is allowed.
        """
        within("--n-t", self.n_t, 1, MOST_UNITS)
        if isinstance(self.window, int):
            within("--window", self.window, 1, MOST_UNITS)
        else:
            one_of("--window", self.window, WINDOWS, " or a number >= 1")
        one_of("--rounding", self.rounding, ROUNDINGS)
        one_of("--units", self.units, _UNITS)
        if self.p_seg is not None:
            in_unit_interval("--p-seg", self.p_seg)
            if self.p_seg not in (0, 1) and not LEAST_P_SEG <= self.p_seg <= 1 - LEAST_P_SEG:
                raise Refused(f"--p-seg {self.p_seg}: must be 0, 1 or at least 1e-6 from both")
        in_unit_interval("--cost-miss", self.cost_miss)
        in_unit_interval("--max-rejects", self.max_rejects)
        within("--replicates", self.replicates, 0, MOST_REPLICATES)
        within("--seed", self.seed, 0, 2**64 - 1)
        for option, name in {**self.inputs, "--output": self.output}.items():
            if name is not None and not name.strip():
                raise Refused(f"{option}: is empty; name a file or folder")
        self._check_formulas()
        needed = {"--units words": self.units == "words", "--unit-weights": self.unit_weights}
        for option in (option for option, asked in needed.items() if asked):
            if self.documents is None:
                column = "unit_lengths" if self.units == "words" else "unit_weights"
                raise Refused(f"{option} needs --documents TABLE with a column {column}")
        if len(set(self.group_by)) < len(self.group_by):
            raise Refused(f"--group-by {','.join(self.group_by)}: names a column twice")

    def _check_formulas(self) -> None:
        one_of("--pairing", self.pairing, _PAIRINGS)
        types = self.boundary_types
        if list(types) != sorted(set(types)) or not all(1 <= each <= MOST_UNITS for each in types):
            raise Refused(f"--boundary-types {_listed(types)}: must be ascending numbers >= 1")
        how_many("--c-seg-costs", self.c_seg_costs, 2)
        for cost in self.c_seg_costs:
            in_unit_interval("--c-seg-costs", cost)
        how_many("--edit-constants", self.edit_constants, 2)
        for constant in self.edit_constants:
            in_unit_interval("--edit-constants", constant)
        widest = max(types) - min(types) + 1 if types else 1
        for constant, parts in zip(self.edit_constants, (self.n_t, widest), strict=True):
            if constant > 1 / parts:
                raise Refused(
                    f"--edit-constants {constant:g}: must be at most {1 / parts:g}, or a pair "
                    "would weigh more than a full miss"
                )
        how_many("--content-weights", self.content_weights, 4)
        for weight in self.content_weights:
            if not 0 <= weight <= MOST_WEIGHT:
                raise Refused(f"--content-weights {weight}: must lie in [0, {MOST_WEIGHT}]")
        if not 1 / MOST_WEIGHT <= self.beta <= MOST_WEIGHT:
            raise Refused(f"--beta {self.beta}: must be above 0 and at most {MOST_WEIGHT}")
        self.shares, self.points  # noqa: B018  (refuse what they cannot read)

    @property
    def inputs(self) -> dict[str, str | None]:
        """What a run reads, by the argument or option that names it."""
        return {
            "REFERENCES": self.references,
            "HYPOTHESES": self.hypotheses,
            "--documents": self.documents,
        }

    @property
    def shares(self) -> dict[str, Fraction]:
        """Consensus coder -> share of a document's coders."""
        return {} if self.consensus is None else parse_shares(self.consensus)

    @property
    def points(self) -> tuple[str, ...]:
        """Names of the reference points."""
        return () if self.reference_points is None else parse_points(self.reference_points)

    def parameters(self, p_seg: float, types: tuple[int, ...] = (1,)) -> dict[str, float]:
        """What the formulas use beside counts.

        Args:
            p_seg: of the run; NaN if undefined.
            types: boundary types of the run, ascending.
        """
        parts = ("leading_miss", "trailing_miss", "leading_false_alarm", "trailing_false_alarm")
        weights = zip(parts, self.content_weights, strict=True)
        return {
            "p_seg": p_seg,
            "n_t": self.n_t,
            "type_range": max(types) - min(types) + 1,
            "beta": self.beta,
            "constant_near_miss": self.edit_constants[0],
            "constant_substitution": self.edit_constants[1],
            "cost_miss": self.cost_miss,
            "cost_false_alarm": 1 - self.cost_miss,
            "c_seg_cost_miss": self.c_seg_costs[0],
            "c_seg_cost_false_alarm": self.c_seg_costs[1],
            # Whole weights stay whole, so that sums of counts stay exact.
            **{f"weight_{part}": int(w) if w == int(w) else w for part, w in weights},
        }

    def signature(self, estimator: str, types: tuple[int, ...] | None = None) -> str:
        """Say in one line what was computed, so that two results can be compared.

        What is as it is by default and belongs to few measures is left out.

        Args:
            estimator: of the intervals.
            types: boundary types of a run that tells them apart.
        """
        if isinstance(self.window, int):
            window = f"fixed,{self.window}"
        else:
            window = f"{self.window},{self.rounding},min2"
        parts = {
            "n_t": self.n_t,
            "window": window,
            "units": self.units,
            "pairing": self.pairing,
            "types": _listed(types or ()),
            "p_seg": "run" if self.p_seg is None else self.p_seg,
            "cost_miss": self.cost_miss,
            "c_seg_costs": _listed(self.c_seg_costs) if self.c_seg_costs != (1.0, 0.3) else "",
            "beta": f"{self.beta:g}" if self.beta != 1 else "",
            "edit_constants": _listed(self.edit_constants) if any(self.edit_constants) else "",
            "content_weights": _listed(self.content_weights)
            if self.content_weights != EQUAL
            else "",
            "unit_weights": "documents" if self.unit_weights else "",
            "ci": estimator,
            "v": version("segscore"),
        }
        parts = {name: value for name, value in parts.items() if value != ""}
        return "|".join(["segscore", *(f"{name}:{value}" for name, value in parts.items())])


def recorded(told: Mapping[str, Any]) -> ScoreSettings:
    """Read the settings of a scoring run from its record, where tuples are lists."""
    settled: dict[str, Any] = {
        name: tuple(each) if isinstance(each, list) else each for name, each in told.items()
    }
    return ScoreSettings(**settled)


def within(option: str, value: int, least: int, most: int) -> None:
    """Refuse a number that is not in least..most."""
    if not least <= value <= most:
        raise Refused(f"{option} {value}: must be at least {least} and at most {most}")


def how_many(option: str, values: tuple[float, ...], number: int) -> None:
    """Refuse a list of another length."""
    if len(values) != number:
        raise Refused(f"{option} {_listed(values)}: must be {number} numbers")


def _listed(values: tuple[float, ...]) -> str:
    return ",".join(f"{value:g}" for value in values)


def in_unit_interval(option: str, value: float) -> None:
    """Refuse a number outside [0, 1] (and NaN)."""
    if not 0 <= value <= 1:
        raise Refused(f"{option} {value}: must lie in [0, 1]")


def one_of(option: str, value: str, choices: tuple[str, ...], also: str = "") -> None:
    """Refuse a word that is not among the choices."""
    if value not in choices:
        raise Refused(f"{option} {value}: must be one of {', '.join(choices)}{also}")

"""Settings of a scoring run, checked whole before any work starts, and the signature they make."""

from dataclasses import dataclass
from importlib.metadata import version

from pipeline.errors import Refused

WINDOWS = ("per-pair", "per-document", "per-run")
ROUNDINGS = ("half-even", "half-up")
UNITS = ("units", "words")
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
        n_t: near misses lie 1..n_t-1 positions apart (METRICS 3); at least 1.
        window: `per-pair`, `per-document`, `per-run`, or a fixed size K >= 1 (METRICS 2).
        rounding: `half-even` or `half-up`, of half the mean segment size.
        units: `units`, or `words` (or whatever the documents' unit lengths count).
        p_seg: chance that a window holds a reference boundary; None: from the run's references.
        cost_miss: C_miss of Pr_error in [0, 1]; C_fa is 1 - C_miss.
        replicates: bootstrap replicates for the intervals; 0 for none.
        seed: of the bootstrap; at least 0.
        max_rejects: largest share of rejected input rows, in [0, 1], at which a run is published.
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
    p_seg: float | None = None
    cost_miss: float = 0.5
    replicates: int = 1000
    seed: int = 0
    max_rejects: float = 1.0
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
        one_of("--units", self.units, UNITS)
        if self.p_seg is not None:
            in_unit_interval("--p-seg", self.p_seg)
            if self.p_seg not in (0, 1) and not LEAST_P_SEG <= self.p_seg <= 1 - LEAST_P_SEG:
                raise Refused(f"--p-seg {self.p_seg}: must be 0, 1 or at least 1e-6 from both")
        in_unit_interval("--cost-miss", self.cost_miss)
        in_unit_interval("--max-rejects", self.max_rejects)
        within("--replicates", self.replicates, 0, MOST_REPLICATES)
        within("--seed", self.seed, 0, 2**64 - 1)
        names = {
            "REFERENCES": self.references,
            "HYPOTHESES": self.hypotheses,
            "--output": self.output,
            "--documents": self.documents,
        }
        for option, name in names.items():
            if name is not None and not name.strip():
                raise Refused(f"{option}: is empty; name a file or folder")
        if self.units == "words" and self.documents is None:
            raise Refused(
                "--units words needs the words in each unit: pass --documents TABLE "
                "with a unit_lengths column"
            )
        if len(set(self.group_by)) < len(self.group_by):
            raise Refused(f"--group-by {','.join(self.group_by)}: names a column twice")

    @property
    def parameters(self) -> dict[str, float]:
        """What the formulas use beside counts; P_seg is added once the references are known."""
        return {
            "n_t": self.n_t,
            "type_range": 1,
            "cost_miss": self.cost_miss,
            "cost_false_alarm": 1 - self.cost_miss,
            "c_seg_cost_miss": 1.0,
            "c_seg_cost_false_alarm": 0.3,
        }

    def signature(self, estimator: str) -> str:
        """Say in one line what was computed, so that two results can be compared.

        Args:
            estimator: of the intervals.
        """
        if isinstance(self.window, int):
            window = f"fixed,{self.window}"
        else:
            window = f"{self.window},{self.rounding},min2"
        parts = {
            "n_t": self.n_t,
            "window": window,
            "units": self.units,
            "pairing": "greedy",
            "p_seg": "run" if self.p_seg is None else self.p_seg,
            "cost_miss": self.cost_miss,
            "ci": estimator,
            "v": version("segscore"),
        }
        return "|".join(["segscore", *(f"{name}:{value}" for name, value in parts.items())])


def within(option: str, value: int, least: int, most: int) -> None:
    """Refuse a number that is not in least..most."""
    if not least <= value <= most:
        raise Refused(f"{option} {value}: must be at least {least} and at most {most}")


def in_unit_interval(option: str, value: float) -> None:
    """Refuse a number outside [0, 1] (and NaN)."""
    if not 0 <= value <= 1:
        raise Refused(f"{option} {value}: must lie in [0, 1]")


def one_of(option: str, value: str, choices: tuple[str, ...], also: str = "") -> None:
    """Refuse a word that is not among the choices."""
    if value not in choices:
        raise Refused(f"{option} {value}: must be one of {', '.join(choices)}{also}")

"""Names of measures and settings, for type checkers and editors.

Written by `make docs` from the tables of measures and options; change it there.
"""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING, Literal, Protocol, TypedDict

if TYPE_CHECKING:
    from typing import Unpack

    from segscore.api.segmentation import Segmentation, WholeNumbers


MeasureName = Literal[
    "pk",
    "pk_miss_rate",
    "pk_false_alarm_rate",
    "pk_prior",
    "pk_prime_miss_rate",
    "pk_prime_false_alarm_rate",
    "pk_prime",
    "window_diff",
    "window_diff_miss",
    "window_diff_false_alarm",
    "window_diff_weighted",
    "pr_miss",
    "pr_false_alarm",
    "pr_error",
    "c_seg",
    "c_seg_normalised",
    "window_diff_edges",
    "boundary_similarity",
    "segmentation_similarity",
    "b_tp",
    "b_fp",
    "b_fn",
    "b_tn",
    "b_precision",
    "b_recall",
    "b_f1",
    "precision",
    "recall",
    "f1",
    "r_miss",
    "r_false_alarm",
    "story_miss",
    "story_false_alarm",
    "tolerant_precision",
    "tolerant_recall",
    "tolerant_f1",
    "reach_precision",
    "reach_recall",
    "reach_f1",
    "over_segmentation",
    "r_value",
    "count_error",
    "perfect_share",
    "winpr_precision",
    "winpr_recall",
    "winpr_f1",
    "purity",
    "coverage",
    "purity_coverage_f1",
    "tiou_precision",
    "tiou_recall",
    "tiou_f1",
    "tiou_mean_precision",
    "tiou_mean_recall",
    "tiou_mean_f1",
    "alignment",
    "pair_precision",
    "pair_recall",
    "pair_f1",
    "rand",
    "adjusted_rand",
    "covering",
    "exact_precision",
    "exact_recall",
    "exact_f1",
    "bcubed_precision",
    "bcubed_recall",
    "bcubed_f1",
    "selected_precision",
    "selected_recall",
    "selected_f1",
    "start_bias",
    "end_bias",
    "start_error",
    "end_error",
    "start_f1",
    "end_f1",
    "dialseg_score",
]
"""A measure of pairs."""

AnyMeasure = Literal[
    MeasureName,
    "win_diff_prime",
    "mult_window_diff",
    "best_case",
    "worst_case",
    "panel_tolerant_precision",
    "panel_tolerant_recall",
    "panel_tolerant_f1",
]
"""A measure of pairs or of panels."""

MeasureChoice = Literal[
    AnyMeasure,
    "default",
    "all",
    "window",
    "edit",
    "content",
    "tolerance",
    "winpr",
    "overlap",
    "selected",
    "panel",
    "panel_tolerance",
]
"""A measure, a family of measures, or all."""

CountedUnit = Literal[
    "millisecond",
    "second",
    "sentence",
    "utterance",
    "turn",
    "line",
    "word",
    "token",
    "character",
]
"""What positions may count."""


class MetricKeywords(TypedDict, total=False):
    """Keywords of `segscore.Metric`."""

    n_t: int | None
    window: str | int
    rounding: Literal["half-even", "half-up"]
    units: Literal["units", "words"]
    length_tolerance: int
    pairing: Literal["greedy", "optimal"]
    boundary_types: Sequence[int] | str
    p_seg: float | None
    cost_miss: float
    c_seg_costs: Sequence[float] | str
    beta: float
    edit_constants: Sequence[float] | str
    content_weights: Sequence[float] | str
    unit_weights: bool
    tolerance: int | str
    edges: int
    tiou: str
    select: Sequence[str] | str
    join: str


class PairKeywords(MetricKeywords, total=False):
    """Keywords of `segscore.score`."""

    measures: Iterable[MeasureChoice] | MeasureChoice


class EvaluateKeywords(MetricKeywords, total=False):
    """Keywords of `segscore.evaluate`."""

    output: str
    group_by: Sequence[str] | str
    by_level: Literal["cumulative", "only"] | bool | None
    confusion: bool
    consensus: str | Sequence[str | float] | None
    reference_points: str | Sequence[str] | None
    draws: int
    resample_by: str | None
    replicates: int | None
    seed: int
    max_rejects: float
    max_unpaired: float | None
    missing: Literal["leave-out", "none", "refuse"]
    trials: bool
    unit: CountedUnit | None
    threshold: str | float | Sequence[str] | None
    memory_limit: int | str | None
    fresh: bool


class AgreeKeywords(TypedDict, total=False):
    """Keywords of `segscore.agree`."""

    without: Sequence[str] | str
    pseudonyms: str | None
    round: str
    same_tool: str | None
    candidate: str | None
    margin: float
    group_by: Sequence[str] | str
    resample_by: str | None
    n_t: int | None
    window: str | int
    rounding: Literal["half-even", "half-up"]
    units: Literal["units", "words"]
    unit: CountedUnit | None
    length_tolerance: int
    similarity: Sequence[str] | str
    bin: str
    expected: str
    as_published: str | None
    limits: Sequence[str] | str
    replicates: int | None
    seed: int
    max_rejects: float
    memory_limit: int | str | None
    fresh: bool


class CompareKeywords(TypedDict, total=False):
    """Keywords of `segscore.compare`."""

    output: str | None
    systems: Sequence[str] | str
    group_by: Sequence[str] | str
    where: bool
    changes: bool
    published: bool
    published_scores: str | None
    ratings: str | None
    may_differ: Sequence[str] | str
    resample_by: str | None
    replicates: int | None
    permutations: int
    alpha: float
    power: float
    difference: float | None
    margin: float | None
    seed: int
    trust_inputs: bool
    fresh: bool


class CalibrateKeywords(TypedDict, total=False):
    """Keywords of `segscore.calibrate`."""

    n_t: int | None
    window: str | int
    rounding: Literal["half-even", "half-up"]
    units: Literal["units", "words"]
    unit: CountedUnit | None
    length_tolerance: int
    tolerance: int | str
    seed: int
    sample: int | str | None


class ReconcileKeywords(TypedDict, total=False):
    """Keywords of `segscore.reconcile`."""

    measure: str | None
    published_table: str | None
    system: str | None
    tolerance_of_print: float | None
    tolerance: Sequence[int] | str
    units: Literal["units", "words"]
    unit: CountedUnit | None
    length_tolerance: int


class TrendKeywords(TypedDict, total=False):
    """Keywords of `segscore.trend`."""

    nights: int | None
    group_by: Sequence[str] | str
    average: str
    alpha: float
    limit: float
    seed: int
    add: str | None
    since: str | date | None
    until: str | date | None
    month: str | date | None


class SweepKeywords(TypedDict, total=False):
    """Keywords of `segscore.sweep`."""

    tolerances: Sequence[int] | str
    measures: Iterable[MeasureChoice] | MeasureChoice
    thresholds: Sequence[float] | str
    n_t: Sequence[int] | str
    windows: Sequence[str] | str
    also_words: bool
    tolerance: int | str
    edges: int
    beta: float
    window: str | int
    rounding: Literal["half-even", "half-up"]
    units: Literal["units", "words"]
    unit: CountedUnit | None
    length_tolerance: int
    p_seg: float | None
    resample_by: str | None


class MeasureFunction(Protocol):
    """The function of one measure, such as `segscore.pk`."""

    @property
    def __name__(self) -> str:
        """Name of the measure."""

    def __call__(
        self,
        *,
        reference: "Segmentation | WholeNumbers",
        hypothesis: "Segmentation | WholeNumbers",
        n_units: int | None = None,
        **settings: "Unpack[MetricKeywords]",
    ) -> float | None:
        """Return the value of one pair; None if it is undefined.

        The arguments and the errors are those of `segscore.score`.
        """


if TYPE_CHECKING:
    pk: MeasureFunction
    pk_miss_rate: MeasureFunction
    pk_false_alarm_rate: MeasureFunction
    pk_prior: MeasureFunction
    pk_prime_miss_rate: MeasureFunction
    pk_prime_false_alarm_rate: MeasureFunction
    pk_prime: MeasureFunction
    window_diff: MeasureFunction
    window_diff_miss: MeasureFunction
    window_diff_false_alarm: MeasureFunction
    window_diff_weighted: MeasureFunction
    pr_miss: MeasureFunction
    pr_false_alarm: MeasureFunction
    pr_error: MeasureFunction
    c_seg: MeasureFunction
    c_seg_normalised: MeasureFunction
    window_diff_edges: MeasureFunction
    boundary_similarity: MeasureFunction
    segmentation_similarity: MeasureFunction
    b_tp: MeasureFunction
    b_fp: MeasureFunction
    b_fn: MeasureFunction
    b_tn: MeasureFunction
    b_precision: MeasureFunction
    b_recall: MeasureFunction
    b_f1: MeasureFunction
    precision: MeasureFunction
    recall: MeasureFunction
    f1: MeasureFunction
    r_miss: MeasureFunction
    r_false_alarm: MeasureFunction
    story_miss: MeasureFunction
    story_false_alarm: MeasureFunction
    tolerant_precision: MeasureFunction
    tolerant_recall: MeasureFunction
    tolerant_f1: MeasureFunction
    reach_precision: MeasureFunction
    reach_recall: MeasureFunction
    reach_f1: MeasureFunction
    over_segmentation: MeasureFunction
    r_value: MeasureFunction
    count_error: MeasureFunction
    perfect_share: MeasureFunction
    winpr_precision: MeasureFunction
    winpr_recall: MeasureFunction
    winpr_f1: MeasureFunction
    purity: MeasureFunction
    coverage: MeasureFunction
    purity_coverage_f1: MeasureFunction
    tiou_precision: MeasureFunction
    tiou_recall: MeasureFunction
    tiou_f1: MeasureFunction
    tiou_mean_precision: MeasureFunction
    tiou_mean_recall: MeasureFunction
    tiou_mean_f1: MeasureFunction
    alignment: MeasureFunction
    pair_precision: MeasureFunction
    pair_recall: MeasureFunction
    pair_f1: MeasureFunction
    rand: MeasureFunction
    adjusted_rand: MeasureFunction
    covering: MeasureFunction
    exact_precision: MeasureFunction
    exact_recall: MeasureFunction
    exact_f1: MeasureFunction
    bcubed_precision: MeasureFunction
    bcubed_recall: MeasureFunction
    bcubed_f1: MeasureFunction
    selected_precision: MeasureFunction
    selected_recall: MeasureFunction
    selected_f1: MeasureFunction
    start_bias: MeasureFunction
    end_bias: MeasureFunction
    start_error: MeasureFunction
    end_error: MeasureFunction
    start_f1: MeasureFunction
    end_f1: MeasureFunction
    dialseg_score: MeasureFunction

    __all__ = [
        "adjusted_rand",
        "alignment",
        "b_f1",
        "b_fn",
        "b_fp",
        "b_precision",
        "b_recall",
        "b_tn",
        "b_tp",
        "bcubed_f1",
        "bcubed_precision",
        "bcubed_recall",
        "boundary_similarity",
        "c_seg",
        "c_seg_normalised",
        "count_error",
        "coverage",
        "covering",
        "dialseg_score",
        "end_bias",
        "end_error",
        "end_f1",
        "exact_f1",
        "exact_precision",
        "exact_recall",
        "f1",
        "over_segmentation",
        "pair_f1",
        "pair_precision",
        "pair_recall",
        "perfect_share",
        "pk",
        "pk_false_alarm_rate",
        "pk_miss_rate",
        "pk_prime",
        "pk_prime_false_alarm_rate",
        "pk_prime_miss_rate",
        "pk_prior",
        "pr_error",
        "pr_false_alarm",
        "pr_miss",
        "precision",
        "purity",
        "purity_coverage_f1",
        "r_false_alarm",
        "r_miss",
        "r_value",
        "rand",
        "reach_f1",
        "reach_precision",
        "reach_recall",
        "recall",
        "segmentation_similarity",
        "selected_f1",
        "selected_precision",
        "selected_recall",
        "start_bias",
        "start_error",
        "start_f1",
        "story_false_alarm",
        "story_miss",
        "tiou_f1",
        "tiou_mean_f1",
        "tiou_mean_precision",
        "tiou_mean_recall",
        "tiou_precision",
        "tiou_recall",
        "tolerant_f1",
        "tolerant_precision",
        "tolerant_recall",
        "window_diff",
        "window_diff_edges",
        "window_diff_false_alarm",
        "window_diff_miss",
        "window_diff_weighted",
        "winpr_f1",
        "winpr_precision",
        "winpr_recall",
    ]

"""The output tables of a sweep: `curves` and `operating_points`, or `tolerances`."""

import pandera.pyarrow as pap
import pyarrow as pa

from segscore.pipeline.measures import PAIRS, tolerance
from segscore.schemas.columns import (
    any_of,
    name,
    number_or_null,
    share_or_null,
    true_or_null,
    value,
    whole,
)
from segscore.schemas.scores import measure

COUNTED = (
    "pk_misses",
    "pk_false_alarms",
    "content_leading_miss",
    "content_trailing_miss",
    "content_leading_false_alarm",
    "content_trailing_false_alarm",
)
_VALUES = ("pk_miss_rate", "pk_false_alarm_rate", "pk_prior", "r_miss", "r_false_alarm")
FIXED = ("windows", "reference_windows", "content_size")

_POINT = {
    "hypothesis": name("coder of the hypotheses"),
    "threshold": share_or_null(
        "boundaries are the candidates with at least this score; null: above the largest score, "
        "so no boundary at all"
    ),
    **{count: whole(f"{PAIRS.counts[count]}, summed over pairs") for count in COUNTED},
    "hypothesis_segments": whole("segments of the hypotheses, summed over pairs"),
    "matches": whole("boundaries of the hypotheses at those of the references, summed over pairs"),
    **{
        count: whole(f"{PAIRS.counts[count]}, summed over pairs; the same at all thresholds")
        for count in FIXED
    },
    "reference_segments": whole(
        "segments of the references, summed over pairs; the same at all thresholds"
    ),
    **{column: measure(column, required=True) for column in _VALUES},
    "mean_segment_length": value(
        "content_size / hypothesis_segments, in the unit of the run", None
    ),
    "reference_mean_segment_length": value(
        "content_size / reference_segments, in the unit of the run", None
    ),
}

CURVES = pap.DataFrameSchema(
    _POINT,
    name="curves",
    strict=True,
    description="hypothesis and threshold; thresholds ascend, null last",
)

OPERATING_POINTS = pap.DataFrameSchema(
    {
        **_POINT,
        "average_precision": share_or_null(
            "area below precision over recall of exact boundaries, over all thresholds, as a step "
            "function; null if the references have no boundaries"
        ),
    },
    name="operating_points",
    strict=True,
    description="hypothesis: the row of curves whose mean segment length is closest to that of the "
    "references; if several are equally close, the one with the highest threshold (null is "
    "highest)",
)

MEASURED = pap.DataFrameSchema(
    {
        "hypothesis": name("coder of the hypotheses"),
        "measure": name("name of the measure"),
        "threshold": share_or_null("boundaries are the candidates with at least this score"),
        "value": number_or_null(
            "micro average of the measure at the threshold; null if it is undefined"
        ),
        "best": true_or_null(
            "whether the value is the best one of the hypothesis; of equal ones, the middle of the "
            "longest row of neighbouring thresholds"
        ),
        "ci_low": number_or_null("lower end of the 95 % interval of the best value; else null"),
        "ci_high": number_or_null("upper end of the 95 % interval of the best value; else null"),
        "near_best": true_or_null(
            "whether it lies in the row of neighbouring thresholds around the best one whose "
            "values are in this interval, or equal to the best one where there is none"
        ),
    },
    name="measured",
    strict=True,
    description="hypothesis, measure and threshold, if measures were chosen; thresholds ascend",
)

RANKS = pap.DataFrameSchema(
    {
        "measure": name("name of the measure"),
        "setting": any_of(["n_t", "window", "units"], "setting that is varied"),
        "choice": name("its value, such as 3, per-pair or words"),
        "own": pap.Column(
            pa.bool_(), nullable=False, description="whether it is the run's own setting"
        ),
        "hypothesis": name("coder of the hypotheses"),
        "value": number_or_null(
            "micro average of the measure with this setting, over the documents on which systems "
            "are ranked; null if it is undefined"
        ),
        "rank": number_or_null(
            "rank by value, from 1 for the best; equal values have the same rank; null if the "
            "value is, or if systems share too few documents to be ranked"
        ),
        "tau": number_or_null(
            "Kendall's tau-b of the values of all systems with those at the run's own setting, in "
            "[-1, 1]; null if all values of either are equal, or there are fewer than two"
        ),
        "documents": whole("number of documents that the value is over"),
    },
    name="ranks",
    strict=True,
    description="measure, setting that affects it, choice and hypothesis, with several `--n-t`, "
    "`--windows` or `--also-words`, in place of curves and operating_points",
)

TOLERANCES = pap.DataFrameSchema(
    {
        "hypothesis": name("coder of the hypotheses"),
        "tolerance": whole(
            "largest distance of boundaries that are paired, in the unit of the run"
        ),
        **{count: whole(f"{text}, summed over pairs") for count, text in tolerance.COUNTS.items()},
        **{each.name: measure(each.name, required=True) for each in tolerance.MEASURES},
    },
    name="tolerances",
    strict=True,
    description="hypothesis and tolerance, if tolerances were chosen, in place of curves and "
    "operating_points; tolerances ascend",
)

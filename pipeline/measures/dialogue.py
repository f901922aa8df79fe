"""The Score of dialogue segmentation, a formula over the counts of other families."""

from segscore.pipeline.measures.measure import REVERSIBLE, SYMMETRIC, Measure

COUNTS: dict[str, str] = {}

_EXACT_F1 = (
    "2 * matches / (2 * matches + misses + false_alarms + 2 * (near_misses + substitutions))"
)

MEASURES = (
    Measure(
        "dialseg_score",
        f"first_defined({_EXACT_F1}, 0) / 2 + (1 - pk) / 4 + (1 - window_diff) / 4",
        "SuperDialseg",
        frozenset({SYMMETRIC, REVERSIBLE}),
        better="higher",
        description="Score of SuperDialseg: mean of exact F1 and of 1 minus the mean of Pk and "
        "WindowDiff",
    ),
)

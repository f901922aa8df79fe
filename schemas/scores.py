"""The output table `scores`: documents as each hypothesis has them, against each reference."""

import pandera.pyarrow as pap
import pyarrow as pa

COUNTS = {
    "n_units": "length of the document: units, or words in a run that measures in words",
    "window": "window size k in the unit of the run",
    "collapsed_boundaries": "boundaries of either side lost when brought to words, where several "
    "fell on one position",
    "windows": "windows that fit: max(0, n_units - window)",
    "reference_windows": "windows that cover a reference boundary or more",
    "pk_misses": "windows that cover a reference but no hypothesis boundary",
    "pk_false_alarms": "windows that cover a hypothesis but no reference boundary",
    "wd_misses": "windows that cover more reference than hypothesis boundaries",
    "wd_false_alarms": "windows that cover fewer reference than hypothesis boundaries",
    "pk_prime_misses": "windows with a reference boundary in which the numbers differ",
    "pk_prime_false_alarms": "windows without a reference boundary in which the numbers differ",
    "wd_absolute": "sum over windows of the difference between the numbers of boundaries",
    "edge_windows": "windows of the document padded with k units before and after: n_units + k",
    "edge_errors": "of these, windows in which the numbers of boundaries differ",
    "matches": "boundaries at equal positions",
    "near_misses": "pairs of boundaries 1..n_t-1 positions apart",
    "near_miss_span": "sum of the near misses' distances, in the unit of the run",
    "misses": "full misses: boundaries only in the reference",
    "false_alarms": "full misses: boundaries only in the hypothesis",
    "substitutions": "boundaries at one position, of different types",
    "substitution_span": "sum of the substitutions' type differences",
    "potential_boundaries": "places for a boundary: n_units - 1, times the boundary types",
    "ghd": "generalised Hamming distance: least cost of insertions and deletions (2 each) and "
    "shifts (1 a position) that make the hypothesis the reference",
    "content_miss": "sum over units of the units of their reference segment that are not in their "
    "hypothesis segment",
    "content_false_alarm": "sum over units of the units of their hypothesis segment that are not "
    "in their reference segment",
    "content_size": "units a listener may be at: n_units",
    "content_leading_miss": "the part of content_miss that lies before the hypothesis segment",
    "content_trailing_miss": "the part of content_miss that lies after the hypothesis segment",
    "content_leading_false_alarm": "the part of content_false_alarm that lies before the reference "
    "segment",
    "content_trailing_false_alarm": "the part of content_false_alarm that lies after the reference "
    "segment",
    "stories": "reference segments",
    "story_miss_sum": "sum over stories of the share missed, in units of 2^-40",
    "story_false_alarm_sum": "sum over stories of the share falsely heard, in units of 2^-40",
}

_POSITIVE = ("n_units", "window")
"""Counts of at least 1."""

MEASURES = {
    "pk": "Pk: share of windows in which one side has a boundary and the other has none",
    "pk_miss_rate": "P_miss: share of windows with a reference boundary that were missed",
    "pk_false_alarm_rate": "P_fa: share of windows without one in which the hypothesis has one",
    "pk_prior": "Pk with a prior: P_miss and P_fa weighted by P_seg",
    "pk_prime_miss_rate": "P'_miss: share of windows with a reference boundary that differ",
    "pk_prime_false_alarm_rate": "P'_fa: share of windows without one that differ",
    "pk_prime": "P'k: P'_miss and P'_fa weighted by P_seg",
    "window_diff": "WindowDiff: share of windows in which the numbers of boundaries differ",
    "window_diff_miss": "share of windows with too few hypothesis boundaries",
    "window_diff_false_alarm": "share of windows with too many hypothesis boundaries",
    "window_diff_weighted": "mean difference between the numbers of boundaries in a window",
    "pr_miss": "Pr_miss: windows with too few boundaries, over those with a reference boundary",
    "pr_false_alarm": "Pr_fa: windows with too many boundaries, over all windows",
    "pr_error": "Pr_error: Pr_miss and Pr_fa weighted by their costs",
    "c_seg": "C_seg: P_miss and P_fa weighted by P_seg and costs",
    "c_seg_normalised": "C_seg over that of the better of two systems that do not look",
    "window_diff_edges": "WindowDiff over the padded document: ends count as much as the middle",
    "boundary_similarity": "B: mean correctness of boundary pairs; 1 if neither has a boundary",
    "segmentation_similarity": "S: 1 - edits / potential boundaries; 1 for a single unit",
    "b_tp": "credited boundaries: matches and parts of near misses",
    "b_fp": "false alarms",
    "b_fn": "misses",
    "b_tn": "potential boundaries that are none of the other three",
    "b_precision": "share of hypothesis boundaries credited, near misses in part",
    "b_recall": "share of reference boundaries credited, near misses in part",
    "b_f1": "harmonic mean of b_precision and b_recall",
    "precision": "share of hypothesis boundaries that are matches",
    "recall": "share of reference boundaries that are matches",
    "f1": "harmonic mean of precision and recall",
    "r_miss": "R_miss: content missed, mean over units, in the unit of the run",
    "r_false_alarm": "R_fa: content falsely heard, mean over units, in the unit of the run",
    "story_miss": "mean over stories of the share missed",
    "story_false_alarm": "mean over stories of the share of what is heard that is not the story",
}

AMOUNTS = frozenset(
    (
        "window_diff_weighted",
        "c_seg",
        "c_seg_normalised",
        "r_miss",
        "r_false_alarm",
        "b_tp",
        "b_fp",
        "b_fn",
        "b_tn",
    )
)
"""Measures without an upper bound; the others lie in [0, 1]."""


def value(description: str, upper: float | None) -> pap.Column:
    """A column of a measure's values, null where undefined."""
    checks = [pap.Check.ge(0)] if upper is None else [pap.Check.ge(0), pap.Check.le(upper)]
    return pap.Column(pa.float64(), checks, nullable=True, description=description)


def measure(name: str, description: str | None = None) -> pap.Column:
    """A column of a measure's values, described as in scores unless otherwise said."""
    return value(description or MEASURES[name], None if name in AMOUNTS else 1)


def name(description: str) -> pap.Column:
    """A column of names that are never missing."""
    return pap.Column(pa.string(), nullable=False, description=description)


def whole(description: str, least: int = 0) -> pap.Column:
    """A column of whole numbers that are never missing."""
    return pap.Column(pa.int64(), pap.Check.ge(least), nullable=False, description=description)


SCORES = pap.DataFrameSchema(
    {
        "document_id": name("name of the document"),
        "reference": name("coder of the reference; `consensus:` and its share for one made of all"),
        "hypothesis": name("coder of the hypothesis; `point:` and its name for a reference point"),
        **{each: whole(meaning, int(each in _POSITIVE)) for each, meaning in COUNTS.items()},
        **{each: measure(each) for each in MEASURES},
    },
    name="scores",
    description="document, reference and hypothesis",
    strict=False,
)

"""What each measure divides by, of one document or of several, written from docs/measures.md."""

from collections.abc import Callable, Mapping
from fractions import Fraction

Counts = Mapping[str, int]
_PAIRS = ("together", "reference_only", "hypothesis_only", "apart")
Denominator = Callable[[Counts], Fraction | int]


def _windows(c: Counts) -> int:
    return c["windows"]


def _with_boundary(c: Counts) -> int:
    return c["reference_windows"]


def _without_boundary(c: Counts) -> int:
    return c["windows"] - c["reference_windows"]


def _potential(c: Counts) -> int:
    return c["potential_boundaries"]


def _pairs(c: Counts) -> int:
    edits = ("misses", "false_alarms", "near_misses", "substitutions", "matches")
    return sum(c[name] for name in edits)


def _b_tp(c: Counts) -> Fraction:
    # n_t is 2 and there is one type, as in the runs of the tests.
    return c["matches"] + c["near_misses"] - Fraction(c["near_miss_span"], 2)


def _wrong(c: Counts) -> int:
    return c["near_misses"] + c["substitutions"]


def _content(c: Counts) -> int:
    return c["content_size"]


def _of_hypothesis(c: Counts) -> int:
    return c["hypothesis_boundaries"]


def _of_reference(c: Counts) -> int:
    return c["reference_boundaries"]


DENOMINATORS: Mapping[str, tuple[Denominator, ...]] = {
    "pk": (_windows,),
    "pk_miss_rate": (_with_boundary,),
    "pk_false_alarm_rate": (_without_boundary,),
    "pk_prior": (_with_boundary, _without_boundary),
    "pk_prime_miss_rate": (_with_boundary,),
    "pk_prime_false_alarm_rate": (_without_boundary,),
    "pk_prime": (_with_boundary, _without_boundary),
    "window_diff": (_windows,),
    "window_diff_miss": (_windows,),
    "window_diff_false_alarm": (_windows,),
    "window_diff_weighted": (_windows,),
    "pr_miss": (_with_boundary,),
    "pr_false_alarm": (_windows,),
    "pr_error": (_with_boundary, _windows),
    "c_seg": (_with_boundary, _without_boundary),
    "c_seg_normalised": (_with_boundary, _without_boundary),
    "window_diff_edges": (lambda c: c["edge_windows"],),
    "boundary_similarity": (_pairs,),
    "segmentation_similarity": (_potential,),
    "b_precision": (lambda c: _b_tp(c) + c["false_alarms"],),
    "b_recall": (lambda c: _b_tp(c) + c["misses"],),
    "b_f1": (lambda c: 2 * _b_tp(c) + c["misses"] + c["false_alarms"],),
    "precision": (lambda c: c["matches"] + _wrong(c) + c["false_alarms"],),
    "recall": (lambda c: c["matches"] + _wrong(c) + c["misses"],),
    "f1": (lambda c: 2 * (c["matches"] + _wrong(c)) + c["misses"] + c["false_alarms"],),
    "r_miss": (_content,),
    "r_false_alarm": (_content,),
    "story_miss": (lambda c: c["stories"],),
    "story_false_alarm": (lambda c: c["stories"],),
    "tolerant_precision": (_of_hypothesis,),
    "tolerant_recall": (_of_reference,),
    "tolerant_f1": (lambda c: _of_reference(c) + _of_hypothesis(c),),
    "reach_precision": (_of_hypothesis,),
    "reach_recall": (_of_reference,),
    "reach_f1": (
        lambda c: (
            c["hypotheses_in_reach"] * _of_reference(c)
            + c["references_in_reach"] * _of_hypothesis(c)
        ),
        lambda c: _of_reference(c) + _of_hypothesis(c),
    ),
    "over_segmentation": (_of_reference,),
    "r_value": (_of_reference,),
    "count_error": (lambda c: c["rows"],),
    "perfect_share": (lambda c: c["rows"],),
    "winpr_precision": (lambda c: c["winpr_tp"] + c["winpr_fp"],),
    "winpr_recall": (lambda c: c["winpr_tp"] + c["winpr_fn"],),
    "winpr_f1": (lambda c: 2 * c["winpr_tp"] + c["winpr_fn"] + c["winpr_fp"],),
    "purity": (_content,),
    "coverage": (_content,),
    "purity_coverage_f1": (_content,),
    "tiou_precision": (lambda c: _of_hypothesis(c) + c["rows"],),
    "tiou_recall": (lambda c: _of_reference(c) + c["rows"],),
    "tiou_f1": (
        lambda c: (
            c["tiou_hypotheses"] * (_of_reference(c) + c["rows"])
            + c["tiou_references"] * (_of_hypothesis(c) + c["rows"])
        ),
        lambda c: _of_reference(c) + _of_hypothesis(c) + 2 * c["rows"],
    ),
    "tiou_mean_precision": (lambda c: _of_hypothesis(c) + c["rows"],),
    "tiou_mean_recall": (lambda c: _of_reference(c) + c["rows"],),
    "tiou_mean_f1": (lambda c: _of_reference(c) + _of_hypothesis(c) + 2 * c["rows"],),
    "alignment": (lambda c: c["alignment_edges"],),
    "pair_precision": (lambda c: c["pairs_together"] + c["pairs_hypothesis_only"],),
    "pair_recall": (lambda c: c["pairs_together"] + c["pairs_reference_only"],),
    "pair_f1": (
        lambda c: 2 * c["pairs_together"] + c["pairs_reference_only"] + c["pairs_hypothesis_only"],
    ),
    "rand": (lambda c: sum(c[f"pairs_{kind}"] for kind in _PAIRS),),
    "adjusted_rand": (
        lambda c: (
            (c["pairs_together"] + c["pairs_reference_only"])
            * (c["pairs_reference_only"] + c["pairs_apart"])
            + (c["pairs_together"] + c["pairs_hypothesis_only"])
            * (c["pairs_hypothesis_only"] + c["pairs_apart"])
        ),
    ),
    "covering": (_content,),
    "exact_precision": (lambda c: _of_hypothesis(c) + c["rows"],),
    "exact_recall": (lambda c: _of_reference(c) + c["rows"],),
    "exact_f1": (lambda c: _of_reference(c) + _of_hypothesis(c) + 2 * c["rows"],),
    "bcubed_precision": (_content,),
    "bcubed_recall": (_content,),
    "bcubed_f1": (_content,),
    "selected_precision": (lambda c: c["selected_hypotheses"],),
    "selected_recall": (lambda c: c["selected_references"],),
    **dict.fromkeys(
        ("start_f1", "end_f1"), (lambda c: c["selected_references"] + c["selected_hypotheses"],)
    ),
    "selected_f1": (lambda c: c["selected_references"] + c["selected_hypotheses"],),
    **dict.fromkeys(
        ("start_bias", "end_bias", "start_error", "end_error"), (lambda c: c["selected_matches"],)
    ),
    "dialseg_score": (
        lambda c: 2 * (c["matches"] + _wrong(c)) + c["misses"] + c["false_alarms"],
        _windows,
    ),
}
"""Measure -> what its formula divides by, and the formulas that it uses; others are counts."""

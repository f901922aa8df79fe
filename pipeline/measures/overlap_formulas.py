"""Formulas of the overlap measures, over the counts of ``overlap``."""

from segscore.pipeline.measures.fixed_point import FRACTION_BITS
from segscore.pipeline.measures.measure import IDENTITY, REVERSIBLE, SYMMETRIC, Measure
from segscore.pipeline.measures.tolerance import F_OF_TWO

_SIDED = frozenset({IDENTITY, REVERSIBLE})
_MUTUAL = _SIDED | {SYMMETRIC}
_PURITY = "purity and coverage, as in pyannote.metrics"
_TIOU = "temporal IoU, as in Chapter-Llama and VidChapters"
_EXACT = "segments with both ends right, the token F of word segmentation"
_BCUBED = "Bagga & Baldwin 1998"
_PAIRWISE = "pairs of units in one segment, as in mir_eval"
_REFERENCE_SEGMENTS = "(reference_boundaries + rows)"
_HYPOTHESIS_SEGMENTS = "(hypothesis_boundaries + rows)"
_A, _B, _C, _D = (
    "pairs_together",
    "pairs_reference_only",
    "pairs_hypothesis_only",
    "pairs_apart",
)

OVERLAP_MEASURES = (
    Measure(
        "purity",
        "purity_overlap / content_size",
        _PURITY,
        _SIDED,
        better="higher",
        description="share of units in the largest overlap of their hypothesis segment",
    ),
    Measure(
        "coverage",
        "coverage_overlap / content_size",
        _PURITY,
        _SIDED,
        better="higher",
        description="share of units in the largest overlap of their reference segment",
    ),
    Measure(
        "purity_coverage_f1",
        "(1 + beta**2) * purity * coverage / (beta**2 * purity + coverage)",
        f"{_PURITY}; F_beta, symmetric where beta is 1",
        _MUTUAL,
        better="higher",
        description="harmonic mean of purity and coverage",
    ),
    Measure(
        "tiou_precision",
        f"tiou_hypotheses / {_HYPOTHESIS_SEGMENTS}",
        _TIOU,
        _SIDED,
        better="higher",
        description="share of hypothesis segments that have an overlap with IoU above tiou",
    ),
    Measure(
        "tiou_recall",
        f"tiou_references / {_REFERENCE_SEGMENTS}",
        _TIOU,
        _SIDED,
        better="higher",
        description="share of reference segments that have an overlap with IoU above tiou",
    ),
    Measure(
        "tiou_f1",
        F_OF_TWO.format(
            found="tiou_references",
            of_reference=_REFERENCE_SEGMENTS,
            correct="tiou_hypotheses",
            of_hypothesis=_HYPOTHESIS_SEGMENTS,
        ),
        f"{_TIOU}; F_beta, symmetric where beta is 1",
        _MUTUAL,
        better="higher",
        description="harmonic mean of tiou_precision and tiou_recall",
    ),
    Measure(
        "tiou_mean_precision",
        f"tiou_hits / (10 * {_HYPOTHESIS_SEGMENTS})",
        _TIOU,
        _SIDED,
        better="higher",
        description="tiou_precision, mean over the thresholds 0.50, 0.55, ..., 0.95",
    ),
    Measure(
        "tiou_mean_recall",
        f"tiou_hits / (10 * {_REFERENCE_SEGMENTS})",
        _TIOU,
        _SIDED,
        better="higher",
        description="tiou_recall, mean over the thresholds 0.50, 0.55, ..., 0.95",
    ),
    Measure(
        "tiou_mean_f1",
        "(1 + beta**2) * tiou_hits"
        f" / (10 * (beta**2 * {_REFERENCE_SEGMENTS} + {_HYPOTHESIS_SEGMENTS}))",
        f"{_TIOU}; F_beta, symmetric where beta is 1",
        _MUTUAL,
        better="higher",
        description="tiou_f1, mean over the thresholds 0.50, 0.55, ..., 0.95",
    ),
    Measure(
        "alignment",
        f"alignment_sum * 2**-{FRACTION_BITS} / alignment_edges",
        "Ocampo Diaz & Ouyang 2022",
        frozenset({IDENTITY, SYMMETRIC}),
        better="higher",
        description="A: mean IoU of segments and their best partners on the other side",
    ),
    Measure(
        "pair_precision",
        f"{_A} / ({_A} + {_C})",
        _PAIRWISE,
        _SIDED,
        better="higher",
        description="share of the pairs of units in one hypothesis segment that are in one "
        "reference segment",
    ),
    Measure(
        "pair_recall",
        f"{_A} / ({_A} + {_B})",
        _PAIRWISE,
        _SIDED,
        better="higher",
        description="share of the pairs of units in one reference segment that are in one "
        "hypothesis segment",
    ),
    Measure(
        "pair_f1",
        f"(1 + beta**2) * {_A} / ((1 + beta**2) * {_A} + beta**2 * {_B} + {_C})",
        f"{_PAIRWISE}; F_beta, symmetric where beta is 1",
        _MUTUAL,
        better="higher",
        description="harmonic mean of pair_precision and pair_recall",
    ),
    Measure(
        "rand",
        f"({_A} + {_D}) / ({_A} + {_B} + {_C} + {_D})",
        "Rand 1971",
        _MUTUAL,
        better="higher",
        description="Rand index: share of the pairs of units that both sides join or both separate",
    ),
    Measure(
        "adjusted_rand",
        f"2 * (1.0 * {_A} * {_D} - 1.0 * {_B} * {_C})"
        f" / (1.0 * ({_A} + {_B}) * ({_B} + {_D}) + 1.0 * ({_A} + {_C}) * ({_C} + {_D}))",
        "Hubert & Arabie 1985",
        _MUTUAL,
        better="higher",
        lower=None,
        agreed=1.0,
        description="Rand index adjusted for chance: 0 if the sides agree as by chance, "
        "negative if less; 1 if both have no boundary, or both have all",
    ),
    Measure(
        "covering",
        f"(covering_units + covering_sum * 2**-{FRACTION_BITS}) / content_size",
        "Arbeláez et al. 2011; van den Burg & Williams 2020",
        _SIDED,
        better="higher",
        description="mean over units of the largest IoU of their reference segment",
    ),
    Measure(
        "exact_precision",
        f"exact_segments / {_HYPOTHESIS_SEGMENTS}",
        _EXACT,
        _SIDED,
        better="higher",
        description="share of hypothesis segments that are segments of the reference",
    ),
    Measure(
        "exact_recall",
        f"exact_segments / {_REFERENCE_SEGMENTS}",
        _EXACT,
        _SIDED,
        better="higher",
        description="share of reference segments that are segments of the hypothesis",
    ),
    Measure(
        "exact_f1",
        f"(1 + beta**2) * exact_segments"
        f" / (beta**2 * {_REFERENCE_SEGMENTS} + {_HYPOTHESIS_SEGMENTS})",
        f"{_EXACT}; F_beta, symmetric where beta is 1",
        _MUTUAL,
        better="higher",
        description="harmonic mean of exact_precision and exact_recall",
    ),
    Measure(
        "bcubed_precision",
        f"(bcubed_precision_units + bcubed_precision_sum * 2**-{FRACTION_BITS}) / content_size",
        _BCUBED,
        _SIDED,
        better="higher",
        description="mean over units of the share of their hypothesis segment that is in their "
        "reference segment",
    ),
    Measure(
        "bcubed_recall",
        f"(bcubed_recall_units + bcubed_recall_sum * 2**-{FRACTION_BITS}) / content_size",
        _BCUBED,
        _SIDED,
        better="higher",
        description="mean over units of the share of their reference segment that is in their "
        "hypothesis segment",
    ),
    Measure(
        "bcubed_f1",
        "(1 + beta**2) * bcubed_precision * bcubed_recall"
        " / (beta**2 * bcubed_precision + bcubed_recall)",
        f"{_BCUBED}; F_beta, symmetric where beta is 1",
        _MUTUAL,
        better="higher",
        description="harmonic mean of bcubed_precision and bcubed_recall",
    ),
)

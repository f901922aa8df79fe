"""The measures of neighbouring fields once more, slow and obvious.

Tolerance, WinPR, overlap of segments and the Score of SuperDialseg, as docs/measures.md defines
them, by enumerating pairs of boundaries, windows, units and pairs of units, and dividing exact
fractions. Values that are not rational (the R-value) are worked out in 60 digits.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations

from tests.oracles.naive import Boundaries, Value, edge_windows, ratio, segments

Counts = Mapping[str, int]

TOLERANCE_COUNTS = (
    "rows",
    "reference_boundaries",
    "hypothesis_boundaries",
    "tolerant_matches",
    "references_in_reach",
    "hypotheses_in_reach",
    "count_difference",
    "perfect",
)
WINPR_COUNTS = ("winpr_tp", "winpr_fp", "winpr_fn")
OVERLAP_COUNTS = (
    "coverage_overlap",
    "purity_overlap",
    "tiou_references",
    "tiou_hypotheses",
    "tiou_hits",
    "alignment_edges",
    "alignment_sum",
    "pairs_together",
    "pairs_reference_only",
    "pairs_hypothesis_only",
    "pairs_apart",
    "covering_units",
    "covering_sum",
    "exact_segments",
    "bcubed_precision_units",
    "bcubed_precision_sum",
    "bcubed_recall_units",
    "bcubed_recall_sum",
)
PAIRS_OF_UNITS = OVERLAP_COUNTS[7:11]
SELECTED_COUNTS = (
    "selected_matches",
    "selected_hypotheses",
    "selected_references",
    "start_late",
    "start_early",
    "end_late",
    "end_early",
    "start_matches",
    "end_matches",
)
TIOU_THRESHOLDS = tuple(Fraction(percent, 100) for percent in range(50, 100, 5))
IOU_UNIT = 2**40


# --- Tolerance -----------------------------------------------------------------------------------


def with_edges(n_units: int, boundaries: Boundaries, edges: int) -> list[int]:
    """Boundaries with the start of the document (edges 1), or with both its ends (edges 2)."""
    return [*[0][:edges], *boundaries, *([n_units] if edges == 2 else [])]


def most_pairs(reference: Boundaries, hypothesis: Boundaries, tolerance: int) -> int:
    """The largest one-to-one matching of boundaries within the tolerance, by augmenting paths."""
    partner: dict[int, int] = {}

    def place(r: int, tried: set[int]) -> bool:
        for h, position in enumerate(hypothesis):
            if abs(reference[r] - position) <= tolerance and h not in tried:
                tried.add(h)
                if h not in partner or place(partner[h], tried):
                    partner[h] = r
                    return True
        return False

    return sum(place(r, set()) for r in range(len(reference)))


def in_reach(side: Boundaries, other: Boundaries, tolerance: int) -> int:
    """How many boundaries of one side have one of the other within the tolerance."""
    return sum(any(abs(p - q) <= tolerance for q in other) for p in side)


def tolerance_counts(
    n_units: int,
    reference: Boundaries,
    hypothesis: Boundaries,
    tolerance: int = 0,
    edges: int = 0,
) -> dict[str, int]:
    """Boundaries that have a partner within the tolerance, and how many there are."""
    r, h = (with_edges(n_units, side, edges) for side in (reference, hypothesis))
    return {
        "rows": 1,
        "reference_boundaries": len(reference),
        "hypothesis_boundaries": len(hypothesis),
        "tolerant_matches": most_pairs(r, h, tolerance),
        "references_in_reach": in_reach(r, h, tolerance),
        "hypotheses_in_reach": in_reach(h, r, tolerance),
        "count_difference": abs(len(reference) - len(hypothesis)),
        "perfect": int(list(reference) == list(hypothesis)),
    }


def panel_tolerance_counts(
    n_units: int,
    references: Sequence[Boundaries],
    hypothesis: Boundaries,
    tolerance: int = 0,
    edges: int = 0,
) -> dict[str, int]:
    """Boundaries near those of any reference, and how much of each reference is found."""
    sides = [with_edges(n_units, side, edges) for side in references]
    h = with_edges(n_units, hypothesis, edges)
    union = sorted({position for side in sides for position in side})
    found = [Fraction(most_pairs(side, h, tolerance), len(side)) for side in sides if side]
    return {
        "panel_hypothesis_boundaries": len(h),
        "union_boundaries": len(union),
        "union_matches": most_pairs(union, h, tolerance),
        "recalled_references": len(found),
        "recall_sum": sum(round(IOU_UNIT * share) for share in found),
    }


def panel_tolerance_values(counts: Counts, beta: Fraction = Fraction(1)) -> dict[str, Value]:
    """Values of one row's counts, or of sums of rows."""
    hypothesis, union, matches, references, recall_sum = counts.values()
    precision = ratio(matches, hypothesis)
    recall = ratio(Fraction(recall_sum, IOU_UNIT), references)
    nothing = union + hypothesis == 0
    return {
        "panel_tolerant_precision": precision,
        "panel_tolerant_recall": recall,
        "panel_tolerant_f1": None if nothing else f_of_two(recall, precision, beta),
    }


def f_shared(matches: int, of_reference: int, of_hypothesis: int, beta: Fraction) -> Value:
    """F where precision and recall have the same numerator."""
    weight = beta * beta
    return ratio((1 + weight) * matches, weight * of_reference + of_hypothesis)


def f_of_two(recall: Value, precision: Value, beta: Fraction) -> Value:
    """F of a recall and a precision; one that is undefined because its side is empty counts as 0.

    Undefined if both are.
    """
    if recall is None and precision is None:
        return None
    weight = beta * beta
    r, p = recall or Fraction(0), precision or Fraction(0)
    return ratio((1 + weight) * p * r, weight * p + r) or Fraction(0)


def root(value: Fraction) -> Fraction:
    """A square root to 60 digits."""
    with localcontext(prec=60):
        return Fraction((Decimal(value.numerator) / Decimal(value.denominator)).sqrt())


def r_value(recall: Value, over_segmentation: Value) -> Value:
    """1 - (|r1| + |r2|) / 2 (Räsänen, Laine & Altosaar 2009), to 60 digits."""
    if recall is None or over_segmentation is None:
        return None
    r1 = root((1 - recall) ** 2 + over_segmentation**2)
    r2 = (-over_segmentation + recall - 1) / root(Fraction(2))
    return 1 - (r1 + abs(r2)) / 2


def tolerance_values(
    counts: Counts, edges: int = 0, beta: Fraction = Fraction(1)
) -> dict[str, Value]:
    """Values of one row's counts, or of sums of rows."""
    r = counts["reference_boundaries"] + edges * counts["rows"]
    h = counts["hypothesis_boundaries"] + edges * counts["rows"]
    matches = counts["tolerant_matches"]
    recall, size = ratio(matches, r), ratio(h, r)
    over_segmentation = None if size is None else size - 1
    reach_recall = ratio(counts["references_in_reach"], r)
    reach_precision = ratio(counts["hypotheses_in_reach"], h)
    return {
        "tolerant_precision": ratio(matches, h),
        "tolerant_recall": recall,
        "tolerant_f1": f_shared(matches, r, h, beta),
        "reach_precision": reach_precision,
        "reach_recall": reach_recall,
        "reach_f1": f_of_two(reach_recall, reach_precision, beta),
        "over_segmentation": over_segmentation,
        "r_value": r_value(recall, over_segmentation),
        "count_error": ratio(counts["count_difference"], counts["rows"]),
        "perfect_share": ratio(counts["perfect"], counts["rows"]),
    }


# --- WinPR ---------------------------------------------------------------------------------------


def winpr_counts(
    n_units: int, reference: Boundaries, hypothesis: Boundaries, k: int
) -> dict[str, int]:
    """Boundaries in the windows of the padded document (Scaiano & Inkpen 2012)."""
    inside = edge_windows(n_units, reference, hypothesis, k)
    return {
        "winpr_tp": sum(min(r, h) for r, h in inside),
        "winpr_fp": sum(max(0, h - r) for r, h in inside),
        "winpr_fn": sum(max(0, r - h) for r, h in inside),
    }


def winpr_values(counts: Counts, beta: Fraction = Fraction(1)) -> dict[str, Value]:
    """Values of one row's counts, or of sums of rows."""
    tp, fp, fn = (counts[name] for name in WINPR_COUNTS)
    return {
        "winpr_precision": ratio(tp, tp + fp),
        "winpr_recall": ratio(tp, tp + fn),
        "winpr_f1": f_shared(tp, tp + fn, tp + fp, beta),
    }


# --- Overlap of segments -------------------------------------------------------------------------


def shared_units(one: range, other: range) -> int:
    """How many units two segments share."""
    return len(set(one) & set(other))


def iou(one: range, other: range) -> Fraction:
    """Units shared, of the units of either (intersection over union)."""
    return Fraction(shared_units(one, other), len(set(one) | set(other)))


def best_partner(segment: range, others: Sequence[range]) -> range:
    """The segment of the other side with the largest overlap; then largest IoU; then leftmost."""
    return min(others, key=lambda o: (-shared_units(segment, o), -iou(segment, o), o.start))


def alignment(refs: Sequence[range], hyps: Sequence[range]) -> set[tuple[range, range]]:
    """Pairs of a segment and its best partner, from either side."""
    from_refs = {(r, best_partner(r, hyps)) for r in refs}
    return from_refs | {(best_partner(h, refs), h) for h in hyps}


def overlap_counts(
    n_units: int,
    reference: Boundaries,
    hypothesis: Boundaries,
    tiou: Fraction = Fraction(1, 2),
    *,
    reached: bool = False,
) -> dict[str, int]:
    """Overlaps of the segments of both sides, and pairs of units."""
    refs, hyps = segments(n_units, reference), segments(n_units, hypothesis)
    overlaps = [iou(r, h) for r in refs for h in hyps if shared_units(r, h)]
    edges = alignment(refs, hyps)
    number = {unit: i for i, segment in enumerate(refs) for unit in segment}
    other = {unit: i for i, segment in enumerate(hyps) for unit in segment}
    joined = [
        (number[a] == number[b], other[a] == other[b]) for a, b in combinations(range(n_units), 2)
    ]
    return {
        "coverage_overlap": sum(max(shared_units(r, h) for h in hyps) for r in refs),
        "purity_overlap": sum(max(shared_units(r, h) for r in refs) for h in hyps),
        "tiou_references": sum(any(above(r, h, tiou, reached=reached) for h in hyps) for r in refs),
        "tiou_hypotheses": sum(any(above(r, h, tiou, reached=reached) for r in refs) for h in hyps),
        "tiou_hits": sum(value > t for value in overlaps for t in TIOU_THRESHOLDS),
        "alignment_edges": len(edges),
        "alignment_sum": sum(round(IOU_UNIT * iou(r, h)) for r, h in edges),
        "pairs_together": joined.count((True, True)),
        "pairs_reference_only": joined.count((True, False)),
        "pairs_hypothesis_only": joined.count((False, True)),
        "pairs_apart": joined.count((False, False)),
        **in_units("covering", [len(r) * max(iou(r, h) for h in hyps) for r in refs]),
        "exact_segments": len({*refs} & {*hyps}),
        **in_units(
            "bcubed_precision",
            [Fraction(shared_units(r, h) ** 2, len(h)) for r in refs for h in hyps],
        ),
        **in_units(
            "bcubed_recall", [Fraction(shared_units(r, h) ** 2, len(r)) for r in refs for h in hyps]
        ),
    }


def in_units(name: str, amounts: Sequence[Fraction]) -> dict[str, int]:
    """Amounts of units, added up in two counts: what is whole, and the fractions."""
    return {
        f"{name}_units": sum(int(amount) for amount in amounts),
        f"{name}_sum": sum(round(IOU_UNIT * (amount - int(amount))) for amount in amounts),
    }


def above(one: range, other: range, threshold: Fraction, *, reached: bool = False) -> bool:
    """Whether two segments overlap, and their IoU is above the threshold, or reaches it."""
    value = iou(one, other)
    return value > 0 and (value > threshold or (reached and value == threshold))


def overlap_values(
    counts: Counts, *, beta: Fraction = Fraction(1), per_row: bool
) -> dict[str, Value]:
    """Values of one row's counts, or of sums of rows."""
    refs = counts["reference_boundaries"] + counts["rows"]
    hyps = counts["hypothesis_boundaries"] + counts["rows"]
    purity = ratio(counts["purity_overlap"], counts["content_size"])
    coverage = ratio(counts["coverage_overlap"], counts["content_size"])
    precision, recall = (
        ratio(counts["tiou_hypotheses"], hyps),
        ratio(counts["tiou_references"], refs),
    )
    hits = counts["tiou_hits"]
    a, b, c, d = (counts[name] for name in PAIRS_OF_UNITS)
    exact = counts["exact_segments"]
    bcubed = share_of_units(counts, "bcubed_precision"), share_of_units(counts, "bcubed_recall")
    return {
        "purity": purity,
        "coverage": coverage,
        "purity_coverage_f1": f_of_two(coverage, purity, beta),
        "tiou_precision": precision,
        "tiou_recall": recall,
        "tiou_f1": f_of_two(recall, precision, beta),
        "tiou_mean_precision": ratio(hits, 10 * hyps),
        "tiou_mean_recall": ratio(hits, 10 * refs),
        "tiou_mean_f1": f_shared(hits, 10 * refs, 10 * hyps, beta),
        "alignment": ratio(Fraction(counts["alignment_sum"], IOU_UNIT), counts["alignment_edges"]),
        "pair_precision": ratio(a, a + c),
        "pair_recall": ratio(a, a + b),
        "pair_f1": f_shared(a, a + b, a + c, beta),
        "rand": ratio(a + d, a + b + c + d),
        "adjusted_rand": adjusted_rand(a, b, c, d, per_row=per_row),
        "covering": share_of_units(counts, "covering"),
        "exact_precision": ratio(exact, hyps),
        "exact_recall": ratio(exact, refs),
        "exact_f1": f_shared(exact, refs, hyps, beta),
        "bcubed_precision": bcubed[0],
        "bcubed_recall": bcubed[1],
        "bcubed_f1": f_of_two(bcubed[1], bcubed[0], beta),
    }


def share_of_units(counts: Counts, name: str) -> Value:
    """The mean over units of what two counts have added up."""
    total = counts[f"{name}_units"] + Fraction(counts[f"{name}_sum"], IOU_UNIT)
    return ratio(total, counts["content_size"])


def adjusted_rand(a: int, b: int, c: int, d: int, *, per_row: bool) -> Value:
    """(a - E) / (M - E) (Hubert & Arabie 1985); 1 for a row in which nothing could differ."""
    n = a + b + c + d
    expected = ratio((a + b) * (a + c), n)
    value = None if expected is None else ratio(a - expected, Fraction(2 * a + b + c, 2) - expected)
    return Fraction(1) if value is None and per_row else value


# --- Selected segments ---------------------------------------------------------------------------


def selected_counts(
    references: Sequence[range],
    hypotheses: Sequence[range],
    tiou: Fraction = Fraction(1, 2),
    tolerance: int = 0,
    *,
    reached: bool = False,
) -> dict[str, int]:
    """Items of both sides paired one to one, the largest IoU first; and their starts and ends."""
    candidates = sorted(
        (-iou(r, h), j, i)
        for i, r in enumerate(references)
        for j, h in enumerate(hypotheses)
        if above(r, h, tiou, reached=reached)
    )
    refs: set[int] = set()
    hyps: set[int] = set()
    apart = []
    for _, j, i in candidates:
        if i not in refs and j not in hyps:
            refs.add(i)
            hyps.add(j)
            r, h = references[i], hypotheses[j]
            apart.append((h.start - r.start, h.stop - r.stop))
    return {
        "selected_matches": len(apart),
        "selected_hypotheses": len(hypotheses),
        "selected_references": len(references),
        "start_late": sum(max(0, start) for start, _ in apart),
        "start_early": sum(max(0, -start) for start, _ in apart),
        "end_late": sum(max(0, end) for _, end in apart),
        "end_early": sum(max(0, -end) for _, end in apart),
        "start_matches": most_pairs(
            [r.start for r in references], [h.start for h in hypotheses], tolerance
        ),
        "end_matches": most_pairs(
            [r.stop for r in references], [h.stop for h in hypotheses], tolerance
        ),
    }


def labelled_items(
    n_units: int,
    boundaries: Boundaries,
    labels: Sequence[str | None],
    select: Sequence[str],
    join: Fraction = Fraction(0),
) -> list[range]:
    """The segments that have one of some labels; those less than `join` apart become one."""
    items: list[range] = []
    for segment, label in zip(segments(n_units, boundaries), labels, strict=True):
        if label not in select:
            continue
        if items and segment.start - items[-1].stop < join:
            items[-1] = range(items[-1].start, segment.stop)
        else:
            items.append(segment)
    return items


def selected_values(counts: Counts, beta: Fraction = Fraction(1)) -> dict[str, Value]:
    """Values of one row's counts, or of sums of rows."""
    matches, hyps, refs, *ends, starts_found, ends_found = (
        counts[name] for name in SELECTED_COUNTS
    )
    late, early = ends[::2], ends[1::2]
    values = {
        "selected_precision": ratio(matches, hyps),
        "selected_recall": ratio(matches, refs),
        "selected_f1": f_shared(matches, refs, hyps, beta),
    }
    for end, after, before in zip(("start", "end"), late, early, strict=True):
        values[f"{end}_bias"] = ratio(after - before, matches)
    for end, after, before in zip(("start", "end"), late, early, strict=True):
        values[f"{end}_error"] = ratio(after + before, matches)
    values["start_f1"] = f_shared(starts_found, refs, hyps, beta)
    values["end_f1"] = f_shared(ends_found, refs, hyps, beta)
    return values


# --- The Score of SuperDialseg -------------------------------------------------------------------


def dialseg_score(counts: Counts) -> Value:
    """Half exact F1 (0 without any boundary), and a quarter each of 1 - Pk and 1 - WindowDiff."""
    matches = counts["matches"]
    others = counts["misses"] + counts["false_alarms"]
    others += 2 * (counts["near_misses"] + counts["substitutions"])
    f1 = ratio(2 * matches, 2 * matches + others) or Fraction(0)
    pk = ratio(counts["pk_misses"] + counts["pk_false_alarms"], counts["windows"])
    window_diff = ratio(counts["wd_misses"] + counts["wd_false_alarms"], counts["windows"])
    if pk is None or window_diff is None:
        return None
    return f1 / 2 + (1 - pk) / 4 + (1 - window_diff) / 4

"""One pair by the slow twin."""

from fractions import Fraction
from typing import Any

from tests.oracles import naive, naive_fields
from tests.support.corpora import content_counts


def twin(
    n_units: int, reference: list[int], hypothesis: list[int], settings: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Fraction | None]]:
    """Counts and values of a pair by the slow twin."""
    window = settings["window"]
    if not isinstance(window, int):
        window = naive.window_size(
            n_units, len(reference) + 1, settings.get("rounding", "half-even")
        )
    optimal = settings["pairing"] == "optimal"
    edit_counts = naive.optimal_edit_counts if optimal else naive.edit_counts
    counts: dict[str, Any] = {
        **naive.window_counts(n_units, reference, hypothesis, window),
        **edit_counts(n_units, reference, hypothesis, settings["n_t"]),
        "ghd": naive.ghd(n_units, reference, hypothesis),
        **content_counts(n_units, reference, hypothesis),
        **naive_fields.tolerance_counts(
            n_units,
            reference,
            hypothesis,
            settings.get("tolerance", 0),
            settings.get("edges", 0),
        ),
        **naive_fields.winpr_counts(n_units, reference, hypothesis, window),
        **naive_fields.overlap_counts(n_units, reference, hypothesis),
    }
    p_seg = settings["p_seg"]
    if p_seg is None:
        p_seg = naive.ratio(counts["reference_windows"], counts["windows"])
    values = naive.values(
        counts,
        n_t=settings["n_t"],
        p_seg=None if p_seg is None else Fraction(p_seg),
        cost_miss=Fraction(settings["cost_miss"]),
        c_seg_costs=tuple(map(Fraction, settings["c_seg_costs"])),  # type: ignore[arg-type]
        per_row=True,
    )
    fields = naive_fields.values(counts, edges=settings.get("edges", 0), per_row=True)
    return counts, values | fields

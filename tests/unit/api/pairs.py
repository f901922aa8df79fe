"""One pair by the slow twin."""

from fractions import Fraction
from typing import Any

from tests.oracles import families, naive
from tests.oracles.families import Counting


def twin(
    n_units: int, reference: list[int], hypothesis: list[int], settings: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Fraction | None]]:
    """Counts and values of a pair by the slow twin."""
    window = settings["window"]
    if not isinstance(window, int):
        window = naive.window_size(
            n_units, len(reference) + 1, settings.get("rounding", "half-even")
        )
    counting = Counting(
        window,
        settings["n_t"],
        settings["pairing"],
        settings.get("tolerance", 0),
        settings.get("edges", 0),
    )
    counts = families.counts((n_units, reference, hypothesis), counting)
    p_seg = settings["p_seg"]
    if p_seg is None:
        p_seg = naive.ratio(counts["reference_windows"], counts["windows"])
    values = families.values(
        counts,
        n_t=settings["n_t"],
        p_seg=None if p_seg is None else Fraction(p_seg),
        cost_miss=Fraction(settings["cost_miss"]),
        c_seg_costs=tuple(map(Fraction, settings["c_seg_costs"])),
        edges=settings.get("edges", 0),
        per_row=True,
    )
    return counts, values

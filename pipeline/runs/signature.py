"""Split the signature of a run into fields, and compare two signatures."""

INTERVALS = "ci"
"""Field for how intervals were estimated, which does not affect whether averages are comparable."""


MEANINGS = {
    "agree": "agreement; how the agreement expected by chance is pooled",
    "sweep": "which candidates count as boundaries at a threshold t",
    "operating_point": "how a system's operating threshold is chosen",
    "n_t": "boundaries up to n_t - 1 positions apart are near misses",
    "window": "how the window size k is chosen, how halves are rounded, the smallest size",
    "units": "what positions are counted in",
    "length_tolerance": "units by which the lengths of a document's segmentations may differ",
    "pairing": "how boundaries are matched as near misses",
    "types": "boundary types that are distinguished",
    "p_seg": "chance that a window contains a boundary; run: as in the run's references",
    "cost_miss": "weight of misses in the cost of Pr_error",
    "c_seg_costs": "cost of a miss and of a false alarm in C_seg",
    "beta": "weight of recall in the F measures",
    "edit_constants": "constants added to the costs of edits",
    "content_weights": "weights of the four content errors",
    "unit_weights": "source of the weights of units",
    INTERVALS: "how intervals were estimated, and what was resampled",
    "p": "how the tests were computed",
    "v": "version of segscore",
}
"""Field -> description of the field."""


def fields(signature: str) -> dict[str, str]:
    """Split a signature (``settings.ScoreSettings.signature``) into fields: name -> value."""
    parts = (part.partition(":") for part in signature.split("|")[1:])
    return {name: value for name, _, value in parts}


def signature_differences(before: str, now: str) -> list[str]:
    """Describe how two signatures differ, except in intervals; empty if averages are comparable.

    Args:
        before: signature of the earlier run.
        now: signature of the later run.
    """
    old, new = fields(before), fields(now)
    names = [name for name in {**old, **new} if name != INTERVALS]
    return [
        f"{name} was {old.get(name, 'absent')}, is {new.get(name, 'absent')}"
        for name in names
        if old.get(name) != new.get(name)
    ]

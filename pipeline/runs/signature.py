"""Split the signature of a run into fields, and compare two signatures."""

INTERVALS = "ci"
"""Field for how intervals were estimated, which does not affect whether averages are comparable."""


MEANINGS = {
    "agree": "agreement; how the agreement expected by chance is pooled",
    "sweep": "which candidates are taken for boundaries at a threshold t",
    "operating_point": "how the threshold at which a system would be run is chosen",
    "n_t": "boundaries up to n_t - 1 positions apart are near misses",
    "window": "how the size k of a window is taken, how a half is rounded, the least size",
    "units": "what positions count",
    "pairing": "how boundaries are paired to near misses",
    "types": "boundary types told apart",
    "p_seg": "chance that a window holds a boundary; run: that of the run's references",
    "cost_miss": "share of the misses in Pr_error's cost",
    "c_seg_costs": "costs of C_seg: of misses, of false alarms",
    "beta": "weight of recall in the F measures",
    "edit_constants": "what is added to the costs of edits",
    "content_weights": "weights of the four content errors",
    "unit_weights": "where weights of units are from",
    INTERVALS: "how intervals were estimated, and what was drawn",
    "p": "how the tests were made",
    "v": "version of segscore",
}
"""Field -> description of the field."""


def fields(signature: str) -> dict[str, str]:
    """Split a signature (``settings.ScoreSettings.signature``) into fields: name -> value."""
    parts = (part.partition(":") for part in signature.split("|")[1:])
    return {name: said for name, _, said in parts}


def signature_differences(before: str, now: str) -> list[str]:
    """Describe how two signatures differ, except in intervals; empty if averages are comparable.

    Args:
        before: signature of the earlier run.
        now: signature of the later run.
    """
    old, new = fields(before), fields(now)
    names = [name for name in {**old, **new} if name != INTERVALS]
    return [
        f"{name} was {old.get(name, 'not told')}, is {new.get(name, 'not told')}"
        for name in names
        if old.get(name) != new.get(name)
    ]

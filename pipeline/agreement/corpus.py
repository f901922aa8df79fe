"""Describe a group of documents: segments, their sizes, and the prominence of boundaries.

Kazantseva & Szpakowicz 2012, sections 3 and 4.2.
"""

import math

import numpy as np

from segscore.pipeline.agreement.agreement_index import COARSE_BITS
from segscore.pipeline.agreement.group import Group
from segscore.pipeline.agreement.prominence import REACHES
from segscore.pipeline.agreement.tally import SQUARES_SPLIT
from segscore.pipeline.arrays.ragged import Floats, Ints
from segscore.pipeline.measures.fixed_point import FRACTION_BITS

_QUARTILES = {"q1": 0.25, "median": 0.5, "q3": 0.75}


def corpus_row(group: Group) -> dict[str, object]:
    """Return the group's row of `corpus` (schemas/agreement.py), without the group-by columns."""
    coders = group.column("documents", "coders")
    documents = group.column("documents", "documents")
    codings, segments = group.total("segments", "codings"), group.total("segments", "segments")
    return {
        "documents": int(documents.sum()),
        "coded_once": int(documents[coders == 1].sum()),
        "codings": codings,
        "coders": len(group.coders),
        "boundaries": segments - codings,
        "potential_boundaries": group.total("documents", "places"),
        **_moments("segments", segments, _squares(group, "segments"), codings),
        **_moments(
            "segment_size", group.total("segments", "sizes"), _squares(group, "sizes"), segments
        ),
        **_quartiles(group),
        **_agreement_index(group),
    }


def _agreement_index(group: Group) -> dict[str, object]:
    """Return the mean and the standard deviation of the agreement index over codings."""
    n, coarse = group.total("segments", "index_codings"), group.total("segments", "index")
    found = _moments("agreement_index", coarse, _squares(group, "index"), n)
    fine = group.total("segments", "index_fine")
    exact = (coarse << (FRACTION_BITS - COARSE_BITS)) + fine
    mean = exact / n / 2**FRACTION_BITS if n else math.nan
    sd = found["agreement_index_sd"]
    assert isinstance(sd, float)
    return {"agreement_index_mean": mean, "agreement_index_sd": sd / 2**COARSE_BITS}


def _squares(group: Group, name: str) -> int:
    high = group.total("segments", f"{name}_squared_high")
    return high * SQUARES_SPLIT + group.total("segments", f"{name}_squared_low")


def _moments(name: str, total: int, squares: int, n: int) -> dict[str, object]:
    """Return the mean and standard deviation (n - 1), from exact sums."""
    undefined = float("nan")
    sd = math.sqrt((n * squares - total * total) / (n * (n - 1))) if n > 1 else undefined
    return {f"{name}_mean": total / n if n else undefined, f"{name}_sd": sd}


def _quartiles(group: Group) -> dict[str, object]:
    """Return quartiles of support and peer support in documents with several coders."""
    names = ("reach", "coders", "within", "positions")
    reach, coders, within, positions = (group.column("supports", name) for name in names)
    quartiles: dict[str, object] = {"marked_positions": int(positions[reach == 0].sum())}
    for r, label in enumerate(REACHES):
        rows = (reach == r) & (coders > 1)
        h, n, times = coders[rows], within[rows], positions[rows]
        kinds = {"support": n / h, "peer_support": (n - 1) / (h - 1)}
        for kind, values in kinds.items():
            for quartile, share in _QUARTILES.items():
                quartiles[f"{kind}_{label}_{quartile}"] = _quantile(values, times, share)
    return quartiles


def _quantile(values: Floats, times: Ints, share: float) -> float:
    """Return a quantile of values with multiplicities, linearly interpolated."""
    if not len(values):
        return float("nan")
    order = np.argsort(values, kind="stable")
    values, cumulative = values[order], np.cumsum(times[order])
    rank = share * (int(cumulative[-1]) - 1)
    below, above = np.searchsorted(cumulative, [math.floor(rank), math.ceil(rank)], side="right")
    fraction = rank - math.floor(rank)
    return float(values[below] + fraction * (values[above] - values[below]))

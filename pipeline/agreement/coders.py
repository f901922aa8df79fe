"""Find outlying coders: boundary rate, similarity to peers, and agreement without each coder.

Fournier 2013, section 5 and figure 11.
"""

from collections.abc import Callable, Iterator
from statistics import fmean, stdev

import numpy as np

from segscore.pipeline.agreement.block import apart
from segscore.pipeline.agreement.coder_pairs import EDITS
from segscore.pipeline.agreement.coefficients import (
    ACTUAL,
    PAIR_COUNTS,
    Agreement,
    CoefficientKey,
    coefficients,
)
from segscore.pipeline.agreement.group import SUMMED, Group, rate
from segscore.pipeline.arrays.ragged import Floats, Ints
from segscore.pipeline.measures.measure import evaluate

_COLUMNS = {"pair_places": "potential_boundaries"}
OWN = ("codings", "marks", "places")
_Lost = Callable[[Floats | Ints], Floats]
"""Sums values of codings by coder."""

_BEYOND = 2
"""Rates more than this many standard deviations from their mean are flagged."""


def coder_rows(group: Group) -> Iterator[dict[str, object]]:
    """Yield the rows of `coders` (schemas/agreement.py), without the group-by columns."""
    coders = len(group.coders)
    number = group.numbered("rates", "coder")
    own = {name: _sum(group.column("rates", name), number, coders) for name in OWN}
    with np.errstate(divide="ignore", invalid="ignore"):
        rates = own["marks"] / own["places"]
    mean, sd = _mean_and_sd(rates)
    peers = _with_peers(group)
    similar = evaluate(ACTUAL.values(), peers, {"n_t": group.choices.n_t}, rows=False)
    left_out = without(group)
    for x, name in enumerate(group.coders):
        apart = (rates[x] - mean) / sd if sd > 0 else float("nan")
        yield {
            "coder": name,
            "documents": int(own["codings"][x]),
            "peers": int(peers["peers"][x]),
            "boundaries": int(own["marks"][x]),
            "potential_boundaries": int(own["places"][x]),
            "rate": rates[x],
            "rate_mean": mean,
            "rate_sd": sd,
            "deviation": apart,
            "flagged": None if np.isnan(apart) else bool(abs(apart) > _BEYOND),
            **{f"peer_{similarity}": values[x] for similarity, values in similar.items()},
            **{
                f"without_{coefficient}_{similarity}": found.value[x]
                for (coefficient, similarity), found in left_out.items()
            },
        }


def peer_rows(group: Group) -> Iterator[dict[str, object]]:
    """Yield the rows of `peers` (schemas/agreement.py), without the group-by columns."""
    counts = {name: group.column("peers", name) for name in PAIR_COUNTS}
    similar = evaluate(ACTUAL.values(), counts, {"n_t": group.choices.n_t}, rows=False)
    table = group.tables["peers"]
    names = zip(table.column("coder").to_pylist(), table.column("peer").to_pylist(), strict=True)
    for i, (coder, peer) in enumerate(names):
        yield {
            "coder": coder,
            "peer": peer,
            "documents": int(group.column("peers", "documents")[i]),
            **{_COLUMNS.get(name, name): int(values[i]) for name, values in counts.items()},
            **{name: values[i] for name, values in similar.items()},
        }


def _sum(values: Ints, number: Ints, count: int) -> Ints:
    total = np.zeros(count, np.int64)
    np.add.at(total, number, values)
    return total


def _mean_and_sd(values: Floats) -> tuple[float, float]:
    """Return the mean and standard deviation (n - 1) of the defined values, from exact sums."""
    defined = values[~np.isnan(values)].tolist()
    mean = fmean(defined) if defined else float("nan")
    return mean, stdev(defined) if len(defined) > 1 else float("nan")


def _with_peers(group: Group) -> dict[str, Ints]:
    """Return each coder's pair counts and number of peers, shape (coders,) each."""
    sides = [group.numbered("peers", name) for name in ("coder", "peer")]
    both, count = np.concatenate(sides), len(group.coders)
    found = {
        name: _sum(np.tile(group.column("peers", name), 2), both, count) for name in PAIR_COUNTS
    }
    return found | {"peers": np.bincount(both, minlength=count)}


def without(group: Group) -> dict[CoefficientKey, Agreement]:
    """Compute every coefficient without each coder in turn, shape (coders,) each.

    Undefined if fewer than two coders remain.
    """
    count = len(group.coders)
    left = np.where(count > 2, 1.0, np.nan)
    sums = _without_sums(group)
    found = coefficients(sums, group.choices.n_t)
    return {
        key: Agreement(each.actual * left, each.expected * left, each.value * left)
        for key, each in found.items()
    }


def _without_sums(group: Group) -> dict[str, Floats]:
    """Compute sums for ``coefficients`` without each coder in turn, shape (coders,) each."""
    count = len(group.coders)
    coder = group.numbered("held_out", "coder")
    held = {
        name: group.column("held_out", name)
        for name in group.tables["held_out"].column_names
        if name != "coder"
    }

    def lost(values: Floats | Ints) -> Floats:
        total = np.zeros(count)
        np.add.at(total, coder, values.astype(np.float64))
        return total

    whole = {name: group.total("documents", name) for name in SUMMED}
    with_peers = _with_peers(group)
    sums = {name: (whole[name] - with_peers[name]).astype(np.float64) for name in PAIR_COUNTS}
    alone = held["coders"] == 1
    sums["codings"] = whole["codings"] - lost(held["documents"])
    sums["marks"] = whole["marks"] - lost(held["marks"])
    sums["places"] = whole["places"] - lost(held["places"])
    sums["item_rate"] = whole["item_rate"] + lost(
        np.where(alone, 0, held["item_rate_without"]) - held["item_rate"]
    )
    sums["item_documents"] = whole["item_documents"] - lost(held["item_documents"] * alone)
    sums["rate"] = rate(sums, group.choices)
    return sums | _without_alpha(group, held, lost_by=lost) | _without_chance(group)


def _without_alpha(group: Group, held: dict[str, Ints], lost_by: _Lost) -> dict[str, Floats]:
    """Compute the sums for alpha without each coder in turn.

    In a document with three or more coders at least two remain. In one with two, no pair remains,
    so the document no longer counts.
    """
    coders, many, two = held["coders"], held["coders"] > 2, held["coders"] == 2
    documents = group.column("documents", "coders")
    together = documents > 1
    edits = {name: group.column("documents", name) for name in EDITS}
    disagreement = apart(edits)
    before = held["apart"] / np.maximum(1, coders - 1)
    after = np.where(many, (held["apart"] - held["own_apart"]) / np.maximum(1, coders - 2), 0)
    marks = np.where(two, held["document_marks"], np.where(many, held["marks"], 0))
    places = np.where(two, 2 * held["places"], np.where(many, held["places"], 0))
    return {
        "disagreement": (disagreement / np.maximum(1, documents - 1)).sum()
        - lost_by(before - after),
        "paired_marks": (group.column("documents", "marks") * together).sum() - lost_by(marks),
        "paired_places": (group.column("documents", "places") * together).sum() - lost_by(places),
    }


def _without_chance(group: Group) -> dict[str, Floats]:
    """Sum pair_places times chances over the pairs that remain without each coder in turn."""
    x, y = group.numbered("peers", "coder"), group.numbered("peers", "peer")
    places = group.column("peers", "pair_places").astype(np.float64)
    plain, chosen = (p[0] for p in group.rates())
    terms = {
        "product": places * chosen[x] * chosen[y],
        "category_product": places * plain[x] * plain[y],
        "both": places * (plain[x] + plain[y]),
    }
    found = {}
    for name, values in terms.items():
        own = np.zeros(len(group.coders))
        np.add.at(own, x, values)
        np.add.at(own, y, values)
        found[name] = values.sum() - own
    return found

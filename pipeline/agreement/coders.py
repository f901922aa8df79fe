"""Describe coders: boundary rate, similarity to peers, and agreement without each coder.

Fournier 2013, section 5 and figure 11.
"""

from collections.abc import Callable, Iterator

import numpy as np

from segscore.pipeline.agreement.block import disagreements
from segscore.pipeline.agreement.coder_pairs import EDITS
from segscore.pipeline.agreement.coefficients import (
    ACTUAL,
    PAIR_COUNTS,
    Agreement,
    CoefficientKey,
    coefficients,
)
from segscore.pipeline.agreement.crowd import shrunk_effects
from segscore.pipeline.agreement.group import SUMMED, Group, rate
from segscore.pipeline.agreement.judging.judge import coder_columns, pair_columns
from segscore.pipeline.agreement.judging.view import View
from segscore.pipeline.agreement.persons import peer_intervals
from segscore.pipeline.agreement.sentences import (
    OTHERS_SHOWN,
    PEER_SHOWN,
    SHOWN,
    WITHOUT_SHOWN,
)
from segscore.pipeline.arrays.ragged import Floats, Ints, add_up
from segscore.pipeline.measures.measure import evaluate

_COLUMNS = {"pair_places": "potential_boundaries"}
_RATE_COUNTS = ("codings", "marks", "places")
_ByCoder = Callable[[Floats | Ints], Floats]
"""Sums values of codings by coder."""


def coder_rows(group: Group, view: View | None) -> Iterator[dict[str, object]]:
    """Yield the rows of `coders` (schemas/agreement.py), without the group-by columns."""
    coders = len(group.coders)
    number = group.coder_indices("rates", "coder")
    sums = {name: add_up(group.column("rates", name), number, coders) for name in _RATE_COUNTS}
    with np.errstate(divide="ignore", invalid="ignore"):
        rates = sums["marks"] / sums["places"]
    peers = _with_peers(group)
    similar = evaluate([ACTUAL[SHOWN]], peers, {"n_t": group.choices.n_t}, rows=False)[SHOWN]
    without = agreement_without(group)["pi", SHOWN]
    shrunk = shrunk_effects(group)
    judged, intervals = coder_columns(group, view), [*peer_intervals(group)]
    for x, name in enumerate(group.coders):
        yield {
            "coder": name,
            "documents": int(sums["codings"][x]),
            "peers": int(peers["peers"][x]),
            "boundaries": int(sums["marks"][x]),
            "rate": rates[x],
            PEER_SHOWN: similar[x],
            **intervals[x],
            WITHOUT_SHOWN: without.value[x],
            OTHERS_SHOWN: without.actual[x],
            "shrunk_effect": shrunk[x],
            **judged[x],
        }


def peer_rows(group: Group, view: View | None) -> Iterator[dict[str, object]]:
    """Yield the rows of `peers` (schemas/agreement.py), without the group-by columns."""
    counts = {name: group.column("peers", name) for name in PAIR_COUNTS}
    similar = evaluate(ACTUAL.values(), counts, {"n_t": group.choices.n_t}, rows=False)
    judged = pair_columns(group, view)
    table, documents = group.tables["peers"], group.column("peers", "documents")
    names = zip(table.column("coder").to_pylist(), table.column("peer").to_pylist(), strict=True)
    for i, (coder, peer) in enumerate(names):
        yield {
            "coder": coder,
            "peer": peer,
            "documents": int(documents[i]),
            **{_COLUMNS.get(name, name): int(values[i]) for name, values in counts.items()},
            **{name: values[i] for name, values in similar.items()},
            **judged[i],
        }


def _with_peers(group: Group) -> dict[str, Ints]:
    """Return each coder's pair counts and number of peers, shape (coders,) each."""
    sides = [group.coder_indices("peers", name) for name in ("coder", "peer")]
    both, count = np.concatenate(sides), len(group.coders)
    counts = {
        name: add_up(np.tile(group.column("peers", name), 2), both, count) for name in PAIR_COUNTS
    }
    return counts | {"peers": np.bincount(both, minlength=count)}


def agreement_without(group: Group) -> dict[CoefficientKey, Agreement]:
    """Compute every coefficient without each coder in turn, shape (coders,) each.

    Undefined if fewer than two coders remain.
    """
    count = len(group.coders)
    keep = np.where(count > 2, 1.0, np.nan)
    sums = _without_sums(group)
    agreement = coefficients(sums, group.choices.n_t)
    return {
        key: Agreement(values.actual * keep, values.expected * keep, values.value * keep)
        for key, values in agreement.items()
    }


def _without_sums(group: Group) -> dict[str, Floats]:
    """Compute sums for ``coefficients`` without each coder in turn, shape (coders,) each."""
    count = len(group.coders)
    coder = group.coder_indices("held_out", "coder")
    held_out = {
        name: group.column("held_out", name)
        for name in group.tables["held_out"].column_names
        if name != "coder"
    }

    def coder_sums(values: Floats | Ints) -> Floats:
        total = np.zeros(count)
        np.add.at(total, coder, values.astype(np.float64))
        return total

    whole = {name: group.total("documents", name) for name in SUMMED}
    with_peers = _with_peers(group)
    sums = {name: (whole[name] - with_peers[name]).astype(np.float64) for name in PAIR_COUNTS}
    alone = held_out["coders"] == 1
    sums["codings"] = whole["codings"] - coder_sums(held_out["documents"])
    sums["marks"] = whole["marks"] - coder_sums(held_out["marks"])
    sums["places"] = whole["places"] - coder_sums(held_out["places"])
    sums["item_rate"] = whole["item_rate"] + coder_sums(
        np.where(alone, 0, held_out["item_rate_without"]) - held_out["item_rate"]
    )
    sums["item_documents"] = whole["item_documents"] - coder_sums(
        held_out["item_documents"] * alone
    )
    sums["rate"] = rate(sums, group.choices)
    return sums | _without_alpha(group, held_out, by_coder=coder_sums) | _without_chance(group)


def _without_alpha(
    group: Group, held_out: dict[str, Ints], by_coder: _ByCoder
) -> dict[str, Floats]:
    """Compute the sums for alpha without each coder in turn.

    In a document with three or more coders at least two remain. In one with two, no pair remains,
    so the document no longer counts.
    """
    coders, many, two = held_out["coders"], held_out["coders"] > 2, held_out["coders"] == 2
    documents = group.column("documents", "coders")
    together = documents > 1
    edits = {name: group.column("documents", name) for name in EDITS}
    disagreement = disagreements(edits)
    before = held_out["apart"] / np.maximum(1, coders - 1)
    after = np.where(
        many, (held_out["apart"] - held_out["own_apart"]) / np.maximum(1, coders - 2), 0
    )
    marks = np.where(two, held_out["document_marks"], np.where(many, held_out["marks"], 0))
    places = np.where(two, 2 * held_out["places"], np.where(many, held_out["places"], 0))
    return {
        "disagreement": (disagreement / np.maximum(1, documents - 1)).sum()
        - by_coder(before - after),
        "paired_marks": (group.column("documents", "marks") * together).sum() - by_coder(marks),
        "paired_places": (group.column("documents", "places") * together).sum() - by_coder(places),
    }


def _without_chance(group: Group) -> dict[str, Floats]:
    """Sum pair_places times chances over the pairs that remain without each coder in turn."""
    x, y = group.coder_indices("peers", "coder"), group.coder_indices("peers", "peer")
    places = group.column("peers", "pair_places").astype(np.float64)
    plain, chosen = (p[0] for p in group.rates())
    terms = {
        "product": places * chosen[x] * chosen[y],
        "category_product": places * plain[x] * plain[y],
        "both": places * (plain[x] + plain[y]),
    }
    sums = {}
    for name, values in terms.items():
        with_coder = np.zeros(len(group.coders))
        np.add.at(with_coder, x, values)
        np.add.at(with_coder, y, values)
        sums[name] = values.sum() - with_coder
    return sums

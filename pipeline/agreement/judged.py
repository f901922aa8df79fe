"""The columns of `coders` and `peers` that say who stands out, from a judgement and its drifts."""

from collections.abc import Mapping, Sequence

import numpy as np

from segscore.pipeline.agreement.coefficients import PAIR_COUNTS
from segscore.pipeline.agreement.group import Group
from segscore.pipeline.agreement.judging.by_group import MOST_GROUPS, group_effects
from segscore.pipeline.agreement.judging.drift import Drift, day_of, drifts, periods_of
from segscore.pipeline.agreement.judging.pair_counts import CoderPairCounts, pooled
from segscore.pipeline.arrays.ragged import Flags, Floats, Ints, add_up

_Row = dict[str, object]
_UNDEFINED = float("nan")

_OF_CODERS = (
    "agreement_effect",
    "agreement_error",
    "agreement_p",
    "agreement_limit",
    "aligned_effect",
    "boundary_offset",
    "boundary_offset_error",
    "rate_ratio",
    "rate_ratio_deviation",
    "reading_ratio",
)
_MARKS = ("low_agreement", "shifted", "outlying_rate", "standard")
_EXACTNESS = ("exact_share", "exact_share_others", "exact_share_deviation")


def coder_columns(group: Group) -> list[_Row]:
    """Return what is said of each coder of a group."""
    judgement = group.judgement
    undefined = _undefined(_OF_CODERS, (*_MARKS, "reading")) | _undefined(_ALIKE, ())
    if judgement is None:
        return [undefined] * len(group.coders)
    values = (
        judgement.agreement.value,
        judgement.agreement.error,
        judgement.agreement_p,
        np.full(len(group.coders), judgement.effect_limit),
        judgement.aligned,
        judgement.offset.value,
        judgement.offset.error,
        np.exp(judgement.rate.value),
        judgement.rate_deviation,
        np.full(len(group.coders), judgement.readings.ratio),
    )
    ways = judgement.readings.way
    marks = (judgement.less, judgement.shifted, judgement.far_rate, judgement.standard)
    return [
        undefined
        if np.isnan(judgement.agreement.value[x])
        else {name: column[x] for name, column in zip(_OF_CODERS, values, strict=True)}
        | {name: bool(column[x]) for name, column in zip(_MARKS, marks, strict=True)}
        | {"reading": READINGS[ways[x]]}
        | _alike(group, ways, x)
        for x in range(len(group.coders))
    ]


READINGS = (None, "common", "other")
"""Ways to read the guidelines."""

_ALIKE = ("same_reading_similarity", "other_reading_similarity")


def _alike(group: Group, ways: Ints, coder: int) -> _Row:
    """Return how well those agree who read as a coder does, and these with the others."""
    if not ways[coder]:
        return dict.fromkeys(_ALIKE, _UNDEFINED)
    pairs, judging = group.pair_counts, group.choices.judging
    own, known = ways == ways[coder], ways > 0
    first, second = own[pairs.first], own[pairs.second]
    both = known[pairs.first] & known[pairs.second]
    return {
        name: float(pooled(_sums(pairs, both & chosen), judging.similarity, judging.n_t)[0])
        for name, chosen in zip(_ALIKE, (first & second, first != second), strict=True)
    }


def _sums(pairs: CoderPairCounts, chosen: Flags) -> dict[str, Ints]:
    """Add up the counts of some pairs of coders, shape (1,) each."""
    return {name: pairs.counts[name][0, chosen].sum(keepdims=True) for name in PAIR_COUNTS}


def pair_columns(group: Group) -> list[_Row]:
    """Return what is said of each pair of coders of a group, in the order of the table `peers`."""
    judgement = group.judgement
    if judgement is None:
        undefined = _undefined(("residual",), ("high_agreement",)) | _undefined(
            _EXACTNESS, ("copied",)
        )
        return [undefined] * len(group.pair_counts.first)
    exact = judgement.exactness
    return [
        {
            "residual": judgement.residual[i],
            "high_agreement": bool(judgement.copies[i]) if is_judged else None,
            "exact_share": exact.share[i],
            "exact_share_others": exact.others[i],
            "exact_share_deviation": exact.deviation[i],
            "copied": bool(judgement.copied[i]) if is_judged else None,
        }
        for i, is_judged in enumerate(judgement.known)
    ]


def _undefined(values: Sequence[str], marks: Sequence[str]) -> _Row:
    return {**dict.fromkeys(values, _UNDEFINED), **dict.fromkeys(marks)}


def add_drift(
    rows: Sequence[_Row], by: Sequence[str], groups: Mapping[tuple[object, ...], Group]
) -> None:
    """Add the columns about drift to the rows of `coders`, defined over all documents alone.

    Coders can drift only if the groups are dates.
    """
    found = _drifts(by, groups)
    for row in rows:
        drift = found.get(str(row["coder"])) if all(row[name] is None for name in by) else None
        row["peer_drift"] = _UNDEFINED if drift is None else drift.change
        row["peer_drift_p"] = _UNDEFINED if drift is None else drift.p
        row["drifting"] = None if drift is None else drift.falls
        row["drift_from"] = None if drift is None else drift.first
        row["drift_to"] = None if drift is None else drift.last
        row["drift_start"] = _UNDEFINED if drift is None else drift.at_first


def _drifts(by: Sequence[str], groups: Mapping[tuple[object, ...], Group]) -> dict[str, Drift]:
    whole = groups.get((None,) * len(by))
    if len(by) != 1 or whole is None or whole.judgement is None:
        return {}
    dates = {
        value: group.pair_counts_among(whole.coders, whole.pair_counts.folds)
        for (value,), group in groups.items()
        if value is not None
    }
    found = drifts(periods_of(dates), whole.judgement, whole.pair_counts, whole.choices.judging)
    return {whole.coders[number]: drift for number, drift in found.items()}


_OF_GROUPS = ("group_difference", "group_difference_error", "group_difference_p")


def add_group_effects(
    rows: Sequence[_Row], by: Sequence[str], groups: Mapping[tuple[object, ...], Group]
) -> None:
    """Add the columns about groups to the rows of `coders`, undefined over all documents.

    Groups that are dates are not compared: ``add_drift`` is about these.
    """
    found = _group_effects(by, groups)
    for row in rows:
        row |= found.get(
            (tuple(row[name] for name in by), row["coder"]),
            {**_undefined((*_OF_GROUPS, "elsewhere_similarity"), ()), "weaker_in_group": None},
        )


def _group_effects(
    by: Sequence[str], groups: Mapping[tuple[object, ...], Group]
) -> dict[tuple[tuple[object, ...], object], _Row]:
    """Return the columns by group and coder."""
    whole = groups.get((None,) * len(by))
    keys = [key for key in groups if None not in key]
    if whole is None or whole.judgement is None or not 1 < len(keys) <= MOST_GROUPS:
        return {}
    if len(by) == 1 and all(day_of(key[0]) is not None for key in keys):
        return {}
    judging = whole.choices.judging
    effects = group_effects(whole.by_document, whole.judgement, len(keys), judging)
    elsewhere = {key: _elsewhere(whole, groups[key]) for key in keys}
    values = effects.difference, effects.error, effects.p
    return {
        (key, coder): {
            **{name: column[g, x] for name, column in zip(_OF_GROUPS, values, strict=True)},
            "elsewhere_similarity": elsewhere[key][x],
            "weaker_in_group": bool(effects.weaker[g, x]),
        }
        for g, key in enumerate(keys)
        for x, coder in enumerate(whole.coders)
        if not np.isnan(effects.difference[g, x])
    }


def _elsewhere(whole: Group, group: Group) -> Floats:
    """Return how similar each coder is to the others outside a group, shape (coders,)."""
    inside = group.pair_counts_among(whole.coders, whole.pair_counts.folds)
    sums = {name: np.zeros(len(whole.coders), np.int64) for name in PAIR_COUNTS}
    for pairs, sign in ((whole.pair_counts, 1), (inside, -1)):
        for name in PAIR_COUNTS:
            for coder in (pairs.first, pairs.second):
                sums[name] += sign * add_up(pairs.counts[name][0], coder, len(whole.coders))
    return pooled(sums, whole.choices.judging.similarity, whole.choices.judging.n_t)

"""The columns of `coders` and `peers` that say who stands out, from a judgement and its drifts."""

from collections.abc import Mapping, Sequence

import numpy as np

from segscore.pipeline.agreement.group import Group
from segscore.pipeline.agreement.judging.drift import Drift, drifts, periods_of

_Row = dict[str, object]
_UNDEFINED = float("nan")

_OF_CODERS = (
    "agreement_effect",
    "agreement_error",
    "agreement_p",
    "aligned_effect",
    "boundary_offset",
    "boundary_offset_error",
    "rate_ratio",
    "rate_ratio_deviation",
)
_MARKS = ("low_agreement", "shifted", "outlying_rate", "standard")
_OF_PAIRS = ("residual", "residual_deviation")
_EXACTNESS = ("exact_share", "exact_share_others", "exact_share_deviation")


def coder_columns(group: Group) -> list[_Row]:
    """Return what is said of each coder of a group."""
    judgement = group.judgement
    undefined = _undefined(_OF_CODERS, _MARKS)
    if judgement is None:
        return [undefined] * len(group.coders)
    values = (
        judgement.agreement.value,
        judgement.agreement.error,
        judgement.agreement_p,
        judgement.aligned,
        judgement.offset.value,
        judgement.offset.error,
        np.exp(judgement.rate.value),
        judgement.rate_deviation,
    )
    marks = (judgement.less, judgement.shifted, judgement.far_rate, judgement.standard)
    return [
        undefined
        if np.isnan(judgement.agreement.value[x])
        else {name: column[x] for name, column in zip(_OF_CODERS, values, strict=True)}
        | {name: bool(column[x]) for name, column in zip(_MARKS, marks, strict=True)}
        for x in range(len(group.coders))
    ]


def pair_columns(group: Group) -> list[_Row]:
    """Return what is said of each pair of coders of a group, in the order of the table `peers`."""
    judgement = group.judgement
    if judgement is None:
        undefined = _undefined(_OF_PAIRS, ("high_agreement",)) | _undefined(_EXACTNESS, ("copied",))
        return [undefined] * len(group.pair_counts.first)
    exact = judgement.exactness
    return [
        {
            "residual": judgement.residual[i],
            "residual_deviation": judgement.residual_deviation[i],
            "high_agreement": bool(judgement.copies[i]) if is_judged else None,
            "exact_share": exact.share[i],
            "exact_share_others": exact.others[i],
            "exact_share_deviation": exact.deviation[i],
            "copied": bool(judgement.copied[i]) if is_judged else None,
        }
        for i, is_judged in enumerate(~np.isnan(judgement.residual_deviation))
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

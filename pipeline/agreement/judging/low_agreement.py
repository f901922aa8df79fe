"""Find coders who agree less with the others than these do among themselves."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from segscore.pipeline.agreement.habits import clearest_in_words
from segscore.pipeline.agreement.judging.by_document import fit_effects
from segscore.pipeline.agreement.judging.fits import median, spread
from segscore.pipeline.agreement.judging.step import (
    MOST,
    AuditRows,
    Kind,
    Limit,
    Part,
    Step,
    StepColumn,
)
from segscore.pipeline.agreement.judging.view import CoderEffect, Columns, View
from segscore.pipeline.agreement.sentences import OTHERS_SHOWN, PEER_SHOWN, peer_ends
from segscore.pipeline.arrays.ragged import Flags, Floats
from segscore.pipeline.plain_text import named_list
from segscore.pipeline.statistics.formatted_numbers import counted, shown_as

_DIFFER = 0.02
"""By about so much, at least, do honest coders differ in their similarity to others."""

_MANY, _FEW, _FEWEST = 80, 20, 6
"""Of n honest coders, the furthest is 1 + n / 80 times as far from the others as of few; how much
few of them differ is not well known, for which 20 / n^2 is added, as of 6 if they are fewer."""

_EXPLAINS = "outlying_rate"
"""Who marks far more or fewer boundaries agrees less for that."""

_NAMED = ("low_agreement", "shifted", _EXPLAINS)
_LOWEST, _SHOWN = 3, 0.005

_SHARE = 3
"""At most one in so many coders is left out of the spread."""


class LowAgreement(Step):
    """Coders whose effect on similarity is far below the others'."""

    columns = (
        StepColumn(
            "agreement_effect",
            Kind.NUMBER,
            "how much more similar the coder is to the others than the median coder is, by a "
            "robust fit; null for coders who are not judged (docs/method-coders.md)",
        ),
        StepColumn(
            "agreement_error", Kind.NUMBER, "standard error of agreement_effect, by a jackknife"
        ),
        StepColumn(
            "agreement_limit",
            Kind.SIZE,
            "a coder agrees less if agreement_effect is at most minus this. It is the limit "
            "effect, or 3.5 (1 + n / 80 + 20 / n^2) times how much the n coders of the standard "
            "differ, at least as 6 coders",
        ),
        StepColumn(
            "low_agreement", Kind.MARK, "the coder agrees less with the others than they do"
        ),
    )
    limits = (
        Limit("effect", 0.05),
        Limit("effect_errors", 3.5),
        Limit("effect_spread", 3.5),
    )
    mark, order = "low_agreement", "agreement_effect"
    leaves_standard = True
    part = Part.AGREEMENT

    def judge(self, view: View) -> Columns:
        """Compare the effect of each coder with how much honest coders differ."""
        limits, judged = view.limits, view.evidence.judged
        agreement = CoderEffect.of(view.effects[0], judged)
        limit = _limit(view, agreement)
        less = (agreement.value <= -limit) & agreement.beyond(limits["effect_errors"])
        less &= ~view["shifted"] | (_aligned(view) <= -limit)
        less &= view.readings.judged(judged) & ~_of_own_way(view)
        return {
            "agreement_effect": agreement.value,
            "agreement_error": agreement.error,
            "agreement_limit": np.full(len(judged), limit),
            "low_agreement": less,
        }

    def sentence(self, row: Mapping[str, Any], audit: AuditRows) -> str:
        """Describe a coder who agrees less with the others."""
        coder, effect, limit = row["coder"], row["agreement_effect"], row.get("agreement_limit")
        similar, (low, high) = row[PEER_SHOWN], peer_ends(row)
        interval = "" if low is None else f" ({low:.2f} to {shown_as(high, '.2f')})"
        others = row.get(OTHERS_SHOWN)
        below = "" if limit is None else f", where {limit:.2f} is the limit"
        return (
            f"{coder}'s boundaries agree with the others' by {shown_as(similar, '.2f')}{interval} "
            f"in {counted(row['documents'], 'document')}"
            f"{'' if others is None else f', theirs with each other by {others:.2f}'}"
            f": {shown_as(-effect, '.2f')} below the median coder{below}."
            f"{clearest_in_words(audit.habits.get(coder))}"
        )

    def say(self, audit: AuditRows) -> Iterator[str]:
        """Yield who is named, without those whose numbers of boundaries explain it; then others."""
        rest = [row for row in audit.coders if not (row.get(self.mark) and row.get(_EXPLAINS))]
        yield from super().say(replace(audit, coders=rest))
        yield from _quiet(audit.coders)


def _of_own_way(view: View) -> Flags:
    """Return the coders of pairs who may read the guidelines in a way of their own."""
    pairs, alone = view.evidence.pairs, np.zeros(len(view.standard), bool)
    marks = zip(view["high_agreement"], view["copied"], strict=True)
    chosen = np.array([high is True and copied is not True for high, copied in marks], bool)
    alone[pairs.first[chosen]] = alone[pairs.second[chosen]] = True
    return alone


def _quiet(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the lowest of those who are not named, and how far they are from the limit."""
    known = [row for row in rows if row.get("agreement_effect") is not None]
    limit = known[0].get("agreement_limit") if known else None
    if limit is None:
        return
    left = [row for row in known if not any(row.get(mark) for mark in _NAMED)]
    left.sort(key=lambda row: (row["agreement_effect"], row["coder"]))
    beyond = [row["coder"] for row in left if row["agreement_effect"] <= -limit]
    if beyond:
        more = len(beyond) - MOST
        names = named_list([*beyond[:MOST], *[f"{more} others"] * (more > 0)])
        one = len(beyond) == 1
        agree, are, who = ("agrees", "is", names) if one else ("agree", "are", "they")
        yield (
            f"{names} {agree} less than the limit of {limit:.2f} allows, and {are} not named: "
            f"{who} may read the guidelines in another way, or too little is known."
        )
    all_quiet, left = len(left) == len(known), left[len(beyond) :]
    lowest = [row for row in left[:_LOWEST] if row["agreement_effect"] <= -_SHOWN]
    if not lowest:
        return
    nobody = "Nobody is named for low agreement; a coder" if all_quiet else "Of the others, a coder"
    shown = ", ".join(
        f"{row['coder']} {shown_as(row['agreement_effect'], '+.2f')}"
        f" ± {shown_as(row.get('agreement_error'), '.2f')}"
        for row in lowest
    )
    yield f"{nobody} would be named from {limit:.2f} below the median on. Lowest: {shown}."


def _aligned(view: View) -> Floats:
    """Return the effects once the offsets of shifted coders are taken away.

    They are on the share of boundaries with a partner at most n_t away.
    """
    offsets = np.where(view["shifted"], view["boundary_offset"], 0.0)
    pairs = view.evidence.pairs.aligned(offsets, view.evidence.judging.n_t)
    effects = fit_effects(pairs, view.rows(pairs), len(offsets)).coder
    return np.where(view.evidence.judged, effects - median(effects[view.standard]), np.nan)


def _limit(view: View, agreement: CoderEffect) -> float:
    """Return the larger of the limit and of several times how much honest coders differ.

    Two careless coders must not hide each other.  So the lowest are left out of the spread that
    they are compared with, as many of them as are then beyond the limit, but one at least.  The
    more coders there are, the further from the others the furthest of them is.  That a few coders
    are alike by chance does not mean that honest ones do not differ.
    """
    limits, effects = view.limits, agreement.value[view.standard]
    known = np.sort(effects[~np.isnan(effects)])
    times = limits["effect_spread"] * (
        1 + len(known) / _MANY + _FEW / max(len(known), _FEWEST) ** 2
    )
    most = max(1, len(known) // _SHARE)
    beyond = [
        max(limits["effect"], times * float(np.hypot(spread(known[number:]), _DIFFER)))
        for number in range(1, most + 1)
    ]
    found = [limit for limit, value in zip(beyond, known, strict=False) if value <= -limit]
    return found[-1] if found else beyond[0]

"""Find coders who agree less and less with the others over a series of dates."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np

from segscore.pipeline.agreement.coefficients import PAIR_COUNTS
from segscore.pipeline.agreement.group import Group
from segscore.pipeline.agreement.judging.fits import jackknife_p, standard_error
from segscore.pipeline.agreement.judging.limits import FEWEST_DOCUMENTS, Judging
from segscore.pipeline.agreement.judging.pair_counts import CoderPairCounts, pooled
from segscore.pipeline.agreement.judging.step import AuditRows, Kind, Limit, Row, Step, StepColumn
from segscore.pipeline.agreement.judging.view import View
from segscore.pipeline.arrays.ragged import Flags, Floats, Ints
from segscore.pipeline.statistics.formatted_numbers import format_p, percent
from segscore.pipeline.statistics.multiple_tests import holm

FEWEST_DATES = 3

_WEEK, _QUARTER = re.compile(r"(\d{4})-?W(\d\d)"), re.compile(r"(\d{4})-?Q([1-4])")
_NAMED = re.compile(r"([A-Za-z]+)\.?[ -](\d{4})")
_ENGLISH = "January February March April May June July August September October November December"
_MONTHS = {
    name: number
    for number, month in enumerate(_ENGLISH.lower().split(), start=1)
    for name in (month, month[:3])
}


@dataclass(frozen=True)
class Period:
    """The documents of one date.

    Attributes:
        name: the date as the attribute has it.
        day: number of its first day.
        pairs: counts of the same coders and groups of documents as over all dates.
    """

    name: str
    day: int
    pairs: CoderPairCounts


class Drift(Step):
    """Coders whose relative similarity falls.

    That is the similarity with the coders who are not named, divided by theirs among themselves.
    """

    columns = (
        StepColumn(
            "peer_drift",
            Kind.NUMBER,
            "change from the first date to the last of the coder's similarity to the standard "
            "coders, divided by theirs among themselves. By a regression line over all documents, "
            "if --group-by is one attribute whose values are dates. Null for coders who are not "
            "judged, or have fewer than 10 documents of 3 dates",
        ),
        StepColumn(
            "peer_drift_p", Kind.SHARE, "p of this change, by a jackknife, adjusted by Holm"
        ),
        StepColumn("drifting", Kind.MARK, "the coder agrees less and less with the others"),
        StepColumn("drift_from", Kind.NAME, "first date of the coder; null without drift"),
        StepColumn("drift_to", Kind.NAME, "last date of the coder; null without drift"),
        StepColumn(
            "drift_start", Kind.NUMBER, "height of the regression line of peer_drift at drift_from"
        ),
    )
    limits = (
        Limit("fall", 0.15),
        Limit("fall_p", 0.01),
    )
    mark, order = "drifting", "peer_drift"

    def compare(
        self, by: Sequence[str], groups: Mapping[tuple[object, ...], Group], whole: View
    ) -> Mapping[tuple[tuple[object, ...], str], Row]:
        """Return the drift of each judged coder in the rows over all dates.

        Such a coder shares ten documents with others, as all who are judged do, and these are of
        at least three dates.
        """
        evidence = whole.evidence
        if len(by) != 1:
            return {}
        periods = periods_of(
            {
                value: group.pair_counts_among(evidence.group.coders, evidence.pairs.folds)
                for (value,), group in groups.items()
                if value is not None
            }
        )
        if len(periods) < FEWEST_DATES:
            return {}
        found = _drifts(periods, whole)
        return {((None,), evidence.group.coders[number]): row for number, row in found.items()}

    def sentence(self, row: Mapping[str, Any], audit: AuditRows) -> str:
        """Describe a coder who agrees less and less with the others."""
        start, change = row["drift_start"], row["peer_drift"]
        if start is None or change is None:
            return f"{row['coder']} agrees less and less with the others."
        end = start + change
        return (
            f"{row['coder']} agrees less and less with the others: {percent(start)} as much as "
            f"they do among themselves in {row['drift_from']}, {percent(end)} in "
            f"{row['drift_to']} (p {format_p(row['peer_drift_p'])})."
        )


def _drifts(periods: Sequence[Period], view: View) -> dict[int, Row]:
    """Return the drift of each judged coder, by number."""
    whole, judging = view.evidence.pairs, view.evidence.judging
    apart = np.array([mark is True for mark in view["high_agreement"]], bool)
    apart |= ~view.readings.alike(whole.first, whole.second)
    unused = whole.first[apart] * whole.coders + whole.second[apart]
    relative = np.stack(
        [_relative(period.pairs, view.standard, unused, judging) for period in periods], axis=1
    )
    weights = np.stack([period.pairs.shared for period in periods]).astype(np.float64)
    weights = np.where(np.isnan(relative[0]), 0.0, weights)
    days = np.array([period.day for period in periods], np.float64)
    at_first, changes = _lines(days, relative, weights)
    judged = ~np.isnan(view["agreement_effect"]) & (weights.sum(axis=0) >= FEWEST_DOCUMENTS)
    judged &= np.count_nonzero(weights, axis=0) >= FEWEST_DATES
    judged &= view.readings.judged(judged)
    tested = np.flatnonzero(judged & ~np.isnan(changes[0]))
    errors = standard_error(changes)
    p = holm(jackknife_p(changes[0], errors, whole.groups)[tested])
    found = {}
    for coder, adjusted in zip(tested.tolist(), p.tolist(), strict=True):
        known = np.flatnonzero(weights[:, coder])
        change = float(changes[0, coder])
        falls = change <= -view.limits["fall"] and adjusted < view.limits["fall_p"]
        found[coder] = {
            "peer_drift": change,
            "peer_drift_p": adjusted,
            "drifting": bool(falls),
            "drift_from": periods[known[0]].name,
            "drift_to": periods[known[-1]].name,
            "drift_start": float(at_first[0, coder]),
        }
    return found


def _relative(pairs: CoderPairCounts, standard: Flags, unused: Ints, judging: Judging) -> Floats:
    """Return the relative similarity of each coder, shape (1 + groups, coders)."""
    used = ~np.isin(pairs.first * pairs.coders + pairs.second, unused)
    among = used & standard[pairs.first] & standard[pairs.second]
    with_others: dict[str, Ints] = {}
    themselves: dict[str, Ints] = {}
    for name in PAIR_COUNTS:
        counts = pairs.counts[name]
        sums = np.zeros((len(counts), pairs.coders), np.int64)
        for coder, peer in ((pairs.first, pairs.second), (pairs.second, pairs.first)):
            chosen = used & standard[peer]
            np.add.at(sums.T, coder[chosen], counts[:, chosen].T)
        with_others[name] = sums
        themselves[name] = counts[:, among].sum(axis=1)
    of_others = pooled(themselves, judging.similarity, judging.n_t)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = pooled(with_others, judging.similarity, judging.n_t) / of_others[:, None]
    return np.asarray(np.where(np.isfinite(ratio), ratio, np.nan))


def _lines(days: Floats, values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Fit a weighted line for each coder; return its height at the first date, and its change.

    Args:
        days: shape (dates,).
        values: NaN where undefined, shape (1 + groups, dates, coders).
        weights: shape (dates, coders).
    """
    known = weights > 0
    first = np.where(known, days[:, None], np.inf).min(axis=0)
    last = np.where(known, days[:, None], -np.inf).max(axis=0)
    weight = np.where(np.isnan(values), 0.0, weights)
    value, day = np.nan_to_num(values), days[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        total = weight.sum(axis=1)
        middle, mean = (weight * day).sum(axis=1) / total, (weight * value).sum(axis=1) / total
        apart = day - middle[:, None]
        slope = (weight * apart * (value - mean[:, None])).sum(axis=1) / (weight * apart**2).sum(
            axis=1
        )
        return mean + slope * (first - middle), slope * (last - first)


def day_of(value: object) -> int | None:
    """Return the number of the first day of a date; None if it is not one.

    Dates are such as 2026, 2026-01, 2026-01-31, 2026-W12, 2026-Q1, and Mar 2026 or March 2026.
    """
    if not isinstance(value, str | date):
        return None
    text = str(value)
    if week := _WEEK.fullmatch(text):
        text = f"{week[1]}-W{week[2]}-1"
    elif quarter := _QUARTER.fullmatch(text):
        text = f"{quarter[1]}-{3 * int(quarter[2]) - 2:02d}-01"
    elif (named := _NAMED.fullmatch(text)) and named[1].lower() in _MONTHS:
        text = f"{named[2]}-{_MONTHS[named[1].lower()]:02d}-01"
    try:
        return date.fromisoformat(text + "-01-01"[len(text) - 4 :]).toordinal()
    except ValueError:
        return None


def periods_of(groups: Mapping[object, CoderPairCounts]) -> list[Period]:
    """Return the dates of groups by value, ascending; empty if a value is not a date."""
    days = {value: day_of(value) for value in groups}
    if any(day is None for day in days.values()):
        return []
    return [
        Period(str(value), day, groups[value])
        for value, day in sorted(days.items(), key=lambda item: item[1] or 0)
        if day is not None
    ]

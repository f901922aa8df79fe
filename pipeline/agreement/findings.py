"""Say in sentences what an audit shows: how well coders agree, and who stands out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from segscore.pipeline.agreement.outliers import FEWEST_CODERS
from segscore.pipeline.statistics.p_values import shown_p

_Row = dict[str, Any]

_MOST = 5
"""The most sentences of one kind; the others are counted."""

_SHOWN, _IN_WORDS = "boundary_similarity", "boundary similarity"

_UNSURE = 0.2
"""A coder whose p value is at least this is not named as the one who most likely drifts."""

CODER_MARKS = ("low_agreement", "outlying_rate", "drifting")
"""Columns of `coders` that mark a coder who stands out."""


def describe_audit(
    agreement: Sequence[_Row], coders: Sequence[_Row], peers: Sequence[_Row]
) -> list[str]:
    """Return sentences that say how to read an audit.

    Args:
        agreement: the rows of the table `agreement` over all documents.
        coders: those of `coders`; columns that audits of an earlier version lack may be missing.
        peers: those of `peers`, likewise.
    """
    marked = [
        *_listed(coders, "low_agreement", "peer_deviation", _low_agreement, "coders"),
        *_listed(peers, "high_agreement", "pair_deviation", _high_agreement, "peers"),
        *_listed(coders, "outlying_rate", "rate_deviation", _outlying_rate, "coders"),
        *_listed(coders, "drifting", "peer_drift", _drift, "coders"),
    ]
    unsure = [] if any(row.get("drifting") for row in coders) else [*_unsure_drift(coders)]
    if not marked and len(coders) < FEWEST_CODERS:
        marked = [f"With fewer than {FEWEST_CODERS} coders, it cannot be said who stands out."]
    marked = marked or ["No coder and no pair of coders stands out."]
    return [*_agreement(agreement), *marked, *unsure]


def _agreement(rows: Sequence[_Row]) -> Iterator[str]:
    """Yield a sentence about pi, by boundary similarity if the audit has it."""
    known = [row for row in rows if row["coefficient"] == "pi" and row["value"] is not None]
    if not known:
        yield "Agreement above chance is undefined."
        return
    row = next((row for row in known if row["similarity"] == _SHOWN), known[0])
    interval = ""
    if row["ci_low"] is not None:
        interval = f" (95 % interval {row['ci_low']:.4f} to {row['ci_high']:.4f})"
    yield (
        f"pi by {row['similarity']} is {row['value']:.4f}{interval}; 0 is agreement by chance and "
        f"1 is full agreement: two coders agree by {row['actual']:.4f}, and {row['expected']:.4f} "
        "is expected by chance."
    )


def _listed(
    rows: Sequence[_Row], mark: str, measure: str, describe: Callable[[_Row], str], table: str
) -> Iterator[str]:
    """Yield a sentence about each of the marked rows, the most extreme first."""
    marked = sorted((row for row in rows if row.get(mark)), key=lambda row: -abs(row[measure]))
    yield from map(describe, marked[:_MOST])
    if len(marked) > _MOST:
        left = len(marked) - _MOST
        verb = "are" if left > 1 else "is"
        yield f"{left} more {verb} marked in the column {mark} of the table {table}."


def _low_agreement(row: _Row) -> str:
    without = row[f"without_pi_{_SHOWN}"]
    change = (
        "" if without is None else f"; without {row['coder']}, pi of {_IN_WORDS} is {without:.4f}"
    )
    return (
        f"{row['coder']} agrees far less with the others than they do among themselves: "
        f"{_IN_WORDS} {row[f'peer_{_SHOWN}']:.4f}, median {row['peer_median']:.4f}{change}."
    )


def _high_agreement(row: _Row) -> str:
    return (
        f"{row['coder']} and {row['peer']} agree far more than other pairs: {_IN_WORDS} "
        f"{row[_SHOWN]:.4f} over {row['documents']} documents, median {row['pair_median']:.4f}; "
        "find out whether they worked together, or one copied from the other."
    )


def _outlying_rate(row: _Row) -> str:
    side = "more" if row["rate_deviation"] > 0 else "fewer"
    return (
        f"{row['coder']} marks far {side} boundaries than the others: at {row['rate']:.4f} of the "
        f"potential boundaries, median {row['rate_median']:.4f}."
    )


@dataclass(frozen=True)
class DriftByDate:
    """How coders who drift agree with their peers on each date.

    Attributes:
        dates: the dates, ascending.
        median: median of all coders on each date.
        coders: values of the coders who drift, by name; None without peers on a date.
    """

    dates: list[str]
    median: list[float]
    coders: dict[str, list[float | None]]


def drift_by_date(coders: Sequence[_Row], group_by: Sequence[str]) -> DriftByDate | None:
    """Return how coders who drift agree with their peers on each date; None if nobody drifts.

    Args:
        coders: the rows of the table `coders`, over all documents and of all groups.
        group_by: attributes of the groups; coders can drift only if there is one, with dates.
    """
    marked = sorted((row for row in coders if row.get("drifting")), key=_most_drift)
    if not marked:
        return None
    (attribute,) = group_by
    known: dict[str, dict[str, float]] = {}
    for row in coders:
        if row[attribute] is not None and row[f"peer_{_SHOWN}"] is not None:
            known.setdefault(str(row[attribute]), {})[row["coder"]] = row[f"peer_{_SHOWN}"]
    by_date = dict(sorted(known.items()))
    return DriftByDate(
        dates=[*by_date],
        median=[median(values.values()) for values in by_date.values()],
        coders={
            row["coder"]: [values.get(row["coder"]) for values in by_date.values()]
            for row in marked
        },
    )


def _most_drift(row: _Row) -> tuple[float, str]:
    return -abs(row["peer_drift"]), row["coder"]


def _drift(row: _Row) -> str:
    return f"{row['coder']} drifts: {_change(row)}"


def _unsure_drift(coders: Sequence[_Row]) -> Iterator[str]:
    """Yield a sentence about the coder who most likely drifts, if one may."""
    tested = [row for row in coders if row.get("peer_drift_p") is not None]
    likely = min(tested, key=lambda row: (row["peer_drift_p"], row["coder"]), default=None)
    if likely is not None and likely["peer_drift_p"] < _UNSURE:
        yield f"Nobody drifts for sure; most likely {likely['coder']}: {_change(likely)}"


def _change(row: _Row) -> str:
    verb = "falls" if row["peer_drift"] < 0 else "rises"
    return (
        f"{_IN_WORDS} with the others {verb} by {abs(row['peer_drift']):.4f} from the first date "
        f"to the last, relative to the median of all coders (p {shown_p(row['peer_drift_p'])})."
    )

"""Choose which documents to adjudicate first: those whose consensus is expected to change most.

Each coder's boundaries are right with some probability, which follows from how many they have in
common with the others.  So the boundaries of the coders who have one, and their absence from those
of the others, give the chance that it is one (naive Bayes).  The gain of a boundary is the chance
that an adjudicator decides otherwise than the majority; that of a document is the sum.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import chain, groupby
from math import exp, log
from operator import itemgetter

from segscore.pipeline.agreement.confidence import BoundariesByCoder, chance_right, is_near
from segscore.pipeline.runs.finished import FinishedRun

_IN_DOUBT = 0.1
"""The least gain of a boundary that is listed."""


@dataclass(frozen=True)
class Adjudicated:
    """A document to adjudicate.

    Attributes:
        document: id of the document.
        gain: number of boundaries of the consensus that are expected to change.
        positions: boundaries in doubt, ascending, one of those that are near each other.
        coders: who coded it.
    """

    document: str
    gain: float
    positions: tuple[int, ...]
    coders: tuple[str, ...]


@dataclass(frozen=True)
class Adjudication:
    """Documents to adjudicate, in this order.

    Attributes:
        documents: the documents.
        gain: their gain.
        total: the gain of all documents of the audit.
    """

    documents: Sequence[Adjudicated]
    gain: float
    total: float


def adjudication(run: FinishedRun, number: int) -> Adjudication:
    """Choose documents of a finished audit to adjudicate.

    Args:
        run: the audit.
        number: the most documents to choose.
    """
    near = int(run.settings["n_t"]) - 1
    codings = dict(_codings(run))
    right = chance_right(codings.values(), near)
    every = [_adjudicated(document, coded, right, near) for document, coded in codings.items()]
    chosen = nsmallest(number, every, key=lambda each: (-each.gain, each.document))
    chosen = [each for each in chosen if each.positions]
    return Adjudication(chosen, sum(each.gain for each in chosen), sum(each.gain for each in every))


def gains(
    coded: BoundariesByCoder, right: Mapping[str, float], near: int
) -> Iterator[tuple[int, float, int]]:
    """Yield each boundary of each coder, its gain, and how many coders have it.

    >>> [*gains({"a": [3], "b": [3], "c": []}, {"a": 0.9, "b": 0.5, "c": 0.5}, 1)]
    [(3, 0.1..., 2), (3, 0.1..., 2)]

    Args:
        coded: the codings of a document.
        right: the probability that each coder is right.
        near: largest distance of boundaries that are one.
    """
    odds = {coder: log(right[coder] / (1 - right[coder])) for coder in coded}
    for marks in coded.values():
        for position in marks:
            having = {coder for coder, others in coded.items() if is_near(others, position, near)}
            evidence = sum(odds[coder] * (1 if coder in having else -1) for coder in coded)
            agreed = 2 * len(having) > len(coded)
            yield position, 1 / (1 + exp(evidence if agreed else -evidence)), len(having)


def _adjudicated(
    document: str, coded: BoundariesByCoder, right: Mapping[str, float], near: int
) -> Adjudicated:
    total = 0.0
    by_position: dict[int, tuple[float, int]] = {}
    for position, gain, having in gains(coded, right, near):
        # Each of the coders who have a boundary yields it once.
        total += gain / having
        by_position[position] = gain, having
    listed: list[int] = []
    for position, (gain, _) in sorted(by_position.items(), key=_most_doubtful):
        if gain >= _IN_DOUBT and all(abs(position - other) > near for other in listed):
            listed.append(position)
    return Adjudicated(document, total, tuple(sorted(listed)), tuple(sorted(coded)))


def _most_doubtful(each: tuple[int, tuple[float, int]]) -> tuple[float, int, int]:
    position, (gain, having) = each
    return -gain, -having, position


def _codings(run: FinishedRun) -> Iterator[tuple[str, dict[str, list[int]]]]:
    """Yield the boundaries of each document of several coders, by coder."""
    coders = {
        row["document_id"]: row["coders"]
        for part in run.parts("documents", ["document_id", "coders"])
        for row in part.to_pylist()
    }
    for part in run.parts("prominence", ["document_id", "position", "marked_by"]):
        # Documents are together, and positions ascend.
        batches = (batch.to_pylist() for batch in part.to_batches(max_chunksize=2**16))
        for document, rows in groupby(chain.from_iterable(batches), itemgetter("document_id")):
            marks: dict[str, list[int]] = defaultdict(list)
            for row in rows:
                for coder in row["marked_by"]:
                    marks[coder].append(row["position"])
            yield document, {coder: marks[coder] for coder in coders[document]}

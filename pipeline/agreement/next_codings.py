"""Choose which documents to code next, and by whom, so that the widest interval narrows most.

The interval of each coder's agreement with the others is as wide as one over the root of the number
of documents that both share.  So the next coding is by the coder whose interval is widest, as far
as the codings chosen before let one expect, of a document that this coder has not coded, with
as few codings as possible, but one at least: each coding then makes a new pair at the least cost.
Of several documents, it is one of the coders with whom this coder shares the fewest.

Coders of whom one may have copied from the other are given no documents of each other: that they
agree there would tell nothing about either.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt

import pyarrow as pa

from segscore.pipeline.agreement.sentences import copying_pairs, peer_ends
from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.runs.finished import FinishedRun, rows_over_all
from segscore.schemas.rows import CoderRow, PeerRow

_UNKNOWN = 1.0
"""Half the width of an interval that is not known."""

_Pair = frozenset[str]


@dataclass(frozen=True)
class NextCoding:
    """A coding to make next.

    Attributes:
        document: id of the document.
        coder: who codes it.
        others: who coded it before.
    """

    document: str
    coder: str
    others: tuple[str, ...]


@dataclass(frozen=True)
class NextCodings:
    """Codings to make next, in this order.

    Attributes:
        codings: the codings.
        before: half the width of the widest interval of a coder; None if one is not known.
        after: what it is expected to be after these codings, likewise.
        copying: the pairs of coders of whom one may have copied from the other.
    """

    codings: Sequence[NextCoding]
    before: float | None
    after: float | None
    copying: Sequence[tuple[str, str]] = ()


def next_codings(
    run: FinishedRun, number: int, available: Collection[str] | None = None
) -> NextCodings:
    """Choose codings for the coders of a finished audit.

    Documents that nobody has coded come last: those that --documents lists.

    Args:
        run: the audit.
        number: the most codings to choose.
        available: names of the coders who can code; None: all.

    Raises:
        Refused: one of them is not a coder of the audit.
    """
    by = run.settings["group_by"]
    coders: list[CoderRow] = rows_over_all(run.table("coders"), by)
    peers: list[PeerRow] = rows_over_all(run.table("peers"), by)
    width = {row["coder"]: _half_width(row) for row in coders}
    shared = Counter({frozenset((row["coder"], row["peer"])): row["documents"] for row in peers})
    coded = _Coded.of(run.parts("documents", ["document_id", "coders"]), number)
    coded.documents[frozenset()] = _uncoded(run, number)
    copying = copying_pairs(peers)
    free = {*width} if available is None else {*available}
    if unknown := sorted(free - {*width}):
        raise Refused(
            f"--available {unknown[0]}: there is no such coder{nearest(unknown[0], [*width])}"
        )
    found = _choose(width, shared, coded, number, {frozenset(pair) for pair in copying}, free)
    return replace(found, copying=copying)


def _uncoded(run: FinishedRun, number: int) -> list[str]:
    """Return the first ids of documents without codings."""
    coded: set[str] = set()
    listed: set[str] = set()
    for part in run.parts("unpaired", ["table", "document_id"]):
        for row in part.to_pylist():
            (listed if row["table"] == "documents" else coded).add(row["document_id"])
    return sorted(listed - coded)[:number]


def _half_width(row: CoderRow) -> float:
    low, high = peer_ends(row)
    return _UNKNOWN if low is None or high is None else (high - low) / 2


@dataclass(frozen=True)
class _Coded:
    """Who coded which documents.

    Attributes:
        documents: ids of documents by the coders of each, at most a number for each set of coders.
        paired: number of documents that each coder shares with another.
    """

    documents: dict[_Pair, list[str]]
    paired: Counter[str]

    @classmethod
    def of(cls, parts: Iterable[pa.Table], number: int) -> "_Coded":
        """Read `documents`; keep the first ids of each set of coders, by their order."""
        documents: dict[_Pair, list[str]] = {}
        paired = Counter[str]()
        for part in parts:
            for row in part.to_pylist():
                coders = frozenset(row["coders"])
                documents.setdefault(coders, []).append(row["document_id"])
                if len(coders) > 1:
                    paired.update(coders)
            documents = {coders: sorted(ids)[:number] for coders, ids in documents.items()}
        return cls(documents, paired)


def _choose(
    width: Mapping[str, float],
    shared: Counter[_Pair],
    coded: _Coded,
    number: int,
    copying: Collection[_Pair],
    free: set[str],
) -> NextCodings:
    before, paired = dict(coded.paired), Counter(coded.paired)

    def expected(coder: str) -> float:
        """Return half the width that a coder's interval is expected to have."""
        documents = max(1, before.get(coder, 0))
        return width[coder] * sqrt(documents / max(documents, paired[coder]))

    chosen: list[NextCoding] = []
    while free and len(chosen) < number:
        coder = min(free, key=lambda name: (-expected(name), name))
        barred = {coder}.union(*(pair for pair in copying if coder in pair))
        open_to = [
            coders for coders, ids in coded.documents.items() if ids and barred.isdisjoint(coders)
        ]
        if not open_to:
            free.remove(coder)
            continue
        others = min(
            open_to,
            key=lambda names: (
                not names,
                len(names),
                sum(shared[frozenset((coder, name))] for name in names),
                sorted(names),
            ),
        )
        document = coded.documents[others].pop(0)
        coded.documents.setdefault(others | {coder}, []).append(document)
        # Whoever was alone has a pair now, too; others had one before.
        if others:
            paired.update({coder} if len(others) > 1 else {coder, *others})
        shared.update(frozenset((coder, name)) for name in others)
        chosen.append(NextCoding(document, coder, tuple(sorted(others))))
    widest = max(width.values(), default=_UNKNOWN)
    if widest >= _UNKNOWN:
        return NextCodings(chosen, None, None)
    return NextCodings(chosen, widest, max(map(expected, width)))

"""Documents of which a system has no hypothesis: count them, name them, or score them as empty.

Which systems there are is known once all parts of the hypotheses have been read.  A row that was
rejected is none.  But if it contradicts other rows, it may be right, and is not scored as empty.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Bits, Flags, Ints
from segscore.pipeline.errors import Failed, TooManyUnpaired, Unanswered
from segscore.pipeline.plain_text import first_named
from segscore.pipeline.scoring.hypotheses import Accepted, DocumentsBySystem
from segscore.pipeline.scoring.references import References
from segscore.pipeline.scoring.settings import LEAVE_OUT, NONE, REFUSE, ScoreSettings
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.tables.read import Rows, in_one_chunk
from segscore.pipeline.tables.validate import REJECT_COLUMNS
from segscore.schemas.input_columns import INPUT_TYPES

_NAMED = 3
"""Number of documents that a message names for each system."""


@dataclass(frozen=True)
class Missing:
    """Documents of which systems have no hypothesis.

    Attributes:
        documents: number of documents with an accepted reference.
        systems: how many of them each system lacks, by name, without systems that lack none.
        rejected: of how many of these its rows were rejected, likewise.
        contradicting: of how many of these a row contradicts other rows, likewise.
        examples: the first documents by id that each lacks, if they are to be named.
        added: number of rows without boundaries that were scored in their place.
    """

    documents: int = 0
    systems: Mapping[str, int] = field(default_factory=dict)
    rejected: Mapping[str, int] = field(default_factory=dict)
    contradicting: Mapping[str, int] = field(default_factory=dict)
    examples: Mapping[str, Sequence[str]] = field(default_factory=dict)
    added: int = 0

    @property
    def record(self) -> dict[str, object]:
        """The entry of run.json."""
        return {
            "documents": self.documents,
            "systems": dict(self.systems),
            "rejected": dict(self.rejected),
            "contradicting": dict(self.contradicting),
            "added": self.added,
        }

    @classmethod
    def of_record(cls, entry: object) -> "Missing":
        """Read the entry of run.json; a run of an earlier version has none."""
        match entry:
            case {
                "documents": int(documents),
                "systems": dict(systems),
                "added": int(added),
                **rest,
            }:
                return cls(
                    documents,
                    systems=_numbers(systems),
                    rejected=_numbers(rest.get("rejected")),
                    contradicting=_numbers(rest.get("contradicting")),
                    added=added,
                )
        return cls()


def _numbers(entry: object) -> dict[str, int]:
    """Return the whole numbers of an object of run.json, which an earlier version may lack."""
    known = entry.items() if isinstance(entry, dict) else ()
    return {str(name): number for name, number in known if isinstance(number, int)}


def missing_policy(settings: MeasuringSettings) -> str:
    """Return the policy for documents that systems did not answer."""
    assert isinstance(settings, ScoreSettings)
    return settings.missing


def count_missing(
    documents: int,
    way: str,
    *,
    answered: Iterable[DocumentsBySystem],
    rejected: Iterable[DocumentsBySystem],
    contradicting: Iterable[DocumentsBySystem],
) -> Missing:
    """Count the documents that each system lacks; they are added if ``way`` says so.

    Args:
        documents: number of documents with an accepted reference, in all sets.
        way: what is done about them, as ``ScoreSettings.missing``.
        answered: the documents that systems have hypotheses of, for disjoint sets of documents.
        rejected: those of which they have rejected hypotheses alone, likewise.
        contradicting: those of these of which one contradicts other rows, likewise.
    """
    lacking = {
        system: documents - number
        for system, number in _count(answered).items()
        if number < documents
    }
    of_rejected, unsure = (
        {system: number for system, number in _count(parts).items() if system in lacking}
        for parts in (rejected, contradicting)
    )
    added = sum(lacking.values()) - sum(unsure.values()) if way == NONE else 0
    return Missing(documents, lacking, of_rejected, unsure, added=added)


def _count(parts: Iterable[DocumentsBySystem]) -> dict[str, int]:
    """Count the documents of each system, by name."""
    found: dict[str, int] = {}
    for part in parts:
        for system, bits in part.items():
            found[system] = found.get(system, 0) + int(np.unpackbits(bits).sum())
    return dict(sorted(found.items()))


def name_missing(answered: DocumentsBySystem, references: References) -> dict[str, tuple[str, ...]]:
    """Name the first documents that each system lacks."""
    ids, examples = references.documents.ids, {}
    for system, bits in answered.items():
        lacked = ids.filter(pa.array(_lacks(bits, len(ids))))
        if len(lacked):
            examples[system] = tuple(nsmallest(_NAMED, lacked.to_pylist()))
    return examples


def first_examples(parts: Iterable[Mapping[str, Sequence[str]]]) -> dict[str, tuple[str, ...]]:
    """Combine the names of documents of disjoint sets of documents."""
    named: dict[str, list[str]] = {}
    for part in parts:
        for system, ids in part.items():
            named.setdefault(system, []).extend(ids)
    return {system: tuple(sorted(ids)[:_NAMED]) for system, ids in sorted(named.items())}


def _lacks(bits: Bits, documents: int) -> Flags:
    return ~np.unpackbits(bits, count=documents).astype(bool)


def empty_hypotheses(
    answered: DocumentsBySystem,
    references: References,
    rows_at_once: int,
    *,
    typed: bool,
) -> Iterator[Accepted]:
    """Yield hypotheses without boundaries for the documents that each system lacks.

    They are in the order of the systems, then of the documents, some at a time.

    Args:
        answered: documents that each system has a hypothesis of.
        references: the accepted references.
        rows_at_once: the most hypotheses at a time.
        typed: whether the run distinguishes boundary types.
    """
    waiting: list[tuple[str, Ints]] = []
    size = 0
    for system, bits in sorted(answered.items()):
        document = np.flatnonzero(_lacks(bits, len(references.documents)))
        while size + len(document) >= rows_at_once:
            room = rows_at_once - size
            yield _empty([*waiting, (system, document[:room])], references, typed=typed)
            waiting, size, document = [], 0, document[room:]
        waiting, size = [*waiting, (system, document)], size + len(document)
    if size:
        yield _empty(waiting, references, typed=typed)


def _empty(lacked: Sequence[tuple[str, Ints]], references: References, *, typed: bool) -> Accepted:
    """Return hypotheses without boundaries for documents that systems lack."""
    document = np.concatenate([of_system for _, of_system in lacked])
    coders = [system for system, of_system in lacked for _ in range(len(of_system))]
    offsets = pa.array(np.zeros(len(document) + 1, np.int32))
    empty = pa.ListArray.from_arrays(offsets, pa.array([], pa.int32()))
    columns = {
        "document_id": references.documents.ids.take(pa.array(document)),
        "coder": pa.array(coders, pa.string()),
        "n_units": pa.array(references.units[document], pa.int32()),
        "boundaries": empty,
        **({"boundary_types": empty} if typed else {}),
    }
    table = in_one_chunk(pa.table({n: each.cast(INPUT_TYPES[n]) for n, each in columns.items()}))
    nowhere = np.zeros(len(document), np.int64)
    rows = Rows("hypotheses", table, ("",), nowhere, nowhere)
    nothing = REJECT_COLUMNS.empty_table()
    return Accepted(rows, document, rows.part(0, 0), nothing, len(rows), 0, {})


def require_answered(missing: Missing, way: str) -> None:
    """Refuse a run of which systems lack documents, if ``way`` says so.

    Raises:
        Unanswered: a system lacks a document; the message names some for each.
    """
    if way == REFUSE and missing.systems:
        lacks = [
            f"{_lacking(system, missing)} ({_documents_of(system, missing)})"
            for system in missing.systems
        ]
        raise Unanswered(
            f"--missing {REFUSE}: {_joined(lacks)}; add these rows, or choose --missing {NONE}, "
            f"which scores them as documents without boundaries, or --missing {LEAVE_OUT}; nothing "
            "was published"
        )


def require_few_missing(missing: Missing, max_unpaired: float | None, way: str) -> None:
    """Check that no system lacks too large a share of the documents.

    Documents that were scored as without boundaries are not lacking.

    Raises:
        TooManyUnpaired: a system does; the message names such systems.
        Failed: systems do, because their rows were rejected.
    """
    if max_unpaired is None:
        return
    most = max_unpaired * missing.documents
    lacking = missing.contradicting if way == NONE else missing.systems
    lacks = [_lacking(system, missing) for system, n in lacking.items() if n > most]
    if not lacks:
        return
    message = (
        f"{_joined(lacks)}: too many to publish the run with --max-unpaired {max_unpaired}; "
        f"--missing {REFUSE} names them, and --missing {NONE} scores those without a row as "
        "documents without boundaries"
    )
    if any(n - missing.rejected.get(system, 0) > most for system, n in lacking.items()):
        raise TooManyUnpaired(message)
    raise Failed(message)


def _lacking(system: str, missing: Missing) -> str:
    number, rejected = missing.systems[system], missing.rejected.get(system)
    why = f", of {rejected:,} because its rows were rejected" if rejected else ""
    return f"{system} has no hypothesis of {number:,} of {missing.documents:,} documents{why}"


def _documents_of(system: str, missing: Missing) -> str:
    """Name the first documents that a system lacks, and count the others."""
    named = missing.examples.get(system, ())
    more = missing.systems[system] - len(named)
    return ", ".join(named) + (f" and {more:,} more" if more > 0 else "")


def _joined(sentences: Sequence[str]) -> str:
    """Join the first sentences about systems, and count the other systems."""
    more = len(sentences) - _NAMED
    others = f"; and {more} more system{'s' * (more > 1)} likewise" if more > 0 else ""
    return "; ".join(sentences[:_NAMED]) + others


def describe_missing(missing: Missing, way: str) -> list[str]:
    """Say how many documents systems lack; of ``--missing none`` also what it charges them."""
    if way != NONE:
        of = f"of {missing.documents:,} documents, some have no scored hypothesis of"
        return [f"{of} {_named(missing.systems)}"] if missing.systems else []
    unsure = missing.contradicting
    added = {system: n - unsure.get(system, 0) for system, n in missing.systems.items()}
    said = {
        "without a hypothesis were scored as without boundaries": added,
        "whose rows contradict others were left out, as nothing shows which are right": unsure,
    }
    return [
        f"--missing {NONE}: of {missing.documents:,} documents, those {what}: {_named(of)}"
        for what, of in said.items()
        if any(of.values())
    ]


def _named(numbers: Mapping[str, int]) -> str:
    names = [f"{system} ({number})" for system, number in numbers.items() if number]
    return first_named(names, "systems")

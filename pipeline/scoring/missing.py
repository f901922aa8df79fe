"""Documents of which a system has no hypothesis: count them, name them, or score them as empty.

Which systems there are is known once all parts of the hypotheses have been read.  A row that was
rejected is none.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Bits, Flags, Ints
from segscore.pipeline.errors import TooManyUnpaired, Unanswered
from segscore.pipeline.plain_text import first_named
from segscore.pipeline.scoring.hypotheses import Accepted, Answered
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
        examples: the first documents by id that each lacks, if they are to be named.
        added: number of rows without boundaries that were scored in their place.
    """

    documents: int = 0
    systems: Mapping[str, int] = field(default_factory=dict)
    examples: Mapping[str, Sequence[str]] = field(default_factory=dict)
    added: int = 0

    @property
    def record(self) -> dict[str, object]:
        """The entry of run.json."""
        return {"documents": self.documents, "systems": dict(self.systems), "added": self.added}

    @classmethod
    def of_record(cls, entry: object) -> "Missing":
        """Read the entry of run.json; a run of an earlier version has none."""
        match entry:
            case {"documents": int(documents), "systems": dict(systems), "added": int(added)}:
                known = {str(name): n for name, n in systems.items() if isinstance(n, int)}
                return cls(documents, known, added=added)
        return cls()


def way_of(settings: MeasuringSettings) -> str:
    """Return what a scoring run does about documents that systems lack."""
    assert isinstance(settings, ScoreSettings)
    return settings.missing


def count_missing(parts: Iterable[Answered], documents: int, way: str) -> Missing:
    """Count the documents that each system lacks; they are added if ``way`` says so.

    Args:
        parts: the documents that systems have hypotheses of, for disjoint sets of documents.
        documents: number of documents with an accepted reference, in all sets.
        way: what is done about them, as ``ScoreSettings.missing``.
    """
    found: dict[str, int] = {}
    for part in parts:
        for system, bits in part.items():
            found[system] = found.get(system, 0) + int(np.unpackbits(bits).sum())
    lacking = {
        system: documents - number for system, number in sorted(found.items()) if number < documents
    }
    return Missing(documents, lacking, added=sum(lacking.values()) if way == NONE else 0)


def name_missing(answered: Answered, references: References) -> dict[str, tuple[str, ...]]:
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
    answered: Answered,
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
    """
    if max_unpaired is None or way == NONE:
        return
    most = max_unpaired * missing.documents
    lacks = [_lacking(system, missing) for system, n in missing.systems.items() if n > most]
    if lacks:
        raise TooManyUnpaired(
            f"{_joined(lacks)}: too many to publish the run with --max-unpaired {max_unpaired}; "
            f"--missing {REFUSE} names them, and --missing {NONE} scores them as documents without "
            "boundaries"
        )


def _lacking(system: str, missing: Missing) -> str:
    number = missing.systems[system]
    return f"{system} has no hypothesis of {number:,} of {missing.documents:,} documents"


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


def warn_of_added(missing: Missing) -> list[str]:
    """Return a warning if documents were scored as without boundaries."""
    if not missing.added:
        return []
    named = [f"{system} ({number})" for system, number in missing.systems.items()]
    return [
        f"--missing {NONE}: of {missing.documents:,} documents, those without a hypothesis were "
        f"scored as without boundaries: {first_named(named, 'systems')}"
    ]

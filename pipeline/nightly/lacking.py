"""Find the documents of another run that systems lack, and say so."""

from collections.abc import Iterable
from dataclasses import dataclass
from heapq import nsmallest

from segscore.pipeline.nightly.gate.tallies import documents_of_systems
from segscore.pipeline.nightly.nights import open_as_night

_EXAMPLES = 3
"""Number of documents that are named of those that a system lacks."""


@dataclass(frozen=True)
class Lacking:
    """Documents of another run on which a system was not scored.

    Attributes:
        system: the system.
        documents: number of its documents in the other run.
        lacking: how many of them it lacks.
        examples: the first of those by id.
    """

    system: str
    documents: int
    lacking: int
    examples: tuple[str, ...]


def lacking_documents(run: str, other: str) -> list[Lacking]:
    """Return the systems that were scored on fewer of the documents of another run, by name.

    Raises:
        Refused: a folder has no finished scoring run.
    """
    now, then = (documents_of_systems(open_as_night(url)) for url in (run, other))
    found = []
    for system in sorted(now.keys() & then.keys()):
        if lacked := then[system] - now[system]:
            examples = tuple(nsmallest(_EXAMPLES, lacked))
            found.append(Lacking(system, len(then[system]), len(lacked), examples))
    return found


def lacking_in_words(lacking: Iterable[Lacking]) -> str:
    """Say which systems were not scored on documents of another run, and name some of these."""
    return "; ".join(
        f"{each.system} lacks {each.lacking:,} of {each.documents:,} ({', '.join(each.examples)}"
        + (f" and {more:,} more)" if (more := each.lacking - len(each.examples)) else ")")
        for each in lacking
    )

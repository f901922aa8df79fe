"""Find the documents that two nights scored against different references."""

from collections.abc import Iterable

import pyarrow as pa

from segscore.pipeline.comparison.rows import REFERENCE_DIGEST, read_rows, same_references
from segscore.pipeline.comparison.runs import ScoredRun
from segscore.pipeline.measures import PAIRS
from segscore.pipeline.nightly.nights import Night

_NAMED = 3
"""Documents that a message names."""


def documents_of_other_references(night: Night, others: Iterable[Night]) -> list[str]:
    """Return the documents that any of the other nights scored against other references, by id.

    Nights that an earlier version scored, without digests of the references, are not compared.

    Raises:
        Refused: a file of a night cannot be read.
        Failed: the server does not answer.
    """
    found: set[str] = set()
    for other in {each.url: each for each in others}.values():
        pair = (night, other)
        if other.url != night.url and all(each.has_digests for each in pair):
            runs = [ScoredRun(each.url, each.record, each.name) for each in pair]
            rows = read_rows(runs, [], PAIRS, [REFERENCE_DIGEST], ())
            differing = pa.array(~same_references(rows))
            found.update(rows.documents.ids.filter(differing).to_pylist())
    return sorted(found)


def describe_changed_references(documents: list[str], other: str) -> str:
    """Say that the references of some documents are not those of another night."""
    more = f" and {len(documents) - _NAMED} more" if len(documents) > _NAMED else ""
    first = ", ".join(documents[:_NAMED]) + more
    verb = "document has" if len(documents) == 1 else "documents have"
    return (
        f"{len(documents)} {verb} other references than on {other}, and no part in the comparison "
        f"with it: {first}"
    )

"""Say who coded the most contested documents, and which these are without who stands out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import comb

from segscore.pipeline.plain_text import named_list
from segscore.pipeline.statistics.shown_numbers import percent
from segscore.schemas.rows import DocumentRow

_CONTESTED_P = 0.001

Without = Callable[[Sequence[str]], list[DocumentRow]]
"""Returns the most contested documents without some coders."""


def describe_contested(
    contested: Sequence[DocumentRow], named: Mapping[str, int], documents: int
) -> list[str]:
    """Say in how many of the most contested documents a coder who stands out took part.

    Only of coders who took part in more of them than chance explains: a coder of all documents
    coded the contested ones, too.

    Args:
        contested: the most contested documents.
        named: how many documents each coder who stands out coded.
        documents: number of documents of the audit.
    """
    shown = len(contested)
    coded = {coder: _coded(coder, contested) for coder in named}
    often = sorted(
        (-count, coder)
        for coder, count in coded.items()
        if 2 * count >= shown and _p_of_coded(count, shown, named[coder], documents) < _CONTESTED_P
    )
    return [
        f"{coder}, who stands out, coded {-count} of the {shown} most contested documents, but "
        f"{percent(named[coder] / documents)} of all: what {coder} did may be why they are "
        "contested."
        for count, coder in often
    ]


def _coded(coder: str, documents: Sequence[DocumentRow]) -> int:
    """Return how many of some documents a coder coded."""
    return sum(coder in (row.get("coders") or ()) for row in documents)


def _p_of_coded(count: int, drawn: int, coded: int, documents: int) -> float:
    """Return the chance that so many of some documents drawn at random are a coder's, or more."""
    ways = sum(comb(coded, k) * comb(documents - coded, drawn - k) for k in range(count, drawn + 1))
    return ways / comb(documents, drawn)


def describe_contested_without(
    contested: Sequence[DocumentRow], named: Sequence[str], without: Without
) -> Iterator[str]:
    """List the most contested documents without coders who stand out and coded half of them."""
    often = [coder for coder in named if 2 * _coded(coder, contested) >= len(contested)]
    if not contested or not often:
        return
    listed = [row["document_id"] for row in without(often)]
    names = named_list(sorted(often))
    if not listed:
        yield f"Without {names}, no document is contested."
    elif len(listed) == 1:
        yield f"Without {names}, only {listed[0]} is contested."
    else:
        yield f"Here are the {len(listed)} most contested documents without {names}: " + (
            f"{', '.join(listed)}."
        )

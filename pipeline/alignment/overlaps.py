"""Detect segments that are overlapping windows of a text, which are not a segmentation."""

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

TokenTexts = Sequence[Sequence[object]]
"""Texts, each as its tokens."""

_LEAST = 12
"""The fewest equal characters that are a repetition and do not just happen to be equal."""

_MOST_TRIES = 1000
"""Number of places at which the beginning of a segment is looked for in the one before."""


def repeated_ends(units: TokenTexts, segments: TokenTexts) -> list[str]:
    """Return the texts that segments repeat from the end of the one before; empty if few do.

    Most segments must do so, and all segments together must be longer than the units by about the
    length of these texts; otherwise it may be the document that repeats itself.

    Examples:
        >>> repeated_ends([["it", "rains", "in", "the", "north", "today"]],
        ...     [["it", "rains", "in", "the", "north"], ["rains", "in", "the", "north", "today"]])
        ['rainsinthenorth']
    """
    texts = ["".join(map(str, tokens)) for tokens in segments]
    found = [_shared(before, after) for before, after in pairwise(texts)]
    repeated = [text for text in found if text]
    further = sum(map(len, texts)) - sum(len(str(token)) for tokens in units for token in tokens)
    if 2 * len(repeated) <= len(found) or 2 * further < sum(map(len, repeated)):
        return []
    return repeated


def _shared(before: str, after: str) -> str:
    """Return the longest end of a text that the next one begins with; empty if it is short."""
    first = after[:_LEAST]
    if len(first) < _LEAST:
        return ""
    for start in islice(_places(before, first), _MOST_TRIES):
        if after.startswith(before[start:]):
            return before[start:]
    return ""


def _places(text: str, part: str) -> Iterator[int]:
    """Yield the places of a part in a text, in ascending order."""
    start = text.find(part)
    while start >= 0:
        yield start
        start = text.find(part, start + 1)

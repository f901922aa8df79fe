"""Counts of references that recognise a test set; they add up over parts of a run."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from segscore.pipeline.arrays.ragged import Flags
from segscore.pipeline.testsets.digests import FINGERPRINT, Digests, add_fingerprints
from segscore.pipeline.testsets.registry import Prefixes, Registry

MOST_RECOGNISED = 100_000
"""Documents that a test set may have: of a run of more, no digests are taken."""

_TABLE_BITS = 20


@dataclass(frozen=True)
class Content:
    """Counts over some references.

    Attributes:
        fingerprint: the sum of their digests; None if there are too many to be a test set.
        references: how many there are.
        boundaries: number of their boundaries.
        seen: prefix of a digest that a split of the registry has -> how many of them have it.
    """

    fingerprint: str | None
    references: int
    boundaries: int
    seen: dict[int, int]

    def __post_init__(self) -> None:
        """Check the fingerprint and the counts, as a receipt may come from a file."""
        if self.fingerprint is not None and not FINGERPRINT.fullmatch(self.fingerprint):
            raise ValueError("a fingerprint is not 64 hexadecimal digits")
        if min(self.seen.values(), default=0) < 0 or sum(self.seen.values()) > self.references:
            raise ValueError("more references are recognised than there are")


def count_content(digests: Digests, boundaries: int, registry: Registry) -> Content:
    """Count some references.

    Args:
        digests: their digests.
        boundaries: number of their boundaries.
        registry: the test sets to look for.
    """
    first_words = digests.words[:, 0]
    among = first_words[_may_contain(registry.prefixes, first_words)]
    seen, numbers = np.unique(among[np.isin(among, registry.prefixes)], return_counts=True)
    return Content(
        digests.fingerprint,
        len(first_words),
        boundaries,
        dict(zip(seen.tolist(), numbers.tolist(), strict=True)),
    )


def _may_contain(known: Prefixes, prefixes: Prefixes) -> Flags:
    """Rule out most prefixes that are not known, quickly."""
    shift = np.uint32(32 - _TABLE_BITS)
    table = np.zeros(1 << _TABLE_BITS, bool)
    table[known >> shift] = True
    return table[prefixes >> shift]


def add_contents(contents: Iterable[Content]) -> Content:
    """Add up the counts of disjoint sets of references, at least one."""
    listed = [*contents]
    fingerprints = [one.fingerprint for one in listed if one.fingerprint is not None]
    seen: Counter[int] = Counter()
    for content in listed:
        seen.update(content.seen)
    return Content(
        add_fingerprints(fingerprints) if len(fingerprints) == len(listed) else None,
        sum(content.references for content in listed),
        sum(content.boundaries for content in listed),
        dict(sorted(seen.items())),
    )

"""What is counted of references to recognise a test set: it adds up over parts of a run."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from segscore.pipeline.arrays.document_ids import Hashes
from segscore.pipeline.arrays.ragged import Flags, Ints
from segscore.pipeline.errors import StartOver
from segscore.pipeline.testsets.digests import FINGERPRINT, Digests, add_fingerprints
from segscore.pipeline.testsets.registry import Prefixes, Registry

_TABLE_BITS = 20


@dataclass(frozen=True)
class Content:
    """Counts over some references.

    Attributes:
        fingerprint: the sum of their digests.
        references: how many there are.
        boundaries: number of their boundaries.
        seen: prefix of a digest that a split of the registry has -> how many of them have it.
        named: for each split, how many have a document id of the split.
        changed: for each split, how many of those named are not references of the split.
    """

    fingerprint: str
    references: int
    boundaries: int
    seen: dict[int, int]
    named: tuple[int, ...]
    changed: tuple[int, ...]

    def __post_init__(self) -> None:
        """Check the fingerprint and the counts, as a receipt may come from a file."""
        if not FINGERPRINT.fullmatch(self.fingerprint):
            raise ValueError("a fingerprint is not 64 hexadecimal digits")
        counts = (sum(self.seen.values()), *self.named, *self.changed)
        if min(*self.seen.values(), *counts, 0) < 0 or max(counts) > self.references:
            raise ValueError("more references are recognised than there are")


def count_content(
    digests: Digests, boundaries: int, document_hashes: Hashes, document: Ints, registry: Registry
) -> Content:
    """Count some references.

    Args:
        digests: their digests.
        boundaries: number of their boundaries.
        document_hashes: hash of the id of each document, shape (documents,); not read if no split
            of the registry has ids.
        document: document number of each reference, shape (references,).
        registry: the test sets to look for.
    """
    first_words = digests.words[:, 0]
    candidates = np.flatnonzero(_may_contain(registry.prefixes, first_words))
    among = first_words[candidates]
    seen, numbers = np.unique(among[np.isin(among, registry.prefixes)], return_counts=True)
    ids = (document_hashes >> np.uint64(32)).astype(np.uint32)
    named, changed = [], []
    for split in registry.splits:
        is_named = np.isin(ids, split.ids)[document] if len(split.ids) else np.zeros(0, bool)
        named.append(int(is_named.sum()))
        if named[-1]:
            is_named[candidates[np.isin(among, split.digests)]] = False
        changed.append(int(is_named.sum()))
    return Content(
        digests.fingerprint,
        len(first_words),
        boundaries,
        dict(zip(seen.tolist(), numbers.tolist(), strict=True)),
        tuple(named),
        tuple(changed),
    )


def _may_contain(known: Prefixes, prefixes: Prefixes) -> Flags:
    """Rule out most prefixes that are not known, quickly."""
    shift = np.uint32(32 - _TABLE_BITS)
    table = np.zeros(1 << _TABLE_BITS, bool)
    table[known >> shift] = True
    return table[prefixes >> shift]


def add_contents(contents: Iterable[Content], registry: Registry) -> Content:
    """Add up the counts of disjoint sets of references, at least one.

    Raises:
        StartOver: some were counted with another registry.
    """
    listed = [*contents]
    for content in listed:
        lengths = {len(content.named), len(content.changed)}
        if lengths != {len(registry.splits)}:
            raise StartOver("a part was compared with other test sets; run again with --fresh")
    seen: Counter[int] = Counter()
    for content in listed:
        seen.update(content.seen)
    return Content(
        add_fingerprints(content.fingerprint for content in listed),
        sum(content.references for content in listed),
        sum(content.boundaries for content in listed),
        dict(sorted(seen.items())),
        *(
            tuple(map(sum, zip(*(getattr(content, name) for content in listed), strict=True)))
            for name in ("named", "changed")
        ),
    )

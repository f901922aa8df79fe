"""What is counted of references to recognise a test set: it adds up over parts of a run."""

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
        recognised: for each split of the registry, how many of them it contains.
        named: for each split, how many have a document id of the split.
        changed: for each split, how many of those named are not references of the split.
    """

    fingerprint: str
    references: int
    boundaries: int
    recognised: tuple[int, ...]
    named: tuple[int, ...]
    changed: tuple[int, ...]

    def __post_init__(self) -> None:
        """Check the fingerprint and the counts, as a receipt may come from a file."""
        if not FINGERPRINT.fullmatch(self.fingerprint):
            raise ValueError("a fingerprint is not 64 hexadecimal digits")
        counts = (*self.recognised, *self.named, *self.changed)
        if min(counts, default=0) < 0 or max(counts, default=0) > self.references:
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
    candidates = np.flatnonzero(_may_contain([s.digests for s in registry.splits], first_words))
    among = first_words[candidates]
    ids = (document_hashes >> np.uint64(32)).astype(np.uint32)
    recognised, named, changed = [], [], []
    for split in registry.splits:
        of_split = np.isin(among, split.digests) if len(split.digests) else np.zeros(0, bool)
        recognised.append(int(of_split.sum()))
        is_named = np.isin(ids, split.ids)[document] if len(split.ids) else np.zeros(0, bool)
        named.append(int(is_named.sum()))
        both = is_named[candidates[of_split]].sum() if len(is_named) and len(of_split) else 0
        changed.append(named[-1] - int(both))
    return Content(
        digests.fingerprint,
        len(first_words),
        boundaries,
        tuple(recognised),
        tuple(named),
        tuple(changed),
    )


def _may_contain(lists: Iterable[Prefixes], prefixes: Prefixes) -> Flags:
    """Rule out most prefixes that are in none of the lists, quickly."""
    shift = np.uint32(32 - _TABLE_BITS)
    table = np.zeros(1 << _TABLE_BITS, bool)
    for each in lists:
        table[each >> shift] = True
    return table[prefixes >> shift]


def add_contents(contents: Iterable[Content], registry: Registry) -> Content:
    """Add up the counts of disjoint sets of references, at least one.

    Raises:
        StartOver: some were counted with another registry.
    """
    listed = [*contents]
    for content in listed:
        lengths = {len(content.recognised), len(content.named), len(content.changed)}
        if lengths != {len(registry.splits)}:
            raise StartOver("a part was compared with other test sets; run again with --fresh")
    return Content(
        add_fingerprints(content.fingerprint for content in listed),
        sum(content.references for content in listed),
        sum(content.boundaries for content in listed),
        *(
            tuple(map(sum, zip(*(getattr(content, name) for content in listed), strict=True)))
            for name in ("recognised", "named", "changed")
        ),
    )

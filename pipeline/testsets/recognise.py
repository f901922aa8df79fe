"""Recognise a test set by what was counted of its references."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from segscore.pipeline.testsets.content import Content
from segscore.pipeline.testsets.registry import SHOWN_DIGITS, Registry, Split

_FEWEST = 5
"""The fewest references by which a part of a set is recognised; few may be alike by chance."""

_SHARE = 0.5
"""Smallest share of the references, or of the set, by which a part of the set is recognised."""

_LEAST_TOLD = 100
"""The fewest documents whose number alone is told to be that of a set."""

_MOST_TOGETHER = 3
"""The most sets of which only fingerprints are known that are recognised together."""

_FINGERPRINTS = 1 << 4 * SHOWN_DIGITS
"""How many fingerprints there are, by their first digits."""


@dataclass(frozen=True)
class Recognition:
    """What references were recognised as.

    Attributes:
        content: what was counted of them.
        documents: number of their documents.
        split: the split of a test set that they are, or that most of them are of; None if they are
            of none that is known.
        recognised: how many of them the split contains; each of its references counts once.
        also: other splits that are whole among the rest of them.
        sentence: says so; empty if they are of none.
        warnings: what seems to be a test set, and is not.
    """

    content: Content
    documents: int
    split: Split | None
    recognised: int
    sentence: str
    also: tuple[Split, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Whether the references are exactly those of the split."""
        return self.split is not None and self.split.is_of(self.content.fingerprint)

    @property
    def record(self) -> dict[str, Any]:
        """The entry `test_set` of run.json."""
        return {
            "fingerprint": self.content.fingerprint,
            "name": None if self.split is None else self.split.set_name,
            "split": None if self.split is None else self.split.name,
            "documents": self.documents,
            "recognised": self.recognised,
            "also": [{"name": each.set_name, "split": each.name} for each in self.also],
        }


def describe_record(record: Mapping[str, Any], registry: Registry) -> str:
    """Say in one line what the references of a finished run are; empty if they are of no set."""
    splits = {(split.set_name, split.name): split for split in registry.splits}
    split = splits.get((record["name"], record["split"]))
    if split is None:
        return ""
    if split.is_of(record["fingerprint"]):
        return f"references: {split.title}, all {_size(split, record['documents'])}"
    names = [(each["name"], each["split"]) for each in record.get("also", [])]
    also = [splits[name] for name in names if name in splits]
    others = 0
    if all(each.references == each.documents for each in (split, *also)):
        others = record["documents"] - record["recognised"] - _references(also)
    return _describe_part(split, record["recognised"], also, others)


def _describe_part(split: Split, recognised: int, also: Sequence[Split], others: int) -> str:
    parts = [(split, recognised), *((each, each.references or 0) for each in also)]
    texts = [f"{each.title}: {n:,} of {_size(each, each.documents or 0)}" for each, n in parts]
    if others > 0:
        texts.append("1 other reference" if others == 1 else f"{others:,} other references")
    return f"references: {'; '.join(texts)}"


def recognise(content: Content, documents: int, registry: Registry) -> Recognition:
    """Recognise the test set of some references, whole or in part."""
    for each in registry.splits:
        if each.is_of(content.fingerprint):
            sentence = f"references: {each.title}, all {_size(each, documents)}"
            return Recognition(content, documents, each, content.references, sentence)
    recognised = [_in_common(split, content.seen) for split in registry.splits]
    index = _most(recognised, content, registry)
    split = None if index is None else registry.splits[index]
    number = 0 if index is None else recognised[index]
    also = _whole_besides(split, content, registry)
    if split is None and also:
        split, *also = also
        number = split.references or 0
    if split is not None:
        others = content.references - number - _references(also)
        sentence = _describe_part(split, number, also, others)
        return Recognition(content, documents, split, number, sentence, tuple(also))
    warnings = tuple(_warn_of_size(content, documents, registry))
    return Recognition(content, documents, None, 0, "", warnings=warnings)


def _in_common(split: Split, seen: Mapping[int, int]) -> int:
    """Return how many references of a split were seen, each at most once."""
    return sum(min(number, split.numbers[prefix]) for prefix, number in seen.items())


def _references(splits: Sequence[Split]) -> int:
    return sum(split.references or 0 for split in splits)


def _whole_besides(first: Split | None, content: Content, registry: Registry) -> list[Split]:
    """Return the splits that are whole among the references that are not of the first split.

    The largest are looked for first.  Those of which only the fingerprint is known are found if
    they are all that remains.
    """
    rest = Counter(content.seen)
    found = []
    if first is not None:
        rest -= first.numbers
        if _in_common(first, content.seen) == first.references:
            found.append(first)
    for split in sorted(registry.splits, key=lambda each: -len(each.digests)):
        if split is not first and split.numbers and split.numbers <= rest:
            found.append(split)
            rest -= split.numbers
    found += _together(found, content, registry)
    return [split for split in found if split is not first]


def _together(found: Sequence[Split], content: Content, registry: Registry) -> Sequence[Split]:
    """Return the splits whose fingerprints make up what some splits leave; none if there is no way.

    Of fingerprints their first digits are added, so that a sum may lack what is carried.
    """
    left = content.references - _references(found)
    total = _first_digits(content.fingerprint or "")
    known = [s for s in registry.splits if not len(s.digests) and s.fingerprint and s.references]
    for number in range(1, _MOST_TOGETHER + 1):
        for splits in combinations(known, number):
            if _references(splits) != left:
                continue
            parts = [_first_digits(each.fingerprint or "") for each in (*found, *splits)]
            if (total - sum(parts)) % _FINGERPRINTS < len(parts):
                return splits
    return []


def _first_digits(fingerprint: str) -> int:
    return int(fingerprint[:SHOWN_DIGITS] or "0", 16)


def _documents(number: int) -> str:
    return "1 document" if number == 1 else f"{number:,} documents"


def _size(split: Split, documents: int) -> str:
    """Return the number of documents, and of references if it is another."""
    if split.references in (None, split.documents):
        return _documents(documents)
    return f"{split.references:,} references of {_documents(documents)}"


def _most(counts: Sequence[int], content: Content, registry: Registry) -> int | None:
    """Return the index of the split that has most in common with the references; None if none."""
    best, most = None, 0.0
    for index, (count, split) in enumerate(zip(counts, registry.splits, strict=True)):
        size = split.references or len(split.digests)
        shares = count / max(1, content.references), count / max(1, size)
        if count >= min(_FEWEST, size) and count and max(shares) >= _SHARE:
            in_common = count / (content.references + size - min(count, size))
            if in_common > most:
                best, most = index, in_common
    return best


def _warn_of_size(content: Content, documents: int, registry: Registry) -> Iterator[str]:
    """Warn if a set has as many documents, but other boundaries."""
    for split in registry.splits:
        told = documents >= _LEAST_TOLD and documents % 10
        if told and split.documents == documents == content.references and split.boundaries:
            yield (
                f"references: {documents:,} documents, as many as in {split.title}, but other "
                f"boundaries: {content.boundaries:,}, where it has {split.boundaries:,}"
            )

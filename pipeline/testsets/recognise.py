"""Recognise a test set by what was counted of its references."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from segscore.pipeline.testsets.content import Content
from segscore.pipeline.testsets.registry import Registry, Split

_FEWEST = 5
"""The fewest references by which a part of a set is recognised; few may be alike by chance."""

_SHARE = 0.5
"""Smallest share of the references, or of the set, by which a part of the set is recognised."""

_LEAST_TOLD = 100
"""The fewest documents whose number alone is told to be that of a set."""


@dataclass(frozen=True)
class Recognition:
    """What references were recognised as.

    Attributes:
        content: what was counted of them.
        documents: number of their documents.
        split: the split of a test set that they are, or that most of them are of; None if they are
            of none that is known.
        recognised: how many of them the split contains.
        sentence: says so; empty if they are of none.
        warnings: what seems to be a test set, and is not.
    """

    content: Content
    documents: int
    split: Split | None
    recognised: int
    sentence: str
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
        }


def describe_record(record: Mapping[str, Any], registry: Registry) -> str:
    """Say in one line what the references of a finished run are; empty if they are of no set."""
    for split in registry.splits:
        if (split.set_name, split.name) == (record["name"], record["split"]):
            if split.is_of(record["fingerprint"]):
                return f"references: {split.title}, all {_size(split, record['documents'])}"
            others = 0
            if split.references == split.documents:
                others = record["documents"] - record["recognised"]
            return _describe_part(split, record["recognised"], others)
    return ""


def _describe_part(split: Split, recognised: int, others: int) -> str:
    others_too = ""
    if others > 0:
        others_too = "; 1 other reference" if others == 1 else f"; {others:,} other references"
    size = _size(split, split.documents or 0)
    return f"references: {split.title}: {recognised:,} of {size}{others_too}"


def recognise(content: Content, documents: int, registry: Registry) -> Recognition:
    """Recognise the test set of some references: whole, in part, or by name only."""
    for split in registry.splits:
        if split.is_of(content.fingerprint):
            sentence = f"references: {split.title}, all {_size(split, documents)}"
            return Recognition(content, documents, split, content.references, sentence)
    warnings = tuple(_warn_of_names(content, registry))
    index = _most(content.recognised, content, registry)
    if index is not None:
        split, recognised = registry.splits[index], content.recognised[index]
        sentence = _describe_part(split, recognised, content.references - recognised)
        return Recognition(content, documents, split, recognised, sentence, warnings)
    warnings = warnings or tuple(_warn_of_size(content, documents, registry))
    return Recognition(content, documents, None, 0, "", warnings)


def _documents(number: int) -> str:
    return "1 document" if number == 1 else f"{number:,} documents"


def _size(split: Split, documents: int) -> str:
    """Return the number of documents, and of references if it is another."""
    if split.references in (None, split.documents):
        return _documents(documents)
    return f"{split.references:,} references of {_documents(documents)}"


def _most(counts: tuple[int, ...], content: Content, registry: Registry) -> int | None:
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


def _warn_of_names(content: Content, registry: Registry) -> Iterator[str]:
    """Warn of documents that are named as in a set, but have other references."""
    index = _most(content.named, content, registry)
    if index is not None and content.changed[index]:
        yield (
            f"references: {content.named[index]:,} documents named as in "
            f"{registry.splits[index].title}, but {content.changed[index]:,} have other boundaries"
        )


def _warn_of_size(content: Content, documents: int, registry: Registry) -> Iterator[str]:
    """Warn if a set of which only the fingerprint is known has as many documents."""
    for split in registry.splits:
        told = documents >= _LEAST_TOLD and not len(split.digests) and documents % 10
        if told and split.documents == documents == content.references and split.boundaries:
            yield (
                f"references: {documents:,} documents, as many as in {split.title}, but other "
                f"boundaries: {content.boundaries:,}, where it has {split.boundaries:,}"
            )

"""The registry of test sets: what is known of each, without its text or its boundaries."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline.errors import Refused, nearest

Prefixes = NDArray[np.uint32]
"""The first 8 hexadecimal digits of digests, as numbers."""

WHOLE_SET = "all"
"""Name of the split that is the whole set."""

SHOWN_DIGITS = 24
"""Digits of a fingerprint that are shown, and by which a set is recognised."""

_SETS = Path(__file__).with_name("sets.json")


@dataclass(frozen=True)
class Split:
    """A part of a test set that is scored as one, or the whole.

    Attributes:
        set_name: name of the set.
        name: name of the split; `all` for the whole set.
        documents: number of documents; None if it is not known.
        references: number of references.
        boundaries: number of boundaries of all references.
        fingerprint: at least 24 digits of its fingerprint; None if it is not known.
        digests: prefixes of the digests of its references, ascending; empty if they are not known.
    """

    set_name: str
    name: str
    documents: int | None
    references: int | None
    boundaries: int | None
    fingerprint: str | None
    digests: Prefixes = field(repr=False)

    @property
    def title(self) -> str:
        """The set and, unless it is the whole, the split."""
        return self.set_name if self.name == WHOLE_SET else f"{self.set_name} {self.name}"

    @cached_property
    def numbers(self) -> Counter[int]:
        """Prefix of a digest -> how many of its references have it."""
        return Counter(self.digests.tolist())

    def is_of(self, fingerprint: str | None) -> bool:
        """Return whether a set of references with this fingerprint is the split."""
        return bool(self.fingerprint and fingerprint and fingerprint.startswith(self.fingerprint))


@dataclass(frozen=True)
class KnownSet:
    """A test set.

    Attributes:
        name: its name.
        years: years of publication.
        citation: the paper to cite.
        licence: terms of the data, as far as they are known.
        source: where a person gets it.
        format: name of the format of the published files, as `segscore import --format` takes it;
            None if it is detected.
        options: options of `segscore import` that read the published files, by name.
        note: what else there is to know; empty if nothing.
        splits: its splits.
        data: file beside this one that has its segmentations; empty if segscore does not ship them.
        part: the split that was asked for, and then the only one; empty for the whole set.
    """

    name: str
    years: str
    citation: str
    licence: str
    source: str
    format: str | None
    options: Mapping[str, str]
    note: str
    splits: tuple[Split, ...]
    data: str = ""
    part: str = ""

    @property
    def title(self) -> str:
        """The set and, if only that was asked for, its split."""
        return f"{self.name} {self.part}" if self.part else self.name

    @property
    def whole(self) -> Split | None:
        """The whole set; None if only its splits are known."""
        return next((split for split in self.splits if split.name == WHOLE_SET), None)


@dataclass(frozen=True)
class Registry:
    """Test sets, in the order of the registry."""

    sets: tuple[KnownSet, ...]

    @cached_property
    def splits(self) -> tuple[Split, ...]:
        """All splits of all sets."""
        return tuple(split for each in self.sets for split in each.splits)

    @cached_property
    def prefixes(self) -> Prefixes:
        """The prefixes of the digests of all splits, ascending, each once."""
        return np.unique(
            np.concatenate([np.zeros(0, np.uint32), *(s.digests for s in self.splits)])
        )

    def find(self, name: str) -> KnownSet:
        """Return a set by its name, or one with only the split that has this title.

        Case does not matter.

        Raises:
            Refused: there is no such set; the message names the nearest.
        """
        wanted = name.casefold()
        for each in self.sets:
            if each.name.casefold() == wanted:
                return each
            for split in each.splits:
                if split.title.casefold() == wanted:
                    return replace(each, splits=(split,), part=split.name)
        raise Refused(
            f"{name}: no such test set{self._similar(name)}; `segscore testsets` lists them all"
        )

    def _similar(self, name: str) -> str:
        """Return a remark on the sets whose names begin with a name, else on the most similar."""
        names = [each.name for each in self.sets]
        begun = [each for each in names if name and each.casefold().startswith(name.casefold())]
        if len(begun) > 1:
            return f"; there are {', '.join(begun[:-1])} and {begun[-1]}"
        return f"; the nearest is {begun[0]}" if begun else nearest(name, names)


@cache
def own_registry() -> Registry:
    """Return the test sets that segscore knows."""
    return Registry(tuple(_read_set(entry) for entry in json.loads(_SETS.read_text("utf-8"))))


def _read_set(entry: Mapping[str, Any]) -> KnownSet:
    name, recipe, splits = entry["name"], entry.get("recipe", {}), entry["splits"]
    return KnownSet(
        name=name,
        years=entry["years"],
        citation=entry["citation"],
        licence=entry["licence"],
        source=entry["source"],
        format=recipe.get("format"),
        options=recipe.get("options", {}),
        note=entry.get("note", ""),
        splits=tuple(_read_split(name, split, splits) for split in splits),
        data=entry.get("data", ""),
    )


def _read_split(
    set_name: str, entry: Mapping[str, Any], splits: Sequence[Mapping[str, Any]]
) -> Split:
    digests = entry.get("digests", "")
    if entry["name"] == WHOLE_SET and not digests:
        # The digests of the whole are those of its splits, unless a split's are not known.
        parts = [split.get("digests", "") for split in splits if split["name"] != WHOLE_SET]
        digests = "".join(parts) if all(parts) else ""
    return Split(
        set_name,
        entry["name"],
        entry.get("documents"),
        entry.get("references", entry.get("documents")),
        entry.get("boundaries"),
        entry.get("fingerprint"),
        np.sort(np.frombuffer(bytes.fromhex(digests), ">u4").astype(np.uint32)),
    )

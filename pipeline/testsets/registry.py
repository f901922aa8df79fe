"""The registry of test sets: what is known of each, without its text or its boundaries."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segscore.pipeline import storage
from segscore.pipeline.errors import Absent, Refused, nearest
from segscore.pipeline.storage.json_records import Shape, read_record

Prefixes = NDArray[np.uint32]
"""The first 8 hexadecimal digits of digests or of hashes of ids, as numbers."""

WHOLE_SET = "all"
"""Name of the split that is the whole set."""

SHOWN_DIGITS = 24
"""Digits of a fingerprint that are shown, and that the registry needs."""

_SETS = Path(__file__).with_name("sets.json")
_PREFIX_DIGITS = 8

_SHAPE = Shape(
    {
        "[].name": "string",
        "[].recipe": "null",
        "[].recipe.format": "string or null",
        "[].recipe.options": "object or null",
        "[].splits": "null",
        "[].splits[].name": "string",
        **{f"[].splits[].{n}": "int or null" for n in ("documents", "references", "boundaries")},
        "[].splits[].fingerprint": "string or null",
        "[].splits[].digests": "string",
        "[].splits[].ids": "string",
    }.items()
)
"""What is checked of the sets of a registry before they are read."""


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
        ids: prefixes of the hashes of its document ids, ascending; empty if they are not known.
    """

    set_name: str
    name: str
    documents: int | None
    references: int | None
    boundaries: int | None
    fingerprint: str | None
    digests: Prefixes = field(repr=False)
    ids: Prefixes = field(repr=False)

    @property
    def title(self) -> str:
        """The set and, unless it is the whole, the split."""
        return self.set_name if self.name == WHOLE_SET else f"{self.set_name} {self.name}"

    @cached_property
    def numbers(self) -> Counter[int]:
        """Prefix of a digest -> how many of its references have it."""
        return Counter(self.digests.tolist())

    def is_of(self, fingerprint: str) -> bool:
        """Return whether a set of references with this fingerprint is the split."""
        return self.fingerprint is not None and fingerprint.startswith(self.fingerprint)


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
    """Return the registry that comes with segscore."""
    return Registry(tuple(_read_sets(_SETS.read_text(encoding="utf-8"), _SETS.name)))


def read_registry(location: str | None) -> Registry:
    """Return the registry that comes with segscore, with the sets of a user's file before it.

    Args:
        location: a JSON file in the form that `segscore testsets --describe` writes; None for none.

    Raises:
        Refused: there is no such file, or it is not a registry.
    """
    if location is None:
        return own_registry()
    text = storage.read_text(location)
    if text is None:
        raise Absent(f"--registry {location}: there is no such file")
    own = [replace(each, data="") for each in _read_sets(text, f"--registry {location}")]
    names = {each.name.casefold() for each in own}
    others = (each for each in own_registry().sets if each.name.casefold() not in names)
    return Registry((*own, *others))


def _read_sets(text: str, where: str) -> Iterator[KnownSet]:
    """Read the sets of a registry.

    Raises:
        Refused: the text is not a registry; the message says what is wrong.
    """
    try:
        entries = read_record(where, text, Shape())
        listed = entries if isinstance(entries, list) else [entries]
        if misfit := _SHAPE.misfit(listed):
            raise ValueError(misfit)
        for entry in listed:
            yield _read_set(entry)
    except ValueError as problem:
        reason = str(problem).removeprefix(f"{where}: ")
        raise Refused(
            f"{where}: is not a registry of test sets ({reason}); "
            "`segscore testsets --describe TABLE` writes one"
        ) from problem


def _read_set(entry: Mapping[str, Any]) -> KnownSet:
    name = _read_name(entry)
    recipe = entry.get("recipe") or {}
    splits = entry.get("splits") or []
    return KnownSet(
        name=name,
        years=str(entry.get("years", "")),
        citation=str(entry.get("citation", "")),
        licence=str(entry.get("licence", "")),
        source=str(entry.get("source", "")),
        format=recipe.get("format"),
        options={str(key): str(value) for key, value in (recipe.get("options") or {}).items()},
        note=str(entry.get("note", "")),
        splits=tuple(_read_split(name, split, splits) for split in splits),
        data=str(entry.get("data", "")),
    )


def _read_split(
    set_name: str, entry: Mapping[str, Any], others: Sequence[Mapping[str, Any]]
) -> Split:
    fingerprint = entry.get("fingerprint")
    if fingerprint is not None and (
        len(fingerprint) < SHOWN_DIGITS or not {*fingerprint} <= {*"0123456789abcdef"}
    ):
        raise ValueError(f"fingerprint {fingerprint} is not 24 to 64 hexadecimal digits")
    lists = {}
    for key in ("digests", "ids"):
        text = entry.get(key, "")
        if entry["name"] == WHOLE_SET and not text:
            # The digests of the whole are those of its splits, unless a split's are not known.
            parts = [other.get(key, "") for other in others if other["name"] != WHOLE_SET]
            text = "".join(parts) if all(parts) else ""
        lists[key] = _read_prefixes(text)
    documents = _read_count(entry, "documents")
    references = _read_count(entry, "references")
    return Split(
        set_name,
        _read_name(entry),
        documents,
        documents if references is None else references,
        _read_count(entry, "boundaries"),
        fingerprint,
        **lists,
    )


def _read_name(entry: Mapping[str, Any]) -> str:
    name: str = entry["name"]
    if not name.strip():
        raise ValueError(f"a name must be text, not {name!r}")
    return name


def _read_count(entry: Mapping[str, Any], key: str) -> int | None:
    number: int | None = entry.get(key)
    if number is not None and number < 0:
        raise ValueError(f"{key} must be a non-negative integer, not {number!r}")
    return number


def _read_prefixes(text: str) -> Prefixes:
    """Read prefixes that stand one after the other, 8 digits each."""
    return np.sort(np.frombuffer(bytes.fromhex(text), ">u4").astype(np.uint32))


def write_prefixes(prefixes: Prefixes) -> str:
    """Write prefixes one after the other, 8 hexadecimal digits each."""
    return np.sort(prefixes).astype(">u4").tobytes().hex()

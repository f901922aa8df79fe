"""Fingerprints: two attempts are the same run if command, settings, inputs and version agree."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from importlib.metadata import version
from posixpath import basename, normpath
from typing import Any

from segscore.pipeline import storage
from segscore.pipeline.storage import InputFile
from segscore.pipeline.storage.listed_files import digest_in
from segscore.pipeline.tables.find import InputTable

IGNORED_SETTINGS = (
    "output",
    "fresh",
    "max_rejects",
    "max_unpaired",
    "left_out",
    "unpaired_by_default",
    "measures_in_order",
    "replicates",
    "trust_inputs",
)
"""Settings that do not affect what is computed from the inputs."""

ABSENT_IF_EMPTY = ("excluded",)
"""Settings that runs of earlier versions lack, which are the same runs without them."""

DIGEST, NAME = "sha256", "name"
"""Keys of an input's digest, and of its path from the folder where the run was started."""

_NAMED = 2
"""Number of files with the same kind of difference that a message names."""


@dataclass(frozen=True)
class Fingerprint:
    """What a run computes, and from which inputs.

    The settings, by name, are those that affect what is computed. Each file of a table has url,
    size and version, and one whose digest was taken the digest and its name, which then count
    instead of url and version. The last field is the version of segscore.
    """

    command: str
    settings: Mapping[str, Any]
    inputs: Mapping[str, list[dict[str, Any]]]
    version: str

    @classmethod
    def of(
        cls,
        command: str,
        settings: Any,
        tables: Iterable[InputTable],
        known: Mapping[InputFile, str],
    ) -> "Fingerprint":
        """Return the fingerprint of a run that is about to start.

        Args:
            command: its command.
            settings: a dataclass.
            tables: its input tables; of those without a location, no digests are taken.
            known: digests of files, which are not taken again.
        """
        relevant = {
            name: value
            for name, value in asdict(settings).items()
            if name not in IGNORED_SETTINGS and (value or name not in ABSENT_IF_EMPTY)
        }
        tables = [*tables]
        located = [file for table in tables if table.location for file in table.files]
        digests = storage.digests_of(located, known)
        inputs = {table.name: _described(table, digests) for table in tables}
        plain = json.loads(json.dumps({"settings": relevant, "inputs": inputs}))
        return cls(command, plain["settings"], plain["inputs"], version("segscore"))

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that name the files of the run."""
        inputs = {name: [*map(_content, files)] for name, files in self.inputs.items()}
        text = json.dumps(asdict(self) | {"inputs": inputs}, sort_keys=True)
        return blake2b(text.encode(), digest_size=4).hexdigest()


def _described(table: InputTable, digests: Mapping[InputFile, str]) -> list[dict[str, Any]]:
    """Return the files of a table as plain data."""
    described = [asdict(file) for file in table.files]
    if any(file in digests for file in table.files):
        folders = storage.file_folders(table.location, [file.url for file in table.files])
        for file, known, plain in zip(table.files, folders, described, strict=True):
            if file in digests:
                name = normpath("/".join((*known.named, *known.below, basename(file.url))))
                plain |= {NAME: name, DIGEST: digests[file]}
    return described


def _content(file: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what tells the content of a file from others."""
    keys = ("url", "size", "version") if file.get(DIGEST) is None else (NAME, "size", DIGEST)
    return {key: file.get(key) for key in keys}


def taken_digests(inputs: Mapping[str, Iterable[Mapping[str, Any]]]) -> dict[InputFile, str]:
    """Return the digests of files that a run recorded."""
    return {
        InputFile(file["url"], file["size"], file["version"]): str(file[DIGEST])
        for files in inputs.values()
        for file in files
        if file.get(DIGEST) is not None
    }


def setting_differences(before: Mapping[str, Any], now: Fingerprint) -> list[str]:
    """Describe how a run differs from an earlier one, given as plain data; empty if it does not."""
    current = asdict(now)
    differences = [
        f"{name} was {before.get(name)}, is {current[name]}"
        for name in ("command", "version")
        if before.get(name) != current[name]
    ]
    old, new = before.get("settings", {}), current["settings"]
    differences += [
        _setting_difference(name, old.get(name), new.get(name))
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]
    return differences + _changed_files(before.get("inputs", {}), current["inputs"])


def _setting_difference(name: str, before: object, now: object) -> str:
    """Describe how a setting differs; of a table in memory, its digest means nothing to readers."""
    if digest_in(str(before)) and digest_in(str(now)):
        return f"{name} is another table"
    return f"{name} was {_or_default(name, before)}, is {_or_default(name, now)}"


def _or_default(name: str, setting: object) -> str:
    """Write a setting for a message; an empty choice that stands for all usual ones by its name."""
    return setting_in_words(setting) if setting or name != "measures" else "the default"


def setting_in_words(setting: object) -> str:
    """Write a setting, as JSON has it, for a message; an absent or empty one is `none`."""
    if isinstance(setting, dict):
        setting = [f"{name}={value}" for name, value in setting.items()]
    if isinstance(setting, list):
        return ",".join(map(setting_in_words, setting)) or "none"
    if isinstance(setting, bool):
        return str(setting).lower()
    return "none" if setting is None else str(setting)


def _changed_files(
    before: Mapping[str, Iterable[Any]], now: Mapping[str, Iterable[Any]]
) -> list[str]:
    """Describe how the files of two runs differ, by their names or, without digests, their URLs."""
    files = [
        [file for table in inputs.values() for file in table if digest_in(file["url"]) is None]
        for inputs in (before, now)
    ]
    key = NAME if all(DIGEST in file for one in files for file in one) else "url"
    old, new = ({file[key]: file for file in one} for one in files)
    both = [(old[name], new[name]) for name in sorted(old.keys() & new.keys())]
    removed = [
        f"the input {old[name]['url']} is no longer read"
        for name in sorted(old.keys() - new.keys())
    ]
    added = [
        f"the input {new[name]['url']} was not read before"
        for name in sorted(new.keys() - old.keys())
    ]
    changed = [
        f"the input {file['url']} has changed ({_describe_change(earlier['size'], file['size'])})"
        for earlier, file in both
        if _content(earlier) != _content(file)
    ]
    return [*_first_named(removed), *_first_named(added), *_first_named(changed)]


def _first_named(differences: Sequence[str]) -> list[str]:
    """Return the first differences of a kind, and how many more there are."""
    first, more = [*differences[:_NAMED]], len(differences) - _NAMED
    if more > 0:
        first[-1] += f", and likewise {more} more {'input' if more == 1 else 'inputs'}"
    return first


def _describe_change(before: int, now: int) -> str:
    """Describe the change of a file by its sizes in bytes; its version means nothing to readers."""
    if before == now:
        return f"it was written again since the earlier run, with {now} bytes as before"
    return f"it had {before} bytes in the earlier run and has {now} now"

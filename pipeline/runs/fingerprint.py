"""Fingerprints: two attempts are the same run if command, settings, inputs and version agree."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from importlib.metadata import version
from typing import Any

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

_NAMED = 2
"""Number of files with the same kind of difference that a message names."""


@dataclass(frozen=True)
class Fingerprint:
    """What a run computes, and from which inputs.

    The settings, by name, are those that affect what is computed. Each file of a table has url,
    size and version. The last field is the version of segscore.
    """

    command: str
    settings: Mapping[str, Any]
    inputs: Mapping[str, list[dict[str, Any]]]
    version: str

    @classmethod
    def of(cls, command: str, settings: Any, tables: Iterable[InputTable]) -> "Fingerprint":
        """Return the fingerprint of a run that is about to start; ``settings`` is a dataclass."""
        relevant = {
            name: value for name, value in asdict(settings).items() if name not in IGNORED_SETTINGS
        }
        inputs = {table.name: [asdict(file) for file in table.files] for table in tables}
        plain = json.loads(json.dumps({"settings": relevant, "inputs": inputs}))
        return cls(command, plain["settings"], plain["inputs"], version("segscore"))

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that name the files of the run."""
        text = json.dumps(asdict(self), sort_keys=True)
        return blake2b(text.encode(), digest_size=4).hexdigest()


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
    files = [
        {
            file["url"]: file
            for files_of_table in inputs.values()
            for file in files_of_table
            if digest_in(file["url"]) is None
        }
        for inputs in (before.get("inputs", {}), current["inputs"])
    ]
    return differences + _changed_files(*files)


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


def _changed_files(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    removed = [f"the input {url} is no longer read" for url in sorted(old.keys() - new.keys())]
    added = [f"the input {url} was not read before" for url in sorted(new.keys() - old.keys())]
    changed = [
        f"the input {url} has changed ({_describe_change(old[url]['size'], new[url]['size'])})"
        for url in sorted(old.keys() & new.keys())
        if old[url] != new[url]
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

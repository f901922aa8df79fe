"""Check the `files` of a run.json before any of them is read or removed.

Otherwise, anyone who can write a run.json could name any file of the machine in it, and the next
`--fresh` or `--keep` would remove that file.
"""

import re
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

from segscore.pipeline.errors import Refused

RUN_TABLES = (
    "scores",
    "panel_scores",
    "confusion",
    "label_confusion",
    "summary",
    "curves",
    "measured",
    "operating_points",
    "tolerances",
    "ranks",
    "pairs",
    "documents",
    "agreement",
    "agreement_index",
    "coders",
    "peers",
    "corpus",
    "prominence",
    "types",
    "comparisons",
    "systems",
    "omnibus",
    "rank_tests",
    "worst",
    "suspects",
    "where",
    "changes",
    "changed",
    "published",
    "ratings",
    "rejects",
    "unpaired",
)
"""The tables that runs of all commands write."""

INPUTS = "inputs"
"""Folder of the inputs that a run keeps: tables that were in the memory of the caller."""

_FILE = re.compile(r"[^_./\\\0][^/\\\0]*-[0-9a-f]{8}\.parquet")
"""Name of a file of a table: its part, and the fingerprint of the run."""

_KEPT = re.compile(r"[a-z]+-blake2b-([0-9a-f]{32})\.parquet")
"""Name of an input that a run keeps: its table, and the digest of its content."""

_SHOWN = 60
"""Number of characters of a wrong name that a message shows."""


def is_run_file(url: str) -> bool:
    """Return whether a file is one of a table of a run, by its name and that of its folder."""
    folder, _, name = url.rpartition("/")
    return folder.rpartition("/")[2] in RUN_TABLES and _FILE.fullmatch(name) is not None


def kept_name(table: str, content: Iterable[bytes]) -> str:
    """Return the name of an input that a run keeps, which only the same content has."""
    digest = blake2b(digest_size=16)
    for chunk in content:
        digest.update(chunk)
    return f"{table}-blake2b-{digest.hexdigest()}.parquet"


def digest_in(url: str) -> str | None:
    """Return the digest in the name of a file that a run keeps; None if it is no such file."""
    folder, _, name = url.rpartition("/")
    kept = _KEPT.fullmatch(name) if folder.rpartition("/")[2] == INPUTS else None
    return kept and kept[1]


def listed(record: Mapping[str, Any], url: str) -> dict[str, list[str]]:
    """Return the files of a run by table, as its record names them: plain names in its folder.

    The URL of run.json is for messages.

    Raises:
        Refused: the record has no such list, or names a table or a file that no run writes.
    """
    files = record.get("files")
    if not isinstance(files, dict):
        raise _refusal(url, "has no list of files")
    for table, names in files.items():
        if table not in (*RUN_TABLES, INPUTS):
            raise _refusal(url, f"lists files of an unknown table {_shown(table)}")
        if not isinstance(names, list):
            raise _refusal(url, f"has no list of the files of {table}")
        for name in names:
            allowed = _KEPT if table == INPUTS else _FILE
            if not isinstance(name, str) or not allowed.fullmatch(name):
                raise _refusal(url, f"lists {_shown(name)} among the files of {table}")
    return {table: list(names) for table, names in files.items()}


def _shown(name: object) -> str:
    text = repr(name)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _refusal(url: str, problem: str) -> Refused:
    return Refused(
        f"{url}: was not written by segscore, or was changed since: it {problem}; "
        "no file was removed"
    )

"""A format that is imported, and the evidence from which the format of a file is detected."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from segscore.pipeline.importing.formats.table_rows import split_header
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Positions, Shape
from segscore.pipeline.importing.tracks import DocumentTracks, Track
from segscore.pipeline.tables.strict_json import DEEPEST

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\]:]', re.DOTALL)
_LISTED = 8
"""Deepest nesting of keys that are listed."""


def json_keys(text: str) -> frozenset[str]:
    """Return the paths of all keys: `name` and `chapters[].startTime`, or `[].id` in a list.

    A text that is not JSON has few keys or wrong ones, but is never refused.  A text that is nested
    too deeply has the keys before that place.
    """
    keys: set[str] = set()
    outside: list[str] = []
    path = name = ""
    for found in _TOKEN.finditer(text):
        part = found[0]
        if part[0] == '"':
            name = part[1:].removesuffix('"')
        elif part == ":":
            path = f"{outside[-1]}.{name}" if outside and outside[-1] else name
            if len(outside) <= _LISTED:
                keys.add(path)
        elif part in "{[" and len(outside) == DEEPEST:
            break
        elif part == "{":
            outside.append(path)
        elif part == "[":
            outside.append(path)
            path = f"{path}[]"
        elif outside:
            path = outside.pop()
    return frozenset(keys)


_CHARACTERS = 2**22
"""Number of characters of a JSON text in which keys are looked for."""

JSON_LINES_ENDINGS = (".jsonl", ".ndjson")
CSV_ENDINGS = (".csv", ".tsv")
TEXT_ENDINGS = (".txt", ".ref")
PARQUET_ENDINGS = (".parquet", ".pq")

FRAMES = ("frame_rate",)
"""Options of formats whose times may be in frames."""


@dataclass(frozen=True)
class Head:
    """The evidence from which a file's format is detected; a Parquet file has no text."""

    name: str
    text: str
    settings: ImportSettings
    columns: Sequence[str] = ()

    @property
    def ending(self) -> str:
        """The last ending of the name in small letters, with its dot."""
        return PurePosixPath(self.name).suffix.lower()

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text, without CR."""
        return [line.removesuffix("\r") for line in self.text.removeprefix("\ufeff").split("\n")]

    @cached_property
    def keys(self) -> frozenset[str]:
        """The columns of a Parquet file, or the keys of a JSON text or of its first line."""
        if self.columns:
            return frozenset(self.columns)
        first = next((line for line in self.lines if line.strip()), "")
        return json_keys(first if self.ending in JSON_LINES_ENDINGS else self.text[:_CHARACTERS])

    @cached_property
    def header(self) -> list[str]:
        """The names of the columns of a table, in the order of the file."""
        if self.columns:
            return list(self.columns)
        if self.ending in CSV_ENDINGS:
            return split_header(self.lines, self.settings.skip_lines)
        return sorted(self.keys)


@dataclass(frozen=True)
class Format:
    """A format that is imported.

    Attributes:
        name: its name for `--format`.
        read: reads the shapes in a file; None for answers, which are read with their units.
        endings: endings that no other format has; longer ones count first.
        shared: endings that other formats have, too; `content` decides.
        content: whether a file with a shared ending is of this format; None for a format that is
            only a guess, and must be asked for.
        options: the options that its reader reads, of those that not all formats have, by their
            fields in the settings; the user is warned of others.
        in_units: whether it counts units of a text, which `--unit-times` can give times.
        write: writes all tracks of a document for `segscore export`; None if it cannot.
        write_track: writes one track of a document, in formats whose files have only one.
    """

    name: str
    read: Callable[[OpenedFile, ImportSettings], Iterator[Shape | Positions]] | None = None
    endings: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    content: Callable[[Head], bool] | None = None
    options: tuple[str, ...] = ()
    in_units: bool = False
    write: Callable[[DocumentTracks], str] | None = None
    write_track: Callable[[DocumentTracks, Track], str] | None = None

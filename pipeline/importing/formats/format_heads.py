"""What the table of formats consists of: formats, and what the format of a file is known by."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.intervals.table_rows import split_header
from segscore.pipeline.importing.formats.json_keys import json_keys
from segscore.pipeline.importing.formats.shapes import Shape
from segscore.pipeline.tables.rows import Defaults, ParsedRow

_CHARACTERS = 2**22
"""Number of characters of a JSON text in which keys are looked for."""

JSON_LINES_ENDINGS = (".jsonl", ".ndjson")
CSV_ENDINGS = (".csv", ".tsv")
TEXT_ENDINGS = (".txt", ".ref")
PARQUET_ENDINGS = (".parquet", ".pq")

_COMPRESSED = (".gz", ".zst")


def without_compression(name: str) -> str:
    """Return the name of a file without the ending of its compression."""
    ending = next((ending for ending in _COMPRESSED if name.lower().endswith(ending)), "")
    return name[: len(name) - len(ending)]


@dataclass(frozen=True)
class Head:
    """What the format of a file is told by.

    Attributes:
        name: last part of its URL, without an ending for compression.
        text: its text, or the beginning of it; empty for a Parquet file.
        asked: options of the import; some say the format.
        columns: columns of a Parquet file.
    """

    name: str
    text: str
    asked: Asked = field(default_factory=Asked)
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
            return split_header(self.lines, self.asked)
        return sorted(self.keys)


@dataclass(frozen=True)
class Format:
    """A format that is read.

    Attributes:
        name: its name for `--format`.
        read: reads shapes; None if `rows` reads it.
        rows: reads rows, in formats that give positions of boundaries as they are.
        endings: endings that no other format has; longer ones count first.
        shared: endings that other formats have, too; `content` decides.
        content: whether a file with a shared ending is of this format; None for a format that is
            only a guess, and must be asked for.
    """

    name: str
    read: Callable[[OpenedFile, Asked], Iterator[Shape]] | None = None
    rows: Callable[[Iterable[str], str, Defaults], Iterator[ParsedRow]] | None = None
    endings: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    content: Callable[[Head], bool] | None = None

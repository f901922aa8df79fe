"""All formats that are read, in one table: their readers, endings, and how content shows them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

from segscore.pipeline.tables.formats import (
    choi,
    csv_rows,
    interval_table,
    jsonl,
    nltk_strings,
    segeval_json,
)
from segscore.pipeline.tables.formats.asked import Asked, InputFile
from segscore.pipeline.tables.formats.interval_columns import has_start
from segscore.pipeline.tables.formats.json_keys import json_keys
from segscore.pipeline.tables.formats.rows import Defaults, ParsedRow
from segscore.pipeline.tables.formats.shapes import Shape
from segscore.pipeline.tables.formats.table_rows import split_header

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
    read: Callable[[InputFile, Asked], Iterator[Shape]] | None = None
    rows: Callable[[Iterable[str], str, Defaults], Iterator[ParsedRow]] | None = None
    endings: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    content: Callable[[Head], bool] | None = None


def _is_choi(head: Head) -> bool:
    return any(line.strip() == choi.SEPARATOR for line in head.lines)


def _is_nltk(head: Head) -> bool:
    """Return whether all lines are masks; the last of several may be cut, and is not tested."""
    masks = [line.strip(" ") for line in head.lines[:-1] or head.lines if line.strip()]
    return bool(masks) and all(_is_mask(line) for line in masks)


def _is_mask(line: str) -> bool:
    fields = line.split("\t")
    return len(fields) in (1, 3) and set(fields[-1]) <= {"0", "1"}


def _is_csv(head: Head) -> bool:
    """Return whether a table has columns of segmentations, or too few to have segments."""
    return bool({"n_units", "boundaries"} & {*head.header}) or (
        len(head.header) < 2 and not has_start(head.header)
    )


def _is_interval_table(head: Head) -> bool:
    return "start" in head.asked.columns or has_start(head.header)


FORMATS: dict[str, Format] = {
    one.name: one
    for one in (
        Format(
            "jsonl",
            rows=jsonl.read,
            shared=JSON_LINES_ENDINGS,
            content=lambda h: "boundaries" in h.keys,
        ),
        Format(
            "segeval",
            rows=segeval_json.read,
            shared=(".json",),
            content=lambda head: "segmentation_type" in head.keys or not head.keys,
        ),
        Format("choi", rows=choi.read, shared=TEXT_ENDINGS, content=_is_choi),
        Format("nltk", rows=nltk_strings.read, shared=TEXT_ENDINGS, content=_is_nltk),
        Format("csv", rows=csv_rows.read, shared=CSV_ENDINGS, content=_is_csv),
        Format(
            "intervals",
            read=interval_table.read,
            shared=(*CSV_ENDINGS, *JSON_LINES_ENDINGS, *PARQUET_ENDINGS),
            content=_is_interval_table,
        ),
    )
}
"""Format by name; of formats with one ending, the first whose content fits is taken."""

FALLBACK = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "intervals", ".tsv": "intervals"}
"""Ending -> the format whose reader says best what is wrong, if no content fits."""

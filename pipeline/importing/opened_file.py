"""A file to import, as its reader gets it."""

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.tables.rows import Defaults, RowPlace, printable

_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_END_OF_FILE = "\x1a"
"""What old programs of DOS and Windows write after the last line: no part of the text."""


@dataclass
class Notes:
    """What a reader left out or reinterpreted: numbers, and names in the order of the file.

    Attributes:
        numbers: numbers of what was left out, by name.
        names: names of what was left out, by name.
        doubts: warnings of what may have been meant in another way.
        remarks: further remarks, of formats that give positions.
        adapted: a clause about each column that was converted.
        bad_lines: number (from 0) and message of lines that could not be read, if `--max-rejects`
            lets them be left out.
    """

    numbers: dict[str, int] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)
    doubts: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    adapted: set[str] = field(default_factory=set)
    bad_lines: list[tuple[int, str]] = field(default_factory=list)

    def add(self, name: str, what: str | int) -> None:
        """Add a number to those of `name`, or a name to its names unless it is there already."""
        if isinstance(what, int):
            self.numbers[name] = self.numbers.get(name, 0) + what
        elif what not in self.names.setdefault(name, []):
            self.names[name].append(what)


@dataclass
class OpenedFile:
    """A file to import.

    Attributes:
        url: where it is.
        content: its bytes, decompressed; of a Parquet file only the first.
        encoding: `--encoding`; None for UTF-8. A byte order mark is stronger.
        notes: what its reader left out.
        first_line: number of the first line of the content; 1 unless it is a part of the file.
        names_coder: whether the name of the file is that of its coder where nothing says another.
        defaults: what rows have that do not state it, in formats that give positions.
        urls: all files of the import.
    """

    url: str
    content: bytes
    encoding: str | None = None
    notes: Notes = field(default_factory=Notes)
    first_line: int = 1
    names_coder: bool = False
    defaults: Defaults = field(default_factory=Defaults)
    urls: Sequence[str] = ()

    @property
    def name(self) -> str:
        """The last part of the URL."""
        return PurePosixPath(self.url).name

    @property
    def is_parquet(self) -> bool:
        """Whether it is a Parquet file, which `table` reads."""
        return self.content.startswith(b"PAR1")

    @property
    def is_utf8(self) -> bool:
        """Whether its text is read as UTF-8."""
        return self._encoding in (None, "utf-8")

    @property
    def _encoding(self) -> str | None:
        marks = _BYTE_ORDER_MARKS if self.first_line == 1 else {}
        found = (name for mark, name in marks.items() if self.content.startswith(mark))
        return next(found, self.encoding)

    def place(self, line: int) -> RowPlace:
        """Return a place in the file."""
        return RowPlace(self.url, line)

    def refusal(self, message: str) -> Refused:
        """Return the error to raise for a problem of the whole file."""
        return Refused(printable(f"{self.url}: {message}"))

    def text(self) -> str:
        """Return the text without a byte order mark.

        Raises:
            Refused: a byte does not fit the encoding; the message gives file and line.
        """
        encoding = self._encoding
        if encoding is None and b"\0" in self.content:
            raise self.refusal(
                "is a binary file, not text; name the files that have segmentations; text in "
                "UTF-16 without a byte order mark is read with --encoding utf-16-le"
            )
        encoding = encoding or "utf-8"
        try:
            text = self.content.decode(encoding).removeprefix("\ufeff")
            return text.removesuffix(_END_OF_FILE)
        except UnicodeDecodeError as error:
            before = self.content[: error.start].decode(encoding, "ignore")
            raise self.place(before.count("\n") + self.first_line).refusal(
                f"not {encoding.upper()} text ({error.reason}); name its encoding with --encoding, "
                "such as --encoding cp1252"
            ) from error

    def lines(self) -> Iterator[str]:
        """Yield the lines without their ends, which are LF or CRLF and nothing else.

        Raises:
            Refused: as `text`.
        """
        text = self.text().removesuffix("\n")
        for line in text.split("\n") if text else ():
            yield line.removesuffix("\r")

    def lines_with_text(self) -> Iterator[tuple[RowPlace, str]]:
        """Yield the lines that are not blank, each with its place.

        Raises:
            Refused: as `text`.
        """
        for number, line in enumerate(self.lines(), start=self.first_line):
            if line.strip():
                yield self.place(number), line

    def table(self) -> pa.Table:
        """Read a Parquet file.

        Raises:
            Refused: it cannot be read, or does not fit into memory.
        """
        table = storage.read_columns(self.url, None)
        try:
            table.validate(full=True)
        except pa.ArrowInvalid as error:
            raise self.refusal(f"is a broken Parquet file: {error}; write it again") from error
        return table

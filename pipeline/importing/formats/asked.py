"""What an import was asked for, and a file as its reader gets it."""

import codecs
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.formats.times import Clock
from segscore.pipeline.tables.rows import RowPlace, printable

_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}


@dataclass(frozen=True)
class Asked:
    """Every option of an import that a reader or a converter needs.

    Attributes:
        document_id: `--document-id`; None if it is not given, as with all options below.
        coder: `--coder`.
        system: `--system`, the coder of hypotheses in files that also have references.
        role: `--role`.
        clock: `--time-unit`, `--frame-rate` and `--start-timecode`.
        columns: `--columns`: what a column is for -> its name; "" if no column is for it.
        skip_lines: `--skip-lines`, lines before the header of a table.
        flags: `--flags`, path of a list with 0 or 1 for each unit.
        ids: `--ids`, path of a list with a segment's name for each unit.
        sizes: `--sizes`, path of a list of sizes of segments.
        marks: `--marks`: end, start or between.
        records: `--records`, path of the list of documents.
        document_field: `--document-field`, path of the document's name.
        coder_field: `--coder-field`, path of the coder's name.
        units: `--units`, path of the list of units.
        text_units: `--text-units`: lines, characters or tokens.
        tiers: `--tier`, names of the tiers to read.
        namespace: `--namespace` of JAMS.
        from_name: `--from-name` of Label Studio.
        same_label: `--same-label`: keep or merge.
        levels: `--levels`, whether the level of a segment becomes the type of its boundary.
        max_level: `--max-level`, the deepest level that is read.
        gaps: `--gaps`: join or own.
        smallest_gap: `--smallest-gap` in units; a shorter gap is none.
        strict: `--strict`, whether what would be counted is refused.
    """

    document_id: str | None = None
    coder: str | None = None
    system: str | None = None
    role: str = "reference"
    clock: Clock = field(default_factory=Clock)
    columns: Mapping[str, str] = field(default_factory=dict)
    skip_lines: int = 0
    flags: str | None = None
    ids: str | None = None
    sizes: str | None = None
    marks: str | None = None
    records: str | None = None
    document_field: str | None = None
    coder_field: str | None = None
    units: str | None = None
    text_units: str | None = None
    tiers: tuple[str, ...] = ()
    namespace: str | None = None
    from_name: str | None = None
    same_label: str | None = None
    levels: bool = False
    max_level: int | None = None
    gaps: str = "join"
    smallest_gap: int = 0
    strict: bool = False


@dataclass
class Notes:
    """What a reader left out of a file, or read in another way: numbers and names.

    Attributes:
        numbers: how many, by what they are.
        names: names in the order of the file, by what they are.
    """

    numbers: dict[str, int] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)

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
    """

    url: str
    content: bytes
    encoding: str | None = None
    notes: Notes = field(default_factory=Notes)
    first_line: int = 1

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
                "is a binary file, not text; UTF-16 without a byte order mark is read with "
                "--encoding utf-16-le"
            )
        encoding = encoding or "utf-8"
        try:
            return self.content.decode(encoding).removeprefix("\ufeff")
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

"""Read the files of an import: blocks of rows, and shapes that are converted to rows later."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.conversion.names import ReadFile, name_of_file, new_name
from segscore.pipeline.importing.folders import Folders
from segscore.pipeline.importing.formats import probabilities, segmentations
from segscore.pipeline.importing.formats.format import (
    JSON_LINES_ENDINGS,
    PARQUET_ENDINGS,
    Format,
)
from segscore.pipeline.importing.formats.known import FORMATS
from segscore.pipeline.importing.open_input import detect, format_of, open_input
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.segmentation_files import read_segmentations
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.unit_times import UnitTimes
from segscore.pipeline.tables import jsonl
from segscore.pipeline.tables.find import InputTable
from segscore.pipeline.tables.json_blocks import BLOCK, JsonLines
from segscore.pipeline.tables.parsed_table import parsed_table
from segscore.pipeline.tables.path_columns import with_path_columns
from segscore.pipeline.tables.read import Rows
from segscore.pipeline.tables.rows import Defaults, ParsedRow, stem
from segscore.schemas.input_columns import ROLE, TABLE_ROLES

STATED_ROWS = "segmentations"
"""Name of the rows of a file before references and hypotheses are separated."""

_HEAD = 2**20
_JSON_LINES = "jsonl"
_NLTK = "nltk"
"""A format whose files need not name their documents."""

_CSV = "csv"


@dataclass(frozen=True)
class Reading:
    """The files of an import and its settings, as tasks read them.

    Attributes:
        urls: all files of the import.
        settings: the settings of the import.
        format_name: format of all files by its key in ``FORMATS``; None to detect it.
        folders: what the folders of the files say.
        times: document -> times of its units, if files give them.
        table: the table of segmentations, in Parquet or JSON Lines, that the files are; None if
            they may be of any format.  A row that states no role has that of its folder, if the
            folder is named as a table of an import.
    """

    urls: Sequence[str]
    settings: ImportSettings
    format_name: str | None = None
    table: InputTable | None = None
    folders: Folders = field(default_factory=Folders)
    times: Mapping[str, UnitTimes] | None = None

    @property
    def rejecting(self) -> bool:
        """Whether bad lines of JSON Lines and CSV are collected, not refused."""
        return self.settings.max_rejects > 0

    def defaults(self, url: str) -> Defaults:
        """Return what rows of a file have that do not state it."""
        role = self.settings.default_role
        if self.table is not None and self.settings.role is None:
            folder = url.rpartition("/")[0].rpartition("/")[2]
            role = TABLE_ROLES.get(folder, role)
        told = self.folders.values(url)
        return Defaults(
            told.document_id or self.settings.document_id,
            told.coder or self.settings.coder,
            told.role or role,
        )


@dataclass(frozen=True)
class FileRows:
    """The rows of a file whose format gives positions of boundaries as they are.

    Attributes:
        blocks: its rows as stated; ``row`` is the line of each, from 0.
        bad_lines: number (from 0) and message of the lines that could not be read; complete when
            all blocks have been read.
        adapted: a clause about each column that is converted; complete when all blocks have been
            read.
        noted: remarks about documents that the file does not name.
    """

    blocks: Iterator[Rows]
    bad_lines: list[tuple[int, str]]
    adapted: Collection[str]
    noted: tuple[str, ...] = ()


def read_json_block(url: str, block: bytes, first: int, reading: Reading) -> FileRows:
    """Read lines of a JSON Lines file, of which the first has a number; see ``read_input``."""
    return _completed(url, _json_lines(url, iter([block]), reading, first), reading)


def read_input(url: str, reading: Reading) -> ReadFile | FileRows:
    """Read one file: shapes, or rows if its format gives positions of boundaries as they are.

    Raises:
        Refused: the file cannot be read, or breaks a rule of its format; rows are read when the
            blocks are iterated over, and refused then.
    """
    read = _read(url, reading)
    return read if isinstance(read, ReadFile) else _completed(url, read, reading)


def _completed(url: str, read: FileRows, reading: Reading) -> FileRows:
    """Give rows the attributes of their folders, and coders the names of `--rename-coders`."""
    attributes = tuple(reading.folders.values(url).attributes.items())
    names = reading.settings.rename_coders

    def complete(rows: Rows) -> Rows:
        table = rows.table
        if attributes:
            table = with_path_columns(table, attributes, url)
        if names:
            table = _renamed(table, names)
        return replace(rows, table=table)

    return replace(read, blocks=map(complete, read.blocks))


def _renamed(table: pa.Table, names: Mapping[str, str]) -> pa.Table:
    """Give coders their names."""
    roles = table.column(ROLE).to_pylist() if ROLE in table.column_names else [None] * len(table)
    given = zip(table.column("coder").to_pylist(), roles, strict=True)
    coders = [new_name(coder, role, names) for coder, role in given]
    place = table.column_names.index("coder")
    kind = table.schema.field(place)
    return table.set_column(place, kind, pa.array(coders, kind.type))


def _read(url: str, reading: Reading) -> ReadFile | FileRows:
    if reading.table is not None and not storage.is_json_lines(url):
        adapted: set[str] = set()
        role = str(reading.defaults(url).role)
        return FileRows(read_segmentations(url, reading.table, role, adapted), [], adapted)
    if is_plain_json_lines(url, reading):
        _require_role(url, storage.head(url, _HEAD) or b"", reading)
        return _json_lines(url, storage.chunks(url, BLOCK), reading)
    settings = reading.settings
    file = open_input(url, reading.settings)
    if not file.content.strip() and not url.lower().endswith(JSON_LINES_ENDINGS):
        raise file.refusal("is empty")
    known = FORMATS[reading.format_name or format_of(file, settings)]
    if file.is_parquet and PARQUET_ENDINGS[0] not in known.shared:
        raise file.refusal(f"is a Parquet file, which --format {known.name} does not read")
    if known.read is not None:
        # Times in files of their own are not in the records, where a reader would look for them.
        own = settings if reading.times is None else replace(settings, unit_times=None)
        return ReadFile(file, list(known.read(file, own)), known.endings)
    _require_role(url, file.content, reading)
    if known.name == _JSON_LINES and file.is_utf8:
        content = file.content
        chunks = (content[at : at + BLOCK] for at in range(0, len(content), BLOCK))
        return _json_lines(url, chunks, reading)
    defaults = reading.defaults(url)
    if known.name == _NLTK and defaults.document_id is None:
        defaults = replace(defaults, document_id=name_of_file(url, reading.urls))
    bad_lines: list[tuple[int, str]] = []
    adapted = set()
    if known.name == _JSON_LINES:
        rows = [
            *jsonl.read(file.lines(), url, defaults, adapted=None if settings.strict else adapted)
        ]
    else:
        rows = [*_rows(known, file, defaults, reading, bad_lines)]
    noted = _named_by_line(url, rows) if known.name == _NLTK and not settings.document_id else ()
    return FileRows(iter([rows_of(rows)] if rows else []), bad_lines, adapted, noted)


def _rows(
    known: Format,
    file: OpenedFile,
    defaults: Defaults,
    reading: Reading,
    bad_lines: list[tuple[int, str]],
) -> Iterator[ParsedRow]:
    """Read the rows of any format but JSON Lines; bad lines of CSV are collected where asked."""
    if known.name == probabilities.NAME:
        return probabilities.read_rows(file, defaults, reading.settings)
    if known.name == _CSV and reading.rejecting:
        return segmentations.read_csv(file.lines(), file.url, defaults, bad_lines)
    assert known.rows is not None
    return known.rows(file.lines(), file.url, defaults)


def _require_role(url: str, content: bytes, reading: Reading) -> None:
    """Refuse rows whose role only their folder could say, unless their first line states one."""
    told = reading.settings.role or reading.folders.values(url).role
    if told is None and ROLE.encode() not in content.partition(b"\n")[0]:
        reading.folders.refuse_unknown_role(url)


def _named_by_line(url: str, rows: Sequence[ParsedRow]) -> tuple[str, ...]:
    """Say how documents are named if the last row has the name of its line."""
    if not rows or rows[-1].document_id != f"{stem(url)}/{rows[-1].line}":
        return ()
    return (
        f"{url}: documents named by file and line, such as {rows[-1].document_id}; give files "
        "whose lines belong together one name with --document-id",
    )


def format_of_input(url: str, reading: Reading) -> str:
    """Return the name of the format that a file is read as.

    Raises:
        Refused: as ``read_input``.
    """
    if reading.format_name is not None:
        return reading.format_name
    if is_plain_json_lines(url, reading):
        return _JSON_LINES
    return format_of(open_input(url, reading.settings), reading.settings)


def rows_of(parsed: Sequence[ParsedRow]) -> Rows:
    """Return rows of any files as one block."""
    urls = tuple(dict.fromkeys(row.source for row in parsed))
    number = {url: i for i, url in enumerate(urls)}
    file = np.array([number[row.source] for row in parsed], np.int64)
    line = np.array([row.line for row in parsed], np.int64)
    return Rows(STATED_ROWS, parsed_table(parsed), urls, file, line - 1)


def _json_lines(url: str, chunks: Iterator[bytes], reading: Reading, first: int = 1) -> FileRows:
    def decode(block: bytes, line: int) -> Iterator[str]:
        return OpenedFile(url, block, first_line=line).lines()

    adapted: set[str] = set()
    reader = JsonLines(
        url,
        reading.defaults(url),
        decode,
        adapted=None if reading.settings.strict else adapted,
        rejecting=reading.rejecting,
    )

    blocks = (
        Rows(STATED_ROWS, table, (url,), np.zeros(len(lines), np.int64), lines - 1)
        for table, lines in reader.read(chunks, first)
    )
    return FileRows(blocks, reader.bad_lines, adapted)


def is_plain_json_lines(url: str, reading: Reading) -> bool:
    """Return whether a file is JSON Lines of segmentations, plain, by its first line.

    If that is not certain, the answer is no, and the file is opened whole.
    """
    named = reading.format_name == _JSON_LINES
    if reading.settings.encoding is not None or not (
        named or (reading.format_name is None and url.lower().endswith(JSON_LINES_ENDINGS))
    ):
        return False
    head = storage.head(url, _HEAD) or b""
    first = head[: head.find(b"\n") + 1] or head
    if not first.lstrip(b"\xef\xbb\xbf \t").startswith(b"{") or len(first) == _HEAD:
        return False
    try:
        return named or detect(url, first.decode(), reading.settings) == _JSON_LINES
    except (Refused, UnicodeDecodeError):
        return False

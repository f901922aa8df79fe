"""Read the files of an import, whatever their format: shapes, or positions as they are stated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.conversion.names import ReadFile, new_name
from segscore.pipeline.importing.folders import Folders
from segscore.pipeline.importing.formats.format import JSON_LINES_ENDINGS, PARQUET_ENDINGS, Format
from segscore.pipeline.importing.formats.known import FORMATS
from segscore.pipeline.importing.open_input import detect, format_of, open_input
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.segmentation_files import read_segmentations
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Positions
from segscore.pipeline.importing.unit_times import UnitTimes
from segscore.pipeline.tables.find import InputTable
from segscore.pipeline.tables.path_columns import with_path_columns
from segscore.pipeline.tables.rows import Defaults
from segscore.schemas.input_columns import ROLE, TABLE_ROLES

_HEAD = 2**20
_JSON_LINES = "jsonl"


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


def read_input(url: str, reading: Reading) -> ReadFile:
    """Read one file.

    Raises:
        Refused: the file cannot be read, or breaks a rule of its format.
    """
    if reading.table is not None and not storage.is_json_lines(url):
        file = OpenedFile(url, b"")
        role = str(reading.defaults(url).role)
        rows = read_segmentations(url, reading.table, role, file.notes.adapted)
        return ReadFile(file, (), (), [_completed(one, url, reading) for one in rows])
    file = open_input(url, reading.settings)
    if not file.content.strip() and not url.lower().endswith(JSON_LINES_ENDINGS):
        raise file.refusal("is empty")
    known = FORMATS[reading.format_name or format_of(file, reading.settings)]
    if file.is_parquet and PARQUET_ENDINGS[0] not in known.shared:
        raise file.refusal(f"is a Parquet file, which --format {known.name} does not read")
    return _read(file, known, reading)


def read_json_range(url: str, content: bytes, first: int, reading: Reading) -> ReadFile:
    """Read some lines of a JSON Lines file, of which the first has a number; as ``read_input``."""
    return _read(OpenedFile(url, content, first_line=first), FORMATS[_JSON_LINES], reading)


def _read(file: OpenedFile, known: Format, reading: Reading) -> ReadFile:
    assert known.read is not None, "answers are read with their units"
    file.defaults, file.urls = reading.defaults(file.url), reading.urls
    # Times in files of their own are not in the records, where a reader would look for them.
    settings = reading.settings
    own = settings if reading.times is None else replace(settings, unit_times=None)
    read = [*known.read(file, own)]
    positions = [one for one in read if isinstance(one, Positions)]
    if positions and file.first_line == 1:
        _require_role(file, reading)
    return ReadFile(
        file,
        [one for one in read if not isinstance(one, Positions)],
        known.endings,
        [_completed(one, file.url, reading) for one in positions],
        known.name,
    )


def _require_role(file: OpenedFile, reading: Reading) -> None:
    """Refuse rows whose role only their folder could say, unless their first line states one."""
    told = reading.settings.role or reading.folders.values(file.url).role
    if told is None and ROLE.encode() not in file.content.partition(b"\n")[0]:
        reading.folders.refuse_unknown_role(file.url)


def _completed(rows: Positions, url: str, reading: Reading) -> Positions:
    """Give rows the attributes of their folders, and coders the names of `--rename-coders`."""
    attributes = tuple(reading.folders.values(url).attributes.items())
    table = with_path_columns(rows.table, attributes, url) if attributes else rows.table
    if names := reading.settings.rename_coders:
        table = _renamed(table, names)
    return replace(rows, table=table)


def _renamed(table: pa.Table, names: Mapping[str, str]) -> pa.Table:
    """Give coders their names."""
    roles = table.column(ROLE).to_pylist() if ROLE in table.column_names else [None] * len(table)
    given = zip(table.column("coder").to_pylist(), roles, strict=True)
    coders = [new_name(coder, role, names) for coder, role in given]
    place = table.column_names.index("coder")
    kind = table.schema.field(place)
    return table.set_column(place, kind, pa.array(coders, kind.type))


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

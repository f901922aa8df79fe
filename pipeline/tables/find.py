"""Find an input table: its files, their columns, and the slices in which it is read."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.errors import Absent, Refused
from segscore.pipeline.storage import InputFile
from segscore.pipeline.storage.memory import readable_size, row_group_limit
from segscore.pipeline.tables.columns import Contract, contract_of
from segscore.pipeline.tables.formats.rows import Defaults, ParsedRow
from segscore.pipeline.tables.formats.segmentations import jsonl
from segscore.pipeline.tables.formats.tables import (
    document_table,
    gather_tables,
    segmentation_table,
)
from segscore.pipeline.tables.validate import schema_problems
from segscore.schemas.input_columns import INPUT_TYPES, ROLE, ROLES, TABLE_ROLES

FILES_AT_ONCE = 16
"""Number of files that are inspected at the same time, because stores respond slowly."""

ELEMENT_SIZE = 4
"""Least number of bytes of an element in memory; in a file it may take fewer."""

_IMPORTED = ("documents", "hypotheses", "references")
# Size of a line of JSON with a short segmentation; only used to divide work.
BYTES_PER_LINE = 100


@dataclass(frozen=True)
class Slice:
    """A piece of a table that is read at once: row groups of a Parquet file, or a JSONL file.

    Attributes:
        table: the input table it belongs to: references, hypotheses, documents...
        url: the file.
        row_groups: their numbers; empty for a JSONL file, which is read whole.
        first_row: number of its first row within the file.
        rows: number of rows; an estimate for a JSONL file.
        size: approximate bytes in memory.
        version: version of the file when it was found.
        ids: lower and upper bound of document_id, both inclusive; None if they are not known.
        limit: bytes that its columns may take in memory.
    """

    table: str
    url: str
    row_groups: tuple[int, ...]
    first_row: int
    rows: int
    size: int
    version: str
    ids: tuple[str, str] | None = None
    limit: int = row_group_limit(None)


@dataclass(frozen=True)
class InputTable:
    """An input table whose files were found and whose columns were checked.

    Attributes:
        name: references, hypotheses, documents or segmentations.
        files: files in the order of their names.
        slices: slices in the order of their rows.
        further: columns of any file that are not required: optional columns and attributes.
        location: the file, folder or glob that names the table.
    """

    name: str
    files: tuple[InputFile, ...]
    slices: tuple[Slice, ...]
    further: pa.Schema
    location: str = ""

    @property
    def attributes(self) -> pa.Schema:
        """The columns that are not in the schema."""
        return pa.schema([field for field in self.further if field.name not in INPUT_TYPES])


def find_table(name: str, url: str, model: Contract, memory: int | None = None) -> InputTable:
    """Find an input table and check its columns from the files' footers alone.

    Args:
        name: references, hypotheses, documents, codings or segmentations.
        url: a file, a directory or a glob.
        model: columns of the table.
        memory: bytes of a worker's memory; None for the default.

    Raises:
        Absent: the URL does not exist, or the table has no rows.
        Refused: a folder contains several tables, a file is not readable, a column is missing or of
            a wrong type, or a row group is larger than a worker can read.
    """
    files = storage.find(url)
    if name != "codings":  # codings may include both references and hypotheses
        _refuse_import(url, files)
    with ThreadPoolExecutor(FILES_AT_ONCE) as pool:
        inspected = [*pool.map(lambda file: _inspect_file(name, file), files)]
    schemas = [schema for schema, _ in inspected]
    limit = row_group_limit(memory)
    slices = [replace(piece, limit=limit) for _, pieces in inspected for piece in pieces]
    _require_fitting_row_groups(slices)
    checked: dict[pa.Schema, list[str]] = {}
    for file, schema in zip(files, schemas, strict=True):
        if schema not in checked:
            checked[schema] = schema_problems(schema, model)
        if checked[schema]:
            raise Refused(f"{file.url}: {'; '.join(checked[schema])}")
    if not any(piece.rows for piece in slices):
        raise Absent(f"{url}: the table has no rows")
    return InputTable(name, tuple(files), tuple(slices), extra_columns(name, schemas, model), url)


def _refuse_import(url: str, files: Sequence[InputFile]) -> None:
    """Refuse a folder that contains several tables, such as `segscore import` writes."""
    folders = sorted({file.url.rpartition("/")[0] for file in files})
    tables = [folder for folder in folders if folder.rpartition("/")[2] in _IMPORTED]
    if len(tables) > 1:
        raise Refused(f"{url}: contains several tables; name one of them, such as {tables[-1]}")


def _inspect_file(name: str, file: InputFile) -> tuple[pa.Schema, list[Slice]]:
    """Return the columns and slices of a file; a JSON Lines file is read to find its columns."""
    if storage.is_json_lines(file.url):
        rows = 1 + file.size // BYTES_PER_LINE
        whole = Slice(name, file.url, (), 0, rows, file.size, file.version)
        return read_json_lines(name, file.url)[0].schema, [whole]
    parquet = storage.open_parquet(file.url)
    return canonical_schema(parquet.schema_arrow), [*_row_groups(name, file, parquet.metadata)]


def _row_groups(name: str, file: InputFile, metadata: Any) -> Iterator[Slice]:
    first = 0
    paths = [metadata.schema.column(i).path for i in range(metadata.num_columns)]
    id_column = paths.index("document_id") if "document_id" in paths else None
    ignored_columns = contract_of(name).foreign
    for index in range(metadata.num_row_groups):
        group = metadata.row_group(index)
        columns = [group.column(i) for i in range(len(paths))]
        if not 0 <= group.num_rows <= min((c.num_values for c in columns), default=0):
            raise Refused(
                f"{file.url}: row group {index}: the footer states {group.num_rows:,} rows, but "
                "fewer values; the file is corrupt or forged: write it again"
            )
        ids = None if id_column is None else _bounds(columns[id_column].statistics)
        size = sum(
            max(column.total_uncompressed_size, ELEMENT_SIZE * column.num_values)
            for path, column in zip(paths, columns, strict=True)
            if path.partition(".")[0] not in ignored_columns
        )
        yield Slice(name, file.url, (index,), first, group.num_rows, size, file.version, ids)
        first += group.num_rows
    if first != metadata.num_rows:
        raise Refused(
            f"{file.url}: the footer states {metadata.num_rows:,} rows, but {first:,} in its row "
            "groups; the file is corrupt or forged: write it again"
        )


def _require_fitting_row_groups(slices: Iterable[Slice]) -> None:
    """Refuse a row group that is too large according to its file, before any work."""
    for piece in slices:
        if piece.row_groups and piece.size > piece.limit:
            raise Refused(
                f"{piece.url}: row group {piece.row_groups[0]}: its columns take "
                f"{readable_size(piece.size)} in memory, the limit is "
                f"{readable_size(piece.limit)}; raise --memory-limit or write smaller "
                "row groups"
            )


def _bounds(statistics: Any) -> tuple[str, str] | None:
    """Return the least and the greatest id of a row group; a missing id counts as empty."""
    if statistics is None or not statistics.has_min_max or not statistics.has_null_count:
        return None
    lowest, highest = statistics.min, statistics.max
    if not isinstance(lowest, str) or not isinstance(highest, str):
        return None
    return ("" if statistics.null_count else lowest), highest


def extra_columns(name: str, schemas: Sequence[pa.Schema], model: Contract) -> pa.Schema:
    """Return the columns of any file that are not required: optional columns and attributes."""
    excluded = {*model.required, *model.foreign, ROLE}
    extra = [pa.schema([f for f in schema if f.name not in excluded]) for schema in schemas]
    try:
        return pa.unify_schemas(extra, promote_options="permissive").remove_metadata()
    except (pa.ArrowInvalid, pa.ArrowTypeError) as problem:
        raise Refused(
            f"{name}: an attribute has different types in several files; use one type ({problem})"
        ) from None


def canonical_schema(schema: pa.Schema) -> pa.Schema:
    """Return the schema to read a file's columns with: the same meaning, the contract's types.

    Any integer type becomes int32, any list type a list, any string type (even a dictionary of
    strings) a string.  Other types are not changed, so that the schema check reports them.
    """
    fields = []
    for field in schema:
        if pa.types.is_dictionary(field.type):
            field = field.with_type(field.type.value_type)
        target = INPUT_TYPES.get(field.name, _plain_type(field.type))
        if _converts_to(field.type, target):
            field = field.with_type(target)
        fields.append(field.with_nullable(True).remove_metadata())
    return pa.schema(fields)


def _plain_type(attribute: pa.DataType) -> pa.DataType:
    kinds = pa.types
    is_text = kinds.is_large_string(attribute) or kinds.is_string_view(attribute)
    return pa.string() if is_text else attribute


def _converts_to(actual: pa.DataType, target: pa.DataType) -> bool:
    kinds = pa.types
    if kinds.is_list(target):
        is_list = kinds.is_list(actual) or kinds.is_large_list(actual) or kinds.is_list_view(actual)
        empty = is_list and kinds.is_null(actual.value_type)
        return is_list and (empty or _converts_to(actual.value_type, target.value_type))
    if kinds.is_integer(target):
        return bool(kinds.is_integer(actual))
    if kinds.is_floating(target):
        return bool(kinds.is_floating(actual) or kinds.is_integer(actual))
    return bool(kinds.is_large_string(actual) or kinds.is_string_view(actual))


def read_json_lines(name: str, url: str) -> tuple[pa.Table, Ints]:
    """Read a JSONL file as the named table; return it and the line of each row, from 0."""
    return gather_rows(name, jsonl.read(storage.lines(url), url, row_defaults(name), lenient=True))


def row_defaults(name: str) -> Defaults:
    """Return what rows of the named table are taken to be if they do not say."""
    return Defaults(role=TABLE_ROLES.get(name, ROLES[0]))


def gather_rows(name: str, rows: Iterable[ParsedRow]) -> tuple[pa.Table, Ints]:
    """Make the named table from rows; return it and the line of each of its rows, from 0."""
    if name == "documents":
        parsed = list(rows)
        if all(row.coder is None and row.boundaries is None for row in parsed):
            return document_table(parsed), np.array([row.line for row in parsed], np.int64) - 1
        gathered = gather_tables(parsed)
        lines = [line for _, line in gathered.document_places]
        return gathered.documents, np.array(lines, np.int64) - 1
    chosen = [row for row in rows if row.role == TABLE_ROLES.get(name, row.role)]
    lines = [row.line for row in chosen]
    return segmentation_table(chosen), np.array(lines, np.int64) - 1

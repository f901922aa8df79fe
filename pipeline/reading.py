"""An input table: its files, the slices it is read in, and where each of its rows came from."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandera.pyarrow as pap
import pyarrow as pa
import pyarrow.compute as pc

from pipeline import storage
from pipeline.errors import Absent, Refused
from pipeline.formats import jsonl
from pipeline.formats.rows import Defaults, Row
from pipeline.formats.tables import COLUMNS, document_table, gather, segmentation_table
from pipeline.segmentations import Flags, Ints, flags
from pipeline.storage import InputFile
from pipeline.validation import REJECTS, broken_rules, descriptions, schema_problems

ROLES = {"references": "reference", "codings": "reference", "hypotheses": "hypothesis"}
# A line of JSON that describes a short segmentation; only used to cut work into pieces.
BYTES_PER_LINE = 100
ROWS_AT_ONCE = 65_536
"""Rows that are validated at a time."""


@dataclass(frozen=True)
class Slice:
    """A piece of a table that is read at once: row groups of a Parquet file, or a JSONL file.

    Attributes:
        table: the input table it belongs to: references, hypotheses, documents...
        url: the file.
        row_groups: their numbers; empty for a JSONL file, which is read whole.
        first_row: number of its first row within the file.
        rows: how many rows; for a JSONL file a guess.
        version: of the file, when it was found.
    """

    table: str
    url: str
    row_groups: tuple[int, ...]
    first_row: int
    rows: int
    version: str


@dataclass(frozen=True)
class InputTable:
    """An input table whose files were found and whose columns were checked.

    Attributes:
        name: references, hypotheses, documents or segmentations.
        files: in the order of their names.
        slices: in the order of the rows.
        further: columns beyond those every file has, over all files: optional ones, attributes.
    """

    name: str
    files: tuple[InputFile, ...]
    slices: tuple[Slice, ...]
    further: pa.Schema

    @property
    def attributes(self) -> pa.Schema:
        """Columns the schema does not know."""
        return pa.schema([field for field in self.further if field.name not in COLUMNS])


def plan(name: str, url: str, model: pap.DataFrameSchema) -> InputTable:
    """Find an input table and check its columns from the files' footers alone.

    Raises:
        Absent: nothing there, or no rows.
        Refused: an unreadable file, a missing column or one of a wrong type.
    """
    files = storage.find(url)
    slices: list[Slice] = []
    schemas: list[pa.Schema] = []
    for file in files:
        if storage.is_json_lines(file.url):
            slices.append(
                Slice(name, file.url, (), 0, 1 + file.size // BYTES_PER_LINE, file.version)
            )
            schemas.append(_read_json_lines(name, file.url)[0].schema)
            continue
        parquet = storage.open_parquet(file.url)
        slices.extend(_row_groups(name, file, parquet.metadata))
        schemas.append(canonical_schema(parquet.schema_arrow))
    for file, schema in zip(files, schemas, strict=True):
        if problems := schema_problems(schema, model):
            raise Refused(f"{file.url}: {'; '.join(problems)}")
    if not any(piece.rows for piece in slices):
        raise Absent(f"{url}: the table has no rows")
    return InputTable(name, tuple(files), tuple(slices), _further(name, schemas, model))


def _row_groups(name: str, file: InputFile, metadata: Any) -> Iterator[Slice]:
    first = 0
    for group in range(metadata.num_row_groups):
        rows = metadata.row_group(group).num_rows
        yield Slice(name, file.url, (group,), first, rows, file.version)
        first += rows


def _further(name: str, schemas: Sequence[pa.Schema], model: pap.DataFrameSchema) -> pa.Schema:
    known = {each.name for each in model.columns.values() if each.required}
    known |= {"role", "unit_lengths"} - model.columns.keys()
    extra = [pa.schema([f for f in schema if f.name not in known]) for schema in schemas]
    try:
        return pa.unify_schemas(extra, promote_options="permissive").remove_metadata()
    except (pa.ArrowInvalid, pa.ArrowTypeError) as problem:
        raise Refused(f"{name}: an attribute has one type here, another there: {problem}") from None


def canonical_schema(schema: pa.Schema) -> pa.Schema:
    """The schema a file's columns are read as: equal meaning, the types of the contract.

    Any integer becomes int32, any list a list, any string (also a dictionary of strings) a string;
    what cannot be meant is left as it is, for the schema check to name.
    """
    fields = []
    for field in schema:
        if pa.types.is_dictionary(field.type):
            field = field.with_type(field.type.value_type)
        target = COLUMNS.get(field.name, _plain(field.type))
        if _means(field.type, target):
            field = field.with_type(target)
        fields.append(field.with_nullable(True).remove_metadata())
    return pa.schema(fields)


def _plain(attribute: pa.DataType) -> pa.DataType:
    kinds = pa.types
    is_text = kinds.is_large_string(attribute) or kinds.is_string_view(attribute)
    return pa.string() if is_text else attribute


def _means(found: pa.DataType, target: pa.DataType) -> bool:
    kinds = pa.types
    if kinds.is_list(target):
        is_list = kinds.is_list(found) or kinds.is_large_list(found) or kinds.is_list_view(found)
        empty = is_list and kinds.is_null(found.value_type)
        return is_list and (empty or _means(found.value_type, target.value_type))
    if kinds.is_integer(target):
        return bool(kinds.is_integer(found))
    if kinds.is_floating(target):
        return bool(kinds.is_floating(found) or kinds.is_integer(found))
    return bool(kinds.is_large_string(found) or kinds.is_string_view(found))


def _read_json_lines(name: str, url: str) -> tuple[pa.Table, Ints]:
    """Read a JSONL file as the table of that name; the line of each row, counted from 0."""
    defaults = Defaults(role=ROLES.get(name, "reference"))
    rows: Iterable[Row] = jsonl.read(storage.lines(url), url, defaults, lenient=True)
    if name == "documents":
        listed = list(rows)
        if all(row.coder is None and row.boundaries is None for row in listed):
            return document_table(listed), np.array([row.line for row in listed], np.int64) - 1
        gathered = gather(listed)
        lines = [line for _, line in gathered.document_places]
        return gathered.documents, np.array(lines, np.int64) - 1
    chosen = [row for row in rows if name not in ROLES or row.role == defaults.role]
    lines = [row.line for row in chosen]
    return segmentation_table(chosen), np.array(lines, np.int64) - 1


def _of_other_role(name: str, table: pa.Table) -> Flags | None:
    """Which rows of a table that holds both roles belong to the other one."""
    if name not in ROLES or "role" not in table.column_names:
        return None
    other = "reference" if ROLES[name] == "hypothesis" else "hypothesis"
    role = table.column("role").combine_chunks()
    return flags(pc.fill_null(pc.equal(role.cast(pa.string()), other), False))


@dataclass(frozen=True)
class Rows:
    """Rows of an input table, each knowing where it came from.

    Attributes:
        name: the input table.
        table: columns of the contract's types, one chunk each.
        urls: the files they came from.
        file: index into ``urls``, shape (rows,).
        row: number of the row within its file, of a JSONL file the line, from 0, shape (rows,).
    """

    name: str
    table: pa.Table
    urls: tuple[str, ...]
    file: Ints
    row: Ints

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def keep(self, good: Flags) -> "Rows":
        """The rows marked good, shape (rows,)."""
        if good.all():
            return self
        chosen = np.flatnonzero(good)
        return self.take(chosen)

    def take(self, chosen: Ints) -> "Rows":
        """The rows with these numbers, in this order."""
        table = in_one_chunk(self.table.take(pa.array(chosen)))
        return replace(self, table=table, file=self.file[chosen], row=self.row[chosen])

    def part(self, start: int, end: int) -> "Rows":
        """The rows from start to end, one past the last, without a copy."""
        if (start, end) == (0, len(self)):
            return self
        table = in_one_chunk(self.table.slice(start, end - start))
        return replace(self, table=table, file=self.file[start:end], row=self.row[start:end])

    def listed(self, chosen: Ints) -> dict[str, pa.Array]:
        """Where some rows came from and what they are called, for the tables that list rows."""
        table = self.table.take(pa.array(chosen))
        nothing = pa.nulls(len(chosen), pa.string())
        named = "coder" in table.column_names
        return {
            "table": pa.array([self.name] * len(chosen), pa.string()),
            "source": pa.array([self.urls[i] for i in self.file[chosen].tolist()], pa.string()),
            "row": pa.array(self.row[chosen]),
            "document_id": table.column("document_id").combine_chunks(),
            "coder": table.column("coder").combine_chunks() if named else nothing,
        }

    def rejects(self, broken: Mapping[int, tuple[str, str]]) -> pa.Table:
        """List refused rows (schemas/rejects.py): row number -> (rule, detail)."""
        chosen = np.array(sorted(broken), np.int64)
        rules, details = (
            zip(*(broken[i] for i in chosen.tolist()), strict=True) if broken else ((), ())
        )
        columns = self.listed(chosen)
        columns["rule"] = pa.array(rules, pa.string())
        columns["detail"] = pa.array(details, pa.string())
        return pa.table(columns).select(REJECTS.names)


def read(piece: Slice, further: pa.Schema) -> Rows:
    """Read a slice, with all columns and of the types that they have over the whole table.

    Raises:
        Refused: a value is beyond its column's type, or the file broke since planning.
        Failed: the file was replaced since planning.
    """
    if not piece.row_groups:
        table, row = _read_json_lines(piece.table, piece.url)
        other = None
    else:
        try:
            file = storage.open_parquet(piece.url)
            wanted = _wanted(piece.table, file.schema_arrow.names, further)
            table = file.read_row_groups(list(piece.row_groups), columns=wanted)
        except (OSError, pa.ArrowException) as problem:
            raise Refused(f"{piece.url}: cannot be read ({problem})") from problem
        row = piece.first_row + np.arange(table.num_rows)
        other = _of_other_role(piece.table, table)
    storage.require_version(piece.url, piece.version)
    try:
        table = table.cast(canonical_schema(table.schema))
        for field in further:
            values = pa.nulls(table.num_rows, field.type)
            if field.name in table.column_names:
                values = table.column(field.name).cast(field.type)
                table = table.drop_columns([field.name])
            table = table.append_column(field, values)
        first = [name for name in COLUMNS if name in table.column_names]
        table = table.select([*first, *(name for name in further.names if name not in first)])
    except pa.ArrowInvalid as problem:
        raise Refused(f"{piece.url}: {problem}") from problem
    table = in_one_chunk(table)
    rows = Rows(piece.table, table, (piece.url,), np.zeros(len(row), np.int64), row)
    return rows if other is None else rows.keep(~other)


def _wanted(name: str, there: Sequence[str], further: pa.Schema) -> list[str]:
    """Columns of a file that a task needs; what a segmentation says of its words it does not."""
    known = {*COLUMNS, "role", *further.names}
    if name != "documents":
        known -= {"unit_lengths", "unit_weights"}
    return [column for column in there if column in known]


def in_one_chunk(table: pa.Table) -> pa.Table:
    """The same table, each column one contiguous array (also where there are no rows)."""
    columns = [table.column(name) for name in table.column_names]
    arrays = [each.chunk(0) if each.num_chunks == 1 else each.combine_chunks() for each in columns]
    return pa.Table.from_arrays(arrays, schema=table.schema)


def join(parts: Sequence[Rows]) -> Rows:
    """Put rows of one table end to end."""
    urls = tuple(dict.fromkeys(url for part in parts for url in part.urls))
    file = [np.array([urls.index(url) for url in part.urls], np.int64)[part.file] for part in parts]
    table = in_one_chunk(pa.concat_tables([part.table for part in parts]))
    row = np.concatenate([part.row for part in parts])
    return Rows(parts[0].name, table, urls, np.concatenate(file), row)


def validate(rows: Rows, model: pap.DataFrameSchema) -> tuple[Rows, pa.Table]:
    """Part the rows that keep every rule from a list of those that do not.

    Returns:
        The good rows, and the others as a rejects table.
    """
    good = np.ones(len(rows), bool)
    refused = [REJECTS.empty_table()]
    for start in range(0, len(rows), ROWS_AT_ONCE):
        # What breaks a rule is told in Python objects, so not too much of it at a time.
        portion = rows.part(start, min(start + ROWS_AT_ONCE, len(rows)))
        broken = broken_rules(portion.table, model)
        good[[start + i for i in broken]] = False
        refused.append(_refused(portion, broken, descriptions(model)))
    return rows.keep(good), pa.concat_tables(refused)


def _refused(rows: Rows, broken: Mapping[int, str], asked: Mapping[str, str]) -> pa.Table:
    return rows.rejects(
        {i: (rule, f"{asked[rule]}: {_shown(rows.table, i)}") for i, rule in broken.items()}
    )


def read_valid(table: InputTable, model: pap.DataFrameSchema) -> tuple[Rows, pa.Table]:
    """Read a whole table: the rows that keep every rule each for itself, and the rejects.

    Raises:
        Absent: the table has no rows at all.
        Refused: as ``read`` does.
    """
    checked = [validate(read(piece, table.further), model) for piece in table.slices]
    if not sum(len(rows) + refused.num_rows for rows, refused in checked):
        raise Absent(f"{table.files[0].url}: the table has no rows")
    return join([rows for rows, _ in checked]), pa.concat_tables([bad for _, bad in checked])


def _shown(table: pa.Table, row: int) -> str:
    """Show what a row holds, but not millions of its elements."""
    parts = []
    for name in table.column_names:
        if name not in COLUMNS or name in ("document_id", "coder"):
            continue
        value = table.column(name)[row]
        if not value.is_valid or not pa.types.is_list(value.type):
            parts.append(f"{name} {value.as_py()}")
            continue
        first = ", ".join(str(element) for element in value.values[:SHOWN].to_pylist())
        more = f", … {len(value.values)} in all" if len(value.values) > SHOWN else ""
        parts.append(f"{name} [{first}{more}]")
    return ", ".join(parts)


SHOWN = 12
"""Elements of a list that a message shows."""


def refuse(rows: Rows, broken: Flags, rule: str, reason: str) -> tuple[Rows, pa.Table]:
    """Part rows that break a rule between rows from the others; list them with the reason."""
    listed = rows.rejects(dict.fromkeys(np.flatnonzero(broken).tolist(), (rule, reason)))
    return rows.keep(~broken), listed

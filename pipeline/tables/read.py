"""Read the rows of an input table with their sources, validate them, and separate rejects."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import repeat

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline import storage
from segscore.pipeline.arrays.document_ids import IndexedDocuments, index_documents
from segscore.pipeline.arrays.ragged import Categorical, Flags, Ints, encode, flags
from segscore.pipeline.errors import Absent, OtherRole, Unreadable
from segscore.pipeline.tables.column_types import convert_columns
from segscore.pipeline.tables.columns import DOCUMENTS, Contract, contract_of
from segscore.pipeline.tables.find import InputTable, Slice, read_json_lines
from segscore.pipeline.tables.path_columns import with_path_columns
from segscore.pipeline.tables.quick_check import documents_are_sound, is_sound
from segscore.pipeline.tables.validate import REJECT_COLUMNS, broken_rules, descriptions
from segscore.schemas.input_columns import INPUT_TYPES, ROLE, TABLE_ROLES

_ROWS_AT_ONCE = 65_536
"""Number of rows that are validated at a time."""

BYTES_AT_ONCE = 2**28
"""The most bytes of a batch in memory, unless a single slice has more."""

_SLICES_AT_ONCE = 4
"""Number of slices of a table that are read at the same time, because stores respond slowly."""


def _of_other_role(name: str, table: pa.Table) -> Flags | None:
    """Return which rows have the other role than the table's; None if the table has no roles."""
    if name not in TABLE_ROLES or ROLE not in table.column_names:
        return None
    role = table.column(ROLE).combine_chunks().cast(pa.string())
    return flags(pc.fill_null(pc.equal(role, TABLE_ROLES[_opposite(name)]), False))


@dataclass(frozen=True)
class Rows:
    """Rows of an input table, with the file and row number that each was read from.

    Attributes:
        name: name of the input table.
        table: columns of the contract's types, one chunk each.
        urls: files that the rows were read from.
        file: index into ``urls`` for each row, shape (rows,).
        row: number of each row in its file (in a JSONL file, of its line), from 0, shape (rows,).
    """

    name: str
    table: pa.Table
    urls: tuple[str, ...]
    file: Ints
    row: Ints

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @property
    def ids(self) -> pa.StringArray:
        """Name of the document of each row, shape (rows,)."""
        return self.table.column("document_id").chunk(0)

    @cached_property
    def coders(self) -> Categorical:
        """The coder of each segmentation."""
        return encode(self.table.column("coder").chunk(0))

    @cached_property
    def numbered(self) -> IndexedDocuments:
        """The documents of the rows."""
        return index_documents(self.ids)

    def keep(self, mask: Flags) -> "Rows":
        """Return the rows for which ``mask`` is true, shape (rows,)."""
        if mask.all():
            return self
        return self.take(np.flatnonzero(mask))

    def take(self, chosen: Ints) -> "Rows":
        """Return the rows with these numbers, in this order."""
        table = in_one_chunk(self.table.take(pa.array(chosen)))
        return replace(self, table=table, file=self.file[chosen], row=self.row[chosen])

    def part(self, start: int, end: int) -> "Rows":
        """Return rows start..end-1, without a copy."""
        if (start, end) == (0, len(self)):
            return self
        table = in_one_chunk(self.table.slice(start, end - start))
        return replace(self, table=table, file=self.file[start:end], row=self.row[start:end])

    def listed(self, chosen: Ints) -> dict[str, pa.Array]:
        """Return source, document and coder of some rows, as columns of tables that list rows."""
        table = self.table.take(pa.array(chosen))
        nothing = pa.nulls(len(chosen), pa.string())
        has_coder = "coder" in table.column_names
        return {
            "table": pa.array([self.name] * len(chosen), pa.string()),
            "source": pa.array([self.urls[i] for i in self.file[chosen].tolist()], pa.string()),
            "row": pa.array(self.row[chosen]),
            "document_id": table.column("document_id").combine_chunks(),
            "coder": table.column("coder").combine_chunks() if has_coder else nothing,
        }

    def rejects(self, broken: Mapping[int, tuple[str, str]]) -> pa.Table:
        """Return a table of rejects (schemas/rejects.py), given row number -> (rule, detail)."""
        chosen = np.array(sorted(broken), np.int64)
        rules, details = (
            zip(*(broken[i] for i in chosen.tolist()), strict=True) if broken else ((), ())
        )
        columns = self.listed(chosen)
        columns["rule"] = pa.array(rules, pa.string())
        columns["detail"] = pa.array(details, pa.string())
        return pa.table(columns).select(REJECT_COLUMNS.names)


def read_slice(piece: Slice, further: pa.Schema) -> Rows:
    """Read a slice, with the columns and the types that the whole table has.

    Raises:
        Refused: a value does not fit its column's type, the file has become unreadable since
            planning, or the rows take more memory than the limit.
        Failed: the file was replaced since planning.
    """
    if not piece.row_groups:
        table, row = read_json_lines(piece.table, piece.url, piece.limit)
    else:
        choose = partial(needed_columns, piece.table, further=further)
        table = storage.read_row_groups(piece.url, piece.row_groups, choose, piece.limit)
        row = piece.first_row + np.arange(table.num_rows)
    storage.require_version(piece.url, piece.version)
    conformed, other = conform(table, piece, further)
    rows = Rows(piece.table, conformed, (piece.url,), np.zeros(len(row), np.int64), row)
    return rows if other is None else rows.keep(~other)


def read_slices(pieces: Sequence[Slice], further: pa.Schema) -> Iterator[Rows]:
    """Yield the rows of each slice, in their order; several are read at a time.

    Raises:
        Refused, Failed: as ``read_slice``.
    """
    if len(pieces) == 1:
        yield read_slice(pieces[0], further)
        return
    with ThreadPoolExecutor(_SLICES_AT_ONCE) as pool:
        yield from pool.map(partial(read_slice, further=further), pieces)


def conform(table: pa.Table, piece: Slice, further: pa.Schema) -> tuple[pa.Table, Flags | None]:
    """Return the rows of a slice with the columns and the types that the whole table has.

    Return also which of them have the role of another table; None if none can have.

    Raises:
        Unreadable: a value does not fit its column's type.
    """
    try:
        table = convert_columns(table, piece.url, piece.first_row)
        table = with_path_columns(table, piece.path_values, piece.url)
        other = _of_other_role(piece.table, table)
        columns = dict(zip(table.column_names, table.columns, strict=True))
        for field in further:
            given = columns.get(field.name)
            columns[field.name] = (
                pa.nulls(table.num_rows, field.type) if given is None else given.cast(field.type)
            )
    except pa.ArrowInvalid as problem:
        raise Unreadable(f"{piece.url}: {problem}") from problem
    names = [name for name in (*INPUT_TYPES, *further.names) if name in columns]
    conformed = pa.table({name: columns[name] for name in names})
    return in_one_chunk(conformed), other


def needed_columns(name: str, names: Sequence[str], further: pa.Schema) -> list[str]:
    """List the columns of a file that a task needs."""
    needed = {*contract_of(name).required, ROLE, *further.names}
    return [column for column in names if column in needed]


def in_one_chunk(table: pa.Table) -> pa.Table:
    """Return the same table with each column as one contiguous array, even without rows."""
    columns = [table.column(name) for name in table.column_names]
    arrays = [
        column.chunk(0) if column.num_chunks == 1 else column.combine_chunks() for column in columns
    ]
    return pa.Table.from_arrays(arrays, schema=table.schema)


def with_column(table: pa.Table, name: str, values: pa.Array) -> pa.Table:
    """Return a table in which a column has other values, or to which it is added as the last."""
    if name in table.column_names:
        return table.set_column(table.column_names.index(name), name, values)
    return table.append_column(name, values)


def join_rows(parts: Sequence[Rows]) -> Rows:
    """Concatenate rows of one table."""
    urls = tuple(dict.fromkeys(url for part in parts for url in part.urls))
    file = [np.array([urls.index(url) for url in part.urls], np.int64)[part.file] for part in parts]
    table = in_one_chunk(pa.concat_tables([part.table for part in parts]))
    row = np.concatenate([part.row for part in parts])
    return Rows(parts[0].name, table, urls, np.concatenate(file), row)


def batches_of(
    slices: Iterable[Slice], rows: int, size: int = BYTES_AT_ONCE
) -> list[tuple[Slice, ...]]:
    """Divide slices into batches of consecutive ones.

    A batch has at most so many rows and bytes in memory, unless a single slice has more.
    """
    batches: list[list[Slice]] = []
    rows_in_batch, size_of_batch = 0, 0
    for piece in slices:
        if not batches or rows_in_batch + piece.rows > rows or size_of_batch + piece.size > size:
            batches.append([])
            rows_in_batch, size_of_batch = 0, 0
        batches[-1].append(piece)
        rows_in_batch, size_of_batch = rows_in_batch + piece.rows, size_of_batch + piece.size
    return [tuple(batch) for batch in batches]


def no_rows(table: InputTable, model: Contract) -> Rows:
    """Return no rows, with the columns that ``read_slice`` returns for a table."""
    required = [(name, INPUT_TYPES[name]) for name in model.required]
    optional = [field for field in table.further if field.name in INPUT_TYPES]
    schema = pa.schema([*required, *optional, *table.attributes])
    nothing = np.zeros(0, np.int64)
    return Rows(table.name, in_one_chunk(schema.empty_table()), (), nothing, nothing)


def validate_rows(rows: Rows, model: Contract) -> tuple[Rows, pa.Table]:
    """Separate the rows that obey every rule from those that do not, which become rejects."""
    if model.name == DOCUMENTS.name:
        sound = documents_are_sound(rows.table)
    else:
        sound = is_sound(rows.table, open_ended=model.open_ended)
    if sound:
        return rows, REJECT_COLUMNS.empty_table()
    valid = np.ones(len(rows), bool)
    rejects = [REJECT_COLUMNS.empty_table()]
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        # Broken rules are reported as Python objects, so limit the number of rows.
        portion = rows.part(start, min(start + _ROWS_AT_ONCE, len(rows)))
        broken = broken_rules(portion.table, model)
        valid[[start + i for i in broken]] = False
        rejects.append(_reject_table(portion, broken, descriptions(model)))
    return rows.keep(valid), pa.concat_tables(rejects)


def _reject_table(rows: Rows, broken: Mapping[int, str], rules: Mapping[str, str]) -> pa.Table:
    return rows.rejects(
        {i: (rule, f"{rules[rule]}: {_shown(rows.table, i)}") for i, rule in broken.items()}
    )


def read_valid(table: InputTable, model: Contract) -> tuple[Rows, pa.Table]:
    """Read a whole table; return the rows that are valid on their own, and the rejects.

    Several slices are read at a time.

    Raises:
        Absent: the table has no rows, or only some with the role of another table.
        Refused: as ``read_slice``.
    """

    def read(piece: Slice) -> tuple[Rows, pa.Table]:
        return validate_rows(read_slice(piece, table.further), model)

    with ThreadPoolExecutor(_SLICES_AT_ONCE) as pool:
        checked = [*pool.map(read, table.slices)]
    if not sum(len(rows) + rejects.num_rows for rows, rejects in checked):
        raise no_rows_error(table)
    rejects = pa.concat_tables([rejects for _, rejects in checked])
    return join_rows([rows for rows, _ in checked]), rejects


def no_rows_error(table: InputTable) -> Absent:
    """Return the error to raise if no row of a table was read."""
    if table.name in TABLE_ROLES:
        pieces = (replace(piece, table=_opposite(table.name)) for piece in table.slices)
        rows = sum(len(read_slice(piece, table.further)) for piece in pieces)
        if rows:
            return other_role_error(table.name, table.location, rows)
    return Absent(f"{table.location}: the table has no rows")


def other_role_error(name: str, location: str, rows: int) -> OtherRole:
    """Return the error to raise if all rows of a table have the role of another table."""
    return OtherRole(
        f"{location}: no row has the role {TABLE_ROLES[name]}, but {rows} "
        f"{'has' if rows == 1 else 'have'} the role {TABLE_ROLES[_opposite(name)]}; exchange the "
        "tables of references and hypotheses, or name another file"
    )


def _opposite(name: str) -> str:
    """Return the table that takes the rows of the other role."""
    return next(other for other, role in TABLE_ROLES.items() if role != TABLE_ROLES[name])


def _shown(table: pa.Table, row: int) -> str:
    """Format the values of a row for a message, with at most ``_SHOWN`` elements of a list."""
    parts = []
    for name in table.column_names:
        if name not in INPUT_TYPES or name in ("document_id", "coder"):
            continue
        value = table.column(name)[row]
        if not value.is_valid or not pa.types.is_list(value.type):
            parts.append(f"{name} {_shown_value(value.as_py())}")
            continue
        first = ", ".join(map(_shown_value, value.values[:_SHOWN].to_pylist()))
        more = f", … {len(value.values):,} in all" if len(value.values) > _SHOWN else ""
        parts.append(f"{name} [{first}{more}]")
    return ", ".join(parts)


_SHOWN = 12
"""Number of elements of a list that a message shows."""


def _shown_value(value: object) -> str:
    return "null" if value is None else str(value)


def refuse(
    rows: Rows, broken: Flags, rule: str, reason: str | Iterable[str]
) -> tuple[Rows, pa.Table]:
    """Separate the rows that break a rule, shape (rows,), from the others, and list them.

    There is one reason for all rejects, or one for each.
    """
    if not broken.any():
        return rows, REJECT_COLUMNS.empty_table()
    row_numbers = np.flatnonzero(broken).tolist()
    reasons = repeat(reason) if isinstance(reason, str) else reason
    rejects = rows.rejects(dict(zip(row_numbers, zip(repeat(rule), reasons), strict=False)))
    return rows.keep(~broken), rejects

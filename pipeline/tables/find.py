"""Find an input table: its files, their columns, and the slices in which it is read."""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from itertools import starmap
from typing import Any

import numpy as np
import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.errors import Absent, Refused, nearest
from segscore.pipeline.storage import InputFile
from segscore.pipeline.storage.listed_files import is_run_file
from segscore.pipeline.storage.memory import readable_size, row_group_limit
from segscore.pipeline.tables.answer_accounts import Accounts, add_accounts, recorded_accounts
from segscore.pipeline.tables.column_types import canonical_schema, describe_conversions
from segscore.pipeline.tables.columns import DOCUMENTS, Contract, contract_of, extra_columns
from segscore.pipeline.tables.describe_documents import describe_documents
from segscore.pipeline.tables.json_blocks import BLOCK, JsonLines, whole_lines
from segscore.pipeline.tables.mixed_attributes import Located, describe_mixed, find_first_values
from segscore.pipeline.tables.parsed_table import (
    attribute_names,
    documents_of,
    join_stated,
    rows_of_role,
    segmentations_of,
)
from segscore.pipeline.tables.path_columns import TRIAL, PathValues, path_columns, path_fields
from segscore.pipeline.tables.rows import Defaults
from segscore.pipeline.tables.trial_files import numbered_as_trials
from segscore.pipeline.tables.units import (
    one_unit,
    recorded_answers,
    recorded_projection,
    recorded_regions,
    recorded_unit,
)
from segscore.pipeline.tables.validate import schema_problems
from segscore.schemas.input_columns import INPUT_TYPES, ROLES, TABLE_ROLES

FILES_AT_ONCE = 16
"""Number of files that are inspected at the same time, because stores respond slowly."""

ELEMENT_SIZE = 4
"""Least number of bytes of an element in memory; in a file it may take fewer."""

_IMPORTED = ("documents", "hypotheses", "references")
_AGREED = "confidence"
"""The folder beside references that `segscore consensus` writes."""

_LIKE_CODER = ("annotator", "system", "rater", "model", "team")
"""Fields that may be meant as the coder; a file that has one is not named by its name."""


@dataclass(frozen=True)
class Slice:
    """A piece of a table that is read at once: row groups of a Parquet file, or a JSONL file.

    Attributes:
        table: the input table it belongs to: references, hypotheses, documents...
        url: the file.
        row_groups: their numbers; empty for a JSONL file, which is read whole.
        first_row: number of its first row within the file.
        rows: number of rows.
        size: approximate bytes in memory.
        version: version of the file when it was found.
        ids: lower and upper bound of document_id, both inclusive; None if they are not known.
        limit: bytes that its columns may take in memory.
        path_values: columns that the folders of the file name, with their values.
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
    path_values: PathValues = ()


@dataclass(frozen=True)
class InputTable:
    """An input table whose files were found and whose columns were checked.

    Attributes:
        name: references, hypotheses, documents or segmentations.
        files: files in the order of their names.
        slices: slices in the order of their rows.
        further: columns of any file that are not required: optional columns and attributes.
        location: the file, folder or glob that names the table.
        unit: unit of its positions and lengths, such as millisecond; None if no file states it.
        answers: how an import read answers of language models; None if it read none.
        projected: how boundaries were carried from another transcript; None if they were not.
        regions: digest of the regions that documents were cut to; None if they were not.
        accounts: system -> what became of its answers, of the systems of such imports.
        warnings: what was adapted to read the table.
        plain: the rows of a plain table of attributes of documents; None for all other tables.
    """

    name: str
    files: tuple[InputFile, ...]
    slices: tuple[Slice, ...]
    further: pa.Schema
    location: str = ""
    unit: str | None = None
    answers: str | None = None
    projected: str | None = None
    regions: str | None = None
    accounts: Accounts = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    plain: pa.Table | None = None

    @property
    def attributes(self) -> pa.Schema:
        """The columns that are not in the schema."""
        return pa.schema([field for field in self.further if field.name not in INPUT_TYPES])


def tables_in_unit(tables: Iterable[InputTable], unit: str | None) -> list[InputTable]:
    """Return tables, of which those that do not state a unit have one; None for none.

    Without a unit, a table with a text column `unit` has a warning: it is an attribute.

    Raises:
        Refused: the tables state another unit, or different ones.
    """
    found = [*tables]
    stated = one_unit({table.location: table.unit for table in found})
    if unit is None:
        return found if stated is not None else [*map(_with_doubt_about_unit, found)]
    if stated not in (None, unit):
        raise Refused(f"--unit {unit}: the tables count {stated}s, as they say; omit it")
    return [replace(table, unit=unit) for table in found]


def _with_doubt_about_unit(table: InputTable) -> InputTable:
    named = [field for field in table.attributes if field.name == "unit"]
    if table.name == DOCUMENTS.name or not any(pa.types.is_string(one.type) for one in named):
        return table
    doubt = (
        f"{table.location}: its column unit is read as an attribute; if positions are counted in "
        "what it names, pass --unit, such as --unit millisecond"
    )
    return replace(table, warnings=(*table.warnings, doubt))


def find_table(
    name: str,
    url: str,
    model: Contract,
    memory: int | None = None,
    left_out: Collection[str] = (),
    *,
    trials: bool = False,
) -> InputTable:
    """Find an input table and check its columns from the files' footers alone.

    A worker has ``memory`` bytes; None is the default. Files with URLs in ``left_out`` are not
    read. With ``trials``, each file or folder is a trial.

    Raises:
        Absent: the URL does not exist, or the table has no rows.
        Refused: a folder contains several tables, a file is not readable, a column is missing or of
            a wrong type, or a row group is larger than a worker can read.
    """
    found = storage.find_counted(url)
    if left_out:
        found = replace(found, files=[file for file in found.files if file.url not in left_out])
    return check_files(name, url, found, model, memory, trials=trials)


def check_files(
    name: str,
    url: str,
    found: storage.Found,
    model: Contract,
    memory: int | None = None,
    *,
    trials: bool = False,
) -> InputTable:
    """Check the columns of files that were found; as ``find_table``."""
    files = found.files
    path_values = path_columns(url, [file.url for file in files])
    if trials:
        path_values = numbered_as_trials(url, [file.url for file in files], path_values)
    else:
        require_one_table(name, url, files)
    limit = row_group_limit(memory)
    with ThreadPoolExecutor(FILES_AT_ONCE) as pool:
        inspected = [*pool.map(partial(_inspect_file, name, limit), files, path_values)]
    schemas = [file.schema for file in inspected]
    slices = [replace(piece, limit=limit) for file in inspected for piece in file.slices]
    _require_fitting_row_groups(slices)
    problems = {schema: schema_problems(schema, model) for schema in {*schemas}}
    for file, schema in zip(files, schemas, strict=True):
        if problems[schema]:
            raise Refused(f"{file.url}: {'; '.join(problems[schema])}")
    if not any(piece.rows for piece in slices):
        raise Absent(f"{url}: the table has no rows")
    further = extra_columns(name, [file.url for file in files], schemas, model)
    unit = one_unit(
        {file.url: inspection.unit for file, inspection in zip(files, inspected, strict=True)}
    )
    accounts = add_accounts(
        (file.url.rpartition("/")[0], one.accounts)
        for file, one in zip(files, inspected, strict=True)
    )
    return InputTable(
        name,
        tuple(files),
        tuple(slices),
        further,
        url,
        unit,
        answers=_joined(one.answers for one in inspected),
        projected=_joined(one.projected for one in inspected),
        regions=_joined(one.regions for one in inspected),
        accounts=accounts,
        warnings=(*storage.describe_left_out(name, found), *_warnings(name, inspected)),
    )


def _joined(stated: Iterable[str | None]) -> str | None:
    """Join what files state, each text once; None if none of them states anything."""
    return "+".join(sorted({text for text in stated if text is not None})) or None


def require_one_table(name: str, url: str, files: Sequence[InputFile]) -> None:
    """Refuse a folder that contains several tables, such as a run or what `import` writes.

    Codings may include both references and hypotheses.
    """
    folders = sorted({file.url.rpartition("/")[0] for file in files})
    tables = {folder.rpartition("/")[2]: folder for folder in folders}
    if len(tables) > 1 and all(is_run_file(file.url) for file in files):
        raise Refused(
            f"{url}: is the folder of a run, not an input table; name a table of {name}, such as "
            f"one that the run read: `inputs` in {storage.join(url, 'run.json')} lists their files"
        )
    tables = {table: folder for table, folder in tables.items() if table in (*_IMPORTED, _AGREED)}
    if len(tables) > 1 and (name != "codings" or not {"documents", _AGREED}.isdisjoint(tables)):
        suggested = tables.get(name, [*tables.values()][-1])
        raise Refused(
            f"{url}: contains several tables ({', '.join(tables)}); name one of them, such as "
            f"{suggested}"
        )


@dataclass(frozen=True)
class _Inspected:
    """What the footer of a file says; a JSON Lines file is read for it.

    Its columns have the types that they are read as. What the metadata may state besides is None if
    they do not; the accounts of answers are then empty. ``adapted`` says which columns are
    converted or left out.
    """

    schema: pa.Schema
    slices: list[Slice]
    unit: str | None
    answers: str | None
    projected: str | None
    regions: str | None
    accounts: str
    adapted: frozenset[str]


def _inspect_file(name: str, limit: int, file: InputFile, path_values: PathValues) -> _Inspected:
    if storage.is_json_lines(file.url):
        clauses: set[str] = set()
        table, _ = read_json_lines(name, file.url, limit, clauses)
        size = file.size if storage.is_plain(file.url) else table.nbytes
        rows = max(1, table.num_rows)  # one of the other role alone is not an empty table
        slices = [Slice(name, file.url, (), 0, rows, size, file.version)]
        if team := _team_of(name, file.url, table, limit, path_values):
            path_values = (*path_values, ("coder", team))
            clauses.add(f"{team}, the name of its file, is the system where no coder is named")
        given = [field.name for field in path_fields(path_values)]
        _require_columns(name, file.url, table, limit, given)
        schema = table.schema
        adapted = frozenset(clauses)
        unit, answers, projected, regions, accounts = None, None, None, None, ""
    else:
        parquet = storage.open_parquet(file.url)
        schema = canonical_schema(parquet.schema_arrow)
        slices = [*_row_groups(name, file, parquet.metadata)]
        adapted = frozenset(describe_conversions(contract_of(name), parquet.schema_arrow))
        unit = recorded_unit(parquet.schema_arrow)
        answers = recorded_answers(parquet.schema_arrow)
        projected = recorded_projection(parquet.schema_arrow)
        regions = recorded_regions(parquet.schema_arrow)
        accounts = recorded_accounts(parquet.schema_arrow)
    for column in path_fields(path_values):
        schema = schema if column.name in schema.names else schema.append(column)
    document = dict(path_values).get("document_id")
    ids = (document, document) if isinstance(document, str) else None
    slices = [replace(s, path_values=path_values, ids=ids or s.ids) for s in slices]
    return _Inspected(schema, slices, unit, answers, projected, regions, accounts, adapted)


def _team_of(
    name: str, url: str, table: pa.Table, limit: int, path_values: PathValues
) -> str | None:
    """Return the name of a file of hypotheses, if nothing in it or around it names a coder."""
    named = {column.name for column in path_fields(path_values)}
    if name != "hypotheses" or named & {"coder", TRIAL} or not len(table):
        return None
    if table.column("coder").null_count < len(table):
        return None
    blocks = whole_lines(storage.text_chunks(url, BLOCK, limit))
    if any(f'"{key}"'.encode() in block for block in blocks for key in ("coder", *_LIKE_CODER)):
        return None
    return url.rpartition("/")[2].partition(".")[0] or None


def _require_columns(
    name: str, url: str, table: pa.Table, limit: int, given: Collection[str]
) -> None:
    """Refuse a JSONL file in which no row has a column that the named table must have.

    Where only some rows lack it, or all have null, each row is rejected.

    Columns in ``given`` are named by the folders of the file. A compressed file may have ``limit``
    bytes.
    """
    for column in contract_of(name).required:
        # The number of units of segmentations may be unknown, with --length-tolerance.
        optional = column in given or (column == "n_units" and name != DOCUMENTS.name)
        if optional or not len(table) or table.column(column).null_count < len(table):
            continue
        key = f'"{column}"'.encode()
        chunks = storage.text_chunks(url, BLOCK, limit)
        if not any(key in block for block in whole_lines(chunks)):
            first = next(whole_lines(storage.text_chunks(url, BLOCK, limit)), b"")
            others = [other for other in keys_of_first(first) if other not in INPUT_TYPES]
            raise Refused(f"{url}: column {column} is missing{nearest(column, others)}")


def keys_of_first(lines: bytes) -> list[str]:
    """Return the keys of the first line of JSONL, also of values that no column can hold."""
    try:
        row = json.loads(lines.lstrip().partition(b"\n")[0])
    except (ValueError, RecursionError):
        return []  # the line is rejected
    return [*row] if isinstance(row, dict) else []


def _warnings(name: str, inspected: Iterable[_Inspected]) -> Iterator[str]:
    """Say in one line what is adapted in the files of a table."""
    adapted = sorted({text for file in inspected for text in file.adapted})
    if adapted:
        yield f"{name}: {'; '.join(adapted)}"


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
    try:
        lowest, highest = statistics.min, statistics.max
    except UnicodeDecodeError:  # the id is refused when it is read
        return None
    if not isinstance(lowest, str) or not isinstance(highest, str):
        return None
    return ("" if statistics.null_count else lowest), highest


def read_json_lines(
    name: str, url: str, limit: int, adapted: set[str] | None = None
) -> tuple[pa.Table, Ints]:
    """Read a JSONL file as the named table; return it and the line of each row, from 0.

    A compressed file may have ``limit`` bytes. A clause about each column that is converted or left
    out, and about each attribute of several types, is added to ``adapted``, unless it is None.
    """
    reader = _json_lines(name, url, set() if adapted is None else adapted)
    blocks = [*reader.read(storage.text_chunks(url, BLOCK, limit))]
    stated = join_stated([table for table, _ in blocks])
    if adapted is not None:
        adapted |= {f"{text}; both are read as text" for text in _mixed(url, blocks)}
    lines = np.concatenate([np.zeros(0, np.int64), *(lines for _, lines in blocks)])
    return select_named(name, stated, url, lines)


def _mixed(url: str, blocks: Iterable[tuple[pa.Table, Ints]]) -> list[str]:
    """Describe the attributes of a JSONL file with values of several types."""

    def located(table: pa.Table, lines: Ints) -> Located:
        return table, lambda row: (url, int(lines[row]))

    return describe_mixed([(find_first_values(starmap(located, blocks)), 0)])


def _json_lines(name: str, url: str, adapted: set[str], *, rejecting: bool = False) -> JsonLines:
    def decode(block: bytes, line: int) -> Iterator[str]:
        return storage.decoded_lines(url, BytesIO(block), line)

    return JsonLines(
        url, row_defaults(name), decode, lenient=True, adapted=adapted, rejecting=rejecting
    )


def unreadable_lines(name: str, url: str) -> Iterator[str]:
    """Yield a message about each line of a JSONL file that cannot be read as the named table."""
    reader = _json_lines(name, url, set(), rejecting=True)
    given = 0
    for _ in reader.read(storage.text_chunks(url, BLOCK, row_group_limit(None))):
        yield from (message for _, message in reader.bad_lines[given:])
        given = len(reader.bad_lines)


def row_defaults(name: str) -> Defaults:
    """Return the values of rows of the named table that do not give them."""
    return Defaults(role=TABLE_ROLES.get(name, ROLES[0]))


def select_named(name: str, stated: pa.Table, url: str, lines: Ints) -> tuple[pa.Table, Ints]:
    """Make the named table from rows as stated; return it and the line of each row, from 0.

    The rows are as ``formats.tables`` builds them, and were read from the given lines, counted from
    1, shape (rows,). The URL is for messages.
    """
    if name != "documents":
        if name in TABLE_ROLES:
            chosen = rows_of_role(stated, TABLE_ROLES[name])
            if len(chosen) < len(lines):
                stated, lines = stated.take(pa.array(chosen)), lines[chosen]
        return segmentations_of(stated), lines - 1
    if all(stated.column(column).null_count == len(lines) for column in ("coder", "boundaries")):
        return documents_of(stated), lines - 1
    places = [(url, line) for line in lines.tolist()]
    described = describe_documents(stated, attribute_names(stated), places)
    return described.table, lines[described.rows] - 1

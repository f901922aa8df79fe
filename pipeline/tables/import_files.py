"""Convert files of other formats to the three tables that segscore reads."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.storage.placement import require_apart
from segscore.pipeline.tables.conversion.convert import Converted, convert_files
from segscore.pipeline.tables.conversion.described import describe_counts
from segscore.pipeline.tables.conversion.names import ReadFile
from segscore.pipeline.tables.formats.asked import Asked
from segscore.pipeline.tables.formats.known import format_named
from segscore.pipeline.tables.formats.rows import ParsedRow
from segscore.pipeline.tables.formats.tables import count_segments, rows_of_role
from segscore.pipeline.tables.import_blocks import Reading, read_input, rows_of
from segscore.pipeline.tables.import_tables import check_block, collect_keys, row_groups
from segscore.pipeline.tables.lengths_table import read_lengths
from segscore.pipeline.tables.preparation import preparing
from segscore.pipeline.tables.read import Rows
from segscore.pipeline.tables.units import UNIT_KEY
from segscore.pipeline.tables.validate import REJECT_COLUMNS
from segscore.schemas.input_columns import TABLE_ROLES

_UNFINISHED = "_import"
_SHOWN = 10
_REJECTS = "rejects"
_LINE_READABLE = "line_readable"
"""Rule of rejects: a line can be read as a segmentation."""


@dataclass(frozen=True)
class Imported:
    """What an import wrote.

    Attributes:
        rows: number of rows of each table written; a table without rows is not written.
        segments: number of segments in references and in hypotheses.
        contradictions: rows that a run will reject because of other rows, by file and line.
        counted: what was left out or read in another way, by file.
        rejected: number of bad rows and lines, which are in the table rejects.
    """

    rows: dict[str, int]
    segments: dict[str, int]
    contradictions: list[str]
    counted: list[str]
    rejected: int


@dataclass(frozen=True)
class ImportSettings:
    """Where an import reads and writes.

    Attributes:
        files: files, folders or globs, in any mixture of formats.
        output: folder to write to, outside the inputs; the tables must not exist in it yet.
        format_name: format of all files; None to detect it from each file's name and content.
        documents: table of the lengths of documents; None if there is none.
        encoding: encoding of text files; None for UTF-8.
        unit: unit that is counted in files that do not say; None if it is not known.
        max_rejects: largest share of bad lines and rows at which the others are imported.
    """

    files: Sequence[str]
    output: str
    format_name: str | None = None
    documents: str | None = None
    encoding: str | None = None
    unit: str | None = None
    max_rejects: float = 0.0


def import_files(settings: ImportSettings, asked: Asked) -> Imported:
    """Read files of any known format and write references/, hypotheses/ and documents/.

    Raises:
        Refused: a file is unreadable or malformed (the message gives file and line), breaks a rule
            of its format, or a table exists already. Nothing was written.
    """
    if not settings.output.strip():
        raise Refused("--output: is empty; name a folder")
    require_apart(settings.output, {"FILE": settings.files})
    found = _read_all(settings, asked)
    keys = collect_keys(found.blocks)
    documents, rejects = keys.valid_documents()
    rejects = pa.concat_tables([*found.rejects, rejects])
    _require_few(rejects, sum(map(len, found.blocks)) + rejects.num_rows, settings)
    contradictions = _messages(keys.contradictions())
    if not found.blocks:
        raise Refused(f"{', '.join(settings.files)}: no segmentation found")
    single = {"documents": documents, _REJECTS: rejects}
    counts = {name: _count(name, found.blocks) for name in TABLE_ROLES}
    segments = {name: _count_segments(name, found.blocks) for name in TABLE_ROLES if counts[name]}
    counts |= {name: table.num_rows for name, table in single.items()}
    counts = {name: rows for name, rows in counts.items() if rows}
    with preparing(settings.output, _UNFINISHED, [*counts]) as preparation:
        for name in counts:
            groups = [single[name]] if name in single else row_groups(name, found.blocks, keys)
            with_unit = (_with_unit(table, found.unit) for table in groups)
            preparation.write(name, f"{name}.parquet", with_unit)
        preparation.show()
    rejected = counts.pop(_REJECTS, 0)
    return Imported(counts, segments, contradictions, found.counted, rejected)


@dataclass(frozen=True)
class _Found:
    """What the files of an import have.

    Attributes:
        blocks: their valid rows, in the order of the files.
        rejects: bad lines and rows.
        unit: the unit of all rows; None if it is not known.
        counted: what was left out or read in another way, by file.
    """

    blocks: list[Rows]
    rejects: list[pa.Table]
    unit: str | None
    counted: list[str]


def _read_all(settings: ImportSettings, asked: Asked) -> _Found:
    """Read and convert all files."""
    extents = {}
    if settings.documents is not None:
        extents = read_lengths(settings.documents, asked, settings.encoding)
    urls = [file.url for pattern in settings.files for file in storage.find(pattern, any_kind=True)]
    format_name = None if settings.format_name is None else format_named(settings.format_name)
    reading = Reading(urls, format_name, settings.encoding, asked, settings.max_rejects > 0)
    parts: list[ReadFile | list[Rows]] = []
    rejects = [REJECT_COLUMNS.empty_table()]
    for url in urls:
        read = read_input(url, reading)
        if isinstance(read, ReadFile):
            parts.append(read)
            continue
        checked = [check_block(block) for block in read.blocks]
        parts.append([block for block, _ in checked])
        rejects += [_bad_lines(url, read.bad_lines), *(bad for _, bad in checked)]
    shapes = [part for part in parts if isinstance(part, ReadFile)]
    given = [block for part in parts if not isinstance(part, ReadFile) for block in part]
    converted = convert_files(shapes, asked, extents, _stated_lengths(given) if shapes else ())
    by_file: dict[str, list[Converted]] = {}
    for one in converted:
        by_file.setdefault(one.row.source, []).append(one)
    counted = [
        f"{part.file.url}: {line}"
        for part in shapes
        for line in describe_counts(part.file, by_file.get(part.file.url, ()), asked)
    ]
    blocks: list[Rows] = []
    for part in parts:
        if isinstance(part, ReadFile):
            own = [one.row for one in by_file.get(part.file.url, ())]
            checked = [check_block(rows_of(own))] if own else []
            blocks += [block for block, _ in checked]
            rejects += [bad for _, bad in checked]
        else:
            blocks += part
    unit = _common_unit(converted, settings.unit, stated=not given)
    return _Found([block for block in blocks if len(block)], rejects, unit, counted)


def _common_unit(converted: Sequence[Converted], asked: str | None, *, stated: bool) -> str | None:
    """Return the unit of all rows; None if it is not known.

    Args:
        converted: rows whose files say what they count, which is one unit.
        asked: the unit of other rows; None if it is not known.
        stated: whether there are no other rows.

    Raises:
        Refused: the unit of the other rows is another one.
    """
    if not converted:
        return asked
    unit = converted[0].unit
    if asked not in (None, unit):
        raise Refused(
            f"--unit {asked}: {converted[0].row.source} counts {unit}s; leave the option out, or "
            "import files of different units into different folders"
        )
    return unit if stated or asked == unit else None


def _stated_lengths(blocks: Iterable[Rows]) -> list[ParsedRow]:
    """Return rows with the documents, roles and lengths of blocks, and nothing else."""
    return [
        ParsedRow(row["document_id"], None, row["role"], row["n_units"], None)
        for block in blocks
        for row in block.table.select(["document_id", "role", "n_units"]).to_pylist()
    ]


def _bad_lines(url: str, lines: Sequence[tuple[int, str]]) -> pa.Table:
    return pa.table(
        {
            "table": ["segmentations"] * len(lines),
            "source": [url] * len(lines),
            "row": [line for line, _ in lines],
            "rule": [_LINE_READABLE] * len(lines),
            "detail": [message.removeprefix(f"{url}:{line + 1}: ") for line, message in lines],
            "document_id": [None] * len(lines),
            "coder": [None] * len(lines),
        },
        schema=REJECT_COLUMNS,
    )


def _count(name: str, blocks: Iterable[Rows]) -> int:
    """Return the number of rows of references or hypotheses."""
    return sum(len(rows_of_role(block.table, TABLE_ROLES[name])) for block in blocks)


def _count_segments(name: str, blocks: Iterable[Rows]) -> int:
    """Return the number of segments in references or hypotheses."""
    role = TABLE_ROLES[name]
    return sum(
        count_segments(block.table.column("boundaries").take(pa.array(rows)))
        for block in blocks
        if len(rows := rows_of_role(block.table, role))
    )


def _require_few(rejects: pa.Table, rows: int, settings: ImportSettings) -> None:
    """Refuse more bad lines and rows than --max-rejects allows; list the first."""
    if rejects.num_rows > settings.max_rejects * rows:
        share = ""
        if settings.max_rejects:
            share = (
                f"{rejects.num_rows} of {rows} lines are bad, more than --max-rejects "
                f"{settings.max_rejects} allows:\n"
            )
        raise Refused(share + "\n".join(_messages(rejects)))


def _with_unit(table: pa.Table, unit: str | None) -> pa.Table:
    return table if unit is None else table.replace_schema_metadata({UNIT_KEY: unit})


def _messages(rejects: pa.Table) -> list[str]:
    lines = [
        f"{row['source']}:{row['row'] + 1}: {row['rule']}: {row['detail']}"
        for row in rejects.slice(0, _SHOWN).to_pylist()
    ]
    if rejects.num_rows > _SHOWN:
        lines.append(f"... and {rejects.num_rows - _SHOWN} more")
    return lines

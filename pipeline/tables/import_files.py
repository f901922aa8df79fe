"""Convert files of other formats to the three tables that segscore reads."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.storage.placement import require_apart
from segscore.pipeline.tables import columns
from segscore.pipeline.tables.check_table import DOCUMENTS, SEGMENTATIONS, between_rows
from segscore.pipeline.tables.conversion.convert import Converted, convert_files
from segscore.pipeline.tables.conversion.described import describe_counts
from segscore.pipeline.tables.conversion.names import ReadFile, name_of_file
from segscore.pipeline.tables.formats.asked import Asked
from segscore.pipeline.tables.formats.format_heads import PARQUET_ENDINGS
from segscore.pipeline.tables.formats.known import FORMATS
from segscore.pipeline.tables.formats.rows import Defaults, ParsedRow
from segscore.pipeline.tables.formats.tables import gather_tables
from segscore.pipeline.tables.lengths_table import read_lengths
from segscore.pipeline.tables.open_input import format_of, open_input
from segscore.pipeline.tables.preparation import preparing
from segscore.pipeline.tables.read import Rows, in_one_chunk, validate_rows
from segscore.pipeline.tables.units import UNIT_KEY

_UNFINISHED = "_import"
_SHOWN = 10
NAMELESS = ("nltk",)
"""Formats whose files do not name their documents."""

_Places = Sequence[tuple[str, int]]
"""The (file, line) of each row."""


@dataclass(frozen=True)
class Imported:
    """What an import wrote.

    Attributes:
        rows: number of rows of each table written; a table without rows is not written.
        contradictions: rows that a run will reject because of other rows, by file and line.
        counted: what was left out or read in another way, by file.
    """

    rows: dict[str, int]
    contradictions: list[str]
    counted: list[str]


@dataclass(frozen=True)
class ImportSettings:
    """Where an import reads and writes.

    Attributes:
        files: files, folders or globs, in any mixture of formats.
        output: folder to write to, outside the inputs; the tables must not exist in it yet.
        format_name: format of all files; None to detect it from each file's name and content.
        documents: table of the lengths of documents; None if there is none.
        encoding: encoding of text files; None for UTF-8.
    """

    files: Sequence[str]
    output: str
    format_name: str | None = None
    documents: str | None = None
    encoding: str | None = None


def import_files(settings: ImportSettings, asked: Asked) -> Imported:
    """Read files of any known format and write references/, hypotheses/ and documents/.

    Raises:
        Refused: a file is unreadable or malformed (the message gives file and line), breaks a rule
            of its format, or a table exists already. Nothing was written.
    """
    if settings.format_name is not None and settings.format_name not in FORMATS:
        raise Refused(f"--format {settings.format_name}: must be one of {', '.join(FORMATS)}")
    if not settings.output.strip():
        raise Refused("--output: is empty; name a folder")
    require_apart(settings.output, {"FILE": settings.files})
    rows, unit, counted = _read_all(settings, asked)
    gathered = gather_tables(rows)
    found = (
        ("references", gathered.references, gathered.reference_places, SEGMENTATIONS),
        ("hypotheses", gathered.hypotheses, gathered.hypothesis_places, SEGMENTATIONS),
        ("documents", gathered.documents, gathered.document_places, DOCUMENTS),
    )
    tables = {name: table for name, table, _, _ in found if table.num_rows}
    contradictions = [
        line for _, table, places, kind in found for line in _faults(table, places, kind)
    ]
    if not tables:
        raise Refused(f"{', '.join(settings.files)}: no segmentation found")
    with preparing(settings.output, _UNFINISHED, [*tables]) as preparation:
        for name, table in tables.items():
            preparation.write(name, f"{name}.parquet", _with_unit(table, unit))
        preparation.show()
    return Imported({name: len(table) for name, table in tables.items()}, contradictions, counted)


def _read_all(
    settings: ImportSettings, asked: Asked
) -> tuple[list[ParsedRow], str | None, list[str]]:
    """Read and convert all files; return their rows, their unit, and what was counted."""
    extents = {}
    if settings.documents is not None:
        extents = read_lengths(settings.documents, asked, settings.encoding)
    urls = [file.url for pattern in settings.files for file in storage.find(pattern, any_kind=True)]
    parts = [_read(url, urls, settings, asked) for url in urls]
    given = [row for part in parts if not isinstance(part, ReadFile) for row in part]
    shapes = [part for part in parts if isinstance(part, ReadFile)]
    converted = convert_files(shapes, asked, extents, given)
    by_file: dict[str, list[Converted]] = {}
    for one in converted:
        by_file.setdefault(one.row.source, []).append(one)
    counted = [
        f"{part.file.url}: {line}"
        for part in shapes
        for line in describe_counts(part.file, by_file.get(part.file.url, ()), asked)
    ]
    rows: list[ParsedRow] = []
    for part in parts:
        own = by_file.get(part.file.url, ()) if isinstance(part, ReadFile) else ()
        rows += [one.row for one in own] if isinstance(part, ReadFile) else part
    units = {one.unit for one in converted}
    return rows, units.pop() if len(units) == 1 and not given else None, counted


def _read(
    url: str, urls: Sequence[str], settings: ImportSettings, asked: Asked
) -> ReadFile | list[ParsedRow]:
    """Read one file: shapes, or rows if its format gives positions of boundaries as they are."""
    file = open_input(url, settings.encoding)
    known = FORMATS[settings.format_name or format_of(file, asked)]
    if file.is_parquet and PARQUET_ENDINGS[0] not in known.shared:
        raise file.refusal(f"is a Parquet file, which --format {known.name} does not read")
    if known.read is not None:
        return ReadFile(file, list(known.read(file, asked)), known.endings)
    assert known.rows is not None
    document_id = asked.document_id
    if known.name in NAMELESS and document_id is None:
        document_id = name_of_file(url, urls)
    return list(known.rows(file.lines(), url, Defaults(document_id, asked.coder, asked.role)))


def _with_unit(table: pa.Table, unit: str | None) -> pa.Table:
    return table if unit is None else table.replace_schema_metadata({UNIT_KEY: unit})


def _faults(table: pa.Table, places: _Places, kind: str) -> list[str]:
    """Refuse invalid rows; list valid rows that contradict each other."""
    model = columns.DOCUMENTS if kind == DOCUMENTS else columns.SEGMENTATIONS
    order = np.arange(table.num_rows)
    rows = Rows(kind, in_one_chunk(table), ("",), np.zeros_like(order), order)
    good, broken = validate_rows(rows, model)
    if broken.num_rows:
        raise Refused("\n".join(_said(broken, places)))
    return _said(pa.concat_tables(between_rows(good, kind)), places)


def _said(rejects: pa.Table, places: _Places) -> list[str]:
    said = []
    for row in rejects.slice(0, _SHOWN).to_pylist():
        file, line = places[row["row"]]
        said.append(f"{file}:{line}: {row['rule']}: {row['detail']}")
    if rejects.num_rows > _SHOWN:
        said.append(f"... and {rejects.num_rows - _SHOWN} more")
    return said

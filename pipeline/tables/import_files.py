"""Convert files of other formats to the three tables that segscore reads."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

import numpy as np
import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.storage.placement import require_apart
from segscore.pipeline.tables import columns
from segscore.pipeline.tables.check_table import DOCUMENTS, SEGMENTATIONS, between_rows
from segscore.pipeline.tables.formats.detect import FORMATS, detect
from segscore.pipeline.tables.formats.rows import Defaults, ParsedRow
from segscore.pipeline.tables.formats.tables import gather_tables
from segscore.pipeline.tables.preparation import preparing
from segscore.pipeline.tables.read import Rows, in_one_chunk, validate_rows

_UNFINISHED = "_import"
HEAD_LINES = 20
_SHOWN = 10
NAMELESS = ("choi", "nltk")
"""Formats whose files do not name their documents."""

_Places = Sequence[tuple[str, int]]
"""The (file, line) of each row."""


@dataclass(frozen=True)
class Imported:
    """What an import wrote.

    Attributes:
        rows: number of rows of each table written; a table without rows is not written.
        contradictions: rows that a run will reject because of other rows, by file and line.
    """

    rows: dict[str, int]
    contradictions: list[str]


def import_files(
    files: Sequence[str], output: str, defaults: Defaults, format_name: str | None
) -> Imported:
    """Read files of any known format and write references/, hypotheses/ and documents/.

    Args:
        files: files, folders or globs, in any mixture of formats.
        output: folder to write to, outside the inputs; the tables must not exist in it yet.
        defaults: values for rows whose file does not give them.
        format_name: format of all files; None to detect it from each file's name and content.

    Raises:
        Refused: a file is unreadable or malformed (the message gives file and line), or a table
            exists already. Nothing was written.
    """
    if format_name is not None and format_name not in FORMATS:
        raise Refused(f"--format {format_name}: must be one of {', '.join(FORMATS)}")
    if not output.strip():
        raise Refused("--output: is empty; name a folder")
    require_apart(output, {"FILE": files})
    gathered = gather_tables(_rows(files, defaults, format_name))
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
        raise Refused(f"{', '.join(files)}: no segmentation found")
    with preparing(output, _UNFINISHED, [*tables]) as preparation:
        for name, table in tables.items():
            preparation.write(name, f"{name}.parquet", table)
        preparation.show()
    return Imported({name: len(table) for name, table in tables.items()}, contradictions)


def _rows(files: Sequence[str], defaults: Defaults, format_name: str | None) -> Iterator[ParsedRow]:
    urls = [file.url for pattern in files for file in storage.find(pattern, any_kind=True)]
    # Compare the parts of URLs, because os.path does not handle s3://.
    levels = zip(*(url.split("/")[:-1] for url in urls), strict=False)
    shared = len(list(takewhile(lambda names: len(set(names)) == 1, levels)))
    for url in urls:
        text = list(storage.lines(url))
        name = format_name or detect(url, "\n".join(text[:HEAD_LINES]))
        own = defaults
        if name in NAMELESS and defaults.document_id is None:
            # Files with the same name in different folders are different documents.
            inside = "/".join(url.split("/")[shared:])
            own = replace(defaults, document_id=os.path.splitext(inside)[0])
        yield from FORMATS[name](text, url, own)


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

"""Read the rows of finished runs, and only the columns that a comparison needs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from segscore.pipeline.arrays.document_ids import (
    GOLDEN_RATIO,
    Documents,
    hash_names,
    index_documents,
)
from segscore.pipeline.arrays.ragged import Flags, Ints, flags, numbers
from segscore.pipeline.arrays.row_digests import mix_each
from segscore.pipeline.comparison.runs import System
from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.measures import PAIRS, Table
from segscore.pipeline.results.names import system_name
from segscore.pipeline.results.score_rows import are_original
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.settings.measuring import LEVEL

REFERENCE = "reference"
REFERENCE_DIGEST = "reference_digest"
REFERENCE_COUNTS = ("n_units", "window", "reference_windows", "stories")
"""Counts that depend on the reference alone."""


@dataclass(frozen=True)
class ScoreRows:
    """Rows of scores, or of panel_scores, from all runs.

    Attributes:
        documents: documents of all runs, by ascending id.
        document: index of each row's document, shape (rows,).
        run: index of each row's run, shape (rows,).
        system: index of each row's system, -1 if it is not compared, shape (rows,).
        original: whether the reference is original rather than a consensus, shape (rows,).
        reference: name of each row's reference; None for panels.
        groups: the group-by columns.
        level: the level of each row, shape (rows,); None if not all runs are by level.
        numbers: column name -> values, NaN where null, shape (rows,).
    """

    documents: Documents
    document: Ints
    run: Ints
    system: Ints
    original: Flags
    reference: pa.ChunkedArray | None
    groups: pa.Table
    level: Ints | None
    numbers: dict[str, NDArray[Any]]

    def documents_of(self, run: int) -> int:
        """Return the number of documents in a run."""
        rows = np.bincount(self.document[self.run == run], minlength=len(self.documents))
        return int(np.count_nonzero(rows))


@dataclass(frozen=True)
class _File:
    """The rows that were read from one file."""

    run: int
    table: pa.Table
    system: Ints
    original: Flags


def read_rows(
    runs: Sequence[FinishedScoring],
    systems: Sequence[System],
    table: Table,
    columns: Sequence[str],
    group_by: Sequence[str],
) -> ScoreRows:
    """Read some columns of the tables of all runs, grouped by attributes or by ``reference``.

    Raises:
        Refused: a run has no such rows or no such attribute, or the runs have an attribute in
            different types.
    """
    by_level = all(run.by_level for run in runs)
    read = [*columns, *([LEVEL] * by_level)]
    files = [
        file
        for number, run in enumerate(runs)
        for file in _read(number, run, systems, table, read, group_by)
    ]
    ids = pa.chunked_array([_only(file.table, "document_id") for file in files], pa.string())
    unique = pc.unique(ids)
    documents = index_documents(unique.take(pc.sort_indices(unique))).documents
    return ScoreRows(
        documents=documents,
        document=np.concatenate([documents.find(part) for part in ids.chunks]),
        run=np.repeat([file.run for file in files], [len(file.table) for file in files]),
        system=np.concatenate([file.system for file in files]),
        original=np.concatenate([file.original for file in files]),
        reference=_references(files) if table is PAIRS else None,
        groups=_groups(files, group_by),
        level=np.concatenate([_plain(_only(file.table, LEVEL)) for file in files])
        if by_level
        else None,
        numbers={
            name: np.concatenate([_plain(_only(file.table, name)) for file in files])
            for name in columns
        },
    )


def _read(
    number: int,
    run: FinishedScoring,
    systems: Sequence[System],
    table: Table,
    columns: Sequence[str],
    group_by: Sequence[str],
) -> Iterator[_File]:
    """Read the files of one run."""
    kind = "scores" if table is PAIRS else "panel_scores"
    files = run.table_files(kind)
    if not files:
        raise Refused(
            f"{run.url}: has no {kind}, as none of its documents has several references; choose "
            "measures of the table scores"
        )
    _require(run, group_by, {name for file in files for name in file.columns})
    system_index = {
        system.hypothesis: i for i, system in enumerate(systems) if system.run == number
    }
    identifiers = ["document_id", "hypothesis", *([REFERENCE] if table is PAIRS else [])]
    for url, file_columns, read_columns in files:
        needed = [*dict.fromkeys([*identifiers, *columns])]
        if missing := [name for name in needed if name not in file_columns]:
            raise Refused(f"{url}: has no column {', '.join(missing)}; score the run again")
        attributes = [name for name in group_by if name in file_columns and name not in needed]
        rows = read_columns([*needed, *attributes])
        original = flags(are_original(rows, run.score_settings().shares))
        yield _File(number, rows, _numbered(_only(rows, "hypothesis"), system_index), original)


def _require(run: FinishedScoring, group_by: Sequence[str], columns: set[str]) -> None:
    for name in (name for name in group_by if name not in columns):
        from segscore.schemas.scores import PANEL_SCORES, SCORES  # imports Pandera

        known = {*SCORES.columns, *PANEL_SCORES.columns}
        attributes = [REFERENCE, *sorted(columns - known)]
        raise Refused(
            f"{run.url}: has no attribute {name}{nearest(name, attributes)}; "
            f"there are: {', '.join(attributes)}"
        )


def _only(table: pa.Table, name: str) -> pa.Array:
    """Return a column as one array, even if the table has no rows."""
    column = table.column(name)
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _plain(array: pa.Array) -> NDArray[Any]:
    if pa.types.is_floating(array.type):
        array = array.fill_null(float("nan"))
    return numbers(array)


def _numbered(hypotheses: pa.StringArray, system_index: Mapping[str, int]) -> Ints:
    """Return the index of each row's system, -1 if it is not compared."""
    encoded = hypotheses.dictionary_encode()
    code = [system_index.get(system_name(name), -1) for name in encoded.dictionary.to_pylist()]
    return np.array([*code, -1], np.int64)[numbers(encoded.indices)]


def _references(files: Sequence[_File]) -> pa.ChunkedArray:
    return pa.chunked_array([_only(file.table, REFERENCE) for file in files], pa.string())


def _groups(files: Sequence[_File], group_by: Sequence[str]) -> pa.Table:
    """Return the group-by columns, null for files without them, such as some reference points'."""
    parts = []
    for file in files:
        file_columns, nothing = file.table.column_names, pa.nulls(len(file.table))
        columns = {
            name: file.table.column(name) if name in file_columns else nothing for name in group_by
        }
        parts.append(pa.table(columns or {"": nothing}))
    try:
        return pa.concat_tables(parts, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as problem:
        raise Refused(
            f"--group-by {','.join(group_by)}: the runs have an attribute with different "
            f"types ({problem})"
        ) from problem


def same_references(rows: ScoreRows) -> Flags:
    """Check which documents have the same references in every run that scored them.

    References are the same if their names, their digests and the counts that depend on the
    reference alone (``REFERENCE_COUNTS``) are equal, as far as these columns have been read.

    Returns:
        A flag per document, shape (documents,).
    """
    documents = len(rows.documents)
    assert rows.reference is not None
    encoded = rows.reference.combine_chunks().dictionary_encode()
    hashes = hash_names(encoded.dictionary).hashes[numbers(encoded.indices)]
    for name in (REFERENCE_DIGEST, *REFERENCE_COUNTS):
        if name in rows.numbers:
            # Mixed after each number, so that two references cannot exchange one unnoticed.
            hashes = mix_each(hashes * GOLDEN_RATIO + rows.numbers[name].astype(np.uint64))
    key = (rows.run * documents + rows.document)[rows.original]
    hashes = hashes[rows.original]
    # Count a reference once per run, however many hypotheses were compared with it.
    _, first_row = np.unique(hashes ^ key.astype(np.uint64) * GOLDEN_RATIO, return_index=True)
    sums = np.zeros((int(rows.run.max()) + 1) * documents, np.uint64)
    np.add.at(sums, key[first_row], hashes[first_row])
    by_run = sums.reshape(-1, documents)
    is_scored = by_run != 0
    first = by_run[is_scored.argmax(axis=0), np.arange(documents)]
    return np.asarray((~is_scored | (by_run == first)).all(axis=0))

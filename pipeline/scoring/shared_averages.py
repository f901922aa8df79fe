"""Average over the documents that all systems share, where they were scored on different ones.

These averages rank the systems (``coverage``).  The rows of the run are read again for them, first
the names of all documents, then the numbers of those that are shared, one file at a time.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.document_ids import (
    GOLDEN_RATIO,
    Hashes,
    IndexedDocuments,
    hash_names,
    index_documents,
)
from segscore.pipeline.arrays.ragged import Categorical, Flags, Ints, encode, flags, numbers
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.measures import Table
from segscore.pipeline.results.coverage import Coverage, coverage_of
from segscore.pipeline.results.names import CHANCE, is_point, system_name
from segscore.pipeline.results.score_rows import are_original
from segscore.pipeline.runs.finished import RunRow, TablePiece
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.group_sums import number_groups
from segscore.pipeline.scoring.levels import add_up_levels
from segscore.pipeline.scoring.pairs import read_measures
from segscore.pipeline.settings.measuring import LEVEL
from segscore.pipeline.statistics import averages
from segscore.pipeline.statistics.resampling import Units, assign_units
from segscore.pipeline.statistics.sums import (
    CountedRows,
    GroupKey,
    Sums,
    bucket_units,
    merge,
    sum_rows,
)
from segscore.schemas.rows import AverageRow, group_of

Pieces = Callable[[str], list[TablePiece]]
"""Lists the files of a table of a run, by the name of the table."""

_REFERENCE = "reference"


def ranked_summary(run: FinishedScoring) -> pa.Table:
    """Return the summary of a run, with the columns that earlier versions did not write.

    Those are null if the rows of the run cannot be read.
    """
    summary = run.table("summary")
    if {*averages.SHARED_COLUMNS} <= {*summary.column_names}:
        return summary
    try:
        return with_shared_averages(summary, run, run.table_files)
    except (Refused, Failed, OSError):
        return with_shared_averages(summary, run, lambda _: [])


def with_shared_averages(summary: pa.Table, run: FinishedScoring, pieces: Pieces) -> pa.Table:
    """Fill the columns of a summary about the documents that all systems of a group share.

    They stay null in groups whose systems all have the same documents; where these share too few to
    rank them, only their number is filled.
    """
    by = averages.summary_groups(summary.column_names)
    groups = tuple(name for name in by if not (run.by_level and name == LEVEL))
    shared: dict[GroupKey, int] = {}
    kinds: list[tuple[Table, Sums]] = []
    for name, kind in (("scores", run.selection.pairs), ("panel_scores", run.selection.panels)):
        coverages = _differing(summary, groups, kind)
        files = pieces(name) if coverages else []
        if files:
            reader = _Reader(run, files, kind, groups, coverages)
            found = reader.find_shared()
            measures = [*kind.measures]
            shared |= {(*key, each): n for key, n in found.numbers.items() for each in measures}
            sums = [*reader.sum_shared(found)]
            kinds += [(kind, bucket_units(merge(sums)))] if sums else []
    rows = _shared_rows(summary, by, kinds, run)
    return _filled(summary, (by, groups), shared, rows)


def _differing(
    summary: pa.Table, groups: Sequence[str], kind: Table
) -> dict[tuple[Any, ...], Coverage]:
    """Return the groups of documents whose systems have different ones."""
    if not kind.measures:
        return {}
    of_first = pc.equal(summary.column("measure"), next(iter(kind.measures)))
    chosen = pc.and_(of_first, pc.equal(summary.column("average"), "micro"))
    of_measure: list[AverageRow] = summary.filter(chosen).to_pylist()
    rows: dict[tuple[Any, ...], dict[str, AverageRow]] = {}
    for row in of_measure:
        rows.setdefault(group_of(row, groups), {})[row["hypothesis"]] = row
    found = {key: coverage_of(of_group) for key, of_group in rows.items()}
    return {key: coverage for key, coverage in found.items() if not coverage.same}


@dataclass(frozen=True)
class _Shared:
    """The documents that all systems of each group share.

    Attributes:
        numbers: group -> how many they are.
        entries: those of the groups that can be ranked on them, as ``_Block.entries``, ascending.
        most: the largest of ``numbers``.
    """

    numbers: dict[tuple[Any, ...], int]
    entries: Hashes
    most: int


@dataclass(frozen=True)
class _Block:
    """The rows of one file.

    Attributes:
        table: the rows.
        numbered: their documents.
        system: their systems.
        groupings: for each way of grouping, the columns that it groups by, and the number of each
            row's group among those whose systems have different documents, -1 for none.
    """

    table: pa.Table
    numbered: IndexedDocuments
    system: Categorical
    groupings: list[tuple[list[Categorical], Ints]]

    def entries(self, group: Ints) -> Hashes:
        """Return a number for the document and the group of each row, shape (rows,)."""
        hashes = hash_names(self.numbered.documents.ids).hashes[self.numbered.document]
        return np.asarray(hashes ^ (group.astype(np.uint64) * GOLDEN_RATIO))


@dataclass(frozen=True)
class _Reader:
    """Reads the rows of one table of a run.

    Attributes:
        run: the run.
        pieces: the files of the table.
        kind: its counts and measures.
        groups: the group-by columns, without the level.
        coverages: the groups whose systems have different documents.
    """

    run: FinishedScoring
    pieces: Sequence[TablePiece]
    kind: Table
    groups: tuple[str, ...]
    coverages: Mapping[tuple[Any, ...], Coverage]

    def find_shared(self) -> _Shared:
        """Find the documents that all systems of a group have.

        All rows of a system about a document are in one file.
        """
        entries, group, users = np.empty(0, np.uint64), np.empty(0, np.int64), np.empty(0, np.int64)
        for block in self._blocks(()):
            found = [(entries, group, users)]
            for _, of_rows in block.groupings:
                of_systems = block.entries(of_rows)
                for code, name in enumerate(block.system.names):
                    rows = np.flatnonzero((block.system.code == code) & (of_rows >= 0))
                    if not is_point(name):
                        own, first = np.unique(of_systems[rows], return_index=True)
                        found.append((own, of_rows[rows][first], np.ones(len(own), np.int64)))
            every, of_each, number_of = (np.concatenate(each) for each in zip(*found, strict=True))
            entries, first, inverse = np.unique(every, return_index=True, return_inverse=True)
            group = of_each[first]
            users = np.bincount(inverse, number_of, len(entries)).astype(np.int64)
        systems = np.array([len(each.documents) for each in self.coverages.values()])
        in_all = users == systems[group]
        counted = np.bincount(group[in_all], minlength=len(systems)).tolist()
        ranked = [
            Coverage(each.documents, same=False, shared=shared).ranks_on_shared
            for each, shared in zip(self.coverages.values(), counted, strict=True)
        ]
        return _Shared(
            dict(zip(self.coverages, counted, strict=True)),
            entries[in_all & np.array(ranked)[group]],
            max(counted),
        )

    def sum_shared(self, shared: _Shared) -> Iterator[Sums]:
        """Add up the rows of each file about the documents that are shared."""
        if not len(shared.entries):
            return
        for block in self._blocks([*self.kind.counts, *self.kind.measures]):
            for groups, of_rows in block.groupings:
                chosen = (of_rows >= 0) & np.isin(block.entries(of_rows), shared.entries)
                if chosen.any():
                    yield from self._sums(block, groups, chosen, shared.most)

    def _sums(
        self, block: _Block, groups: list[Categorical], chosen: Flags, most: int
    ) -> Iterator[Sums]:
        """Add up some rows by system and group and, in a run by level, by level and over all."""
        columns = [Categorical(each.code[chosen], each.names) for each in (block.system, *groups)]
        code, keys = number_groups(columns)
        keys = [(*key, *[None] * (len(self.groups) - len(groups))) for key in keys]
        table = block.table.filter(pa.array(chosen))
        counts = [numbers(table.column(name).combine_chunks()) for name in self.kind.counts]
        values = read_measures(table, self.kind.measures)
        units = self._units(block, most)
        rows = CountedRows(block.numbered.document[chosen], counts, values, one_each=False)
        if not self.run.by_level:
            yield sum_rows(keys, code, units, rows)
            return
        level = numbers(table.column(LEVEL).combine_chunks())
        for each in np.unique(level).tolist():
            on_level = level == each
            own = [(*key, each) for key in keys]
            yield sum_rows(own, code[on_level], units, rows.select(on_level))
        over_all = [(*key, None) for key in keys]
        whole = add_up_levels(rows, level)
        yield sum_rows(over_all, code, units, whole)

    def _units(self, block: _Block, most: int) -> Units:
        """Assign the documents of a file to resampling units, as the run does."""
        hashes = hash_names(block.numbered.documents.ids).hashes
        name = self.run.score_settings().resample_by
        if name is None or name not in block.table.column_names:
            return assign_units(hashes, in_run=most)
        _, first = np.unique(block.numbered.document, return_index=True)
        values = block.table.column(name).combine_chunks().take(pa.array(first))
        return assign_units(hashes, values, most)

    def _blocks(self, columns: Sequence[str]) -> Iterator[_Block]:
        """Read some columns, one file at a time."""
        settings = self.run.score_settings()
        units = [] if settings.resample_by is None else [settings.resample_by]
        wanted = ["document_id", "hypothesis", _REFERENCE, *self.groups, LEVEL, *units, *columns]
        for _, available, read in self.pieces:
            table = read([*dict.fromkeys(name for name in wanted if name in available)])
            if table.num_rows:
                coded = encode(table.column("hypothesis").combine_chunks())
                names = [system_name(name) for name in coded.names]
                systems = [*dict.fromkeys(names)]
                code = np.array([systems.index(name) for name in names])[coded.code]
                original = flags(are_original(table, settings.shares))
                yield _Block(
                    table,
                    index_documents(table.column("document_id").combine_chunks()),
                    Categorical(code, systems),
                    [*self._groupings(table, original)],
                )

    def _groupings(
        self, table: pa.Table, original: Flags
    ) -> Iterator[tuple[list[Categorical], Ints]]:
        """Yield the groups of rows: over all documents, then by the group-by columns, if any."""
        place = {key: i for i, key in enumerate(self.coverages)}
        over_all = place.get((None,) * len(self.groups), -1)
        yield [], np.where(original, over_all, -1)
        if self.groups and {*self.groups} <= {*table.column_names}:
            columns = [encode(table.column(name).combine_chunks()) for name in self.groups]
            code, keys = number_groups(columns)
            yield columns, np.array([*(place.get(key, -1) for key in keys), -1])[code]


def _shared_rows(
    summary: pa.Table, by: Sequence[str], kinds: Sequence[tuple[Table, Sums]], run: FinishedScoring
) -> dict[GroupKey, RunRow]:
    """Average the sums over shared documents: rows of a summary by its identifying columns."""
    types = {name: summary.schema.field(name).type for name in by}
    table = averages.summarise(kinds, types, run.group_parameters, CHANCE)
    return {_key(row, by): row for row in table.to_pylist()}


def _key(row: RunRow, by: Sequence[str]) -> GroupKey:
    return tuple(row[name] for name in ("hypothesis", *by, "measure", "average"))


def _filled(
    summary: pa.Table,
    columns: tuple[Sequence[str], Sequence[str]],
    shared: Mapping[GroupKey, int],
    rows: Mapping[GroupKey, RunRow],
) -> pa.Table:
    """Write the columns of a summary about shared documents, all null if there are none."""
    by, groups = columns
    listed = summary.to_pylist() if shared else []
    for name, of in averages.SHARED_COLUMNS.items():
        values = [rows.get(_key(row, by), {}).get(of) for row in listed]
        if name == "shared_documents":
            keys = (tuple(row[each] for each in (*groups, "measure")) for row in listed)
            values = [shared.get(key) for key in keys]
        kind = averages.summary_type(name)
        column = pa.array(values, kind) if shared else pa.nulls(summary.num_rows, kind)
        if name in summary.column_names:
            summary = summary.drop_columns(name)
        summary = summary.append_column(name, column)
    return summary

"""Counts and values on the documents that systems share, in dense systems-by-documents arrays.

Systems that share enough documents are compared on these, all together; others two by two, on the
documents that each two share.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.document_ids import hash_names
from segscore.pipeline.arrays.ragged import Flags, Floats, Ints, add_up, encode
from segscore.pipeline.comparison.rows import (
    REFERENCE,
    REFERENCE_COUNTS,
    REFERENCE_DIGEST,
    ScoreRows,
    read_rows,
    same_references,
)
from segscore.pipeline.comparison.runs import System
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import PAIRS, Table
from segscore.pipeline.measures.measure import Measure
from segscore.pipeline.plain_text import first_named
from segscore.pipeline.results.coverage import Coverage
from segscore.pipeline.runs.fingerprint import DIGEST
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.group_sums import number_groups
from segscore.pipeline.settings.measuring import LEVEL
from segscore.pipeline.statistics.jackknife import P_SEG_COUNTS, UnitSums
from segscore.pipeline.statistics.resampling import Units, assign_units

_GroupKey = tuple[object, ...]


def describe_other_references(documents: Sequence[str]) -> str:
    """Say that the references of some documents differ between runs."""
    first = first_named(documents)
    if len(documents) == 1:
        return f"1 document has other references in one run than in another: {first}"
    return f"{len(documents):,} documents have other references in one run than in another: {first}"


class NothingShared(Refused):
    """Raised if no two systems have enough documents in common to compare them."""


LEAST_OF_PAIR = 2
"""Two of several systems that are not ranked are compared if they share so many documents."""


@dataclass(frozen=True)
class Sample:
    """Counts and values of some systems on the documents that all of them share.

    Attributes:
        key: values of the group-by columns; all None for the sample of all documents.
        table: the kind of rows, pairs or panels.
        measures: the chosen measures.
        systems: the systems compared.
        documents: document ids, ascending.
        shows: value of the attribute whose documents are one resampling unit; None without one.
        counts: count name -> sums over references, shape (systems, documents).
        values: measure name -> means over references, NaN where undefined, shape
            (systems, documents).
        parameters: parameters of the formulas, from the run of each system.
        draws: how often each system was drawn, 1 unless it is a random reference point.
        p_seg_of: sums of windows over all documents of each system, from whose references P_seg
            among the parameters was estimated; None if it was given.
    """

    key: _GroupKey
    table: Table
    measures: list[Measure]
    systems: list[System]
    documents: pa.StringArray
    shows: pa.Array | None
    counts: Mapping[str, Ints]
    values: Mapping[str, Floats]
    parameters: list[Mapping[str, float]]
    p_seg_of: list[UnitSums | None]
    draws: list[int]

    @property
    def units(self) -> Units:
        """The resampling units of the documents."""
        return assign_units(hash_names(self.documents).hashes, self.shows)

    @property
    def document_set(self) -> str:
        """The digest of the documents, as in the summary of a run."""
        return f"{int(np.bitwise_xor.reduce(hash_names(self.documents).hashes)):016x}"

    def select(self, systems: Sequence[int], documents: Ints | None = None) -> "Sample":
        """Return the sample of some systems, on some documents or on all."""
        chosen = np.arange(len(self.documents)) if documents is None else documents
        cells = np.ix_(np.array(systems, np.int64), chosen)
        return replace(
            self,
            systems=[self.systems[i] for i in systems],
            documents=self.documents.take(pa.array(chosen)),
            counts={name: counts[cells] for name, counts in self.counts.items()},
            values={name: values[cells] for name, values in self.values.items()},
            parameters=[self.parameters[i] for i in systems],
            p_seg_of=[self.p_seg_of[i] for i in systems],
            draws=[self.draws[i] for i in systems],
            shows=None if self.shows is None else self.shows.take(pa.array(chosen)),
        )


@dataclass(frozen=True)
class GroupSamples:
    """The samples of one group of documents.

    Attributes:
        coverage: which documents the systems have; reference points do not count.
        together: the systems that are ranked, on the documents that all of them share, with the
            reference points that have all of these; None if the systems are not ranked.
        alone: each other system and reference point, on its own documents.
        pairs: each two that are not in one sample yet, on the documents that both have.
    """

    coverage: Coverage
    together: Sample | None
    alone: list[Sample]
    pairs: list[Sample]

    @property
    def single(self) -> list[Sample]:
        """The samples in which every system is once."""
        return [*([] if self.together is None else [self.together]), *self.alone]

    @property
    def paired(self) -> list[Sample]:
        """The samples in which every pair is once."""
        return [*([] if self.together is None else [self.together]), *self.pairs]

    @property
    def key(self) -> _GroupKey:
        """The values of the group-by columns."""
        return self.single[0].key

    @property
    def systems(self) -> list[System]:
        """The systems of all samples."""
        return [system for sample in self.single for system in sample.systems]

    @property
    def documents(self) -> pa.StringArray:
        """The documents on which systems are compared."""
        ids = pa.chunked_array([sample.documents for sample in self.paired], pa.string())
        return pc.unique(ids)


@dataclass(frozen=True)
class Compared:
    """The samples of one kind of rows: over all documents first, then by group.

    Attributes:
        groups: the groups in which there are systems to compare.
        documents: run name -> number of documents in the run.
        other_references: ids of the documents left out because the runs have different references
            for them, ascending.
        empty: number of groups left out because no two of their systems share enough documents.
        undigested: names of the runs without digests of their references, if it is not certain that
            all runs read the same references.
        absent: labels of the systems that have no rows of this kind.
        types: types of the group-by columns.
    """

    groups: list[GroupSamples]
    documents: dict[str, int]
    other_references: list[str]
    undigested: list[str]
    empty: int
    absent: list[str]
    types: Mapping[str, pa.DataType]


def read_samples(
    runs: Sequence[FinishedScoring],
    systems: Sequence[System],
    table: Table,
    measures: list[Measure],
    group_by: Sequence[str],
    resample_by: str | None = None,
) -> Compared:
    """Read the rows of the systems, and make a sample of all documents and one per group.

    Raises:
        Refused: a run has no such rows or no such attribute, or the systems share no document.
    """
    counts, values = _columns(table, measures)
    # A row of a panel covers all references, so panels cannot be grouped by reference.
    grouped = list(group_by) if table is PAIRS or REFERENCE not in group_by else []
    columns = [*dict.fromkeys([*counts, *values])]
    read = [*dict.fromkeys([*grouped, *([] if resample_by is None else [resample_by])])]
    rows, same = _read_checked(runs, systems, table, columns, read)
    other_references = rows.documents.ids.filter(pa.array(~same)).to_pylist()
    chosen = (rows.system >= 0) & same[rows.document]
    builder = _SampleBuilder.of(runs, systems, (table, measures), rows, group_by)
    builder = replace(builder, shows=first_of_documents(rows, resample_by))
    whole = builder.group((None,) * len(group_by), chosen & rows.original)
    if whole is None:
        raise NothingShared(_nothing_shared(runs, systems, other_references))
    by_group = []
    if grouped:
        columns_of = [rows.groups.column(name).combine_chunks() for name in grouped]
        code, keys = number_groups([encode(column) for column in columns_of])
        in_group = chosen & (rows.original | (REFERENCE in grouped))
        ordered = sorted(range(len(keys)), key=keys.__getitem__)
        by_group = [builder.group(keys[number], in_group & (code == number)) for number in ordered]
    groups = [group for group in by_group if group is not None]
    return Compared(
        groups=[whole, *groups],
        documents={run.name: rows.documents_of(number) for number, run in enumerate(runs)},
        other_references=other_references,
        undigested=_undigested(runs),
        empty=len(by_group) - len(groups),
        absent=[system.label for system in systems if system not in whole.systems],
        types={name: rows.groups.schema.field(name).type for name in grouped}
        or dict.fromkeys(group_by, pa.string()),
    )


def first_of_documents(rows: ScoreRows, name: str | None) -> pa.Array | None:
    """Return the first value of an attribute for each document, null where no row has one."""
    if name is None:
        return None
    values = rows.groups.column(name).combine_chunks()
    has_value = np.flatnonzero(values.is_valid().to_numpy(zero_copy_only=False))
    first = np.full(len(rows.documents), -1, np.int64)
    first[rows.document[has_value][::-1]] = has_value[::-1]
    return values.take(pa.array(first, mask=first < 0))


def _columns(table: Table, measures: Sequence[Measure]) -> tuple[list[str], list[str]]:
    """Return the counts that measures need, and the measures by name."""
    values = [measure.name for measure in measures]
    return list(table.only(values).counts), values


def _read_checked(
    runs: Sequence[FinishedScoring],
    systems: Sequence[System],
    table: Table,
    columns: list[str],
    group_by: Sequence[str],
) -> tuple[ScoreRows, Flags]:
    """Read rows, and check which documents have the same references in every run.

    Returns:
        The rows, and a flag per document, shape (documents,).
    """
    if len(runs) == 1:
        rows = read_rows(runs, systems, table, columns, group_by)
        return rows, np.ones(len(rows.documents), bool)
    checked = _reference_columns(runs)
    if table is PAIRS:
        together = [*dict.fromkeys([*columns, *checked])]
        rows = read_rows(runs, systems, table, together, group_by)
        return rows, same_references(rows)
    rows = read_rows(runs, systems, table, columns, group_by)
    pairs = read_rows(runs, systems, PAIRS, checked, ())
    others = pairs.documents.ids.filter(pa.array(~same_references(pairs)))
    is_other = pc.is_in(rows.documents.ids, value_set=others)
    return rows, ~is_other.to_numpy(zero_copy_only=False)


def _reference_columns(runs: Sequence[FinishedScoring]) -> list[str]:
    """Return the columns about references alone that all runs have."""
    counted = [run.selection.pairs.counts for run in runs]
    counts = [
        name
        for name in REFERENCE_COUNTS
        if name not in PAIRS.counts or all(name in counts for counts in counted)
    ]
    return [REFERENCE_DIGEST, *counts] if all(run.has_digests for run in runs) else counts


def _undigested(runs: Sequence[FinishedScoring]) -> list[str]:
    """Return the runs without digests, unless all runs read references from the same files."""
    files = [
        [file.get(DIGEST) or file for file in run.recorded_inputs.get("references", ())]
        for run in runs
    ]
    if all(read and read == files[0] for read in files):
        return []
    return [run.name for run in runs if not run.has_digests] if len(runs) > 1 else []


def _nothing_shared(
    runs: Sequence[FinishedScoring], systems: Sequence[System], other: Sequence[str]
) -> str:
    if other:
        why = f" with the same references; {describe_other_references(other)}"
    else:
        why = ", or only 1"
    if len(runs) > 1 and not other:
        why += (
            "; nights of different documents are compared by `segscore trend RUNS --measure M`, "
            "over many nights, and by the gate of `segscore nightly`"
        )
    labels = ", ".join(system.label for system in systems)
    who = "the runs" if len(runs) > 1 and not other else labels
    return f"{', '.join(run.url for run in runs)}: {who} share no document{why}"


@dataclass(frozen=True)
class _SampleBuilder:
    """The inputs of all samples of one kind of rows.

    Attributes:
        shows: value of the attribute that makes documents one resampling unit, by document; None
            without one.
        level_of_key: index of the level in the key of a group; None if groups are over all levels.
    """

    runs: Sequence[FinishedScoring]
    systems: Sequence[System]
    table: Table
    measures: list[Measure]
    counts: list[str]
    values: list[str]
    rows: ScoreRows
    level_of_key: int | None
    shows: pa.Array | None = None

    @classmethod
    def of(
        cls,
        runs: Sequence[FinishedScoring],
        systems: Sequence[System],
        chosen: tuple[Table, list[Measure]],
        rows: ScoreRows,
        group_by: Sequence[str],
    ) -> "_SampleBuilder":
        """Prepare the samples of some rows."""
        counts, values = _columns(*chosen)
        by_level = rows.level is not None and LEVEL in group_by
        level_of_key = list(group_by).index(LEVEL) if by_level else None
        return cls(runs, systems, *chosen, counts, values, rows, level_of_key)

    def group(self, key: _GroupKey, mask: Flags) -> GroupSamples | None:
        """Make the samples of some rows; None if there is nothing to compare."""
        shape = len(self.systems), len(self.rows.documents)
        cell = self.rows.system[mask] * shape[1] + self.rows.document[mask]
        is_scored = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape) > 0
        present = np.flatnonzero(is_scored.any(axis=1))
        some = np.flatnonzero(is_scored.any(axis=0))
        if not len(present):
            return None
        sample = self._sample(key, mask, cell, np.ix_(present, some))
        return _divided(sample, is_scored[np.ix_(present, some)])

    def _sample(
        self, key: _GroupKey, mask: Flags, cell: Ints, selection: tuple[Ints, ...]
    ) -> Sample:
        """Aggregate rows by system and document; what a system lacks is 0, or undefined."""
        shape = len(self.systems), len(self.rows.documents)
        present, some = (each.ravel() for each in selection)
        level = None if self.level_of_key is None else key[self.level_of_key]
        by_level = self.rows.level is not None
        numbers = self.rows.numbers
        on_level = None if self.rows.level is None else self.rows.level[mask]
        return Sample(
            key=key,
            table=self.table,
            measures=self.measures,
            systems=[self.systems[i] for i in present.tolist()],
            documents=self.rows.documents.ids.take(pa.array(some)),
            shows=None if self.shows is None else self.shows.take(pa.array(some)),
            counts={
                name: _sums(cell, numbers[name][mask], shape)[selection] for name in self.counts
            },
            values={
                name: means_of_cells(cell, numbers[name][mask], shape, on_level)[selection]
                for name in self.values
            },
            parameters=[
                run.parameters_at(cast("int | None", level)) if by_level else run.parameters
                for run in (self.runs[self.systems[i].run] for i in present.tolist())
            ],
            p_seg_of=[self._p_seg_of(i, numbers, level) for i in present.tolist()],
            draws=[
                self.runs[self.systems[i].run].draws_of(self.systems[i].hypothesis)
                for i in present.tolist()
            ],
        )

    def _p_seg_of(
        self, system: int, counts: Mapping[str, Ints], level: object | None
    ) -> UnitSums | None:
        """Sum the windows of all documents of a system; None if they do not give P_seg."""
        run = self.runs[self.systems[system].run]
        if run.score_settings().p_seg is not None or not {*P_SEG_COUNTS} <= {*self.counts}:
            return None
        mask = self.rows.original & (self.rows.system == system)
        if level is not None and self.rows.level is not None:
            mask &= self.rows.level == level
        sums = {name: counts[name][mask].sum(keepdims=True) for name in P_SEG_COUNTS}
        return UnitSums(np.zeros(1, np.uint64), sums, {}, {})


def _divided(sample: Sample, is_scored: Flags) -> GroupSamples | None:
    """Divide a sample into those in which every system has every document; None if none is left.

    Args:
        sample: all systems and documents.
        is_scored: whether a system has a document, shape (systems, documents).
    """
    every = [*range(len(sample.systems))]
    systems = [i for i in every if not sample.systems[i].is_point] or every
    shared = np.asarray(is_scored[systems].all(axis=0))
    documents = is_scored[systems].sum(axis=1).tolist()
    same = all(number == shared.sum() for number in documents)
    coverage = Coverage(documents, same, int(shared.sum()))
    ranked: list[int] = []
    if coverage.ranks:
        has_all = np.asarray(is_scored[:, shared].all(axis=1))
        ranked = [i for i in every if i in systems or has_all[i]]
        is_scored = is_scored & shared
    apart = [i for i in every if i not in ranked and is_scored[i].any()]
    listed = [i for i in every if i in ranked or i in apart]
    pairs = [
        sample.select([i, j], np.flatnonzero(is_scored[i] & is_scored[j]))
        for i, j in combinations(listed, 2)
        if (i in apart or j in apart) and (is_scored[i] & is_scored[j]).sum() >= LEAST_OF_PAIR
    ]
    if not ranked and not pairs:
        return None
    together = sample.select(ranked, np.flatnonzero(shared)) if ranked else None
    alone = [sample.select([i], np.flatnonzero(is_scored[i])) for i in apart]
    return GroupSamples(coverage, together, alone, pairs)


def _sums(cell: Ints, counts: Ints, shape: tuple[int, int]) -> Ints:
    return add_up(counts, cell, shape[0] * shape[1]).reshape(shape)


def means_of_cells(
    cell: Ints, values: Floats, shape: tuple[int, int], level: Ints | None = None
) -> Floats:
    """Return the mean of the defined values in each cell, NaN if there are none.

    With levels, it is the mean over levels of the means over the rows of each level.
    """
    if level is not None:
        numbers, on_level = np.unique(level, return_inverse=True)
        first = cell * len(numbers) + on_level
        cell = np.repeat(np.arange(shape[0] * shape[1]), len(numbers))
        values = means_of_cells(first, values, (len(cell), 1)).ravel()
    defined = ~np.isnan(values)
    size = shape[0] * shape[1]
    total = np.bincount(cell[defined], values[defined], size)
    with np.errstate(invalid="ignore"):
        means: Floats = total / np.bincount(cell[defined], minlength=size)
    return means.reshape(shape)

"""Sums over a night's documents, read from its published scores, and their averages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.document_ids import Hashes, hash_names, index_documents
from segscore.pipeline.arrays.ragged import Floats, Ints, numbers
from segscore.pipeline.measures import Table
from segscore.pipeline.nightly.gate.rule import RULE_TABLES, GateRule
from segscore.pipeline.nightly.nights import Night
from segscore.pipeline.results.score_rows import are_of_systems, are_original
from segscore.pipeline.statistics.averages import Parameters, averages
from segscore.pipeline.statistics.jackknife import UNKNOWN, Estimate
from segscore.pipeline.statistics.resampling import assign_units
from segscore.pipeline.statistics.sums import (
    CountedRows,
    GroupKey,
    Sums,
    bucket_units,
    merge,
    sum_rows,
)


@dataclass(frozen=True)
class NightAverage:
    """An average of a night.

    Attributes:
        estimate: the average.
        documents: number of documents on which it is defined.
    """

    estimate: Estimate
    documents: int


NO_AVERAGE = NightAverage(UNKNOWN, 0)
"""The average of a system or group that a night lacks."""


class Identity:
    """Which documents of a night take part in a comparison, and under which hashes."""

    def __init__(self, night: str, reused: Sequence[str], left_out: Sequence[str]) -> None:
        """Set the identity of the documents of a night, whose ids are used again or left out."""
        self.left_out = left_out
        self._salt = hash_names(pa.array([night])).hashes[0]
        self._reused = hash_names(pa.array(reused, pa.string())).hashes

    def __call__(self, hashes: Hashes) -> Hashes:
        """Return the hashes of documents by those of their ids."""
        is_reused = np.isin(hashes, self._reused)
        return np.where(is_reused, hashes ^ self._salt, hashes)


@dataclass(frozen=True)
class Tally:
    """Sums over a night's documents, for the measures of some rules.

    Attributes:
        kind: the counts and measures of the rules.
        sums: sums by system and resampling unit.
        parameters: parameters of the formulas.
    """

    kind: Table
    sums: Sums
    parameters: Parameters

    @cached_property
    def systems(self) -> dict[GroupKey, int]:
        """System and values of the group-by columns, if any -> index of the group in ``sums``."""
        return {key: group for group, key in enumerate(self.sums.groups)}

    def average(self, key_of_system: GroupKey, rule: GateRule) -> NightAverage:
        """Compute a system's average, or that in a group."""
        group = self.systems[key_of_system]
        found = averages(self.kind, self.sums, group, self.parameters)
        key = rule.measure, rule.average
        return NightAverage(found.estimates[key], found.rows[key].defined)


def documents(night: Night) -> Hashes:
    """Return the hashes of the documents that a night scored, ascending and unique."""
    hashes = [
        np.unique(hash_names(table.column("document_id").combine_chunks()).hashes)
        for table in tables(night, "scores", ["document_id", "hypothesis"])
    ]
    return np.unique(np.concatenate([np.empty(0, np.uint64), *hashes]))


def documents_of_systems(night: Night) -> dict[str, set[str]]:
    """Return the documents that a night scored each system on."""
    found: dict[str, set[str]] = {}
    for table in tables(night, "scores", ["document_id", "hypothesis"]):
        pairs = table.group_by(["hypothesis", "document_id"]).aggregate([])
        columns = (pairs.column(name).to_pylist() for name in ("hypothesis", "document_id"))
        for system, document in zip(*columns, strict=True):
            found.setdefault(system, set()).add(document)
    return found


def tally_night(
    night: Night,
    rules: tuple[GateRule, ...],
    in_all: int,
    by: Sequence[str] = (),
    identity: Identity | None = None,
    resample_by: str | None = None,
) -> Tally | None:
    """Sum a night's scores or panel_scores by system and resampling unit.

    The units depend on ``in_all``, the number of documents of the larger night. They are documents,
    or the values of the attribute ``resample_by`` if the night has it.

    Returns:
        The sums, or None if the night has no such table, not with these attributes, or no document
        that is counted.

    Raises:
        Refused: a file of the night cannot be read.
        Failed: no server answers.
    """
    kind = RULE_TABLES[rules[0].table].only([rule.measure for rule in rules])
    pieces = night.table_files(rules[0].table) if by or resample_by else []
    if not all({*by} <= {*piece.columns} for piece in pieces):
        return None
    if not all(resample_by in piece.columns for piece in pieces):
        resample_by = None
    units = [] if resample_by is None else [resample_by]
    columns = [*dict.fromkeys(["document_id", "hypothesis", *by, *units])]
    columns += [*kind.counts, *kind.measures]
    excluded = pa.array([] if identity is None else identity.left_out, pa.string())
    counted = (
        table.filter(pc.invert(pc.is_in(table.column("document_id"), value_set=excluded)))
        for table in tables(night, rules[0].table, columns)
    )
    parts = [
        sum_table(kind, table, in_all, by, identity, resample_by)
        for table in counted
        if table.num_rows
    ]
    if not parts:
        return None
    return Tally(kind, bucket_units(merge(parts)), run_parameters(night, by))


def run_parameters(night: Night, by: Sequence[str] = ()) -> Parameters:
    """Return the parameters of the formulas of a night, or of its groups."""
    is_given = night.score_settings().p_seg is not None
    return Parameters(night.parameters, None if is_given or by else ())


def tables(night: Night, name: str, columns: list[str]) -> Iterator[pa.Table]:
    """Read some columns of scores or panel_scores, one file at a time.

    Reference points, and scores against a consensus, are left out.
    """
    if name == "scores":
        columns = [*columns, "reference"]
    consensus = night.score_settings().shares
    for part in night.parts(name, columns):
        yield part.filter(pc.and_(are_of_systems(part), are_original(part, consensus)))


def sum_table(
    kind: Table,
    table: pa.Table,
    in_all: int,
    by: Sequence[str] = (),
    identity: Identity | None = None,
    resample_by: str | None = None,
) -> Sums:
    """Sum rows of scores or panel_scores by system, group and resampling unit.

    The units depend on the number of documents ``in_all``, or are the values of the attribute
    ``resample_by``. The group of documents without a value has the key None.
    """
    code, groups = _number_groups(table, ["hypothesis", *by])
    coded = index_documents(table.column("document_id").combine_chunks())
    rows = CountedRows(
        coded.document,
        [numbers(table.column(name).combine_chunks()) for name in kind.counts],
        [values_of(table.column(name)) for name in kind.measures],
        one_each=False,
    )
    ids = hash_names(coded.documents.ids).hashes
    ids = ids if identity is None else identity(ids)
    values = None
    if resample_by is not None:
        _, first = np.unique(coded.document, return_index=True)
        values = table.column(resample_by).combine_chunks().take(pa.array(first))
    return sum_rows(groups, code, assign_units(ids, values, in_all), rows)


def _number_groups(table: pa.Table, columns: Sequence[str]) -> tuple[Ints, list[GroupKey]]:
    """Return the number of each row's group, and the values of the columns in each group."""
    code = np.zeros(table.num_rows, np.int64)
    groups: list[GroupKey] = [()]
    for name in columns:
        encoded = table.column(name).combine_chunks().dictionary_encode("encode")
        values = encoded.dictionary.to_pylist()
        code = code * len(values) + np.asarray(encoded.indices, np.int64)
        groups = [(*key, value) for key in groups for value in values]
    used, code = np.unique(code, return_inverse=True)
    return np.asarray(code, np.int64), [groups[index] for index in used.tolist()]


def values_of(column: pa.ChunkedArray) -> Floats:
    """Return the values of a measure, NaN where null, shape (rows,)."""
    return numbers(column.combine_chunks().fill_null(float("nan")))

"""Sums over a night's documents, read from its published scores, and bootstrap replicates."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.document_ids import Hashes, hash_names, number
from segscore.pipeline.arrays.ragged import Floats, Ints, numbers
from segscore.pipeline.measures import Table
from segscore.pipeline.nightly.nights import Night
from segscore.pipeline.nightly.rules import RULE_TABLES, GateRule
from segscore.pipeline.scoring.names import POINT
from segscore.pipeline.statistics.averages import averages, replicates
from segscore.pipeline.statistics.bootstrap import UnitWeights, draw_weights, units
from segscore.pipeline.statistics.replicated import Replicated, widened
from segscore.pipeline.statistics.sums import CountedRows, GroupKey, Sums, merge, sum_rows

REPLICATES = 2000
"""Enough for a standard error within 3 % of what more would give, 19 times out of 20."""


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
        parameters: parameters of the formulas, as ``evaluate`` takes them.
        seed: seed of the weights.
    """

    kind: Table
    sums: Sums
    parameters: Mapping[str, float]
    seed: int

    @cached_property
    def systems(self) -> dict[GroupKey, int]:
        """System and values of the group-by columns, if any -> index of the group in ``sums``."""
        return {key: group for group, key in enumerate(self.sums.groups)}

    @cached_property
    def _drawn(self) -> UnitWeights:
        return draw_weights(self.sums.unit, self.seed, REPLICATES)

    def average(self, key_of_system: GroupKey, rule: GateRule) -> Replicated:
        """Compute a system's average, or that in a group, and its replicates."""
        group = self.systems[key_of_system]
        key = rule.measure, rule.average
        row = averages(self.kind, self.sums, group, None, self.parameters).rows[key]
        cells = np.flatnonzero(self.sums.group == group)
        weights = self._drawn.for_units(self.sums.unit[cells])
        resampled = replicates(self.kind, self.sums, cells, weights, self.parameters)
        freedom = row.defined - 1
        return Replicated(row.value, row.defined, widened(resampled[key], freedom), freedom)


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


def tally_replicates(
    night: Night,
    rules: tuple[GateRule, ...],
    seed: int,
    in_all: int,
    by: Sequence[str] = (),
    identity: Identity | None = None,
) -> Tally | None:
    """Sum a night's scores or panel_scores by system and resampling unit.

    The units depend on ``in_all``, the number of documents of the larger night.

    Returns:
        The sums, or None if the night has no such table, not with these attributes, or no document
        that is counted.

    Raises:
        Refused: a file of the night cannot be read.
        Failed: no server answers.
    """
    kind = RULE_TABLES[rules[0].table].only([rule.measure for rule in rules])
    columns = ["document_id", "hypothesis", *by, *kind.counts, *kind.measures]
    pieces = night.table_files(rules[0].table) if by else []
    if not all({*by} <= {*piece.columns} for piece in pieces):
        return None
    excluded = pa.array([] if identity is None else identity.left_out, pa.string())
    counted = (
        table.filter(pc.invert(pc.is_in(table.column("document_id"), value_set=excluded)))
        for table in tables(night, rules[0].table, columns)
    )
    parts = [sum_table(kind, table, in_all, by, identity) for table in counted if table.num_rows]
    if not parts:
        return None
    return Tally(kind, merge(parts), night.parameters, seed)


def tables(night: Night, name: str, columns: list[str]) -> Iterator[pa.Table]:
    """Read some columns of scores or panel_scores, one file at a time.

    Reference points, and scores against a consensus, are left out.
    """
    if name == "scores":
        columns = [*columns, "reference"]
    consensus = list(night.score_settings().shares)
    for part in night.parts(name, columns):
        yield _without_extra_rows(part, consensus)


def _without_extra_rows(table: pa.Table, consensus: list[str]) -> pa.Table:
    mask = pc.invert(pc.starts_with(table.column("hypothesis"), POINT))
    if "reference" in table.column_names:
        is_consensus = pc.is_in(table.column("reference"), pa.array(consensus, pa.string()))
        mask = pc.and_(mask, pc.invert(is_consensus))
    return table.filter(mask)


def sum_table(
    kind: Table,
    table: pa.Table,
    in_all: int,
    by: Sequence[str] = (),
    identity: Identity | None = None,
) -> Sums:
    """Sum rows of scores or panel_scores by system, group and resampling unit.

    The units depend on the number of documents ``in_all``. The group of documents without a value
    has the key None.
    """
    code, groups = _number_groups(table, ["hypothesis", *by])
    coded = number(table.column("document_id").combine_chunks())
    rows = CountedRows(
        coded.document,
        [numbers(table.column(name).combine_chunks()) for name in kind.counts],
        [values_of(table.column(name)) for name in kind.measures],
        one_each=False,
    )
    ids = hash_names(coded.documents.ids).hashes
    ids = ids if identity is None else identity(ids)
    return sum_rows(groups, code, units(ids, in_all), rows)


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

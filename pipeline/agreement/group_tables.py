"""Build the tables with rows by group: agreement, coders, peers, corpus."""

from collections.abc import Collection
from dataclasses import fields
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.agreement.changes import add_changes
from segscore.pipeline.agreement.coders import coder_rows, peer_rows
from segscore.pipeline.agreement.corpus import corpus_row
from segscore.pipeline.agreement.group import Choices, Group
from segscore.pipeline.agreement.judged import add_drift
from segscore.pipeline.agreement.tallies import GROUP, Groups, Tallies, split, without_folds
from segscore.pipeline.arrays.ragged import numbers
from segscore.pipeline.statistics import bootstrap

_Row = dict[str, object]
NAMES = ("coefficient", "similarity", "coder", "peer", "drift_from", "drift_to")
_MARKS = (
    "flagged",
    "outlying_rate",
    "low_agreement",
    "high_agreement",
    "shifted",
    "standard",
    "drifting",
)


def group_tables(
    merged: Tallies, group_by: Groups, choices: Choices, seed: int, replicates: int
) -> dict[str, pa.Table]:
    """Build the tables by group, with the group of all documents first (schemas/agreement.py).

    Args:
        merged: tallies of the whole run.
        group_by: the group-by columns and their types.
        choices: how coefficients are computed.
        seed: seed of the bootstrap.
        replicates: number of bootstrap replicates; 0 for no intervals.
    """
    by_group = {
        field.name: split(getattr(merged, field.name), group_by) for field in fields(Tallies)
    }
    units = np.unique(numbers(merged.documents.column("unit").combine_chunks()))
    drawn = None
    if replicates:
        drawn = bootstrap.weights(units.astype(np.uint64), seed, replicates)
    rows: dict[str, list[_Row]] = {}
    by_key: dict[tuple[object, ...], Group] = {}
    for key in sorted(by_group["documents"], key=_order):
        tables = {
            name: groups.get(key, getattr(merged, name).slice(0, 0).drop_columns([*group_by]))
            for name, groups in by_group.items()
        }
        tables["by_fold"], tables["peers"] = tables["peers"], without_folds(tables["peers"])
        group = by_key[key] = Group(tables, drawn, units, choices)
        columns = (name.removeprefix(GROUP) for name in group_by)
        group_values = dict(zip(columns, key, strict=True))
        generated = {
            "agreement": group.rows(),
            "coders": coder_rows(group),
            "peers": peer_rows(group),
            "corpus": iter([corpus_row(group)]),
        }
        for name, group_rows in generated.items():
            rows.setdefault(name, []).extend({**group_values, **row} for row in group_rows)
    by = [name.removeprefix(GROUP) for name in group_by]
    add_changes(rows["agreement"], by, by_key)
    add_drift(rows["coders"], by, by_key)
    return {name: _to_table(group_rows, group_by) for name, group_rows in rows.items()}


def filter_similarities(agreement: pa.Table, similarities: Collection[str]) -> pa.Table:
    """Return the rows of `agreement` for some similarities."""
    mask = pc.is_in(agreement.column("similarity"), value_set=pa.array(similarities))
    return agreement.filter(mask)


def _order(key: tuple[Any, ...]) -> tuple[tuple[Any, ...], ...]:
    return tuple(() if part is None else (part,) for part in key)


def _to_table(rows: list[_Row], group_by: Groups) -> pa.Table:
    types = {name.removeprefix(GROUP): kind for name, kind in group_by.items()}
    columns = {}
    for name in rows[0] if rows else ():
        values = [row[name] for row in rows]
        if name in types:
            columns[name] = pa.array(values, types[name])
        elif name in NAMES:
            columns[name] = pa.array(values, pa.string())
        elif name in _MARKS:
            columns[name] = pa.array(values, pa.bool_())
        elif isinstance(values[0], int):
            columns[name] = pa.array(values, pa.int64())
        else:
            # NaN means undefined and becomes null.
            columns[name] = pa.array(np.array(values, np.float64), from_pandas=True)
    return pa.table(columns)

"""Compute the tables by group of an agreement run, and describe what was left out."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import islice, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.agreement.chance import drawn_counts
from segscore.pipeline.agreement.coders import coder_rows, peer_rows
from segscore.pipeline.agreement.coefficients import CoefficientKey
from segscore.pipeline.agreement.corpus import corpus_row
from segscore.pipeline.agreement.group import Choices, Group
from segscore.pipeline.agreement.judging.judge import add_comparisons, judge_coders
from segscore.pipeline.agreement.judging.steps import COLUMN_TYPES
from segscore.pipeline.agreement.other_coders import agreement_rows
from segscore.pipeline.agreement.part import AgreeJob
from segscore.pipeline.agreement.same_coders import COLUMNS, same_coders
from segscore.pipeline.agreement.settings import AgreeSettings
from segscore.pipeline.agreement.tallies import (
    GROUP,
    Groups,
    Tallies,
    is_bucketed,
    split,
    without_folds,
)
from segscore.pipeline.agreement.type_rows import types_table
from segscore.pipeline.errors import NoResult
from segscore.pipeline.runs.record import RowCounts
from segscore.pipeline.runs.sink import Sink
from segscore.pipeline.statistics import resampling
from segscore.pipeline.statistics.jackknife import CONFIDENCE, difference
from segscore.pipeline.statistics.multiple_tests import holm, holm_levels

CODINGS = "codings"
TYPES_UNUSED = (
    "boundary_types: coefficients count each position once; the table types has agreement by type"
)
_Row = dict[str, Any]
_NAMES = ("coefficient", "similarity", "coder", "peer")
_CHANGES = ("change", "change_low", "change_high", "change_p")


def agreement_tables(
    settings: AgreeSettings, job: AgreeJob, tallies: Tallies
) -> tuple[dict[str, pa.Table], str]:
    """Compute the tables by group; return them and the name of the estimator of the intervals."""
    units = np.zeros(1 if is_bucketed(tallies) else 0, np.uint64)
    estimator = resampling.estimator(units, job.settings.resample_by)
    tables = group_tables(tallies, job.group_by, job.choices)
    similarities = pa.array(settings.similarities, pa.string())
    chosen = pc.is_in(tables["agreement"].column("similarity"), similarities)
    tables["agreement"] = tables["agreement"].filter(chosen)
    return tables, estimator


def agreement_columns() -> set[str]:
    """Return the names of all columns of an agreement run."""
    from segscore.pipeline.agreement.tables import AGREEMENT_TABLES

    return {name for table in AGREEMENT_TABLES for name in table.columns}


def warn_of_ungrouped(corpus: pa.Table, group_by: tuple[str, ...], sink: Sink) -> list[str]:
    """Return a warning if some documents are in no group, with the id of one."""
    whole, *groups = corpus.column("documents").to_pylist()
    ungrouped = whole - sum(groups)
    if not group_by or not ungrouped:
        return []
    ids = (
        row["document_id"]
        for rows in sink.read("documents", ["document_id", *group_by])
        for row in rows.to_pylist()
        if any(row[name] is None for name in group_by)
    )
    example = "".join(f", such as {name}" for name in islice(ids, 1))
    others = "; if --documents has the values, see whether its ids are those of the codings"
    return [
        f"{ungrouped:,} of {whole:,} documents are in no group{example}: not all of their "
        f"codings have a value of {', '.join(group_by)}" + others * (ungrouped == whole)
    ]


def nothing_audited(settings: AgreeSettings, account: RowCounts, why: str) -> NoResult:
    """Return the error to raise if no document has two coders; ``why`` ends its message."""
    codings = account[CODINGS]
    cause = "each document has one coding, and agreement needs two of a document"
    why = why if codings["rejected"] else ""
    if codings["rejected"]:
        cause = f"{codings['rejected']:,} of {codings['in']:,} codings were rejected"
    return NoResult(
        f"{settings.codings}: no document has two coders, so there is no agreement to measure: "
        f"{cause}{why}"
    )


def groups_of(
    merged: Tallies, group_by: Groups, choices: Choices
) -> dict[tuple[object, ...], Group]:
    """Return the group of all documents, whose values are None, and each group by its values."""
    by_group = {
        field.name: split(getattr(merged, field.name), group_by) for field in fields(Tallies)
    }
    strata = _strata(by_group["sample"])
    groups: dict[tuple[object, ...], Group] = {}
    for key in sorted(by_group["documents"], key=_order):
        tables = {
            name: groups.get(key, getattr(merged, name).slice(0, 0).drop_columns([*group_by]))
            for name, groups in by_group.items()
        }
        tables["by_fold"], tables["peers"] = tables["peers"], without_folds(tables["peers"])
        is_whole = all(value is None for value in key)
        groups[key] = Group(tables, choices, strata if is_whole else None)
    return groups


def group_tables(merged: Tallies, group_by: Groups, choices: Choices) -> dict[str, pa.Table]:
    """Build the tables by group, with the group of all documents first (schemas/agreement.py)."""
    rows: dict[str, list[_Row]] = {}
    by = [name.removeprefix(GROUP) for name in group_by]
    groups = groups_of(merged, group_by, choices)
    drawn = drawn_counts(merged.lengths, choices.n_t, choices.judging.seed)
    whole = None
    for key, group in groups.items():
        view = judge_coders(group)
        whole = view if all(value is None for value in key) else whole
        group_values = dict(zip(by, key, strict=True))
        generated = {
            "agreement": agreement_rows(group, drawn),
            "coders": coder_rows(group, view),
            "peers": peer_rows(group, view),
            "corpus": iter([corpus_row(group)]),
        }
        for name, group_rows in generated.items():
            rows.setdefault(name, []).extend({**group_values, **row} for row in group_rows)
    _add_changes(rows["agreement"], by, groups)
    add_comparisons(rows["coders"], by, groups, whole)
    tables = {name: _to_table(group_rows, group_by) for name, group_rows in rows.items()}
    return tables | {"types": types_table(groups, group_by)}


def _strata(samples: Mapping[tuple[object, ...], pa.Table]) -> pa.Table:
    """Number the groups, and list the documents of each, by hash."""
    keys = sorted((key for key in samples if None not in key), key=_order)
    groups = [samples[key] for key in keys]
    listed = [
        pa.table({"document": found, "stratum": pa.array(np.full(len(found), number))})
        for number, table in enumerate(groups)
        for found in [table.column("document").unique()]
    ]
    empty = pa.table({"document": pa.array([], pa.uint64()), "stratum": pa.array([], pa.int64())})
    return pa.concat_tables([empty, *listed]).sort_by("document").combine_chunks()


def _order(key: tuple[Any, ...]) -> tuple[tuple[Any, ...], ...]:
    return tuple(() if part is None else (part,) for part in key)


def _to_table(rows: list[_Row], group_by: Groups) -> pa.Table:
    types = {name.removeprefix(GROUP): kind for name, kind in group_by.items()}
    columns = {}
    for name in rows[0] if rows else ():
        values = [row[name] for row in rows]
        if name in types:
            columns[name] = pa.array(values, types[name])
        elif name in _NAMES:
            columns[name] = pa.array(values, pa.string())
        elif name in COLUMN_TYPES:
            columns[name] = pa.array(values, COLUMN_TYPES[name], from_pandas=True)
        elif isinstance(values[0], int):
            columns[name] = pa.array(values, pa.int64())
        else:
            # NaN means undefined and becomes null.
            columns[name] = pa.array(np.array(values, np.float64), from_pandas=True)
    return pa.table(columns)


def _add_changes(
    rows: Sequence[_Row], by: Sequence[str], groups: Mapping[tuple[Any, ...], Group]
) -> None:
    """Add the columns about changes to the rows of `agreement`.

    The groups are of different documents, so their estimates are independent.
    """
    ordered = sorted(value for (value,) in groups if value is not None) if len(by) == 1 else []
    found: dict[tuple[object, CoefficientKey], tuple[float, ...]] = {}
    for key in groups[(None,) * len(by)].agreement if ordered else ():
        changes = [
            difference(groups[(value,)].estimates[key], groups[(before,)].estimates[key])
            for before, value in pairwise(ordered)
        ]
        p = [change.p for change in changes]
        levels = holm_levels(p, [key] * len(p), 1 - CONFIDENCE)
        tested = zip(ordered[1:], changes, holm(p).tolist(), levels.tolist(), strict=True)
        for value, change, adjusted, level in tested:
            confidence = CONFIDENCE if np.isnan(level) else 1 - level
            found[value, key] = (change.value, *change.interval(confidence), adjusted)
    same = _same_coders(groups, ordered)
    for row in rows:
        at = row[by[0]] if ordered else None
        key = row["coefficient"], row["similarity"]
        row.update(zip(_CHANGES, found.get((at, key), (float("nan"),) * 4), strict=True))
        row.update(same.get(at, dict.fromkeys(COLUMNS, float("nan"))))


def _same_coders(
    groups: Mapping[tuple[Any, ...], Group], ordered: Sequence[Any]
) -> dict[object, dict[str, float]]:
    """Return the columns about the coders of each group who also coded in the group before."""
    if len(ordered) < 2:
        return {}
    whole, found = groups[(None,)], dict[object, dict[str, float]]()
    judging = whole.choices.judging
    pairs = whole.by_document.pairs(judging.similarity, judging.n_t)
    number = {value: 1 + at for at, value in enumerate(ordered)}
    for before, value in pairwise(ordered):
        both = number[before], number[value]
        grouped = whole.choices.grouped
        found[value] = same_coders(whole.by_document, pairs, both, grouped=grouped)
    return found

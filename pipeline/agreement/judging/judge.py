"""Judge the coders of a group of documents by the steps.

Judged by their mean with their peers, bad coders spoil the standard for all.  So those who are
found are left out of the standard, until nobody else is found.  Nobody is accused of agreeing less
with those who read the guidelines in another way.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from segscore.pipeline.agreement.group import Group
from segscore.pipeline.agreement.judging.limits import FEWEST_JUDGED
from segscore.pipeline.agreement.judging.readings import Readings, readings_of_accused
from segscore.pipeline.agreement.judging.step import Row, StepColumn, plain
from segscore.pipeline.agreement.judging.steps import STEPS
from segscore.pipeline.agreement.judging.view import Evidence, View
from segscore.pipeline.arrays.ragged import Flags

_FEWEST_STANDARD = 3
"""Coders are left out of the standard only while at least so many remain."""

_BAD = [step.mark for step in STEPS if step.leaves_standard]


def judge_coders(group: Group) -> View | None:
    """Judge coders; None if fewer than four share ten documents each with others."""
    evidence = Evidence(group)
    standard = evidence.judged
    if np.count_nonzero(standard) < FEWEST_JUDGED:
        return None
    # Before anybody is set apart: who reads in another way may also mark later, or less often.
    everybody = evidence.readings(standard)
    ways = everybody if everybody.way.any() else None
    view = _settled(evidence, ways)
    if ways is None:
        accused = standard & np.logical_or.reduce([view[mark] for mark in _BAD])
        alike = readings_of_accused(
            evidence.coded, standard, accused, view.readings, evidence.judging
        )
        view = view if alike is None else _settled(evidence, alike)
    return view


def _settled(evidence: Evidence, ways: Readings | None) -> View:
    """Leave those who are found out of the standard, until nobody else is found."""
    standard = evidence.judged
    before: tuple[tuple[int, int], ...] = ()
    # Pairs that are left out may come back, so that states might follow each other in a circle.
    seen = {(standard.tobytes(), before)}
    while True:
        view = View(evidence, standard, before, ways)
        for step in STEPS:
            view.found.update(step.judge(view))
        left = standard & ~np.logical_or.reduce([view[mark] for mark in _BAD])
        if np.count_nonzero(left) < _FEWEST_STANDARD:
            return view
        standard, before = left, view.readings.pairs
        if (standard.tobytes(), before) in seen:
            return view
        seen.add((standard.tobytes(), before))


def coder_columns(group: Group, view: View | None) -> list[Row]:
    """Return what the steps say of each coder of a group."""
    columns = [column for step in STEPS for column in step.columns]
    known = None if view is None else ~np.isnan(view["agreement_effect"])
    rows = _rows(view, columns, len(group.coders), known)
    for step in STEPS:
        for row, counted in zip(rows, step.count(group), strict=False):
            row |= counted
    return rows


def pair_columns(group: Group, view: View | None) -> list[Row]:
    """Return what the steps say of each pair of coders, in the order of the table `peers`."""
    columns = [column for step in STEPS for column in step.pair_columns]
    return _rows(view, columns, len(group.pair_counts.first), None)


def _rows(
    view: View | None, columns: Iterable[StepColumn], number: int, known: Flags | None
) -> list[Row]:
    """Return rows of columns, undefined where nothing is known."""
    rows: list[Row] = [{} for _ in range(number)]
    for column in columns:
        values = None if view is None else view.found.get(column.name)
        for x, row in enumerate(rows):
            if values is not None and (known is None or known[x]):
                row[column.name] = plain(values[x])
            else:
                row[column.name] = column.kind.undefined
    return rows


def add_comparisons(
    rows: Sequence[Row],
    by: Sequence[str],
    groups: Mapping[tuple[object, ...], Group],
    whole: View | None,
) -> None:
    """Add what steps find by comparing groups to the rows of `coders`."""
    if whole is None:
        return
    found: dict[tuple[tuple[object, ...], str], Row] = {}
    for step in STEPS:
        for key, columns in step.compare(by, groups, whole).items():
            found.setdefault(key, {}).update(columns)
    for row in rows:
        row |= found.get((tuple(row[name] for name in by), str(row["coder"])), {})

"""Sections of a report on how the ranks of systems depend on a setting."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from segscore.pipeline.measures import ALL
from segscore.pipeline.reports.page import Cell, Figure, NumberCell, PageTable, Section
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.statistics.shown_numbers import shown_as, shown_number

_Row = dict[str, Any]


def rank_sections(run: FinishedRun) -> Iterator[Section]:
    """Yield the section on the values and ranks of systems at each setting."""
    rows: list[_Row] = run.rows("ranks")
    yield Section(
        "ranks",
        "Ranks at other settings",
        "Each value is the micro average with one other setting; small: the rank. Kendall's tau-b "
        "compares the order of the systems with that at the run's own setting: 1 is the same.",
        [
            _table(measure, setting, [*each])
            for (measure, setting), each in groupby(rows, key=lambda row: _of(row))
        ],
    )


def _of(row: _Row) -> tuple[str, str]:
    return str(row["measure"]), str(row["setting"])


def _table(measure: str, setting: str, rows: Sequence[_Row]) -> Figure:
    columns = [[*each] for _, each in groupby(rows, key=lambda row: str(row["choice"]))]
    headings = [f"{each[0]['choice']}{', own' * each[0]['own']}" for each in columns]
    body: list[list[Cell]] = [
        [each[0]["hypothesis"], *(_cell(row) for row in each)]
        for each in zip(*columns, strict=True)
    ]
    taus: list[Cell] = [
        NumberCell(shown_as(each[0]["tau"], ".2f"), each[0]["tau"]) for each in columns
    ]
    table = PageTable(["system", *headings], body, apart=[["Kendall's tau", *taus]])
    return Figure(f"{measure}{ALL[measure].arrow} by {setting}", table=table, folded=False)


def _cell(row: _Row) -> NumberCell:
    rank = "" if row["rank"] is None else f"{row['rank']:.0f}"
    return NumberCell(shown_number(row["value"]), row["value"], rank)


_EVERYWHERE = {"units": "in units and in words"}
"""How a sentence names all choices of a setting whose choices are what is counted."""


def ranks_in_words(rows: Sequence[_Row]) -> Iterator[str]:
    """Say of each measure whether the order of the systems depends on each setting."""
    parts = groupby(rows, key=lambda row: (str(row["measure"]), str(row["setting"])))
    for (measure, setting), each in parts:
        taus = {str(row["choice"]): row["tau"] for row in each}
        known = {choice: tau for choice, tau in taus.items() if tau is not None}
        if not known:
            yield f"{measure}: an order of the systems is not defined."
            continue
        choice = min(known, key=lambda name: known[name])
        least = known[choice]
        if least == 1:
            everywhere = _EVERYWHERE.get(setting, f"at every {setting}")
            yield f"{measure}: the order of the systems is the same {everywhere} here."
        else:
            there = f"in {choice}" if setting in _EVERYWHERE else f"at {setting} {choice}"
            yield (
                f"{measure}: the order of the systems depends on {setting}; Kendall's tau is "
                f"{least:.2f} {there}."
            )

"""Values and ranks of systems at several settings: tables, and sentences on what they show."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from segscore.pipeline.measures import ALL
from segscore.pipeline.plain_text import named_list
from segscore.pipeline.statistics.formatted_numbers import shown_as, shown_number, shown_rank
from segscore.pipeline.statistics.result_table import Column, ResultTable, WrittenNumber

_Row = Mapping[str, Any]

_ALMOST_ONE = 0.99
"""The most that is shown of a Kendall's tau below 1."""

_EVERYWHERE = {"units": "in units and in words"}
"""How a sentence names all choices of a setting whose choices are what is counted."""


def ranks_tables(rows: Sequence[_Row]) -> Iterator[ResultTable]:
    """Yield a table for each measure: a row for each system, a column for each setting.

    Args:
        rows: the rows of `ranks`.
    """
    for measure, of_measure in groupby(rows, key=lambda row: str(row["measure"])):
        columns = [[*each] for _, each in groupby(of_measure, key=_key)]
        own = next(each for each in columns if each[0]["own"])
        order = sorted(range(len(own)), key=lambda n: (own[n]["rank"] is None, own[n]["rank"]))
        names = [str(own[n]["hypothesis"]) for n in order]
        yield ResultTable(
            [
                Column("system", [*names, "Kendall's tau"], is_name=True),
                *(
                    Column(_heading(each[0]), [*(_ranked(each[n]) for n in order), _tau(each[0])])
                    for each in columns
                ),
            ],
            title=f"{measure}{ALL[measure].arrow}: value and rank",
            caption="micro averages; * the run's own setting, with which Kendall's tau-b compares "
            "the order",
            apart=1,
        )


def _key(row: _Row) -> tuple[str, str]:
    return str(row["setting"]), str(row["choice"])


def _heading(row: _Row) -> str:
    own = "*" if row["own"] else ""
    return (
        f"{row['choice']}{own}" if row["setting"] in _EVERYWHERE else f"{' '.join(_key(row))}{own}"
    )


def _ranked(row: _Row) -> WrittenNumber:
    rank = "" if row["rank"] is None else shown_rank(row["rank"])
    return WrittenNumber(shown_number(row["value"]), row["value"], rank)


def _tau(row: _Row) -> WrittenNumber:
    return WrittenNumber(shown_as(row["tau"], ".2f"), row["tau"])


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
        unknown = [name for name in taus if name not in known]
        if least == 1 and unknown:
            there = named_list([_there(setting, name) for name in unknown])
            yield (
                f"{measure}: the order of the systems is the same wherever there is one here; "
                f"{there}, all that have a value are equally good."
            )
        elif least == 1:
            everywhere = _EVERYWHERE.get(setting, f"at every {setting}")
            yield f"{measure}: the order of the systems is the same {everywhere} here."
        else:
            yield (
                f"{measure}: the order of the systems depends on {setting}; Kendall's tau is "
                f"{min(least, _ALMOST_ONE):.2f} {_there(setting, choice)}."
            )


def _there(setting: str, choice: str) -> str:
    return f"in {choice}" if setting in _EVERYWHERE else f"at {setting} {choice}"

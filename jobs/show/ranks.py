"""Show how values and ranks of systems depend on a setting."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from segscore.jobs.show.fitted import print_fitted
from segscore.pipeline.measures import ALL
from segscore.pipeline.statistics.shown_numbers import shown_as, shown_number
from segscore.pipeline.statistics.shown_tables import Column

_Row = dict[str, Any]
_TAU = "Kendall's tau"


def print_ranks(rows: Sequence[_Row]) -> None:
    """Print a table for each measure: a row for each system, a column for each setting."""
    for measure, of_measure in groupby(rows, key=lambda row: str(row["measure"])):
        columns = [[*each] for _, each in groupby(of_measure, key=_key)]
        own = next(each for each in columns if each[0]["own"])
        order = sorted(range(len(own)), key=lambda n: (own[n]["rank"] is None, own[n]["rank"]))
        names = [str(own[n]["hypothesis"]) for n in order]
        print_fitted(
            [
                Column("system", [*names, _TAU], is_name=True),
                *(
                    Column(_heading(each[0]), [*(_cell(each[n]) for n in order), _tau(each[0])])
                    for each in columns
                ),
            ],
            title=f"{measure}{ALL[measure].arrow}: value and rank",
            caption="micro averages; * the run's own setting, with which Kendall's tau-b compares "
            "the order",
            sections={len(names) - 1},
        )


def _key(row: _Row) -> tuple[str, str]:
    return str(row["setting"]), str(row["choice"])


def _heading(row: _Row) -> str:
    own = "*" if row["own"] else ""
    return f"{row['choice']}{own}" if row["setting"] == "units" else f"{' '.join(_key(row))}{own}"


def _cell(row: _Row) -> str:
    rank = "" if row["rank"] is None else f" ({row['rank']:.0f})"
    return f"{shown_number(row['value'])}{rank}"


def _tau(row: _Row) -> str:
    return shown_as(row["tau"], ".2f")

"""Trends over many nights."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import date
from os import PathLike
from typing import TYPE_CHECKING

import pyarrow as pa

from segscore.api.runs import RunTables, location_of_run
from segscore.api.settings import read_settings
from segscore.api.wording import for_python
from segscore.pipeline.nightly.dates import read_date, read_month
from segscore.pipeline.nightly.trend.month import Month, find_month
from segscore.pipeline.nightly.trend.run import find_trend
from segscore.pipeline.nightly.trend.settings import TrendSettings
from segscore.pipeline.runs.finished import FinishedRun

if TYPE_CHECKING:
    from typing import Unpack

    from segscore.api.typed import AnyMeasure, TrendKeywords


_READ: dict[str, Callable[[str, str], date]] = {
    "since": read_date,
    "until": read_date,
    "month": read_month,
}
"""Keyword -> what reads its text."""


class TrendTables(RunTables):
    """The tables of a trend (docs/jobs/trend.md): trends, nights, ranking.

    With ``month``, the only table is months.

    >>> import segscore
    >>> tables = segscore.trend("runs", measure="boundary_similarity")  # doctest: +SKIP
    >>> tables.findings[0]  # doctest: +SKIP
    'delta gets worse: ...'
    """

    @property
    def findings(self) -> list[str]:
        """What changed, in sentences; the most important one first."""
        return list(self.record["findings"])

    @property
    def trends(self) -> pa.Table:
        """A row for each system and group: verdict, line, step."""
        return self.table("trends")

    @property
    def ranking(self) -> pa.Table:
        """A row for each pair of systems over the nights, those of the best system first."""
        return self.table("ranking")


@for_python
def trend(
    runs: "str | PathLike[str]", *, measure: "AnyMeasure", **settings: "Unpack[TrendKeywords]"
) -> TrendTables:
    """Find which systems and groups changed over the nights of a folder, and the best system.

    >>> import segscore
    >>> segscore.trend("missing", measure="pk")
    Traceback (most recent call last):
        ...
    segscore.pipeline.errors.Refused: missing: no such folder, or it is empty

    Args:
        runs: folder or URL of the nights, that of `nightly --runs`.
        measure: name of a measure.
        settings: options of `segscore trend`, as keywords: since, until, nights, month, group_by,
            average, alpha, limit, seed, add.

    Raises:
        Refused: there are fewer than 3 nights with the measure, or a setting is invalid.
    """
    ends = {
        "since": settings.pop("since", None),
        "until": settings.pop("until", None),
        "month": settings.pop("month", None),
    }
    given = read_settings(TrendSettings, {**settings, "measure": measure})
    for name, day in ends.items():
        if day is not None:
            given[name] = _READ[name](name, day) if isinstance(day, str) else day
    chosen = TrendSettings(runs=location_of_run(runs), **given)
    found = find_trend(chosen) if chosen.month is None else find_month(chosen)
    record = {
        "signature": found.nightly.signature,
        "settings": asdict(found.settings),
        "warnings": list(found.nightly.warnings),
        "findings": [] if isinstance(found, Month) else list(found.findings),
    }
    return TrendTables(FinishedRun("trend", record, tables=found.tables))

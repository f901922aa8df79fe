"""Averages of nights by any attribute of the documents, from the scores of each night."""

from collections.abc import Sequence
from datetime import date

from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.measures import ALL
from segscore.pipeline.nightly.nights import Nights, aliases_on
from segscore.pipeline.nightly.rule import GateRule
from segscore.pipeline.nightly.tallies import tally_night
from segscore.pipeline.nightly.trend.settings import TrendSettings
from segscore.pipeline.statistics.formatted_numbers import shown_attribute

GroupValues = tuple[object, ...]
"""Values of the group-by columns; all None over all documents."""

GroupAverages = dict[tuple[str, GroupValues, date], tuple[float, float]]
"""System, group and night -> the average and its standard error."""


def averages_by_group(settings: TrendSettings, nights: Sequence[date]) -> GroupAverages:
    """Compute the averages by attributes that the summaries of nights do not have.

    Raises:
        Refused: no night has the attributes.
    """
    falls = ALL[settings.measure].better != "lower"
    asked = GateRule("", settings.average, settings.measure, falls, 0.0, "")
    by = settings.group_by
    found: GroupAverages = {}
    columns: set[str] = set()
    folder = Nights(settings.runs, aliases=aliases_on(settings.runs, nights[-1]))
    for day in nights:
        night = folder.find(day)
        if night is None:  # it was removed: there are only its summaries
            continue
        pieces = night.table_files(asked.table)
        columns |= {name for piece in pieces for name in piece.columns}
        documents = max(row["documents"] for row in night.over_all())
        tally = tally_night(night, (asked,), documents, by)
        if tally is None:
            continue
        for system, *group in tally.systems:
            if None not in group:
                estimate = tally.average((system, *group), asked).estimate
                found[str(system), tuple(group), day] = estimate.value, estimate.error
    if not found:
        absent = next((name for name in by if name not in columns), ",".join(by))
        raise Refused(
            f"--group-by {absent}: the documents of no night have this attribute"
            f"{nearest(absent, columns)}"
        )
    return found


def group_name(group: GroupValues) -> str:
    """Name a group by its values, such as `regio`; `all documents` without any."""
    if all(value is None for value in group):
        return "all documents"
    return ", ".join(map(shown_attribute, group))

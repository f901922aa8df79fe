"""The table that a scoring run's page begins with: all systems, with their documents."""

from collections.abc import Iterator, Sequence

import numpy as np

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.comparison.shared_documents import SharedDocuments
from segscore.pipeline.measures import ALL
from segscore.pipeline.reports.glance import BarMarks, Glance, GlanceCell, GlanceColumn, GlanceRow
from segscore.pipeline.reports.ranking import Ranking
from segscore.pipeline.reports.run_tables import group_name
from segscore.pipeline.results.chance import may_be_chance
from segscore.pipeline.results.names import CHANCE
from segscore.pipeline.statistics.finding import Fact
from segscore.pipeline.statistics.formatted_numbers import counted, percent, short_number
from segscore.schemas.rows import AverageRow

_WIDTH = 300
"""Width of a bar, from 0 to the end of the scale."""

_BINS = 20
"""Columns of the small histogram of a system's documents."""

_OTHERS = 4
"""Measures beside the one by which systems are ranked."""

_ROWS = 20
"""Systems at a glance; the leaderboard of all columns has the others."""


def about(ranking: Ranking) -> str:
    """Say in a line what was averaged over what."""
    board = ranking.board
    most = max((row["documents"] for row in board.rows.values()), default=0)
    over = board.coverage.shared_in_words or counted(most, "document")
    by = f"by {', '.join(ranking.by)}" if ranking.by else ""
    average = f"{ranking.measure.name}, {ranking.average} average"
    return " · ".join(filter(None, (counted(len(board.systems), "system"), over, by, average)))


def weakest_group(ranking: Ranking) -> Iterator[Fact]:
    """Yield the group in which the best system is worst, if there are several groups."""
    best = [name for name, place in ranking.board.places.items() if place == 1]
    rows = [row for row in ranking.groups if [row["hypothesis"]] == best]
    known = [row for row in rows if row["value"] is not None]
    if len(known) > 1:
        sign = 1 if ranking.measure.better == "higher" else -1
        weakest = min(known, key=lambda row: sign * (row["value"] or 0.0))
        value = f"weakest group: {short_number(weakest['value'])}"
        yield Fact(group_name(weakest, ranking.by), value)


def systems_at_a_glance(ranking: Ranking, documents: SharedDocuments) -> Glance | None:
    """Show the systems, best first: value, interval and chance, documents, and other measures.

    Args:
        ranking: the leaderboard.
        documents: the documents that all systems share.
    """
    board, others, scale = ranking.board, _others(ranking), _scale(ranking)
    if not board.systems:
        return None
    has_skill = "skill" in board.beside()
    along = f"0 to {scale:.3g}; line: 95 %{'; dashed: chance' * has_skill}"
    columns = [
        GlanceColumn("rank", "text", wide=True, unseen=True),
        GlanceColumn("system", "name"),
        GlanceColumn(ranking.measure.name + ranking.measure.arrow, "value"),
        GlanceColumn(along, "text"),
        GlanceColumn("documents", "text", wide=True),
        *[GlanceColumn("skill", "number", wide=True)] * has_skill,
        *(GlanceColumn(name + ALL[name].arrow, "number", wide=True) for name in others),
    ]
    more = len(board.systems) - _ROWS
    note = "Bold: the best of a column."
    note += " Dashed: as many boundaries as the system placed, at random." * has_skill
    note += (
        f" {counted(more, 'more system')} below, in All columns and measures." if more > 0 else ""
    )
    return Glance("Systems at a glance", columns, [*_rows(ranking, documents, has_skill)], note)


def _rows(ranking: Ranking, documents: SharedDocuments, has_skill: bool) -> Iterator[GlanceRow]:
    board, others, scale = ranking.board, _others(ranking), _scale(ranking)
    bests = {name: board.best(name) for name in (ranking.measure.name, *others)}
    for name in board.systems[:_ROWS]:
        row = board.average(ranking.measure.name, name)
        chance = board.average(ranking.measure.name, f"{CHANCE}{name}")["value"]
        chip = "chance" if may_be_chance(board, name) else ""
        values = {other: board.average(other, name)["value"] for other in others}
        cells = [
            GlanceCell(str(board.places.get(name, ""))),
            GlanceCell(name),
            GlanceCell(short_number(row["value"]), _interval(row["ci_low"], row["ci_high"])),
            GlanceCell(bar=_bar(row, chance, scale)),
            GlanceCell(bins=_bins(documents, ranking.measure.name, name, scale)),
            *[GlanceCell(percent(row.get("skill")), chip=chip)] * has_skill,
            *(
                GlanceCell(short_number(value), best=name in bests[other])
                for other, value in values.items()
            ),
        ]
        yield GlanceRow(cells, "first" if board.places.get(name) == 1 else "")


def _others(ranking: Ranking) -> list[str]:
    names = [name for name in ranking.board.measures if name != ranking.measure.name]
    return names[:_OTHERS]


def _scale(ranking: Ranking) -> float:
    """Return the end of the scale: 1, or the largest value of a measure that exceeds it."""
    rows = ranking.board.averages.get(ranking.measure.name, {}).values()
    ends = [end for row in rows for end in (row["value"], row["ci_high"]) if end is not None]
    return max([1.0, *ends])


def _bar(row: AverageRow, chance: float | None, scale: float) -> BarMarks | None:
    """Return where a value, the ends of its interval and chance are along a bar."""
    value = row["value"]
    if value is None:
        return None
    low = value if row["ci_low"] is None else row["ci_low"]
    high = value if row["ci_high"] is None else row["ci_high"]

    def place(number: float) -> float:
        return round(_WIDTH * min(max(number / scale, 0.0), 1.0), 1)

    return BarMarks(
        place(value), place(low), place(high), None if chance is None else place(chance)
    )


def _bins(documents: SharedDocuments, measure: str, name: str, scale: float) -> Sequence[int]:
    """Return the heights of the columns of a histogram, at most 18; empty without documents."""
    sample = documents.sample
    labels = [] if sample is None else [system.label for system in sample.systems]
    if sample is None or name not in labels:
        return []
    values: Floats = sample.values[measure][labels.index(name)]
    counts, _ = np.histogram(np.clip(values[~np.isnan(values)], 0, scale), _BINS, (0.0, scale))
    most = int(counts.max(initial=1))
    return [int(-(-18 * count // most)) for count in counts.tolist()]


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{short_number(low)}–{short_number(high)}"

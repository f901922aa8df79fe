"""The first screen of a scoring run's page: who is best, by how much, and all systems."""

from collections.abc import Iterator, Sequence

import numpy as np

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.comparison.shared_documents import SharedDocuments
from segscore.pipeline.comparison.verdict import BestSystem
from segscore.pipeline.measures import ALL
from segscore.pipeline.nightly.rules import kind_of_check
from segscore.pipeline.nightly.verdict import EVERY, Check
from segscore.pipeline.reports.page import BarMarks, BoardRow, Fact, FirstScreen
from segscore.pipeline.reports.ranking import Ranking
from segscore.pipeline.reports.run_tables import group_name
from segscore.pipeline.results.chance import may_be_chance
from segscore.pipeline.results.names import CHANCE
from segscore.pipeline.statistics.sentences import Tone
from segscore.pipeline.statistics.shown_numbers import counted, percent, short_number
from segscore.schemas.rows import AverageRow

_WIDTH = 300
"""Width of a bar, from 0 to the end of the scale."""

_BINS = 20
"""Columns of the small histogram of a system's documents."""

_OTHERS = 4
"""Measures beside the one by which systems are ranked."""

_NAMED = 3
"""Most systems that a headline names."""

_ROWS = 20
"""Systems at a glance; the leaderboard of all columns has the others."""


def first_screen(
    ranking: Ranking, documents: SharedDocuments, failed: Sequence[Check]
) -> FirstScreen:
    """Make the first screen of a page from the leaderboard and the comparisons.

    Args:
        ranking: the leaderboard.
        documents: the comparisons.
        failed: the checks of a night that fail, which are then the headline.
    """
    best = BestSystem(ranking.board, ranking.average, documents.pairs, documents.untested)
    names, rest = _what_failed(failed) if failed else _headline(best)
    measure = ranking.measure
    return FirstScreen(
        quiet=_quiet(ranking),
        names=names,
        rest=rest,
        tone=Tone.FAILED if failed else best.tone,
        facts=[*_facts(ranking, best)],
        measure=measure.name + measure.arrow,
        scale=f"{_scale(ranking):.3g}",
        others=[name + ALL[name].arrow for name in _others(ranking)],
        has_skill="skill" in ranking.board.beside(),
        rows=[*_rows(ranking, documents)],
        more=max(0, len(ranking.board.systems) - _ROWS),
    )


def _quiet(ranking: Ranking) -> str:
    """Say in a line what was averaged over what."""
    board = ranking.board
    most = max((row["documents"] for row in board.rows.values()), default=0)
    over = board.coverage.shared_in_words or counted(most, "document")
    parts = [counted(len(board.systems), "system"), over, ", ".join(ranking.by)]
    parts[2] = f"by {parts[2]}" if parts[2] else ""
    parts.append(f"{ranking.measure.name}, {ranking.average} average")
    return " · ".join(filter(None, parts))


def _headline(best: BestSystem) -> tuple[list[str], str]:
    """Return the names that the headline begins with, and what it says of them."""
    if not best.board.coverage.ranks:
        return [], "No system is called best"
    if not best.board.contenders:
        return [], "Only reference points were scored"
    if not best.known:
        return [], f"{best.board.measure} is undefined for every system"
    names = best.tied
    if len(best.known) == 1:
        value = best.board.average(best.board.measure, names[0])["value"]
        return names, f"scores {short_number(value)}"
    if len(names) > 1:
        return names, "are equally good"
    row = best.ahead
    if row is None or row["p_holm"] is None:
        return names, "is first, but that was not tested"
    if best.is_sure:
        points = "a reference point is" if len(best.better_points) == 1 else "reference points are"
        but = f"; but {points} better" if best.better_points else ""
        return names, f"is significantly better than all others{but}"
    return names, "has the best value, but is not significantly better than all others"


def _what_failed(failed: Sequence[Check]) -> tuple[list[str], str]:
    """Return the systems that fail on a night, and what is said of them."""
    names = [*dict.fromkeys(check.system for check in failed if check.system != EVERY)]
    got_worse = any(kind_of_check(check).got_worse(check) for check in failed)
    rest = "got worse" if got_worse else "failed"
    if not names:
        return [], f"All systems {rest} together"
    if len(names) > _NAMED:
        return [], f"{len(names)} systems {rest}"
    return names, rest


def _facts(ranking: Ranking, best: BestSystem) -> Iterator[Fact]:
    """Yield up to four numbers about the best system: value, lead, skill and weakest group."""
    if len(best.tied) != 1:
        return
    (name,) = best.tied
    row = best.board.average(ranking.measure.name, name)
    interval = _interval(row["ci_low"], row["ci_high"], " to ")
    yield Fact(short_number(row["value"]), f"{name}{f'; 95 % {interval}' if interval else ''}")
    ahead = best.ahead
    if ahead is not None and ahead["difference"] is not None:
        # Macro averages of documents where both are defined can be in the other order.
        sign, second = (1, ahead["other"]) if ahead["system"] == name else (-1, ahead["system"])
        where = "" if sign == 1 else " where both are defined"
        yield Fact(f"{sign * ahead['difference']:+.3f}", f"to {second}, the second best{where}")
    skill = row.get("skill")
    if skill is not None:
        yield Fact(percent(skill), "of the way from chance to perfect (skill)")
    if (weakest := _weakest_group(ranking, name)) is not None:
        yield Fact(
            group_name(weakest, ranking.by), f"weakest group: {short_number(weakest['value'])}"
        )


def _weakest_group(ranking: Ranking, name: str) -> AverageRow | None:
    """Return the row of the group in which a system is worst; None without several groups."""
    rows = [row for row in ranking.groups if row["hypothesis"] == name]
    known = [row for row in rows if row["value"] is not None]
    if len(known) < 2:
        return None
    sign = 1 if ranking.measure.better == "higher" else -1
    return min(known, key=lambda row: sign * (row["value"] or 0.0))


def _rows(ranking: Ranking, documents: SharedDocuments) -> Iterator[BoardRow]:
    board, others = ranking.board, _others(ranking)
    bests = {name: board.best(name) for name in (ranking.measure.name, *others)}
    scale = _scale(ranking)
    for number, name in enumerate(board.systems[:_ROWS]):
        row = board.average(ranking.measure.name, name)
        chance = board.average(ranking.measure.name, f"{CHANCE}{name}")["value"]
        values = [board.average(other, name)["value"] for other in others]
        skill = row.get("skill")
        yield BoardRow(
            rank=str(board.places.get(name, "")),
            name=name,
            color=number,
            value=short_number(row["value"]),
            interval=_interval(row["ci_low"], row["ci_high"], "–"),
            bar=_bar(row, chance, scale),
            bins=_bins(documents, ranking.measure.name, name, scale),
            skill=percent(skill),
            is_chance=may_be_chance(board, name),
            others=[
                (short_number(v), name in bests[o]) for v, o in zip(values, others, strict=True)
            ],
        )


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


def _interval(low: float | None, high: float | None, between: str) -> str:
    return (
        "" if low is None or high is None else f"{short_number(low)}{between}{short_number(high)}"
    )

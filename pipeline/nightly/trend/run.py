"""A trend from start to end: read the nights, judge every series, rank the systems."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from segscore.pipeline.comparison.runs import chosen_measures
from segscore.pipeline.nightly.trend.added import AddedScore, read_added
from segscore.pipeline.nightly.trend.levels import STEP, Level, judge_levels
from segscore.pipeline.nightly.trend.ranking import PairOverNights, rank_over_nights
from segscore.pipeline.nightly.trend.sentences import (
    averages_in_words,
    change_in_words,
    describe_trend,
    first_change,
    is_better,
    ranking_in_words,
)
from segscore.pipeline.nightly.trend.series import NightlySeries, read_series
from segscore.pipeline.nightly.trend.settings import PER_NIGHTS, TrendSettings
from segscore.pipeline.statistics.finding import Finding
from segscore.pipeline.statistics.formatted_numbers import counted, or_none
from segscore.pipeline.statistics.sentences import Sentence, Tone
from segscore.pipeline.statistics.trends import FEWEST_FOR_TREND
from segscore.schemas.columns import arrow_type
from segscore.schemas.nights import ADDED, NIGHTLY_VALUES, RANKING, TRENDS


@dataclass(frozen=True)
class FoundTrend:
    """What changed over the nights of a folder; the most important finding comes first."""

    settings: TrendSettings
    nightly: NightlySeries
    levels: Sequence[Level]
    pairs: Sequence[PairOverNights]
    findings: Sequence[str]
    added: Sequence[AddedScore] = ()

    @property
    def title(self) -> str:
        """The average and the measure, and the first and the last night."""
        dates = self.nightly.dates
        return f"{self.settings.average} {self.settings.measure}, {dates[0]} to {dates[-1]}"

    def finding(self, shown: Callable[[str], str] = str) -> Finding:
        """Return what changed and when, or that nothing did.

        Args:
            shown: writes a name.
        """
        named = [level for level in self.levels if level.named]
        sentences = [Sentence(f"{sentence}.") for sentence in self.findings]
        nights = counted(len(self.nightly.dates), "night")
        if not named:
            few = len(self.nightly.dates) < FEWEST_FOR_TREND
            rest = f"{nights}: too few for a trend" if few else f"No lasting change over {nights}"
            return Finding(rest, Tone.NOTE, sentences, about=self.title)
        first, *more = first_change(named, self.settings)
        names = [] if first.system is None else [shown(first.system)]
        also = f"; {counted(len(more), 'more change')}" if more else ""
        rest = f"{change_in_words(first, self.settings)}{also}"
        better = is_better(first, self.settings.measure)
        return Finding(
            rest if names else f"All systems {rest}",
            Tone.NOTE if better else Tone.FAILED,
            sentences,
            names,
            about=self.title,
        )

    @property
    def tables(self) -> dict[str, pa.Table]:
        """The tables `trends`, `nights` and `ranking`, and `added` (schemas/nights.py)."""
        by = self.settings.group_by
        trends = [self._level_row(level) for level in self.levels]
        nights = [
            {
                "system": series.system,
                **dict(zip(by, series.group, strict=True)),
                "date": day,
                "value": or_none(value),
                "standard_error": or_none(error),
            }
            for series in self.nightly.series
            for day, value, error in zip(
                self.nightly.dates, series.values.tolist(), series.errors.tolist(), strict=True
            )
        ]
        pairs = [{**vars(pair), **self._about, "p": or_none(pair.p)} for pair in self.pairs]
        pairs = [{**row, "p_holm": or_none(row["p_holm"])} for row in pairs]
        added = [{**vars(score), "measure": self.settings.measure} for score in self.added]
        listed = [(TRENDS, trends, by), (NIGHTLY_VALUES, nights, by), (RANKING, pairs, ())]
        listed += [(ADDED, added, ())] * (self.settings.add is not None)
        return {schema.name: to_table(schema, rows, groups) for schema, rows, groups in listed}

    @property
    def _about(self) -> dict[str, str]:
        return {"measure": self.settings.measure, "average": self.settings.average}

    def _level_row(self, level: Level) -> dict[str, Any]:
        line, step = level.line, level.step
        row: dict[str, Any] = {
            "system": level.system,
            **dict(zip(self.settings.group_by, level.group, strict=True)),
            **self._about,
            "verdict": level.verdict,
            "kind": level.kind or None,
            "nights": level.nights,
            "first_night": level.first,
            "last_night": level.last,
            "mean": or_none(level.mean),
        }
        if line is not None:
            row |= {
                "start": level.start,
                "end": level.end,
                "change": level.change,
                "ci_low": line.low * PER_NIGHTS,
                "ci_high": line.high * PER_NIGHTS,
                "p": line.p,
                "p_independent": line.p_independent,
                "p_holm": level.p_adjusted,
                "explained": level.explained,
            }
        if step is not None:
            row |= {
                "step_date": level.step_date,
                "step_before": step.before,
                "step_after": step.after,
                "step_p": step.p,
                "step_p_adjusted": step.p_adjusted,
                "step_explained": step.explained,
            }
        return row


def find_trend(settings: TrendSettings) -> FoundTrend:
    """Find what changed over the nights of a folder.

    Raises:
        Refused: there is no such measure, or too few nights have it.
    """
    chosen_measures([settings.measure])  # refuses a measure that does not exist
    warnings: list[str] = []
    added = () if settings.add is None else read_added(settings.add, settings.measure, warnings)
    nightly, levels = _judge(settings)
    nightly = replace(nightly, warnings=[*nightly.warnings, *warnings])
    pairs = rank_over_nights(nightly, settings)
    if len(nightly.dates) < FEWEST_FOR_TREND:
        findings = [*averages_in_words(nightly, settings), *ranking_in_words(pairs)]
    else:
        findings = describe_trend(levels, pairs, settings)
    return FoundTrend(settings, nightly, levels, pairs, findings, added)


def _judge(settings: TrendSettings) -> tuple[NightlySeries, list[Level]]:
    """Judge the last nights; or twice as many, if only these can tell a recent step from chance.

    A step a few nights after the first one cannot be told from chance within the nights asked for.
    The wider look is held to half of alpha.

    Raises:
        Refused: too few nights have the measure.
    """
    nightly = read_series(settings)
    levels = judge_levels(nightly, settings)
    if settings.since is not None:
        return nightly, levels
    wider = read_series(replace(settings, nights=2 * settings.newest))
    if len(wider.dates) == len(nightly.dates):
        return nightly, levels
    more = judge_levels(wider, settings)
    known = {(level.system, level.group) for level in levels if level.named}
    recent = [
        level
        for level in more
        if (level.named and level.kind == STEP and (level.system, level.group) not in known)
        and (level.step and level.step.p_adjusted <= settings.alpha / 2)
        and (level.step_date and level.step_date >= nightly.dates[0])
    ]
    if not recent:
        return nightly, levels
    reason = (
        f"{len(wider.dates)} nights are compared instead of {len(nightly.dates)}: a step on "
        f"{recent[0].step_date} cannot be told from chance without the nights before it"
    )
    return replace(wider, warnings=[*wider.warnings, reason]), more


def to_table(schema: Any, rows: Sequence[dict[str, Any]], groups: Sequence[str]) -> pa.Table:
    """Make a table of rows; the group-by columns come after the system."""
    own = list(schema.columns)
    names = [own[0], *groups, *own[1:]]
    arrays = {
        name: pa.array(
            [row.get(name) for row in rows],
            arrow_type(schema.columns[name]) if name in schema.columns else None,
        )
        for name in names
    }
    return pa.table(arrays)

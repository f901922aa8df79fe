"""Tables of a trend: the levels of systems and groups, and pairs of systems over nights."""

from collections.abc import Sequence
from functools import partial

from segscore.pipeline.nightly.trend.levels import STEP, Level
from segscore.pipeline.nightly.trend.ranking import PairOverNights
from segscore.pipeline.nightly.trend.sentences import is_better
from segscore.pipeline.nightly.trend.series import group_name
from segscore.pipeline.nightly.trend.settings import PER_NIGHTS
from segscore.pipeline.statistics.formatted_numbers import counted, format_p, or_none, shown_change
from segscore.pipeline.statistics.result_table import Column, ResultTable

_ONE_LOOK = "one look; to look every night, use a rule about levels"


def levels_table(levels: Sequence[Level], measure: str, title: str) -> ResultTable:
    """Show systems and groups; a terminal, those over all documents and those that changed."""
    levels = sorted(levels, key=lambda level: not (level.over_all or level.named))
    first = sum(level.over_all or level.named for level in levels)
    grouped = [not level.over_all for level in levels]
    groups = Column(
        "group",
        [group_name(level.group) for level in levels],
        is_name=True,
        is_detail=not any(grouped[:first]),
    )
    verdicts = [level.verdict.replace("_", " ") for level in levels]
    p = [level.p_adjusted if level.line else None for level in levels]
    return ResultTable(
        [
            Column("system", [level.system or "(mean)" for level in levels], is_name=True),
            *[groups] * any(grouped),
            Column("verdict", verdicts, is_name=True),
            _change(levels),
            Column("p (Holm)", p, write=format_p),
            Column("mean", [or_none(level.mean) for level in levels]),
            Column("step", [*map(_step, levels)]),
            Column("nights", [level.nights for level in levels]),
            *_steps(levels),
        ],
        title=title,
        caption=_ONE_LOOK * any(level.line for level in levels[:first]),
        guide="Marked: worse, by more than chance and the limit. with group: as all systems of a "
        "group.",
        first=first,
        rest=_not_shown,
        failed=[
            place
            for place, level in enumerate(levels)
            if level.named and not is_better(level, measure)
        ],
    )


def _not_shown(rows: int) -> str:
    are = "is" if rows == 1 else "are"
    return f"{counted(rows, 'row')} of groups without a change {are} not shown"


def _change(levels: Sequence[Level]) -> Column:
    """Return the change of each line, with its interval."""
    lines = [level.line for level in levels]
    ends = [
        (None, None) if line is None else (line.low * PER_NIGHTS, line.high * PER_NIGHTS)
        for line in lines
    ]
    changes = [or_none(level.change) for level in levels]
    return Column(f"change per\n{PER_NIGHTS} nights", changes, write=shown_change, ends=ends)


def _step(level: Level) -> str:
    """Describe the step of a level that a step describes best."""
    return f"{level.step_date}: {shown_change(level.jump)}" if level.kind == STEP else ""


def _steps(levels: Sequence[Level]) -> list[Column]:
    """Return what is known of the step that explains most of each level."""
    steps = [level.step for level in levels]
    dates = [str(level.step_date) if level.step else None for level in levels]
    p = [step.p_adjusted if step else None for step in steps]
    detail = partial(Column, is_detail=True)
    return [
        detail("step on", dates),
        detail("before", [step.before if step else None for step in steps]),
        detail("after", [step.after if step else None for step in steps]),
        detail("p of the step", p, write=format_p),
    ]


def pairs_over_nights(pairs: Sequence[PairOverNights]) -> ResultTable:
    """Show the pairs of systems."""
    return ResultTable(
        [
            Column("system", [pair.system for pair in pairs], is_name=True),
            Column("other", [pair.other for pair in pairs], is_name=True),
            Column("difference", [pair.difference for pair in pairs], write=shown_change),
            Column("p (Holm)", [or_none(pair.p_holm) for pair in pairs], write=format_p),
            Column("better on", [f"{pair.wins} of {pair.nights}" for pair in pairs]),
            Column("value", [pair.value for pair in pairs]),
            Column("other\nvalue", [pair.other_value for pair in pairs]),
        ],
        title="systems over nights",
        caption="on the documents that both have each night; Wilcoxon's signed-rank test over "
        "nights",
    )

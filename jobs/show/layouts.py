"""Lay out a table of a comparison for a paper, and write it as text, Markdown, LaTeX or CSV."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from segscore.jobs.show.fitted import print_lines
from segscore.jobs.show.formats import print_table, print_text, require_names_printable
from segscore.jobs.show.latex import latex_tables
from segscore.jobs.show.shown import print_result
from segscore.pipeline.comparison.comparison_in_papers import (
    group_cells,
    pairs_for_papers,
    ranks_for_papers,
)
from segscore.pipeline.comparison.pair_rows import beaten_systems, by_difference
from segscore.pipeline.comparison.sentences import omnibus_in_words
from segscore.pipeline.comparison.settings import CompareSettings
from segscore.pipeline.comparison.systems_table import order_of
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures.several_references import OVER_REFERENCES
from segscore.pipeline.results.crossed import CROSSED, crossed_table, parse_crossing
from segscore.pipeline.results.leaderboard import Leaderboard, rank
from segscore.pipeline.results.leaderboard_table import Beaten, leaderboard_table
from segscore.pipeline.runs.finished import FinishedRun, grouped
from segscore.pipeline.settings.ranges import one_of
from segscore.pipeline.statistics.result_table import ResultTable
from segscore.schemas.rows import OmnibusRow, PairRow, RankRow, SystemRow, column_of, group_of

LAYOUTS = ("pairs", "systems", *CROSSED, "ranks")
_FORMATS = ("text", "json", "markdown", "latex", "csv")
_AVERAGES = ("micro", "macro")

_Key = tuple[Any, ...]
"""The group, the measure and the system of a row."""


def require(layout: str | None, format_name: str, average: str, group_by: tuple[str, ...]) -> None:
    """Refuse invalid options before work starts; the message names the option."""
    grouped = bool(group_by) or layout == "references"
    if layout is not None and parse_crossing(layout, grouped=grouped) is None:
        one_of("--layout", layout, LAYOUTS)
    one_of("--format", format_name, _FORMATS)
    one_of("--average", average, _AVERAGES)
    if layout == "references" and group_by not in ((), ("reference",)):
        raise Refused(
            f"--group-by {','.join(group_by)}: --layout references already groups by "
            "reference; leave --group-by out"
        )


def require_average(measures: Sequence[str], average: str) -> None:
    """Refuse micro averages of what has none: the mean and the best over references."""
    without = [name for name in measures if name in OVER_REFERENCES.measures]
    if without and average == "micro":
        raise Refused(
            f"--measure {without[0]}: has no micro average, because it is no formula over counts; "
            "add --average macro"
        )


def require_room(settings: CompareSettings, format_name: str) -> None:
    """Require that published scores are printed or written, if the settings ask for them.

    Raises:
        Refused: the format has no room for them, and there is no output folder.
    """
    if settings.shows_published and settings.output is None and format_name == "csv":
        raise Refused(
            f"--format {format_name}: holds one table, so that it has no room for the scores of "
            "--published; print text, markdown, latex or json, or name a folder with --output, "
            "which gets the table published"
        )


def lay_out(layout: str, finished: FinishedRun, average: str) -> ResultTable:
    """Choose and arrange the rows of a comparison."""
    builders = {"pairs": _pairs, "systems": _systems, "ranks": _ranks}
    builder = builders.get(layout) or partial(_crossed, layout)
    table = builder(finished, average)
    return replace(table, average=average, signature=finished.signature)


def _averages(finished: FinishedRun, average: str) -> list[SystemRow]:
    return [row for row in finished.rows("systems") if row["average"] == average]


def _differences(finished: FinishedRun, average: str) -> list[PairRow]:
    return [row for row in finished.rows("comparisons") if row["average"] == average]


def _pairs(finished: FinishedRun, average: str) -> ResultTable:
    """Make one row per pair and measure: the difference, its interval, its tests.

    Groups and measures keep their order; the largest difference of each comes first.
    """
    by = finished.settings["group_by"]
    parts = grouped(_differences(finished, average), (*by, "measure"))
    rows = [row for part in parts.values() for row in sorted(part, key=by_difference)]
    names = finished.table("comparisons").column_names
    numbers = {name: [column_of(row, name) for row in rows] for name in names}
    return replace(
        pairs_for_papers(rows, by).with_numbers(numbers),
        groups=len(by) + 1,
        intervals="intervals by Holm's method in brackets",
    )


def _systems(finished: FinishedRun, average: str) -> ResultTable:
    """Make one row per system: the value and interval of each measure."""
    by, measures = (finished.settings[name] for name in ("group_by", "measures"))
    boards, beaten = _ranked(finished, average)
    return leaderboard_table(boards, by, measures, beaten, key="system")


def _crossed(layout: str, finished: FinishedRun, average: str) -> ResultTable:
    """Make a table of two of systems, groups and measures."""
    by, measures = (finished.settings[name] for name in ("group_by", "measures"))
    crossing = parse_crossing(layout, grouped=bool(by))
    assert crossing is not None, layout
    if crossing.cells == "sd":
        raise Refused(f"--layout {layout}: segscore score --layout has deviations over trials")
    boards, beaten = _ranked(finished, average)
    return crossed_table(boards, measures, crossing, by, beaten=beaten, key="system")


def _ranked(finished: FinishedRun, average: str) -> tuple[list[Leaderboard], Beaten]:
    """Return the ranked systems of each group, and those that each beats significantly."""
    by, measures = (finished.settings[name] for name in ("group_by", "measures"))
    rows = _averages(finished, average)
    rows.sort(key=lambda row: measures.index(row["measure"]))
    parts: dict[tuple[tuple[Any, ...], str], list[PairRow]] = {}
    for pair in _differences(finished, average):
        parts.setdefault((group_of(pair, by), pair["measure"]), []).append(pair)
    beaten = {key: beaten_systems(part) for key, part in parts.items()}
    return rank(rows, by, measures[0], "system"), beaten


def _ranks(finished: FinishedRun, average: str) -> ResultTable:
    """Make one row per system and measure: ranks, and the tests of ranks on single documents.

    Mean ranks and these tests depend on which other systems are there (Benavoli, Corani & Mangili
    2016), so that no other layout has them.
    """
    by = finished.settings["group_by"]
    chosen = _averages(finished, average)
    parts = grouped(chosen, (*by, "measure"))
    rows = [row for part in parts.values() for row in sorted(part, key=order_of)]
    keys = [_key(row, by) for row in rows]
    mean_rank, p = _of_documents(finished.rows("rank_tests"), by)
    mean_ranks = [mean_rank.get(key) for key in keys]
    names = dict.fromkeys(row["system"] for row in chosen)
    tests = {f"p against {name} (Nemenyi)": [p.get((key, name)) for key in keys] for name in names}
    numbers = {
        **{
            name: [key[place] for key in keys]
            for place, name in enumerate((*by, "measure", "system"))
        },
        "rank": [row["rank"] for row in rows],
        "mean_rank": mean_ranks,
        **tests,
    }
    return replace(
        ranks_for_papers(rows, by, mean_ranks, tests).with_numbers(numbers),
        groups=len(by) + 1,
        notes=_omnibus(finished.rows("omnibus"), by),
    )


def _key(row: SystemRow, by: Sequence[str]) -> _Key:
    return *group_of(row, by), row["measure"], row["system"]


def _of_documents(
    pairs: Sequence[RankRow], by: Sequence[str]
) -> tuple[dict[_Key, float | None], dict[tuple[_Key, str], float | None]]:
    """Return the mean rank of each system, and the p of Nemenyi's test of it and each other."""
    mean_rank: dict[_Key, float | None] = {}
    p: dict[tuple[_Key, str], float | None] = {}
    for pair in pairs:
        of = (*group_of(pair, by), pair["measure"])
        first, second = (*of, pair["system"]), (*of, pair["other"])
        mean_rank |= {first: pair["mean_rank"], second: pair["other_mean_rank"]}
        p[first, pair["other"]] = p[second, pair["system"]] = pair["p_nemenyi"]
    return mean_rank, p


def _omnibus(tests: Sequence[OmnibusRow], by: Sequence[str]) -> dict[tuple[str, ...], str]:
    """Return the cells of a group and measure -> the result of the test over all systems."""
    return {
        (*group_cells(test, by), test["measure"]): omnibus_in_words(test)
        for test in tests
        if test["p"] is not None
    }


def print_in_format(table: ResultTable, format_name: str) -> None:
    """Print a table in a format, with the average and the signature below, in CSV beside it."""
    if format_name == "text":
        print_result(table.in_lines())
        print_lines(table.signature)
    elif format_name == "latex":
        require_names_printable(table)
        print_text(latex_tables(table))
    else:
        print_table(table, format_name)

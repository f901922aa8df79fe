"""Print a comparison of systems."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from segscore.jobs.cli.encoding import printable_command
from segscore.jobs.show.fitted import Column, print_fitted, print_lines
from segscore.jobs.show.layouts import shown_ranks
from segscore.jobs.show.leaderboard import GROUPS_SHOWN
from segscore.jobs.show.published import print_published
from segscore.pipeline.comparison.pair_rows import (
    SIGNIFICANT,
    better_first,
    by_difference,
    is_significant,
)
from segscore.pipeline.comparison.verdict import comparison_in_words, why_untested
from segscore.pipeline.statistics.jackknife import FEWEST
from segscore.pipeline.statistics.power import LEAST_DOCUMENTS
from segscore.pipeline.statistics.shown_numbers import (
    counted,
    shown_as,
    shown_change,
    shown_changes,
    shown_group,
    shown_interval,
    shown_number,
    shown_p,
    shown_rank,
)
from segscore.schemas.rows import PairRow, PowerRow, SystemRow, group_of

if TYPE_CHECKING:
    from segscore.pipeline.runs.finished import FinishedRun

_Row = dict[str, Any]
_MOST_DOCUMENTS = 1_000_000
"""Number of documents above which a need for more is not told."""
PAIRS_SHOWN = 20
WORST_SHOWN = 3
SYSTEMS_SHOWN = 10
_BAR = 30
"""Number of characters of the bar of a power of 1."""

_HEADING = 16
"""Number of characters after which a name in a heading continues on the next line."""


def print_comparison(finished: "FinishedRun", average: str) -> None:
    """Print systems and pairs for all documents and the first groups, then documents."""
    from segscore.pipeline.runs.finished import grouped

    settings = finished.record["settings"]
    by = settings["group_by"]
    averages: list[SystemRow] = finished.table("systems").to_pylist()
    differences: list[PairRow] = finished.table("comparisons").to_pylist()
    systems, pairs = grouped(averages, (*by, "measure")), grouped(differences, (*by, "measure"))
    groups = list(dict.fromkeys(group_of(row, by) for row in averages))
    for group in groups[: 1 + GROUPS_SHOWN]:
        for name in settings["measures"]:
            of_measure = systems.get((*group, name), [])
            if any(row["average"] == average for row in of_measure):
                _print_systems(_titled(by, group, name, average), of_measure, average)
            compared = pairs.get((*group, name), [])
            if shown := [row for row in compared if row["average"] == average]:
                _print_pairs(shown, settings["margin"])
                print_lines(*power_lines(shown, settings, finished.signature))
    if (more := len(groups) - 1 - GROUPS_SHOWN) > 0:
        verb = "s are" if more > 1 else " is"
        print_lines(f"{more} more group{verb} in the tables of --output")
    if "power" in finished.at_hand:
        _print_power(finished.table("power").to_pylist(), average)
    print_lines(*_worst(finished))
    if "where" in finished.at_hand:
        _print_where(finished.table("where").to_pylist())
    if "published" in finished.at_hand:
        print_published(finished.table("published").to_pylist())
    for run, counts in finished.record["rows"].items():
        line = f"{run}: compared on {counts['scored']} of {counts['in']} documents"
        print_lines(line)
    print_lines(finished.record["signature"])
    print_lines("")
    print_lines(*comparison_in_words(finished, average))


def _titled(by: list[str], group: tuple[Any, ...], measure: str, average: str) -> str:
    from segscore.pipeline.measures import ALL

    return f"{measure}{ALL[measure].arrow}, {average}, {shown_group(by, group) or 'all documents'}"


def _print_systems(title: str, averages: Sequence[SystemRow], average: str) -> None:
    """Print the systems of a group with their ranks; `averages` has the rows of both averages."""
    from segscore.pipeline.scoring.leaderboard import rank
    from segscore.pipeline.scoring.names import is_point

    def order(row: SystemRow) -> tuple[bool, bool, float | None, str]:
        return is_point(row["hypothesis"]), row["rank"] is None, row["rank"], row["system"]

    rows = sorted((row for row in averages if row["average"] == average), key=order)
    systems = sum(not is_point(row["hypothesis"]) for row in rows)
    others = {row["system"]: row["value"] for row in averages if row["average"] != average}
    (board,) = rank(rows, (), rows[0]["measure"], "system")
    print_fitted(
        [
            Column(board.heading, [row["system"] for row in rows], is_name=True),
            Column(average, [shown_number(row["value"]) for row in rows]),
            Column(
                "95 % interval", [shown_interval(row["ci_low"], row["ci_high"]) for row in rows]
            ),
            Column(
                "micro" if average == "macro" else "macro",
                [shown_number(others.get(row["system"])) for row in rows],
            ),
            Column("rank", [shown_rank(row["rank"]) for row in rows]),
            Column("rank interval", [shown_ranks(row) for row in rows]),
            Column("documents", [str(row["defined"]) for row in rows]),
        ],
        title=title,
        caption="" if board.coverage.ranks else board.coverage.in_words,
        sections={systems - 1} if 0 < systems < len(rows) else (),
    )


def _print_pairs(rows: Sequence[PairRow], margin: float | None) -> None:
    rows = sorted(rows, key=by_difference)
    more = len(rows) - PAIRS_SHOWN
    rows = [better_first(row) for row in rows[:PAIRS_SHOWN]]
    starred = any("*" in _mark(row) for row in rows)
    remarks = [f"* p < {SIGNIFICANT:g}".replace("0.", ".")] if starred else []
    verb = "are" if more > 1 else "is"
    remarks += [f"{more} more {verb} in the table comparisons of --output"] if more > 0 else []
    untested = why_untested(rows)
    remarks += [] if untested is None else [untested.removesuffix(".")]
    margins = [
        Column(f"within {margin:g}", [_within(row) for row in rows])
        for margin in ([] if margin is None else [margin])
    ]
    by_document = [
        Column("Wilcoxon (Holm)", [shown_p(row["p_wilcoxon_holm"]) for row in rows]),
        Column("d", [shown_as(row["effect_d"], "+.2f") for row in rows]),
    ]
    print_fitted(
        [
            Column("system, better first", [row["system"] for row in rows], is_name=True),
            Column("against", [row["other"] for row in rows], is_name=True),
            Column("difference", [shown_change(row["difference"]) for row in rows]),
            Column(
                "p (Holm)",
                [shown_p(row["p_holm"]) + _mark(row) * starred for row in rows],
            ),
            Column(
                "interval (Holm)", [shown_changes(row["ci_low"], row["ci_high"]) for row in rows]
            ),
            *margins,
            *(by_document if rows[0]["average"] == "macro" else ()),
        ],
        caption="; ".join(remarks),
    )


def _within(row: PairRow) -> str:
    """Say whether a pair is equal within the margin, differs, or neither is known."""
    if row["equal"]:
        return "equal"
    return "differ" if is_significant(row) else "undecided"


def power_lines(
    rows: Sequence[PairRow], settings: Mapping[str, Any], signature: str
) -> Iterator[str]:
    """Say what difference the documents of each pair can show where they do not show one.

    Pairs that differ significantly have no need for it.
    """
    from segscore.pipeline.scoring.names import is_point
    from segscore.pipeline.settings.signature import resampled_attribute

    attribute = resampled_attribute(signature)
    asked = settings["difference"]
    known = [
        row
        for row in sorted(rows, key=by_difference)
        if row["smallest_difference"] and not (is_point(row["system"]) and is_point(row["other"]))
    ]
    unsure = [row for row in known if not is_significant(row)]
    for row in map(better_first, unsure[:PAIRS_SHOWN]):
        smallest = shown_number(row["smallest_difference"])
        units = counted(row["defined"], "document")
        if attribute is not None:
            units = f"{counted(row['units'], 'value')} of {attribute}"
        line = (
            f"{row['system']} and {row['other']}: {units} can show a difference of {smallest} "
            f"(power {settings['power']:g})"
        )
        if (needed := row["documents_for_difference"]) is not None:
            line += f"; {abs(asked):g} needs {_many(needed)}"
        yield line
    units = "documents" if attribute is None else f"values of {attribute}"
    if unsure and asked is None:
        yield f"--difference says how many {units} another difference needs"
    directed = any(row["better"] is not None for row in rows)
    most = max(row["defined"] if attribute is None else row["units"] for row in rows)
    if directed and not known and FEWEST <= most < LEAST_DOCUMENTS:
        yield (
            f"fewer than {LEAST_DOCUMENTS} {units}: too few to estimate what difference they "
            "can show"
        )


def _print_power(rows: Sequence[PowerRow], average: str) -> None:
    """Print the simulated power of each pair by number of documents, with a bar for the power."""
    from segscore.pipeline.runs.finished import grouped

    of_average = (row for row in rows if row["average"] == average)
    curves = grouped(of_average, ("measure", "system", "other", "sought"))
    for (measure, system, other, sought), curve in [*curves.items()][:PAIRS_SHOWN]:
        print_fitted(
            [
                Column("documents", [str(row["documents"]) for row in curve]),
                Column("power", [shown_as(row["power"], ".2f") for row in curve]),
                Column("", [_bar(row["power"]) for row in curve], is_name=True),
                Column("half-width", [shown_number(row["half_width"]) for row in curve]),
                Column("exaggeration", [_times(row["exaggeration"]) for row in curve]),
                Column("wrong sign", [shown_as(row["wrong_sign"], ".1%") for row in curve]),
            ],
            title=f"{measure}, {average}: {system} against {other}, a difference of "
            f"{shown_change(sought)}",
        )


def _bar(power: float | None) -> str:
    return "" if power is None else "━" * round(power * _BAR)


def _times(factor: float | None) -> str:
    return "–" if factor is None else f"{factor:.1f} times"


def _many(documents: int) -> str:
    return "more than a million" if documents > _MOST_DOCUMENTS else str(documents)


def _mark(row: PairRow) -> str:
    return " *" if is_significant(row) else "  "


def _worst(finished: "FinishedRun") -> list[str]:
    """List commands that show the worst documents; for two, where each is furthest behind."""
    first = finished.record["settings"]["measures"][0]
    rows: list[_Row] = [
        row
        for row in finished.table("worst").to_pylist()
        if row["measure"] == first and row["place"] <= WORST_SHOWN and row["command"]
    ]
    systems = list(dict.fromkeys(row["system"] for row in rows))
    two = len(systems) == 2 and any(row["other"] for row in rows)
    wanted = systems if two else [None]
    chosen = [row for row in rows if row["other"] in wanted]
    lines = []
    for system in systems[:SYSTEMS_SHOWN]:
        for row in (worst for worst in chosen if worst["system"] == system):
            if row["place"] == 1:
                behind = f"furthest behind {row['other']}" if two else "worst"
                lines.append(f"{system}, {behind} by {first}:")
            against = f" against {shown_number(row['other_value'])}" if two else ""
            command = printable_command(row["command"])
            lines.append(f"  {shown_number(row['value'])}{against}  {command}")
    return lines


ANALYSES = {
    "story_length": "by length of the story that the boundary opens",
    "position": "by position in the document",
    "prominence": "by share of the coders who marked the position",
}


def _print_where(rows: list[_Row]) -> None:
    """Print one table per analysis, with the miss and false alarm rates of systems by class."""
    systems = list(dict.fromkeys(row["system"] for row in rows))[:SYSTEMS_SHOWN]
    for analysis, title in ANALYSES.items():
        classes: dict[tuple[float, float], dict[str, _Row]] = {}
        for row in rows:
            if row["analysis"] == analysis:
                classes.setdefault((row["low"], row["high"]), {})[row["system"]] = row
        if not classes:
            continue
        most = [
            max(row["reference_boundaries"] for row in cells.values()) for cells in classes.values()
        ]
        columns = [
            Column("", [_class(analysis, *ends) for ends in classes], is_name=True),
            Column("boundaries", [str(number) for number in most]),
        ]
        for system in systems:
            cells = [
                _rates(found[system]) if system in found else "–" for found in classes.values()
            ]
            columns.append(Column("\n".join(textwrap.wrap(system, _HEADING)), cells))
        print_fitted(columns, title=f"miss rate, false alarm rate, {title}")


def _rates(row: _Row) -> str:
    return f"{shown_number(row['miss_rate'])}, {shown_number(row['false_alarm_rate'])}"


def _class(analysis: str, low: float, high: float) -> str:
    if analysis == "story_length":
        return f"{low:.0f} to {high:.0f}" if low < high else f"{low:.0f}"
    if analysis == "prominence" and high == 0:
        return "none"
    return f"{low:.0%} to {high:.0%}"

"""Print a comparison of systems."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from segscore.jobs.cli.encoding import printable_command
from segscore.jobs.show.changes import print_changes
from segscore.jobs.show.fitted import print_fitted, print_lines
from segscore.jobs.show.layouts import shown_ranks
from segscore.jobs.show.leaderboard import GROUPS_SHOWN, folded_in_words, is_folded
from segscore.jobs.show.published import print_published
from segscore.jobs.show.ratings import print_ratings
from segscore.jobs.show.sentences import print_sentences
from segscore.jobs.show.where import SYSTEMS_SHOWN, print_where
from segscore.pipeline.comparison.certainty import why_untested
from segscore.pipeline.comparison.pair_rows import (
    SIGNIFICANT,
    better_first,
    by_difference,
    has_point,
    is_significant,
    neighbours_first,
)
from segscore.pipeline.comparison.shown_pairs import columns_of_power
from segscore.pipeline.comparison.verdict import comparison_in_words
from segscore.pipeline.statistics.jackknife import FEWEST
from segscore.pipeline.statistics.power import LEAST_DOCUMENTS
from segscore.pipeline.statistics.shown_numbers import (
    counted,
    shown_as,
    shown_change,
    shown_changes,
    shown_group,
    shown_number,
    shown_p,
    shown_rank,
)
from segscore.pipeline.statistics.shown_tables import Column
from segscore.schemas.rows import PairRow, PowerRow, SystemRow, group_of

if TYPE_CHECKING:
    from segscore.pipeline.results.leaderboard import Leaderboard
    from segscore.pipeline.runs.finished import FinishedRun

_Row = dict[str, Any]
_MOST_DOCUMENTS = 1_000_000
"""Number of documents above which a need for more is not told."""
PAIRS_SHOWN = 10
CHANCE_SHOWN = 3
WORST_SHOWN = 3
_BAR = 30
"""Number of characters of the bar of a power of 1."""


def print_comparison(finished: "FinishedRun", average: str) -> None:
    """Print systems and pairs for all documents and the first groups, then documents."""
    from segscore.pipeline.runs.finished import grouped

    settings = finished.record["settings"]
    by = settings["group_by"]
    averages: list[SystemRow] = finished.table("systems").to_pylist()
    differences: list[PairRow] = finished.table("comparisons").to_pylist()
    systems, pairs = grouped(averages, (*by, "measure")), grouped(differences, (*by, "measure"))
    groups = list(dict.fromkeys(group_of(row, by) for row in averages))
    worst_of: list[str] = []
    for group in groups[: 1 + GROUPS_SHOWN]:
        for name in settings["measures"]:
            of_measure = systems.get((*group, name), [])
            ranked: list[str] = []
            if any(row["average"] == average for row in of_measure):
                ranked = _print_systems(_titled(by, group, name, average), of_measure, average)
            worst_of = worst_of or ranked  # of all documents, by the first measure
            compared = pairs.get((*group, name), [])
            if shown := [row for row in compared if row["average"] == average]:
                _print_pairs(neighbours_first(shown, ranked), settings["margin"])
                print_lines(*power_lines(shown, settings, finished.signature))
    if (more := len(groups) - 1 - GROUPS_SHOWN) > 0:
        verb = "s are" if more > 1 else " is"
        print_lines(f"{more} more group{verb} in the tables of --output")
    if "power" in finished.at_hand:
        _print_power(finished.table("power").to_pylist(), average)
    print_lines(*_worst(finished, worst_of))
    _print_further(finished)
    for run, counts in finished.record["rows"].items():
        line = f"{run}: compared on {counts['scored']} of {counts['in']} documents"
        print_lines(line)
    print_lines(finished.record["signature"])
    print_lines("")
    print_sentences(comparison_in_words(finished, average))


def _print_further(finished: "FinishedRun") -> None:
    """Print the tables that were asked for."""
    if "where" in finished.at_hand:
        print_where(finished.table("where").to_pylist())
    if "changes" in finished.at_hand:
        counts, changed = (finished.table(name).to_pylist() for name in ("changes", "changed"))
        print_changes(counts, changed)
    if "published" in finished.at_hand:
        print_published(finished.table("published").to_pylist())
    if "ratings" in finished.at_hand:
        print_ratings(finished.table("ratings").to_pylist())


def _titled(by: list[str], group: tuple[Any, ...], measure: str, average: str) -> str:
    from segscore.pipeline.measures import ALL

    return f"{measure}{ALL[measure].arrow}, {average}, {shown_group(by, group) or 'all documents'}"


def _print_systems(title: str, averages: Sequence[SystemRow], average: str) -> list[str]:
    """Print the systems of a group with their ranks, and return their names, best first.

    Args:
        title: what is averaged over what.
        averages: the rows of both averages.
        average: the average to print.
    """
    from segscore.pipeline.results.leaderboard import rank
    from segscore.pipeline.results.names import is_point

    def order(row: SystemRow) -> tuple[bool, bool, float | None, str]:
        return is_point(row["hypothesis"]), row["rank"] is None, row["rank"], row["system"]

    every = sorted((row for row in averages if row["average"] == average), key=order)
    systems = sum(not is_point(row["hypothesis"]) for row in every)
    rows = [row for row in every if not (systems and is_folded(row["hypothesis"]))]
    others = {row["system"]: row["value"] for row in averages if row["average"] != average}
    (board,) = rank(rows, (), rows[0]["measure"], "system")
    print_fitted(
        [
            Column(board.heading, [row["system"] for row in rows], is_name=True),
            Column(
                average,
                [row["value"] for row in rows],
                ends=[(row["ci_low"], row["ci_high"]) for row in rows],
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
        caption="; ".join(_remarks(board, [row for row in every if row not in rows])),
        sections={systems - 1} if 0 < systems < len(rows) else (),
    )
    return [row["system"] for row in every]


def _remarks(board: "Leaderboard", folded: Sequence[SystemRow]) -> Iterator[str]:
    """Say why systems are not ranked, and what the reference points without a row have."""
    if not board.coverage.ranks:
        yield board.coverage.in_words
    yield from folded_in_words({row["hypothesis"]: row["value"] for row in folded})


def _print_pairs(every: Sequence[PairRow], margin: float | None) -> None:
    """Print the pairs of systems, and of pairs with chance what is to be known of them.

    Without two systems, the pairs with reference points are printed.

    Args:
        every: the pairs, in the order in which they are printed.
        margin: the difference within which systems count as equal; None without one.
    """
    of_systems = [
        row for row in every if not (_is_chance(row["system"]) or _is_chance(row["other"]))
    ]
    rows = of_systems or [*every]
    more = len(rows) - PAIRS_SHOWN
    rows = [better_first(row) for row in rows[:PAIRS_SHOWN]]
    starred = any("*" in _mark(row) for row in rows)
    remarks = [f"* p < {SIGNIFICANT:g}"] if starred else []
    verb = "are" if more > 1 else "is"
    remarks += [f"{more} more {verb} in the table comparisons of --output"] if more > 0 else []
    remarks += _against_chance(every) if of_systems else []
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


def _is_chance(name: str) -> bool:
    """Return whether a name is that of a reference point, but for people."""
    from segscore.pipeline.results.names import HUMAN, is_point

    return is_point(name) and not name.startswith(HUMAN)


def _against_chance(rows: Sequence[PairRow]) -> list[str]:
    """Say of which systems it is not sure that they are better than a reference point."""
    pairs = [
        better_first(row) for row in rows if _is_chance(row["system"]) != _is_chance(row["other"])
    ]
    if not pairs:
        return []
    unsure = [
        row
        for row in sorted(pairs, key=lambda row: (row["system"], row["other"]))
        if row["better"] is None or _is_chance(row["system"]) or not is_significant(row)
    ]
    many = counted(len(pairs), "pair")
    if not unsure:
        most = shown_p(max(row["p_holm"] or 0.0 for row in pairs))
        at_most = most if most.startswith("<") else f"at most {most}"
        return [f"all systems are better than all reference points, p (Holm) {at_most} ({many})"]
    named = ", ".join(f"{row['system']} and {row['other']}" for row in unsure[:CHANCE_SHOWN])
    others = f" and {len(unsure) - CHANCE_SHOWN} more" if len(unsure) > CHANCE_SHOWN else ""
    return [f"of {many} of a system and a reference point, not sure: {named}{others}"]


def _within(row: PairRow) -> str:
    """Say whether a pair is equal within the margin, differs, or neither is known."""
    if row["equal"]:
        return "equal"
    return "differ" if is_significant(row) else "undecided"


def power_lines(
    rows: Sequence[PairRow], settings: Mapping[str, Any], signature: str
) -> Iterator[str]:
    """Say what difference the documents of each pair can show where they do not show one.

    Pairs that differ significantly have no need for it, unless a difference between systems was
    asked for.
    """
    from segscore.pipeline.results.names import is_point
    from segscore.pipeline.settings.signature import resampled_attribute

    attribute = resampled_attribute(signature)
    asked = settings["difference"]
    known = [
        row
        for row in sorted(rows, key=by_difference)
        if row["smallest_difference"] and not (is_point(row["system"]) and is_point(row["other"]))
    ]
    of_systems = [row for row in known if not has_point(row)]
    unsure = [row for row in of_systems or known if not is_significant(row)]
    listed = of_systems if asked is not None and of_systems else unsure
    for row in map(better_first, listed[:PAIRS_SHOWN]):
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
        size, power, *others = columns_of_power(curve)
        bars = Column("", [_bar(row["power"]) for row in curve], is_name=True)
        print_fitted(
            [size, power, bars, *others],
            title=f"{measure}, {average}: {system} against {other}, a difference of "
            f"{shown_change(sought)}",
        )


def _bar(power: float | None) -> str:
    return "" if power is None else "━" * round(power * _BAR)


def _many(documents: int) -> str:
    return "more than a million" if documents > _MOST_DOCUMENTS else str(documents)


def _mark(row: PairRow) -> str:
    return " *" if is_significant(row) else "  "


def _worst(finished: "FinishedRun", ranked: Sequence[str]) -> list[str]:
    """List commands that show the worst documents; for two, where each is furthest behind.

    Of more than two systems, only the worst document of each of the first is listed.

    Args:
        finished: the comparison.
        ranked: the systems, best first.
    """
    first = finished.record["settings"]["measures"][0]
    rows: list[_Row] = [
        row
        for row in finished.table("worst").to_pylist()
        if row["measure"] == first and row["place"] <= WORST_SHOWN and row["command"]
    ]
    systems = list(dict.fromkeys(row["system"] for row in rows))
    if len(systems) > 2:
        some = f"the first {WORST_SHOWN} systems" if len(systems) > WORST_SHOWN else "each system"
        return [f"the worst document of {some} by {first}:", *_worst_of_each(rows, ranked)]
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


def _worst_of_each(rows: Sequence[_Row], ranked: Sequence[str]) -> list[str]:
    worst = [row for row in rows if row["place"] == 1 and row["other"] is None]
    place = {name: number for number, name in enumerate(ranked)}
    worst = sorted(worst, key=lambda row: place.get(row["system"], len(place)))[:WORST_SHOWN]
    width = max((len(row["system"]) for row in worst), default=0)
    return [
        f"  {row['system']:<{width}}  {shown_number(row['value'])}  "
        f"{printable_command(row['command'])}"
        for row in worst
    ]

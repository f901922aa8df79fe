"""Say which system is best, and from which others it differs more than by chance."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from segscore.pipeline.comparison.pair_rows import SIGNIFICANT
from segscore.pipeline.plain_text import named_list
from segscore.pipeline.runs.finished import FinishedRun, rows_over_all
from segscore.pipeline.scoring.leaderboard import Leaderboard, rank
from segscore.pipeline.statistics.jackknife import FEWEST
from segscore.pipeline.statistics.shown_numbers import (
    counted,
    number_in_words,
    shown_p,
)
from segscore.schemas.rows import PairRow, SystemRow, group_of

PairRows = Mapping[tuple[str, str], PairRow]
"""Names of two systems -> their row of the table comparisons."""

_NAMED = 3
"""Maximum number of systems that a sentence names."""


def listed_names(names: Sequence[str], shown: Callable[[str], str] = str) -> str:
    """Name a few systems, and the number of the others."""
    first = [shown(name) for name in names[:_NAMED]]
    left = len(names) - len(first)
    if left:
        return f"{', '.join(first)} and {left} more"
    return named_list(first)


def describe_certainty(
    best: str,
    others: Sequence[str],
    pairs: PairRows,
    *,
    shown: Callable[[str], str] = str,
    untested: str = "",
    margin: float | None = None,
) -> str:
    """Say from which systems the best one differs more than by chance.

    Args:
        best: the best system.
        others: the systems that it is compared with.
        pairs: the comparisons, by the names of both.
        shown: writes a name.
        untested: why no systems were compared, if there are no comparisons.
        margin: the difference within which systems count as equal; None without one.
    """
    compared = {name: row for name in others if (row := _compared(pairs, best, name)) is not None}
    p_values = {name: p for name, row in compared.items() if (p := row["p_holm"]) is not None}
    if not p_values:
        why = why_untested([*compared.values()])
        return f"Whether that is due to chance was not tested{untested}." if why is None else why
    test = "in a paired test, adjusted by Holm"
    close = [
        name for name, p in p_values.items() if p >= SIGNIFICANT or compared[name]["better"] != best
    ]
    if not close:
        most = shown_p(max(p_values.values()))
        at_most = "" if most.startswith("<") or len(p_values) == 1 else "at most "
        many = "the other system" if len(p_values) == 1 else f"all {len(p_values)} others"
        omitted = " that were compared" if len(p_values) < len(others) else ""
        return f"This is sure: it is better than {many}{omitted}, p {at_most}{most} {test}."
    equal = [name for name in close if margin is not None and compared[name]["equal"]]
    sentences = []
    if undecided := {name: p for name, p in p_values.items() if name in {*close} - {*equal}}:
        least, *more = dict.fromkeys(map(shown_p, sorted(undecided.values())))
        at_least = "at least " if more else ""
        sentences.append(
            f"This is {'not sure' if margin is None else 'undecided'}: its difference from "
            f"{listed_names([*undecided], shown)} may be due to chance, p {at_least}{least} {test}."
        )
    if equal:
        verb = "is" if len(equal) == 1 else "are"
        sentences.append(f"{listed_names(equal, shown)} {verb} equal to it within {margin:g}.")
    return " ".join(sentences)


def why_untested(rows: Sequence[PairRow]) -> str | None:
    """Say why none of some pairs has a p value; None if nothing was compared.

    Args:
        rows: rows of the table comparisons of a group, measure and average.
    """
    rows = [row for row in rows if row["difference"] is not None]
    if not rows or any(row["p_holm"] is not None for row in rows):
        return None
    most = max(rows, key=lambda row: row["units"])
    if most["units"] >= FEWEST:
        return "No test: all documents differ alike, or the difference is undefined without one."
    unit = "document" if most["units"] == most["documents"] else "resampling unit"
    return f"{counted(most['units'], unit)}: no test; at least {FEWEST} are needed."


def _compared(pairs: PairRows, name: str, other: str) -> PairRow | None:
    """Return the comparison of two systems; None if they were not compared."""
    return pairs.get((name, other)) or pairs.get((other, name))


def comparison_in_words(finished: FinishedRun, average: str) -> Iterator[str]:
    """Yield for each measure which system is best over all documents, and whether that is sure."""
    by = finished.record["settings"]["group_by"]
    systems: list[SystemRow] = rows_over_all(finished.table("systems"), by)
    pairs: list[PairRow] = rows_over_all(finished.table("comparisons"), by)
    for measure in finished.record["settings"]["measures"]:
        key = measure, average
        of_measure = [row for row in systems if (row["measure"], row["average"]) == key]
        compared = {
            (row["system"], row["other"]): row
            for row in pairs
            if (row["measure"], row["average"]) == key
        }
        margin = finished.record["settings"].get("margin")
        for board in rank(of_measure, (), measure, "system"):
            yield f"{measure}, {average}: {_describe_board(board, compared, margin)}"
    yield from _scope_in_words(finished, average)


def _scope_in_words(finished: FinishedRun, average: str) -> Iterator[str]:
    """Yield what the tests are about, and over what they were not adjusted."""
    by = finished.record["settings"]["group_by"]
    rows: list[PairRow] = finished.table("comparisons").to_pylist()
    tested = [row for row in rows if row["average"] == average and row["p"] is not None]
    if not tested:
        return
    measures = {row["measure"] for row in tested}
    groups = {group_of(row, by) for row in tested}
    several = [
        f"{len(parts)} {nouns}"
        for parts, nouns in ((measures, "measures"), (groups, "sets of documents"))
        if len(parts) > 1
    ]
    adjusted = (
        f"{counted(len(tested), 'test')} in {named_list(several)}: adjusted within each, not over "
        "all. "
    )
    yield f"{adjusted if several else ''}Tests and intervals are about these references."


def _describe_board(board: Leaderboard, pairs: PairRows, margin: float | None = None) -> str:
    """Say which system is best; of one system alone, whether it is better than the points."""
    known = [name for name in board.contenders if name in board.places]
    if not board.coverage.ranks:
        return f"{board.coverage.advice}."
    if not board.contenders:
        return "only reference points were compared."
    if not known:
        return "undefined for every system."
    best, tied = known[0], [name for name in known if board.places[name] == 1]
    row = board.average(board.measure, best)
    value = number_in_words(row["value"], row["ci_low"], row["ci_high"])
    if len(tied) > 1:
        sentence = f"{listed_names(tied)} are equally good: {value}."
    elif len(known) > 1:
        sentence = f"{best} is best: {value}. "
        sentence += describe_certainty(best, known[1:], pairs, margin=margin)
    else:
        sentence = f"{best}, the only system: {value}."
    better = [name for name in board.points if board.ranked.index(name) < board.ranked.index(best)]
    if better:
        point = "reference point" if len(better) == 1 else "reference points"
        verb = "is" if len(better) == 1 else "are"
        return f"{sentence} But the {point} {listed_names(better)} {verb} better."
    if len(known) == 1 and board.points:
        first, *others = sorted(board.points, key=board.ranked.index)
        above = f"It is above {first}" + (" and all other reference points" if others else "")
        certainty = describe_certainty(best, [first, *others], pairs, margin=margin)
        return f"{sentence} {above}. {certainty}"
    return sentence

"""Say which system is best, and from which others it differs more than by chance."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isnan
from typing import Any

from segscore.pipeline.comparison.pair_rows import SIGNIFICANT
from segscore.pipeline.plain_text import named_list
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.scoring.leaderboard import Leaderboard, rank
from segscore.pipeline.statistics.shown_numbers import shown_interval, shown_number, shown_p

PairRows = Mapping[tuple[str, str], Mapping[str, Any]]
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
) -> str:
    """Say from which systems the best one differs more than by chance.

    Args:
        best: the best system.
        others: the systems that it is compared with.
        pairs: the comparisons, by the names of both.
        shown: writes a name.
        untested: why no systems were compared, if there are no comparisons.
    """
    compared = {name: row for name in others if (row := _tested(pairs, best, name)) is not None}
    if not compared:
        return f"Whether that is due to chance was not tested{untested}."
    test = "in a paired test, adjusted by Holm"
    p_values = {name: float(row["p_holm"]) for name, row in compared.items()}
    close = [
        name
        for name, row in compared.items()
        if p_values[name] >= SIGNIFICANT or row["better"] != best
    ]
    if not close:
        most = shown_p(max(p_values.values()))
        at_most = "" if most.startswith("<") or len(compared) == 1 else "at most "
        many = "the other system" if len(compared) == 1 else f"all {len(compared)} others"
        omitted = " that were compared" if len(compared) < len(others) else ""
        return f"This is sure: it is better than {many}{omitted}, p {at_most}{most} {test}."
    least, *more = dict.fromkeys(map(shown_p, sorted(p_values[name] for name in close)))
    at_least = "at least " if more else ""
    return (
        f"This is not sure: its difference from {listed_names(close, shown)} may be due to chance, "
        f"p {at_least}{least} {test}."
    )


def _tested(pairs: PairRows, name: str, other: str) -> Mapping[str, Any] | None:
    """Return the comparison of two systems; None if they were not compared, or p is undefined."""
    row = pairs.get((name, other)) or pairs.get((other, name))
    p = None if row is None else row["p_holm"]
    return None if p is None or isnan(p) else row


def comparison_in_words(finished: FinishedRun, average: str) -> Iterator[str]:
    """Yield for each measure which system is best over all documents, and whether that is sure."""
    by = finished.record["settings"]["group_by"]
    systems, pairs = (
        [
            row
            for row in finished.table(name).to_pylist()
            if row["average"] == average and all(row[attribute] is None for attribute in by)
        ]
        for name in ("systems", "comparisons")
    )
    for measure in finished.record["settings"]["measures"]:
        of_measure = [row for row in systems if row["measure"] == measure]
        compared = {
            (row["system"], row["other"]): row for row in pairs if row["measure"] == measure
        }
        for board in rank(of_measure, (), measure, "system"):
            yield f"{measure}, {average}: {_describe_board(board, compared)}"


def _describe_board(board: Leaderboard, pairs: PairRows) -> str:
    """Say which system is best; of one system alone, whether it is better than the points."""
    known = [name for name in board.contenders if name in board.places]
    if not board.coverage.ranks:
        return f"{board.coverage.in_words}."
    if not board.contenders:
        return "only reference points were compared."
    if not known:
        return "undefined for every system."
    best, tied = known[0], [name for name in known if board.places[name] == 1]
    row = board.average(board.measure, best)
    value = shown_number(row["value"])
    if row["ci_low"] is not None:
        value += f" (95 % {shown_interval(row['ci_low'], row['ci_high'])})"
    if len(tied) > 1:
        sentence = f"{listed_names(tied)} are equally good: {value}."
    elif len(known) > 1:
        sentence = f"{best} is best: {value}. {describe_certainty(best, known[1:], pairs)}"
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
        return f"{sentence} {above}. {describe_certainty(best, [first, *others], pairs)}"
    return sentence

"""Say from which other systems the best one differs more than by chance."""

from collections.abc import Callable, Mapping, Sequence

from segscore.pipeline.comparison.pair_rows import SIGNIFICANT
from segscore.pipeline.plain_text import first_named
from segscore.pipeline.results.names import is_point
from segscore.pipeline.statistics.formatted_numbers import counted, format_p
from segscore.pipeline.statistics.jackknife import FEWEST
from segscore.pipeline.statistics.sentences import Sentence, Tone
from segscore.schemas.rows import PairRow

PairRows = Mapping[tuple[str, str], PairRow]
"""Names of two systems -> their row of the table comparisons."""

_TEST = "(Holm)"
"""How the p values of all pairs are adjusted; they are those of a paired test."""


def pair_of(pairs: PairRows, name: str, other: str) -> PairRow | None:
    """Return the comparison of two systems; None if they were not compared."""
    return pairs.get((name, other)) or pairs.get((other, name))


def describe_certainty(
    best: str,
    others: Sequence[str],
    pairs: PairRows,
    *,
    shown: Callable[[str], str] = str,
    untested: str = "",
    margin: float | None = None,
) -> Sentence:
    """Say from which systems the best one differs more than by chance.

    Args:
        best: the best system.
        others: the systems that it is compared with.
        pairs: the comparisons, by the names of both.
        shown: writes a name.
        untested: why no systems were compared, if there are no comparisons.
        margin: the difference within which systems count as equal; None without one.
    """
    compared = {name: row for name in others if (row := pair_of(pairs, best, name)) is not None}
    p_values = {name: p for name, row in compared.items() if (p := row["p_holm"]) is not None}
    if not p_values:
        why = why_untested([*compared.values()])
        return Sentence(why or f"Whether that is due to chance was not tested{untested}.")
    close = [
        name for name, p in p_values.items() if p >= SIGNIFICANT or compared[name]["better"] != best
    ]
    if not close:
        worse, most = _named(p_values, len(others), shown), format_p(max(p_values.values()))
        at_most = "" if most.startswith("<") or len(p_values) == 1 else "at most "
        text = f"It is significantly better than {worse}, p {at_most}{most} {_TEST}."
        return Sentence(text + _by_less(compared, margin, shown), Tone.SURE)
    better = {
        name: p
        for name, p in p_values.items()
        if compared[name]["better"] == name and p < SIGNIFICANT
    }
    equal = [
        name
        for name in close
        if margin is not None and compared[name]["equal"] and name not in better
    ]
    sentences = [_better_where_both(better, shown)] if better else []
    left = {*close} - {*equal, *better}
    if undecided := {name: p for name, p in p_values.items() if name in left}:
        sentences.append(_undecided(undecided, margin, shown))
    if equal:
        verb = "is" if len(equal) == 1 else "are"
        sentences.append(f"{first_named(equal, shown=shown)} {verb} equal to it within {margin:g}.")
    return Sentence(" ".join(sentences), Tone.UNSURE if undecided or better else Tone.NOTE)


def _by_less(
    compared: Mapping[str, PairRow], margin: float | None, shown: Callable[[str], str]
) -> str:
    """Say than which systems the best one is better, but by less than a margin."""
    equal = [name for name, row in compared.items() if margin is not None and row["equal"]]
    if not equal:
        return ""
    return f" It is better than {first_named(equal, shown=shown)} by less than {margin:g}."


def _undecided(
    p_values: Mapping[str, float], margin: float | None, shown: Callable[[str], str]
) -> str:
    """Say from which systems the best one does not differ significantly."""
    unsure = "not significant" if margin is None else "undecided"
    least, *more = dict.fromkeys(map(format_p, sorted(p_values.values())))
    at_least = "at least " if more else ""
    return (
        f"Its difference from {first_named([*p_values], shown=shown)} is {unsure}, "
        f"p {at_least}{least} {_TEST}."
    )


def _named(tested: Mapping[str, float], number: int, shown: Callable[[str], str]) -> str:
    """Name the systems that the best one is better than, so many of which are tested."""
    if len(tested) > 1:
        return f"all {len(tested)} others" + " that could be tested" * (len(tested) < number)
    (name,) = tested
    if number > 1:
        return f"{shown(name)}, the only one that could be tested"
    return "that reference point" if is_point(name) else "the other system"


def _better_where_both(better: Mapping[str, float], shown: Callable[[str], str]) -> str:
    """Say which systems are better than the best one over the documents where both are defined.

    A macro average is over the documents where a system itself is defined.
    """
    most, verb = format_p(max(better.values())), "is" if len(better) == 1 else "are"
    at_most = "" if most.startswith("<") or len(better) == 1 else "at most "
    named = first_named([*better], shown=shown)
    return (
        f"But over the documents where both are defined, {named} {verb} significantly "
        f"better, p {at_most}{most} {_TEST}."
    )


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
    number, where = most["units"], ""
    unit = "document" if number in (most["documents"], most.get("defined")) else "resampling unit"
    if unit == "document" and number < most["documents"]:
        where = " where both are defined"
    return f"{counted(number, unit)}{where}: no test; at least {FEWEST} are needed."

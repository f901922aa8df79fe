"""Describe the conventions that were found, in lines of text."""

from collections.abc import Iterator, Sequence
from math import isnan

from segscore.pipeline.conventions.apply import convention_name
from segscore.pipeline.conventions.convention import Convention, Question
from segscore.pipeline.conventions.search import Search, Tried
from segscore.pipeline.statistics.formatted_numbers import counted

_FITS_SHOWN = 5
_OTHERS_SHOWN = 3
_NUMBERS_SHOWN = 3
_UNLIKELY = 0.05
"""Fits that chance would give with a higher probability do not tell which convention was used."""


def describe_search(search: Search, command: str) -> list[str]:
    """Return what a search found, in lines; ``command`` computes segscore's default."""
    fitting, others = search.same_values(fits=True), search.same_values(fits=False)
    lines = [*_asked(search), "", *_verdict(search, len(fitting))]
    for group in fitting[:_FITS_SHOWN]:
        lines += _describe_group(search, group, command)
    if len(fitting) > _FITS_SHOWN:
        lines.append(f"  and {len(fitting) - _FITS_SHOWN} more values")
    if others:
        lines += ["", "Nearest of the others:"]
    for group in others[:_OTHERS_SHOWN]:
        lines += _describe_group(search, group, command)
    return [*lines, "", _conclude(search, [*fitting, *others])]


def _conclude(search: Search, groups: Sequence[Sequence[Tried]]) -> str:
    """Name the simplest convention that fits, or the nearest one, in a line."""
    if not groups:
        return "Nearest: nothing; by every convention, a value is undefined on these tables."
    first = groups[0][0]
    values = " ".join(_shown(value) for value in first.values[:_NUMBERS_SHOWN])
    if search.easily_fitted is None:
        return f"Nearest: {first.convention.name}, with {values}; no convention gives the number."
    apply = f" (--apply {convention_name(first.convention)})"
    sure = "" if search.easily_fitted <= _UNLIKELY else "; too many fit to tell which one was used"
    return f"Simplest that fits: {first.convention.name}, with {values}{apply}{sure}."


def command_of(questions: Sequence[Question], convention: Convention, command: str) -> str:
    """Return the command that computes a convention, and what to do besides."""
    recipes = [
        recipe
        for question in questions
        if (recipe := question.choice(convention.answers[question.name]).recipe)
    ]
    options = " ".join(recipe for recipe in recipes if recipe.startswith("--"))
    others = [recipe for recipe in recipes if not recipe.startswith("--")]
    return "; ".join([f"{command} {options}".strip(), *others])


def _asked(search: Search) -> Iterator[str]:
    """Yield the published numbers, and what segscore computes by default."""
    for number, value in list(zip(search.numbers, search.default.values, strict=True))[
        :_NUMBERS_SHOWN
    ]:
        percent = " (read as a percentage)" if number.assumed_percent else ""
        default = f"segscore's default {_shown(value)}"
        yield f"{number.title}: published {number.printed}{percent}, {default}"
    if len(search.numbers) > _NUMBERS_SHOWN:
        yield f"and {counted(len(search.numbers) - _NUMBERS_SHOWN, 'more number')}"


def _verdict(search: Search, values: int) -> Iterator[str]:
    """Yield how many conventions fit, and whether that tells anything."""
    numbers = len(search.numbers)
    every = "this number" if numbers == 1 else f"all {numbers} numbers"
    if search.easily_fitted is None:
        yield f"0 of {len(search.tried):,} conventions give {every}."
        if numbers > 1:
            yield f"The nearest one gives {search.tried[0].explained} of them."
        return
    different = "the same value" if values == 1 else f"{values} different values"
    yield (
        f"{len(search.fitting):,} of {len(search.tried):,} conventions give {every}, "
        f"with {different}."
    )
    changes = "no change" if search.changes == 0 else _count(search.changes or 0, "change")
    unrelated, those = ("number", "that") if numbers == 1 else ("set of numbers", "those")
    nearby = f", or {those} of 90 to 95 % of the documents," if search.nearby is not None else ""
    yield (
        f"The simplest ones have {changes}. An unrelated {unrelated}{nearby} would fit a "
        f"convention this simple with a probability of {_chance(search.easily_fitted)}."
    )
    if search.easily_fitted > _UNLIKELY:
        yield (
            "Too many conventions fit to tell which one was used: more digits, or more numbers of "
            "the same paper (--published-table), narrow it down."
        )
    agreed = search.agreed_answers() if len(search.simplest) > 1 else {}
    chosen = [
        f"  {question.name} {answer}: {question.choice(answer).sentence}"
        for question in search.questions
        if (answer := agreed.get(question.name))
    ]
    if chosen:
        yield "The simplest ones agree on:"
        yield from (*chosen, "")


def _describe_group(search: Search, group: Sequence[Tried], command: str) -> Iterator[str]:
    """Yield the simplest conventions that have the same values here."""
    first = group[0].convention
    exact = [tried.convention for tried in group if not tried.convention.changed] or [first]
    values = " ".join(_shown(value) for value in group[0].values[:_NUMBERS_SHOWN])
    more = " …" if len(group[0].values) > _NUMBERS_SHOWN else ""
    yield f"  {values}{more}  {' | '.join(convention.name for convention in exact)}"
    for name in first.changed:
        question = next(question for question in search.questions if question.name == name)
        choice = question.choice(first.answers[name])
        yield f"      {name} {choice.name}: {choice.sentence} ({choice.source})"
    yield f"      {_shown_command(exact[0], command)}"
    programs = [program for convention in exact for program in convention.programs]
    for program in programs if not first.changed else []:
        if not program.name.startswith("segscore"):
            yield f"      {program.name}: {program.call}"
    if len(group) > len(exact):
        yield f"      {_count(len(group) - len(exact), 'other convention')} with the same value"


def _shown_command(convention: Convention, command: str) -> str:
    """Return the command that applies a convention."""
    applied = command.replace("segscore score ", "segscore reconcile ", 1)
    return f"{applied} --apply {convention_name(convention)}"


def _shown(value: float) -> str:
    return "undefined" if isnan(value) else f"{value:.5f}"


def _chance(probability: float) -> str:
    least = 1e-6
    return f"less than {least:g}" if probability < least else f"at most {probability:.2g}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"

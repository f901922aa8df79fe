"""Find the conventions that give published numbers for the hypotheses of a corpus."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from math import nan

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Floats, Ints
from segscore.pipeline.conventions.averages import (
    AVERAGE_QUESTION,
    WITHOUT_QUESTION,
    ConventionAverages,
    of_pairs,
    possible,
)
from segscore.pipeline.conventions.boundary_family import TOLERANCE, boundary_family
from segscore.pipeline.conventions.convention import (
    Answers,
    Convention,
    Family,
    LazyCounts,
    Program,
    Question,
    conventions,
)
from segscore.pipeline.conventions.corpus import EDGES, TIME, Corpus
from segscore.pipeline.conventions.edit_family import EDIT_FAMILY
from segscore.pipeline.conventions.published import Published
from segscore.pipeline.conventions.rewriting import DOCUMENTS, OWN
from segscore.pipeline.conventions.search import Search, search_conventions
from segscore.pipeline.conventions.subsamples import Subsamples
from segscore.pipeline.conventions.window_family import WINDOW_FAMILY
from segscore.pipeline.errors import Refused


def families_of(tolerances: Sequence[int]) -> tuple[Family, ...]:
    """Return all families of conventions of measures of pairs."""
    return WINDOW_FAMILY, EDIT_FAMILY, boundary_family(tolerances)


def reconcile_pairs(
    corpus: Corpus, numbers: Sequence[Published], tolerances: Sequence[int]
) -> list[Search]:
    """Find the conventions that give published numbers, for each family of measures.

    Raises:
        Refused: there is no such measure, system or document.
    """
    known = families_of(tolerances)
    measures = [measure for family in known for measure in family.measures]
    for number in numbers:
        if number.measure not in measures:
            raise Refused(
                f"{number.measure}: no convention computes it; there are {_list(measures)}"
            )
    named = [replace(number, system=_system(corpus, number)) for number in numbers]
    of_families = [
        (family, [number for number in named if number.measure in family.measures])
        for family in known
    ]
    return [_search(corpus, family, chosen) for family, chosen in of_families if chosen]


def _list(names: Sequence[str]) -> str:
    return ", ".join(names)


def _system(corpus: Corpus, number: Published) -> str:
    """Return the system that a number is about."""
    if not number.system and len(corpus.systems) > 1:
        raise Refused(
            f"{number.measure} {number.printed}: name its system with --system; there are "
            f"{_list(corpus.systems)}"
        )
    system = number.system or corpus.systems[0]
    if system not in corpus.systems:
        raise Refused(f"{system}: no such system; the systems are {_list(corpus.systems)}")
    return system


def questions_of(
    family: Family,
    measures: Sequence[str],
    *,
    averaged: bool,
    offers: Collection[str] = (TIME, EDGES),
) -> list[Question]:
    """Return all questions that a convention of some measures must answer.

    Args:
        family: the family of the measures.
        measures: the measures.
        averaged: whether a number is about several documents.
        offers: what answers may need; see ``Corpus.offers``.
    """
    average = replace(AVERAGE_QUESTION, choices=(*AVERAGE_QUESTION.choices, *family.averages))
    questions = (*family.questions, *([average] if averaged else []), WITHOUT_QUESTION)
    asked = [
        replace(question, choices=tuple(c for c in question.choices if c.needs in ("", *offers)))
        for question in questions
        if (not question.measures or not {*question.measures}.isdisjoint(measures))
        and (averaged or question is not DOCUMENTS)
    ]
    return [each for each in asked if len(each.choices) > 1 or each.name == TOLERANCE]


def grid_of(
    family: Family,
    measures: Sequence[str],
    *,
    averaged: bool = True,
    offers: Collection[str] = (TIME, EDGES),
) -> list[Convention]:
    """Return the conventions to try for some measures, with answers to all questions."""
    questions = questions_of(family, measures, averaged=averaged, offers=offers)
    programs = [
        program
        for program in family.programs
        if (not program.measures or {*measures} <= {*program.measures})
        and {*_needs(family, program)} <= {*offers}
    ]
    asked = {question.name for question in questions}
    unasked = (*family.questions, AVERAGE_QUESTION)
    others = {q.name: q.choices[0].name for q in unasked if q.name not in asked}
    grid = conventions(questions, programs, lambda answers: possible({**others, **answers}))
    return [replace(one, answers={**others, **one.answers}) for one in grid]


def _needs(family: Family, program: Program) -> Iterator[str]:
    """Yield what the tables must have for the convention of a program."""
    for question in family.questions:
        answer = program.answers.get(question.name)
        if answer is not None and (needed := question.choice(answer).needs):
            yield needed


def _search(corpus: Corpus, family: Family, numbers: Sequence[Published]) -> Search:
    """Try all conventions of a family."""
    measures = list({number.measure: None for number in numbers})
    selected = {(number.system, number.document): _select(corpus, number) for number in numbers}
    needed = np.unique(np.concatenate([*selected.values()]))
    rows = {about: np.searchsorted(needed, pairs) for about, pairs in selected.items()}
    corpus = corpus.only(needed)
    averaged = any(len(pairs) > 1 for pairs in rows.values())
    counter = family.counter(corpus)

    def order(answers: Answers) -> tuple[str, ...]:
        return *counter.order(answers), *of_pairs(answers)

    @lru_cache(1)
    def by_formula(_: tuple[str, ...]) -> dict[str, Floats]:
        return {}

    def evaluate(answers: Answers) -> list[float]:
        counts, known = counter.counts(answers), by_formula(of_pairs(answers))
        averages = ConventionAverages(family, answers, counts, corpus, known)
        joined = answers.get(DOCUMENTS.name, OWN) != OWN
        return [
            nan
            if joined and n.document is not None
            else averages.average(n.measure, rows[n.system, n.document])
            for n in numbers
        ]

    questions = questions_of(family, measures, averaged=averaged, offers=corpus.offers)
    found = search_conventions(
        numbers,
        questions,
        grid_of(family, measures, averaged=averaged, offers=corpus.offers),
        evaluate,
        order,
    )
    subsamples = Subsamples(corpus)
    if subsamples.number < 2 or any(number.document is not None for number in numbers):
        return found
    answers = found.default.convention.answers
    counts = LazyCounts(counter.counts(answers).__getitem__)
    nearby = [
        subsamples.values(family, answers, counts, (n.measure, rows[n.system, n.document]))
        for n in numbers
    ]
    return replace(found, nearby=np.stack(nearby, axis=1))


def _select(corpus: Corpus, number: Published) -> Ints:
    """Return the pairs that a number is about."""
    chosen = corpus.system == corpus.systems.index(number.system)
    if number.document is not None:
        document = corpus.documents.find(pa.array([number.document]))[0]
        chosen &= corpus.document == document
        if document < 0 or not chosen.any():
            raise Refused(f"{number.document}: {number.system} has no such document")
    return np.flatnonzero(chosen)

"""Find the conventions that give published numbers for the hypotheses of a corpus."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.errors import Refused
from segscore.pipeline.reconciliation.averages import AVERAGE, WITHOUT, Pooled, possible
from segscore.pipeline.reconciliation.boundary_conventions import boundary_family
from segscore.pipeline.reconciliation.conventions import (
    Answers,
    Family,
    applicable,
    conventions,
)
from segscore.pipeline.reconciliation.corpus import Corpus
from segscore.pipeline.reconciliation.edit_conventions import EDIT_FAMILY
from segscore.pipeline.reconciliation.published import Published
from segscore.pipeline.reconciliation.search import Evaluate, Search, search
from segscore.pipeline.reconciliation.window_conventions import WINDOW_FAMILY


def families(tolerances: Sequence[int]) -> tuple[Family, ...]:
    """Return all families of conventions of measures of pairs.

    Args:
        tolerances: distances to try for precision, recall and F.
    """
    return WINDOW_FAMILY, EDIT_FAMILY, boundary_family(tolerances)


def reconcile_pairs(
    corpus: Corpus, numbers: Sequence[Published], tolerances: Sequence[int]
) -> list[Search]:
    """Find the conventions that give published numbers, for each family of measures.

    Args:
        corpus: the pairs.
        numbers: the published numbers.
        tolerances: distances to try for precision, recall and F, in the unit of the run.

    Raises:
        Refused: there is no such measure, system or document.
    """
    known = families(tolerances)
    measures = [measure for family in known for measure in family.measures]
    for number in numbers:
        if number.measure not in measures:
            raise Refused(f"{number.measure}: no convention computes it; there are {_list(measures)}")
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
        raise Refused(f"{system}: is no system; there are {_list(corpus.systems)}")
    return system


def _search(corpus: Corpus, family: Family, numbers: Sequence[Published]) -> Search:
    """Try all conventions of a family."""
    measures = list({number.measure: None for number in numbers})
    average = replace(AVERAGE, choices=(*AVERAGE.choices, *family.averages))
    questions = applicable((*family.questions, average, WITHOUT), measures)
    programs = [
        program
        for program in family.programs
        if not program.measures or {*measures} <= {*program.measures}
    ]
    grid = conventions(questions, programs, possible)
    others = {q.name: q.choices[0].name for q in family.questions if q not in questions}
    return search(numbers, questions, grid, _evaluator(corpus, family, numbers, others))


def _evaluator(
    corpus: Corpus, family: Family, numbers: Sequence[Published], others: Answers
) -> Evaluate:
    """Return what computes the values of numbers by a convention of a family.

    Args:
        corpus: the pairs.
        family: the family.
        numbers: the published numbers.
        others: answers to the questions that do not matter.
    """
    counter = family.counter(corpus)
    selected = {(n.system, n.document): _select(corpus, n) for n in numbers}
    neither = corpus.unbounded & (corpus.hypotheses.boundaries.lengths[corpus.hyp_row] == 0)
    pooled = {
        key: Pooled(corpus.document[rows], corpus.unbounded[rows], neither[rows])
        for key, rows in selected.items()
    }

    def evaluate(number: Published, answers: Answers) -> float:
        every = {**others, **answers}
        key = (number.system, number.document)
        counts = {name: count[selected[key]] for name, count in counter.counts(every).items()}
        return pooled[key].average(family, number.measure, every, counts)

    return evaluate


def _select(corpus: Corpus, number: Published) -> Ints:
    """Return the pairs that a number is about."""
    chosen = corpus.system == corpus.systems.index(number.system)
    if number.document is not None:
        document = corpus.documents.find(pa.array([number.document]))[0]
        chosen &= corpus.document == document
        if document < 0 or not chosen.any():
            raise Refused(f"{number.document}: {number.system} has no such document")
    return np.flatnonzero(chosen)

"""Every convention gives the values of its slow twin; each is tried once, programs first."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segscore.pipeline.conventions.averages import ConventionAverages
from segscore.pipeline.conventions.boundary_family import boundary_family
from segscore.pipeline.conventions.convention import Convention, Counter, Family
from segscore.pipeline.conventions.edit_family import EDIT_FAMILY
from segscore.pipeline.conventions.pair_search import grid_of, questions_of
from segscore.pipeline.conventions.window_family import WINDOW_FAMILY
from tests.oracles import naive_conventions
from tests.support.examples import examples
from tests.support.pair_corpora import Documents, corpus_arrays
from tests.support.strategies import boundaries_of, jittered

BOUNDARY_FAMILY = boundary_family((0, 1, 3))

MILLISECONDS = 290
"""In a unit of a document that a convention reads in seconds, several units to a second."""


@st.composite
def corpora(draw: st.DrawFn) -> Documents:
    """Draw a few documents: N, references and a hypothesis."""
    documents = []
    for _ in range(draw(st.integers(1, 3))):
        n_units = draw(st.integers(1, 14))
        model = draw(boundaries_of(n_units))
        coding = st.one_of(jittered(n_units, model), boundaries_of(n_units))
        references = draw(st.lists(coding, min_size=1, max_size=2))
        documents.append((n_units, references, draw(coding)))
    return documents


def twins(documents: Documents) -> list[naive_conventions.Pair]:
    """Return the pairs for the twin."""
    return [
        naive_conventions.Pair(f"d{d}", n, tuple(reference), tuple(hypothesis), Fraction(n))
        for d, (n, references, hypothesis) in enumerate(documents)
        for reference in references
    ]


def stretched(documents: Documents, factor: int) -> Documents:
    """Return documents in units that are so much smaller."""
    return [
        (n * factor, [[p * factor for p in each] for each in references], [p * factor for p in hyp])
        for n, references, hyp in documents
    ]


def conventions_of(family: Family) -> list[tuple[str, Convention]]:
    """Return every measure of a family with every convention."""
    return [(m, convention) for m in family.measures for convention in grid_of(family, [m])]


ALL = {
    name: conventions_of(family)
    for name, family in (
        ("windows", WINDOW_FAMILY),
        ("edits", EDIT_FAMILY),
        ("boundaries", BOUNDARY_FAMILY),
    )
}
FAMILY = {"windows": WINDOW_FAMILY, "edits": EDIT_FAMILY, "boundaries": BOUNDARY_FAMILY}


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=examples(60), deadline=None)
@given(documents=corpora(), drawn=st.data())
def test_a_convention_gives_the_value_of_its_slow_twin(
    name: str, documents: Documents, drawn: st.DataObject
) -> None:
    family = FAMILY[name]
    counters: dict[int, Counter] = {}
    for _ in range(8):
        measure, convention = drawn.draw(st.sampled_from(ALL[name]))
        factor = MILLISECONDS if convention.answers.get("grid") == "seconds" else 1
        corpus = corpus_arrays(stretched(documents, factor))
        pairs = twins(stretched(documents, factor))
        counter = counters.setdefault(factor, family.counter(corpus))
        averages = ConventionAverages(
            family, convention.answers, counter.counts(convention.answers), corpus
        )
        value = averages.average(measure, np.arange(len(pairs)))
        exact = naive_conventions.convention_value(measure, convention.answers, pairs)
        if exact is None:
            assert np.isnan(value), convention.answers
        else:
            assert value == pytest.approx(float(exact), abs=1e-12), convention.answers


@pytest.mark.parametrize("name", ALL)
def test_each_convention_is_tried_once_and_the_default_first(name: str) -> None:
    for measure in FAMILY[name].measures:
        grid = grid_of(FAMILY[name], [measure])
        assert len({tuple(one.answers.values()) for one in grid}) == len(grid)
        assert [len(one.changed) for one in grid] == sorted(len(one.changed) for one in grid)
        assert grid[0].programs[0].name == "segscore"


@pytest.mark.parametrize("name", ALL)
def test_programs_answer_questions_that_exist(name: str) -> None:
    family, named = FAMILY[name], set()
    for measure in family.measures:
        asked = {question.name for question in questions_of(family, [measure], averaged=True)}
        for one in (one for one in grid_of(family, [measure]) if not one.changed):
            for program in one.programs:
                named.add(program.name)
                assert program.answers.keys() <= one.answers.keys()
                chosen = {q: a for q, a in program.answers.items() if q in asked}
                assert chosen.items() <= one.answers.items()
    assert named == {program.name for program in family.programs}

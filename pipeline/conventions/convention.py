"""Conventions: how programs and papers compute a measure where its definition leaves choices.

A convention answers every question of its family, such as how half the mean segment is rounded.
The search tries the conventions of published programs, and those that differ from one of them in
at most two answers.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Protocol

from segscore.pipeline.arrays.ragged import Floats, Ints
from segscore.pipeline.conventions.corpus import Corpus

_MOST_CHANGES = 2
"""The most answers in which a convention differs from that of a program."""

Answers = Mapping[str, str]
"""Name of a question -> name of its answer."""


@dataclass(frozen=True)
class Answer:
    """An answer to a question.

    Attributes:
        name: short name.
        sentence: what is done.
        source: a program or paper that does so.
        recipe: how to do it with segscore: an option, or a sentence; empty if nothing is to do.
        needs: what the tables must have (``Corpus.offers``); empty for nothing.
    """

    name: str
    sentence: str
    source: str
    recipe: str = ""
    needs: str = ""


@dataclass(frozen=True)
class Question:
    """What a convention must decide.

    Attributes:
        name: short name.
        choices: the possible answers; the first one is that of segscore.
        measures: the measures that depend on it; empty for all of the family.
    """

    name: str
    choices: tuple[Answer, ...]
    measures: tuple[str, ...] = ()

    def choice(self, name: str) -> Answer:
        """Return an answer by its name."""
        return next(answer for answer in self.choices if answer.name == name)


@dataclass(frozen=True)
class Program:
    """The convention of a program or paper.

    Attributes:
        name: its name.
        call: the call or command that computes so.
        answers: answers that differ from those of segscore.
        measures: the measures that it computes; empty for all of the family.
    """

    name: str
    call: str
    answers: Answers
    measures: tuple[str, ...] = ()


class LazyCounts(dict[str, Ints]):
    """Counts by name, each computed when it is first used."""

    def __init__(self, compute: Callable[[str], Ints]) -> None:
        """Start without counts; ``compute`` returns those of a name."""
        super().__init__()
        self._compute = compute

    def __missing__(self, name: str) -> Ints:
        """Compute and keep the counts of a name."""
        self[name] = counts = self._compute(name)
        return counts


class Counter(Protocol):
    """What counts pairs by a convention, and remembers little more than the last counts."""

    def order(self, answers: Answers) -> tuple[str, ...]:
        """Return a sort key: neighbours have most of their counting in common."""

    def counts(self, answers: Answers) -> Mapping[str, Ints]:
        """Return the counts of all pairs, shape (pairs,) each, to be read before the next call."""


@dataclass(frozen=True)
class Family:
    """Measures whose conventions answer the same questions.

    Attributes:
        measures: names of the measures, as in `segscore measures`.
        questions: what a convention must decide, except how it averages.
        programs: conventions of published programs; the first one is segscore's.
        counter: makes what counts the pairs of a corpus.
        formula: value of a measure from counts, NaN where undefined: (measure, answers, counts).
        agreed: value of a pair in which neither side has a boundary, if its formula is 0/0.
        averages: averages that only these measures have.
    """

    measures: tuple[str, ...]
    questions: tuple[Question, ...]
    programs: tuple[Program, ...]
    counter: Callable[[Corpus], Counter]
    formula: Callable[[str, Answers, Mapping[str, Ints]], Floats]
    agreed: Mapping[str, float]
    averages: tuple[Answer, ...] = ()


@dataclass(frozen=True)
class Convention:
    """A way to compute the measures of a family.

    Attributes:
        answers: the answer to each question.
        programs: the programs that compute so; if there is none, the one that is nearest.
        changed: questions that it answers differently from that program.
    """

    answers: Answers
    programs: tuple[Program, ...]
    changed: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The programs, and what is different."""
        names = " | ".join(dict.fromkeys(program.name for program in self.programs))
        changes = "; ".join(f"{name} {self.answers[name]}" for name in self.changed)
        return f"{names}, but {changes}" if changes else names


def conventions(
    questions: Sequence[Question], programs: Sequence[Program], possible: Callable[[Answers], bool]
) -> list[Convention]:
    """Return the conventions to try, each once, those with the fewest changes first."""
    tried: dict[tuple[str, ...], Convention] = {}
    for changes in range(_MOST_CHANGES + 1):
        for program in programs:
            for convention in _changed(questions, program, changes):
                key = tuple(convention.answers.values())
                if key in tried and not changes:
                    programs_so_far = tried[key].programs
                    tried[key] = replace(convention, programs=(*programs_so_far, program))
                elif key not in tried and possible(convention.answers):
                    tried[key] = convention
    return list(tried.values())


def _changed(questions: Sequence[Question], program: Program, changes: int) -> Iterator[Convention]:
    """Yield the conventions that differ from that of a program in so many answers."""
    base = {q.name: program.answers.get(q.name, q.choices[0].name) for q in questions}
    for changed in combinations(questions, changes):
        others = ([c.name for c in q.choices if c.name != base[q.name]] for q in changed)
        names = tuple(question.name for question in changed)
        for answers in product(*others):
            yield Convention({**base, **dict(zip(names, answers, strict=True))}, (program,), names)

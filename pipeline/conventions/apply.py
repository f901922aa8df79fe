"""Compute a measure by a named convention, without a published number."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.conventions.averages import ConventionAverages, possible
from segscore.pipeline.conventions.convention import Answers, Convention, Family, Question
from segscore.pipeline.conventions.corpus import TIME, Corpus
from segscore.pipeline.conventions.pair_search import families_of, questions_of
from segscore.pipeline.conventions.rewriting import DOCUMENTS, OWN
from segscore.pipeline.errors import Refused, nearest

_BUT = ", but "

_TYPES = {
    "system": pa.string(),
    "measure": pa.string(),
    "value": pa.float64(),
    "convention": pa.string(),
    "document_id": pa.string(),
}


@dataclass(frozen=True, repr=False)
class Applied:
    """What a convention gives for each system; not segscore's default.

    Attributes:
        convention: name of the convention.
        sentences: what it answers differently from segscore's default, in sentences.
        rows: dicts with system, measure, value (None if undefined) and convention.
        values: the values of single documents.
        warnings: what was rejected or converted when the tables were read.
    """

    convention: str
    sentences: tuple[str, ...]
    rows: tuple[dict[str, object], ...]
    values: "ConventionValues"
    warnings: tuple[str, ...] = ()

    @property
    def table(self) -> pa.Table:
        """Each row, and after it those of single documents, as a table (docs/tables.md)."""
        rows = [
            {**row, "document_id": document, "value": value}
            for row in self.rows
            for document, value in (
                (None, row["value"]),
                *self.values.of_documents(str(row["measure"]), str(row["system"])),
            )
        ]
        return pa.Table.from_pylist(rows, pa.schema([*_TYPES.items()]))

    @property
    def lines(self) -> list[str]:
        """The values, and what was done, in lines."""
        other = ", which is not segscore's default:" if self.sentences else ""
        return [
            f"by the convention {self.convention}{other}",
            *(f"  {sentence}" for sentence in self.sentences),
            "",
            *(_line(row) for row in self.rows),
        ]

    def __repr__(self) -> str:
        return "\n".join(self.lines)


def _line(row: dict[str, object]) -> str:
    value = row["value"]
    shown = "undefined" if value is None else f"{value:.5f}"
    return f"{row['system']}: {row['measure']} {shown}"


def convention_name(convention: Convention) -> str:
    """Return the name by which a convention can be applied, which stays from release to release."""
    changes = [f"+{name}={convention.answers[name]}" for name in convention.changed]
    return "".join([_plain(convention.programs[0].name), *changes])


def _plain(name: str) -> str:
    """Return a name in lower case, with hyphens for whatever is not a letter or a digit."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def apply_convention(
    corpus: Corpus, name: str, measures: Sequence[str], systems: Sequence[str] = ()
) -> Applied:
    """Compute measures by a convention: by default all that it computes, for all systems.

    Raises:
        Refused: there is no such convention, measure or system.
    """
    for system in systems:
        if system not in corpus.systems:
            raise Refused(f"no system {system}; the systems are {', '.join(corpus.systems)}")
    values = ConventionValues(corpus, name, measures)
    rows: list[dict[str, object]] = [
        {
            "system": system,
            "measure": measure,
            "value": values.value(measure, system),
            "convention": values.convention,
        }
        for system in systems or corpus.systems
        for measure in values.measures
    ]
    return Applied(values.convention, values.sentences, tuple(rows), values)


class ConventionValues:
    """Values of measures by a convention, and how it differs from segscore's default."""

    def __init__(self, corpus: Corpus, name: str, measures: Sequence[str]) -> None:
        """Count the pairs of a corpus by a convention, for some or all of its measures.

        Raises:
            Refused: there is no such convention, or it does not compute a measure.
        """
        self._corpus = corpus
        self._averages: dict[str, ConventionAverages] = {}
        sentences: list[str] = []
        for family, convention, computed in find_convention(name, measures):
            self.convention = convention_name(convention)
            answers = convention.answers
            _require_offered(corpus, family, convention)
            counts = family.counter(corpus).counts(answers)
            averages = ConventionAverages(family, answers, counts, corpus)
            self._averages |= dict.fromkeys(computed, averages)
            sentences += _sentences(family, answers, computed)
        self.measures = tuple(self._averages)
        self.sentences = tuple(dict.fromkeys(sentences))

    def value(self, measure: str, system: str, document: str = "") -> float | None:
        """Return one number for a system, for all documents or one; None if undefined."""
        corpus = self._corpus
        if document and self._joins(measure):
            return None
        chosen = corpus.system == corpus.systems.index(system)
        if document:
            chosen &= corpus.document == corpus.documents.find(pa.array([document]))[0]
        return self._average(measure, np.flatnonzero(chosen))

    def of_documents(self, measure: str, system: str) -> Iterator[tuple[str, float | None]]:
        """Yield the value of each document of a system; nothing where documents are joined."""
        corpus = self._corpus
        if self._joins(measure):
            return
        rows = np.flatnonzero(corpus.system == corpus.systems.index(system))
        rows = rows[np.argsort(corpus.document[rows], kind="stable")]
        documents, first = np.unique(corpus.document[rows], return_index=True)
        for document, of_document in zip(documents, np.split(rows, first[1:]), strict=True):
            yield corpus.documents.ids[int(document)].as_py(), self._average(measure, of_document)

    def _joins(self, measure: str) -> bool:
        return self._averages[measure].answers.get(DOCUMENTS.name, OWN) != OWN

    def _average(self, measure: str, rows: Ints) -> float | None:
        value = self._averages[measure].average(measure, rows)
        return None if isnan(value) else value


def _require_offered(corpus: Corpus, family: Family, convention: Convention) -> None:
    """Refuse a convention in seconds for tables that are not known to be in milliseconds.

    Raises:
        Refused: they are not.
    """
    for question in family.questions:
        answer = question.choice(convention.answers[question.name])
        if answer.needs == TIME and TIME not in corpus.offers:
            raise Refused(
                f"the convention {convention_name(convention)} is about seconds, and the tables "
                "do not say that they count milliseconds; pass --unit millisecond if they do"
            )


def find_convention(
    name: str, measures: Sequence[str]
) -> Iterator[tuple[Family, Convention, tuple[str, ...]]]:
    """Yield each family with measures that a convention computes, with these measures.

    Raises:
        Refused: there is no such convention, or it does not compute a measure.
    """
    base, changes = _parts(name)
    found: list[tuple[Family, Convention, tuple[str, ...]]] = []
    problems = []
    for family in families_of(_distances(name)):
        try:
            found += _matches(family, base, changes, measures)
        except Refused as problem:  # another family may have the question
            problems.append(problem)
    if problems and not found:
        raise problems[0]
    if not found:
        names = known_names(measures)
        of_measures = f" of {', '.join(measures)}" if measures else ""
        raise Refused(
            f"no convention {name}{of_measures}{nearest(_plain(base), names)}; there are "
            f"{', '.join(names)}, and +QUESTION=ANSWER after a name changes an answer"
        )
    missing = {*measures} - {measure for *_, computed in found for measure in computed}
    if missing:
        raise Refused(f"the convention {name} does not compute {', '.join(sorted(missing))}")
    yield from found


def _distances(name: str) -> list[int]:
    """Return the distances that the name of a convention may mention, such as `mir_eval, T 3`."""
    numbers = [int(digits) for digits in re.findall(r"\d{1,9}", name)]
    return sorted({*numbers, *(number - 1 for number in numbers if number)})  # VidChapters: t - 1


def _parts(name: str) -> tuple[str, dict[str, str]]:
    """Divide the name of a convention into a program and the answers that are changed."""
    if _BUT in name:
        base, _, listed = name.partition(_BUT)
        changes = [part.strip().partition(" ") for part in listed.split(";")]
    else:
        base, *given = name.split("+")
        changes = [part.partition("=") for part in given]
    return base.split(" | ")[0], {
        question.strip(): answer.strip() for question, _, answer in changes
    }


def _matches(
    family: Family, base: str, changes: dict[str, str], measures: Sequence[str]
) -> Iterator[tuple[Family, Convention, tuple[str, ...]]]:
    """Yield the convention of a family that has a name, if it computes any of the measures."""
    wanted = [each for each in family.measures if not measures or each in measures]
    for program in family.programs:
        computed = tuple(m for m in wanted if not program.measures or m in program.measures)
        if computed and _plain(program.name) == _plain(base):
            questions = questions_of(family, family.measures, averaged=True)
            answers = {q.name: program.answers.get(q.name, q.choices[0].name) for q in questions}
            answers |= {q: _answer(questions, q, changes[q]) for q in changes}
            if not possible(answers):
                raise Refused(f"{base}: the changed answers contradict each other")
            changed = tuple(q.name for q in questions if q.name in changes)
            yield family, Convention(answers, (program,), changed), computed
            return


def _answer(questions: Sequence[Question], question: str, answer: str) -> str:
    """Return an answer if a question has it.

    Raises:
        Refused: there is no such question, or it has no such answer.
    """
    by_name = {each.name: each for each in questions}
    if question not in by_name:
        near = nearest(question, [*by_name])
        raise Refused(f"+{question}={answer}: no such question{near}; there are {_list(by_name)}")
    answers = [choice.name for choice in by_name[question].choices]
    if answer not in answers:
        near = nearest(answer, answers)
        raise Refused(f"+{question}={answer}: no such answer{near}; there are {_list(answers)}")
    return answer


def _list(names: Sequence[str] | dict[str, Question]) -> str:
    return ", ".join(names)


def known_names(measures: Sequence[str] = ()) -> list[str]:
    """Return the names of the conventions of programs that compute some measures, or any."""
    return [
        *dict.fromkeys(
            _plain(program.name)
            for family in families_of((1,))
            for program in family.programs
            if not measures
            or {*measures} <= {*(program.measures or family.measures)} & {*family.measures}
        )
    ]


def _sentences(family: Family, answers: Answers, measures: Sequence[str]) -> Iterator[str]:
    """Yield what a convention answers differently from segscore."""
    for question in questions_of(family, measures, averaged=True):
        answer = question.choice(answers[question.name])
        if answer is not question.choices[0]:
            yield f"{question.name} {answer.name}: {answer.sentence}"

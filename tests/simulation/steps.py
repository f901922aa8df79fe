"""Steps of processes whose work is done once: what they asked the store, was answered and returned.

A step is a function that depends only on its arguments and on what the world answers: the same
answers give the same next question, and in the end the same result.  So the questions of a step
form a tree.  As long as the answers are known, the questions are asked again, with all that befalls
them, and the work between them is not done again.  At the first answer that is new, the step is
done from its beginning, with the answers that it has had already.
"""

import pickle
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

Question = Callable[[Any], Any]
"""What is asked of a world; it may raise an error, which is an answer too."""


@dataclass
class _Asked:
    """A question, and what followed each answer: the next question, or the pickled result."""

    question: Question
    then: dict[Any, "_Asked | bytes"] = field(default_factory=dict)


Known = dict[Any, _Asked | bytes]
"""What is known of steps, by what they are given."""


@cache
def known(*_: Any) -> Known:
    """Return what is known of the steps of programs that are equal."""
    return {}


class _Raised:
    """An answer that is an error."""

    def __init__(self, problem: Exception) -> None:
        self.problem = problem

    def answer(self) -> Any:
        """Raise it."""
        raise type(self.problem)(*self.problem.args)


@dataclass
class Steps:
    """The steps of one process that are under way.

    Attributes:
        known: what is known of all steps of the processes that share it.
        logs: the questions and answers of each step that is under way, the innermost last.
        given: answers that steps which are done anew have had already; each is new to the logs
            from a number on.
    """

    known: Known
    logs: list[list[tuple[Question, Any]]] = field(default_factory=list)
    given: deque[tuple[int, Any]] = field(default_factory=deque)

    def ask(self, question: Question, world: Any) -> Any:
        """Ask a question, unless its answer is given."""
        answer = self._answer(question, world)
        return answer.answer() if isinstance(answer, _Raised) else answer

    def perform(self, world: Any, task: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Do a step, or repeat its questions if all that it does is known."""
        key = pickle.dumps((task.__module__, task.__qualname__, arguments, named))
        found, answers = self.known.get(key), list[Any]()
        while isinstance(found, _Asked):
            answers.append(self._answer(found.question, world))
            found = found.then.get(_key(answers[-1]))
        if found is not None:
            return pickle.loads(found)  # noqa: S301
        log = list[tuple[Question, Any]]()
        self.given.extendleft((len(self.logs), answer) for answer in reversed(answers))
        self.logs.append(log)
        try:
            result = task(*arguments, **named)
        finally:
            self.logs.pop()
        if self.logs or self._is_seen(key, log):
            self._remember(key, log, pickle.dumps(result))
        return result

    def _is_seen(self, key: bytes, log: list[tuple[Question, Any]]) -> bool:
        """Return whether a process has had these answers before; most never come again."""
        answers = hash((key, *(_key(answer) for _, answer in log)))
        seen = answers in self.known
        self.known[answers] = b""
        return seen

    def _answer(self, question: Question, world: Any) -> Any:
        """Return the answer that is given, or that of the world; note it."""
        new_to, answer = self.given.popleft() if self.given else (0, _asked(question, world))
        for log in self.logs[new_to:]:
            log.append((question, answer))
        return answer

    def _remember(self, key: bytes, log: list[tuple[Question, Any]], result: bytes) -> None:
        tree, at = self.known, key
        for question, answer in log:
            asked = tree.setdefault(at, _Asked(question))
            assert isinstance(asked, _Asked), "a step is not always the same"
            tree, at = asked.then, _key(answer)
        tree[at] = result


def _asked(question: Question, world: Any) -> Any:
    try:
        return question(world)
    except Exception as problem:
        return _Raised(problem)


def _key(answer: Any) -> Any:
    """Return what is equal only for equal answers."""
    if isinstance(answer, _Raised):
        return type(answer.problem), str(answer.problem)
    if isinstance(answer, dict):
        return tuple((name, _key(each)) for name, each in answer.items())
    return frozenset(answer) if isinstance(answer, set) else answer

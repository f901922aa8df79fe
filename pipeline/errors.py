"""Outcomes other than a new result; every message gives the problem, its place and a remedy."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.util import find_spec
from itertools import islice
from typing import Any

from segscore.pipeline.plain_text import redacted, shortened, visible

_COMPARED = 100_000
"""The most names that are searched for a similar one, which takes a second."""

_FEW = 1000
"""The most names whose beginnings are compared."""

_ALIKE = 0.75
"""Least similarity of a name to the beginning of another, as difflib measures it."""

_LEAST_ALIKE = 0.5
"""Least similarity of a name to another, as difflib measures it."""

_SIMILAR = 50
"""The most similar names that are ranked."""

_OTHER_NUMBER = 2
"""The most edits between similar names with different numbers, such as take-7 and take-17."""

_LEAST_BEGINNING = 3
"""The fewest letters of a name that count as the beginning of another."""


class _Message(Exception):  # noqa: N818
    """An error whose message can be shown anywhere: no control characters, no secrets of URLs.

    Attributes:
        fields: data of the error for programs, next to the message in a log of JSON lines.
    """

    fields: Mapping[str, Any] = {}

    def __init__(self, message: str = "") -> None:
        super().__init__(visible(redacted(shortened(message)), lines=True))


class Refused(_Message, ValueError):  # noqa: N818
    """The input or the settings are wrong; raised before any work starts (exit code 2)."""


def require_extra(what: str, extra: str, *modules: str) -> None:
    """Refuse what needs modules that only an extra of segscore installs.

    Args:
        what: the option or the function that needs them.
        extra: the extra.
        modules: names of the modules.

    Raises:
        Refused: a module is not installed.
    """
    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        raise Refused(f"{what}: needs {' and '.join(missing)}: pip install 'segscore[{extra}]'")


class Absent(Refused):
    """An input does not exist, or is still empty."""


class OtherRole(Absent):
    """An input has rows, but all have the role of another table."""


class OtherFormat(Refused):
    """A file is in a format that has to be imported first."""


class Unsuitable(Refused):
    """The input does not suit the settings, as only the work shows: one of the two must change."""


class Unreadable(Unsuitable):
    """An input file has content that its table cannot have, so that other input is needed."""


class Unanswered(Unreadable):
    """A system has no hypothesis of a document, though the settings ask for all."""


class Inaccessible(Refused):
    """A file or a store is closed to the command, which may succeed unchanged when it is open."""


class Failed(_Message):
    """The work started but could not be finished; nothing was published (exit code 1)."""

    exit_code = 1


class StartOver(Failed):
    """What an attempt left is of no use, so that the run has to begin again (``--fresh``)."""


class NotYet(Failed):
    """The work cannot be done yet, and may succeed later without a change (exit code 75).

    75 is EX_TEMPFAIL of BSD's sysexits.h: try again later.
    """

    exit_code = 75


class NoResult(Failed):
    """The input has nothing to measure, so that other input or settings are needed."""


class NothingPaired(NoResult):
    """No document of the hypotheses is in the references, though there are rows of both."""


class TooManyUnpaired(Failed):
    """More hypotheses have no reference than the settings allow.

    Attributes:
        systems: the systems of which no row has a reference.
        without_them: whether few enough hypotheses of the other systems have none.
    """

    def __init__(
        self, message: str, systems: Sequence[str] = (), *, without_them: bool = False
    ) -> None:
        super().__init__(message)
        self.systems = tuple(systems)
        self.without_them = without_them


@dataclass(frozen=True)
class Done:
    """The outcome of a command whose result exists already (exit code 0)."""

    message: str


def reason_of(problem: BaseException) -> str:
    """Return why something failed in one line, in the system's words if it has some."""
    if isinstance(problem, OSError) and problem.strerror is not None:
        return problem.strerror.lower()
    return " ".join(str(problem).split()) or type(problem).__name__


def place_and_reason(problem: BaseException) -> str:
    """Return ``reason_of`` a failure after the file that it is about, if the system names one."""
    if not isinstance(problem, OSError) or problem.strerror is None or problem.filename is None:
        return reason_of(problem)
    return f"{problem.filename}: {reason_of(problem)} (errno {problem.errno})"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return a remark that names the known name most similar to one; empty if none is similar.

    Names with the same numbers come first, of these the ones that begin or end with the name, then
    those with fewer edits, then those of the same length. Upper and lower case are equal.
    Of the others, at most half of the letters are edited, or two.
    """
    folded = {other.casefold(): other for other in islice(known, _COMPARED)}
    asked = name.casefold()
    is_long = len(asked) >= _LEAST_BEGINNING
    begun = {
        other for other in folded if _begins(asked, other) or (is_long and other.endswith(asked))
    }
    similar = begun.union(get_close_matches(asked, folded, n=_SIMILAR, cutoff=_LEAST_ALIKE))
    most_edits = max(2, len(asked.lstrip("-")) // 2)
    ranked = sorted(
        (differs, other not in begun, edits, longer, folded[other])
        for other in similar
        for differs, edits, longer in [_distance(asked, other)]
        if other in begun or edits <= most_edits
    )
    if not ranked or (ranked[0][0] and ranked[0][2] > _OTHER_NUMBER):
        return _with_similar_beginning(asked, folded)
    return f"; the nearest is {ranked[0][-1]}"


def _with_similar_beginning(asked: str, folded: dict[str, str]) -> str:
    """Return a remark that names what begins like a name: `nltk-n-flags` for `nltkk`."""
    asked = asked.lstrip("-")
    if len(asked) <= _LEAST_BEGINNING or len(folded) > _FEW or any(map(str.isdigit, asked)):
        return ""
    by_length = sorted(folded, key=lambda other: (-len(other), other))
    starts = {other.lstrip("-")[: len(asked)]: other for other in by_length}
    found = get_close_matches(asked, starts, n=1, cutoff=_ALIKE)
    return f"; the nearest is {folded[starts[found[0]]]}" if found else ""


def _begins(name: str, other: str) -> bool:
    """Return whether a name is the beginning of another, with at least its first three letters.

    Dashes before it do not count, and neither does a name that goes on with a digit or ends in one.
    """
    rest = other.removeprefix(name)
    return (
        len(name.lstrip("-")) >= _LEAST_BEGINNING
        and len(rest) < len(other)
        and not (name[-1:].isdigit() or rest[:1].isdigit())
    )


def _distance(name: str, other: str) -> tuple[bool, int, int]:
    """Return whether names have different numbers, their edits, and how much longer one is."""
    numbers, others = (
        [digits.lstrip("0") for digits in re.findall(r"\d+", text)] for text in (name, other)
    )
    return numbers != others, count_edits(name, other), abs(len(name) - len(other))


def count_edits(name: str, other: str, *, exchanges: bool = False) -> int:
    """Count the letters inserted, deleted or replaced (Levenshtein 1966).

    With ``exchanges``, two neighbours that changed places are one edit, too (Damerau 1964).
    """
    before: list[int] = []
    above = list(range(len(other) + 1))
    for row, letter in enumerate(name):
        line = [row + 1]
        for place, opposite in enumerate(other):
            edits = [above[place] + (letter != opposite), above[place + 1] + 1, line[-1] + 1]
            is_exchanged = row and place and (letter, name[row - 1]) == (other[place - 1], opposite)
            if exchanges and is_exchanged:
                edits.append(before[place - 1] + 1)
            line.append(min(edits))
        before, above = above, line
    return above[-1]

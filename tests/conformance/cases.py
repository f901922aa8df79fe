"""A case of the conformance set, and a file of cases."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Given = Mapping[str, Any]
Expected = dict[str, Any]


class Case(NamedTuple):
    """One input, by name.

    Attributes:
        name: what it shows, once in its family.
        given: the input.
        note: where it is from, or who computes something else.
        show: the values to list; empty: all.
    """

    name: str
    given: Given
    note: str
    show: tuple[str, ...]


class Family(NamedTuple):
    """A file of cases.

    Attributes:
        name: of the file.
        about: what its cases have in common.
        expect: works out what is expected of a case.
        cases: in the order of the file.
    """

    name: str
    about: str
    expect: Callable[[Given], Expected]
    cases: tuple[Case, ...]


def case(name: str, note: str = "", show: tuple[str, ...] = (), **given: Any) -> Case:
    """Name an input."""
    return Case(name, given, note, show)

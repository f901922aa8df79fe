"""Read the JSON files that segscore writes; a damaged or forged one is refused in one line.

What a file contains is said by paths and kinds, as in ``schemas.records``: `inputs.*[].size: int`
is a whole number in each object of the list under each name in the object `inputs`.
"""

import json
import re
from collections.abc import Iterable
from functools import partial, reduce
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from segscore.pipeline.errors import Refused


class Record(dict[str, Any]):
    """An object in a file; to ask for a key that it lacks refuses the file."""

    def __init__(self, content: Any, *, url: str = "a record") -> None:
        """Keep the pairs of an object in the file at a URL."""
        super().__init__(content)
        self._url = url

    def __missing__(self, key: str) -> Any:
        raise Refused(f"{self._url}: lacks the key {key}, which segscore writes; is it damaged?")


_STEPS = re.compile(r"\[\]|[^.\[\]]+")

_KINDS: dict[str, tuple[str, frozenset[type]]] = {
    "string": ("text", frozenset({str})),
    "int": ("a whole number", frozenset({int})),
    "float": ("a number", frozenset({int, float})),
    "bool": ("true or false", frozenset({bool})),
    "object": ("an object", frozenset({dict, Record})),
    "null": ("", frozenset({type(None)})),
}
"""Name of a kind -> the kind in words, and the types of its values."""

_LARGE = 2**63
"""Size from which a whole number is refused, as no table can contain it."""


class Shape:
    """What a JSON value may be, and what may be in it."""

    def __init__(self, keys: Iterable[tuple[str, str]] = ()) -> None:
        """Say what an object contains, by paths and kinds; a kind that is not known is any value.

        Keys that are not named may have any value, too.
        """
        self._words, self._types = "", frozenset[type]()
        self._inside: dict[str, Shape] = {}
        for path, kind in keys:
            reduce(Shape.inside, _STEPS.findall(path), self).allow(kind)

    def inside(self, name: str) -> "Shape":
        """Return the shape of what is under a name, in a list (`[]`) or under any name (`*`)."""
        return self._inside.setdefault(name, Shape())

    def allow(self, kind: str) -> None:
        """Allow values of a kind, such as `int or null`."""
        for name in kind.split(" or "):
            if name.startswith("list<"):
                self.inside("[]").allow(name[5:-1])
            words, types = _KINDS.get(name, ("", frozenset()))
            self._types |= types
            self._words += " or " * bool(words and self._words) + words

    def misfit(self, value: Any) -> str | None:
        """Say what is wrong with a value, as in `.inputs.codings[0].size is not a whole number`."""
        kind = type(value)
        if not self._inside:
            if self._types and kind not in self._types:
                return f" is not {self._words}"
            return " is too large" if kind is int and not -_LARGE <= value < _LARGE else None
        if value is None and kind in self._types:
            return None
        if "[]" in self._inside:
            if not isinstance(value, list | tuple):
                return " is not a list"
            misfits = (self._inside["[]"].misfit(each) for each in value)
            return next((f"[{i}]{found}" for i, found in enumerate(misfits) if found), None)
        if not isinstance(value, dict):
            return " is not an object"
        every = self._inside.get("*")
        for key, each in value.items():
            shape = self._inside.get(key, every)
            if shape and (found := shape.misfit(each)):
                return f".{key}{found}"
        return None


def shape_of(kind: type) -> Shape:
    """Return the shape of the fields of a dataclass: numbers, texts, None, and tuples of them."""
    return Shape((name, _kind_of(hint)) for name, hint in get_type_hints(kind).items())


def _kind_of(hint: Any) -> str:
    names = {str: "string", int: "int", float: "float", bool: "bool", NoneType: "null"}
    if get_origin(hint) is tuple:
        return f"list<{_kind_of(get_args(hint)[0])}>"
    return names.get(hint) or " or ".join(map(_kind_of, get_args(hint)))


def read_record(url: str, text: str, shape: Shape) -> Any:
    """Parse the JSON text of a file that segscore writes.

    Raises:
        Refused: the text is not JSON of this shape.
    """
    if not text:  # where there are no hard links, a new file is empty for a moment
        raise Refused(
            f"{url}: is empty; another job is writing it, or was killed when it did: if none is "
            "running, remove the file"
        )
    try:
        record = json.loads(text, object_hook=partial(Record, url=url))
        json.dumps(record, ensure_ascii=False).encode()  # refuses half of a surrogate pair
    except UnicodeEncodeError as problem:
        raise Refused(f"{url}: contains text that is not Unicode") from problem
    except (ValueError, RecursionError) as problem:
        raise Refused(f"{url}: not valid JSON ({problem})") from problem
    if misfit := shape.misfit(record):
        where = misfit.removeprefix(".") if misfit.startswith(".") else f"it{misfit}"
        raise Refused(f"{url}: not a file that segscore writes, or damaged: {where}")
    return record

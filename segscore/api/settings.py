"""Read settings that are given as keywords, as commands read their options."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from numbers import Integral, Real
from os import PathLike
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.settings.options import Option

_ACCEPTED: dict[Any, Any] = {
    bool: bool,
    int: Integral,
    float: Real,
    str: str,
    NoneType: NoneType,
    PathLike: PathLike,
    Sequence: list | tuple,
}
"""Type of a setting -> the values that are accepted, such as numbers of NumPy."""

_KINDS = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "a text",
    NoneType: "None",
    PathLike: "a path",
    Sequence: "a list of texts",
}
"""Type of a setting -> how a message names it."""


_SYNONYMS = {"k": "window"}
"""Name of a setting in other programs -> its name here, where the two are not similar."""


def read_settings(
    settings: type, given: Mapping[str, Any], known: Iterable[str] = ()
) -> dict[str, Any]:
    """Return given values in the types of the fields of a settings class.

    A list may replace a tuple, and a text separated by commas; an array a list, and the text of an
    option what the option is read as. A number where a text says more, such as a window, must be a
    number.

    >>> from segscore.pipeline.scoring.settings import ScoreSettings
    >>> read_settings(ScoreSettings, {"group_by": "genre,year", "c_seg_costs": [1, 0.5]})
    {'group_by': ('genre', 'year'), 'c_seg_costs': (1.0, 0.5)}
    >>> read_settings(ScoreSettings, {"consensus": [0.5, "any"], "reference_points": ["none"]})
    {'consensus': '0.5,any', 'reference_points': 'none'}

    Args:
        settings: the settings class.
        given: values by name.
        known: names that may be given; empty for those of all options of the class.

    Raises:
        Refused: a value has another type, or its text cannot be read.
        TypeError: there is no such setting.
    """
    fields = _fields(settings)
    names = [*known] or [*fields]
    for name in given:
        if name not in names:
            near = nearest(_SYNONYMS.get(name, name), names)
            raise TypeError(f"there is no setting {name}{near}; there are: {', '.join(names)}")
    return {name: _read(name, value, *fields[name]) for name, value in given.items()}


@cache
def _fields(settings: type) -> dict[str, tuple[Any, Option]]:
    """Return the type and the option of each field that is an option."""
    hints = get_type_hints(settings, include_extras=True)
    split = {name: get_args(hint) for name, hint in hints.items() if get_origin(hint) is Annotated}
    return {
        name: (kind, option) for name, (kind, option) in split.items() if isinstance(option, Option)
    }


def _read(name: str, value: Any, kind: Any, option: Option) -> Any:
    if option.optional and isinstance(value, bool):
        value = option.optional[0] if value else None
    value = value.tolist() if hasattr(value, "tolist") else value  # of NumPy, pandas, torch...
    if option.joined and isinstance(value, list | tuple):
        return ",".join(str(_convert(name, item, option.joined)) for item in value) or None
    if isinstance(value, str) and value.strip().isdecimal() and {int, str} <= {*get_args(kind)}:
        raise Refused(f"{name}: {value!r} is a text; give the number, {name}={value.strip()}")
    if isinstance(value, str) and option.read is not None:
        return option.read(name, value)
    if get_origin(kind) is tuple:
        if not isinstance(value, list | tuple):
            raise Refused(f"{name}: {value!r} must be a list")
        return tuple(_convert(name, item, get_args(kind)[:1]) for item in value)
    return _convert(name, value, get_args(kind) or (kind,))


def _convert(name: str, value: Any, kinds: tuple[Any, ...]) -> Any:
    """Return a value as the first of some types that fits."""
    for kind in kinds:
        if isinstance(value, _ACCEPTED[kind]) and isinstance(value, bool) == (kind is bool):
            return kind(value) if kind in (bool, int, float, str) else value
    raise Refused(f"{name}: {value!r} must be {' or '.join(_KINDS[kind] for kind in kinds)}")


def plain_kinds(annotation: Any) -> tuple[Any, ...] | None:
    """Return the types that an annotation names if `plain_value` can read them all.

    Whole numbers are left to what reads positions, which takes 10.0 for 10.

    >>> plain_kinds(Literal["micro", "macro"] | None)
    (<class 'str'>, <class 'NoneType'>)
    >>> plain_kinds(int)
    """
    united = isinstance(annotation, UnionType) or get_origin(annotation) is Union
    kinds = []
    for each in get_args(annotation) if united else (annotation,):
        kind = get_origin(each) or each
        kinds.append(str if kind is Literal else kind)
    readable = all(isinstance(kind, type) and kind in _ACCEPTED for kind in kinds)
    return tuple(kinds) if readable and int not in kinds else None


def plain_value(name: str, value: Any, kinds: tuple[Any, ...]) -> Any:
    """Return an argument that has one of some plain types, or is a list of texts.

    Raises:
        Refused: it has another type; the message names the argument.
    """
    read = _convert(name, value.tolist() if hasattr(value, "tolist") else value, kinds)
    for item in read if isinstance(read, list | tuple) else ():
        _convert(name, item, (str,))
    return read

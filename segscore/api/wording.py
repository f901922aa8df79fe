"""Check arguments, name settings as Python does, and let warnings point to the user's line."""

import contextlib
import os
import re
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, currentframe, signature
from pathlib import Path
from typing import ParamSpec, TypeVar
from warnings import warn

from segscore.api.settings import plain_kinds, plain_value
from segscore.pipeline.errors import Failed, Refused

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

_OPTION = re.compile(r"(?<!\S)--([a-z][a-z0-9-]*[a-z0-9])")
_KEYWORDS = {"break": "breaks"}
"""Options whose keyword has another name, as theirs is a word of Python."""

_LISTS = "`segscore measures` lists", "segscore.measures() lists"
"""What lists the measures on the command line, and in Python."""

_OWN = (str(Path(__file__).parent.parent) + os.sep, contextlib.__file__)
"""Files of segscore, and of decorators of its functions."""

_COMMAND = re.compile(r"(segscore [a-z].*)")


def for_python(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """Make a function check its plain arguments, and name settings as keywords in its errors.

    An argument is checked if its annotation is a text, a number, a path, or None and the like, and
    not in quotes. A message has ``n_t`` instead of ``--n-t``.
    """
    parameters = signature(function).parameters.values()
    named = [each for each in parameters if each.kind is not Parameter.VAR_KEYWORD]
    checked = {each.name: kinds for each in named if (kinds := plain_kinds(each.annotation))}
    names = [each.name for each in named]

    @wraps(function)
    def worded(*arguments: _Parameters.args, **keywords: _Parameters.kwargs) -> _Result:
        try:
            if checked:
                given = {**dict(zip(names, arguments, strict=False)), **keywords}
                for name in checked.keys() & given.keys():
                    plain_value(name, given[name], checked[name])
            return function(*arguments, **keywords)
        except (Refused, Failed) as error:
            error.args = (_reworded(str(error)),)
            raise
        except UnicodeEncodeError as error:
            raise Refused(f"{error.object!r}: has half of a character; write it whole") from None

    return worded


def _reworded(message: str) -> str:
    """Return a message with the names of keywords; a command that it names stays as it is.

    >>> _reworded("--n-t 0: must be at least 1; segscore agree --n-t 2 does this")
    'n_t 0: must be at least 1; segscore agree --n-t 2 does this'
    """
    own, *command = _COMMAND.split(message.replace(*_LISTS), maxsplit=1)
    return _OPTION.sub(_keyword, own) + "".join(command)


def _keyword(option: re.Match[str]) -> str:
    return _KEYWORDS.get(option[1], option[1].replace("-", "_"))


def warn_user(message: str) -> None:
    """Give a warning that names the line outside of segscore which called it."""
    level, frame = 1, currentframe()
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        level, frame = level + 1, frame.f_back
    warn(message, stacklevel=level)

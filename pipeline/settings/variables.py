"""`${NAME}` in the values of a settings file: the environment variable of that name."""

import os
import re
from typing import Any

from segscore.pipeline.errors import Refused

_VARIABLE = re.compile(r"(\$?)\$\{([^}]*)\}?")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def with_variables(value: Any, key: str) -> Any:
    """Return a value of a settings file with the variables in its texts, also in lists and tables.

    `$${NAME}` stands for the text `${NAME}`; every other `$` stays.

    Args:
        value: what TOML says.
        key: name of the value in messages, which do not say the variable's content.

    Raises:
        Refused: a variable is not set, or is not written as `${NAME}`.

    >>> os.environ["SEGSCORE_EXAMPLE"] = "prod"
    >>> with_variables({"runs": "s3://a/${SEGSCORE_EXAMPLE}", "note": "$5, $${X}"}, "nightly")
    {'runs': 's3://a/prod', 'note': '$5, ${X}'}
    >>> del os.environ["SEGSCORE_EXAMPLE"]
    """
    if isinstance(value, dict):
        inside = f"{key}." if key else ""
        return {name: with_variables(each, f"{inside}{name}") for name, each in value.items()}
    if isinstance(value, list):
        return [with_variables(each, key) for each in value]
    if isinstance(value, str):
        return _VARIABLE.sub(lambda found: _content(found, key), value)
    return value


def _content(found: re.Match[str], key: str) -> str:
    """Return what stands for a variable."""
    doubled, name = found.groups()
    if doubled:
        return found[0][1:]
    if _NAME.fullmatch(name) is None or not found[0].endswith("}"):
        raise Refused(f"{key}: {found[0]} is not an environment variable; write ${{NAME}}")
    if name not in os.environ:
        raise Refused(
            f"{key}: the environment variable {name} is not set; set it, or write $${{{name}}} for "
            "the text itself"
        )
    return os.environ[name]

"""Find the keys of a JSON text without parsing it, so that they are known of a cut text, too."""

import re

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\]:]', re.DOTALL)
_DEEPEST = 8
"""Deepest nesting of keys that are listed."""


def json_keys(text: str) -> frozenset[str]:
    """Return the paths of all keys: `name` and `chapters[].startTime`, or `[].id` in a list.

    A text that is not JSON has few keys or wrong ones, but is never refused.
    """
    keys: set[str] = set()
    outside: list[str] = []
    path = name = ""
    for found in _TOKEN.finditer(text):
        part = found[0]
        if part[0] == '"':
            name = part[1:].removesuffix('"')
        elif part == ":":
            path = f"{outside[-1]}.{name}" if outside and outside[-1] else name
            if len(outside) <= _DEEPEST:
                keys.add(path)
        elif part == "{":
            outside.append(path)
        elif part == "[":
            outside.append(path)
            path = f"{path}[]"
        elif outside:
            path = outside.pop()
    return frozenset(keys)

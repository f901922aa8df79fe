"""Make text safe to show: without control characters, and without secrets of URLs.

Ids, names and locations come from files and command lines that others wrote. A terminal obeys the
control characters in them (it changes its title, clears the screen, writes to the clipboard), and a
message or a log that shows a password passes it on.
"""

import re
from collections.abc import Callable, Sequence

CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""C0 and C1 controls, those that change the direction or end the line of text, lone surrogates."""

_TERMINAL_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")
"""The control characters of a terminal, without those for the direction of text."""

_SPECIAL_IN_LATEX = re.compile(r"[_&%$#{}]")
"""Characters of a name that LaTeX would not print."""

_LINE = "\n\t"

_PASSWORD = re.compile(r"(?<=://)[^\s/@:]*:(?!\d+(?:[/\s]|$))[^\s]*@")
"""What precedes a host in a URL, if it contains a colon. A container of Azure contains none."""

_QUERY = re.compile(r"(://[^\s?#]*[?#])(\S*?)(?=[:;,.)'\"…]*(?:\s|$))")

_SECRET_NAME = re.compile(
    r"(?:^|[?&#;])[^=&]*(?:secret|token|passw|pwd|key|sig|credential|auth|sas)[^=&]*=",
    re.IGNORECASE,
)
"""The name of a parameter whose value is probably a secret."""

_HIDDEN = "…"

_LONGEST_WORD, _LONGEST = 4096, 2**16
"""The most characters of a word of a message, as of a path, and of the message."""

_LONG_WORD = re.compile(rf"\S{{{_LONGEST_WORD + 1},}}")
_KEPT = 100
"""Characters that are kept of a longer word."""


_NAMED = 3
"""How many of several things a message names."""


def named_list(names: Sequence[str]) -> str:
    """Write names as a list with `and` before the last."""
    return " and ".join([*[", ".join(names[:-1])] * (len(names) > 1), *names[-1:]])


def first_named(names: Sequence[str], noun: str = "", shown: Callable[[str], str] = str) -> str:
    """Write the first three of some names as a list, and count the others.

    >>> first_named(["a", "b"]), first_named(["a", "b", "c", "d", "e"], "systems")
    ('a and b', 'a, b, c and 2 more systems')
    >>> first_named(["a", "b", "c", "d"], "systems")
    'a, b, c and 1 more system'

    Args:
        names: the names, at least one.
        noun: what the others are, in the plural; empty if the names say it.
        shown: writes a name.
    """
    listed = [shown(name) for name in names[:_NAMED]]
    if more := len(names[_NAMED:]):
        noun = noun.removesuffix("s") if more == 1 else noun
        listed.append(f"{more} more {noun}".rstrip())
    return named_list(listed)


def latex_name(name: str) -> str:
    """Write a name so that LaTeX prints it."""
    return _SPECIAL_IN_LATEX.sub(r"\\\g<0>", name)


def shortened(text: str) -> str:
    """Shorten a message that repeats a very long id or value.

    Args:
        text: the message; one that names only paths is not changed.
    """
    if len(text) <= _LONGEST_WORD:
        return text
    text = _LONG_WORD.sub(lambda word: f"{word[0][:_KEPT]}… ({len(word[0]):,} characters)", text)
    more = len(text) - _LONGEST
    return text if more <= 0 else f"{text[:_LONGEST]}… ({more:,} more characters)"


def visible(text: str, *, lines: bool = False) -> str:
    r"""Replace control characters by escapes such as ``\x1b`` or ``\u202e``.

    Args:
        text: any text.
        lines: whether ends of lines and tabs are kept, for text that has several lines.

    Examples:
        >>> visible("show\x1b[2J")
        'show\\x1b[2J'
    """
    return CONTROLS.sub(lambda found: _escaped(found[0], lines), text)


def terminal_safe(text: str) -> str:
    r"""Replace control characters but those that Unicode has for the direction of text.

    Examples:
        >>> terminal_safe("show\x1b[2J")
        'show\\x1b[2J'
    """
    return _TERMINAL_CONTROLS.sub(lambda found: _escaped(found[0], lines=True), text)


def _escaped(character: str, lines: bool) -> str:
    if lines and character in _LINE:
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def visible_json(text: str) -> str:
    r"""Replace control characters in a JSON text by escapes that a program reads back.

    ``json.dumps`` escapes the C0 controls only, with ``ensure_ascii`` all but U+007F.
    """
    return CONTROLS.sub(
        lambda found: found[0] if found[0] in _LINE else f"\\u{ord(found[0]):04x}", text
    )


def redacted(text: str) -> str:
    """Hide the passwords of URLs in a text, and their queries that contain a secret.

    Examples:
        >>> redacted("https://ann:S3CRET@host/x?token=1: no such file")
        'https://…@host/x?…: no such file'
    """
    if "://" not in text:
        return text
    return _QUERY.sub(_without_secrets, _PASSWORD.sub(f"{_HIDDEN}@", text))


def _without_secrets(found: re.Match[str]) -> str:
    return found[1] + (_HIDDEN if _SECRET_NAME.search(found[2]) else found[2])


def has_secret(url: str) -> bool:
    """Return whether a URL contains a password, or a query with a secret."""
    return redacted(url) != url

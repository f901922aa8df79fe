"""Print characters that the terminal's encoding lacks as similar ones, instead of failing."""

import codecs
import io
import sys

_SIMILAR = str.maketrans(
    {
        "↑": "^", "↓": "v", "→": ">", "–": "-", "—": "-", "−": "-", "─": "-", "│": "|", "╷": "|",
        "╵": "|", "…": "...", "≥": ">=", "≤": "<=", "≠": "#", "×": "x", "²": "2", "·": ".",
        "✓": "+", "∞": "inf", "“": '"', "”": '"',
    }
)  # fmt: skip
"""Characters that segscore prints -> ASCII; those of drawings and tables keep their width."""

_HANDLER = "segscore.similar"


def replace_unprintable() -> None:
    r"""Make standard output and error print whatever their encoding cannot represent.

    A character of ours becomes a similar one in ASCII, any other, such as one of a name, an escape
    like ``\u0161``.
    """
    codecs.register_error(_HANDLER, _similar)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_HANDLER)


def lacking_encoding(text: str) -> str | None:
    """Return the encoding of standard output if it lacks a character of a text, else None."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return encoding
    return None


def printable_command(command: str) -> str:
    """Return a command to copy, or why there is none: with similar characters it would be another.

    A name in it may have a character that the encoding of standard output lacks.
    """
    encoding = lacking_encoding(command)
    if encoding is None:
        return command
    return f"no command: the encoding of the output ({encoding}) lacks a character of a name"


def _similar(error: UnicodeError) -> tuple[str | bytes, int]:
    """Return the replacement for characters that cannot be encoded, and where to go on."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    ascii_only = missing.translate(_SIMILAR).encode("ascii", "backslashreplace")
    return ascii_only.decode("ascii"), error.end

"""Log messages of a command on standard error, as text or as one JSON object per line."""

import json
import logging
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, TextIO

from segscore.pipeline.plain_text import redacted, shortened, visible, visible_json

LOG_FORMATS = ("text", "json")
PREFIXES = {"info": "", "warning": "warning: ", "error": "segscore: error: "}
_MOST_PARTS = 4
_START = PREFIXES["error"]
_UNBROKEN = _START.replace(" ", "\N{NO-BREAK SPACE}")
"""The beginning of an error, which stays on one line with the word after it."""

_STYLES = {"info": "", "warning": "yellow", "error": "red"}


class Log:
    """The log of the process, on standard error."""

    def __init__(self) -> None:
        """Start with the text format."""
        self.format = "text"

    @property
    def structured(self) -> bool:
        """Whether lines are JSON objects."""
        return self.format == "json"

    def say(self, level: str, message: str, **fields: Any) -> None:
        """Log a message.

        Args:
            level: info, warning or error.
            message: one line of text for people; a terminal shows a long error as up to three.
            fields: data of the message for programs; in JSON next to time, level and message.
        """
        message = redacted(shortened(message))
        if not self.structured:
            text = PREFIXES[level] + visible(message, lines=True)
            if level == "error" and sys.stderr.isatty():
                text = in_lines(text, _columns())
            _print(text, _STYLES[level])
            return
        fields = {name: _without_secrets(value) for name, value in fields.items()}
        time = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = {"time": time, "level": level, "message": message, **fields}
        text = json.dumps(line, ensure_ascii=False, default=str)
        _print(visible_json(text))

    def remark(self, message: str) -> None:
        """Log a line that a terminal shows dim."""
        if self.structured:
            self.say("info", message)
        else:
            _print(visible(redacted(message), lines=True), "dim")

    def warn(self, warnings: Iterable[str]) -> None:
        """Log warnings."""
        for warning in warnings:
            self.say("warning", warning)


def in_lines(message: str, most: int) -> str:
    """Divide a long message: what is wrong, where, and what to do next on a line each.

    Lines end at semicolons outside parentheses; of four parts, the two in the middle are one line.
    More are a list of problems, which stays as it is.

    >>> print(in_lines("a.jsonl: no row could be used; line 1: x (y; z); see `validate`", 40))
    a.jsonl: no row could be used
      line 1: x (y; z)
      see `validate`
    """
    if len(message) <= most:
        return message
    pieces, depth = [""], 0
    for part in re.split(r"([()]|; )", message):
        depth += {"(": 1, ")": -1}.get(part, 0)
        if part == "; " and depth <= 0:
            pieces.append("")
        else:
            pieces[-1] += part
    if len(pieces) > _MOST_PARTS:
        return message
    if len(pieces) == _MOST_PARTS:
        pieces = [pieces[0], "; ".join(pieces[1:-1]), pieces[-1]]
    return "\n  ".join(piece.strip() for piece in pieces)


def _wrapped(line: str) -> str:
    """Wrap the lines of a message at the words, for a terminal."""
    width = _columns()
    return "\n".join(
        textwrap.fill(
            part.replace(_START, _UNBROKEN, 1),
            width,
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        ).replace(_UNBROKEN, _START)
        for part in line.split("\n")
    )


def _columns() -> int:
    return max(20, shutil.get_terminal_size().columns)


def discard(stream: TextIO) -> None:
    """Drop what is printed to standard output or error from now on, as nobody reads it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _print(line: str, style: str = "") -> None:
    """Print a line with its end in one piece, as several threads may print at the same time.

    The work of the command goes on if nobody reads standard error any more.
    """
    if style and sys.stderr.isatty():
        line = _wrapped(line)
        line = line if "NO_COLOR" in os.environ else _in_color(line, style)
    try:
        print(line + "\n", end="", file=sys.stderr, flush=True)
    except BrokenPipeError:
        discard(sys.stderr)


def _in_color(line: str, style: str) -> str:
    """Return a line with the codes that give it a color on this terminal."""
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True, soft_wrap=True)
    with console.capture() as captured:
        console.print(Text(line, style), end="")
    return captured.get()


def _without_secrets(value: object) -> object:
    return redacted(value) if isinstance(value, str) else value


LOG = Log()


class Passing(logging.Handler):
    """Handler that logs the warnings and notices of modules that cannot import this one."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log a warning, or a notice, which names its level; without a handler, both are shown."""
        LOG.say(getattr(record, "level", "warning"), record.getMessage())


logging.getLogger("segscore").addHandler(Passing(logging.WARNING))


def choose(format_: str) -> str:
    """Set the format from ``--log-format``, before anything is logged.

    Raises:
        Refused: there is no such format.
    """
    from segscore.pipeline.settings.ranges import one_of

    one_of("--log-format", format_, LOG_FORMATS)
    LOG.format = format_
    return format_

"""Run commands in a terminal of some width, or with output in some encoding, in a new process.

`python -m tests.support.terminal COMMANDS` runs the command lines of a JSON list, one after the
other, and prints a line with the exit code after each.
"""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from segscore.jobs.cli import app

_END = "end of command, exit code "
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Printed(NamedTuple):
    """Exit code of a command, the lines that a reader sees at its end, and all that was drawn.

    ``sent`` has the codes of colors, too.
    """

    code: int
    lines: list[str]
    drawn: str = ""
    sent: str = ""

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self.lines)


def in_terminal(commands: Sequence[Sequence[object]], width: int) -> list[Printed]:
    """Run commands in a terminal with so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    environment = {name: text for name, text in os.environ.items() if name != "COLUMNS"}
    with subprocess.Popen(
        _process(commands),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment | {"TERM": "xterm", "PYTHONUTF8": "1"},
    ):
        os.close(theirs)
        printed = b""
        with suppress(OSError):  # raised at the end of the output
            while piece := os.read(ours, 65536):
                printed += piece
    os.close(ours)
    return _split(printed.decode())


def with_environment(
    commands: Sequence[Sequence[object]], variables: Mapping[str, str], encoding: str
) -> list[Printed]:
    """Run commands with further environment variables, whose output has some encoding."""
    environment = {name: text for name, text in os.environ.items() if name != "COLUMNS"}
    done = subprocess.run(
        _process(commands), capture_output=True, env={**environment, **variables}, check=False
    )
    return _split(done.stdout.decode(encoding) + done.stderr.decode(encoding))


def _process(commands: Sequence[Sequence[object]]) -> list[str]:
    texts = [[str(word) for word in command] for command in commands]
    return [sys.executable, "-m", "tests.support.terminal", json.dumps(texts)]


def _split(text: str) -> list[Printed]:
    """Split the output by command; of a line that was drawn repeatedly, keep the last state."""
    *parts, _after = re.split(rf"{_END}(\d+)\r?\n", text)
    each = zip(parts[::2], parts[1::2], strict=True)
    return [
        Printed(int(code), _seen(drawn), _CONTROL.sub("", drawn), drawn) for drawn, code in each
    ]


def _seen(text: str) -> list[str]:
    lines = _CONTROL.sub("", text).replace("\r\n", "\n").split("\n")
    return [line.split("\r")[-1].rstrip() for line in lines]


def _main() -> None:
    for words in json.loads(sys.argv[1]):
        sys.argv = ["segscore", *words]
        code: object = 0
        try:
            app.main()
        except SystemExit as left:
            code = left.code or 0
        print(f"{_END}{code}", flush=True)


if __name__ == "__main__":
    _main()

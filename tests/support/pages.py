"""Examples on the pages of docs/, read from their fences.

A fence of `console` has command lines after `$ `, each with its output beneath: standard output,
then standard error without its progress.  `…` stands for what is left out: lines if it is alone on
a line, else a part of the line.  `$ echo $?` prints the exit code of the command before, which must
be 0 without it; `$ cat FILE` shows a file.  A fence of `pycon` is a Python session.  A line in bold
above a fence, `**nightly.toml**`, is the name of the file with that text.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.support.paths import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
FENCE = re.compile(r"(?:^\*\*(\S+)\*\*\n\n)?^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PROGRESS = re.compile(r"^\d+ of \d+ parts done\n", re.MULTILINE)


class Fence(NamedTuple):
    """A fenced block of a page.

    Attributes:
        language: the word after the fence.
        file: the name of a file with the text, in bold above it; empty where there is none.
        text: lines between the fences.
        line: of the fence in its page, from 1.
    """

    language: str
    file: str
    text: str
    line: int


class Command(NamedTuple):
    """A command line of a console fence, its output and its exit code."""

    words: list[str]
    expected: str
    code: int


def fences(page: Path) -> list[Fence]:
    """Return the fenced blocks of a page, in order."""
    text = page.read_text("utf-8")
    assert not re.search(r"^```\w+ \S", text, re.MULTILINE), f"{page}: a name that no reader sees"
    return [
        Fence(match[2], match[1] or "", match[3], text.count("\n", 0, match.start(2)) + 1)
        for match in FENCE.finditer(text)
    ]


def commands(fence: Fence) -> Iterator[Command]:
    """Yield the command lines of a console fence."""
    parts = re.split(r"^\$ (.*)\n", fence.text, flags=re.MULTILINE)
    assert not parts[0], f"line {fence.line}: text before the first command"
    lines = list(zip(parts[1::2], parts[2::2], strict=True))
    for place, (line, expected) in enumerate(lines):
        if line != "echo $?":
            after = lines[place + 1] if place + 1 < len(lines) else ("", "")
            code = int(after[1]) if after[0] == "echo $?" else 0
            yield Command(shlex.split(line), expected, code)


def said(text: str) -> str:
    """Return lines without trailing padding, and without the last digits of long numbers."""
    lines = "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")
    return re.sub(r"\d\.\d{9,}", lambda number: f"{float(number[0]):.9f}", lines)


def same(on_page: str, printed: str) -> bool:
    """Whether a page shows the given lines, apart from those that it leaves out."""
    lines = [
        r"(?:.*\n)+" if line == "…" else re.escape(line).replace("…", ".+") + r"\n"
        for line in said(on_page).split("\n")
    ]
    return re.fullmatch("".join(lines), said(printed) + "\n") is not None

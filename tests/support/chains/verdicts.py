"""What is a fault of a command: how it ended, what it printed, and the files that it wrote."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.storage import read_table

_CODES = (0, 1, 2, 75)
"""Exit codes that docs/runs.md lists for commands that nobody stops."""

_WORDS = re.compile(
    r"(?<![\w.])(?:None|True(?! positives)|False(?! alarm)|nan|NaN|-?inf|-?Infinity"
    r"|NaT|Traceback|\w+Error|\w+Warning|\w+Exception|Errno|dict\(|array\(|np\.\w+|<NA>|Timestamp\("
    r")(?!\w)|<[\w.]+ object|\bobject at 0x|\{'|\['|\[\]'"
)
"""Words of Python that a person should never see."""

_TRACEBACK, _SHOWN = "Traceback (most recent call last)", 700
"""How a traceback begins, and how many of its last characters are shown."""

_RESUME = "run the same command to resume"


@dataclass(frozen=True)
class NightResult:
    """How a command ended.

    Attributes:
        words: its command line without `segscore`.
        code: its exit code; negative for a signal.
        out, err: what it printed.
    """

    words: Sequence[str]
    code: int
    out: str
    err: str


def faults_of(ended: NightResult) -> Iterator[str]:
    """Yield what is wrong with how a command ended and what it printed."""
    if ended.code < 0:
        yield f"ended by signal {-ended.code}"
    elif ended.code not in _CODES:
        yield f"exit code {ended.code}"
    if _TRACEBACK in ended.err:
        yield f"traceback: {' '.join(ended.err.partition(_TRACEBACK)[2][-_SHOWN:].split())}"
        return
    for stream, text in (("out", ended.out), ("err", ended.err)):
        yield from (f"{stream}: {found}" for found in _python_in(text))
    if ended.code in (1, 2) and _RESUME in ended.err:
        yield "advises to resume"
    errors = [line for line in ended.err.splitlines() if _is_error(line)]
    says_so = ended.words[0] in ("validate", "trend")
    if (ended.code == 0 and errors) or (ended.code > 0 and not errors and not says_so):
        yield f"exit code {ended.code}, but {len(errors)} errors"
    if ended.code == 0 and "json" in ended.words and "--format" in ended.words:
        yield from _no_json(ended)


def _is_error(line: str) -> bool:
    return line.startswith("segscore: error: ") or '"level": "error"' in line


def _python_in(text: str) -> list[str]:
    return sorted({_around(text, match) for match in _WORDS.finditer(text)})[:5]


def _around(text: str, match: "re.Match[str]") -> str:
    return " ".join(text[max(0, match.start() - 60) : match.end() + 60].split())


def _no_json(ended: NightResult) -> Iterator[str]:
    if ended.words[list(ended.words).index("--format") + 1] != "json":
        return
    try:
        json.loads(ended.out)
    except ValueError as problem:
        yield f"out is no JSON: {problem}"


def faults_in_files(folder: Path, since: float) -> Iterator[str]:
    """Yield what is wrong with the files in a folder that are newer than a time."""
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.stat().st_mtime >= since:
            yield from (f"{file.relative_to(folder)}: {found}" for found in _faults_in(file))


def _faults_in(file: Path) -> Iterator[str]:
    if file.name.endswith(".tmp"):
        yield "a temporary file is left"
    elif file.suffix == ".parquet":
        yield from _not_a_number(read_table(str(file)))
    elif file.suffix == ".json":
        text = file.read_text("utf-8")
        try:
            json.loads(text, parse_constant=_no_constant)
        except ValueError as problem:
            yield f"is no JSON: {problem}"
    elif file.suffix == ".html":
        page = _Page()
        page.feed(file.read_text("utf-8"))
        yield from _python_in(" ".join(page.texts))
        yield from (found for found in _python_in(" ".join(page.data)) if "NaN" in found)
    elif file.suffix in (".prom", ".svg"):
        yield from _python_in(file.read_text("utf-8"))


def _no_constant(name: str) -> None:
    raise ValueError(f"has {name}")


def _not_a_number(table: pa.Table) -> Iterator[str]:
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_floating(column.type) and pc.any(pc.invert(pc.is_finite(column))).as_py():
            yield f"column {name} has a value that is not finite"


class _Page(HTMLParser):
    """The texts of a page that a reader sees, and the data of its charts."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.data: list[str] = []
        self.inside: list[str] = []
        self.is_data = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note which text follows."""
        if tag in ("script", "style"):
            self.inside.append(tag)
            self.is_data = ("type", "application/json") in attrs

    def handle_endtag(self, tag: str) -> None:
        """Note that text follows."""
        if tag in ("script", "style") and self.inside:
            self.inside.pop()

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        if not self.inside:
            self.texts.append(data)
        elif self.is_data:
            self.data.append(data)

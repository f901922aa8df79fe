"""Pages of reports: written by the command, and read."""

import json
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from tests.support.command_line import Segscore


class Reader(HTMLParser):
    """Reads a page: its tables by the titles of their figures, its charts, and its text.

    Attributes:
        bold: places of the best values, as (row, column), by the title of their figure.
    """

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.charts: dict[str, Any] = {}
        self.text = ""
        self.inside: list[str] = []
        self.title = ""
        self.answer: list[str] = []
        self.failed: list[list[str]] = []
        self.bold: dict[str, list[tuple[int, int]]] = {}
        self.details: dict[str, list[str]] = {}
        self.feed(file.read_text())

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        if tag == "wbr":
            return
        self.inside.append(tag)
        if tag in ("h2", "h3"):
            self.title = ""
        if tag == "tr":
            self.tables.setdefault(self.title, []).append([])
            if ("class", "failed") in attrs:
                self.failed.append(self.tables[self.title][-1])
        if "answer" in (dict(attrs).get("class") or "").split():
            self.inside[-1] = "answer"
            self.answer.append("")
        if tag in ("th", "td"):
            rows = self.tables[self.title]
            rows[-1].append("")
            if "best" in (dict(attrs).get("class") or "").split():
                self.bold.setdefault(self.title, []).append((len(rows) - 1, len(rows[-1]) - 1))
        if ("type", "application/json") in attrs:
            self.inside[-1] = "chart"

    def handle_endtag(self, tag: str) -> None:
        while self.inside.pop() not in (tag, "chart", "answer"):
            pass  # void elements contain nothing

    def handle_data(self, data: str) -> None:
        within = self.inside[-1] if self.inside else ""
        data = data.replace("\N{NO-BREAK SPACE}", " ")
        if within in ("h2", "h3"):
            self.title += data
        elif within in ("th", "td"):
            self.tables[self.title][-1][-1] += data
        elif within == "answer":
            self.answer[-1] += data
        elif within == "small":
            self.details.setdefault(self.title, []).append(data)
        elif within == "chart":
            self.charts[self.title] = json.loads(data)
        if within not in ("chart", "script", "style"):
            self.text += data


def report(segscore: Segscore, run: Path, *options: str) -> Path:
    """The page of a run."""
    output = run.parent / f"{run.name}.html"
    result = segscore("report", run, "--output", output, *options)
    assert result.code == 0, result.err
    return output


def plain(text: str) -> str:
    """A text without the marks that isolate names."""
    return re.sub("[\u2066-\u2069]", "", text)


def number(cell: str) -> float | None:
    """Return the number in a cell, also of one below it; None for a dash."""
    return None if cell == "–" else float(cell.removeprefix("< ").replace(",", ""))


def as_shown(rows: Sequence[dict[str, Any]], *keys: str) -> list[dict[str, Any]]:
    """Return rows of a summary as they are shown: over shared documents if these rank the systems.

    Args:
        rows: rows of one average.
        keys: the columns that tell groups apart.
    """
    shown = []
    for row in rows:
        together = [
            other
            for other in rows
            if all(other[key] == row[key] for key in (*keys, "measure"))
            and not other["hypothesis"].startswith("point:")
        ]
        shared = row["shared_documents"]
        fewest = min(other["documents"] for other in together)
        if shared is not None and shared >= 10 and 2 * shared >= fewest:
            row = {
                **row,
                **{
                    name: row[f"shared_{name}"]
                    for name in ("documents", "value", "defined", "ci_low", "ci_high")
                },
            }
        shown.append(row)
    return shown

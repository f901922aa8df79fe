"""Write the table of docs/jobs/agree.md that says how often an audit finds faults.

    python -m tests.docs.power docs/jobs/agree.md

It simulates projects (tests/support/projects.py) and audits them, in two processes.  The same
command writes the same table.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.support import kernels
from tests.support.projects import FAULTS, Project, audit

BEGIN, END = "<!-- power: begin -->", "<!-- power: end -->"
CODERS, DOCUMENTS = (3, 6, 12, 30), (20, 75, 225)
STRENGTHS = {"full": 1.0, "half": 0.5, "none": 0.0}
PROJECTS = {3: 2, 6: 10, 12: 6, 30: 2}
"""Projects to simulate, by number of coders."""

CODINGS = 3
"""Codings of a document, on average."""

MARKS = {
    "careless": "low_agreement",
    "drifts": "drifting",
    "twice": "outlying_rate",
    "late": "shifted",
}
"""The column of `coders` that names each fault of one coder."""

COLUMNS = ("careless", "copies", "drifts", "twice", "late")


class Line(NamedTuple):
    """A line of the table."""

    coders: int
    documents: int
    strength: str


class Outcome(NamedTuple):
    """What an audit of one project says: faults planted and found, and false names."""

    planted: Counter[str]
    found: Counter[str]
    false: int


def simulate(line: Line, number: int) -> Outcome:
    """Audit one project of a line."""
    faults: tuple[str, ...] = ()
    if line.strength != "none":
        faults = FAULTS if line.coders > len(FAULTS) else (COLUMNS[number % len(COLUMNS)],)
    documents = line.coders * line.documents // CODINGS
    project = Project(line.coders, documents, faults, STRENGTHS[line.strength] or 1.0)
    said, faulty = audit(project, number), project.faulty()
    found: Counter[str] = Counter()
    false = 0
    for name, row in said.coders.items():
        if name in faulty:
            mark = MARKS.get(faulty[name])
            found[faulty[name]] += bool(mark and row[mark])
        else:
            false += sum(bool(row[mark]) for mark in MARKS.values())
    for pair in said.pairs:
        copied = any(faulty.get(name) == "copies" for name in pair)
        found["copies"] += copied
        false += not copied
    return Outcome(Counter(faulty.values()), found, false)


def table() -> list[str]:
    """Return the lines of the table."""
    lines = [Line(*key) for key in _keys()]
    calls = [(line, number) for line in lines for number in range(PROJECTS[line.coders])]
    with ProcessPoolExecutor(2, initializer=kernels.share) as pool:
        outcomes = pool.map(simulate, *zip(*calls, strict=True), chunksize=2)
        by_line: dict[Line, list[Outcome]] = {line: [] for line in lines}
        for (line, number), outcome in zip(calls, outcomes, strict=True):
            by_line[line].append(outcome)
            print(*line, number, outcome.false, flush=True)
    heading = ("coders", "documents each", "faults", *COLUMNS, "false names")
    rows = [_row(line, outcomes) for line, outcomes in by_line.items()]
    return [_cells(heading), _cells(["---"] * len(heading)), *map(_cells, rows)]


def _keys() -> list[tuple[int, int, str]]:
    return [(c, d, s) for c in CODERS for d in DOCUMENTS for s in STRENGTHS]


def _row(line: Line, outcomes: Sequence[Outcome]) -> list[str]:
    planted = sum((outcome.planted for outcome in outcomes), Counter[str]())
    found = sum((outcome.found for outcome in outcomes), Counter[str]())
    shares = [f"{found[fault]} of {planted[fault]}" if planted[fault] else "–" for fault in COLUMNS]
    false = sum(outcome.false for outcome in outcomes)
    names = f"{false} in {len(outcomes)} projects"
    return [str(line.coders), str(line.documents), line.strength, *shares, names]


def _cells(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def write(page: Path) -> None:
    """Write the table into a page, between the two marks."""
    lines = table()
    text = page.read_text("utf-8")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    page.write_text("\n".join([before + BEGIN, "", *lines, "", END + after]), "utf-8")


if __name__ == "__main__":
    kernels.share()
    write(Path(sys.argv[1]))

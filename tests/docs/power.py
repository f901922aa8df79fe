"""Write the table of docs/claims.md that says how often an audit finds faults, and innocents.

    python -m tests.docs.power docs/claims.md [PROCESSES]

It simulates projects (tests/support/projects.py) and judges their coders, in two processes.  Each
line is written as soon as it is known.  Lines that the page has are kept, so that the same command
goes on where it was stopped: remove lines from the page to simulate them again.
"""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.support import kernels
from tests.support.projects import DESIGNS, FAULTS, READINGS, Project, audit, names

BEGIN, END = "<!-- power: begin -->", "<!-- power: end -->"
FEW, MANY, DOCUMENTS = (4, 6, 12), (20, 30), (20, 75, 225)
KINDS = (*DESIGNS, "faults", "half faults", "weak", "old")
"""Designs without faults; the five faults; a weakness in one genre; old guidelines."""

CODERS = {
    **dict.fromkeys(KINDS, FEW),
    **dict.fromkeys(("natural", "readings", "faults"), FEW + MANY),
    **dict.fromkeys(("fewer", "later"), MANY),
}
"""Numbers of coders of the projects of each kind."""

PROJECTS = 60
"""Projects of each line."""

CODINGS = 3
"""Codings of a document, on average."""

MARKS = {
    "careless": "low_agreement",
    "drifts": "drifting",
    "twice": "outlying_rate",
    "late": "shifted",
}
"""The column of `coders` that names each fault of one coder."""

FAULT_COLUMNS = ("careless", "copies", "drifts", "twice", "late")
GROUPS = {"weak": "genre", "old": "guidelines"}
COLUMNS = ("two readings", *FAULT_COLUMNS, *GROUPS)


class Line(NamedTuple):
    """A line of the table."""

    kind: str
    coders: int
    documents: int


class Outcome(NamedTuple):
    """Faults planted in one project and found by its audit, and whether innocents are named."""

    planted: Counter[str]
    found: Counter[str]
    innocents: bool


def project_of(line: Line, number: int) -> Project:
    """Return one project of a line."""
    documents = line.coders * line.documents // CODINGS
    if line.kind in DESIGNS:
        return Project(line.coders, documents, (), design=line.kind)
    if line.kind in GROUPS:
        return Project(line.coders, documents, (line.kind,), by=GROUPS[line.kind])
    alone = (FAULT_COLUMNS[number % len(FAULT_COLUMNS)],)
    faults = FAULTS if line.coders > len(FAULTS) else alone
    return Project(line.coders, documents, faults, 0.5 if line.kind == "half faults" else 1.0)


def simulate(line: Line, number: int) -> Outcome:
    """Judge the coders of one project of a line."""
    project = project_of(line, number)
    said, faulty = audit(project, number), project.faulty()
    planted, found = Counter(faulty.values()), Counter[str]()
    others = set(names(project.coders)[project.coders - project.others :])
    innocents = bool(said.copied) and not said.copied <= _copies(said.pairs, faulty)
    for name, row in said.coders.items():
        if name in faulty:
            mark = MARKS.get(faulty[name])
            found[faulty[name]] += bool(mark and row[mark])
        else:
            innocents |= any(row[mark] for mark in MARKS.values())
    for name, _ in said.weaker:
        found[faulty.get(name, "")] += faulty.get(name) in GROUPS
        innocents |= name not in faulty
    found["copies"] = len(_copies(said.pairs, faulty))
    if project.others:
        planted["two readings"] = 1
        reading = {name for name, row in said.coders.items() if row["reading"] == "other"}
        found["two readings"] = reading == others or (
            len(others) * 2 == project.coders and reading == set(names(project.coders)) - others
        )
    # A pair who read alike is told that they agree well, which is true.
    alike = {pair for pair in said.pairs if set(pair) <= others or not set(pair) & others}
    pairs = said.pairs - _copies(said.pairs, faulty)
    return Outcome(planted, found, innocents or bool(pairs - alike if project.others else pairs))


def _copies(
    pairs: frozenset[tuple[str, str]], faulty: dict[str, str]
) -> frozenset[tuple[str, str]]:
    """Return the pairs with a coder who copies."""
    return frozenset(p for p in pairs if any(faulty.get(name) == "copies" for name in p))


LINES = tuple(Line(kind, c, d) for kind in KINDS for c in CODERS[kind] for d in DOCUMENTS)
INNOCENTS, UNKNOWN, NOT_SIMULATED = "innocents named", "…", "–"
HEADING = ("project", "said", *(f"{coders} coders" for coders in FEW + MANY))

Row = Mapping[str, str]
"""Of one line: what is said -> how often, as in 7/12."""


def planted_in(kind: str) -> tuple[str, ...]:
    """Return what can be found in the projects of a kind."""
    if kind in GROUPS:
        return (kind,)
    if kind in READINGS:
        return ("two readings",)
    return () if kind in DESIGNS else FAULT_COLUMNS


def known_rows(text: str) -> dict[Line, Row]:
    """Return the lines that the table of a page has."""
    table = text.split(BEGIN)[1].split(END)[0]
    found: dict[Line, dict[str, str]] = {}
    for row in table.splitlines():
        kind, *rest = (cell.strip() for cell in row.strip("| ").split("|"))
        if kind in KINDS:
            said, *cells = rest
            shares = " ".join(cell for cell in cells if cell != NOT_SIMULATED).split()
            lines = (line for line in LINES if line.kind == kind)
            for line, share in zip(lines, shares, strict=True):
                if share != UNKNOWN:
                    found.setdefault(line, {})[said] = share
    return dict(found)


def with_rows(text: str, rows: Mapping[Line, Row]) -> str:
    """Return the page with these lines in its table, in the order of all lines."""
    table = [_cells(HEADING), _cells(["---"] * len(HEADING))]
    for kind in dict.fromkeys(line.kind for line in LINES if line in rows):
        for said in (*planted_in(kind), INNOCENTS):
            cells = (
                " ".join(rows.get(Line(kind, c, d), {}).get(said, UNKNOWN) for d in DOCUMENTS)
                if c in CODERS[kind]
                else NOT_SIMULATED
                for c in FEW + MANY
            )
            table.append(_cells([kind, said, *cells]))
    before, rest = text.split(BEGIN)
    return "\n".join([before + BEGIN, "", *table, "", END + rest.split(END)[1]])


def _row(outcomes: Sequence[Outcome]) -> Row:
    planted = sum((outcome.planted for outcome in outcomes), Counter[str]())
    found = sum((outcome.found for outcome in outcomes), Counter[str]())
    shares = {name: f"{found[name]}/{planted[name]}" for name in COLUMNS if planted[name]}
    return {**shares, INNOCENTS: f"{sum(one.innocents for one in outcomes)}/{len(outcomes)}"}


def _cells(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def write(page: Path, processes: int) -> None:
    """Simulate the lines that a page does not have, and write each into it, between the marks."""
    missing = [line for line in LINES if line not in known_rows(page.read_text("utf-8"))]
    with ProcessPoolExecutor(processes) as pool:  # forks, so that loops are shared as here
        for line in missing:
            of_line = [line] * PROJECTS
            outcomes = list(pool.map(simulate, of_line, range(PROJECTS), chunksize=10))
            row = _row(outcomes)
            text = page.read_text("utf-8")
            page.write_text(with_rows(text, {**known_rows(text), line: row}), "utf-8")
            print(*line, row, flush=True)


if __name__ == "__main__":
    kernels.share()
    write(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2)

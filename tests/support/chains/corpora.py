"""Random corpora of the shapes that single commands are seldom tried on."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

Row = dict[str, Any]

_PLAIN = [f"{letter}{number}" for letter in "abcdef" for number in range(1, 4)]
_NASTY = [
    *("none", "all", "random-own", "human", "point:none", "point:random-own:a1", "consensus:0.5"),
    *("A1", "a1 ", "a 1", "a/b", "../up", "-x", "=1+1", "*", "{date}", "a|b", "a;b", "#1", "%"),
    "$x_1$",
    *("<b>bold</b>", "[bold]", '"quoted"', "it's", "back\\slash", "tab\there", "line\nbreak"),
    *("Ünïcode", "名前の長い", "e\u0301", "\u00e9", "\u202ertl", "🎉", "\u00a0", "p\u0430ypal"),
    *("x" * 300, "long " * 30, "__proto__", "null", "0", "1.5", "reference", "hypothesis", "best"),
]
"""Names of documents, coders, attributes and groups.  None has a comma or a word of Python."""

_ATTRIBUTES = ["channel", "level", "month", "topic a", "Größe", "value", "measure", "group"]
_DAYS = ["2026-05-01", "2026-05-02", "2026-06-01"]


@dataclass(frozen=True)
class Corpus:
    """The tables of a corpus, and the names in it.

    Attributes:
        references, hypotheses: rows of segmentations.
        documents: rows of the documents table; empty if there is none.
        attributes: columns to group by.
        files: option or argument -> the file that has it.
    """

    references: list[Row]
    hypotheses: list[Row]
    documents: list[Row]
    attributes: Sequence[str]
    files: dict[str, str] = field(default_factory=dict)

    def has(self, column: str) -> bool:
        """Return whether the tables have an optional column."""
        return any(column in row for row in (*self.references, *self.documents))

    def names(self, column: str) -> list[str]:
        """List the documents (``document_id``) or the systems (``coder``) of the hypotheses."""
        return sorted({row[column] for row in self.hypotheses if row.get(column)})

    def write(self, folder: Path) -> None:
        """Write the tables as JSON Lines."""
        for name in ("references", "hypotheses", "documents"):
            rows = getattr(self, name)
            if rows or name != "documents":
                _write(folder / f"{name}.jsonl", rows)
        roles = {"reference": self.references, "hypothesis": self.hypotheses}
        _write(
            folder / "both.jsonl",
            [{**row, "role": role} for role, rows in roles.items() for row in rows],
        )


def _write(file: Path, rows: Sequence[Row]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    file.write_text("".join(lines), "utf-8")


@dataclass(frozen=True)
class Shape:
    """What a corpus is like; the numbers of its documents and coders are of a few."""

    documents: int
    references: int
    systems: int
    longest: int
    density: float
    typed: bool
    scored: bool
    nasty: bool
    missing: float
    wrong: float
    table: bool

    @classmethod
    def drawn(cls, draw: Random) -> "Shape":
        """Draw a shape; half of all corpora are ordinary in each respect."""

        def seldom(chance: float = 0.25) -> bool:
            return draw.random() < chance

        return cls(
            documents=draw.choice([1, 1, 2, 3, 5, 12]),
            references=draw.choice([1, 1, 1, 2, 3, 5]),
            systems=draw.choice([1, 1, 2, 2, 3, 5, 12]),
            longest=draw.choice([1, 2, 3, 12, 30, 30, 80]),
            density=draw.choice([0.0, 0.05, 0.2, 0.2, 0.2, 0.5, 1.0]),
            typed=seldom(),
            scored=seldom(0.3),
            nasty=seldom(),
            missing=draw.choice([0.0, 0.0, 0.2, 0.6]),
            wrong=draw.choice([0.0, 0.0, 0.0, 0.1, 0.5, 1.0]),
            table=seldom(0.5),
        )


def draw_corpus(draw: Random, shape: Shape) -> Corpus:
    """Draw a corpus of a shape."""
    names = _names(draw, shape.nasty)
    ids = [next(names) for _ in range(shape.documents)]
    lengths = {name: draw.randint(1, shape.longest) for name in ids}
    people = [next(names) for _ in range(shape.references)]
    systems = [next(names) for _ in range(shape.systems)]
    groups = _Groups(draw, shape.nasty)
    references = [
        _row(draw, shape, name, coder, lengths[name], shape.density)
        for name in ids
        for coder in people
        if coder == people[0] or draw.random() >= shape.missing
    ]
    if draw.random() < 0.1:  # nobody marked anything
        references = [_without_boundaries(row) for row in references]
    like = {row["document_id"]: row for row in references}
    hypotheses: list[Row] = []
    for system in systems:
        kind = draw.choice(_KINDS)
        hypotheses += [
            _judged(draw, shape, kind, like[name], system)
            for name in ids
            if draw.random() >= shape.missing / 2
        ]
    references, hypotheses = (_damage(draw, shape, rows) for rows in (references, hypotheses))
    for row in hypotheses if draw.random() < 0.2 else references:
        row.update(groups.of(row["document_id"]))
    documents = _documents(draw, lengths, groups) if shape.table else []
    return Corpus(references, hypotheses, documents, groups.names)


def _names(draw: Random, nasty: bool) -> Any:
    """Yield different names without an end."""
    pool = draw.sample(_NASTY, len(_NASTY)) if nasty else []
    plain = draw.sample(_PLAIN, len(_PLAIN))
    mixed = [name for both in zip(pool, plain, strict=False) for name in both] if pool else plain
    yield from mixed
    number = 0
    while True:
        number += 1
        yield f"more-{number}"


class _Groups:
    """The attributes of documents: one or two columns, some with one value or none."""

    def __init__(self, draw: Random, nasty: bool) -> None:
        self.draw = draw
        number = draw.choice([0, 1, 1, 2])
        self.names = draw.sample(_ATTRIBUTES if nasty else _ATTRIBUTES[:4], number)
        self.kinds = {name: draw.choice(_VALUES) for name in self.names}
        self.known: dict[str, Row] = {}

    def of(self, document: str) -> Row:
        """Return the attributes of a document, always the same."""
        if document not in self.known:
            values = {name: self.draw.choice(self.kinds[name]) for name in self.names}
            self.known[document] = values
        return self.known[document]


_VALUES: list[list[Any]] = [
    ["news"],
    ["news", "sport", "talk"],
    ["news", "sport", None],
    [None],
    [1, 2, 3],
    [0.5, 2.0, None],
    [True, False],
    _DAYS,
    _DAYS[:1],
    ["a", "A", "a "],
    _NASTY[7:20],
]


def _row(draw: Random, shape: Shape, name: str, coder: str, length: int, density: float) -> Row:
    boundaries = [place for place in range(1, length) if draw.random() < density]
    return _complete(draw, shape, name, coder, length, boundaries)


def _complete(
    draw: Random, shape: Shape, name: str, coder: str, length: int, boundaries: list[int]
) -> Row:
    row: Row = {"document_id": name, "coder": coder, "n_units": length, "boundaries": boundaries}
    if shape.typed:
        row["boundary_types"] = [draw.choice([1, 1, 2, 3]) for _ in boundaries]
    if shape.scored:
        row["boundary_scores"] = [draw.choice([0.0, 0.25, 0.5, 0.7, 1.0]) for _ in boundaries]
    return row


_KINDS = ["same", "none", "all", "shifted", "random", "random", "random", "disjoint"]
"""What a system does: repeats the reference, marks nothing, everything, each boundary late..."""


def _judged(draw: Random, shape: Shape, kind: str, reference: Row, system: str) -> Row:
    length, true = reference["n_units"], reference["boundaries"]
    if kind == "same":
        return {**reference, "coder": system}
    places = {
        "none": [],
        "all": [*range(1, length)],
        "shifted": sorted({min(place + 1, length - 1) for place in true}),
        "random": [place for place in range(1, length) if draw.random() < (shape.density or 0.2)],
        "disjoint": [place for place in range(1, length) if place not in true],
    }[kind]
    return _complete(draw, shape, reference["document_id"], system, length, places)


def _without_boundaries(row: Row) -> Row:
    lists = ("boundaries", "boundary_types", "boundary_scores")
    return {name: [] if name in lists else value for name, value in row.items()}


def _damage(draw: Random, shape: Shape, rows: list[Row]) -> list[Row]:
    """Give some rows a fault, repeat some, and take all away once in a while."""
    if not shape.wrong:
        return rows
    if draw.random() < 0.1:
        return []
    broken = []
    for row in rows:
        broken.append(_broken(draw, row) if draw.random() < shape.wrong else row)
        if draw.random() < 0.1:
            broken.append(dict(row))
    return broken


def _broken(draw: Random, row: Row) -> Row:
    length = row["n_units"]
    faults: list[Row] = [
        {"boundaries": [0]},
        {"boundaries": [length]},
        {"boundaries": [2, 1]},
        {"n_units": length + 1},
        {"n_units": 0},
        {"coder": ""},
        {"document_id": "unknown"},
        {"boundaries": None},
    ]
    if "boundary_types" in row:
        faults.append({"boundary_types": [0]})
    if "boundary_scores" in row:
        faults.append({"boundary_scores": [2.0] * len(row["boundaries"])})
    return {**row, **draw.choice(faults)}


def _documents(draw: Random, lengths: dict[str, int], groups: _Groups) -> list[Row]:
    rows = []
    weighted, worded = draw.random() < 0.5, draw.random() < 0.7
    for name, length in lengths.items():
        row: Row = {"document_id": name, "n_units": length}
        if worded:
            row["unit_lengths"] = [draw.choice([0, 1, 3, 9]) for _ in range(length - 1)] + [1]
        if weighted:
            row["unit_weights"] = [draw.choice([0, 0, 1, 5]) for _ in range(length)]
        rows.append({**row, **groups.of(name)})
    return rows[:-1] if len(rows) > 1 and draw.random() < 0.2 else rows

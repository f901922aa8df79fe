"""Simulated annotation projects: coders with known faults, and what an audit says of them.

A project has documents of 12 months, each coded by two to four coders.  A coder omits, adds and
displaces some boundaries; one with a fault does something more:

- careless (two coders): omits and adds three times as many;
- copies: takes over what another coder marked in the documents that both coded;
- drifts: makes more errors every month;
- twice: marks twice as many boundaries;
- late: marks one or two units after the place.

At half strength, the fault is half as large.

The last ``otherwise`` coders read the guidelines in another way: they mean other places in half of
the cases.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

import pyarrow as pa

import segscore
from segscore.pipeline.tables.units import with_unit

MONTHS = [f"2026-{month:02d}" for month in range(1, 13)]
FAULTS = ("careless", "careless", "copies", "drifts", "twice", "late")


@dataclass(frozen=True)
class Project:
    """A project to simulate.

    Attributes:
        coders: number of coders.
        documents: number of documents.
        faults: fault of the first coders, one each.
        strength: of the faults; 1 is full.
        unit: units of time per unit of the model, for projects in milliseconds.
        otherwise: number of coders who read in another way, without a fault.
    """

    coders: int = 12
    documents: int = 900
    faults: tuple[str, ...] = FAULTS
    strength: float = 1.0
    unit: int = 1
    otherwise: int = 0

    def faulty(self) -> dict[str, str]:
        """Return the fault of each coder who has one."""
        return dict(zip(names(self.coders), self.faults, strict=False))


def names(coders: int) -> list[str]:
    """Return the names of the coders."""
    return [f"coder-{number:02d}" for number in range(coders)]


Row = dict[str, Any]


def codings(project: Project, seed: int, errors: float = 1.0) -> Iterator[Row]:
    """Yield the rows of the codings; everybody makes ``errors`` times the usual errors."""
    draw, reading = Random(seed), Random(f"another reading {seed}")  # noqa: S311
    everybody, faulty = names(project.coders), project.faulty()
    # The coder who is copied has no fault.
    copied = everybody[len(faulty) % project.coders]
    for number in range(project.documents):
        month = number * len(MONTHS) // project.documents
        n_units = draw.randint(60, 140)
        # Segments of at least three units.
        marks = n_units // 10
        places = sorted(draw.sample(range(3, n_units - 2 * marks), marks))
        true = [place + 2 * number for number, place in enumerate(places)]
        other = sorted(
            {place if reading.random() < 0.5 else reading.randrange(3, n_units) for place in true}
        )
        chosen = sorted(draw.sample(everybody, min(project.coders, draw.randint(2, 4))))
        marked = {}
        for coder in chosen:
            share = project.strength * (month / (len(MONTHS) - 1))
            strength = share if faulty.get(coder) == "drifts" else project.strength
            meant = other if coder in everybody[project.coders - project.otherwise :] else true
            marked[coder] = _code(
                meant, (n_units, 0.12 * errors), faulty.get(coder), strength, draw
            )
        for coder in chosen:
            if faulty.get(coder) == "copies" and copied in marked:
                marked[coder] = {
                    position if draw.random() < 0.95 * project.strength else own
                    for position, own in zip(
                        sorted(marked[copied]),
                        _filled(sorted(marked[coder]), len(marked[copied])),
                        strict=True,
                    )
                }
        for coder, boundaries in marked.items():
            yield {
                "document_id": f"interview-{number:04d}",
                "coder": coder,
                "n_units": n_units * project.unit,
                "boundaries": [
                    position * project.unit + (draw.randint(-300, 300) if project.unit > 1 else 0)
                    for position in sorted(boundaries)
                ],
                "month": MONTHS[month],
            }


def _filled(values: list[int], size: int) -> list[int]:
    return (values * size)[:size] if values else [1] * size


def _code(
    true: list[int], document: tuple[int, float], fault: str | None, strength: float, draw: Random
) -> set[int]:
    """Return the boundaries of one coding."""
    n_units, error = document
    if fault in ("careless", "drifts"):
        error *= 1 + (2 if fault == "careless" else 3) * strength
    inside = partial(min, n_units - 1)
    boundaries = set()
    for position in true:
        if draw.random() >= error:
            moved = draw.choice((-1, 1)) if draw.random() < 0.15 else 0
            boundaries.add(position + moved)
    added = sum(draw.random() < error for _ in true)
    if fault == "twice":
        added += sum(draw.random() < strength for _ in true)
    boundaries |= {draw.randrange(1, n_units) for _ in range(added)}
    if fault == "late":
        boundaries = {
            max(1, inside(position + (draw.choice((1, 2)) if draw.random() < strength else 0)))
            for position in boundaries
        }
    return boundaries


@dataclass(frozen=True)
class Said:
    """What an audit says: the rows of `coders` over all documents, and pairs.

    Attributes:
        coders: the rows by coder.
        pairs: pairs who agree too well.
        copied: those of whom one may have copied.
    """

    coders: Mapping[str, Row]
    pairs: frozenset[tuple[str, str]]
    copied: frozenset[tuple[str, str]]


def audit(project: Project, seed: int) -> Said:
    """Simulate a project and audit it."""
    table = pa.Table.from_pylist([*codings(project, seed)])
    if project.unit > 1:
        table = with_unit(table, "millisecond")
    found = segscore.agree(table, group_by=("month",))
    coders = {row["coder"]: row for row in found.coders.to_pylist() if row["month"] is None}
    peers = [row for row in found.table("peers").to_pylist() if row["month"] is None]
    pairs, copied = (
        frozenset((row["coder"], row["peer"]) for row in peers if row[mark])
        for mark in ("high_agreement", "copied")
    )
    return Said(coders, pairs, copied)

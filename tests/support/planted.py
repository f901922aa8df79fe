"""Corpora with planted errors of the reference, and six systems of different recall."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.support.rows import write_rows

N_UNITS, BOUNDARIES, ALARMS = 100, 10, 0.02
RECALL = np.linspace(0.45, 0.9, 6)


@dataclass(frozen=True)
class Planted:
    """Rows of references and hypotheses, and the (document, position) of each planted error."""

    references: list[dict[str, Any]]
    hypotheses: list[dict[str, Any]]
    wrong: set[tuple[str, int]]
    planted: int

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Write both tables as JSON Lines."""
        folder.mkdir(parents=True, exist_ok=True)
        files = folder / "references.jsonl", folder / "hypotheses.jsonl"
        for file, rows in zip(files, (self.references, self.hypotheses), strict=True):
            write_rows(file, rows)
        return files


def plant(
    seed: int, share: float = 0.05, hard: float = 0.0, attractive: float = 0.0, documents: int = 200
) -> Planted:
    """Plant errors in references.

    Args:
        seed: of the random numbers.
        share: share of the true boundaries at which the reference is wrong.
        hard: standard deviation, in log odds, of how hard a boundary is for all systems.
        attractive: likewise, of how much another place attracts all systems.
        documents: number of documents.
    """
    draw = np.random.default_rng(seed)
    found = Planted([], [], set(), 0)
    number = 0
    for each in range(documents):
        name = f"d{each:04d}"
        true = np.zeros(N_UNITS, bool)
        true[draw.choice(np.arange(2, N_UNITS - 2), BOUNDARIES, replace=False)] = True
        marked = _mark(draw, true, hard, attractive)
        reference, wrong, errors = _damage(draw, true, share)
        number += errors
        found.wrong.update((name, position) for position in wrong)
        row: dict[str, Any] = {"document_id": name, "coder": "gold", "n_units": N_UNITS}
        found.references.append({**row, "boundaries": np.flatnonzero(reference).tolist()})
        for system, of_system in enumerate(marked):
            positions = np.flatnonzero(of_system).tolist()
            found.hypotheses.append({**row, "coder": f"s{system}", "boundaries": positions})
    return Planted(found.references, found.hypotheses, found.wrong, number)


def _mark(
    draw: np.random.Generator, true: NDArray[np.bool_], hard: float, attractive: float
) -> NDArray[np.bool_]:
    """Return which positions each system marks, shape (systems, positions)."""
    odds = np.log(RECALL / (1 - RECALL))[:, None] + draw.normal(0, hard, N_UNITS)
    other = np.log(ALARMS / (1 - ALARMS)) + draw.normal(0, attractive, N_UNITS)
    odds = np.where(true, odds, other)
    marked = draw.random(odds.shape) < 1 / (1 + np.exp(-odds))
    marked[:, 0] = False
    return marked


def _damage(
    draw: np.random.Generator, true: NDArray[np.bool_], share: float
) -> tuple[NDArray[np.bool_], list[int], int]:
    """Return a reference with errors, where they are, and their number."""
    reference, wrong, errors = true.copy(), [], 0
    for position in np.flatnonzero(true).tolist():
        if draw.random() >= share:
            continue
        kind = draw.integers(3)
        free = np.flatnonzero(~true & ~reference)
        free = free[(free > 0) & (np.abs(free - position) > 1)]
        near = free[np.abs(free - position) <= 4]
        place = int(draw.choice(near if kind == 2 and len(near) else free))
        if kind != 1:
            reference[position] = False
            wrong.append(position)
        if kind != 0:
            reference[place] = True
            wrong.append(place)
        errors += 1
    return reference, wrong, errors

"""Results of segscore on the cases of what a number is worth."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

import segscore
from segscore.pipeline.arrays.ragged import from_lists
from segscore.pipeline.measures import edits, windows
from segscore.pipeline.measures.segmentation_pairs import pair_rows
from segscore.pipeline.statistics.averages import skill
from segscore.pipeline.statistics.power import PairedTest, documents_needed, smallest_effect
from tests.conformance.cases import Expected, Given
from tests.conformance.worth import COUNTS, in_four_digits


def ours_of_chance(given: Given) -> Expected:
    """The mean of the compiled counts over all choices."""
    n_units, k = given["n_units"], given["k"]
    choices = [*map(list, combinations(range(1, n_units), given["drawn"]))]
    one = np.zeros(len(choices), np.int64)
    sides = from_lists([given["reference"]]), from_lists(choices)
    pairs = pair_rows(*sides, one, np.arange(len(choices)), one + n_units)
    counts = dict(zip(windows.COUNTS, windows.count(pairs, one + k), strict=True))
    matches = dict(zip(edits.COUNTS, edits.count(pairs, 1), strict=True))["matches"]
    total = int(counts["windows"].sum())

    def mean(*names: str) -> float | None:
        return sum(int(counts[name].sum()) for name in names) / total if total else None

    return {
        "pk": mean("pk_misses", "pk_false_alarms"),
        "window_diff": mean("wd_misses", "wd_false_alarms"),
        "matches": float(matches.mean()),
    }


def ours_of_skill(given: Given) -> Expected:
    """Skill as the summary has it."""
    value, chance, best = (
        np.nan if given[name] is None else float(Fraction(given[name]))
        for name in ("value", "chance", "best")
    )
    found = float(skill(value, chance, best))
    return {"skill": None if np.isnan(found) else found}


def ours_of_power(given: Given) -> Expected:
    """Power as a comparison has it."""
    test = PairedTest(*(float(Fraction(given[name])) for name in ("alpha", "power")))
    spread = float(Fraction(given["spread"]))
    effect = abs(float(Fraction(given["difference"]))) / spread
    needed = int(documents_needed(np.array([effect]), test)[0]) if effect else None
    smallest = spread * smallest_effect(given["documents"], test)
    return {"smallest_difference": in_four_digits(smallest), "documents_needed": needed}


def ours_of_levels(given: Given) -> Expected:
    """A run by level, in memory."""
    evaluation = segscore.evaluate(
        [
            _row(d, document, f"r{i}", reference)
            for d, document in enumerate(given["documents"])
            for i, reference in enumerate(document["references"])
        ],
        [_row(d, each, "h", each["hypothesis"]) for d, each in enumerate(given["documents"])],
        by_level=given["by_level"],
        boundary_types=given["types"],
        n_t=given["n_t"],
        measures=["window", "edit"],
    )
    scores = evaluation.scores.to_pylist()
    parameters = {each["level"]: each for each in evaluation.run.record["levels"]}

    def averages(level: int | None, average: str) -> dict[str, Any]:
        return {
            row["measure"]: row["value"]
            for row in evaluation.summary.to_pylist()
            if (row["level"], row["average"]) == (level, average)
        }

    levels = []
    for level in given["types"]:
        rows = sorted(
            (row for row in scores if row["level"] == level),
            key=lambda row: (int(row["document_id"]), row["reference"]),
        )
        levels.append({
            "level": level,
            "k": [row["window"] for row in rows],
            "p_seg": parameters[level]["p_seg"],
            "counts": {n: sum(row[n] for row in rows) for n in COUNTS},
            "micro": averages(level, "micro"),
            "macro": averages(level, "macro"),
        })  # fmt: skip
    return {
        "levels": levels,
        "p_seg": parameters[None]["p_seg"],
        "micro": averages(None, "micro"),
        "macro": averages(None, "macro"),
    }


def _row(
    document: int, described: dict[str, Any], coder: str, boundaries: list[list[int]]
) -> dict[str, Any]:
    """A row of the segmentations table."""
    return {
        "document_id": str(document),
        "coder": coder,
        "n_units": described["n_units"],
        "boundaries": [position for position, _ in boundaries],
        "boundary_types": [kind for _, kind in boundaries],
    }


COMPILED = {
    "chance": ours_of_chance,
    "skill": ours_of_skill,
    "power": ours_of_power,
    "levels": ours_of_levels,
}

"""Who reads the guidelines in another way may mark later or less often, and is not accused."""

from collections.abc import Callable, Sequence
from random import Random

import pytest

import segscore
from tests.support.examples import examples

CODERS = ("anna", "ben", "carl", "dora", "emil", "fay", "gus", "hana")
UNITS = 60

READINGS: dict[str, Callable[[Sequence[int]], list[int]]] = {
    "all later": lambda places: [place + 1 for place in places],
    "half later": lambda places: [place + 2 * (i % 2) for i, place in enumerate(places)],
    "half dropped": lambda places: [place for i, place in enumerate(places) if i % 2],
}


def coded(draw: Random, places: Sequence[int]) -> list[int]:
    """Make the usual errors: misses, near misses and false alarms."""
    found = {place + draw.choice((0, 0, 0, 0, 1, -1)) for place in places if draw.random() < 0.9}
    found |= {draw.randrange(1, UNITS) for _ in range(draw.random() < 0.3)}
    return sorted(place for place in found if 0 < place < UNITS)


def project(
    seed: int, others: int, reading: Callable[[Sequence[int]], list[int]]
) -> dict[str, dict[str, segscore.Segmentation]]:
    """Make 150 documents, each of two to four of eight coders, of whom some read another way."""
    draw = Random(seed)  # noqa: S311
    codings: dict[str, dict[str, segscore.Segmentation]] = {name: {} for name in CODERS}
    for document in range(150):
        places = sorted(draw.sample(range(2, UNITS - 2), 7))
        for name in draw.sample(CODERS, draw.randint(2, 4)):
            own = reading(places) if name in CODERS[len(CODERS) - others :] else places
            codings[name][f"d{document}"] = segscore.Segmentation(coded(draw, own), UNITS)
    return codings


@pytest.mark.first
@pytest.mark.parametrize("others", [4, 3])
@pytest.mark.parametrize("reading", READINGS)
def test_nobody_is_accused_of_reading_in_another_way(reading: str, others: int) -> None:
    for seed in range(examples(2)):
        rows = segscore.agree(project(seed, others, READINGS[reading])).coders.to_pylist()
        second = {row["coder"] for row in rows if row["reading"] == "other"}
        groups = {*CODERS[: len(CODERS) - others]}, {*CODERS[len(CODERS) - others :]}
        assert second in groups
        named = [
            row["coder"]
            for row in rows
            if row["low_agreement"] or row["shifted"] or row["outlying_rate"]
        ]
        assert named == []

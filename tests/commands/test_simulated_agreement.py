"""Simulated coders audited: the three findings of Fournier 2013, section 5 and figure 9."""

from pathlib import Path

import pytest

from tests.support.audits import audit
from tests.support.command_line import Segscore
from tests.support.paths import DATA

CODERS = (2, 5, 10)
FULL_MISSES = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9)


@pytest.fixture
def pi(segscore: Segscore, tmp_path: Path) -> "Simulated":
    """Returns coefficients of coders simulated after Moonstone's."""
    return Simulated(segscore, tmp_path)


class Simulated:
    """Simulates coders and computes pi of them."""

    def __init__(self, segscore: Segscore, folder: Path) -> None:
        self.segscore = segscore
        self.folder = folder
        self.times = 0

    def __call__(self, coders: int, *options: object) -> dict[str, float]:
        """Return pi of 40 documents by similarity."""
        self.times += 1
        simulation = self.folder / str(self.times)
        shape = ("--documents", 40, "--coders", coders, "--seed", 1, "--output", simulation)
        assert (
            self.segscore("simulate", "coders", DATA / "moonstone.jsonl", *shape, *options).code
            == 0
        )
        rows = audit(simulation, "codings")["agreement"]
        return {row["similarity"]: row["value"] for row in rows if row["coefficient"] == "pi"}


@pytest.mark.long
def test_only_b_falls_as_full_misses_rise(pi: Simulated) -> None:
    """Figures 9a and 9b; full misses that omit boundaries."""
    values = {
        (full, coders): pi(coders, "--full-miss", full, "--near-miss", 0.1, "--added", 0)
        for full in FULL_MISSES
        for coders in (2, 10)
    }
    for coders in (2, 10):
        b = [values[full, coders]["boundary_similarity"] for full in FULL_MISSES]
        assert b == sorted(b, reverse=True)
        assert b[0] > 0.85
        assert b[-1] < 0.1
        s = [values[full, coders]["segmentation_similarity"] for full in FULL_MISSES]
        assert min(s) > 0.9
        assert s[-1] > s[-3]  # agreement appears to rise


@pytest.mark.long
def test_b_hardly_depends_on_the_number_of_coders(pi: Simulated) -> None:
    """Figure 9b."""
    for full in (0.1, 0.5, 0.9):
        values = [
            pi(coders, "--full-miss", full, "--near-miss", 0.1)["boundary_similarity"]
            for coders in CODERS
        ]
        assert max(values) - min(values) < 0.05, full


@pytest.mark.first
@pytest.mark.parametrize("coders", CODERS)
def test_random_coders_have_low_b_and_high_s(pi: Simulated, coders: int) -> None:
    """Figure 9c."""
    values = pi(coders, "--random")
    assert 0 < values["boundary_similarity"] < 0.2
    assert values["segmentation_similarity"] > 0.7

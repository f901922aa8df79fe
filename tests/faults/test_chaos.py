"""A run killed at random, of the many that `make chaos` kills on every kind of cluster."""

from pathlib import Path

from tests.faults.chaos import LOCAL, Figures, Undisturbed, harry, scenarios
from tests.support.killing import CLIENT
from tests.support.promises import require_one_line, require_quiet


def test_a_line_about_progress_is_no_message() -> None:
    """A slow machine says how much time is left."""
    progress = "1 of 7 parts done\n2 of 7 parts done, about 3 min left\n"
    require_quiet(progress)
    line = "segscore: error: 2 of 7 parts done, about nothing"
    assert require_one_line(f"{progress}{line}\n", 1) == line


def test_a_killed_run_ends_like_an_undisturbed_one(tmp_path: Path) -> None:
    """``disturb`` raises if a promise is broken."""
    *_, twice = scenarios(tmp_path / "corpus", documents=60)
    figures = Figures()
    way = (twice, LOCAL, CLIENT)
    harry(Undisturbed(tmp_path), [way], lambda: figures.runs == 1, 1, figures)
    assert figures.kills.total() >= 1

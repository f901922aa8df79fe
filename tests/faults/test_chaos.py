"""A few runs killed at random, of the many that `make chaos` kills."""

from pathlib import Path

from tests.faults.chaos import CLUSTER, LOCAL, PROCESSES, Figures, Undisturbed, harry, scenarios
from tests.support.killing import CLIENT, SCHEDULER, WORKER
from tests.support.promises import require_one_line, require_quiet

RUNS = 4


def test_a_line_about_progress_is_no_message() -> None:
    """A slow machine says how much time is left."""
    progress = "1 of 7 parts done\n2 of 7 parts done, about 3 min left\n"
    require_quiet(progress)
    line = "segscore: error: 2 of 7 parts done, about nothing"
    assert require_one_line(f"{progress}{line}\n", 1) == line


def test_killed_runs_end_like_undisturbed_ones(tmp_path: Path) -> None:
    """``disturb`` raises if a promise is broken."""
    _, agree, twice = scenarios(tmp_path / "corpus", documents=60)
    ways = [
        (agree, CLUSTER, SCHEDULER),
        (agree, CLUSTER, WORKER),
        (twice, LOCAL, CLIENT),
        (twice, PROCESSES, WORKER),
    ]
    figures = Figures()
    harry(Undisturbed(tmp_path), ways, lambda: figures.runs == RUNS, 1, figures)
    assert figures.runs == RUNS
    assert figures.kills.total() >= RUNS

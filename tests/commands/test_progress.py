"""What commands say on standard error while they work."""

from pathlib import Path

import pytest

from segscore.jobs.show.printing import Bar
from tests.support.paths import DATA
from tests.support.terminal import in_terminal


def test_log_lines_say_each_further_tenth_and_the_minutes_left(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Bar("scoring") as bar:
        for done in range(26):
            bar.advance(done, 25)
        bar.advance(0, 2)  # the next stage starts again
        bar.start -= 600
        bar.advance(1, 2)
        bar.advance(1, 1)  # a single part is not counted
    lines = capsys.readouterr().err.splitlines()
    tenths = (3, 5, 8, 10, 13, 15, 18, 20, 23, 25)
    assert lines == [
        *(f"{done} of 25 parts done" for done in tenths),
        "1 of 2 parts done, about 10 min left",
    ]


@pytest.mark.long
def test_a_terminal_shows_progress_and_how_long_loops_took(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second process reads the loops that the first one compiled."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir(mode=0o700)
    table = DATA / "tinyrec.jsonl"
    for name, times in (("first", 1), ("second", 0)):
        command = ["score", table, table, "--measures", "pk", "--output", tmp_path / name]
        ((code, _, drawn),) = in_terminal([command], 80)
        assert code == 0, drawn
        assert "scoring: reading" in drawn and "elapsed" in drawn
        assert drawn.count("segscore: compiling its loops") == times
        assert drawn.count("segscore: compiled its loops in ") == times

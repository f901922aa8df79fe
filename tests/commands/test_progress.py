"""What commands say on standard error while they work."""

import re
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from segscore.jobs.cli.log import LOG, LOG_FORMATS
from segscore.jobs.show.progress import Bar
from tests.support.paths import DATA
from tests.support.terminal import in_terminal


@pytest.fixture(autouse=True)
def as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Log as text, whatever a test before this one chose for the process."""
    monkeypatch.setattr(LOG, "format", LOG_FORMATS[0])


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


@pytest.mark.parametrize("width", [60, 200])
def test_a_bar_has_its_texts_whole_and_no_time_left_that_is_unknown(width: int) -> None:
    drawn = StringIO()
    bar = Bar("comparing coders")
    bar.console = Console(file=drawn, width=width, force_terminal=True, color_system=None)
    stages = []
    with bar:
        assert bar.bar is not None
        for done in (None, 0, 1, 2, 4):
            if done is not None:
                bar.advance(done, 4)
            drawn.truncate(drawn.seek(0))
            bar.bar.refresh()
            stages.append(drawn.getvalue())
    reading, start, *_, half, adding = stages
    assert all(re.search(r" \d:\d\d elapsed", text) for text in stages), stages
    assert "comparing coders: reading" in reading and "%" not in reading
    assert "comparing coders" in start and "0%" in start
    assert re.search(r" 50% \d:\d\d left, ", half)
    assert "comparing coders: adding up" in adding and "%" not in adding
    assert not any("left" in text for text in (reading, start, adding))


@pytest.mark.long
def test_a_terminal_shows_progress(tmp_path: Path) -> None:
    table = DATA / "tinyrec.jsonl"
    command = ["score", table, table, "--measures", "pk", "--output", tmp_path / "run"]
    ((code, _, drawn, _),) = in_terminal([command], 80)
    assert code == 0, drawn
    assert "scoring: reading" in drawn and "elapsed" in drawn

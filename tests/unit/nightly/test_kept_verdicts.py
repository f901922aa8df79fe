"""Which of the verdicts that were kept of a night were replaced by another."""

from dataclasses import replace
from pathlib import Path

from segscore.pipeline.nightly.kept_verdicts import FOLDER, read_replaced
from segscore.pipeline.nightly.verdict import FAILED, PASSED
from tests.support.failed_checks import NIGHT


def test_a_verdict_that_repeats_the_one_before_replaces_nothing(tmp_path: Path) -> None:
    """Two jobs that judge a night at once both keep what they said."""
    again = replace(NIGHT, finished_at="2026-11-05T06:00:00+00:00")
    other = replace(again, outcome=PASSED if NIGHT.outcome == FAILED else FAILED)
    (tmp_path / FOLDER).mkdir()
    for number, verdict in enumerate((NIGHT, again, other), start=1):
        name = f"date={NIGHT.date}-{number:04d}-{number:012x}.json"
        (tmp_path / FOLDER / name).write_text(verdict.text())
    warnings: list[str] = []
    replaced = read_replaced(str(tmp_path), warnings)
    assert [(each.before, each.now) for each in replaced] == [(NIGHT, other)]
    assert not warnings

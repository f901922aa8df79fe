"""The gate's table on a terminal of 80 columns."""

import pytest

from segscore.jobs.show.gating import print_checks
from segscore.pipeline.nightly.verdict import Check


def test_rows_that_differ_in_their_nights_alone_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "80")
    rule, average = "boundary_similarity>=-0.02", ("boundary_similarity", "micro")
    checks = [
        Check(
            rule,
            "a-system-with-a-long-name",
            *average,
            -0.02,
            "2026-01-07",
            0.5,
            0.53,
            40,
            40,
            0,
            change=-0.03,
            p=0.2,
            p_adjusted=0.4,
            result="passed",
            nights=nights,
        )
        for nights in (1, 7)
    ]
    print_checks(checks, 0.05)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines[1:])) <= 80
    assert "against" in lines[1] and "change" in lines[1]
    assert any("2026-01-07" in line for line in lines) and any("7 nights" in line for line in lines)
    assert "the median" in " ".join(lines[-3:]) and "no room here for" in " ".join(lines[-3:])

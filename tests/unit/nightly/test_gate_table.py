"""The gate's table on a terminal of 80 columns."""

from dataclasses import replace
from typing import Any

import pytest

from segscore.jobs.show.gating import print_checks, print_group_checks
from segscore.pipeline.nightly.gate_tables import early_levels
from segscore.pipeline.nightly.verdict import Acceptance, Check, Verdict
from segscore.pipeline.reports.night import gate_section


def test_rows_that_differ_in_their_nights_alone_are_told_apart(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # which makes it a terminal
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


@pytest.mark.parametrize(
    ("change", "result", "words"),
    [
        (-0.03, "passed", "within noise"),
        (-0.01, "passed", "passed"),
        (-0.03, "failed", "failed"),
        (None, "undefined", "undefined"),
    ],
)
def test_a_change_within_noise_has_the_same_words_everywhere(
    capsys: pytest.CaptureFixture[str], change: float | None, result: str, words: str
) -> None:
    average = ("boundary_similarity", "micro")
    check = Check(
        "boundary_similarity>=-0.02", "s", *average, -0.02, "2026-01-07", 0.5, 0.53, 40, 40, 0,
        change=change, result=result,
    )  # fmt: skip
    asked: dict[str, Any] = {"alpha": 0.05}
    night = Verdict("2026-01-08", "", asked, {}, (check,), ("s",), (), (), {}, "passed", "", ())
    table = gate_section(night).figures[0].table
    assert table is not None and table.rows[0][2] == words
    assert change is None or f"{change:+.3f}" in str(table.rows[0][3])
    print_checks([check], 0.05)
    assert words in capsys.readouterr().out


@pytest.mark.parametrize(
    ("accepted", "acceptances", "reason"),
    [
        ("known", [Acceptance("known"), Acceptance("late", "b")], "known"),
        (None, [Acceptance("late", "b", "pk<=+0.02")], "late (b, pk<=+0.02)"),
        (None, [Acceptance("late", "a"), Acceptance("late", "b")], "late (a); late (b)"),
    ],
)
def test_the_page_says_why_a_night_was_accepted(
    accepted: str | None, acceptances: list[Acceptance], reason: str
) -> None:
    asked: dict[str, Any] = {"alpha": 0.05}
    night = Verdict(
        "2026-01-08", "", asked, {}, (), ("s",), (), (), {}, "accepted", "", (),
        accepted=accepted, acceptances=tuple(acceptances),
    )  # fmt: skip
    assert f"The reason to accept it: {reason}." in gate_section(night).text


@pytest.mark.parametrize("failing", [0, 1])
def test_a_fall_in_a_group_that_nobody_is_blamed_for_is_named(
    capsys: pytest.CaptureFixture[str], failing: int
) -> None:
    results = [*["failed"] * failing, *["with_all"] * 5, "passed"]
    checks = [
        Check(
            "pk<=+0.02", f"s{place}", "pk", "micro", 0.02, "2026-01-07", 0.3, 0.1, 8, 56, 0,
            change=0.2, p=0.001, p_adjusted=0.002, result=result, group="sport",
        )
        for place, result in enumerate(results)
    ]  # fmt: skip
    print_group_checks(checks)
    said = " ".join(capsys.readouterr().out.split())
    first = [f"s{place} in sport" for place in range(failing, failing + 3)]
    others = f"{', '.join(first)} and 2 more"
    assert f"; declined, but not significantly more than the other systems: {others}" in said


def test_the_systems_without_a_level_are_named_where_others_have_one() -> None:
    rule, day = "level:boundary_similarity>=-0.02", "2026-11-16"
    early = Check(
        rule, "ciel", "boundary_similarity", "micro", -0.02, day, None, None, 0, 0, 0, nights=0
    )
    known = replace(early, system="alta", value=0.5, before=0.5, change=0.0, nights=60)
    assert early_levels([early, known]) == "ciel: level rules start after 14 good nights (0 so far)"
    assert early_levels([early]) == "level rules start after 14 good nights (0 so far)"


def test_a_failed_night_names_the_measure_once_and_counts_what_passed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Rules that continued on further lines took 36 lines of a terminal of 24."""
    numbers = (-0.02, "2026-01-07", 0.5, 0.53, 40, 40, 0)
    checks = [
        Check(rule, system, "boundary_similarity", "micro", *numbers, change=-0.03, result=result)
        for rule, system, result in (
            ("boundary_similarity>=-0.02", "a", "passed"),
            ("boundary_similarity>=-0.02", "b", "failed"),
            ("level:boundary_similarity>=-0.02", "a", "passed"),
            ("level:boundary_similarity>=-0.02", "b", "warned"),
        )
    ]
    print_checks(checks, 0.01)
    title, _, _, *rows = capsys.readouterr().out.splitlines()
    assert title == "gate: boundary_similarity"
    assert [row.split()[:2] for row in rows[:2]] == [[">=-0.02", "b"], ["level", ">=-0.02"]]
    assert "2 checks passed" in " ".join(rows[2:])
    assert "boundary_similarity" not in " ".join(rows)

"""Wrong command lines and settings files: one line that names the option and its value."""

import json
from pathlib import Path
from typing import Any

import pytest
import typer

from segscore.jobs.cli.app import app
from segscore.jobs.cli.log import in_lines
from tests.support.command_line import Segscore
from tests.support.paths import DATA

SCORE = ("score", "references", "hypotheses", "--output", "run")
HELP = "; see `segscore score --help`"
NONE = "`segscore score` has no such option"


@pytest.mark.parametrize(
    "command", ["score", "compare", "report", "import", "agree", "nightly", "trend", "show"]
)
@pytest.mark.parametrize(
    "option",
    ["--force", "--verbose", "--color", "--lang", "--sort", "--sep", "--header", "--strictly"],
)
def test_an_option_with_another_effect_is_not_proposed(
    segscore: Segscore, command: str, option: str
) -> None:
    refused = segscore(command, "x", option)
    assert refused.code == 2 and f"{option}: `segscore {command}` has no such option; see" in (
        refused.err
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*SCORE, "--n-t", "zwei"), f"--n-t zwei: must be an integer{HELP}"),
        ((*SCORE, "--cost-miss", "x"), f"--cost-miss x: must be a number{HELP}"),
        ((*SCORE, "--workers", "0"), f"--workers 0: must be at least 1{HELP}"),
        (
            (*SCORE, "--mesures", "pk"),
            "--mesures: `segscore score` has no such option; the nearest is --measures" + HELP,
        ),
        ((*SCORE, "--n-t"), f"option '--n-t' requires an argument{HELP}"),
        (SCORE[:3], f"missing option '--output'{HELP}"),
        (
            ("nightly", "--n-t", "3"),
            "--n-t: `segscore nightly` has no such option; set n-t in the table [score] of "
            "--settings; see `segscore nightly --help`",
        ),
        (
            ("measures", "window_dif"),
            "window_dif: no such measure; the nearest is window_diff; `segscore measures` lists "
            "all",
        ),
        (
            ("measures", "pk", "ghd"),
            "ghd: unexpected argument; see `segscore measures --help`",
        ),
        (
            ("reconcile", "refs.jsonl", "systems/a.jsonl", "systems/b.jsonl"),
            "systems/b.jsonl: unexpected argument; `segscore reconcile` takes one REFERENCES and "
            "one HYPOTHESES: quote the glob, which the shell replaces by several files otherwise, "
            "or name the folder; see `segscore reconcile --help`",
        ),
        (
            ("validate", "a.jsonl", "b.jsonl", "c.jsonl"),
            "b.jsonl c.jsonl: unexpected argument; `segscore validate` takes one TABLE: quote the "
            "glob, which the shell replaces by several files otherwise, or name the folder; see "
            "`segscore validate --help`",
        ),
        (
            ("score", "references", "hypotheses", "--out", "run"),
            "--out: `segscore score` has no such option; the option is --output" + HELP,
        ),
        (
            ("simulate", "values", "references"),
            "missing option '--measure'; see `segscore simulate values --help`",
        ),
        (("scor", "x"), "scor: no such command; the nearest is score; see `segscore --help`"),
        (("evaluate",), "evaluate: no such command; the command is score; see `segscore --help`"),
        (
            (*SCORE, "--json"),
            f"--json: `segscore score` has no such option; write --format json{HELP}",
        ),
        (
            (*SCORE, "--average", "macro"),
            "--average: `segscore score` has no such option; `segscore compare --average` has it"
            + HELP,
        ),
        (
            ("score", "--references", "r.jsonl", "--hypotheses", "h.jsonl"),
            "--references: `segscore score` has no such option; write the references without an "
            "option, as REFERENCES" + HELP,
        ),
        ((*SCORE, "--metrics", "pk"), f"--metrics: {NONE}; the option is --measures{HELP}"),
        ((*SCORE, "--threads", "2"), f"--threads: {NONE}; the option is --workers{HELP}"),
        ((*SCORE, "--mising", "none"), f"--mising: {NONE}; the nearest is --missing{HELP}"),
        ((*SCORE, "--fersh"), f"--fersh: `segscore score` has no such option{HELP}"),
        (
            ("trend", "runs", "--fresh"),
            "--fresh: `segscore trend` has no such option; see `segscore trend --help`",
        ),
    ],
)
def test_a_wrong_command_line_is_explained_in_one_line(
    segscore: Segscore, arguments: tuple[str, ...], message: str
) -> None:
    result = segscore(*arguments)
    assert (result.code, result.out, result.err) == (2, "", f"segscore: error: {message}\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[score]\nn-t = 2\nn-t = 3\n", "line 3 sets n-t a second time; set it once"),
        ("[score]\nn-t = 2\nn_t = 3\n", "score.n_t is set a second time, as n-t; set it once"),
        ("[score]\nn-t = 2\n[score]\n", "line 3 sets [score] a second time; set it once"),
        (
            '[storage.s3]\nsecret = "hush"\nsecret = "hush"',
            "line 3 sets secret a second time; set it once",
        ),
    ],
)
def test_a_key_that_is_set_twice_is_named(
    segscore: Segscore, tmp_path: Path, text: str, message: str
) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(text)
    result = segscore(*SCORE, "--settings", file)
    assert (result.code, result.err) == (2, f"segscore: error: --settings {file}: {message}\n")


@pytest.mark.parametrize("option", ["--measure", "--measures"])
def test_an_option_for_measures_has_both_names(segscore: Segscore, option: str) -> None:
    for command in (("score", "r", "h", "--output", "run"), ("compare", "run")):
        result = segscore(*command, option, "pkk")
        assert result.code == 2
        assert "no such option" not in result.err
        assert "missing option" not in result.err


def test_completion_proposes_one_of_two_names() -> None:
    group: Any = typer.main.get_command(app)
    for name, expected in (("score", "--measures"), ("compare", "--measure")):
        command = group.commands[name]
        context = command.make_context(name, [], resilient_parsing=True)
        proposed = [item.value for item in command.shell_complete(context, "--measure")]
        assert proposed == [expected]


@pytest.mark.parametrize(("chosen", "lines"), [("pk", 6), ("b_f1", 6)])
def test_a_single_measure_is_shown(segscore: Segscore, chosen: str, lines: int) -> None:
    shown = segscore("measures", chosen).out.splitlines()
    assert len(shown) == lines
    assert shown[0] == f"measure  {chosen}"
    listed = json.loads(segscore("measures", chosen, "--format", "json").out)
    assert [measure["measure"] for measure in listed["measures"]] == [chosen]


def test_a_night_without_settings_is_told_of_them(segscore: Segscore) -> None:
    result = segscore("nightly", "--date", "2026-01-01")
    assert result.code == 2
    assert "give it, or a settings file that names it with --settings" in result.err


def test_a_long_error_has_a_line_for_what_where_and_what_next() -> None:
    parts = ("a.jsonl: no row could be used " + "x" * 60, "line 1: n (a; b); c", "see validate")
    assert in_lines("; ".join(parts), 80) == "\n  ".join(parts)
    assert in_lines("short; one line", 80) == "short; one line"


def test_quiet_prints_the_verdict_alone(segscore: Segscore, tmp_path: Path) -> None:
    data, run = DATA / "tinyrec.jsonl", tmp_path / "run"
    whole = segscore("score", data, data, "-o", run, "--measures", "pk")
    for command in (("score", data, data, "-o", run, "--measures", "pk"), ("show", run)):
        quiet = segscore(*command, "-q").out.splitlines()
        assert 1 <= len(quiet) <= 3
        assert quiet[0].startswith("pk, micro: ")
        assert {*quiet} <= {*whole.out.splitlines()}
    assert len(segscore("show", run).out.splitlines()) > 8

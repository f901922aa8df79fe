"""`--set NAME=VALUE`, and the options that `--help` of a command does not list."""

import json
import re
from pathlib import Path

import pytest

from tests.support.command_line import Segscore
from tests.support.paths import DATA

MOST_OPTIONS = 30


def signature(run: Path) -> str:
    return str(json.loads((run / "run.json").read_text())["signature"])


@pytest.mark.parametrize(
    "chosen",
    [
        ("--set", "cost_miss=0.9", "--set", "c-seg-costs=1,0.5"),
        ("--set=cost_miss=0.9", "--c-seg-costs", "1,0.5"),
        ("--cost-miss", "0.9", "--c-seg-costs=1,0.5"),
    ],
)
def test_both_spellings_are_one_option(
    segscore: Segscore, tmp_path: Path, chosen: tuple[str, ...]
) -> None:
    data = DATA / "tinyrec.jsonl"
    finished = segscore("score", data, data, *chosen, "--output", tmp_path / "run")
    assert finished.code == 0, finished.err
    assert "|cost_miss:0.9|c_seg_costs:1,0.5|" in signature(tmp_path / "run")


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("tio=0.6", "--set tio=0.6: must be NAME=VALUE, with NAME one of "),
        ("tiou", "--set tiou: must be NAME=VALUE"),
        ("n_t=3", "--set n_t=3: must be NAME=VALUE"),
        ("tiou=x", "--tiou x: must be a fraction"),
    ],
)
def test_a_wrong_name_or_value_is_refused(segscore: Segscore, word: str, message: str) -> None:
    refused = segscore("score", "references", "hypotheses", "--output", "run", "--set", word)
    assert refused.code == 2
    assert message in refused.err
    assert len(refused.err.splitlines()) == 1


def test_a_command_without_rare_options_has_no_set(segscore: Segscore) -> None:
    refused = segscore("measures", "--set", "tiou=0.6")
    assert (refused.code, "--set: `segscore measures` has no such option" in refused.err) == (
        2,
        True,
    )


def test_help_lists_what_people_use(segscore: Segscore) -> None:
    listed = {
        command: set(re.findall(r"^  (--[a-z-]+)", segscore(command, "--help-all").out, re.M))
        for command in ("import", "answers", "score")
    }
    assert len(listed["import"]) <= MOST_OPTIONS
    assert "--source" in listed["answers"] - listed["import"]
    assert not {"--tiou", "--flags", "--set"} & (listed["score"] | listed["import"])


def test_help_names_what_is_seldom_needed(segscore: Segscore) -> None:
    whole = segscore("score", "--help-all").out
    assert "\nSeldom needed, as --NAME or in a settings file (docs/options.md):\n" in whole
    assert "\n  rounding, pairing, p-seg," in whole
    assert "--settings FILE and --log-format json" in segscore("measures", "--help").out


def test_answers_and_import_write_the_same_tables(segscore: Segscore, tmp_path: Path) -> None:
    (tmp_path / "units.jsonl").write_text('{"document_id": "a", "units": ["x.", "y.", "z."]}\n')
    (tmp_path / "answers.jsonl").write_text('{"document_id": "a", "output": "[1, 3]"}\n')
    options = (
        *(tmp_path / "answers.jsonl", "--format", "numbered", "--numbers", "starts"),
        *("--source", tmp_path / "units.jsonl", "--coder", "m"),
    )
    for command in ("answers", "import"):
        finished = segscore(command, *options, "--output", tmp_path / command)
        assert finished.code == 0, finished.err
    tables = [
        {file.name: file.read_bytes() for file in (tmp_path / command).rglob("*.parquet")}
        for command in ("answers", "import")
    ]
    assert tables[0] == tables[1]
    assert len(tables[0]) > 1


def test_answers_need_one_of_their_formats(segscore: Segscore, tmp_path: Path) -> None:
    refused = segscore("answers", DATA / "tinyrec.jsonl", "--output", tmp_path / "tables")
    assert refused.code == 2
    assert "one of rewritten, numbered, quoted" in refused.err

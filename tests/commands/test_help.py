"""`--help` shows what people use first, and `--help-all` the rest."""

import json
import re
from pathlib import Path
from typing import Any, cast

import pytest
import typer

from segscore.jobs.cli.app import COMMANDS, app
from segscore.jobs.cli.help_texts import COMMON, EXAMPLES, FIRST, FURTHER, LINES, OLD_NAMES
from segscore.pipeline.importing.answers.options import ANSWER_FORMATS
from segscore.pipeline.importing.formats.known import FORMATS
from tests.support.command_line import Segscore
from tests.support.paths import DATA

OPTION = re.compile(r"^  (--[a-z-]+)", re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_short_and_names_options_that_exist(segscore: Segscore, command: str) -> None:
    page, whole = segscore(command, "--help"), segscore(command, "--help-all")
    assert (page.code, whole.code, page.err, whole.err) == (0, 0, "", "")
    assert len(page.out.splitlines()) <= 45
    listed, every = OPTION.findall(page.out), {*OPTION.findall(whole.out)}
    assert {*listed} <= every
    assert listed == [*COMMON.get(command, listed)]
    more = re.search(r"^(\d+) more options: segscore (\S+) --help-all$", page.out, re.MULTILINE)
    assert (more is not None) == (command in COMMON)
    assert more is None or int(more[1]) == len(every) - len(listed)


def test_all_commands_together_have_at_most_300_options() -> None:
    group: Any = typer.main.get_command(app)
    visible = [
        parameter
        for command in group.commands.values()
        for parameter in command.params
        if parameter.param_type_name == "option" and not parameter.hidden
    ]
    assert len(visible) + len(COMMANDS) <= 300  # each also has --help


def test_short_names_are_those_of_long_ones(segscore: Segscore, tmp_path: Path) -> None:
    assert segscore("-h").out == segscore("--help").out
    assert segscore("-V").out == segscore("--version").out
    for command in ("score", "import", "trend", "simulate"):
        assert segscore(command, "-h").out == segscore(command, "--help").out
    data, run = DATA / "tinyrec.jsonl", tmp_path / "run"
    assert segscore("score", data, data, "-o", run).code == 0
    assert (run / "run.json").exists()


@pytest.mark.parametrize("command", EXAMPLES)
def test_examples_have_options_of_their_command(segscore: Segscore, command: str) -> None:
    page, whole = segscore(command, "--help").out, segscore(command, "--help-all").out
    for example in EXAMPLES[command]:
        line = f"  segscore {command} {example}"
        assert line in page.splitlines() and len(line) <= 80
        assert {*re.findall(r"--[a-z-]+", example)} <= {*OPTION.findall(whole), "--settings"}


def test_ten_commands_have_a_line_and_the_others_a_name(segscore: Segscore) -> None:
    page = segscore("--help").out
    described, names = page.partition("More commands:\n")[::2]
    assert re.findall(r"^  ([a-z]+) ", described, re.MULTILINE) == [*FIRST]
    more = " ".join(names.partition("\n\n")[0].split()).split(", ")
    assert more == [*dict.fromkeys(LINES.get(name, name).split()[0] for name in FURTHER)]
    assert len({*FIRST, *more}) <= 21


@pytest.mark.parametrize("old", OLD_NAMES)
def test_an_old_name_is_accepted_and_the_new_one_said(
    segscore: Segscore, tmp_path: Path, old: str
) -> None:
    new = LINES.get(OLD_NAMES[old], OLD_NAMES[old])
    options = {
        "simulate": ("--output", "x"), "calibrate": ("--measure", "pk"), "history": ("--keep", 3),
    }  # fmt: skip
    missing = (tmp_path / "none", *options.get(old, ()))
    said, now = segscore(old, *missing), segscore(*new.split(), *missing)
    note, rest = said.err.split("\n", 1)
    assert note == f"`segscore {old}` is now `segscore {new}`"
    assert (said.code, said.out, rest) == (now.code, now.out, now.err) and now.code == 2
    assert segscore(old, missing[0], "--help").out == segscore(*new.split(), "--help").out
    logged = segscore(old, *missing, "--log-format", "json").err.splitlines()
    assert [json.loads(line)["level"] for line in logged] == ["info", "error"]
    assert json.loads(logged[0])["message"] == note


def test_settings_of_an_old_name_are_those_of_the_new(segscore: Segscore, tmp_path: Path) -> None:
    settings = tmp_path / "segscore.toml"
    settings.write_text('[calibrate]\nmeasure = "pk"\nvalue = 0.3\n', "utf-8")
    named = segscore("simulate", "values", DATA / "stargazer.jsonl", "--settings", settings)
    assert named.code == 0 and "pk 0.3 on this corpus" in named.out


def test_simulate_needs_a_second_word(segscore: Segscore) -> None:
    refused = segscore("simulate")
    assert refused.code == 2 and "`segscore simulate coders CODINGS`" in refused.err
    page = segscore("simulate", "--help")
    assert page.code == 0 and "simulate power" in page.out and "simulate values" in page.out


@pytest.mark.parametrize("command", [["import", "textgrid"], ["import", "--format", "textgrid"]])
def test_help_of_a_format_lists_what_its_reader_reads(
    segscore: Segscore, command: list[str]
) -> None:
    page = segscore(*command, "--help")
    assert (page.code, page.err) == (0, "")
    listed = OPTION.findall(page.out)
    assert page.out.startswith("Usage: segscore import FILES... --format textgrid --output TEXT")
    assert listed[:3] == ["--output", "--frame-rate", "--tier"]
    assert "--columns" not in listed and "--role" in listed


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_has_a_page_of_help(segscore: Segscore, name: str) -> None:
    command = "answers" if name in ANSWER_FORMATS else "import"
    page, group = segscore(command, name, "--help"), typer.main.get_command(app)
    assert f"--format {name} " in page.out
    known = {name for each in cast(Any, group).commands[command].params for name in each.opts}
    assert {*OPTION.findall(page.out)} <= known | {"--help"}


def test_help_of_a_format_is_found_by_the_ending_of_its_files(segscore: Segscore) -> None:
    assert "--format subrip " in segscore("import", "srt", "--help").out


@pytest.mark.parametrize(("command", "known"), [("import", "choi"), ("answers", "quoted")])
def test_help_of_an_unknown_format_lists_the_formats(
    segscore: Segscore, command: str, known: str
) -> None:
    refused = segscore(command, "choy", "--help")
    assert refused.code == 2 and "choy: no such format" in refused.err and known in refused.err

"""`--help` shows what people use first, and `--help-all` the rest."""

import re

import pytest

from segscore.jobs.cli.app import COMMANDS
from segscore.jobs.cli.help_texts import COMMON, EXAMPLES
from segscore.pipeline.importing.answers.options import ANSWER_FORMATS
from segscore.pipeline.importing.formats.known import FORMATS
from tests.support.command_line import Segscore

OPTION = re.compile(r"^  (--[a-z-]+)", re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_short_and_names_options_that_exist(segscore: Segscore, command: str) -> None:
    page, whole = segscore(command, "--help"), segscore(command, "--help-all")
    assert (page.code, whole.code, page.err, whole.err) == (0, 0, "", "")
    assert len(page.out.splitlines()) <= 60
    listed, every = OPTION.findall(page.out), {*OPTION.findall(whole.out)}
    assert {*listed} <= every
    assert listed == [*COMMON.get(command, listed)]
    more = re.search(r"^(\d+) more options: segscore (\S+) --help-all$", page.out, re.MULTILINE)
    assert (more is not None) == (command in COMMON)
    assert more is None or int(more[1]) == len(every) - len(listed)


@pytest.mark.parametrize("command", EXAMPLES)
def test_examples_have_options_of_their_command(segscore: Segscore, command: str) -> None:
    page, whole = segscore(command, "--help").out, segscore(command, "--help-all").out
    for example in EXAMPLES[command]:
        line = f"  segscore {command} {example}"
        assert line in page.splitlines() and len(line) <= 80
        assert {*re.findall(r"--[a-z-]+", example)} <= {*OPTION.findall(whole)}


def test_commands_stand_in_groups(segscore: Segscore) -> None:
    page = segscore("--help").out
    groups = page.split("\n\n")
    assert re.findall(r"^  ([a-z][a-z-]+) ", page, re.MULTILINE) == [*COMMANDS]
    assert sum(re.match(r"[A-Z][a-z ]+:\n  [a-z]", each) is not None for each in groups) == 5


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
    page, whole = segscore(command, name, "--help"), segscore(command, "--help-all")
    assert f"--format {name} " in page.out
    assert {*OPTION.findall(page.out)} <= {*OPTION.findall(whole.out)}


def test_help_of_a_format_is_found_by_the_ending_of_its_files(segscore: Segscore) -> None:
    assert "--format subrip " in segscore("import", "srt", "--help").out


@pytest.mark.parametrize(("command", "known"), [("import", "choi"), ("answers", "quoted")])
def test_help_of_an_unknown_format_lists_the_formats(
    segscore: Segscore, command: str, known: str
) -> None:
    refused = segscore(command, "choy", "--help")
    assert refused.code == 2 and "choy: no such format" in refused.err and known in refused.err

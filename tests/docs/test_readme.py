"""The README's example runs, and its table has every command."""

import json
import re
from pathlib import Path

import pytest

from segscore.jobs.cli.app import COMMANDS
from segscore.pipeline.measures import ALL
from segscore.pipeline.measures.selection import select
from tests.support.command_line import Segscore
from tests.support.pages import commands, fences, same
from tests.support.paths import ROOT

README = (ROOT / "README.md").read_text()


def test_score_your_own(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files, the command with its output and the tables are the README's."""
    monkeypatch.chdir(tmp_path)
    found = fences(ROOT / "README.md")
    for fence in found:
        if fence.file:
            (tmp_path / fence.file).write_text(fence.text)
    (command,) = (one for fence in found if fence.language == "console" for one in commands(fence))
    assert command.words[0] == "segscore"
    result = segscore(*command.words[1:])
    assert result.code == 0, result.err
    assert same(command.expected, result.out + result.err), result.out + result.err
    run = Path(command.words[-1])
    assert json.loads((run / "run.json").read_text())["signature"] in command.expected
    for table in ("scores", "summary", "rejects", "unpaired"):
        assert f"`{table}/`" in README
        assert list((run / table).glob("*.parquet"))


def test_few_words_come_before_the_first_score() -> None:
    """A reader who wants to score a file of their own reads at most 200 words."""
    before, _ = README.split("```console\n", 1)
    read = re.sub(r"^```.*?^```|!\[.*?\]\(.*?\)", "", before, flags=re.DOTALL | re.MULTILINE)
    assert len(read.split()) <= 200


def test_the_example_is_that_of_the_quick_start() -> None:
    names = ("references.jsonl", "systems.jsonl")
    shown, quick = (
        {fence.file: fence.text for fence in fences(page) if fence.file in names}
        for page in (ROOT / "README.md", ROOT / "docs" / "quickstart.md")
    )
    assert shown == quick and shown.keys() == {*names}


def test_every_command_is_in_the_table() -> None:
    for name in COMMANDS:
        (row,) = re.findall(rf"^\| `segscore {name}[ `].*", README, re.MULTILINE)
        assert f"(docs/jobs/{name}.md)" in row, name


def test_the_readme_shows_the_version_of_signatures(segscore: Segscore) -> None:
    (version,) = set(re.findall(r"^segscore\|.*\|v:(.*)$", README, re.MULTILINE))
    assert segscore("--version").out.split()[:2] == ["segscore", version]


def test_the_numbers_of_measures_are_right() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    words = " ".join(text.split())
    assert f"Of the {len(ALL)} measures, the {len(select(()).names)} that most papers" in words

"""The README's example runs, and its table has every command."""

import json
import re
from pathlib import Path

import pytest

from segscore.jobs.cli.app import COMMANDS
from segscore.pipeline.measures import ALL
from segscore.pipeline.measures.selection import select
from tests.support.command_line import Segscore
from tests.support.pages import same
from tests.support.paths import ROOT

README = (ROOT / "README.md").read_text()


def block(language: str, containing: str) -> str:
    """Return the fenced block of a language that contains a text."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    (chosen,) = (text for name, text in blocks if name == language and containing in text)
    return str(chosen)


def test_score_your_own(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lines, the command with its output, the tables and the signature are the README's."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shows.jsonl").write_text(block("json", "show-1"))
    line, shown = block("console", "segscore score shows.jsonl").split("\n", 1)
    prompt, command, *arguments = line.split()
    assert (prompt, command) == ("$", "segscore")
    result = segscore(*arguments)
    assert result.code == 0, result.err
    assert same(shown, result.out + result.err), result.out + result.err
    signature = json.loads((tmp_path / "run" / "run.json").read_text())["signature"]
    assert signature == block("", "segscore|n_t").strip()
    for table in ("scores", "summary", "rejects", "unpaired"):
        assert f"`{table}/`" in README
        assert list((tmp_path / "run" / table).glob("*.parquet"))


def test_every_command_is_in_the_table() -> None:
    for name in COMMANDS:
        (row,) = re.findall(rf"^\| `segscore {name}[ `].*", README, re.MULTILINE)
        assert f"(docs/jobs/{name}.md)" in row, name


def test_the_readme_shows_the_version_of_signatures(segscore: Segscore) -> None:
    version = block("", "segscore|n_t").strip().rpartition("|v:")[2]
    assert segscore("--version").out.split()[:2] == ["segscore", version]


def test_the_numbers_of_measures_are_right() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert f"Of the {len(ALL)} measures, {len(select(()).names)} are computed by default" in text

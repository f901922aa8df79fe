"""The README shows what segscore prints; `test_readme_in_order` runs its blocks in a clone."""

import re
from pathlib import Path

import pytest

from segscore.pipeline.measures import ALL
from tests.support.command_line import Segscore
from tests.support.pages import commands, fences, same
from tests.support.paths import ROOT

README = (ROOT / "README.md").read_text()


def test_the_example_prints_what_is_shown(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = fences(ROOT / "README.md")
    for fence in blocks:
        if fence.file:
            (tmp_path / fence.file).write_text(fence.text)
    (console,) = (fence for fence in blocks if fence.language == "console")
    for command in commands(console):
        result = segscore(*command.words[1:])
        assert (command.words[0], result.code) == ("segscore", 0), result.err
        if command.expected:
            assert same(command.expected, result.out + result.err), result.out + result.err
    assert (tmp_path / "report.html").is_file()


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


def test_the_readme_states_the_version(segscore: Segscore) -> None:
    assert f"segscore is version {segscore('--version').out.split()[1]}, " in README


@pytest.mark.parametrize("name", ["README.md", "docs/index.md", "pyproject.toml", "CITATION.cff"])
def test_the_number_of_measures_is_right(name: str) -> None:
    words = " ".join((ROOT / name).read_text("utf-8").split())
    assert f"Pk, WindowDiff, boundary similarity and {len(ALL) - 3} more measures" in words


def test_the_readme_names_the_measures_that_are_not_exact() -> None:
    """Those that add up fractions, which are kept in units of 2^-40."""
    (named,) = re.findall(r"Measures that add up fractions \((.*?)\)", README, re.DOTALL)
    rounded = [name for name, measure in ALL.items() if "2**-40" in measure.formula]
    assert {name.partition("_")[0] if name.startswith("bcubed") else name for name in rounded} == {
        *re.findall(r"`(\w+)`", named)
    }

"""docs/terminal.md shows what the commands print on a terminal of 80 columns."""

from pathlib import Path

import pytest

from tests.support.pages import DOCS, Command, commands, fences, same
from tests.support.paths import ROOT
from tests.support.terminal import in_terminal


@pytest.mark.long
def test_the_captures_are_what_commands_print(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Command] = []
    for fence in fences(DOCS / "terminal.md"):
        if fence.text.startswith("$ "):
            shown += commands(fence)
    assert {command.words[1] for command in shown} == {"score", "compare"}
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    monkeypatch.chdir(tmp_path)
    printed = in_terminal([command.words[1:] for command in shown], 80)
    for command, (code, lines, *_) in zip(shown, printed, strict=True):
        assert code == 0, lines
        after_progress = "…\n" + command.expected
        assert same(after_progress, "\n".join(lines)), "\n".join(lines)

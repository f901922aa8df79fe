"""A run removes no file that no run wrote, whatever is in its folder and whatever records say."""

import json
from pathlib import Path
from typing import Any

import pytest

from segscore.pipeline.runs import claims
from tests.support.promises import require_one_line, require_same
from tests.support.resuming import Workspace
from tests.support.run_files import everything

OTHER = ("--n-t", 3)


def refusal_line(workspace: Workspace, *options: object) -> str:
    """Return the message of a refused run; check that nothing in its folder has changed."""
    before = everything(workspace.folder)
    result = workspace.score(*options)
    assert result.code == 2
    assert everything(workspace.folder) == before
    return require_one_line(result.err, result.code)


@pytest.mark.parametrize("options", [(), ("--fresh",)], ids=str)
@pytest.mark.parametrize(
    "name", ["scores/notes.txt", "corpus/a.jsonl", "notes.txt", "_unfinished/notes.txt"]
)
def test_a_folder_without_a_run_is_refused(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, name: str, options: tuple[object, ...]
) -> None:
    path = workspace.run / name
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    monkeypatch.setattr(claims, "take_claim", None)  # before any work
    line = refusal_line(workspace, *options)
    assert "contains files that are not a run" in line and "choose an empty or new folder" in line


def test_files_of_a_user_in_a_run_are_kept(workspace: Workspace) -> None:
    assert workspace.score().code == 0
    before = set(everything(workspace.run))
    mine = ["notes.txt", "scores/notes.txt", "mine/scores.parquet", "scores/.hidden"]
    for name in mine:
        (workspace.run / name).parent.mkdir(exist_ok=True)
        (workspace.run / name).write_text("mine")
    assert workspace.score("--fresh", *OTHER).code == 0
    contents = everything(workspace.run)
    assert {name: contents.pop(name) for name in mine} == dict.fromkeys(mine, b"mine")
    assert contents.keys() & before == {"run.json"}
    for name in mine:
        (workspace.run / name).unlink()
    (workspace.run / "mine").rmdir()
    require_same(workspace.run, workspace.undisturbed(*OTHER))


WRONG: list[Any] = [
    {"scores": ["../../victim"]},
    {"scores": ["/etc/hostname"]},
    {"scores": ["victim-0123abcd.parquet/../../victim-0123abcd.parquet"]},
    {"../victim": ["a-0123abcd.parquet"]},
    {"scores": [["a"]]},
    {"scores": "victim"},
    ["victim"],
]


@pytest.mark.parametrize("options", [(), ("--fresh",), ("--fresh", *OTHER)], ids=str)
@pytest.mark.parametrize("files", WRONG, ids=str)
def test_a_record_that_names_other_files_is_refused(
    workspace: Workspace, files: Any, options: tuple[object, ...]
) -> None:
    assert workspace.score().code == 0
    (workspace.folder / "victim").write_text("mine")
    url = workspace.run / "run.json"
    url.write_text(json.dumps({**json.loads(url.read_text()), "files": files}))
    line = refusal_line(workspace, *options)
    assert str(url) in line and "no file was removed" in line


@pytest.mark.parametrize("options", [(), ("--fresh",)], ids=str)
@pytest.mark.parametrize("key", ["shown", "replaced", "start", "step", "stages"])
def test_a_claim_that_names_other_files_is_refused(
    workspace: Workspace, key: str, options: tuple[object, ...]
) -> None:
    (workspace.folder / "victim").write_text("mine")
    plan = {"fingerprint": {}, "stages": {}, key: {"scores": ["../../victim"], "x": 1}}
    url = workspace.run / "_unfinished" / "plan.json"
    url.parent.mkdir(parents=True)
    url.write_text(json.dumps(plan))
    assert str(url) in refusal_line(workspace, *options)


def test_a_link_in_place_of_a_removed_file_is_not_followed(workspace: Workspace) -> None:
    """The link is removed, not its target."""
    victim = workspace.folder / "victim"
    victim.mkdir()
    (victim / "mine.txt").write_text("mine")
    assert workspace.score().code == 0
    ours: Path = next((workspace.run / "scores").iterdir())
    ours.unlink()
    ours.symlink_to(victim)
    assert workspace.score("--fresh", *OTHER).code == 0
    assert (victim / "mine.txt").read_text() == "mine"
    require_same(workspace.run, workspace.undisturbed(*OTHER))

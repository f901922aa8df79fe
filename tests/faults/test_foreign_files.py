"""A run removes no file that no run wrote, whatever is in its folder and whatever records say."""

import json
from pathlib import Path
from typing import Any

import pytest

from segscore.pipeline.runs import claims
from tests.support.promises import require_one_line, require_same
from tests.support.resuming import Desk
from tests.support.run_files import everything

OTHER = ("--n-t", 3)


def refused(desk: Desk, *options: object) -> str:
    """Return the message of a refused run; check that nothing in its folder has changed."""
    before = everything(desk.folder)
    ended = desk.score(*options)
    assert ended.code == 2
    assert everything(desk.folder) == before
    return require_one_line(ended.err, ended.code)


@pytest.mark.parametrize("options", [(), ("--fresh",)], ids=str)
@pytest.mark.parametrize(
    "name", ["scores/notes.txt", "corpus/a.jsonl", "notes.txt", "_unfinished/notes.txt"]
)
def test_a_folder_without_a_run_is_refused(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, name: str, options: tuple[object, ...]
) -> None:
    path = desk.run / name
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    monkeypatch.setattr(claims, "take_claim", None)  # before any work
    line = refused(desk, *options)
    assert "contains files that are not a run" in line and "choose an empty or new folder" in line


def test_files_of_a_user_in_a_run_are_kept(desk: Desk) -> None:
    assert desk.score().code == 0
    before = set(everything(desk.run))
    mine = ["notes.txt", "scores/notes.txt", "mine/scores.parquet", "scores/.hidden"]
    for name in mine:
        (desk.run / name).parent.mkdir(exist_ok=True)
        (desk.run / name).write_text("mine")
    assert desk.score("--fresh", *OTHER).code == 0
    contents = everything(desk.run)
    assert {name: contents.pop(name) for name in mine} == dict.fromkeys(mine, b"mine")
    assert contents.keys() & before == {"run.json"}
    for name in mine:
        (desk.run / name).unlink()
    (desk.run / "mine").rmdir()
    require_same(desk.run, desk.undisturbed(*OTHER))


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
    desk: Desk, files: Any, options: tuple[object, ...]
) -> None:
    assert desk.score().code == 0
    (desk.folder / "victim").write_text("mine")
    url = desk.run / "run.json"
    url.write_text(json.dumps({**json.loads(url.read_text()), "files": files}))
    line = refused(desk, *options)
    assert str(url) in line and "no file was removed" in line


@pytest.mark.parametrize("options", [(), ("--fresh",)], ids=str)
@pytest.mark.parametrize("key", ["shown", "replaced", "start", "step", "stages"])
def test_a_claim_that_names_other_files_is_refused(
    desk: Desk, key: str, options: tuple[object, ...]
) -> None:
    (desk.folder / "victim").write_text("mine")
    plan = {"fingerprint": {}, "stages": {}, key: {"scores": ["../../victim"], "x": 1}}
    url = desk.run / "_unfinished" / "plan.json"
    url.parent.mkdir(parents=True)
    url.write_text(json.dumps(plan))
    assert str(url) in refused(desk, *options)


def test_a_link_in_place_of_a_removed_file_is_not_followed(desk: Desk) -> None:
    """The link is removed, not its target."""
    victim = desk.folder / "victim"
    victim.mkdir()
    (victim / "mine.txt").write_text("mine")
    assert desk.score().code == 0
    ours: Path = next((desk.run / "scores").iterdir())
    ours.unlink()
    ours.symlink_to(victim)
    assert desk.score("--fresh", *OTHER).code == 0
    assert (victim / "mine.txt").read_text() == "mine"
    require_same(desk.run, desk.undisturbed(*OTHER))

"""An interrupted run is resumed where it stopped, or refused with one message."""

import json
import os
import pickle
import platform
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed
from segscore.pipeline.runs import publication, receipts
from segscore.pipeline.scoring.documents import PartSurvey
from segscore.pipeline.scoring.records import Receipt
from tests.support.driven import Gate, wait
from tests.support.forged import FORGERIES
from tests.support.killing import kill
from tests.support.promises import require_one_line, require_same, strays
from tests.support.resuming import Workspace
from tests.support.run_files import files


@pytest.fixture
def unfinished(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A run with one failed part."""
    with monkeypatch.context() as patch:
        keep = receipts.keep

        def fail(folder: str, stage: str, part: str, *receipt: Any) -> None:
            if stage == "scored" and part.startswith("part-00002"):
                raise Failed("no luck")
            keep(folder, stage, part, *receipt)

        patch.setattr(receipts, "keep", fail)
        result = workspace.score()
    assert result.code == 1
    assert "1 of 6 parts failed" in result.err and "no luck" in result.err
    assert len(workspace.receipts) == 5
    assert strays(workspace.run, {}) and not (workspace.run / "run.json").exists()
    return workspace


def state(run: Path) -> dict[str, tuple[int, ...]]:
    """Return what would change if a file or a folder were written."""
    statuses = {str(path.relative_to(run)): path.stat() for path in run.rglob("*")}
    return {
        name: (status.st_ino, status.st_size, status.st_mtime_ns)
        for name, status in statuses.items()
    }


KILL_AT_THREE = {"third": Gate("runs.receipts.keep", "kill", "scored/part-00003")}


# --- Killed, and the same command again ----------------------------------------------------------


def test_finished_parts_are_not_read_again(workspace: Workspace) -> None:
    """Finished parts are used even if their input can no longer be read."""
    expected = workspace.undisturbed()
    _, command = workspace.start(KILL_AT_THREE)
    assert command.result().code == -9
    before = workspace.receipts
    assert sorted(name[:10] for name in before) == ["part-00000", "part-00001", "part-00002"]
    first = workspace.folder / "hypotheses" / "0.parquet"
    was = first.stat()
    content = first.read_bytes()
    first.write_bytes(content[:4] + bytes(400) + content[404:])
    os.utime(first, ns=(was.st_atime_ns, was.st_mtime_ns))
    fault_plan, command = workspace.start(
        {"end": Gate("storage.write_new_text", "wait", "run.json")}
    )
    wait(lambda: fault_plan.reached("end"), "the run got ready to publish")
    after = workspace.receipts
    fault_plan.open("end")
    assert command.result().code == 0
    require_same(workspace.run, expected)
    assert before.items() <= after.items()
    assert not before.keys() & {f"{part}.receipt" for _, part, _ in fault_plan.finished_parts()}
    assert workspace.segscore(*workspace.arguments(workspace.folder / "other")).code != 0


def damaged(content: bytes) -> Iterator[bytes]:
    """Yield what may become of a file: a bit is another one, its end is lost, all is lost."""
    middle = len(content) // 2
    yield content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    yield content[:middle]
    yield b""


def test_a_damaged_file_of_a_finished_part_is_made_again(workspace: Workspace) -> None:
    expected = workspace.undisturbed()
    _, command = workspace.start(KILL_AT_THREE)
    assert command.result().code == -9
    before = workspace.receipts
    prepared = [*(workspace.run / "_unfinished").glob("*/*/part-00000*.parquet")]
    assert {path.parent.name for path in prepared} >= {"scores", "rejects", "unpaired"}
    for path, how in zip(prepared, range(3), strict=False):
        path.write_bytes([*damaged(path.read_bytes())][how])
    next((workspace.run / "_unfinished").glob("*/scores/part-00001*")).unlink()
    result = workspace.score()
    assert result.code == 0
    assert result.err.count("is not as it was written, and is made again") == 2
    require_same(workspace.run, expected)
    assert len(before) == 3


def test_a_finished_run_is_not_changed(workspace: Workspace) -> None:
    first = workspace.score()
    assert first.code == 0
    before = state(workspace.run)
    result = workspace.score()
    assert result.code == 0
    assert "already contains this run, finished" in result.out
    assert {*result.err.splitlines()} <= {*first.err.splitlines()}, "only the run's warnings"
    assert state(workspace.run) == before


# --- Changed inputs and settings -----------------------------------------------------------------


def replaced(workspace: Workspace) -> Path:
    """Replace an input file by another one."""
    url = workspace.folder / "hypotheses" / "1.parquet"
    workspace.corpus.hypotheses.pop()
    workspace.write_again()
    return url


@pytest.mark.parametrize("what", ["setting", "input", "version"])
@pytest.mark.parametrize("finished", [False, True])
def test_changed_settings_inputs_or_versions_are_refused(
    unfinished: Workspace, monkeypatch: pytest.MonkeyPatch, what: str, finished: bool
) -> None:
    workspace = unfinished
    options = ("--n-t", 3) if what == "setting" else ()
    message = "n_t was 2, is 3"
    if finished:
        assert workspace.score().code == 0
    if what == "input":
        message = f"the input {replaced(workspace)} has changed (it "
    if what == "version":
        monkeypatch.setattr("segscore.pipeline.runs.fingerprint.version", lambda _: "9.0")
        message = f"version was {version('segscore')}, is 9.0"
    before = state(workspace.run)
    result = workspace.score(*options)
    assert message in require_one_line(result.err, result.code)
    assert result.code == 2
    assert state(workspace.run) == before
    assert workspace.score("--fresh", *options).code == 0
    require_same(workspace.run, workspace.undisturbed(*options))


def test_an_input_replaced_during_the_run_is_reported(workspace: Workspace) -> None:
    gate = Gate("runs.shuffle.read_slice", "wait", "hypotheses")
    fault_plan, command = workspace.start({"hypotheses": gate})
    wait(lambda: fault_plan.reached("hypotheses"), "the references were read")
    url = replaced(workspace)
    fault_plan.open("hypotheses")
    result = command.result()
    line = require_one_line(result.err, result.code)
    assert str(url.parent) in line and result.code == 1
    assert not (workspace.run / "run.json").exists()
    refused = workspace.score()
    assert refused.code == 2
    assert "has changed" in require_one_line(refused.err, refused.code)
    assert workspace.score("--fresh").code == 0
    require_same(workspace.run, workspace.undisturbed())


# --- Forged receipts -----------------------------------------------------------------------------


class Malice:
    """Runs a command when it is unpickled."""

    def __init__(self, touched: Path) -> None:
        self.touched = touched

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (f"touch {self.touched}",)


DAMAGED = ("garbage", "nothing", "half", "malice", "other", "a bomb", "deep lists")
FORGED = ("an unknown dtype", "2^40 values", "another field")


@pytest.mark.parametrize("what", DAMAGED)
def test_a_part_whose_receipt_is_damaged_is_made_again(unfinished: Workspace, what: str) -> None:
    workspace = unfinished
    receipt, touched = workspace.receipt(), workspace.folder / "touched"
    content = {
        "garbage": b"\x00garbage",
        "nothing": b"",
        "half": receipt.read_bytes()[:-20],
        "malice": pickle.dumps(Malice(touched)),
        "other": pickle.dumps(Path("/")),
        **{name: FORGERIES[name]() for name in ("a bomb", "deep lists")},
    }[what]
    receipt.write_bytes(content)
    result = workspace.score()
    assert result.code == 0 and not touched.exists()
    assert f"{receipt}: is not as it was written, and is made again" in result.err
    require_same(workspace.run, workspace.undisturbed())


@pytest.mark.parametrize("what", FORGED)
def test_an_invalid_receipt_is_refused(unfinished: Workspace, what: str) -> None:
    workspace = unfinished
    receipt, content = workspace.receipt(), FORGERIES[what]()
    receipt.write_bytes(content)
    result = workspace.score()
    assert str(receipt) in require_one_line(result.err, result.code)
    assert result.code == 1
    assert receipt.read_bytes() == content
    assert not (workspace.run / "run.json").exists()
    assert workspace.score("--fresh").code == 0
    require_same(workspace.run, workspace.undisturbed())


def rewritten(workspace: Workspace, **changed: object) -> None:
    """Replace fields of a receipt, as somebody who knows its format could."""
    path = workspace.receipt()
    place = str(path.parents[2]), path.parent.name, path.name.removesuffix(receipts.ENDING)
    receipt = receipts.load(*place, Receipt)
    for name, value in changed.items():
        object.__setattr__(receipt, name, value)  # without the checks of a new one
    receipts.keep(*place, receipt)


ROWS_OF_NOTHING: dict[str, dict[str, dict[str, int]]] = {
    "no counts": {"hypotheses": {}},
    "another count": {"hypotheses": {"in": 3}},
    "another table": {"x": {"in": 3, "scored": 1, "rejected": 1, "unpaired": 1}},
    "a sum": {"hypotheses": {"in": 3, "scored": 1, "rejected": 1, "unpaired": 0}},
    "less than none": {"hypotheses": {"in": 1, "scored": 2, "rejected": -1, "unpaired": 0}},
}


@pytest.mark.parametrize("what", ROWS_OF_NOTHING)
def test_a_receipt_whose_counts_fit_nothing(unfinished: Workspace, what: str) -> None:
    rewritten(unfinished, rows=ROWS_OF_NOTHING[what])
    result = unfinished.score()
    assert "run again with --fresh" in require_one_line(result.err, result.code)
    assert result.code == 1 and not (unfinished.run / "run.json").exists()


def test_receipts_that_do_not_fit_together(
    unfinished: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise KeyError("hypotheses")

    monkeypatch.setattr("segscore.pipeline.scoring.score_documents.add_rows", fail)
    result = unfinished.score()
    line = require_one_line(result.err, result.code)
    assert "does not fit together (KeyError: 'hypotheses'); run again with --fresh" in line
    with pytest.raises(KeyError):  # nothing was read that somebody else wrote
        unfinished.score("--fresh")


@pytest.mark.parametrize("part", ["../../x", "/etc/passwd", "part-9"])
def test_a_receipt_that_names_another_part(unfinished: Workspace, part: str) -> None:
    rewritten(unfinished, part=part)
    result = unfinished.score()
    line = require_one_line(result.err, result.code)
    assert "it is the receipt of another part" in line and "run again with --fresh" in line
    assert result.code == 1


def test_boundary_types_missing_from_the_survey_are_reported(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    types = {"references": 1, "hypotheses": 2}
    tables = [
        with_lists(workspace, name, boundary_types=boundary_type)
        for name, boundary_type in types.items()
    ]
    arguments = ("score", *tables, "--output", workspace.run)
    with monkeypatch.context() as patch:
        patch.setattr("segscore.pipeline.scoring.score_documents.score_rows", refuse)
        assert workspace.segscore(*arguments).code == 1
    stages = list((workspace.run / "_unfinished").glob("**/receipts/surveyed"))
    for path in (path for stage in stages for path in stage.iterdir()):
        place = str(path.parents[2]), "surveyed", path.name.removesuffix(receipts.ENDING)
        receipts.keep(*place, replace(receipts.load(*place, PartSurvey), types=(7,)))
    result = workspace.segscore(*arguments)
    assert "boundary types missing from the survey" in require_one_line(result.err, result.code)
    assert stages and result.code == 1


ATTRIBUTES = "genre,year,day,at,known"


def described(workspace: Workspace) -> Path:
    """Write a documents table with attributes of every type that can name a group."""
    rows = [
        {
            **row,
            "day": date(2001, 1, 1 + i % 2),
            "at": datetime(2001, 1, 1 + i % 3),
            "known": [True, False, None][i % 3],
        }
        for i, row in enumerate(workspace.corpus.documents)
    ]
    path = workspace.folder / "described.parquet"
    storage.write_table(str(path), pa.Table.from_pylist(rows))
    return path


def with_lists(workspace: Workspace, name: str, **columns: object) -> Path:
    """Return the rows of a table with further columns, a value for each boundary."""
    path = workspace.folder / f"{name}.jsonl"
    rows = getattr(workspace.corpus, name)
    with path.open("w") as file:
        for row in rows:
            lists = {key: [element] * len(row["boundaries"]) for key, element in columns.items()}
            file.write(json.dumps({**row, **lists}) + "\n")
    return path


def command(workspace: Workspace, kind: str) -> tuple[object, ...]:
    """Return a command line without its output."""
    tables = (workspace.folder / "references", workspace.folder / "hypotheses")
    groups = ("--documents", described(workspace), "--group-by", ATTRIBUTES)
    if kind == "agree":
        return ("agree", tables[0], *groups)
    if kind == "sweep":
        return ("sweep", tables[0], with_lists(workspace, "hypotheses", boundary_scores=0.5))
    if kind == "types":
        typed = [
            with_lists(workspace, name, boundary_types=1) for name in ("references", "hypotheses")
        ]
        return ("score", *typed, "--confusion")
    return ("score", *tables, *groups, "--consensus", "0.5", "--reference-points", "none,all")


@pytest.mark.parametrize("kind", ["score", "types", "sweep", "agree"])
def test_every_receipt_can_be_read_again(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """When all parts are done, a run only reads their receipts."""
    arguments = command(workspace, kind)
    whole_run = workspace.folder / "whole"
    assert workspace.segscore(*arguments, "--output", whole_run).code == 0
    with monkeypatch.context() as patch:
        patch.setattr(publication, "publish", refuse)
        assert workspace.segscore(*arguments, "--output", workspace.run).code == 1
    with monkeypatch.context() as patch:
        patch.setattr(receipts, "keep", refuse)
        result = workspace.segscore(*arguments, "--output", workspace.run)
    assert result.code == 0, result.err
    require_same(workspace.run, files(whole_run))


def refuse(*arguments: object) -> None:
    raise Failed("no luck")


# --- show ----------------------------------------------------------------------------------------


def test_show_distinguishes_running_and_dead_jobs(workspace: Workspace) -> None:
    fault_plan, command = workspace.start(
        {"third": Gate("runs.receipts.keep", "wait", "scored/part-00003")}
    )
    wait(lambda: fault_plan.reached("third"), "the third part was read")
    result = workspace.segscore("show", workspace.run)
    pid = command.process.pid
    dead = f"unfinished, started by process {pid} on {platform.node()}"
    assert result.code == 0
    assert f"unfinished, running as process {pid} on {platform.node()}" in result.out
    assert "scored: 3 of 6 parts" in result.out
    refused = workspace.score()
    assert f"another run is in progress here (process {pid})" in refused.err and refused.code == 2
    kill(pid)  # and nobody waits for its end, as in a container without an init process
    wait(
        lambda: dead in workspace.segscore("show", workspace.run).out,
        "show says that it is dead",
    )
    assert "scored: 3 of 6 parts" in workspace.segscore("show", workspace.run).out
    assert workspace.score().code == 0
    result = workspace.segscore("show", workspace.run)
    assert "written" not in result.out and "unfinished" not in result.out
    assert workspace.run.name in result.out


def test_a_dead_process_whose_number_was_reused_is_recognised(unfinished: Workspace) -> None:
    """In a container, the first processes have the same numbers at each start."""
    url = unfinished.run / "_unfinished" / "plan.json"
    plan = json.loads(url.read_text())
    if plan["born"] is None:
        pytest.skip("this system does not report when a process started")
    with subprocess.Popen(["sleep", "600"]) as later:  # noqa: S607
        url.write_text(json.dumps({**plan, "pid": later.pid}))
        result = unfinished.score()
        later.kill()
    assert result.code == 0, result.err


# --- A full disk ---------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk with little space, where the system lets tests mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder],  # noqa: S607
        check=False,
        capture_output=True,
    )
    if mounted.returncode:
        pytest.skip("no right to mount a small disk")
    yield folder
    subprocess.run(["umount", folder], check=True)  # noqa: S607


def whole(run: Path) -> bool:
    """Return whether every table in a folder can be read, and no file is half-written."""
    for path in run.rglob("*"):
        assert not path.name.endswith(".tmp")
        if path.suffix == ".parquet":
            storage.open_parquet(str(path)).read()
    return True


def test_a_full_disk_leaves_no_partial_table(workspace: Workspace, small_disk: Path) -> None:
    expected = workspace.undisturbed()
    workspace.run = small_disk / "run"
    _, command = workspace.start({})
    result = command.result()
    assert "no space left" in require_one_line(result.err, result.code)
    assert result.code == 1
    assert whole(workspace.run) and not (workspace.run / "run.json").exists()
    receipts = workspace.receipts
    assert receipts
    larger = ["mount", "-o", "remount,size=10m", str(small_disk)]
    subprocess.run(larger, check=True)
    fault_plan, command = workspace.start({})
    assert command.result().code == 0
    assert not receipts.keys() & {f"{part}.receipt" for _, part, _ in fault_plan.finished_parts()}
    require_same(workspace.run, expected)


@pytest.mark.parametrize(
    "function", ["part-00003", "summary.parquet", "receipts/scored", "plan.json"]
)
def test_an_error_of_a_full_disk_is_reported_in_one_line(
    workspace: Workspace, function: str
) -> None:
    """The error is raised where the file is written, as by a full disk."""
    expected = workspace.undisturbed()
    _, command = workspace.start({"full": Gate("storage.temporary.path_beside", "full", function)})
    result = command.result()
    assert "no space left" in require_one_line(result.err, result.code)
    assert result.code == 1
    assert whole(workspace.run) and not (workspace.run / "run.json").exists()
    assert workspace.score().code == 0
    require_same(workspace.run, expected)

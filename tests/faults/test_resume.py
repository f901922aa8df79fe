"""An interrupted run is resumed where it stopped, or refused with one message."""

import json
import os
import pickle
import platform
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed
from segscore.pipeline.runs import publication, receipts
from segscore.pipeline.scoring.part import Receipt
from tests.support.driven import Drive, Gate, wait
from tests.support.forged import FORGERIES
from tests.support.killing import Command, kill
from tests.support.promises import require_one_line, require_same, strays
from tests.support.resuming import ROWS, Desk
from tests.support.run_files import files


@pytest.fixture
def unfinished(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A run with one failed part."""
    with monkeypatch.context() as patch:
        keep = receipts.keep

        def fail(folder: str, stage: str, part: str, receipt: object) -> None:
            if part.startswith("part-00002"):
                raise Failed("no luck")
            keep(folder, stage, part, receipt)

        patch.setattr(receipts, "keep", fail)
        ended = desk.score()
    assert ended.code == 1
    assert "1 of 7 parts failed" in ended.err and "no luck" in ended.err
    assert len(desk.kept) == 6
    assert strays(desk.run, {}) and not (desk.run / "run.json").exists()
    return desk


def state(run: Path) -> dict[str, tuple[int, ...]]:
    """Return what would change if a file or a folder were written."""
    statuses = {str(path.relative_to(run)): path.stat() for path in run.rglob("*")}
    return {
        name: (status.st_ino, status.st_size, status.st_mtime_ns)
        for name, status in statuses.items()
    }


KILL_AT_THREE = {"third": Gate("runs.receipts.keep", "kill", "part-00003")}
RECORD_GATE = Gate("storage.write_new_text", "kill", "run.json")


# --- Killed, and the same command again ----------------------------------------------------------


def test_finished_parts_are_not_read_again(desk: Desk) -> None:
    """Finished parts are used even if their input can no longer be read."""
    expected = desk.undisturbed()
    _, command = desk.start(KILL_AT_THREE)
    assert command.ended().code == -9
    before = desk.kept
    assert sorted(name[:10] for name in before) == ["part-00000", "part-00001", "part-00002"]
    first = desk.folder / "hypotheses" / "0.parquet"
    was = first.stat()
    content = first.read_bytes()
    first.write_bytes(content[:4] + bytes(400) + content[404:])
    os.utime(first, ns=(was.st_atime_ns, was.st_mtime_ns))
    drive, command = desk.start({"end": Gate("storage.write_new_text", "wait", "run.json")})
    wait(lambda: drive.reached("end"), "the run got ready to publish")
    after = desk.kept
    drive.open("end")
    assert command.ended().code == 0
    require_same(desk.run, expected)
    assert before.items() <= after.items()
    assert not before.keys() & {f"{part}.receipt" for _, part, _ in drive.done()}
    assert desk.segscore(*desk.arguments(desk.folder / "other")).code != 0


@pytest.mark.parametrize("after", [False, True], ids=["before the record", "after the record"])
def test_a_run_killed_between_tables_and_record_can_be_resumed(desk: Desk, after: bool) -> None:
    expected = desk.undisturbed()
    gate = Gate("storage.write_new_text", "kill", "run.json", after=after)
    _, command = desk.start({"record": gate})
    assert command.ended().code == -9
    assert (desk.run / "run.json").exists() == after
    assert (desk.run / "scores").exists()
    published = sorted(path.name for path in (desk.run / "scores").iterdir())[0]
    ending = ".0123456789abcdef.tmp"
    half = [desk.run / f".run.json{ending}", desk.run / "scores" / f".{published}{ending}"]
    for path in half:
        path.write_bytes(b"half")
    ended = desk.score()
    assert ended.code == 0
    assert ("finished; pass --fresh to repeat it" in ended.out) == after
    require_same(desk.run, expected)


def test_a_finished_run_is_not_changed(desk: Desk) -> None:
    assert desk.score().code == 0
    before = state(desk.run)
    ended = desk.score()
    assert ended.code == 0
    assert "already contains this run, finished" in ended.out
    assert not ended.err
    assert state(desk.run) == before


def test_a_run_killed_while_removing_duplicates_can_be_resumed(desk: Desk) -> None:
    """The second pass over a part is resumed by itself."""
    desk.with_duplicates()
    expected = desk.undisturbed()
    assert sum("-again-" in name for name in expected if name.startswith("scores/")) > 2
    _, command = desk.start({"again": Gate("runs.receipts.keep", "kill", "-again", after=True)})
    assert command.ended().code == -9
    drive, command = desk.start({})
    assert command.ended().code == 0
    assert {stage for stage, _, _ in drive.done()} == {"scored-again", "sums"}
    require_same(desk.run, expected)


def test_a_run_killed_while_fresh_removes_files_can_be_resumed(desk: Desk) -> None:
    """Receipts never outlive the parts that they describe."""
    expected = desk.undisturbed()
    _, command = desk.start(KILL_AT_THREE)
    assert command.ended().code == -9
    # The second removal is that of the parts; killed as it begins, some parts are gone.
    gate = {"removal": Gate("storage.remove", "kill", "plan.json", after=True)}
    _, command = desk.start(gate, "--fresh")
    assert command.ended().code == -9
    for scores in list((desk.run / "_unfinished").glob("**/scores")):
        shutil.rmtree(scores)
    assert desk.score().code == 0
    require_same(desk.run, expected)


# --- Changed inputs and settings -----------------------------------------------------------------


def replaced(desk: Desk) -> Path:
    """Replace an input file by another one."""
    url = desk.folder / "hypotheses" / "1.parquet"
    desk.corpus.hypotheses.pop()
    desk.write_again()
    return url


@pytest.mark.parametrize("what", ["setting", "input", "version"])
@pytest.mark.parametrize("finished", [False, True])
def test_changed_settings_inputs_or_versions_are_refused(
    unfinished: Desk, monkeypatch: pytest.MonkeyPatch, what: str, finished: bool
) -> None:
    desk = unfinished
    options = ("--n-t", 3) if what == "setting" else ()
    message = "n_t was 2, is 3"
    if finished:
        assert desk.score().code == 0
    if what == "input":
        message = f"the input {replaced(desk)} has changed (was "
    if what == "version":
        monkeypatch.setattr("segscore.pipeline.runs.fingerprint.version", lambda _: "0.3.0")
        message = "version was 0.2.0, is 0.3.0"
    before = state(desk.run)
    ended = desk.score(*options)
    assert message in require_one_line(ended.err, ended.code)
    assert ended.code == 2
    assert state(desk.run) == before
    assert desk.score("--fresh", *options).code == 0
    require_same(desk.run, desk.undisturbed(*options))


def test_an_input_replaced_during_the_run_is_reported(desk: Desk) -> None:
    drive, command = desk.start({"second": Gate("runs.receipts.keep", "wait", "part-00001")})
    wait(lambda: drive.reached("second"), "the second part was read")
    url = replaced(desk)
    drive.open("second")
    ended = command.ended()
    line = require_one_line(ended.err, ended.code)
    assert str(url.parent) in line and ended.code == 1
    assert not (desk.run / "run.json").exists()
    refused = desk.score()
    assert refused.code == 2
    assert "has changed" in require_one_line(refused.err, refused.code)
    assert desk.score("--fresh").code == 0
    require_same(desk.run, desk.undisturbed())


# --- Forged receipts -----------------------------------------------------------------------------


class Malice:
    """Runs a command when it is unpickled."""

    def __init__(self, touched: Path) -> None:
        self.touched = touched

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (f"touch {self.touched}",)


FORGED = ("an unknown dtype", "2^40 values", "a bomb", "deep lists", "another field")


@pytest.mark.parametrize("what", ["garbage", "nothing", "half", "malice", "other", *FORGED])
def test_an_invalid_receipt_is_refused(unfinished: Desk, what: str) -> None:
    desk = unfinished
    receipt, touched = desk.receipt(), desk.folder / "touched"
    content = {
        "garbage": b"\x00garbage",
        "nothing": b"",
        "half": receipt.read_bytes()[:-20],
        "malice": pickle.dumps(Malice(touched)),
        "other": pickle.dumps(Path("/")),
        **{name: FORGERIES[name]() for name in FORGED},
    }[what]
    receipt.write_bytes(content)
    ended = desk.score()
    assert str(receipt) in require_one_line(ended.err, ended.code)
    assert ended.code == 1
    assert not touched.exists()
    assert receipt.read_bytes() == content
    assert not (desk.run / "run.json").exists()
    assert desk.score("--fresh").code == 0
    require_same(desk.run, desk.undisturbed())


def rewritten(desk: Desk, **changed: object) -> None:
    """Replace fields of a receipt, as somebody who knows its format could."""
    path = desk.receipt()
    place = str(path.parents[2]), path.parent.name, path.name.removesuffix(receipts.ENDING)
    receipts.keep(*place, replace(receipts.load(*place, Receipt), **changed))  # type: ignore[arg-type]


@pytest.mark.parametrize("field", ["paired", "seen"])
def test_a_receipt_of_another_corpus(unfinished: Desk, field: str) -> None:
    """Compiled loops and sums would read beyond an array."""
    few = np.zeros(1, np.uint8)
    rewritten(unfinished, **{field: {"a": (few, few)} if field == "seen" else few})
    ended = unfinished.score()
    assert "run again with --fresh" in require_one_line(ended.err, ended.code)
    assert ended.code == 1 and not (unfinished.run / "run.json").exists()


def test_boundary_types_missing_from_the_survey_are_reported(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    types = {"references": 1, "hypotheses": 2}
    tables = [
        with_lists(desk, name, boundary_types=boundary_type)
        for name, boundary_type in types.items()
    ]
    arguments = ("score", *tables, "--replicates", 0, "--output", desk.run)
    with monkeypatch.context() as patch:
        patch.setattr("segscore.pipeline.scoring.broadcast.score_hypotheses", refuse)
        assert desk.segscore(*arguments).code == 1
    stages = list((desk.run / "_unfinished").glob("**/receipts/surveyed"))
    for path in (path for stage in stages for path in stage.iterdir()):
        place = str(path.parents[2]), "surveyed", path.name.removesuffix(receipts.ENDING)
        receipts.keep(*place, replace(receipts.load(*place, Receipt), types=(7,)))
    ended = desk.segscore(*arguments)
    assert "boundary types missing from the survey" in require_one_line(ended.err, ended.code)
    assert stages and ended.code == 1


ATTRIBUTES = "genre,year,day,at,known"


def described(desk: Desk) -> Path:
    """Write a documents table with attributes of every type that can name a group."""
    rows = [
        {
            **row,
            "day": date(2001, 1, 1 + i % 2),
            "at": datetime(2001, 1, 1 + i % 3),
            "known": [True, False, None][i % 3],
        }
        for i, row in enumerate(desk.corpus.documents)
    ]
    path = desk.folder / "described.parquet"
    storage.write_table(str(path), pa.Table.from_pylist(rows))
    return path


def with_lists(desk: Desk, name: str, **columns: object) -> Path:
    """Return the rows of a table with further columns, a value for each boundary."""
    path = desk.folder / f"{name}.jsonl"
    rows = getattr(desk.corpus, name)
    with path.open("w") as file:
        for row in rows:
            lists = {key: [element] * len(row["boundaries"]) for key, element in columns.items()}
            file.write(json.dumps({**row, **lists}) + "\n")
    return path


def command(desk: Desk, kind: str) -> tuple[object, ...]:
    """Return a command line without its output."""
    tables = (desk.folder / "references", desk.folder / "hypotheses")
    groups = ("--documents", described(desk), "--group-by", ATTRIBUTES)
    if kind == "agree":
        return ("agree", tables[0], *groups)
    if kind == "sweep":
        return ("sweep", tables[0], with_lists(desk, "hypotheses", boundary_scores=0.5))
    if kind == "types":
        typed = [with_lists(desk, name, boundary_types=1) for name in ("references", "hypotheses")]
        return ("score", *typed, "--confusion")
    return ("score", *tables, *groups, "--consensus", "0.5", "--reference-points", "none,all")


@pytest.mark.parametrize("kind", ["score", "types", "sweep", "agree"])
def test_every_receipt_can_be_read_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """When all parts are done, a run only reads their receipts."""
    arguments = command(desk, kind)
    whole_run = desk.folder / "whole"
    assert desk.segscore(*arguments, "--output", whole_run).code == 0
    with monkeypatch.context() as patch:
        patch.setattr(publication, "publish", refuse)
        assert desk.segscore(*arguments, "--output", desk.run).code == 1
    with monkeypatch.context() as patch:
        patch.setattr(receipts, "keep", refuse)
        ended = desk.segscore(*arguments, "--output", desk.run)
    assert ended.code == 0, ended.err
    require_same(desk.run, files(whole_run))


def refuse(*arguments: object) -> None:
    raise Failed("no luck")


# --- Status --------------------------------------------------------------------------------------


def test_status_distinguishes_running_and_dead_jobs(desk: Desk) -> None:
    drive, command = desk.start({"third": Gate("runs.receipts.keep", "wait", "part-00003")})
    wait(lambda: drive.reached("third"), "the third part was read")
    ended = desk.segscore("status", desk.run)
    pid = command.process.pid
    dead = f"unfinished, started by process {pid} on {platform.node()}"
    assert ended.code == 0
    assert f"unfinished, running as process {pid} on {platform.node()}" in ended.out
    assert "scored: 3 of 7 parts" in ended.out
    refused = desk.score()
    assert f"another run is in progress here (process {pid})" in refused.err and refused.code == 2
    kill(pid)  # and nobody waits for its end, as in a container without an init process
    wait(lambda: dead in desk.segscore("status", desk.run).out, "status says that it is dead")
    assert "scored: 3 of 7 parts" in desk.segscore("status", desk.run).out
    assert desk.score().code == 0
    ended = desk.segscore("status", desk.run)
    assert ended.out.startswith("finished:") and "unfinished" not in ended.out


def test_a_dead_process_whose_number_was_reused_is_recognised(unfinished: Desk) -> None:
    """In a container, the first processes have the same numbers at each start."""
    url = unfinished.run / "_unfinished" / "plan.json"
    plan = json.loads(url.read_text())
    if plan["born"] is None:
        pytest.skip("this system does not tell when a process started")
    with subprocess.Popen(["sleep", "600"]) as later:  # noqa: S607
        url.write_text(json.dumps({**plan, "pid": later.pid}))
        ended = unfinished.score()
        later.kill()
    assert ended.code == 0, ended.err


# --- A full disk ---------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk with little space, where the system lets tests mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", folder],  # noqa: S607
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


def test_a_full_disk_leaves_no_partial_table(desk: Desk, small_disk: Path) -> None:
    expected = desk.undisturbed()
    desk.run = small_disk / "run"
    _, command = desk.start({})
    ended = command.ended()
    assert "no space left" in require_one_line(ended.err, ended.code)
    assert ended.code == 1
    assert whole(desk.run) and not (desk.run / "run.json").exists()
    receipts = desk.kept
    assert receipts
    larger = ["mount", "-o", "remount,size=10m", str(small_disk)]
    subprocess.run(larger, check=True)
    drive, command = desk.start({})
    assert command.ended().code == 0
    assert not receipts.keys() & {f"{part}.receipt" for _, part, _ in drive.done()}
    require_same(desk.run, expected)


@pytest.mark.parametrize(
    "function", ["part-00003", "summary.parquet", "receipts/scored", "plan.json"]
)
def test_an_error_of_a_full_disk_is_reported_in_one_line(desk: Desk, function: str) -> None:
    """The error is raised where the file is written, as by a full disk."""
    expected = desk.undisturbed()
    _, command = desk.start({"full": Gate("storage.temporary.path_beside", "full", function)})
    ended = command.ended()
    assert "no space left" in require_one_line(ended.err, ended.code)
    assert ended.code == 1
    assert whole(desk.run) and not (desk.run / "run.json").exists()
    assert desk.score().code == 0
    require_same(desk.run, expected)


# --- Agreement runs ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "gate",
    [
        Gate("storage.write_text", "kill", "met.txt"),
        pytest.param(
            Gate("storage.write_text", "kill", "met.txt", after=True), marks=pytest.mark.long
        ),
        Gate("runs.receipts.keep", "kill", "part-00002"),
        pytest.param(Gate("storage.remove", "kill", "/met", after=True), marks=pytest.mark.long),
        pytest.param(RECORD_GATE, marks=pytest.mark.long),
    ],
    ids=["before rows met", "when rows met", "a part", "rows removed", "record"],
)
def test_an_agreement_run_can_be_resumed(desk: Desk, gate: Gate) -> None:
    options = ("--window", "per-run", "--replicates", 20)
    whole_run = desk.folder / "whole"
    agree = ("agree", desk.folder / "references", *options)
    assert desk.segscore(*agree, "--output", whole_run).code == 0
    folder = desk.folder / "drive"
    folder.mkdir()
    drive = Drive(str(folder), ROWS, {"gate": gate})
    for code in (-9, 0):
        ended = Command(drive, *agree, "--output", desk.run, "--workers", 1).ended()
        assert ended.code == code, ended.err
    require_same(desk.run, files(whole_run))
    assert len(drive.done()) == len(set(drive.done()))

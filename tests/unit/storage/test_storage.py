"""Storage on a disk, the messages of failing disks, and secrets in messages."""

import errno
import os
import struct
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from threading import Barrier

import pyarrow as pa
import pytest

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused, place_and_reason, reason_of
from segscore.pipeline.storage import clouds
from segscore.pipeline.storage.failures import explain_failure
from tests.support.command_line import Segscore
from tests.support.paths import DATA
from tests.support.refusals import ROW, assert_one_line, score
from tests.support.storage_promises import StoragePromises


@pytest.fixture
def folder_url(tmp_path: Path) -> str:
    """URL of an empty folder on a disk."""
    return str(tmp_path / "place")


class TestOnADisk(StoragePromises):
    """The promises of all storage, on a disk."""


class TestWithoutHardLinks(StoragePromises):
    """The promises of all storage, on a disk such as exFAT."""

    @pytest.fixture(autouse=True)
    def _no_links(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def link(*_: object) -> None:
            raise OSError(errno.EPERM, os.strerror(errno.EPERM))

        monkeypatch.setattr(os, "link", link)

    def test_nothing_is_left_of_a_file_that_cannot_be_moved(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def replace(*_: object) -> None:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        monkeypatch.setattr(os, "replace", replace)
        with pytest.raises(OSError, match=f"error: '{tmp_path}/new'"):
            storage.write_new_text(str(tmp_path / "new"), "text")
        assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("part", ["open", "link", "fsync", "mkdir", "listdir"])
def test_an_error_of_the_disk_names_the_place(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(errno.ESTALE, os.strerror(errno.ESTALE))

    (tmp_path / "in.jsonl").write_text(ROW)
    if part == "open":
        monkeypatch.setattr("segscore.pipeline.storage.files.open", fail, raising=False)
    else:
        monkeypatch.setattr(os, part, fail)
    result = segscore("import", tmp_path / "in.jsonl", "--output", tmp_path / "out")
    assert_one_line(result, result.code, f"{tmp_path}/out")
    assert "stale file handle" in result.err.lower()


def test_a_folder_that_cannot_be_removed_is_left(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on SMB, while a program has a file of it open; the work is done by then."""

    def rmdir(*_: object, **__: object) -> None:
        raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY))

    (tmp_path / "in.jsonl").write_text(ROW)
    monkeypatch.setattr(os, "rmdir", rmdir)
    command = ("import", tmp_path / "in.jsonl", "--output", tmp_path / "out")
    assert segscore(*command).code == 0
    assert (tmp_path / "out" / "references").is_dir()


def test_a_list_that_is_not_closed_is_one_location() -> None:
    """Found at once: with a step back from each comma, this would take hours."""
    location = "{" + "1,a " * 500_000
    assert storage.split_locations(location) == (location,)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_leaves_no_partial_table(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def full(_: int) -> None:
        raise OSError(number, os.strerror(number))

    (tmp_path / "in.jsonl").write_text(ROW)
    monkeypatch.setattr(os, "fsync", full)
    result = segscore("import", tmp_path / "in.jsonl", "--output", tmp_path / "out")
    claim = tmp_path / "out" / "_unfinished" / "plan.json"
    assert_one_line(
        result, 1, f"{claim}: no space left on the device; free some, or write to another one"
    )
    assert not (tmp_path / "out").exists()


def test_a_read_only_disk_is_reported(segscore: Segscore, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(ROW)
    result = segscore("import", tmp_path / "in.jsonl", "--output", "/proc/segscore")
    assert_one_line(result, 2, "/proc/segscore/_unfinished: cannot be created")


def test_a_file_truncated_during_reading_is_reported(tmp_path: Path) -> None:
    url = str(tmp_path / "t.parquet")
    storage.write_table(url, pa.table({"n": range(100_000)}))
    opened = storage.open_parquet(url)
    os.truncate(url, 10)
    with pytest.raises((OSError, pa.ArrowException)):
        opened.read_row_groups([0])


def test_two_jobs_may_remove_the_same_files(tmp_path: Path) -> None:
    """The second one finds nothing to remove, and succeeds."""
    for number in range(2000):
        (tmp_path / f"{number}.parquet").touch()
    together = Barrier(4)

    def remove_all(_: int) -> None:
        together.wait()
        for number in range(2000):
            storage.remove(str(tmp_path / f"{number}.parquet"))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(remove_all, range(4)))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("url", "shown_url"),
    [
        ("s3://user:wrongsecret@bucket/tables", "s3://…@bucket/tables"),
        ("https://a.blob.core.windows.net/t?sv=1&sig=wrongsecret", "https://a.blob.core.windows.net/t?…"),
        ("abfs://c/t.parquet?SIG=wrongsecret", "abfs://c/t.parquet?…"),
    ],
)  # fmt: skip
def test_a_secret_in_a_url_is_refused_and_not_printed(
    segscore: Segscore, tmp_path: Path, url: str, shown_url: str
) -> None:
    assert_one_line(
        score(segscore, url, str(tmp_path / "run")),
        2,
        f"{shown_url}: contains a password, a key or a signature",
    )
    assert not (tmp_path / "run").exists()


def test_links_to_nothing_are_named(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/note.txt").symlink_to("/nowhere")
    (tmp_path / "in/a.jsonl").touch()
    assert [file.url for file in storage.find(str(tmp_path / "in"))] == [
        str(tmp_path / "in/a.jsonl")
    ]
    link = tmp_path / "in/b.jsonl"
    link.symlink_to("/nowhere")
    with pytest.raises(Refused, match=f"^{link}: is a link to a file that does not exist; mend"):
        storage.find(str(tmp_path / "in"))
    folder = tmp_path / "folder"
    folder.symlink_to("/nowhere")
    with pytest.raises(Refused, match=f"{folder} is a link to a folder that does not exist"):
        storage.make_folder(str(folder / "run"))


def test_a_run_is_repeated_into_a_folder_of_another_disk(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files cannot be linked there, and the link to it is not an empty folder."""
    run, elsewhere, real_link = tmp_path / "run", tmp_path / "elsewhere", os.link

    def link(source: str, target: str) -> None:
        if os.path.realpath(target).startswith(str(elsewhere)):
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), source, None, target)
        real_link(source, target)

    command = ("score", DATA / "tinyrec.jsonl", DATA / "tinyrec.jsonl", "--output", run)
    assert segscore(*command).code == 0
    (run / "scores").rename(elsewhere)
    (run / "scores").symlink_to(elsewhere)
    monkeypatch.setattr("segscore.pipeline.storage.folders.os.link", link)
    before = [path.read_bytes() for path in elsewhere.iterdir()]
    result = segscore(*command, "--fresh")
    assert result.code == 0, result.err
    assert [path.read_bytes() for path in elsewhere.iterdir()] == before
    assert segscore(*command, "--n-t", 3, "--fresh").code == 0
    assert (run / "scores").is_symlink() and len([*elsewhere.iterdir()]) == 1


def test_messages_of_failures_have_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrongsecret")
    problem = RuntimeError("asked http://x?sig=c2VjcmV0&a=1 with wrongsecret\nand more")
    message = str(explain_failure(problem, "s3://b/x", clouds.S3.advice))
    assert message == "s3://b/x: asked http://x?… with …"


def test_what_killed_writers_left_of_a_file_is_removed(tmp_path: Path) -> None:
    for name in ("a.json", ".a.json.0123456789abcdef.tmp", ".b.json.0123456789abcdef.tmp"):
        (tmp_path / name).write_text("{}")
    storage.remove_temporary(str(tmp_path / "a.json"))
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == [".b.json.0123456789abcdef.tmp", "a.json"]


def test_a_store_that_keeps_failing_is_said_seldom(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = OSError("Internal Server Error")
    problem.code = "500"  # type: ignore[attr-defined]
    monkeypatch.setattr(clouds, "_FAILURES", count(1))
    assert all(clouds.is_transient(problem) for _ in range(9)) and not caplog.records
    assert all(clouds.is_transient(problem) for _ in range(90))
    assert [each.getMessage() for each in caplog.records] == [
        "the object store has failed 10 requests so far (the last: 500); the command waits for it, "
        "and repeats each of them after a pause"
    ]
    assert clouds.is_transient(ConnectionError()) and not clouds.is_transient(ValueError())
    assert "100 requests so far (the last: ConnectionError)" in caplog.records[-1].getMessage()


def test_a_reason_has_words_and_no_bare_number(tmp_path: Path) -> None:
    (tmp_path / "run.json").mkdir()
    with pytest.raises(Refused, match=r"run\.json: cannot be read as text \(is a directory\)"):
        storage.read_text(str(tmp_path / "run.json"))
    problem = PermissionError(errno.EACCES, "Permission denied", "/a/b")
    assert reason_of(problem) == "permission denied"
    assert place_and_reason(problem) == f"/a/b: permission denied (errno {errno.EACCES})"
    assert place_and_reason(OSError(errno.EIO, "Input/output error")) == "input/output error"
    assert reason_of(OSError("two\nlines")) == "two lines" and reason_of(KeyError()) == "KeyError"


def test_frames_of_zstandard_that_are_skipped(tmp_path: Path) -> None:
    """They may be before, between and after those with content."""
    text, codec = b"one\ntwo\n" * 50, pa.Codec("zstd")
    skipped = [
        struct.pack("<II", 0x184D2A50 + number, size) + bytes(size) for number, size in SIZES
    ]
    halves = [codec.compress(half, asbytes=True) for half in (text[:100], text[100:])]
    content = [skipped[0], halves[0], skipped[1], halves[1], skipped[2]]
    (tmp_path / "t.jsonl.zst").write_bytes(b"".join(content))
    assert b"".join(storage.text_chunks(str(tmp_path / "t.jsonl.zst"), 64, 10_000)) == text


SIZES = ((0, 5), (7, 0), (15, 1000))
"""The lowest four bits of the magic numbers of frames that are skipped, and their sizes."""

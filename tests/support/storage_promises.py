"""Promises of storage wherever tables are: on a disk, and in every object store."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pyarrow as pa
import pytest

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.storage import files

TABLE = pa.table({"document_id": ["a", "b"], "n_units": pa.array([3, 4], pa.int32())})


def written(url: str) -> str:
    storage.write_table(url, TABLE)
    return url


HOSTILE = (
    "a b", "a#b", "a#12", "a%20b", "100%", "a+b&c", "a[1]", "[a-z]*", "what?x", "a::b", "zip::s3",
    "ü", "e\u0301", "'a'\"b\"", "a=b;c,d", "a..", "a@b:c", "$HOME", "~", "{a}", "-rf", "s3:",
)  # fmt: skip


class StoragePromises:
    """Tests for subclasses with a fixture ``folder_url``, the URL of an empty folder."""

    def test_text_is_read_back(self, folder_url: str) -> None:
        url = f"{folder_url}/deep/er/said.txt"
        assert storage.read_text(url) is None
        for text in ("först\n", "", "second 🂡"):
            storage.write_text(url, text)
            assert storage.read_text(url) == text
        assert storage.names(f"{folder_url}/deep/er") == ["said.txt"]

    def test_new_text_never_replaces_a_file(self, folder_url: str) -> None:
        storage.write_new_text(f"{folder_url}/new.txt", "mine")
        for text in ("yours", "mine"):
            with pytest.raises(FileExistsError):
                storage.write_new_text(f"{folder_url}/new.txt", text)
        assert storage.read_text(f"{folder_url}/new.txt") == "mine"
        assert storage.names(folder_url) == ["new.txt"]

    def test_of_eight_concurrent_new_texts_one_is_written(self, folder_url: str) -> None:
        start = Barrier(8)

        def write(number: int) -> bool:
            start.wait()
            try:
                storage.write_new_text(f"{folder_url}/one.txt", f"of {number}")
            except FileExistsError:
                return False
            return True

        with ThreadPoolExecutor(8) as pool:
            for _ in range(2):
                won = list(pool.map(write, range(8)))
                assert won.count(True) == 1
                assert storage.read_text(f"{folder_url}/one.txt") == f"of {won.index(True)}"
                storage.remove(f"{folder_url}/one.txt")

    def test_find(self, folder_url: str) -> None:
        for name in ("b/2.parquet", "b/1.parquet", "c.pq", "_x/3.parquet", ".hid.parquet", "z.md"):
            written(f"{folder_url}/{name}")
        files_found = storage.find(folder_url)
        assert [file.url.removeprefix(f"{folder_url}/") for file in files_found] == [
            "b/1.parquet", "b/2.parquet", "c.pq"
        ]  # fmt: skip
        assert len({file.size for file in files_found}) == 1 and files_found[0].size > 0
        assert [file.url for file in storage.find(f"{folder_url}/b/*.parquet")] == [
            f"{folder_url}/b/1.parquet",
            f"{folder_url}/b/2.parquet",
        ]
        assert storage.find(f"{folder_url}/c.pq") == [files_found[2]]
        assert f"{folder_url}/z.md" in [
            file.url for file in storage.find(folder_url, any_kind=True)
        ]
        for url, message in (
            ("b/nothing", "no such file"),
            ("b/*.csv", "no file"),
            ("_x/_y", "no such"),
        ):
            with pytest.raises(Refused, match=f"{url.replace('*', '.')}: {message}"):
                storage.find(f"{folder_url}/{url}")
        written(f"{folder_url}/other/z.md")
        with pytest.raises(Refused, match="contains no Parquet or JSONL file"):
            storage.find(f"{folder_url}/other")

    def test_a_replaced_file_has_another_version(self, folder_url: str) -> None:
        url = f"{folder_url}/text.jsonl"
        storage.write_text(url, "one")
        (before,) = storage.find(folder_url)
        (alone,) = storage.find(url)
        assert before == alone == storage.find(f"{folder_url}/*.jsonl")[0]
        storage.write_text(url, "two")
        assert storage.find(url)[0].version != before.version not in ("", "None")

    def test_parquet(self, folder_url: str) -> None:
        for name in ("1.parquet", "0.parquet"):
            written(f"{folder_url}/{name}")
        assert storage.read_table(folder_url).equals(pa.concat_tables([TABLE, TABLE]))
        with pytest.raises(Refused, match="no such file"):
            storage.open_parquet(f"{folder_url}/2.parquet")
        storage.write_text(f"{folder_url}/bad.parquet", "not a table, and longer than twelve bytes")
        with pytest.raises(Refused, match="not a readable Parquet file"):
            storage.open_parquet(f"{folder_url}/bad.parquet")

    def test_lines_are_read_back(self, folder_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(files, "BUFFER", 1000)
        texts = [f"{'ü€' * (number % 700)} {number}" for number in range(300)]
        storage.write_text(f"{folder_url}/said.jsonl", "\ufeff" + "\r\n".join(texts))
        assert list(storage.lines(f"{folder_url}/said.jsonl")) == texts
        storage.write_text(f"{folder_url}/empty.jsonl", "")
        assert list(storage.lines(f"{folder_url}/empty.jsonl")) == []
        for name, why in (("none.jsonl", "no such file"), ("", "cannot be read as a file")):
            with pytest.raises(Refused, match=why):
                list(storage.lines(f"{folder_url}/{name}"))

    def test_copy_and_remove_do_not_touch_neighbours(self, folder_url: str) -> None:
        for name in ("run/a.txt", "run/b.txt", "run/deep/c.txt", "run2/d.txt", "run.txt"):
            storage.write_text(f"{folder_url}/{name}", name)
        for name in ("a.txt", "b.txt"):  # to a new folder, and to one that is there
            storage.copy(f"{folder_url}/run", f"{folder_url}/copied/here", {name: f"new {name}"})
        assert storage.names(folder_url) == ["copied", "run", "run.txt", "run2"]
        assert storage.names(f"{folder_url}/copied/here") == ["new a.txt", "new b.txt"]
        assert storage.read_text(f"{folder_url}/copied/here/new b.txt") == "run/b.txt"
        storage.remove(f"{folder_url}/run.txt")
        for _ in range(2):
            storage.remove(f"{folder_url}/run")
            storage.remove(f"{folder_url}/copied")
        assert storage.names(folder_url) == ["run2"]

    def test_a_folder_is_created(self, folder_url: str) -> None:
        assert storage.names(f"{folder_url}/new") == []
        storage.make_folder(f"{folder_url}/new/folder")
        storage.make_folder(f"{folder_url}/new/folder")
        assert storage.names(f"{folder_url}/new/folder") == []

    def test_hostile_names_are_kept(self, folder_url: str) -> None:
        for name in HOSTILE:
            written(f"{folder_url}/{name}/{name}.parquet")
            (only_file,) = storage.find(f"{folder_url}/{name}/{name}.parquet")
            assert only_file.url == f"{folder_url}/{name}/{name}.parquet"
        files_found = storage.find(folder_url)
        assert {file.url for file in files_found} == {
            f"{folder_url}/{n}/{n}.parquet" for n in HOSTILE
        }
        for file in files_found:
            assert storage.open_parquet(file.url).read().equals(TABLE)
        assert storage.names(folder_url) == sorted(HOSTILE)
        for name in HOSTILE:
            same = {f"{name}.parquet": f"{name}.parquet"}
            storage.copy(f"{folder_url}/{name}", f"{folder_url}/copied {name}", same)
            storage.remove(f"{folder_url}/{name}")
        assert storage.names(folder_url) == sorted(f"copied {name}" for name in HOSTILE)
        for name in HOSTILE:
            storage.remove(f"{folder_url}/copied {name}")
        assert storage.names(folder_url) == []

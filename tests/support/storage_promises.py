"""What storage does wherever tables are: on a disk, and in every object store."""

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
    """To be inherited by tests that have a fixture ``anywhere``, the URL of an empty folder."""

    def test_text(self, anywhere: str) -> None:
        url = f"{anywhere}/deep/er/said.txt"
        assert storage.read_text(url) is None
        for text in ("först\n", "", "second 🂡"):
            storage.write_text(url, text)
            assert storage.read_text(url) == text
        assert storage.names(f"{anywhere}/deep/er") == ["said.txt"]

    def test_new_text(self, anywhere: str) -> None:
        storage.write_new_text(f"{anywhere}/new.txt", "mine")
        for text in ("yours", "mine"):
            with pytest.raises(FileExistsError):
                storage.write_new_text(f"{anywhere}/new.txt", text)
        assert storage.read_text(f"{anywhere}/new.txt") == "mine"
        assert storage.names(anywhere) == ["new.txt"]

    def test_new_text_of_eight_at_once(self, anywhere: str) -> None:
        start = Barrier(8)

        def write(who: int) -> bool:
            start.wait()
            try:
                storage.write_new_text(f"{anywhere}/one.txt", f"of {who}")
            except FileExistsError:
                return False
            return True

        with ThreadPoolExecutor(8) as pool:
            for _ in range(2):
                won = list(pool.map(write, range(8)))
                assert won.count(True) == 1
                assert storage.read_text(f"{anywhere}/one.txt") == f"of {won.index(True)}"
                storage.remove(f"{anywhere}/one.txt")

    def test_find(self, anywhere: str) -> None:
        for name in ("b/2.parquet", "b/1.parquet", "c.pq", "_x/3.parquet", ".hid.parquet", "z.md"):
            written(f"{anywhere}/{name}")
        found = storage.find(anywhere)
        assert [file.url.removeprefix(f"{anywhere}/") for file in found] == [
            "b/1.parquet", "b/2.parquet", "c.pq"
        ]  # fmt: skip
        assert len({file.size for file in found}) == 1 and found[0].size > 0
        assert [file.url for file in storage.find(f"{anywhere}/b/*.parquet")] == [
            f"{anywhere}/b/1.parquet",
            f"{anywhere}/b/2.parquet",
        ]
        assert storage.find(f"{anywhere}/c.pq") == [found[2]]
        assert f"{anywhere}/z.md" in [file.url for file in storage.find(anywhere, any_kind=True)]
        for url, said in (
            ("b/nothing", "no such file"),
            ("b/*.csv", "no file"),
            ("_x/_y", "no such"),
        ):
            with pytest.raises(Refused, match=f"{url.replace('*', '.')}: {said}"):
                storage.find(f"{anywhere}/{url}")
        written(f"{anywhere}/other/z.md")
        with pytest.raises(Refused, match="contains no Parquet or JSONL file"):
            storage.find(f"{anywhere}/other")

    def test_version_tells_what_was_replaced(self, anywhere: str) -> None:
        url = f"{anywhere}/text.jsonl"
        storage.write_text(url, "one")
        (before,) = storage.find(anywhere)
        (alone,) = storage.find(url)
        assert before == alone == storage.find(f"{anywhere}/*.jsonl")[0]
        storage.write_text(url, "two")
        assert storage.find(url)[0].version != before.version not in ("", "None")

    def test_parquet(self, anywhere: str) -> None:
        for name in ("1.parquet", "0.parquet"):
            written(f"{anywhere}/{name}")
        assert storage.read_table(anywhere).equals(pa.concat_tables([TABLE, TABLE]))
        with pytest.raises(Refused, match="no such file"):
            storage.open_parquet(f"{anywhere}/2.parquet")
        storage.write_text(f"{anywhere}/bad.parquet", "not a table, and longer than twelve bytes")
        with pytest.raises(Refused, match="not a readable Parquet file"):
            storage.open_parquet(f"{anywhere}/bad.parquet")

    def test_lines(self, anywhere: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(files, "BUFFER", 1000)
        said = [f"{'ü€' * (number % 700)} {number}" for number in range(300)]
        storage.write_text(f"{anywhere}/said.jsonl", "\ufeff" + "\r\n".join(said))
        assert list(storage.lines(f"{anywhere}/said.jsonl")) == said
        storage.write_text(f"{anywhere}/empty.jsonl", "")
        assert list(storage.lines(f"{anywhere}/empty.jsonl")) == []
        for name, why in (("none.jsonl", "no such file"), ("", "cannot be read as a file")):
            with pytest.raises(Refused, match=why):
                list(storage.lines(f"{anywhere}/{name}"))

    def test_move_and_remove_leave_neighbours_alone(self, anywhere: str) -> None:
        for name in ("run/a.txt", "run/deep/b.txt", "run2/c.txt", "run.txt"):
            storage.write_text(f"{anywhere}/{name}", name)
        storage.move(f"{anywhere}/run", f"{anywhere}/moved/here")
        assert storage.names(anywhere) == ["moved", "run.txt", "run2"]
        assert storage.names(f"{anywhere}/run") == []
        assert storage.read_text(f"{anywhere}/moved/here/deep/b.txt") == "run/deep/b.txt"
        storage.move(f"{anywhere}/run.txt", f"{anywhere}/text.txt")
        assert storage.read_text(f"{anywhere}/text.txt") == "run.txt"
        storage.remove(f"{anywhere}/text.txt")
        for _ in range(2):
            storage.remove(f"{anywhere}/moved")
        assert storage.names(anywhere) == ["run2"]

    def test_a_folder_is_made(self, anywhere: str) -> None:
        assert storage.names(f"{anywhere}/new") == []
        storage.make_folder(f"{anywhere}/new/folder")
        storage.make_folder(f"{anywhere}/new/folder")
        assert storage.names(f"{anywhere}/new/folder") == []

    def test_hostile_names(self, anywhere: str) -> None:
        for name in HOSTILE:
            written(f"{anywhere}/{name}/{name}.parquet")
            (found,) = storage.find(f"{anywhere}/{name}/{name}.parquet")
            assert found.url == f"{anywhere}/{name}/{name}.parquet"
        found_all = storage.find(anywhere)
        assert {file.url for file in found_all} == {f"{anywhere}/{n}/{n}.parquet" for n in HOSTILE}
        for file in found_all:
            assert storage.open_parquet(file.url).read().equals(TABLE)
        assert storage.names(anywhere) == sorted(HOSTILE)
        for name in HOSTILE:
            storage.move(f"{anywhere}/{name}", f"{anywhere}/moved {name}")
        assert storage.names(anywhere) == sorted(f"moved {name}" for name in HOSTILE)
        for name in HOSTILE:
            storage.remove(f"{anywhere}/moved {name}")
        assert storage.names(anywhere) == []

"""Parquet files that are small on disk and huge in memory, or whose footers lie: one line each."""

import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq  # noqa: TID251
import pytest

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.storage.bounds import structure
from tests.support.command_line import Segscore
from tests.support.paths import ROOT

ROWS = 20_000
MEGABYTE = "x" * 2**20
MANY = 50_000_000
ADDRESSES = 4 * 2**30
"""Bytes of addresses that a command may have: far less than any of the bombs."""


def segmentations(coder: pa.Array | None = None) -> pa.Table:
    """Sound rows, whose coder is given."""
    offsets = pa.array(np.arange(ROWS + 1) * 2, pa.int32())
    lists = pa.ListArray.from_arrays(offsets, pa.array(np.tile(np.array([3, 6], np.int32), ROWS)))
    units = pa.array(np.full(ROWS, 9, np.int32))
    ids = pa.array([f"d{i}" for i in range(ROWS)])
    coder = pa.array(["sys"] * ROWS) if coder is None else coder
    return pa.table([ids, coder, units, lists], ["document_id", "coder", "n_units", "boundaries"])


def repeated() -> pa.Array:
    """A megabyte of text, as the value of every row."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(ROWS, np.int32)), pa.array([MEGABYTE]))


def coder_bomb(path: Path) -> None:
    pq.write_table(segmentations(repeated()), path, compression="zstd", store_schema=False)


def attribute_bomb(path: Path) -> None:
    table = segmentations().append_column("genre", repeated())
    pq.write_table(table, path, compression="zstd", store_schema=False)


def later_row_group(path: Path) -> None:
    """The first row group is sound."""
    sound = segmentations(pa.array(["sys"] * ROWS).dictionary_encode())
    with pq.ParquetWriter(path, sound.schema, compression="zstd", store_schema=False) as file:
        file.write_table(sound)
        file.write_table(segmentations(repeated()))


def prefix_bomb(path: Path) -> None:
    """Each value begins as the one before, and has nothing more."""
    genre = pa.array([MEGABYTE] * 400)
    table = segmentations().slice(0, 400).append_column("genre", genre)
    others = dict.fromkeys(("document_id", "coder", "n_units"), "PLAIN")
    encodings = others | {"boundaries.list.element": "PLAIN", "genre": "DELTA_BYTE_ARRAY"}
    pq.write_table(table, path, use_dictionary=False, column_encoding=encodings, compression="zstd")


def list_bomb(path: Path) -> None:
    """One row whose boundaries are one number fifty million times."""
    lists = pa.ListArray.from_arrays(
        pa.array([0, MANY], pa.int32()), pa.array(np.full(MANY, 3, np.int32))
    )
    row = segmentations().slice(0, 1).set_column(3, "boundaries", lists)
    pq.write_table(row, path, compression="zstd")
    assert path.stat().st_size < 3000


def lying_list_bomb(path: Path) -> None:
    """Its footer says two boundaries."""
    list_bomb(path)
    patch(path, varint(MANY), varint(2, length=len(varint(MANY))))


def varint(number: int, length: int = 0) -> bytes:
    """A number as Thrift's compact protocol has it, perhaps longer than it needs to be."""
    rest, found = 2 * number, bytearray()
    while rest > 127 or len(found) < length - 1:
        found.append(rest & 127 | 128)
        rest >>= 7
    return bytes([*found, rest])


def footer(content: bytes) -> int:
    """Where a file's footer begins."""
    return len(content) - 8 - int.from_bytes(content[-8:-4], "little")


def patch(path: Path, old: bytes, new: bytes, which: int | None = None) -> int:
    """Replace some bytes of the footer, all or one occurrence; tell how many there are."""
    content = path.read_bytes()
    pieces = content[(at := footer(content)) :].split(old)
    count = len(pieces) - 1
    seams = [new if which in (None, i) else old for i in range(count)] + [b""]
    told = b"".join(piece + seam for piece, seam in zip(pieces, seams, strict=True))
    assert len(old) == len(new)
    path.write_bytes(content[:at] + told)
    return count


def run_small(*arguments: object) -> tuple[subprocess.CompletedProcess[str], float]:
    """Run a command with few addresses; also tell the most memory it had, in MB."""
    limit = f"resource.setrlimit(resource.RLIMIT_AS, ({ADDRESSES}, {ADDRESSES}))"
    code = (
        f"import resource, sys; {limit}; from segscore.jobs.cli.app import main\ntry: main()\n"
        "finally: print(*[line.split()[1] for line in open('/proc/self/status') "
        "if line.startswith('VmHWM')], file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return done, int(done.stderr.splitlines()[-1]) / 1024


BOMBS: dict[str, tuple[Callable[[Path], None], str]] = {
    "coder": (coder_bomb, "row group 0: column coder takes 19.5 GB or more"),
    "attribute": (attribute_bomb, "row group 0: column genre takes 19.5 GB or more"),
    "later": (later_row_group, "row group 1: column coder takes 19.5 GB or more"),
    "prefix": (prefix_bomb, "row group 0: column genre takes"),
    "list": (list_bomb, "row group 0: "),
    "lying": (lying_list_bomb, "row group 0: column boundaries.list.element does not match"),
}


FITTING = ("prefix", "list")
"""They fit into what a worker has by default; `validate` has no --memory-limit."""


@pytest.mark.parametrize(
    ("command", "name"),
    [
        *(("score", name) for name in BOMBS),
        *(("validate", name) for name in BOMBS if name not in FITTING),
    ],
)
def test_bomb(tmp_path: Path, command: str, name: str) -> None:
    """A line names file, row group and column; nothing is published, memory stays small."""
    make, said = BOMBS[name]
    bomb, run = tmp_path / "bomb.parquet", tmp_path / "run"
    make(bomb)
    pq.write_table(segmentations(pa.array(["ann"] * ROWS)), tmp_path / "ref.parquet")
    if command == "validate":
        done, peak = run_small("validate", bomb)
    else:
        options = ("--output", run, "--memory-limit", "1GB", "--replicates", "0", "--workers", "1")
        done, peak = run_small("score", tmp_path / "ref.parquet", bomb, *options)
    assert done.returncode in (1, 2), done.stderr
    (line,) = [each for each in done.stderr.splitlines() if "segscore: error: " in each]
    assert f"{bomb}: {said}" in line
    assert "Traceback" not in done.stderr
    assert not (run / "run.json").exists()
    assert peak < 900  # of the gigabyte that it was given


def test_bomb_in_a_run(segscore: Segscore, tmp_path: Path) -> None:
    """The tables of a run that `compare` and `report` read."""
    table = segmentations()
    for name in ("ref", "hyp"):
        pq.write_table(table.slice(0, 5), tmp_path / f"{name}.parquet")
    files = (tmp_path / "ref.parquet", tmp_path / "hyp.parquet")
    assert segscore("score", *files, "--output", tmp_path / "run").code == 0
    (scores,) = (tmp_path / "run" / "scores").iterdir()
    told = pq.read_table(scores)
    wide = told.take(pa.array(np.zeros(ROWS, np.int64)))
    at = wide.column_names.index("hypothesis")
    pq.write_table(wide.set_column(at, "hypothesis", repeated()), scores, store_schema=False)
    for command in (["report", tmp_path / "run", "--output", tmp_path / "page.html"],):
        ended = segscore(*command)
        assert ended.code in (1, 2)
        assert f"{scores}: row group 0: column hypothesis takes 19.5 GB" in ended.err
        assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("rows", [19_999, 20_001, 10_000, 1_000_000])
def test_footer_that_lies(segscore: Segscore, tmp_path: Path, rows: int) -> None:
    """Each place in which it says how many rows, or values, there are."""
    good, bad = tmp_path / "good.parquet", tmp_path / "bad.parquet"
    pq.write_table(segmentations(), good, write_statistics=False)
    content = good.read_bytes()
    places = content[footer(content) :].count(varint(ROWS))
    lies = 0
    for which in range(places):
        bad.write_bytes(content)
        patch(bad, varint(ROWS), varint(rows, length=3), which)
        if told(bad) == told(good):  # a number that nobody reads
            continue
        lies += 1
        ended = segscore("score", good, bad, "--output", tmp_path / "run", "--replicates", "0")
        assert ended.code in (1, 2), which
        assert len(ended.err.splitlines()) <= 3
        assert str(bad) in ended.err
        assert not (tmp_path / "run" / "run.json").exists()
    assert lies == 5  # rows of file and row group; values of three columns


def told(path: Path) -> list[int]:
    """How many rows and values a file says that it has."""
    metadata = pq.ParquetFile(path).metadata
    group = metadata.row_group(0)
    values = [group.column(i).num_values for i in range(metadata.num_columns)]
    return [metadata.num_rows, group.num_rows, *values]


def test_footer_that_lies_about_every_row(segscore: Segscore, tmp_path: Path) -> None:
    """All its numbers agree, but the pages hold more."""
    good, bad = tmp_path / "good.parquet", tmp_path / "bad.parquet"
    pq.write_table(segmentations(), good, write_statistics=False)
    bad.write_bytes(good.read_bytes())
    patch(bad, varint(ROWS), varint(19_000, length=3))
    ended = segscore("score", good, bad, "--output", tmp_path / "run", "--replicates", "0")
    assert ended.code in (1, 2)
    assert f"{bad}: row group 0: column " in ended.err
    assert "19,000 rows" in ended.err


def test_sizes_that_lie(segscore: Segscore, tmp_path: Path) -> None:
    """Columns that claim exabytes are refused before any work, those that claim little are read."""
    good, bad = tmp_path / "good.parquet", tmp_path / "bad.parquet"
    pq.write_table(segmentations(), good, write_statistics=False, compression="none")
    content = good.read_bytes()
    metadata = pq.ParquetFile(good).metadata.row_group(0).column(0)
    old = varint(metadata.total_uncompressed_size)
    for size, code in ((8192, 0), (1_000_000, 0)):
        bad.write_bytes(content)
        patch(bad, old, varint(size, length=len(old)), which=0)
        ended = segscore("score", good, bad, "--output", tmp_path / f"{size}")
        assert ended.code == code, ended.err


def everything(tmp_path: Path) -> pa.Table:
    """Columns of every kind."""
    rng = Random(1)  # noqa: S311
    words = [rng.choice(["", "a", "bb", "c" * 300]) for _ in range(3000)]
    return pa.table(
        {
            "text": words,
            "nulls": [None if i % 3 else word for i, word in enumerate(words)],
            "texts": [[word, None] if i % 2 else None for i, word in enumerate(words)],
            "numbers": [[i] * (i % 4) for i in range(3000)],
            "float": np.arange(3000) / 7,
            "bool": np.arange(3000) % 2 == 0,
            "nothing": pa.nulls(3000),
            "struct": [{"a": i, "b": word} for i, word in enumerate(words)],
        }
    )


OPTIONS: list[dict[str, Any]] = [
    {},
    {"data_page_version": "2.0"},
    {"use_dictionary": False, "compression": "none"},
    {"use_dictionary": False, "column_encoding": {"text": "DELTA_BYTE_ARRAY"}},
    {"use_dictionary": False, "column_encoding": {"text": "DELTA_LENGTH_BYTE_ARRAY"}},
    {"dictionary_pagesize_limit": 200, "data_page_size": 500},
    {"row_group_size": 700, "write_page_index": True, "compression": "gzip"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("limit", [10**9, 2 * 10**6])
def test_sound_files_are_read(tmp_path: Path, options: dict[str, Any], limit: int) -> None:
    """Also where only the lengths of the strings show that they fit."""
    file = tmp_path / "all.parquet"
    pq.write_table(everything(tmp_path), file, **options)
    found = storage.read_row_groups(str(file), None, lambda names: names, limit)
    assert found.equals(pq.read_table(file))
    with pytest.raises(Refused, match="row group 0: "):
        storage.read_row_groups(str(file), None, lambda names: names, 5000)


def test_headers_that_are_noise(tmp_path: Path) -> None:
    """Any byte changed at the beginning of a column: the file is read, or refused in a line."""
    rng = Random(2)  # noqa: S311
    file, table = tmp_path / "all.parquet", segmentations().slice(0, 50)
    pq.write_table(table, file, compression="none", use_dictionary=["coder"])
    content = file.read_bytes()
    for _ in range(300):
        at = 4 + rng.randrange(60)
        file.write_bytes(content[:at] + rng.randbytes(1) + content[at + 1 :])
        try:
            storage.read_row_groups(str(file), None, lambda names: names, 10**7)
        except Refused as problem:
            assert str(problem).startswith(f"{file}: ")  # noqa: PT017


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x1c" * 100,
        b"\x15",
        b"\x15" + b"\xff" * 20,
        b"\x18\xff\xff\xff\x7f\x00",
        b"\x19\xf5\xff",
    ],
)
def test_structure_that_is_none(content: bytes) -> None:
    with pytest.raises((LookupError, ValueError)):
        structure(content, 0, 0)


def test_limit_of_addresses() -> None:
    """The tests above would notice a bomb that goes off."""
    assert 20_000 * len(MEGABYTE) > 4 * ADDRESSES
    assert resource.RLIMIT_AS >= 0

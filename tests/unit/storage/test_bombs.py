"""Parquet files that are huge in memory, or whose footers are false: one message each."""

import os
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
from segscore.pipeline.storage.parquet import open_parquet
from tests.support.command_line import Segscore
from tests.support.hostile_files import encrypted, unsigned
from tests.support.paths import ROOT

ROWS = 20_000
MEGABYTE = "x" * 2**20
MANY = 50_000_000
ADDRESSES = 4 * 2**30
"""Bytes of address space that a command may have: far less than any of the bombs needs."""


def segmentations(coder: pa.Array | None = None) -> pa.Table:
    """Make sound rows with a given coder."""
    offsets = pa.array(np.arange(ROWS + 1) * 2, pa.int32())
    lists = pa.ListArray.from_arrays(offsets, pa.array(np.tile(np.array([3, 6], np.int32), ROWS)))
    units = pa.array(np.full(ROWS, 9, np.int32))
    ids = pa.array([f"d{i}" for i in range(ROWS)])
    coder = pa.array(["sys"] * ROWS) if coder is None else coder
    return pa.table([ids, coder, units, lists], ["document_id", "coder", "n_units", "boundaries"])


def repeated() -> pa.Array:
    """Make a megabyte of text, as the value of every row."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(ROWS, np.int32)), pa.array([MEGABYTE]))


def coder_bomb(path: Path) -> None:
    pq.write_table(segmentations(repeated()), path, compression="zstd", store_schema=False)


def attribute_bomb(path: Path) -> None:
    table = segmentations().append_column("genre", repeated())
    pq.write_table(table, path, compression="zstd", store_schema=False)


def later_row_group(path: Path) -> None:
    """Put the bomb after a sound row group."""
    sound = segmentations(pa.array(["sys"] * ROWS).dictionary_encode())
    with pq.ParquetWriter(path, sound.schema, compression="zstd", store_schema=False) as file:
        file.write_table(sound)
        file.write_table(segmentations(repeated()))


def prefix_bomb(path: Path) -> None:
    """Make values that each begin with the whole value before."""
    genre = pa.array([MEGABYTE] * 400)
    table = segmentations().slice(0, 400).append_column("genre", genre)
    others = dict.fromkeys(("document_id", "coder", "n_units"), "PLAIN")
    encodings = others | {"boundaries.list.element": "PLAIN", "genre": "DELTA_BYTE_ARRAY"}
    pq.write_table(table, path, use_dictionary=False, column_encoding=encodings, compression="zstd")


def list_bomb(path: Path) -> None:
    """Make one row whose boundaries are one number fifty million times."""
    lists = pa.ListArray.from_arrays(
        pa.array([0, MANY], pa.int32()), pa.array(np.full(MANY, 3, np.int32))
    )
    row = segmentations().slice(0, 1).set_column(3, "boundaries", lists)
    pq.write_table(row, path, compression="zstd")
    assert path.stat().st_size < 3000


def varint(number: int, length: int = 0) -> bytes:
    """Encode a number in Thrift's compact protocol, perhaps longer than necessary."""
    rest, encoded = 2 * number, bytearray()
    while rest > 127 or len(encoded) < length - 1:
        encoded.append(rest & 127 | 128)
        rest >>= 7
    return bytes([*encoded, rest])


def footer(content: bytes) -> int:
    """Return the offset of a file's footer."""
    return len(content) - 8 - int.from_bytes(content[-8:-4], "little")


def patch(path: Path, old: bytes, new: bytes, which: int | None = None) -> int:
    """Replace some bytes of the footer, all or one occurrence; return the number of occurrences."""
    content = path.read_bytes()
    pieces = content[(offset := footer(content)) :].split(old)
    count = len(pieces) - 1
    seams = [new if which in (None, i) else old for i in range(count)] + [b""]
    patched = b"".join(piece + seam for piece, seam in zip(pieces, seams, strict=True))
    assert len(old) == len(new)
    path.write_bytes(content[:offset] + patched)
    return count


def run_small(*arguments: object) -> tuple[subprocess.CompletedProcess[str], float]:
    """Run a command with little address space; return its peak memory in MiB too."""
    limit = f"resource.setrlimit(resource.RLIMIT_AS, ({ADDRESSES}, {ADDRESSES}))"
    code = (
        f"import resource, sys; {limit}; from segscore.jobs.cli.app import main\ntry: main()\n"
        "finally: print(*[line.split()[1] for line in open('/proc/self/status') "
        "if line.startswith('VmHWM')], file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, *map(str, arguments)]
    process = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    return process, int(process.stderr.splitlines()[-1]) / 1024


BOMBS: dict[str, tuple[Callable[[Path], None], str]] = {
    "coder": (coder_bomb, "row group 0: column coder takes 19.5 GB or more"),
    "attribute": (attribute_bomb, "row group 0: column genre takes 19.5 GB or more"),
    "later": (later_row_group, "row group 1: column coder takes 19.5 GB or more"),
    "prefix": (prefix_bomb, "row group 0: column genre takes"),
    "list": (list_bomb, "row group 0: "),
}


GIGABYTE = 10**9 / 2**20
"""The --memory-limit of the commands in MiB; the first command of a machine also compiles."""

QUICK = [("score", "coder"), ("score", "attribute"), ("validate", "coder")]
"""What `make test` tries; `make test-all` tries the others."""

FITTING = ("prefix", "list")
"""The rows fit into a worker's default memory; `validate` has no --memory-limit."""


@pytest.mark.parametrize(
    ("command", "name"),
    [
        pytest.param(command, name, marks=() if (command, name) in QUICK else pytest.mark.long)
        for command in ("score", "validate")
        for name in BOMBS
        if command == "score" or name not in FITTING
    ],
)
def test_a_bomb_is_refused_in_one_line(tmp_path: Path, command: str, name: str) -> None:
    """A line names file, row group and column; nothing is published, memory stays small."""
    make, message = BOMBS[name]
    bomb, run = tmp_path / "bomb.parquet", tmp_path / "run"
    make(bomb)
    pq.write_table(segmentations(pa.array(["ann"] * ROWS)), tmp_path / "ref.parquet")
    if command == "validate":
        process, peak = run_small("validate", bomb)
    else:
        options = ("--output", run, "--memory-limit", "1GB", "--workers", "1")
        process, peak = run_small("score", tmp_path / "ref.parquet", bomb, *options)
    assert process.returncode in (1, 2), process.stderr
    (line,) = [text for text in process.stderr.splitlines() if "segscore: error: " in text]
    assert f"{bomb}: {message}" in line
    assert "Traceback" not in process.stderr
    assert not (run / "run.json").exists()
    assert peak < GIGABYTE, "more memory than its limit"


def test_a_bomb_in_a_run_is_refused(segscore: Segscore, tmp_path: Path) -> None:
    """The tables of a run are read by `compare` and `report`."""
    table = segmentations()
    for name in ("ref", "hyp"):
        pq.write_table(table.slice(0, 5), tmp_path / f"{name}.parquet")
    files = (tmp_path / "ref.parquet", tmp_path / "hyp.parquet")
    assert segscore("score", *files, "--output", tmp_path / "run").code == 0
    (scores,) = (tmp_path / "run" / "scores").iterdir()
    scores_table = pq.read_table(scores)
    wide = scores_table.take(pa.array(np.zeros(ROWS, np.int64)))
    index = wide.column_names.index("hypothesis")
    pq.write_table(wide.set_column(index, "hypothesis", repeated()), scores, store_schema=False)
    for command in (["report", tmp_path / "run", "--output", tmp_path / "page.html"],):
        result = segscore(*command)
        assert result.code in (1, 2)
        assert f"{scores}: row group 0: column hypothesis takes 19.5 GB" in result.err
        assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize("make", [encrypted, lambda: unsigned(encrypted())])
def test_encrypted_columns_are_refused(tmp_path: Path, make: Callable[[], bytes]) -> None:
    path = tmp_path / "locked.parquet"
    path.write_bytes(make())
    code = f"from segscore.pipeline import storage; storage.open_parquet({str(path)!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    refused = f"Refused: {path}: not a readable Parquet file (Cannot decrypt ColumnMetadata"
    last = done.stderr.splitlines()[-1]
    assert refused in last and last.endswith("write its columns without encryption")


@pytest.mark.first
@pytest.mark.parametrize("rows", [19_999, 20_001, 10_000, 1_000_000])
def test_a_false_footer_is_refused(segscore: Segscore, tmp_path: Path, rows: int) -> None:
    """Each number of rows, or of values, in the footer is changed."""
    good, bad = tmp_path / "good.parquet", tmp_path / "bad.parquet"
    pq.write_table(segmentations(), good, write_statistics=False)
    content = good.read_bytes()
    places = content[footer(content) :].count(varint(ROWS))
    lies = 0
    for which in range(places):
        bad.write_bytes(content)
        patch(bad, varint(ROWS), varint(rows, length=3), which)
        if claimed_counts(bad) == claimed_counts(good):  # a number that nobody reads
            continue
        lies += 1
        result = segscore("score", good, bad, "--output", tmp_path / "run")
        assert result.code in (1, 2), which
        assert len(result.err.splitlines()) <= 3
        assert str(bad) in result.err
        assert not (tmp_path / "run" / "run.json").exists()
    assert lies == 5  # rows of file and row group; values of three columns


def claimed_counts(path: Path) -> list[int]:
    """Return the numbers of rows and values that a file claims."""
    metadata = pq.ParquetFile(path).metadata
    group = metadata.row_group(0)
    values = [group.column(i).num_values for i in range(metadata.num_columns)]
    return [metadata.num_rows, group.num_rows, *values]


def test_a_footer_that_agrees_with_itself_is_believed(segscore: Segscore, tmp_path: Path) -> None:
    """The pages have more rows than it states; those that it states are read and counted.

    Arrow 18 notices that the pages have more, and the file is refused.
    """
    good, bad = tmp_path / "good.parquet", tmp_path / "bad.parquet"
    pq.write_table(segmentations(), good, write_statistics=False)
    bad.write_bytes(good.read_bytes())
    patch(bad, varint(ROWS), varint(19_000, length=3))
    result = segscore("score", good, bad, "--output", tmp_path / "run")
    if pa.__version__.startswith("18."):
        assert result.code == 2 and f"{bad}: cannot be read" in result.err
        return
    assert result.code == 0, result.err
    assert "1,000 of 20,000 references have no hypothesis" in result.err


def test_false_sizes_are_refused_or_harmless(segscore: Segscore, tmp_path: Path) -> None:
    """Columns that claim exabytes are refused before any work; too small a claim is no error."""
    good, bad = tmp_path / "good.parquet", tmp_path / "bad.parquet"
    pq.write_table(segmentations(), good, write_statistics=False, compression="none")
    content = good.read_bytes()
    metadata = pq.ParquetFile(good).metadata.row_group(0).column(0)
    old = varint(metadata.total_uncompressed_size)
    for size, code in ((8192, 0), (1_000_000, 0)):
        bad.write_bytes(content)
        patch(bad, old, varint(size, length=len(old)), which=0)
        result = segscore("score", good, bad, "--output", tmp_path / f"{size}")
        assert result.code == code, result.err


def everything(tmp_path: Path) -> pa.Table:
    """Make columns of every kind."""
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
    """Some fit only as the lengths of their strings show."""
    file = tmp_path / "all.parquet"
    pq.write_table(everything(tmp_path), file, **options)
    tables = storage.read_row_groups(str(file), None, lambda names: names, limit)
    assert tables.equals(pq.read_table(file))
    with pytest.raises(Refused, match="row group 0: "):
        storage.read_row_groups(str(file), None, lambda names: names, 5000)


def test_random_headers_are_read_or_refused(tmp_path: Path) -> None:
    """After any change of a byte in a column's header the file is read, or refused in a line."""
    rng = Random(2)  # noqa: S311
    file, table = tmp_path / "all.parquet", segmentations().slice(0, 50)
    pq.write_table(table, file, compression="none", use_dictionary=["coder"])
    content = file.read_bytes()
    for _ in range(300):
        offset = 4 + rng.randrange(60)
        file.write_bytes(content[:offset] + rng.randbytes(1) + content[offset + 1 :])
        try:
            storage.read_row_groups(str(file), None, lambda names: names, 10**7)
        except Refused as problem:
            assert str(problem).startswith(f"{file}: ")  # noqa: PT017


def test_the_limit_of_address_space_is_in_force() -> None:
    """The limit is in force, so that the tests above would notice an exploding bomb."""
    assert 20_000 * len(MEGABYTE) > 4 * ADDRESSES
    assert resource.RLIMIT_AS >= 0


def test_a_file_is_closed_once_nobody_needs_it(tmp_path: Path) -> None:
    table = tmp_path / "table.parquet"
    pq.write_table(pa.table({"a": [1, 2]}), table)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(10):
        open_parquet(str(table))
    assert len(os.listdir("/proc/self/fd")) == before

"""Receipts are data: what is written is read back, what is broken or forged is refused."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, fields, is_dataclass, replace
from datetime import UTC, date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes
from hypothesis.extra.numpy import arrays as generated
from numpy.typing import NDArray

from segscore.pipeline.errors import Failed, Unreadable
from segscore.pipeline.runs import receipt_file, receipts
from segscore.pipeline.runs.receipt_arrays import read_array, write_array
from segscore.pipeline.runs.receipt_values import codec
from segscore.pipeline.scoring.records import PartSums
from segscore.pipeline.statistics.sums import DIGITS, PRODUCTS, Sums
from tests.support.examples import examples
from tests.support.forged import FORGERIES, GENUINE, TABLES, Counted, sealed, zeros

ROOT = Path(__file__).parents[3]
MORE = 64 * 2**20
"""Bytes of memory that reading forgeries may need."""


# --- Written and read back -----------------------------------------------------------------------


@dataclass(frozen=True)
class Everything:
    """A field of every type that a receipt may have."""

    text: str
    number: int
    share: float
    truth: bool
    maybe: int | None
    listed: list[tuple[object, ...]]
    pair: tuple[int, str]
    keyed: dict[tuple[object, ...], tuple[int, ...]]
    bits: NDArray[np.uint8]
    truths: NDArray[np.bool_]
    counts: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    values: NDArray[np.float64]
    whole: NDArray[Any]
    table: pa.Table


ZONES = st.sampled_from(
    [None, UTC, timezone(timedelta(hours=-3, minutes=-30)), ZoneInfo("Europe/Berlin")]
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.binary(max_size=20)
    | st.dates()
    | st.builds(
        lambda time, zone, fold: time.replace(tzinfo=zone, fold=fold),
        st.datetimes(),
        ZONES,
        st.integers(0, 1),
    )
)
WHOLE = st.integers(-(2**123), 2**123) | st.integers(-(2**70), 2**70) | st.integers(-9, 9)


def arrays(dtype: str) -> st.SearchStrategy[NDArray[Any]]:
    """Arrays of up to three dimensions, in any memory order."""
    shapes = array_shapes(max_dims=3, min_side=0, max_side=4)
    return generated(dtype, shapes).map(lambda array: array.T if array.ndim == 2 else array)


def objects() -> st.SearchStrategy[NDArray[Any]]:
    """Arrays of Python integers."""

    def make(values: list[int]) -> NDArray[Any]:
        array = np.empty(len(values), object)
        array[:] = values
        return array.reshape(2, -1) if len(values) % 2 == 0 else array

    return st.lists(WHOLE, max_size=8).map(make)


COLUMNS = {
    "text": (pa.string(), st.text(st.characters(codec="utf-8"))),
    "large": (pa.large_string(), st.text(st.characters(codec="utf-8"))),
    "number": (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    "hash": (pa.uint64(), st.integers(0, 2**64 - 1)),
    "small": (pa.int8(), st.integers(-128, 127)),
    "share": (pa.float64(), st.floats(allow_nan=False)),
    "truth": (pa.bool_(), st.booleans()),
    "day": (pa.date32(), st.dates()),
    "at": (pa.timestamp("us"), st.datetimes()),
    "zoned": (pa.timestamp("s", "Europe/Berlin"), st.integers(0, 10**9)),
    "coder": (pa.dictionary(pa.int32(), pa.string()), st.sampled_from(["", "ann", "bob"])),
}


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    """Tables of several chunks, sliced from larger ones."""
    rows, start = draw(st.integers(0, 9)), draw(st.integers(0, 3))
    names = draw(st.lists(st.sampled_from([*COLUMNS]), unique=True, min_size=1, max_size=6))
    columns = {}
    for name in names:
        kind, values = COLUMNS[name]
        chunks = [draw(st.lists(st.none() | values, min_size=rows, max_size=rows)) for _ in "ab"]
        columns[name] = pa.chunked_array([pa.array(chunk, kind) for chunk in chunks], kind)
    return pa.table(columns).slice(start)


EVERYTHING = st.builds(
    Everything,
    text=st.text(),
    number=st.integers(),
    share=st.floats(),
    truth=st.booleans(),
    maybe=st.none() | st.integers(),
    listed=st.lists(st.lists(SCALARS, max_size=3).map(tuple), max_size=4),
    pair=st.tuples(st.integers(), st.text()),
    keyed=st.dictionaries(
        st.lists(SCALARS.filter(lambda key: key == key), max_size=3).map(tuple),
        st.lists(st.integers(), max_size=3).map(tuple),
        max_size=4,
    ),
    bits=arrays("uint8"),
    truths=arrays("bool"),
    counts=arrays("int64"),
    hashes=arrays("uint64"),
    values=arrays("float64"),
    whole=objects() | arrays("int64"),
    table=tables(),
)


def same(one: Any, other: Any) -> bool:
    """Return whether two values are equal in type and content, with NaN and the order of dicts."""
    if type(one) is not type(other):
        return False
    if is_dataclass(one):
        return all(same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))
    if isinstance(one, dict):
        return same(list(one.items()), list(other.items()))
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray):
        alike = one.dtype == other.dtype and one.shape == other.shape
        if one.dtype == object:
            return alike and same(one.tolist(), other.tolist())
        return alike and one.tobytes() == other.tobytes()
    if isinstance(one, pa.Table):
        return bool(one.schema.equals(other.schema)) and one.to_pylist() == other.to_pylist()
    if isinstance(one, datetime):
        return (one.replace(tzinfo=None), one.fold) == (
            other.replace(tzinfo=None),
            other.fold,
        ) and (one.tzinfo == other.tzinfo)
    return bool(one == other) or one != one


def packed(value: object) -> bytes:
    """Return a receipt's file."""
    buffers: list[Any] = []
    return receipt_file.pack(codec(type(value)).write(value, buffers), buffers)


@given(EVERYTHING)
@settings(max_examples=examples(100), deadline=None)
def test_a_written_receipt_is_read_back(value: Everything) -> None:
    content = packed(value)
    node, buffers = receipt_file.unpack(content)
    remaining = iter(buffers)
    read = codec(Everything).read(node, remaining)
    assert same(read, value)
    assert not list(remaining)
    assert packed(read) == content
    assert read.counts.flags.writeable and read.counts.flags.aligned


@pytest.mark.parametrize("bits", [62, 63, 64, 123])
def test_integers_of_many_bits(bits: int) -> None:
    many = np.array([2**bits, -(2**bits), 2**bits - 1, 0, -1], object)
    counts = {"in": 2**bits, "scored": 2**bits, "rejected": 0, "unpaired": 0}
    receipt = Counted("part", {"hypotheses": counts})
    assert same(written_and_read(receipt), receipt)
    sums = of_sums(2)
    digits = np.resize(many, sums.digits.shape)
    added = PartSums(replace(sums, digits=digits))
    assert same(written_and_read(added), added)


def test_integers_of_too_many_bits() -> None:
    digits = np.full(of_sums(2).digits.shape, 2**126, object)
    with pytest.raises(OverflowError):
        packed(PartSums(replace(of_sums(2), digits=digits)))


@pytest.mark.parametrize(
    "array",
    [np.array([1.5], object), np.array(["a"]), np.zeros(2, "f4"), np.zeros(2, ">i8")],
    ids=["objects", "text", "float32", "big-endian"],
)
def test_arrays_of_other_types_are_not_written(array: NDArray[Any]) -> None:
    with pytest.raises(TypeError):
        packed(replace(GENUINE, paired=array))


def test_a_receipt_that_is_too_large_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receipt_file, "MOST", 1000)
    with pytest.raises(Unreadable, match="too large for a receipt; shorten the ids"):
        receipts.keep(
            str(tmp_path), "stage", "part", replace(GENUINE, paired=np.zeros(2000, np.uint8))
        )


def test_a_large_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    receipts.keep(str(tmp_path), "stage", "part", GENUINE)
    path = tmp_path / "receipts" / "stage" / "part.receipt"
    os.truncate(path, receipt_file.MOST + 1000)  # a sparse file, which takes no space
    monkeypatch.delattr("segscore.pipeline.storage.read_bytes")
    with pytest.raises(Failed, match="larger than any receipt"):
        receipts.load(str(tmp_path), "stage", "part", Counted)


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "receipts" / "stage"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "fifo.receipt")
    (folder / "link.receipt").symlink_to("/dev/zero")
    for part in ("fifo", "link"):
        with pytest.raises(Failed, match="not a regular file"):
            receipts.load(str(tmp_path), "stage", part, Counted)


def test_a_highly_compressible_receipt_is_stored_uncompressed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Otherwise the limit on reading would refuse it."""
    monkeypatch.setattr(receipt_file, "FREE", 2**16)
    value = replace(GENUINE, paired=np.zeros(2**20, np.uint8))
    assert len(packed(value)) > 2**20
    assert same(written_and_read(value), value)
    value = replace(value, paired=np.arange(2**20, dtype=np.uint8))
    assert same(written_and_read(value), value)


@pytest.mark.parametrize(
    ("extreme", "stored"),
    [
        (0, "int16"),
        (2**15 - 1, "int16"),
        (-(2**15), "int16"),
        (2**15, "int32"),
        (-(2**15) - 1, "int32"),
        (2**31 - 1, "int32"),
        (2**31, None),
        (-(2**31) - 1, None),
        (-(2**63), None),
    ],
)
def test_integers_are_stored_in_the_narrowest_type(extreme: int, stored: str | None) -> None:
    array = np.array([[1, extreme, -1]])
    buffers: list[receipt_file.Buffer] = []
    node = write_array(array, buffers)
    assert node == ["int64", [1, 3], stored][: 2 if stored is None else 3]
    assert buffers[0].dtype == np.dtype(stored or "int64")
    read = read_array(node, iter([pa.py_buffer(buffers[0])]), ("int64",))
    assert read.dtype == np.int64 and read.tolist() == array.tolist()


@pytest.mark.parametrize(
    "node",
    [
        ["int64", [4], "int8"],
        ["int64", [4], "float64"],
        ["int64", [4], ["int16"]],
        ["int64", [4], "int16", "int16"],
        ["uint64", [4], "int16"],
        ["int64", [5], "int16"],
    ],
    ids=str,
)
def test_other_narrow_arrays_are_refused(node: receipt_file.Node) -> None:
    with pytest.raises(ValueError, match="an array"):
        read_array(node, iter([pa.py_buffer(bytes(8))]), ("int64", "uint64"))


def written_and_read(value: object) -> object:
    """Write a receipt and read it."""
    node, buffers = receipt_file.unpack(packed(value))
    return codec(type(value)).read(node, iter(buffers))


def of_sums(groups: int, cells: int = 5) -> Sums:
    """Sums of any kind."""
    rng = np.random.default_rng(groups)

    def draw(*shape: int) -> NDArray[np.int64]:
        return rng.integers(0, 2**40, shape)

    return Sums(
        groups=[(f"sys{i}", None, 2001, date(2001, 1, 1)) for i in range(groups)],
        documents=draw(groups),
        document_sets=draw(groups).astype(np.uint64),
        digits=draw(3, groups, 4).astype(object),
        squares=draw(3, groups, DIGITS + len(PRODUCTS)).astype(object),
        group=rng.integers(0, groups, cells),
        unit=draw(cells).astype(np.uint64),
        counts=draw(4, cells),
        values=draw(3, cells),
        defined=draw(3, cells),
    )


# --- Broken receipts are refused -----------------------------------------------------------------


@dataclass(frozen=True)
class SampleReceipt:
    """A receipt with some fields of all types."""

    added: PartSums
    receipt: Counted
    table: pa.Table


KEPT = SampleReceipt(
    PartSums(of_sums(3), None, {("sys", None): np.zeros((3, 2, 2), np.int64)}),
    GENUINE,
    pa.table({"coder": pa.array(["ann", None, "bob"]).dictionary_encode(), "unit": [1, 2, None]}),
)


def outcome(folder: Path, content: bytes) -> object:
    """Read a file; return `Failed` if it is refused."""
    path = folder / "receipts" / "stage" / "part.receipt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    try:
        return receipts.load(str(folder), "stage", "part", SampleReceipt)
    except Failed as problem:
        message = str(problem)
    assert message.startswith(f"{path}: not a valid receipt (") and "\n" not in message
    return Failed


def broken(content: bytes, rng: np.random.Generator) -> bytes:
    """Flip a bit, truncate, insert, delete or overwrite bytes."""
    place, other = sorted(rng.integers(0, len(content) + 1, 2).tolist())
    some = [b"\0", b"\xff", b"-", b"9" * 20, b"[" * 100, rng.bytes(8)][rng.integers(6)]
    start, end = content[:place], content[place:]
    flipped = bytes(byte ^ 1 << int(rng.integers(8)) for byte in end[:1])
    changed = [start, start + content[other:], start + some + end, start + some + end[len(some) :]]
    return [*changed, start + flipped + end[1:]][rng.integers(5)]


def test_a_broken_file_is_refused(tmp_path: Path) -> None:
    content, rng = packed(KEPT), np.random.default_rng(1)
    assert same(outcome(tmp_path, content), KEPT)
    for _ in range(1500):
        other = broken(content, rng)
        assert (outcome(tmp_path, other) is Failed) == (other != content)


@pytest.mark.long
def test_a_broken_block_is_refused_or_read(tmp_path: Path) -> None:
    """A forger can compute the checksum too: then any values may be read, but no code runs."""
    node, buffers = receipt_file.unpack(packed(KEPT))
    rng = np.random.default_rng(2)
    read = 0
    for _ in range(1500):
        others = [buffer.to_pybytes() for buffer in buffers]
        changed = int(rng.integers(len(others)))
        others[changed] = broken(others[changed], rng)
        result = outcome(tmp_path, receipt_file.pack(node, others))
        if isinstance(result, SampleReceipt):
            read += 1
            result.table.validate(full=True)
            astuple(result)
    assert read > 100


@pytest.mark.long
def test_a_broken_text_is_refused_or_read(tmp_path: Path) -> None:
    node, buffers = receipt_file.unpack(packed(KEPT))
    document = {"buffers": [buffer.size for buffer in buffers], "value": node}
    text, rng = json.dumps(document).encode(), np.random.default_rng(3)
    for _ in range(1500):
        result = outcome(tmp_path, with_text(broken(text, rng), [*map(bytes, buffers)]))
        assert result is Failed or isinstance(result, SampleReceipt)


def with_text(text: bytes, buffers: list[bytes]) -> bytes:
    """Return a file with a new text and the buffers of another file."""
    block = b"".join(piece.ljust(-(-len(piece) // 64) * 64, b"\0") for piece in (text, *buffers))
    return sealed(block, len(block), len(text))


def misfits() -> Iterator[Callable[[Sums], Sums]]:
    """Changes of sums that make them inconsistent."""
    yield lambda sums: replace(sums, group=sums.group + 3)
    yield lambda sums: replace(sums, group=sums.group - 3)
    yield lambda sums: replace(sums, counts=sums.counts[:, :-1])
    yield lambda sums: replace(sums, digits=sums.digits[:, :-1])
    yield lambda sums: replace(sums, squares=sums.squares[..., :-1])
    yield lambda sums: replace(sums, unit=sums.unit[:-1])
    yield lambda sums: replace(sums, digits=sums.digits.astype(np.float64))
    yield lambda sums: replace(sums, groups=sums.groups[:-1])


@pytest.mark.parametrize("change", [*misfits()])
def test_inconsistent_sums_are_refused(change: Callable[[Sums], Sums]) -> None:
    with pytest.raises(ValueError, match=r"of the sums|the sums are not"):
        change(of_sums(3))


# --- Forged receipts are refused -----------------------------------------------------------------


def test_the_bomb_unpacks_to_zeros() -> None:
    assert bytes(pa.Codec("zstd").decompress(zeros(2**18), 2**18)) == bytes(2**18)


def test_forgeries_are_refused_with_little_memory(tmp_path: Path) -> None:
    """They are read in a process of their own, which must survive with little memory."""
    result = subprocess.run(
        [sys.executable, "-m", "tests.support.forged", tmp_path],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    *lines, more = result.stdout.splitlines()
    assert result.returncode == 0, result.stderr
    path = tmp_path / "receipts" / "stage" / "part.receipt"
    names = [*FORGERIES, *TABLES]
    assert len(lines) == len(names)
    for name, line in zip(names, lines, strict=True):
        assert line.startswith(f"{name}: Failed: {path}: not a valid receipt (")
        assert line.endswith("); run again with --fresh")
        assert len(line) < len(str(path)) + 350
    assert int(more) < MORE


RUNS_CODE = {"pickle", "cPickle", "cloudpickle", "dill", "marshal", "shelve", "joblib", "copyreg"}
"""Modules that execute what a file's content says."""

TRUSTED = {
    "pipeline/storage/unnamed_files.py": "what Dask's client sent, beside a file of numbers",
}
"""Files that use such a module -> what they read with it."""


@pytest.mark.long
def test_no_module_that_executes_file_content_is_imported() -> None:
    for path in (
        path
        for room in ("pipeline", "jobs", "schemas")
        for path in ROOT.glob(f"{room}/**/*.py")
        if str(path.relative_to(ROOT)) not in TRUSTED
    ):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                assert not RUNS_CODE & {name.name.partition(".")[0] for name in node.names}, path
            if isinstance(node, ast.ImportFrom):
                assert (node.module or "").partition(".")[0] not in RUNS_CODE, path
            if isinstance(node, ast.Attribute):
                assert node.attr not in ("allow_pickle", "read_pickle"), path
            if isinstance(node, ast.keyword):
                assert node.arg != "allow_pickle", path

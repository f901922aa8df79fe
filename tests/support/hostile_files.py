"""Input files that nobody should have to read, and a process that gives each to a command."""

import base64
import gzip
import io
import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq  # noqa: TID251
from pyarrow.parquet import encryption  # noqa: TID251

from benchmarks.timing import peak_memory
from segscore.pipeline.storage import write_table
from tests.support.hostile import table, wrong_texts

IDS = ["a", "b"]
ROW: dict[str, Any] = {"document_id": "a", "coder": "x", "n_units": 10, "boundaries": [3, 6]}


def _json(**changed: object) -> str:
    return json.dumps({**ROW, **changed}) + "\n"


def _deep(depth: int, opening: str, closing: str) -> str:
    return _json(more=0).replace('"more": 0', f'"more": {opening * depth}1{closing * depth}')


def texts() -> dict[str, str | bytes]:
    """Return hostile text files by name."""
    row = _json().encode()
    return {
        "deep lists.jsonl": _deep(100_000, "[", "]"),
        "deep objects.jsonl": _json() + _deep(50_000, '{"a":', "}"),
        "deep and open.jsonl": '{"a":' * 50_000 + "\n",
        "deep.json": "[" * 1_000_000,
        "surrogate.jsonl": _json(document_id="\ud800", coder="\udfff"),
        "controls.jsonl": _json(document_id="\x1b]0;x\x07\u202e", coder="\x9b2J"),
        "numbers.jsonl": _json(n_units=2**40) + _json(n_units=11.5) + _json(boundaries=[-1]),
        "nan.jsonl": _json().replace("10", "NaN"),
        "huge number.jsonl": _json().replace("10", "1" * 100_000),
        "keys.jsonl": '{"document_id": "a", "document_id": "b"}\n',
        "long id.jsonl": _json(document_id="x" * 2_000_000, n_units=0),
        "wide.jsonl": _json(**{f"c{i}": i for i in range(3000)}),
        "no table.jsonl": "[]\n{}\n",
        "binary.jsonl": bytes(range(256)) * 50,
        "not text.jsonl": row.replace(b"a", b"\xff"),
        "empty.jsonl": "",
        "cut.jsonl.gz": gzip.compress(row * 100)[:-20],
        "bomb.jsonl.gz": gzip.compress(b" " * 2**20) * 80,
        "empty.parquet": "",
        "magic.parquet": b"PAR1" * 3,
        "unclosed.csv": 'document_id,coder,n_units,boundaries\n"a,x,10,3',
        "long cell.csv": "document_id,coder,n_units,boundaries\n" + "x" * 6_000_000 + ",x,10,3\n",
        "huge size.TextGrid": (
            'File type = "ooTextFile"\nObject class = "TextGrid"\n\nxmin = 0\nxmax = 9\n'
            "tiers? <exists>\nsize = 99999999999\n"
        ),
    }


def tables() -> dict[str, pa.Table]:
    """Return hostile Parquet tables by name."""
    good = table(IDS, "x", 10, [3, 6])
    one = pa.list_(pa.int32())

    def with_column(name: str, values: pa.Array) -> pa.Table:
        if name not in good.column_names:
            return good.append_column(name, values)
        return good.set_column(good.column_names.index(name), name, values)

    wrong = wrong_texts([b"a", b"\xff"])
    return {
        "id.parquet": with_column("document_id", wrong),
        "coder.parquet": with_column("coder", wrong),
        "attribute.parquet": with_column("show", wrong),
        "dictionary.parquet": with_column(
            "coder", pa.DictionaryArray.from_arrays(pa.array([0, 1]), wrong)
        ),
        "nan.parquet": with_column("n_units", pa.array([10, float("nan")])),
        "fraction.parquet": with_column("boundaries", pa.array([[3.0], [2.5]])),
        "large.parquet": with_column("n_units", pa.array([10, 2**40])),
        "negative.parquet": with_column("boundaries", pa.array([[-5, 3], [3]])),
        "typed.parquet": with_column("boundary_types", pa.array([[1, 2], None], one)),
        "null.parquet": with_column("document_id", pa.array(["a", None])),
        "longest.parquet": table(IDS, "x", 2**31 - 1, [3, 2**31 - 2]),
        "wide.parquet": pa.table(
            {**dict(zip(good.column_names, good.columns, strict=True))}
            | {f"c{i}": ["u", "v"] for i in range(3000)}
        ),
        "no rows.parquet": good.slice(0, 0),
    }


class _OpenKeys(encryption.KmsClient):  # type: ignore[misc]
    """Wraps keys without a secret."""

    def wrap_key(self, key_bytes: bytes, _: str) -> bytes:
        return base64.b64encode(key_bytes)


def encrypted() -> bytes:
    """Return a Parquet file with two encrypted columns, whose footer can be read."""
    columns = {"c": ["document_id", "boundaries.list.element"]}
    settings = encryption.EncryptionConfiguration(
        footer_key="f", column_keys=columns, plaintext_footer=True
    )
    factory = encryption.CryptoFactory(lambda _: _OpenKeys())
    keys = factory.file_encryption_properties(encryption.KmsConnectionConfig(), settings)
    rows, memory = table(IDS, "x", 10, [3, 6]), pa.BufferOutputStream()
    with pq.ParquetWriter(memory, rows.schema, encryption_properties=keys) as writer:
        writer.write_table(rows)
    return bytes(memory.getvalue().to_pybytes())


_SIGNATURE = 28


def unsigned(content: bytes) -> bytes:
    """Return a Parquet file without the signature at the end of its footer."""
    size = int.from_bytes(content[-8:-4], "little") - _SIGNATURE
    return content[: -8 - _SIGNATURE] + size.to_bytes(4, "little") + content[-4:]


def write_all(folder: Path) -> list[Path]:
    """Write all hostile files to a folder, and return their paths."""
    folder.mkdir()
    locked = {"locked.parquet": encrypted(), "unsigned.parquet": unsigned(encrypted())}
    for name, content in {**texts(), **locked}.items():
        content = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(content)
    for name, rows in tables().items():
        write_table(str(folder / name), rows)
    return sorted(folder.iterdir())


def run_all(commands: Iterable[Sequence[object]], limit: int) -> list[dict[str, Any]]:
    """Run commands one after the other in one process with a limit on its memory.

    Args:
        commands: arguments of `segscore`.
        limit: the most MB that the process may take.

    Returns:
        Arguments, exit code, standard output and error of each command.
    """
    given = json.dumps([[str(argument) for argument in command] for command in commands])
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.hostile_files"],
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    results = [json.loads(line) for line in done.stdout.splitlines()]
    last = results[-1]["arguments"] if results else None
    assert done.returncode == 0, f"{done.returncode} after {last}: {done.stderr[-3000:]}"
    peak = float(done.stderr.splitlines()[-1])
    assert peak < limit, f"{peak:.0f} MB"
    return results


def _main() -> None:
    from segscore.jobs.cli import app

    for arguments in json.load(sys.stdin):
        sys.argv = ["segscore", *arguments]
        code: object = 0
        out, err = io.StringIO(), io.StringIO()
        try:
            with redirect_stdout(out), redirect_stderr(err):
                app.main()
        except SystemExit as left:
            code = left.code or 0
        result = {"arguments": arguments, "code": code}
        print(json.dumps({**result, "out": out.getvalue()[:9999], "err": err.getvalue()[:9999]}))
        sys.stdout.flush()
    print(peak_memory(), file=sys.stderr)


if __name__ == "__main__":
    _main()

"""The same run on a disk and in every object store."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from segscore.pipeline import storage
from tests.support.command_line import CommandResult, Segscore
from tests.support.corpora import Corpus, corpus
from tests.support.dask_cluster import dask_cluster
from tests.support.servers import ACCOUNT_KEY, WRITER, Fault, Proxy

STORES = ["s3", "azure", "gcs"]
TABLES = ("scores", "panel_scores", "summary", "rejects", "unpaired")
SECRETS = (WRITER["secret"], ACCOUNT_KEY)


def upload(generated: Corpus, folder: str) -> None:
    """Upload a corpus."""
    rows = [
        {**row, "role": role}
        for role, table in (
            ("reference", generated.references),
            ("hypothesis", generated.hypotheses),
        )
        for row in table
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    storage.write_text(storage.join(folder, "corpus.jsonl"), text)
    documents = pa.Table.from_pylist(generated.documents)
    storage.write_table(storage.join(folder, "documents.parquet"), documents)


def score(segscore: Segscore, folder: str, run: str, *options: object) -> CommandResult:
    """Score imported tables."""
    return segscore(
        "score", f"{folder}/tables/references", f"{folder}/tables/hypotheses",
        "--documents", f"{folder}/documents.parquet", "--group-by", "genre",
        "--output", f"{folder}/{run}", *options,
    )  # fmt: skip


def tables(run: str) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of every table, without the file of a rejected row."""
    rows = {}
    for name in TABLES:
        table = storage.read_table(storage.join(run, name))
        columns = [column for column in table.column_names if column != "source"]
        rows[name] = table.select(columns).to_pylist()
    return rows


@pytest.fixture
def on_disk(segscore: Segscore, tmp_path: Path) -> Corpus:
    """A corpus of several parts, imported and scored on a disk, with a rejected row."""
    segscore.cut(40)
    generated = corpus(seed=12, documents=50)
    generated.hypotheses.append({**generated.hypotheses[0], "boundaries": []})
    upload(generated, str(tmp_path))
    given = segscore("import", tmp_path / "corpus.jsonl", "--output", tmp_path / "tables")
    assert given.code == 0, given.err
    result = score(segscore, str(tmp_path), "run")
    assert result.code == 0, result.err
    return generated


@pytest.mark.parametrize("store", STORES)
def test_tables_are_the_same_in_every_store(
    segscore: Segscore,
    tmp_path: Path,
    on_disk: Corpus,
    store: str,
    request: pytest.FixtureRequest,
) -> None:
    folder = f"{request.getfixturevalue(store)}/{tmp_path.name}"
    upload(on_disk, folder)
    given = segscore("import", f"{folder}/corpus.jsonl", "--output", f"{folder}/tables")
    assert given.code == 0, given.err
    result = score(segscore, folder, "run")
    assert result.code == 0, result.err
    assert tables(f"{folder}/run") == tables(str(tmp_path / "run"))
    names = storage.names(f"{folder}/run")
    assert {*TABLES, "run.json"} <= {*names} and not any(name.startswith("_") for name in names)
    record = storage.read_text(f"{folder}/run/run.json")
    assert record is not None
    texts = given.out + given.err + result.out + result.err + record
    assert not any(secret in texts for secret in SECRETS)
    shown = segscore("show", f"{folder}/run")
    assert shown.code == 0 and "has the best value" in shown.out, shown.err
    document = on_disk.hypotheses[1]["document_id"]
    drawn = segscore("explain", f"{folder}/run", "--document", document)
    assert drawn.code == 0 and document in drawn.out, drawn.err
    again = score(segscore, folder, "run")
    assert again.code == 0 and "already contains this run" in again.out, again.err
    fresh = score(segscore, folder, "run", "--fresh")
    assert fresh.code == 0, fresh.err
    assert tables(f"{folder}/run") == tables(str(tmp_path / "run"))


def test_tables_are_the_same_from_workers_with_credentials_in_their_environment(
    segscore: Segscore, tmp_path: Path, on_disk: Corpus, s3: str
) -> None:
    folder = f"{s3}/{tmp_path.name}"
    upload(on_disk, folder)
    given = segscore("import", f"{folder}/corpus.jsonl", "--output", f"{folder}/tables")
    assert given.code == 0, given.err
    expected = tables(str(tmp_path / "run"))
    with dask_cluster(tmp_path) as address:
        for name, place in {"processes": ("processes", "--workers", 2), "tcp": (address,)}.items():
            result = score(segscore, folder, name, "--cluster", *place)
            assert result.code == 0, result.err
            assert tables(f"{folder}/{name}") == expected


def test_tables_are_the_same_from_a_server_that_often_fails(
    segscore: Segscore,
    tmp_path: Path,
    on_disk: Corpus,
    s3: str,
    proxied: Callable[[str], Proxy],
) -> None:
    """Answers are lost after the work was done, too."""
    proxy = proxied("s3")
    draw = Random(3)  # noqa: S311
    faults = [Fault("answer", 500), Fault("answer", 503), *map(Fault, ("reset", "lost", "cut"))]
    proxy.fault = lambda *_: draw.choice(faults) if draw.random() < 0.1 else None
    folder = f"{s3}/{tmp_path.name}"
    upload(on_disk, folder)
    given = segscore("import", f"{folder}/corpus.jsonl", "--output", f"{folder}/tables")
    assert given.code == 0, given.err
    result = score(segscore, folder, "run")
    assert result.code == 0, result.err
    assert tables(f"{folder}/run") == tables(str(tmp_path / "run"))


def test_document_names_do_not_depend_on_the_store(
    segscore: Segscore, tmp_path: Path, s3: str
) -> None:
    """Choi's files name their documents."""
    names = []
    for folder in (str(tmp_path), f"{s3}/{tmp_path.name}-names"):
        for name in ("3-5/1.ref", "9-11/1.ref"):
            storage.write_text(f"{folder}/{name}", "==========\na\nb\n==========\nc\n==========\n")
        options = ("--format", "choi", "--coder", "ann", "--output", f"{folder}/tables")
        result = segscore("import", f"{folder}/3-5", f"{folder}/9-11", *options)
        assert result.code == 0, result.err
        names.append(storage.read_table(f"{folder}/tables/references").column("document_id"))
    assert names[0].to_pylist() == names[1].to_pylist() == ["3-5/1", "9-11/1"]

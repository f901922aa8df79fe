"""Imports in parts: the same tables however the work is split and wherever it runs."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed
from segscore.pipeline.importing import run as importing
from segscore.pipeline.importing.account import of_many_files
from segscore.pipeline.importing.run import find_imported, run_import
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.runs import planning
from segscore.pipeline.runs.executors import Threads
from segscore.pipeline.runs.planning import Limits
from segscore.pipeline.runs.tasks import ignore_progress
from tests.oracles.naive_import import naive_import
from tests.support.command_line import Segscore
from tests.support.examples import examples
from tests.support.rows import read_rows
from tests.support.run_files import files

TABLES = ("references", "hypotheses", "documents")
SMALL = Limits(rows_per_part=3, bytes_per_part=300)


def line(document: str, coder: str, role: str, **further: Any) -> dict[str, Any]:
    row = {"document_id": document, "coder": coder, "role": role, "n_units": 9, "boundaries": [3]}
    return {**row, **further}


def write_lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
    return path


def imported(output: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of all tables, without missing values."""
    return {
        name: [
            {key: value for key, value in row.items() if value is not None}
            for row in read_rows(output, name)
        ]
        if (output / name).exists()
        else []
        for name in TABLES
    }


attributes = st.dictionaries(
    st.sampled_from(["genre", "year", "=", "line"]),
    st.one_of(
        st.sampled_from(["news", "5", ""]),
        st.integers(0, 3),
        st.booleans(),
        st.lists(st.sampled_from(["ü", "v", None]), max_size=2),
        st.lists(st.integers(0, 1), max_size=2),
    ),
)
lists = st.dictionaries(
    st.sampled_from(["unit_lengths", "unit_weights"]), st.just([1, 2, 3, 4, 5, 6, 7, 8, 9])
)
rows = st.builds(
    lambda document, coder, role, boundaries, further: {
        **line(document, coder, role),
        "boundaries": sorted(boundaries),
        **further[0],
        **further[1],
    },
    st.sampled_from(["a", "b", "c", "ä", "Z", "show-1", "show-10"]),
    st.sampled_from(["x", "y"]),
    st.sampled_from(["reference", "hypothesis"]),
    st.sets(st.integers(1, 8), max_size=4),
    st.tuples(attributes, lists),
)


@given(rows=st.lists(rows, min_size=1, max_size=12), size=st.sampled_from([60, 300, 10**6]))
@settings(max_examples=examples(40))
def test_tables_are_those_of_the_slow_import(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]], size: int
) -> None:
    folder = tmp_path_factory.mktemp("import")
    file = write_lines(folder / "rows.jsonl", rows)
    chosen = ImportSettings((str(file),), str(folder / "out"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planning, "LIMITS", Limits(rows_per_part=2, bytes_per_part=size))
        with Threads(2) as threads:
            run_import(chosen, find_imported(chosen), threads, ignore_progress, resumable=False)
    assert imported(folder / "out") == naive_import(rows)
    assert [path.name for path in (folder / "out").iterdir() if path.name not in TABLES] == []


def corpus(folder: Path) -> Path:
    """Write segmentations in several formats.

    Some files know the lengths of others, and two have one name in different folders.
    """
    chance = np.random.default_rng(3)
    folder.mkdir()
    names = [f"show-{number:02}" for number in range(20)]
    chance.shuffle(names)
    rows = [
        line(
            name,
            coder,
            "hypothesis" if coder.startswith("sys") else "reference",
            n_units=9000,
            boundaries=(1 + np.flatnonzero(chance.random(8999) < 0.0003)).tolist(),
            genre=("news", "talk")[chance.integers(2)] if coder == "odd" else "news",
            year=int(name[-2:]),
            tags=["news"] if coder == "odd" and name > "show-12" else [],
        )
        for name in names
        for coder in ("desk", "odd", "sys-a", "sys-b")
    ]
    twins = ["one/twin", "two/twin"]
    rows += [line(name, "desk", "reference", n_units=9000, genre="news") for name in twins]
    write_lines(folder / "a.jsonl", rows[:50])
    write_lines(folder / "z.jsonl", rows[50:])
    for name in (*names, *twins):
        (folder / name).parent.mkdir(exist_ok=True)
        cues = "\n\n".join(f"00:0{i}.000 --> 00:0{i + 1}.500\n{i}" for i in range(0, 8, 2))
        (folder / f"{name}.vtt").write_text(f"WEBVTT\n\n{cues}\n")
    return folder


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut even small files, and start a cluster for them."""
    monkeypatch.setattr(planning, "LIMITS", SMALL)
    monkeypatch.setattr(importing, "SMALL", 0)


@pytest.mark.long
@pytest.mark.usefixtures("small_parts")
def test_bytes_are_the_same_on_any_workers(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheduler: str
) -> None:
    source = corpus(tmp_path / "in")
    options = (source, "--coder", "sys-c", "--role", "hypothesis")
    places: dict[str, tuple[object, ...]] = {
        "one": ("local", "--workers", 1),
        "four": ("local", "--workers", 4),
        "cluster": (scheduler,),
    }
    for name, place in places.items():
        ended = segscore("import", *options, "--output", tmp_path / name, "--cluster", *place)
        assert ended.code == 0, ended.err
        assert "parts done" in ended.err
    monkeypatch.setattr(importing, "SMALL", 10**9)
    ended = segscore("import", *options, "--output", tmp_path / "here")
    assert (ended.code, ended.err) == (0, "")
    expected = files(tmp_path / "here")
    assert len(expected) > 6
    for name in places:
        assert files(tmp_path / name) == expected, name


@pytest.mark.long
def test_tables_are_the_same_from_one_part_and_from_many(
    segscore: Segscore, tmp_path: Path
) -> None:
    """Shapes take their lengths, and folders in their names, from files in other parts."""
    source = corpus(tmp_path / "in")
    told = []
    for name, limits in (("whole", Limits()), ("parts", SMALL)):
        segscore.cut(limits)
        ended = segscore(
            "import", source, "--coder", "sys-c", "--role", "hypothesis",
            "--output", tmp_path / name,
        )  # fmt: skip
        assert ended.code == 0, ended.err
        told.append(sorted(ended.out.replace(str(tmp_path / name), "").splitlines()))
    assert told[0] == told[1]
    whole, parts = imported(tmp_path / "whole"), imported(tmp_path / "parts")
    assert {name: sorted(map(str, rows)) for name, rows in whole.items()} == {
        name: sorted(map(str, rows)) for name, rows in parts.items()
    }
    assert parts["documents"] == whole["documents"]
    assert {"one/twin", "two/twin"} < {row["document_id"] for row in parts["hypotheses"]}


@pytest.mark.long
def test_a_small_import_does_not_wait_for_dask(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "t.jsonl", GOOD)
    program = (
        "import sys\nfrom segscore.jobs.cli.app import main\n"
        f"sys.argv = ['segscore', 'import', {str(file)!r}, '--output', {str(tmp_path / 'out')!r}]\n"
        "try:\n    main()\nfinally:\n    print(*sys.modules)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "references: 30 rows, 60 segments" in ended.stdout, ended
    assert not {"dask", "distributed"} & {*ended.stdout.split()}


GOOD = [line(f"d{number}", "c", "reference") for number in range(30)]


ODD = [
    {
        **line(str(number), "c", "reference", n_units=9.0, tags=[] if number < 20 else ["x", None]),
        "document_id": number,
        "levels": [1, 0.5] if number % 7 == 5 else None,
    }
    for number in range(30)
]
ADAPTED = (
    "warning: document_id is a number, read as text; n_units is written with decimals, read as "
    "whole numbers\n"
)


@pytest.mark.parametrize("parts", ["one", "many"])
def test_ids_and_lists_are_adapted(segscore: Segscore, tmp_path: Path, parts: str) -> None:
    """Whatever a part contains, the columns have one type, and one line says what was adapted."""
    if parts == "many":
        segscore.cut(SMALL)
    file = write_lines(tmp_path / "t.jsonl", ODD)
    ended = segscore("import", file, "--output", tmp_path / "out")
    assert (ended.code, ended.err) == (0, ADAPTED)
    assert ended.out.splitlines()[0].endswith("references: 30 rows, 60 segments")
    documents = storage.read_table(str(tmp_path / "out" / "documents")).sort_by("document_id")
    schema = documents.schema.remove_metadata()
    assert [str(schema.field(name).type.value_type) for name in ("levels", "tags")] == [
        "double",
        "string",
    ]
    expected = sorted((str(row["document_id"]), row["tags"], row["levels"]) for row in ODD)
    columns = documents.select(["document_id", "tags", "levels"]).to_pydict()
    assert [*zip(*columns.values(), strict=True)] == expected
    ended = segscore("import", file, "--strict", "--output", tmp_path / "strict")
    assert (ended.code, f"{file}:1: document_id is 0; expected a text" in ended.err) == (2, True)


@pytest.mark.usefixtures("small_parts")
def test_a_resumed_import_says_what_was_adapted(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_lines(tmp_path / "t.jsonl", ODD)

    def fail(*_: object) -> None:
        raise Failed("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(importing, "publish_tables", fail)
        assert segscore("import", file, "--output", tmp_path / "out").code == 1
    ended = segscore("import", file, "--output", tmp_path / "out", "--workers", 1)
    assert (ended.code, ended.err.count(ADAPTED)) == (0, 1), ended
    assert not (tmp_path / "out" / "_import").exists()


@pytest.mark.first
@pytest.mark.parametrize("number", [0, 1, 17, 29])
def test_lines_are_counted_across_parts(segscore: Segscore, tmp_path: Path, number: int) -> None:
    """Lines that cannot be read, rows that are invalid, and rows that contradict others."""
    segscore.cut(SMALL)
    file = write_lines(tmp_path / "t.jsonl", GOOD)
    lines = file.read_text().splitlines(keepends=True)

    def ended(bad: str, *options: object) -> str:
        file.write_text("".join([*lines[:number], bad, *lines[number:]]))
        return segscore("import", file, "--output", tmp_path / "out", *options).err

    assert f"{file}:{number + 1}: not JSON" in ended("{\n")
    wrong = json.dumps(line("e", "c", "reference", boundaries=[9])) + "\n"
    assert f"{file}:{number + 1}: boundaries_in_range" in ended(wrong)
    assert not (tmp_path / "out").exists()
    assert "1 row rejected" in ended("{\n", "--max-rejects", 0.1)
    (reject,) = read_rows(tmp_path / "out", "rejects")
    assert (reject["source"], reject["row"]) == (str(file), number)
    storage.remove(str(tmp_path / "out"))
    other = json.dumps({**json.loads(lines[5]), "boundaries": [1]}) + "\n"
    twice = ended(other)
    for place in (number + 1, 6 + (number <= 5)):
        assert f"{file}:{place}: unique_document_coder" in twice


@pytest.mark.parametrize(
    "make",
    [
        lambda out: (out / "references").mkdir(),
        lambda out: (
            (out / "_unfinished").mkdir() or (out / "_unfinished" / "notes.txt").write_text("mine")
        ),
    ],
    ids=["table", "foreign files"],
)
def test_what_is_in_the_output_folder_is_kept(
    segscore: Segscore, tmp_path: Path, make: Callable[[Path], object]
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    make(out)
    before = sorted(out.rglob("*"))
    ended = segscore("import", write_lines(tmp_path / "t.jsonl", GOOD), "--output", out)
    assert (ended.code, f"--output {out}" in ended.err) == (2, True), ended
    assert sorted(out.rglob("*")) == before


def test_coders_are_renamed_in_every_format(segscore: Segscore, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"document_id": "d", "coder": "eva@example.org", "n_units": 9, "boundaries": [3]}\n'
    )
    (tmp_path / "d.chapters.csv").write_text("start,end,coder\n0,4,eva\n4,9,eva\n")
    (tmp_path / "names.csv").write_text("coder,name\neva@example.org,Eva\neva, Eva\n")
    for name in ("a.jsonl", "d.chapters.csv"):
        out = tmp_path / name.partition(".")[0]
        renames = ("--rename-coders", tmp_path / "names.csv")
        result = segscore("import", tmp_path / name, *renames, "--output", out)
        assert result.code == 0, result.err
        assert storage.read_table(f"{out}/references").column("coder").to_pylist() == ["Eva"]
    system = '{"document_id": "d", "coder": "sys", "n_units": 9, "boundaries": [], "role": "hypot'
    with (tmp_path / "a.jsonl").open("a") as lines:
        lines.write(f'{system}hesis"}}\n')
    result = segscore("import", tmp_path / "a.jsonl", *renames, "--output", tmp_path / "both")
    assert result.code == 0, result.err
    systems = storage.read_table(f"{tmp_path}/both/hypotheses").column("coder").to_pylist()
    assert systems == ["sys"]
    (tmp_path / "names.csv").write_text("lea,Lea\n")
    for name in ("a.jsonl", "d.chapters.csv"):
        kept = segscore("import", tmp_path / name, *renames, "--output", tmp_path / "no")
        assert (kept.code, "--rename-coders: the file does not list eva" in kept.err) == (2, True)
        assert not (tmp_path / "no").exists()
    (tmp_path / "names.csv").write_text("eva\n")
    refused = segscore(
        "import", tmp_path / "a.jsonl", "--rename-coders", tmp_path / "names.csv", "--output", "x"
    )
    assert refused.code == 2
    assert "names.csv:1: expected two columns, a coder and a name" in refused.err


def test_a_remark_about_many_files_is_one_line() -> None:
    lines = [f"{n}.eaf: tiers not read: notes, t{n}" for n in range(12)]
    others = ["a.eaf: a, ann: 1 gap (5 ms) joined", "b.eaf: drafts left out: 3"]
    (*kept, shared) = of_many_files([*others, *lines])
    assert kept == others
    assert shared == (
        "12 files: tiers not read: notes, t0, t1, t2, t3, t4, t5, t6, t7, t8 and 3 more"
    )
    assert of_many_files(lines[:3]) == lines[:3]


def test_the_same_remark_about_many_segmentations_is_one_line_with_sums() -> None:
    gaps = [f"{n}.eaf: {n}, ann: 1 gap ({n},000 ms) joined to the segment before" for n in range(9)]
    more = [f"{n}.eaf: {n}, ben: 2 gaps (7 ms) joined to the segment before" for n in range(3)]
    other = "9.eaf: 9, ann: 1 overlap (5 ms)"
    assert of_many_files([*gaps, other]) == [*gaps, other]
    assert of_many_files([*gaps, other, *more]) == [
        other,
        "12 segmentations: 15 gaps (36,021 ms) joined to the segment before; the first is "
        "0.eaf: 0, ann",
    ]

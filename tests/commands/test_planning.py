"""How documents are divided into parts: chosen by size and order, equal in result."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq  # noqa: TID251
import pytest

from segscore.pipeline.runs import planning
from segscore.pipeline.runs.planning import Limits
from segscore.pipeline.statistics import resampling
from segscore.pipeline.storage import InputFile
from segscore.pipeline.tables.find import InputTable, Slice
from tests.support.command_line import Segscore
from tests.support.corpora import SEGMENTATION, corpus, run
from tests.support.rows import read_rows

TABLES = ("scores", "panel_scores", "summary", "rejects", "unpaired")
OPTIONS = {
    "plain": (),
    "words": ("--units", "words", "--group-by", "genre,year"),
    "per-run": ("--window", "per-run", "--group-by", "genre", "--p-seg", "0.3"),
    "points": ("--reference-points", "none,all,human", "--consensus", "0.5,any"),
}


def rows(folder: Path, name: str) -> list[str]:
    """Return the rows of a table as text, sorted."""
    if not (folder / name).exists():
        return []
    return sorted(map(repr, read_rows(folder, name)))


def in_order(folder: Path) -> None:
    """Sort the tables of a corpus by document, in small row groups."""
    for path in sorted(folder.rglob("*.parquet")):
        table = pq.ParquetFile(path).read()
        pq.write_table(table.sort_by("document_id"), path, row_group_size=5)


@pytest.mark.first
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
@pytest.mark.parametrize("way", ["ranges", "shuffled"])
@pytest.mark.parametrize("most", [4096, pytest.param(16, marks=pytest.mark.long)])
def test_every_plan_gives_the_same_tables(
    segscore: Segscore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    way: str,
    most: int,
) -> None:
    monkeypatch.setattr(resampling, "BUCKETS", most)
    generated = corpus(seed=9, documents=30)
    copied = generated.hypotheses[0]
    generated.hypotheses.append({**copied, "boundaries": []})
    generated.references.append({**generated.references[3], "boundaries": []})
    generated.write(tmp_path, files=3)
    if way == "ranges":
        in_order(tmp_path)
    whole = run(segscore, tmp_path, tmp_path / "whole", *options)
    segscore.cut(10)
    divided = run(segscore, tmp_path, tmp_path / "met", *options)
    for name in TABLES:
        assert rows(tmp_path / "met", name) == rows(tmp_path / "whole", name), name
    assert (
        divided["signature"],
        divided["test_set"],
        divided["rows"],
        divided["p_seg"],
        divided["pairs"],
    ) == (
        whole["signature"],
        whole["test_set"],
        whole["rows"],
        whole["p_seg"],
        whole["pairs"],
    )
    assert len([*(tmp_path / "met" / "scores").iterdir()]) > 3


def test_a_few_files_in_no_order_are_shuffled(segscore: Segscore, tmp_path: Path) -> None:
    """Each of four files has ids from all over, so that nearly all rows would be in one range."""
    generated = corpus(seed=9, documents=60)
    numbers = np.random.default_rng(1).permutation(len(generated.hypotheses))
    generated.hypotheses[:] = [generated.hypotheses[number] for number in numbers]
    generated.write(tmp_path, files=4)
    for path in (tmp_path / "hypotheses").iterdir():
        pq.write_table(pq.ParquetFile(path).read(), path)  # in one row group
    a_file = len(numbers) // 4
    segscore.cut(a_file)
    plan = run(segscore, tmp_path, tmp_path / "run")["plan"]
    assert any(line.startswith("rows are shuffled into") for line in plan), plan
    written = [pq.ParquetFile(path).metadata for path in (tmp_path / "run" / "scores").iterdir()]
    assert max(file.num_rows for file in written) < sum(file.num_rows for file in written) / 2


SKEWED = 1000
"""Hypotheses of one document, and thousands of units of another."""


def skewed(folder: Path) -> None:
    """One document has 1,000 hypotheses, one a million units; a hundred are ordinary."""
    draw = np.random.default_rng(2)
    long = 1000 * SKEWED
    sizes = {"crowded": 50, "long": long, **{f"d{i}": 40 for i in range(100)}}
    systems = dict.fromkeys(sizes, 2) | {"crowded": SKEWED}
    tables: dict[str, list[dict[str, object]]] = {"references": [], "hypotheses": []}
    for name, size in sizes.items():
        for role, count in (("references", 1), ("hypotheses", systems[name])):
            for coder in range(count):
                places = np.unique(draw.integers(1, size, size // 10))
                row = {"document_id": name, "coder": f"{role}{coder}", "n_units": size}
                tables[role].append({**row, "boundaries": places.tolist()})
    for role, listed in tables.items():
        (folder / role).mkdir(parents=True)
        table = pa.Table.from_pylist(listed, SEGMENTATION)
        pq.write_table(table, folder / role / "0.parquet", row_group_size=100)


@pytest.mark.long
@pytest.mark.parametrize("where", ["local", "processes"])
def test_a_crowded_and_a_long_document_can_be_scored(
    segscore: Segscore, tmp_path: Path, where: str
) -> None:
    skewed(tmp_path)
    place = ("--cluster", where, "--workers", 2)
    sides = (str(tmp_path / "references"), str(tmp_path / "hypotheses"))
    assert segscore("score", *sides, "--output", tmp_path / "whole", *place).code == 0
    segscore.cut(100)
    assert segscore("score", *sides, "--output", tmp_path / "met", *place).code == 0
    for name in ("scores", "summary"):
        assert rows(tmp_path / "met", name) == rows(tmp_path / "whole", name)
    assert len(rows(tmp_path / "met", "scores")) == SKEWED + 2 * 101
    written = [pq.ParquetFile(path) for path in (tmp_path / "met" / "scores").iterdir()]
    # The crowded document is in one part, whose hypotheses are scored a few at a time.
    assert max(file.num_row_groups for file in written) >= SKEWED // 100


def table(name: str, *pieces: tuple[int, int, tuple[str, str] | None]) -> InputTable:
    """Describe a table by rows, bytes and ids of each piece."""
    slices = [
        Slice(name, f"{name}.parquet", (i,), 0, count, size, "", ids)
        for i, (count, size, ids) in enumerate(pieces)
    ]
    return InputTable(name, (InputFile(f"{name}.parquet", 1, ""),), tuple(slices), pa.schema([]))


MANY, LARGE = planning.ROWS_AT_ONCE, 2**30


@pytest.mark.parametrize(
    ("references", "hypotheses", "way", "groups"),
    [
        # Rows that fit into one part are read where they are, in any order.
        ([(10, 1000, None)], [(MANY, 1000, None)], "whole", 1),
        # Others are read by ranges of ids where files say that they are in order...
        (
            [
                (MANY, LARGE // 50, (letter, letter + "z"))
                for letter in "abcdefghijklmnopqrstuvwxyz"
            ],
            [(MANY, 1000, ("a", "g")), (MANY, 1000, ("g", "p")), (MANY, 1000, ("q", "z"))],
            "ranges",
            3,
        ),
        # ... and shuffled where they are not, or one file does not say.
        ([(MANY, LARGE, ("a", "z"))] * 9, [(MANY, 1000, ("a", "z"))] * 9, "shuffled", 24),
        ([(MANY, LARGE, ("a", "m"))], [(MANY, 9, ("a", "b")), (MANY, 9, None)], "shuffled", 3),
        # They are also shuffled where a range would be too large.
        (
            [(MANY, LARGE, ("a", "m"))],
            [(MANY, 9, ("a", "b")), (MANY, 9, ("k", "z"))],
            "shuffled",
            3,
        ),
        # There are as many groups as needed for the rows to fit, however few they are.
        ([(10, 10 * LARGE, None)], [(10, 1000, None)], "shuffled", 26),
    ],
)
def test_the_plan_is_chosen_by_statistics_of_the_files(
    references: list[tuple[int, int, tuple[str, str] | None]],
    hypotheses: list[tuple[int, int, tuple[str, str] | None]],
    way: str,
    groups: int,
) -> None:
    tables = {"references": table("r", *references), "hypotheses": table("h", *hypotheses)}
    plan = planning.plan(tables, "hypotheses", None, Limits())
    assert plan.groups == groups
    assert len(plan.cuts) == (groups - 1 if way == "ranges" else 0)


@pytest.mark.parametrize(
    ("rows", "part"),
    [
        (1, 2**17),
        (4096 * 2**17, 2**17),
        (4096 * 2**17 + 1, 2**18),
        (4096 * 2**20, 2**20),
        (10**10, 2**21),
        (10**12, 2**21),
    ],
)
def test_parts_grow_with_the_table(rows: int, part: int) -> None:
    tables = {"references": table("r", (10, 10, None)), "hypotheses": table("h", (rows, 1, None))}
    plan = planning.plan(tables, "hypotheses", None, Limits())
    assert (plan.rows_per_part, plan.rows_at_once) == (part, 2**17)


def test_tasks_are_small_with_little_memory() -> None:
    tables = {"references": table("r", (10, 10, None)), "hypotheses": table("h", (10, 10, None))}
    at_once = [
        planning.plan(tables, "hypotheses", size * 2**20, Limits()).rows_at_once
        for size in (720, 1000, 8000)
    ]
    assert at_once == sorted(set(at_once))
    assert at_once[-1] == planning.ROWS_AT_ONCE
    assert planning.at_once(500 * 2**20) == 1


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (("a", "b"), [0]),
        (("a", "d"), [0, 1]),
        (("d", "k"), [1]),
        (("m", "z"), [2]),
        (None, [0, 1, 2]),
    ],
)
def test_a_piece_is_read_only_for_overlapping_ranges(
    ids: tuple[str, str] | None, expected: list[int]
) -> None:
    (piece,) = table("t", (1, 1, ids)).slices
    assert [*planning.ranges_of(piece, ("d", "m"))] == expected


def test_explain_plan_prints_the_plan_and_writes_nothing(
    segscore: Segscore, tmp_path: Path
) -> None:
    corpus(seed=1).write(tmp_path)
    sides = (str(tmp_path / "references"), str(tmp_path / "hypotheses"))
    for command in (("score", *sides), ("agree", sides[0])):
        result = segscore(*command, "--output", tmp_path / "run", "--explain-plan")
        assert result.code == 0
        assert "a part has about 131,072 rows; a task scores 131,072 at a time" in result.out
        assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("limit", "message"), [("lots", "must be a number of bytes"), ("700MB", "set a higher one")]
)
def test_a_memory_limit_that_is_too_small_is_refused(
    segscore: Segscore, tmp_path: Path, limit: str, message: str
) -> None:
    corpus(seed=1).write(tmp_path)
    sides = (str(tmp_path / "references"), str(tmp_path / "hypotheses"))
    result = segscore("score", *sides, "--output", tmp_path / "run", "--memory-limit", limit)
    assert result.code == 2
    assert message in result.err
    assert not (tmp_path / "run").exists()


def test_packets_do_not_grow_with_the_square_of_the_table() -> None:
    packets = {}
    for parts in (77, 229, 763):
        rows = parts * planning.ROWS_AT_ONCE
        references = table("r", (rows // 4, 1, None))
        tables = {"references": references, "hypotheses": table("h", (rows, 1, None))}
        plan = planning.plan(tables, "hypotheses", None, Limits())
        at_once = planning.shuffled_at_once(plan.rows_per_part, plan.groups)
        packets[plan.groups] = -(-(rows + rows // 4) // at_once)
    assert packets == {77: 49, 229: 96, 763: 318}

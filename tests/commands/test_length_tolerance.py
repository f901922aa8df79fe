"""`--length-tolerance`: every row adopts the length of its document, in every command."""

import json
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq  # noqa: TID251
import pytest

from segscore.pipeline.runs.planning import Limits
from tests.oracles import naive
from tests.oracles.naive_lengths import Adopted, adopt_lengths
from tests.support.command_line import Segscore
from tests.support.corpora import COUNTED
from tests.support.rows import read_rows
from tests.support.run_files import tables

INTS = pa.list_(pa.int32())
COLUMNS = {
    "document_id": pa.string(),
    "coder": pa.string(),
    "n_units": pa.int32(),
    "boundaries": INTS,
    "collapsed_boundaries": pa.int32(),
}
WAYS = {
    "whole": Limits(),
    "ranges": Limits(rows_per_part=25),
    "shuffled": Limits(rows_per_part=25, read_again=0.0),
}
Row = dict[str, Any]


def drawn(seed: int, documents: int = 40) -> dict[str, list[Row]]:
    """Rows whose lengths nearly agree, and boundaries around the end; some break a rule."""
    draw = Random(seed)  # noqa: S311
    made: dict[str, list[Row]] = {"references": [], "hypotheses": [], "documents": []}
    for number in range(documents):
        n = draw.choice([1, 2, 5, 12, 30])
        name = f"d{number:03d}"

        def row(coder: str, n: int = n, name: str = name) -> Row:
            stated = draw.choice([n, n, n, None, max(0, n + draw.randint(-5, 5))])
            limit = n + draw.choice([-1, -1, 0, 3, 5])
            positions = [p for p in range(1, max(1, limit + 1)) if draw.random() < 0.3]
            lost = draw.choice([None, 0, 2])
            return dict(zip(COLUMNS, (name, coder, stated, positions, lost), strict=True))

        made["references"] += [row(f"r{i}") for i in range(draw.randint(1, 3))]
        made["hypotheses"] += [row(f"h{i}") for i in range(3)]
        if draw.random() < 0.4:
            made["documents"].append({"document_id": name, "n_units": n})
    return made


def write(folder: Path, made: Mapping[str, list[Row]]) -> None:
    for name, rows in made.items():
        kinds = COLUMNS if name != "documents" else {k: COLUMNS[k] for k in rows[0]}
        table = pa.Table.from_pylist(rows, pa.schema(kinds))
        pq.write_table(table, folder / f"{name}.parquet", row_group_size=20)


def score(segscore: Segscore, folder: Path, output: Path, tolerance: int, *options: object) -> Row:
    ended = segscore(
        "score", folder / "references.parquet", folder / "hypotheses.parquet", "--documents",
        folder / "documents.parquet", "--output", output, "--length-tolerance", tolerance,
        *COUNTED, *options,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    loaded: Row = json.loads((output / "run.json").read_text())
    return loaded


def expected_scores(adopted: Adopted) -> dict[tuple[str, str, str], Row]:
    rows = {}
    for (table, document, coder), (n, reference, lost) in adopted.rows.items():
        if table == "references":
            k = naive.window_size(n, len(reference) + 1)
            for (other, same, hypothesis), (_, judged, also) in adopted.rows.items():
                if other == "hypotheses" and same == document:
                    rows[document, coder, hypothesis] = {
                        "n_units": n,
                        "window": k,
                        "collapsed_boundaries": lost + also,
                        **naive.window_counts(n, reference, judged, k),
                        **naive.edit_counts(n, reference, judged),
                    }
    return rows


@pytest.mark.first
@pytest.mark.parametrize(("seed", "tolerance"), [(1, 3), (2, 1), (3, 0), (4, 2**31 - 1)])
def test_scores_are_those_of_the_twin_however_rows_travel(
    segscore: Segscore,
    tmp_path: Path,
    seed: int,
    tolerance: int,
) -> None:
    made = drawn(seed)
    write(tmp_path, made)
    adopted = adopt_lengths(made["references"], made["hypotheses"], made["documents"], tolerance)
    found = []
    for way, limits in WAYS.items():
        segscore.cut(limits)
        record = score(segscore, tmp_path, tmp_path / way, tolerance)
        said = f"length_tolerance:{tolerance}"
        assert (said in record["signature"].split("|")) == (tolerance > 0)
        written = tables(tmp_path / way)
        found.append({name: sorted(rows, key=repr) for name, rows in written.items()})
    assert found[1:] == found[:1] * (len(WAYS) - 1)
    expected = expected_scores(adopted)
    rows = read_rows(tmp_path / "whole", "scores")
    assert {(r["document_id"], r["reference"], r["hypothesis"]) for r in rows} == {*expected}
    for row in rows:
        values = expected[row["document_id"], row["reference"], row["hypothesis"]]
        assert {name: row[name] for name in values} == values
    rejects = read_rows(tmp_path / "whole", "rejects")
    listed = {(row["table"], row["document_id"], row["coder"]): row["rule"] for row in rejects}
    assert listed == adopted.rejects
    assert {"n_units_agree", "boundaries_in_range"} & {*listed.values()}


def table(*rows: tuple[object, ...], **further: pa.Array) -> pa.Table:
    columns = list(COLUMNS)[:4]
    made = pa.Table.from_pylist(
        [dict(zip(columns, row, strict=True)) for row in rows],
        pa.schema({name: COLUMNS[name] for name in columns}),
    )
    for name, values in further.items():
        made = made.append_column(name, values)
    return made


def run(segscore: Segscore, folder: Path, command: str, *arguments: object) -> Path:
    output = folder / command
    ended = segscore(command, *arguments, "--output", output)
    assert ended.code == 0, ended.err
    return output


def test_lists_parallel_to_the_boundaries_are_cut_with_them(
    segscore: Segscore, tmp_path: Path
) -> None:
    """Types in score, scores in sweep; what is dropped is counted with its types."""
    reference = table(("a", "r", 10, [4, 7]), boundary_types=pa.array([[1, 2]], INTS))
    types = pa.array([[1, 1, 2], None, [2]], INTS)
    chances = pa.array([[0.5, 0.25, 0.75], None, [0.5]], pa.list_(pa.float64()))
    judged = table(
        ("a", "h", 12, [4, 11, 11]), ("a", "i", 10, [3]), ("a", "j", None, [7]),
        boundary_types=types, boundary_scores=chances,
    )  # fmt: skip
    for name, rows in {"r": reference, "h": judged}.items():
        pq.write_table(rows, tmp_path / f"{name}.parquet")
    both = (tmp_path / "r.parquet", tmp_path / "h.parquet", "--length-tolerance", 2)
    scores = read_rows(run(segscore, tmp_path, "score", *both), "scores")
    assert [
        (row["hypothesis"], row["matches"], row["misses"], row["collapsed_boundaries"])
        for row in scores
    ] == [("h", 1, 1, 2), ("j", 1, 1, 0)]
    swept = run(segscore, tmp_path, "sweep", *both)
    curves = read_rows(swept, "curves")
    thresholds = {(row["hypothesis"], row["threshold"]) for row in curves if row["threshold"]}
    assert thresholds == {("h", 0.5), ("j", 0.5)}
    signature = json.loads((swept / "run.json").read_text())["signature"]
    assert "length_tolerance:2" in signature


def test_codings_adopt_the_largest_length(segscore: Segscore, tmp_path: Path) -> None:
    rows = [
        ("a", "x", 10, [4]), ("a", "y", 12, [4, 10]), ("a", "z", None, [12, 14]),
        ("b", "x", 10, [4]), ("b", "y", 13, [4]),
        ("c", "x", None, [1]), ("c", "y", None, [1]),
    ]  # fmt: skip
    pq.write_table(table(*rows), tmp_path / "codings.parquet")
    audit = run(segscore, tmp_path, "agree", tmp_path / "codings.parquet", "--length-tolerance", 2)
    (document,) = read_rows(audit, "documents")
    assert (document["document_id"], document["n_units"]) == ("a", 12)
    assert document["coders"] == ["x", "y", "z"]
    assert document["collapsed_boundaries"] == 2
    assert document["segments"] == [2, 3, 1]
    rejects = read_rows(audit, "rejects")
    assert [(row["document_id"], row["rule"]) for row in rejects] == [
        ("b", "n_units_agree"), ("b", "n_units_agree"),
        ("c", "n_units_given"), ("c", "n_units_given"),
    ]  # fmt: skip
    assert "|length_tolerance:2|" in json.loads((audit / "run.json").read_text())["signature"]


def test_validate_says_what_a_run_would_reject(segscore: Segscore, tmp_path: Path) -> None:
    rows = [("a", "x", 10, [4]), ("a", "y", 12, [4, 10]), ("a", "z", None, [12, 14, 15])]
    path = tmp_path / "rows.parquet"
    pq.write_table(table(*rows), path)
    strict = segscore("validate", path)
    assert strict.code == 1
    assert "1 x n_units_given" in strict.out and "2 x n_units_agree" in strict.out
    tolerant = segscore("validate", path, "--length-tolerance", 2)
    assert tolerant.code == 1
    assert "row 2 (a, z): boundaries_in_range: a boundary lies" in tolerant.out
    assert "1 of 3 rows break a rule" in tolerant.out
    wide = segscore("validate", path, "--length-tolerance", 3)
    assert (wide.code, "0 of 3 rows break a rule" in wide.out) == (0, True)
    refused = segscore("validate", path, "--length-tolerance", -1)
    assert refused.code == 2
    assert "--length-tolerance -1: must be at least 0" in refused.err


def test_a_small_difference_in_length_is_explained(segscore: Segscore, tmp_path: Path) -> None:
    """A reference of 600,120 ms against a hypothesis of 600,000 ms; then with a tolerance."""
    pq.write_table(table(("a", "r", 600_120, [30_000])), tmp_path / "r.parquet")
    pq.write_table(table(("a", "h", 600_000, [30_400, 600_100])), tmp_path / "h.parquet")
    both = (tmp_path / "r.parquet", tmp_path / "h.parquet")
    ended = segscore("score", *both, "--output", tmp_path / "run")
    assert ended.code == 1
    assert "boundaries_in_range" in ended.err
    pq.write_table(table(("a", "h", 600_000, [30_400])), tmp_path / "h.parquet")
    ended = segscore("score", *both, "--output", tmp_path / "run", "--fresh")
    assert "--length-tolerance allows small differences" in ended.err
    output = run(segscore, tmp_path, "score", *both, "--length-tolerance", 1000)
    (row,) = read_rows(output, "scores")
    assert (row["n_units"], row["collapsed_boundaries"]) == (600_120, 0)


def test_a_comparison_refuses_runs_of_other_tolerances(segscore: Segscore, tmp_path: Path) -> None:
    rows = [(name, "r", 10, [4]) for name in "abc"], [(name, "h", 10, [5]) for name in "abc"]
    for name, some in zip("rh", rows, strict=True):
        pq.write_table(table(*some), tmp_path / f"{name}.parquet")
    runs = []
    for tolerance in (0, 1):
        runs.append(tmp_path / f"run{tolerance}")
        ended = segscore(
            "score", tmp_path / "r.parquet", tmp_path / "h.parquet", "--output", runs[-1],
            "--length-tolerance", tolerance,
        )  # fmt: skip
        assert ended.code == 0, ended.err
    ended = segscore("compare", *runs, "--measure", "pk")
    assert ended.code == 2
    assert "length_tolerance" in ended.err
    ended = segscore("compare", *runs, "--measure", "pk", "--may-differ", "length_tolerance")
    assert ended.code == 0, ended.err


@pytest.mark.parametrize(
    ("paragraphs", "sentences", "warned"), [(3, 1, True), (2, 2, False), (0, 4, False)]
)
def test_units_that_seem_to_differ_are_told(
    segscore: Segscore, tmp_path: Path, paragraphs: int, sentences: int, warned: bool
) -> None:
    names = [f"d{number}" for number in range(paragraphs + sentences)]
    lengths = [4] * paragraphs + [99] * sentences  # 99 of 100: small, as rounding may give
    references = [
        (name, "r", 12 if n == 4 else 100, [2]) for name, n in zip(names, lengths, strict=True)
    ]
    hypotheses = [(name, "h", n, [2]) for name, n in zip(names, lengths, strict=True)]
    pq.write_table(table(*references), tmp_path / "references.parquet")
    pq.write_table(table(*hypotheses), tmp_path / "hypotheses.parquet")
    run(
        segscore, tmp_path, "score", tmp_path / "references.parquet",
        tmp_path / "hypotheses.parquet", "--length-tolerance", 9,
    )  # fmt: skip
    record = json.loads((tmp_path / "score" / "run.json").read_text())
    said = [line for line in record["warnings"] if "2 % longer or shorter" in line]
    assert len(said) == warned
    assert all(line.startswith(f"hypotheses: {paragraphs} of {len(names)} ") for line in said)

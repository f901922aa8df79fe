"""Tables as other programs write them: columns in folders, list views, doubles, ids, units."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq  # noqa: TID251
import pytest

from segscore import evaluate
from segscore.pipeline.storage import read_table
from tests.support.arrow_releases import WRITES_VIEWS
from tests.support.command_line import CommandResult, Segscore
from tests.support.rows import read_rows, write_rows

INTS = pa.list_(pa.int32())
ROWS = {"document_id": ["a", "b"], "n_units": [10, 12], "boundaries": [[4], [3, 8]]}


def table(coder: str | None = None, unit: str | None = None, **columns: Any) -> pa.Table:
    """Two documents; columns replace those that there are."""
    made = pa.table({**ROWS, "boundaries": pa.array(ROWS["boundaries"], INTS)})
    if coder is not None:
        columns["coder"] = pa.array([coder] * 2)
    for name, values in columns.items():
        if name in made.column_names:
            made = made.drop_columns([name])
        made = made.append_column(name, values)
    return made if unit is None else made.replace_schema_metadata({"segscore.unit": unit})


def write(path: Path, rows: pa.Table) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(rows, path)
    return path


@pytest.fixture
def references(tmp_path: Path) -> Path:
    return write(tmp_path / "references.parquet", table("gold"))


def score(
    segscore: Segscore, folder: Path, references: Path, hypotheses: Path, *more: object
) -> Any:
    ended = segscore(
        "score", references, hypotheses, "--output", folder / "run", "--fresh",
        *more,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    return json.loads((folder / "run" / "run.json").read_text())


def scores(folder: Path, *columns: str) -> list[tuple[Any, ...]]:
    rows = read_rows(folder / "run", "scores")
    return sorted((tuple(row[name] for name in columns) for row in rows), key=repr)


def refused(ended: CommandResult, *parts: object) -> None:
    assert ended.code == 2, ended.out + ended.err
    assert all(str(part) in ended.err for part in parts), ended.err
    assert "Traceback" not in ended.err


def test_folders_are_columns(segscore: Segscore, tmp_path: Path, references: Path) -> None:
    """Coder, document and attributes, in Parquet and JSON Lines, quoted and null."""
    hyps = tmp_path / "hyps"
    write(hyps / "date=2026-11-21" / "take=1" / "coder=h%201" / "x.parquet", table())
    nowhere = "date=__HIVE_DEFAULT_PARTITION__"
    rows = table().drop_columns(["document_id"]).slice(0, 1)
    write(hyps / nowhere / "take=2" / "coder=h2" / "document_id=a" / "x.parquet", rows)
    line = {"document_id": "b", "n_units": 12, "boundaries": [3]}
    (hyps / nowhere / "take=2" / "coder=h2" / "y.jsonl").write_text(json.dumps(line))
    score(segscore, tmp_path, references, hyps, "--group-by", "take")
    assert scores(tmp_path, "hypothesis", "document_id", "take", "matches") == [
        ("h 1", "a", 1, 1), ("h 1", "b", 1, 2), ("h2", "a", 2, 1), ("h2", "b", 2, 1),
    ]  # fmt: skip
    assert {row[0] for row in scores(tmp_path, "date") if row[0]} == {"2026-11-21"}
    pattern = f"{hyps}/date=2026*/*/coder=*/*.parquet"
    score(segscore, tmp_path, references, Path(pattern))
    assert scores(tmp_path, "hypothesis", "date") == [("h 1", "2026-11-21")] * 2


def test_the_location_itself_names_only_coder_and_document(
    segscore: Segscore, tmp_path: Path, references: Path
) -> None:
    """A column `window` would be refused: scores has one."""
    path = write(tmp_path / "tables" / "window=3" / "coder=h" / "x.parquet", table())
    for location in (path, path.parent):
        score(segscore, tmp_path, references, location)
        assert scores(tmp_path, "hypothesis") == [("h",), ("h",)]
        assert read_table(str(tmp_path / "run" / "scores")).column("window").to_pylist() != [3, 3]
    ended = segscore("score", references, tmp_path / "tables", "--output", tmp_path / "other")
    refused(ended, "the attribute column window has the same name as a column of scores")


def test_a_folder_and_a_column_that_differ(
    segscore: Segscore, tmp_path: Path, references: Path
) -> None:
    path = write(tmp_path / "hyps" / "coder=h" / "x.parquet", table("h"))
    score(segscore, tmp_path, references, tmp_path / "hyps")
    write(path, table().append_column("coder", pa.array(["h", None])))
    score(segscore, tmp_path, references, tmp_path / "hyps")
    assert scores(tmp_path, "hypothesis") == [("h",), ("h",)]
    write(path, table("other"))
    ended = segscore("score", tmp_path / "hyps", references, "--output", tmp_path / "other")
    refused(ended, path, "the folder says coder=h, but the column coder says other")


@WRITES_VIEWS
@pytest.mark.parametrize("kind", [pa.list_view(pa.int64()), pa.large_list_view(pa.int32())])
def test_list_views(
    segscore: Segscore, tmp_path: Path, references: Path, kind: pa.DataType
) -> None:
    tags = pa.array([["x", "y"], None], pa.list_view(pa.string()))
    rows = table("h", boundaries=pa.array([[4], [3, 8]], kind), tags=tags)
    record = score(segscore, tmp_path, references, write(tmp_path / "h.parquet", rows))
    assert record["warnings"] == []
    assert scores(tmp_path, "document_id", "matches") == [("a", 1), ("b", 2)]
    assert sorted(map(str, scores(tmp_path, "tags"))) == ["(None,)", "(['x', 'y'],)"]


def test_doubles_and_integer_ids_are_named_in_one_warning(
    segscore: Segscore, tmp_path: Path
) -> None:
    ids = pa.array([1, 2], pa.int64())
    doubles = pa.array([10.0, 12.0]), pa.array([[4.0], [3.0, 8.0]])
    rows = table(document_id=ids, n_units=doubles[0], boundaries=doubles[1])
    rows = rows.append_column("coder", ids)
    both = [write(tmp_path / f"{name}.parquet", rows) for name in ("r", "h")]
    record = score(segscore, tmp_path, *both)
    said = (
        "boundaries is list<element: double>, read as whole numbers; coder is int64, read as "
        "text; document_id is int64, read as text; n_units is double, read as whole numbers"
    )
    assert record["warnings"] == [
        f"references: {said}",
        f"hypotheses: {said}",
        "1 and 2: scored on 1 document each, but not on the same; not ranked: the 2 systems share "
        "no document",
    ]
    assert scores(tmp_path, "document_id", "n_units", "matches") == [("1", 10, 1), ("2", 12, 2)]
    for wrong in ([10.5, 12], [float("nan"), 12], [1e10, 12]):
        path = write(tmp_path / "h.parquet", table("h", n_units=pa.array(wrong)))
        ended = segscore("score", path, both[0], "--output", tmp_path / "other")
        refused(ended, f"{path} row 0: n_units has the value")


def test_lists_in_json_lines_are_left_out(
    segscore: Segscore, tmp_path: Path, references: Path
) -> None:
    path = tmp_path / "h.jsonl"
    row = {"document_id": "a", "coder": "h", "n_units": 10, "boundaries": [4]}
    hall = {"hall": {"seats": [1], "size": {"m": 3}}}
    lines = [row | hall | {"tags": ["x"]}, row | {"coder": 7, "n_units": 10.0, "boundaries": [4.0]}]
    path.write_text("\n".join(map(json.dumps, lines)))
    record = score(segscore, tmp_path, references, path)
    assert record["warnings"][:1] == [
        "hypotheses: boundaries is written with decimals, read as whole numbers; coder is a "
        "number, read as text; hall_seats is left out: its values are lists; n_units is written "
        "with decimals, read as whole numbers; tags is left out: its values are lists"
    ]
    assert scores(tmp_path, "hypothesis", "hall_size_m") == [("7", None), ("h", 3)]
    ended = segscore("validate", path)
    assert ended.code == 0 and "tags is left out" in ended.err


def test_the_unit_is_recorded(segscore: Segscore, tmp_path: Path) -> None:
    """Files without a unit are as the others; two units are refused, within a table and between."""
    timed = write(tmp_path / "r.parquet", table("gold", "millisecond"))
    plain = write(tmp_path / "h" / "1.parquet", table("h"))
    assert score(segscore, tmp_path, timed, plain.parent)["unit"] == "millisecond"
    assert score(segscore, tmp_path, plain, plain)["unit"] is None
    other = write(tmp_path / "h" / "2.parquet", table("i", "sentence"))
    ended = segscore("score", timed, plain.parent, "--output", tmp_path / "other")
    said = "its unit is the sentence, but that of"
    refused(ended, plain.parent, said, f"{timed} is the millisecond; import both in the same unit")
    write(tmp_path / "h" / "3.parquet", table("j", "millisecond"))
    ended = segscore("score", plain, plain.parent, "--output", tmp_path / "other")
    refused(
        ended, tmp_path / "h" / "3.parquet", f"its unit is the millisecond, but that of {other}"
    )
    ended = segscore("agree", tmp_path / "r.parquet", "--output", tmp_path / "audit")
    assert ended.code == 1  # one coder
    write(tmp_path / "c" / "1.parquet", table("j", "millisecond"))
    write(tmp_path / "c" / "2.parquet", table("k", "millisecond"))
    assert segscore("agree", tmp_path / "c", "--output", tmp_path / "audit", "--fresh").code == 0
    assert json.loads((tmp_path / "audit" / "run.json").read_text())["unit"] == "millisecond"


def test_reports_show_times(segscore: Segscore, tmp_path: Path) -> None:
    """Of systems and of coders, whose documents adopt a length."""
    for coder, length, boundaries in (("gold", 60_000, [30_001]), ("h", 60_500, [30_400, 60_200])):
        rows = table(coder, "millisecond", n_units=pa.array([length] * 2))
        rows = rows.drop_columns(["boundaries"])
        rows = rows.append_column("boundaries", pa.array([boundaries] * 2, INTS))
        write(tmp_path / "codings" / f"{coder}.parquet", rows)
    both = [tmp_path / "codings" / f"{coder}.parquet" for coder in ("gold", "h")]
    record = score(segscore, tmp_path, *both, "--length-tolerance", "500", "--n-t", "2")
    assert record["rows"]["hypotheses"]["scored"] == 2
    assert segscore("report", tmp_path / "run", "--output", tmp_path / "run.html").code == 0
    page = (tmp_path / "run.html").read_text()
    assert "miss 0:00:30.001" in page and "false alarm 0:00:30.400" in page
    assert ">0:00:55</i>" in page
    codings = tmp_path / "codings"
    ended = segscore("agree", codings, "--output", tmp_path / "audit", "--length-tolerance", 500)
    assert ended.code == 0, ended.err
    assert segscore("report", tmp_path / "audit", "--output", tmp_path / "audit.html").code == 0
    page = (tmp_path / "audit.html").read_text()
    assert ">0:00:55</i>" in page and "Not drawn" not in page


# --- the same attribute, or the same rows, twice --------------------------------------------------


def test_an_attribute_of_two_types_is_refused_with_both_files(
    segscore: Segscore, tmp_path: Path, references: Path
) -> None:
    """A file of nulls, then whole numbers, then texts: the last two have no common type."""
    folder = tmp_path / "hyps"
    takes = pa.nulls(2), pa.array([1, 2]), pa.array(["first", "second"])
    files = [
        write(folder / f"{index}.parquet", table(f"h{index}", take=values, place=pa.array([1, 2])))
        for index, values in enumerate(takes)
    ]
    command = ("score", references, folder, "--output", tmp_path / "run")
    ended = segscore(*command)
    refused(ended, f"the attribute take is int64 in {files[1]}, but string in {files[2]}")
    assert "place" not in ended.err and str(files[0]) not in ended.err
    write(files[2], table("h2", take=pa.array([0.5, 1.5])))
    assert segscore(*command).code == 0


def test_an_attribute_of_several_types_in_a_file_is_warned_of(
    segscore: Segscore, tmp_path: Path, references: Path
) -> None:
    first, second = table("h").to_pylist()
    rows = [first | {"show": 103}, second | {"show": "103"}]
    path = tmp_path / "hypotheses.jsonl"
    write_rows(path, rows)
    record = score(segscore, tmp_path, references, path)
    assert record["warnings"] == [
        f'hypotheses: {path}:2: attribute show is "103", but 103 at {path}:1; both are read as text'
    ]


@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
def test_a_coder_scored_against_itself_is_warned_of(
    segscore: Segscore, tmp_path: Path, suffix: str
) -> None:
    rows = pa.concat_tables([table("gold"), table("h")])
    path = tmp_path / f"both.{suffix}"

    def put(rows: pa.Table) -> None:
        if suffix == "parquet":
            write(path, rows)
        else:
            write_rows(path, rows.to_pylist())

    put(rows)
    record = score(segscore, tmp_path, path, path)
    warnings = [text for text in record["warnings"] if "own segmentations" in text]
    assert len(warnings) == 1 and str(path) in warnings[0]
    assert "column role" in warnings[0] and "segscore agree" in warnings[0]
    pairs = scores(tmp_path, "document_id", "reference", "hypothesis")
    coders = ("gold", "h")
    assert pairs == [(d, r, h) for d in "ab" for r in coders for h in coders]
    evaluated = evaluate(path, path)
    assert warnings[0] in evaluated.warnings
    swept = segscore("sweep", path, path, "--tolerances", "0,1", "--output", tmp_path / "sweep")
    assert warnings[0] in swept.err
    assert warnings[0] in json.loads((tmp_path / "sweep" / "run.json").read_text())["warnings"]
    put(rows.append_column("role", pa.array(["reference"] * 2 + ["hypothesis"] * 2)))
    record = score(segscore, tmp_path, path, path)
    assert record["warnings"] == []


def test_a_coder_of_the_same_name_in_another_table_is_not_warned_of(
    segscore: Segscore, tmp_path: Path, references: Path
) -> None:
    other = write(tmp_path / "other.parquet", table("gold"))
    assert score(segscore, tmp_path, references, other)["warnings"] == []
    command = ("sweep", references, other, "--tolerances", "0", "--output", tmp_path / "sweep")
    assert not segscore(*command).err


def test_a_coder_of_other_documents_is_not_swept_against_itself(
    segscore: Segscore, tmp_path: Path
) -> None:
    """The coder has a reference and a hypothesis, but of different documents."""
    row = {"n_units": 9, "boundaries": [3]}
    coded = [("a", "x", "reference"), ("b", "x", "hypothesis"), ("a", "y", "hypothesis"),
             ("b", "y", "reference")]  # fmt: skip
    rows = [row | dict(zip(("document_id", "coder", "role"), one, strict=True)) for one in coded]
    path = tmp_path / "both.jsonl"
    write_rows(path, rows)
    ended = segscore("sweep", path, path, "--tolerances", "0", "--output", tmp_path / "sweep")
    assert ended.code == 0 and not ended.err
    write_rows(path, [*rows, rows[0] | {"role": "hypothesis"}])
    ended = segscore(
        "sweep", path, path, "--tolerances", "0", "--output", tmp_path / "sweep", "--fresh"
    )
    assert "against their own segmentations" in ended.err

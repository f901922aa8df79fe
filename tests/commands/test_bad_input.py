"""Bad input of every kind: the right exit code, one clear line, and nothing half-published."""

import json
import math
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandera.config
import pyarrow as pa
import pyarrow.parquet as pq  # noqa: TID251  (writes what the storage module never would)
import pytest

from segscore.pipeline import storage
from segscore.pipeline.runs import cluster, connecting, planning
from segscore.pipeline.runs.planning import Limits
from segscore.pipeline.scoring import run
from segscore.pipeline.scoring.settings import ScoreSettings
from tests.support.command_line import Ended, Segscore

SCHEMA = pa.schema(
    [
        ("document_id", pa.string()),
        ("coder", pa.string()),
        ("n_units", pa.int32()),
        ("boundaries", pa.list_(pa.int32())),
    ]
)
DOCUMENTS = pa.schema([("document_id", pa.string()), ("n_units", pa.int32())])
INTS = pa.list_(pa.int32())
ENDED_BADLY = "segscore: error: "

Cells = tuple[object, ...]


def table(rows: Sequence[Cells], schema: pa.Schema = SCHEMA, **columns: Any) -> pa.Table:
    """Rows as a table, with further columns (Arrow arrays or lists)."""
    cells = [[row[i] for row in rows] for i in range(len(schema))]
    whole = pa.table(
        [pa.array(each, field.type) for each, field in zip(cells, schema, strict=True)],
        schema=schema,
    )
    for name, values in columns.items():
        whole = whole.append_column(name, values if isinstance(values, pa.Array) else [values])
    return whole


def coded(coder: str, boundaries: Sequence[int], documents: str = "abc", units: int = 10) -> Any:
    """One coder's table: the same boundaries in each document, named by one letter each."""
    return table([(name, coder, units, list(boundaries)) for name in documents])


def described(*rows: Cells, **columns: Any) -> Any:
    """A documents table."""
    return table(rows, DOCUMENTS, **columns)


def write(path: Path, content: object, **how: Any) -> Path:
    """Write a table as Parquet, a text or bytes as they are; make the folders on the way."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif isinstance(content, str):
        path.write_text(content, encoding="utf-8")
    else:
        pq.write_table(content, path, **how)
    return path


def lines(*records: object) -> str:
    """JSON Lines."""
    return "".join(
        (record if isinstance(record, str) else json.dumps(record)) + "\n" for record in records
    )


def one(document: object, coder: object, units: object = 10, at: object = (3,)) -> dict[str, Any]:
    """A record of a JSON Lines file."""
    at = list(at) if isinstance(at, tuple) else at
    return {"document_id": document, "coder": coder, "n_units": units, "boundaries": at}


class Desk:
    """A folder with good references and hypotheses, a run folder, and the command line."""

    def __init__(self, segscore: Segscore, folder: Path) -> None:
        self.segscore = segscore
        self.folder = folder
        self.run = folder / "run"
        self.references = write(folder / "references.parquet", coded("ann", [3, 6]))
        self.hypotheses = write(folder / "hypotheses.parquet", coded("sys", [3, 7]))

    def write(self, name: str, content: object, **how: Any) -> Path:
        return write(self.folder / name, content, **how)

    def score(
        self, *options: object, references: object = None, hypotheses: object = None
    ) -> Ended:
        """Score quickly: no intervals unless asked for."""
        quick: tuple[object, ...] = () if "--replicates" in options else ("--replicates", 0)
        where: tuple[object, ...] = () if "--output" in options else ("--output", self.run)
        return self.segscore(
            "score",
            references or self.references,
            hypotheses or self.hypotheses,
            *where,
            *quick,
            *options,
        )

    def rows(self, name: str, folder: Path | None = None) -> list[dict[str, Any]]:
        """All rows of one of the run's tables."""
        files = sorted(((folder or self.run) / name).glob("*.parquet"))
        return [row for file in files for row in pq.read_table(file).to_pylist()]

    def rejects(self, folder: Path | None = None) -> list[tuple[str, str, int, str]]:
        """(table, document, row, rule) of each refused row."""
        listed = self.rows("rejects", folder)
        return sorted((x["table"], x["document_id"], x["row"], x["rule"]) for x in listed)

    def unpaired(self) -> list[tuple[str, str, int]]:
        """(table, document, row) of each row without a partner."""
        listed = self.rows("unpaired")
        return sorted((x["table"], x["document_id"], x["row"]) for x in listed)

    def scored(self) -> list[tuple[str, str, str]]:
        """(document, reference, hypothesis) of each pair."""
        pairs = self.rows("scores")
        return sorted((x["document_id"], x["reference"], x["hypothesis"]) for x in pairs)

    def account(self) -> dict[str, tuple[int, int, int, int]]:
        """Rows in, scored, rejected and unpaired of each table; they must agree with the files."""
        record = json.loads((self.run / "run.json").read_text())
        assert record["pairs"] == len(self.rows("scores"))
        found = {}
        for name, rows in record["rows"].items():
            kinds = ("in", "scored", "rejected", "unpaired")
            found[name] = read, scored, rejected, unpaired = tuple(rows[kind] for kind in kinds)
            assert read == scored + rejected + unpaired
            assert rejected == sum(x["table"] == name for x in self.rows("rejects"))
            assert unpaired == sum(x["table"] == name for x in self.rows("unpaired"))
        return found


@pytest.fixture
def desk(segscore: Segscore, tmp_path: Path) -> Desk:
    return Desk(segscore, tmp_path)


def refused(desk: Desk, ended: Ended, code: int, *said: object) -> None:
    """The command ended with this code, said all this in one message, and published nothing."""
    assert ended.code == code, ended.err
    assert "Traceback" not in ended.out + ended.err
    assert ENDED_BADLY in ended.err
    for each in said:
        assert str(each) in ended.err
    shown = {path.name for path in desk.run.glob("*")} if desk.run.is_dir() else set()
    assert shown <= {"_unfinished"}


def done(ended: Ended) -> None:
    assert ended.code == 0, ended.err
    assert "Traceback" not in ended.out + ended.err
    assert ENDED_BADLY not in ended.err


# --- files that are not there or cannot be read -------------------------------------------------


def bad_place(folder: Path, kind: str) -> tuple[str, str]:
    """A table that cannot be found, and what the message must say of it."""
    (folder / "empty").mkdir()
    write(folder / "hidden" / "_part.parquet", coded("x", [1]))
    write(folder / "hidden" / ".part.parquet", coded("x", [1]))
    write(folder / "hidden" / "_old" / "part.parquet", coded("x", [1]))
    write(folder / "notes" / "notes.txt", "hello")
    places = {
        "unknown": ("nosuch.parquet", "no such file"),
        "unknown folder": ("nosuch/", "no such file"),
        "below a file": ("references.parquet/x", "no such file"),
        "empty folder": ("empty", "contains no"),
        "hidden files": ("hidden", "contains no"),
        "foreign files": ("notes", "contains no"),
        "pattern": ("nosuch*.parquet", "no file matches"),
        "bracket pattern": ("[xyz].parquet", "no file matches"),
    }
    name, said = places[kind]
    return f"{folder}/{name}", said


@pytest.mark.parametrize(
    "kind",
    [
        "unknown",
        "unknown folder",
        "below a file",
        "empty folder",
        "hidden files",
        "foreign files",
        "pattern",
        "bracket pattern",
    ],
)
def test_every_command__nothing_there(desk: Desk, kind: str) -> None:
    place, said = bad_place(desk.folder, kind)
    refused(desk, desk.score(references=place), 2, place, said)
    refused(desk, desk.score(hypotheses=place), 2, place, said)
    refused(desk, desk.score("--documents", place), 2, place, said)
    refused(desk, desk.segscore("validate", place), 2, place, said)
    refused(desk, desk.segscore("validate", "--documents", place), 2, place, said)
    if kind not in ("hidden files", "foreign files"):
        imported = desk.segscore("import", place, "--output", desk.folder / "imported")
        refused(desk, imported, 2, place)
    refused(desk, desk.segscore("status", place), 2, place)
    assert not desk.run.exists()
    assert not (desk.folder / "imported").exists()


def test_every_command__a_folder_of_several_tables(desk: Desk) -> None:
    tables = desk.folder / "tables"
    shows = desk.write("shows.jsonl", lines(one("a", "x"), one("a", "y") | {"role": "hypothesis"}))
    done(desk.segscore("import", shows, "--output", tables))
    said = f"{tables}: contains several tables; name one of them"
    refused(desk, desk.score(references=tables), 2, said, f"such as {tables}/references")
    refused(desk, desk.segscore("validate", tables), 1, said)


@pytest.mark.parametrize("kind", ["garbage", "truncated", "empty", "magic only", "not utf-8 json"])
def test_every_command__corrupt_file(desk: Desk, kind: str) -> None:
    whole = desk.references.read_bytes()
    content = {
        "garbage": b"these are not the bytes you are looking for" * 9,
        "truncated": whole[:-30],
        "empty": b"",
        "magic only": b"PAR1PAR1",
        "not utf-8 json": b"\xff\xfe{}",
    }[kind]
    name = "broken.jsonl" if kind == "not utf-8 json" else "broken.parquet"
    broken = desk.write(name, content)
    refused(desk, desk.score(references=broken), 2, broken)
    refused(desk, desk.score(hypotheses=broken), 2, broken)
    refused(desk, desk.score("--documents", broken), 2, broken)
    refused(desk, desk.segscore("validate", broken), 1, broken)
    refused(desk, desk.segscore("import", broken, "--output", desk.folder / "imported"), 2, broken)
    assert not desk.run.exists()


def test_import__utf_16(desk: Desk) -> None:
    text = "document_id,coder,n_units,boundaries\na,x,10,3\n"
    file = desk.write("shows.csv", text.encode("utf-16"))
    ended = desk.segscore("import", file, "--output", desk.folder / "imported")
    done(ended)
    assert "references: 1 rows" in ended.out


def test_score__lines_with_other_names_for_the_columns(desk: Desk) -> None:
    record = {"document_id": "a", "coder": "x", "units": 10, "bounds": [3]}
    broken = desk.write("broken.jsonl", lines(record))
    said = "bounds is [3]; expected one value: an attribute cannot be a list; the row has no "
    refused(desk, desk.score(hypotheses=broken), 2, f"{broken}:1: {said}n_units, boundaries")


def test_score__corrupt_file_among_good_ones(desk: Desk) -> None:
    write(desk.folder / "many" / "1.parquet", coded("sys", [3]))
    broken = write(desk.folder / "many" / "2.parquet", b"PAR1 nothing PAR1")
    refused(desk, desk.score(hypotheses=desk.folder / "many"), 2, broken)


def test_score__corrupt_pages_behind_a_good_footer(desk: Desk) -> None:
    content = bytearray(desk.hypotheses.read_bytes())
    content[4:60] = b"\xff" * 56
    broken = desk.write("broken.parquet", bytes(content))
    ended = desk.score(hypotheses=broken)
    refused(desk, ended, 1, broken, "nothing was published")
    ended = desk.score(references=broken)
    assert ended.code in (1, 2)
    refused(desk, ended, ended.code, broken)
    refused(desk, desk.segscore("validate", broken), 1, broken)


# --- columns ------------------------------------------------------------------------------------


WRONG_TYPES = {
    "document_id": [pa.int64(), pa.binary()],
    "coder": [pa.int64(), pa.bool_()],
    "n_units": [pa.string(), pa.float64(), pa.bool_(), pa.decimal128(5)],
    "boundaries": [pa.int32(), pa.string(), pa.list_(pa.string()), pa.list_(pa.float64())],
}


@pytest.mark.parametrize("column", SCHEMA.names)
def test_score__missing_column(desk: Desk, column: str) -> None:
    broken = desk.write("broken.parquet", coded("x", [3]).drop_columns([column]))
    said = f"column {column} is missing"
    refused(desk, desk.score(references=broken), 2, broken, said)
    refused(desk, desk.score(hypotheses=broken), 2, broken, said)
    refused(desk, desk.segscore("validate", broken), 1, broken, said)
    assert not desk.run.exists()


@pytest.mark.parametrize(
    ("column", "kind"), [(name, kind) for name, kinds in WRONG_TYPES.items() for kind in kinds]
)
def test_score__wrong_column_type(desk: Desk, column: str, kind: pa.DataType) -> None:
    place = SCHEMA.get_field_index(column)
    wrong = coded("x", [3]).set_column(place, column, pa.nulls(3, kind))
    broken = desk.write("broken.parquet", wrong)
    said = f"column {column} is {kind}".replace("item:", "element:")
    refused(desk, desk.score(references=broken), 2, broken, said)
    refused(desk, desk.score(hypotheses=broken), 2, broken, said)
    refused(desk, desk.segscore("validate", broken), 1, broken, said)
    assert not desk.run.exists()


def test_score__column_twice(desk: Desk) -> None:
    good = coded("x", [3])
    twice = pa.Table.from_arrays(
        [*good.columns, good.column("coder")], names=[*good.column_names, "coder"]
    )
    broken = desk.write("broken.parquet", twice)
    refused(desk, desk.segscore("validate", broken), 1, broken, "coder")
    refused(desk, desk.score(hypotheses=broken), 2, broken, "coder")


def test_validate__documents_columns(desk: Desk) -> None:
    broken = desk.write("broken.parquet", pa.table({"document_id": ["a"], "n_units": [1.5]}))
    ended = desk.segscore("validate", "--documents", broken)
    refused(desk, ended, 1, broken, "column n_units is double")
    broken = desk.write("broken.parquet", pa.table({"document_id": ["a"]}))
    refused(desk, desk.score("--documents", broken), 2, broken, "column n_units is missing")


def test_score__files_of_one_table_differ_in_columns(desk: Desk) -> None:
    """Optional columns in one file only, and columns in another order, are no reason to stop."""
    scores = pa.array([[0.5]], pa.list_(pa.float32()))
    for who, folder in (("ann", "references"), ("sys", "hypotheses")):
        files = {
            "a": coded(who, [3], "a"),
            "b": coded(who, [3], "b").select(["boundaries", "coder", "n_units", "document_id"]),
            "c": coded(who, [3], "c").append_column("role", pa.array(["any"])),
            "d": coded(who, [3], "d").append_column("boundary_scores", scores),
        }
        for name, content in files.items():
            desk.write(f"{folder}/{name}.parquet", content)
    desk.write("references/e.jsonl", lines(one("e", "ann")))
    desk.write("hypotheses/e.jsonl", lines(one("e", "sys")))
    for folder in ("references", "hypotheses"):
        checked = desk.segscore("validate", desk.folder / folder)
        assert checked.code == 0, checked.err
    done(desk.score(references=desk.folder / "references", hypotheses=f"{desk.folder}/hypotheses/"))
    assert [pair[0] for pair in desk.scored()] == list("abcde")


def test_score__types_in_one_file_only(desk: Desk) -> None:
    """Whether a boundary without a type is of this or that type, nobody can say."""
    typed = coded("sys", [3], "a").append_column("boundary_types", pa.array([[2]], INTS))
    desk.write("hyps/a.parquet", typed)
    desk.write("hyps/b.parquet", coded("sys", [3], "b"))
    references = coded("ann", [3], "ab").append_column("boundary_types", pa.array([[2], [1]], INTS))
    both = {"references": desk.write("refs.parquet", references)}
    done(desk.score(hypotheses=desk.folder / "hyps", **both))
    assert desk.rejects() == [("hypotheses", "b", 0, "boundary_types_given")]
    assert desk.scored() == [("a", "ann", "sys")]
    ended = desk.score("--boundary-types", "1", "--fresh", hypotheses=desk.folder / "hyps", **both)
    assert ended.code == 1  # the reference of the only document with a hypothesis is refused
    for option in ("--consensus", "--reference-points"):
        value = "any" if option == "--consensus" else "none"
        ended = desk.score(option, value, "--fresh", hypotheses=desk.folder / "hyps", **both)
        assert ended.code == 2 and option in ended.err and "boundary_types" in ended.err


@pytest.mark.parametrize(
    "schema",
    [
        {"boundaries": pa.large_list(pa.int64()), "n_units": pa.int64()},
        {"boundaries": pa.list_(pa.uint64()), "n_units": pa.uint64()},
        {"boundaries": pa.list_(pa.int8()), "n_units": pa.int8()},
        {"document_id": pa.large_string(), "coder": pa.dictionary(pa.int8(), pa.string())},
        {"document_id": pa.string_view(), "coder": pa.string_view()},
    ],
    ids=str,
)
def test_score__equal_meaning_in_other_types(desk: Desk, schema: dict[str, pa.DataType]) -> None:
    kinds = pa.schema([(field.name, schema.get(field.name, field.type)) for field in SCHEMA])
    wide = desk.write("wide.parquet", coded("sys", [3, 7]).cast(kinds))
    done(desk.score(hypotheses=wide))
    assert desk.account()["hypotheses"] == (3, 3, 0, 0)
    assert {row["window_diff"] for row in desk.rows("scores")} == {0.25}


@pytest.mark.parametrize("column", ["n_units", "boundaries"])
def test_score__beyond_int32(desk: Desk, column: str) -> None:
    """Never wrapped round: refused, with the file and the value."""
    kinds = SCHEMA.set(2, pa.field("n_units", pa.int64()))
    kinds = kinds.set(3, pa.field("boundaries", pa.list_(pa.int64())))
    value = 2**32 + 3
    row = ("a", "x", value, [3]) if column == "n_units" else ("a", "x", 10, [value])
    broken = desk.write("broken.parquet", table([row], kinds))
    for ended in (desk.score(references=broken), desk.score(hypotheses=broken)):
        refused(desk, ended, ended.code, broken, value)
        assert ended.code in (1, 2)
    refused(desk, desk.segscore("validate", broken), 1, broken, value)


@pytest.mark.parametrize("name", ["pk", "window", "reference", "hypothesis", "matches"])
def test_score__attribute_named_as_a_column_of_scores(desk: Desk, name: str) -> None:
    broken = desk.write(
        "broken.parquet", coded("x", [3]).append_column(name, pa.array(list("abc")))
    )
    refused(desk, desk.score(references=broken), 2, "references", name, "rename")
    refused(desk, desk.score(hypotheses=broken), 2, "hypotheses", name, "rename")
    documents = described(("a", 10)).append_column(name, pa.array(["x"]))
    broken = desk.write("broken.parquet", documents)
    refused(desk, desk.score("--documents", broken), 2, "documents", name, "rename")
    assert not desk.run.exists()


@pytest.mark.parametrize("name", ["measure", "average", "value", "ci_low", "sd", "documents"])
def test_score__group_by_a_column_of_the_summary(desk: Desk, name: str) -> None:
    """It would stand twice in the summary, and one of the two be lost."""
    attributed = coded("sys", [3]).append_column(name, pa.array(list("xyy")))
    hypotheses = desk.write("attributed.parquet", attributed)
    refused(desk, desk.score("--group-by", name, hypotheses=hypotheses), 2, name, "rename")


def test_score__attribute_of_two_types(desk: Desk) -> None:
    desk.write("many/1.parquet", coded("sys", [3], "a").append_column("genre", pa.array([1])))
    desk.write("many/2.parquet", coded("sys", [3], "b").append_column("genre", pa.array(["x"])))
    refused(desk, desk.score(hypotheses=desk.folder / "many"), 2, "hypotheses", "genre")


# --- rows that are wrong in themselves ----------------------------------------------------------


BROKEN_ROWS: list[tuple[str, Cells, str]] = [
    ("document_id_given", (None, "x", 10, [3]), "document_id is neither null nor empty"),
    ("document_id_given", ("", "x", 10, [3]), "document_id is neither null nor empty"),
    ("coder_given", ("p", None, 10, [3]), "coder is neither null nor empty"),
    ("coder_given", ("p", "", 10, [3]), "coder is neither null nor empty"),
    ("n_units_given", ("p", "x", None, [3]), "n_units None"),
    ("n_units_positive", ("p", "x", 0, []), "n_units 0"),
    ("n_units_positive", ("p", "x", -5, []), "n_units -5"),
    ("boundaries_given", ("p", "x", 10, None), "boundaries None"),
    ("boundaries_no_null", ("p", "x", 10, [3, None]), "boundaries [3, None]"),
    ("boundaries_no_null", ("p", "x", 10, [None]), "boundaries [None]"),
    ("boundaries_in_range", ("p", "x", 10, [0, 3]), "boundaries [0, 3]"),
    ("boundaries_in_range", ("p", "x", 10, [3, 10]), "boundaries [3, 10]"),
    ("boundaries_in_range", ("p", "x", 10, [-1, 3]), "boundaries [-1, 3]"),
    ("boundaries_in_range", ("p", "x", 1, [1]), "boundaries [1]"),
    ("boundaries_ascending", ("p", "x", 10, [6, 3]), "boundaries [6, 3]"),
    ("boundaries_ascending", ("p", "x", 10, [3, 3]), "boundaries [3, 3]"),
]
RULES = [rule for rule, _, _ in BROKEN_ROWS]


@pytest.mark.parametrize(("rule", "row", "said"), BROKEN_ROWS)
def test_validate__broken_row(desk: Desk, rule: str, row: Cells, said: str) -> None:
    broken = desk.write("broken.parquet", table([("a", "x", 10, [3]), row, ("b", "x", 10, [])]))
    ended = desk.segscore("validate", broken)
    assert ended.code == 1
    assert f"{broken} row 1" in ended.out
    assert rule in ended.out and said in ended.out
    assert "1 of 3 rows break a rule" in ended.out
    assert ended.err == ""


def test_score__every_broken_row(desk: Desk) -> None:
    """Each is listed once, by file, row, rule and what it holds; the good ones are scored."""
    bad = [row for _, row, _ in BROKEN_ROWS]
    first = desk.write("refs/1.parquet", coded("ann", [3], "a"))
    second = desk.write("refs/2.parquet", table([*bad, ("b", "ann", 10, [4])]), row_group_size=5)
    third = desk.write("hyps/3.parquet", table([*bad, ("a", "sys", 10, [3])]), row_group_size=3)
    fourth = desk.write("hyps/4.parquet", coded("sys", [5], "b"))
    ended = desk.score(references=first.parent, hypotheses=third.parent)
    done(ended)
    assert f"{desk.run}/rejects" in ended.err
    assert desk.scored() == [("a", "ann", "sys"), ("b", "ann", "sys")]
    n = len(bad)
    assert desk.account() == {"references": (n + 2, 2, n, 0), "hypotheses": (n + 2, 2, n, 0)}
    for name, file in (("references", second), ("hypotheses", third)):
        listed = [row for row in desk.rows("rejects") if row["table"] == name]
        assert [row["row"] for row in listed] == list(range(n))
        assert {row["source"] for row in listed} == {str(file)}
        for row, (rule, cells, said) in zip(listed, BROKEN_ROWS, strict=True):
            assert (row["rule"], row["document_id"], row["coder"]) == (rule, *cells[:2])
            assert said in row["detail"]
    assert str(fourth) not in {row["source"] for row in desk.rows("rejects")}


def test_score__every_row_broken(desk: Desk) -> None:
    broken = desk.write("broken.parquet", table([row for _, row, _ in BROKEN_ROWS]))
    refused(desk, desk.score(references=broken), 1, broken, "no reference", "row 0", RULES[0])
    ended = desk.score(hypotheses=broken)
    refused(desk, ended, 1, broken, "nothing could be scored", f"row 0: {RULES[0]} (")


def test_validate__thousands_of_broken_rows_are_counted_not_all_shown(desk: Desk) -> None:
    broken = desk.write("broken.parquet", table([(f"d{i}", "x", 0, []) for i in range(2000)]))
    ended = desk.segscore("validate", broken)
    assert ended.code == 1
    assert "2000 of 2000 rows break a rule" in ended.out
    assert "2000 x n_units_positive" in ended.out
    assert len(ended.out.splitlines()) < 200


def test_validate__a_long_list_is_shown_in_short(desk: Desk) -> None:
    positions = [*range(1, 5000), 1]
    broken = desk.write("broken.parquet", table([("a", "x", 9999, positions)]))
    ended = desk.segscore("validate", broken)
    assert ended.code == 1
    assert "5000 in all" in ended.out and len(ended.out) < 2000


def test_validate__boundary_types_of_other_rows_do_not_matter(desk: Desk) -> None:
    """One row's missing or miscounted types must not shift those of the next."""
    rows = [("a", "x", 10, [1, 2, 3]), ("b", "x", 10, [2, 2]), ("c", "x", 10, [5])]
    for types, wrong in (
        ([[1, 1], [1, 2], [1, 1]], [0, 2]),
        ([None, [1, 2], [1]], []),
        ([[1, 1], [1, 2], [1]], [0]),
    ):
        good = table(rows).append_column("boundary_types", pa.array(types, INTS))
        ended = desk.segscore("validate", desk.write("typed.parquet", good))
        found = [row for row in range(3) if f"row {row}" in ended.out]
        assert found == wrong, ended.out


# --- rows that contradict each other ------------------------------------------------------------


def test_score__duplicate_references(desk: Desk) -> None:
    """All copies are refused, equal or not, also across files; others are scored."""
    desk.write("refs/1.parquet", table([("a", "ann", 10, [3]), ("b", "ann", 10, [3])]))
    rows = [("c", "ann", 10, [3]), ("c", "ann", 10, [3]), ("a", "bob", 10, [3])]
    desk.write("refs/2.parquet", table([*rows, ("a", "ann", 10, [4])]))
    done(desk.score(references=desk.folder / "refs"))
    rule = "unique_document_coder"
    assert desk.rejects() == [
        ("references", "a", 0, rule),
        ("references", "a", 3, rule),
        ("references", "c", 0, rule),
        ("references", "c", 1, rule),
    ]
    assert desk.scored() == [("a", "bob", "sys"), ("b", "ann", "sys")]
    assert desk.unpaired() == [("hypotheses", "c", 2)]
    assert desk.account() == {"references": (6, 2, 4, 0), "hypotheses": (3, 2, 0, 1)}
    ended = desk.segscore("validate", desk.folder / "refs")
    assert ended.code == 1 and f"4 x {rule}" in ended.out


@pytest.mark.parametrize("rows_per_part", [1, 1000])
def test_score__duplicate_hypotheses(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, rows_per_part: int
) -> None:
    """The same whether the copies meet in one part or are found only across parts."""
    monkeypatch.setattr(planning, "LIMITS", Limits(rows_per_part=rows_per_part))
    desk.write("hyps/1.parquet", table([("a", "sys", 10, [3]), ("b", "sys", 10, [3])]))
    rows = [("c", "sys", 10, [3]), ("c", "sys", 10, [3]), ("a", "two", 10, [3])]
    desk.write("hyps/2.parquet", table([*rows, ("a", "sys", 10, [4])]), row_group_size=1)
    done(desk.score(hypotheses=desk.folder / "hyps"))
    rule = "unique_document_coder"
    assert desk.rejects() == [
        ("hypotheses", "a", 0, rule),
        ("hypotheses", "a", 3, rule),
        ("hypotheses", "c", 0, rule),
        ("hypotheses", "c", 1, rule),
    ]
    assert desk.scored() == [("a", "ann", "two"), ("b", "ann", "sys")]
    assert desk.unpaired() == [("references", "c", 2)]
    assert desk.account() == {"references": (3, 2, 0, 1), "hypotheses": (6, 2, 4, 0)}
    assert all(row["coder"] == "sys" for row in desk.rows("rejects"))


def test_score__only_duplicates(desk: Desk) -> None:
    hypotheses = desk.write("twice.parquet", pa.concat_tables([coded("sys", [3])] * 2))
    refused(
        desk, desk.score(hypotheses=hypotheses), 1, hypotheses, "6 of 6 hypotheses were rejected"
    )
    references = desk.write("twice.parquet", pa.concat_tables([coded("ann", [3])] * 2))
    said = "unique_document_coder"
    again = desk.score("--fresh", references=references)
    refused(desk, again, 1, references, "no reference", said)


def test_score__n_units_differ(desk: Desk) -> None:
    """Within the references all rows of the document go; a hypothesis goes alone."""
    rows = [("a", "ann", 10, [3]), ("a", "bob", 11, [3]), ("b", "ann", 10, [3])]
    references = desk.write("refs.parquet", table([*rows, ("c", "ann", 10, [3])]))
    hypotheses = [("b", "sys", 10, [3]), ("c", "sys", 12, [3]), ("c", "two", 10, [3])]
    judged = desk.write("hyps.parquet", table([*hypotheses, ("a", "sys", 10, [3])]))
    done(desk.score(references=references, hypotheses=judged))
    assert desk.rejects() == [
        ("hypotheses", "c", 1, "n_units_agree"),
        ("references", "a", 0, "n_units_agree"),
        ("references", "a", 1, "n_units_agree"),
    ]
    assert desk.scored() == [("b", "ann", "sys"), ("c", "ann", "two")]
    assert desk.unpaired() == [("hypotheses", "a", 3)]
    assert desk.account() == {"references": (4, 2, 2, 0), "hypotheses": (4, 2, 1, 1)}


def test_score__n_units_of_the_documents_table_decide(desk: Desk) -> None:
    rows = [("a", "ann", 10, [3]), ("a", "bob", 11, [3]), ("b", "ann", 10, [3])]
    references = desk.write("refs.parquet", table([*rows, ("c", "ann", 10, [3])]))
    documents = desk.write("docs.parquet", described(("a", 10), ("b", 9), ("z", 3)))
    done(desk.score("--documents", documents, references=references))
    assert desk.rejects() == [
        ("references", "a", 1, "n_units_agree"),
        ("references", "b", 2, "n_units_agree"),
    ]
    assert desk.scored() == [("a", "ann", "sys"), ("c", "ann", "sys")]
    assert desk.unpaired() == [("documents", "b", 1), ("documents", "z", 2), ("hypotheses", "b", 1)]
    assert desk.account() == {
        "documents": (3, 1, 0, 2),
        "references": (4, 2, 2, 0),
        "hypotheses": (3, 2, 0, 1),
    }


def test_score__unpaired(desk: Desk) -> None:
    references = desk.write("refs.parquet", coded("ann", [3], "abxy"))
    done(desk.score(references=references))
    assert desk.unpaired() == [
        ("hypotheses", "c", 2),
        ("references", "x", 2),
        ("references", "y", 3),
    ]
    assert desk.account() == {"references": (4, 2, 0, 2), "hypotheses": (3, 2, 0, 1)}
    listed = {row["document_id"]: row for row in desk.rows("unpaired")}
    assert (listed["c"]["coder"], listed["c"]["source"]) == ("sys", str(desk.hypotheses))
    assert (listed["x"]["coder"], listed["x"]["source"]) == ("ann", str(references))


def test_score__nothing_meets(desk: Desk) -> None:
    strangers = desk.write("strangers.parquet", coded("ann", [3], "xyz"))
    ended = desk.score(references=strangers)
    refused(desk, ended, 1, desk.hypotheses, "nothing could be scored", "3 have no")
    assert "reference: hypotheses have a, b; references have x, y" in ended.err
    assert "rejects" not in ended.err


def test_score__rejected_rows_are_counted_and_coders_without_a_result_named(desk: Desk) -> None:
    rows = [("a", f"long-{i}", 12, [3]) for i in range(6)] + [("b", "sys", 10, [3])] * 2
    judged = desk.write("judged.parquet", table([*rows, ("a", "sys", 10, [3]), ("c", "", 10, [])]))
    ended = desk.score(hypotheses=judged)
    done(ended)
    assert ended.err.count("none of its rows could be scored") == 5
    assert json.loads((desk.run / "run.json").read_text())["warnings"] == [
        "rows were rejected: 6 n_units_agree, 2 unique_document_coder, 1 coder_given; "
        f"all are listed in {desk.run}/rejects",
        *(f"long-{i}: none of its rows could be scored" for i in range(5)),
        "no row of 1 further coder could be scored",
    ]
    assert {row["detail"] for row in desk.rows("rejects") if row["document_id"] == "a"} == {
        "n_units is 12; the accepted references of this document have 10"
    }


# --- documents tables ---------------------------------------------------------------------------


def lengths(*values: Sequence[int | None] | None) -> Any:
    return pa.array(values, INTS)


def test_score__bad_unit_lengths(desk: Desk) -> None:
    documents = "abcdefg"
    references = desk.write("refs.parquet", coded("ann", [1], documents, 3))
    hypotheses = desk.write("hyps.parquet", coded("sys", [2], documents, 3))
    rows = [(name, 3) for name in "abcdef"]
    listed = lengths([2, 2, 2], [1, -1, 2], [1, None, 2], [1, 2], [0, 0, 0], None)
    described_by = described(*rows).append_column("unit_lengths", listed)
    table_ = desk.write("docs.parquet", described_by)
    both = {"references": references, "hypotheses": hypotheses}
    done(desk.score("--units", "words", "--documents", table_, **both))
    assert desk.rejects() == [
        ("documents", "b", 1, "unit_lengths_not_negative"),
        ("documents", "c", 2, "unit_lengths_no_null"),
        ("documents", "d", 3, "unit_lengths_parallel"),
        ("documents", "e", 4, "unit_lengths_not_all_zero"),
        *(("references", name, i, "unit_lengths_known") for i, name in enumerate("bcdefg", 1)),
    ]
    assert desk.scored() == [("a", "ann", "sys")]
    assert desk.account() == {
        "documents": (6, 1, 4, 1),
        "references": (7, 1, 6, 0),
        "hypotheses": (7, 1, 0, 6),
    }
    details = {row["rule"]: row["detail"] for row in desk.rows("rejects")}
    assert "unit_lengths [1, -1, 2]" in details["unit_lengths_not_negative"]
    ended = desk.segscore("validate", "--documents", table_)
    assert ended.code == 1 and "4 of 6 rows break a rule" in ended.out


def test_score__duplicate_documents(desk: Desk) -> None:
    """No copy is believed, whatever it says."""
    rows = (("a", 10), ("b", 10), ("b", 10), ("c", 99), ("c", 10))
    documents = desk.write("docs.parquet", described(*rows))
    done(desk.score("--documents", documents))
    assert desk.rejects() == [("documents", rows[i][0], i, "unique_document") for i in (1, 2, 3, 4)]
    assert desk.account()["documents"] == (5, 1, 4, 0)
    assert len(desk.scored()) == 3


def test_score__duplicate_documents_in_json_lines(desk: Desk) -> None:
    """JSON Lines are held to the same rules as Parquet, row by row."""
    record = {"document_id": "a", "n_units": 10, "genre": "x"}
    content = lines(record, {**record, "n_units": 11}, {**record, "document_id": "b"})
    documents = desk.write("docs.jsonl", content)
    ended = desk.segscore("validate", "--documents", documents)
    assert ended.code == 1 and "2 of 3 rows break a rule" in ended.out
    done(desk.score("--documents", documents, "--group-by", "genre"))
    assert desk.account()["documents"] == (3, 1, 2, 0)


def test_score__bad_documents_rows(desk: Desk) -> None:
    rows = ((None, 10), ("", 10), ("a", None), ("b", 0), ("c", 10))
    documents = desk.write("docs.parquet", described(*rows))
    done(desk.score("--documents", documents))
    assert [(row["row"], row["rule"]) for row in desk.rows("rejects")] == [
        (0, "document_id_given"),
        (1, "document_id_given"),
        (2, "n_units_given"),
        (3, "n_units_positive"),
    ]
    assert all(row["coder"] is None for row in desk.rows("rejects"))
    assert desk.account()["documents"] == (5, 1, 4, 0)


def test_score__words_without_lengths(desk: Desk) -> None:
    refused(desk, desk.score("--units", "words"), 2, "--units words", "--documents")
    assert not desk.run.exists()
    refused(desk, desk.score("--units", "words", "--documents", ""), 2, "--documents")
    bare = desk.write("docs.parquet", described(("a", 10), ("b", 10), ("c", 10)))
    ended = desk.score("--units", "words", "--documents", bare)
    assert ended.code in (1, 2)
    refused(desk, ended, ended.code, "unit_lengths")


def test_score__words_beyond_int32(desk: Desk) -> None:
    """Documents longer than 2^31 words (25 days in milliseconds): right, or refused."""
    most = 2**31 - 1
    listed = described(("a", 4)).append_column("unit_lengths", lengths([most] * 4))
    documents = desk.write("docs.parquet", listed)
    references = desk.write("refs.parquet", coded("ann", [1], "a", 4))
    hypotheses = desk.write("hyps.parquet", coded("sys", [3], "a", 4))
    both = {"references": references, "hypotheses": hypotheses}
    ended = desk.score("--units", "words", "--documents", documents, **both)
    if ended.code == 0:
        # Half the mean segment is one unit: the first and the last of 3 units of windows differ.
        assert desk.rows("scores")[0]["window_diff"] == pytest.approx(2 / 3)
    else:
        refused(desk, ended, ended.code)


# --- empty tables -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["zero rows", "zero row groups", "empty json lines"])
def test_score__empty_table(desk: Desk, kind: str) -> None:
    name = "nothing.jsonl" if kind == "empty json lines" else "nothing.parquet"
    nothing = desk.write(name, "" if kind == "empty json lines" else coded("x", [3], ""))
    if kind == "zero row groups":
        pq.ParquetWriter(nothing, SCHEMA).close()
        assert pq.ParquetFile(nothing).num_row_groups == 0
    for ended in (
        desk.score(references=nothing),
        desk.score(hypotheses=nothing),
        desk.score(references=nothing, hypotheses=nothing),
    ):
        assert ended.code in (1, 2)
        refused(desk, ended, ended.code, nothing)
    refused(desk, desk.segscore("validate", nothing), 1, nothing, "no rows")


def test_score__empty_files_among_others(desk: Desk) -> None:
    """Before, between and after the files that hold something."""
    for name in "024":
        desk.write(f"refs/{name}.parquet", coded("ann", [3], ""))
        desk.write(f"hyps/{name}.parquet", coded("sys", [3], ""))
    pq.ParquetWriter(desk.folder / "hyps" / "6.parquet", SCHEMA).close()
    for name, document in (("1", "a"), ("3", "b")):
        desk.write(f"refs/{name}.parquet", coded("ann", [3], document))
        desk.write(f"hyps/{name}.parquet", coded("sys", [3], document))
    done(desk.score(references=desk.folder / "refs", hypotheses=desk.folder / "hyps"))
    assert desk.account() == {"references": (2, 2, 0, 0), "hypotheses": (2, 2, 0, 0)}


# --- JSON Lines ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"document_id": "b", "coder"', "not JSON"),
        ("{nope}", "not JSON"),
        ("[1, 2]", "one JSON object"),
        ('{"document_id": "b", "document_id": "c"}', "twice"),
        (json.dumps(one("b", "x", "10")), "n_units"),
        (json.dumps(one("b", "x", 10.5)), "n_units"),
        (json.dumps(one("b", "x", 10, "3")), "boundaries"),
        (json.dumps(one("b", "x", 10, (3, True))), "boundaries[1]"),
        (json.dumps(one("b", "x", 2**31)), "int32"),
        (json.dumps(one(7, "x")), "document_id"),
        (json.dumps({**one("b", "x"), "genre": ["x"]}), "genre"),
    ],
)
def test_every_command__broken_json_line(desk: Desk, line: str, said: str) -> None:
    broken = desk.write("broken.jsonl", lines(one("a", "x"), line))
    where = f"{broken}:2:"
    refused(desk, desk.score(references=broken), 2, where, said)
    refused(desk, desk.score(hypotheses=broken), 2, where, said)
    refused(desk, desk.segscore("validate", broken), 1, where, said)
    refused(desk, desk.segscore("import", broken, "--output", desk.run), 2, where, said)
    assert not desk.run.exists()


def test_score__json_lines_that_break_rules(desk: Desk) -> None:
    """Rows are numbered by line, from 0, blank lines too."""
    content = lines(
        one("a", "sys"),
        "",
        one("b", None),
        one("b", "sys", None),
        one(None, "sys"),
        one("b", "sys", 10, None),
        one("b", "sys", 10, (3, None)),
        one("b", "sys", 10, (7, 3)),
        {"coder": "sys"},
        one("c", "sys"),
    )
    done(desk.score(hypotheses=desk.write("hyps.jsonl", "\ufeff" + content)))
    assert [(row["row"], row["rule"]) for row in desk.rows("rejects")] == [
        (2, "coder_given"),
        (3, "n_units_given"),
        (4, "document_id_given"),
        (5, "boundaries_given"),
        (6, "boundaries_no_null"),
        (7, "boundaries_ascending"),
        (8, "document_id_given"),
    ]
    assert [pair[0] for pair in desk.scored()] == ["a", "c"]
    assert desk.account() == {"references": (3, 2, 0, 1), "hypotheses": (9, 2, 7, 0)}


# --- where the run goes -------------------------------------------------------------------------


def test_score__output_holds_a_run(desk: Desk) -> None:
    done(desk.score())
    before = (desk.run / "run.json").read_bytes()
    ended = desk.score("--n-t", 3)
    assert ended.code == 2
    assert str(desk.run) in ended.err and "--fresh" in ended.err
    assert (desk.run / "run.json").read_bytes() == before
    # A run that fails takes nothing away from the one that is there.
    broken = desk.write("broken.parquet", table([("a", "sys", 0, []), ("b", "sys", 10, [3])]))
    ended = desk.score("--fresh", "--max-rejects", 0, hypotheses=broken)
    assert ended.code == 1
    assert (desk.run / "run.json").read_bytes() == before
    assert len(desk.scored()) == 3
    done(desk.score("--fresh", "--n-t", 3, hypotheses=broken))
    assert json.loads((desk.run / "run.json").read_text())["settings"]["n_t"] == 3
    assert desk.account()["hypotheses"] == (2, 1, 1, 0)
    assert sorted(path.name for path in desk.run.iterdir()) == [
        "rejects",
        "run.json",
        "scores",
        "summary",
        "unpaired",
    ]


@pytest.mark.parametrize("fresh", [[], ["--fresh"]], ids=["", "fresh"])
def test_score__output_holds_foreign_files(desk: Desk, fresh: list[str]) -> None:
    mine = write(desk.run / "notes.txt", "mine")
    also = write(desk.run / "scores" / "part.parquet", coded("x", [3]))
    ended = desk.score(*fresh)
    assert ended.code == 2
    assert str(desk.run) in ended.err and "notes.txt" in ended.err
    assert mine.read_text() == "mine" and also.exists()
    assert sorted(path.name for path in desk.run.iterdir()) == ["notes.txt", "scores"]


def test_score__fresh_spares_what_is_not_a_run(desk: Desk) -> None:
    """A run.json that is not ours does not make the folder ours."""
    mine = write(desk.run / "run.json", '{"name": "somebody else"}')
    also = write(desk.run / "scores" / "precious.parquet", coded("x", [3]))
    ended = desk.score("--fresh")
    assert ended.code == 2
    assert str(desk.run) in ended.err
    assert mine.read_text() == '{"name": "somebody else"}' and also.exists()


def test_score__file_in_the_way(desk: Desk) -> None:
    in_the_way = desk.write("way", "mine")
    for output in (in_the_way, in_the_way / "run"):
        refused(desk, desk.score("--output", output), 2, output)
    assert in_the_way.read_text() == "mine"


def test_import__file_in_the_way(desk: Desk) -> None:
    in_the_way = desk.write("way", "mine")
    good = desk.write("good.jsonl", lines(one("a", "x")))
    refused(desk, desk.segscore("import", good, "--output", in_the_way), 2, in_the_way)
    assert in_the_way.read_text() == "mine"


def test_import__output_holds_the_table(desk: Desk) -> None:
    good = desk.write("good.jsonl", lines(one("a", "x")))
    done(desk.segscore("import", good, "--output", desk.folder / "imported"))
    ended = desk.segscore("import", good, "--output", desk.folder / "imported")
    refused(desk, ended, 2, desk.folder / "imported", "references")


def test_import__wrong_options(desk: Desk) -> None:
    good = desk.write("good.jsonl", lines(one("a", "x")))
    target = desk.folder / "imported"
    for option, value in (("--role", "judge"), ("--format", "word")):
        ended = desk.segscore("import", good, "--output", target, option, value)
        refused(desk, ended, 2, value)
    empty = desk.write("empty.jsonl", "")
    refused(desk, desk.segscore("import", empty, "--output", target), 2, empty)
    assert not target.exists()


def test_import__contradictions_are_named(desk: Desk) -> None:
    twice = desk.write("twice.jsonl", lines(one("a", "x"), one("b", "x"), one("a", "x")))
    ended = desk.segscore("import", twice, "--output", desk.folder / "imported")
    assert ended.code == 0
    for line in (1, 3):
        assert f"{twice}:{line}: unique_document_coder" in ended.err
    assert f"{twice}:2:" not in ended.err


def test_score__disk_full(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = storage.write_table

    def full(url: str, content: pa.Table, **how: Any) -> None:
        if "summary" in url:
            raise OSError(28, "No space left on device")
        whole(url, content, **how)

    monkeypatch.setattr(storage, "write_table", full)
    refused(desk, desk.score(), 1, "No space left")


def test_score__interrupted(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "run_scoring", stopped)
    refused(desk, desk.score(), 130, "interrupted")


def test_score__two_runs_at_once_on_one_cluster(desk: Desk) -> None:
    """Files of one name in two folders: neither run gets the other's results."""
    for name, boundaries in (("first", [3, 7]), ("second", [3, 6])):
        desk.write(f"{name}/hypotheses.parquet", coded("sys", boundaries))

    def wanted(name: str) -> ScoreSettings:
        return ScoreSettings(
            references=str(desk.references),
            hypotheses=str(desk.folder / name / "hypotheses.parquet"),
            output=str(desk.folder / name / "run"),
            replicates=0,
        )

    started: list[str] = []
    with cluster.connect("local", 2) as client:

        def meanwhile(part: int, _: int) -> None:
            """Run the second while the first holds the results of its part."""
            if part and not started:
                started.append("second")
                run.run_scoring(wanted("second"), client, lambda *_: None)

        run.run_scoring(wanted("first"), client, meanwhile)
    assert started
    for name, expected in (("first", 0.25), ("second", 0.0)):
        scores = desk.rows("scores", desk.folder / name / "run")
        assert [row["window_diff"] for row in scores] == [expected] * 3
        summary = desk.rows("summary", desk.folder / name / "run")
        assert {row["value"] for row in summary if row["measure"] == "window_diff"} == {expected}


def test_score__relative_paths(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = desk.folder / "else where"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    desk.write("refs/corpus=a/one.parquet", coded("ann", [3], "a"))
    options = {"references": "../refs/", "hypotheses": "../hyp*.parquet"}
    done(desk.score("--output", "not/yet//there/", **options))
    assert (elsewhere / "not" / "yet" / "there" / "run.json").exists()
    ended = desk.segscore("status", "not/yet/there/")
    assert ended.code == 0 and "finished: 1 pairs" in ended.out


# --- options ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--n-t", "0"),
        ("--n-t", "-1"),
        ("--n-t", "x"),
        ("--n-t", "1.5"),
        ("--n-t", str(2**64)),
        ("--window", "0"),
        ("--window", "foo"),
        ("--window", "-3"),
        ("--window", "2.5"),
        ("--window", ""),
        ("--window", str(2**63)),
        ("--rounding", "x"),
        ("--units", "x"),
        ("--p-seg", "2"),
        ("--p-seg", "-0.1"),
        ("--p-seg", "nan"),
        ("--p-seg", "1e-300"),
        ("--p-seg", "inf"),
        ("--cost-miss", "nan"),
        ("--cost-miss", "1.01"),
        ("--max-rejects", "1.5"),
        ("--max-rejects", "-1"),
        ("--max-rejects", "nan"),
        ("--replicates", "-1"),
        ("--seed", "-1"),
        ("--seed", str(2**64)),
        ("--group-by", "nosuch"),
        ("--group-by", "genre,genre"),
        ("--group-by", "genre,"),
        ("--cluster", "nonsense"),
        ("--cluster", ""),
        ("--workers", "0"),
        ("--workers", "x"),
        ("--nosuch", "1"),
    ],
)
def test_score__wrong_option(desk: Desk, option: str, value: str) -> None:
    attributed = coded("sys", [3]).append_column("genre", pa.array(list("xyz")))
    hypotheses = desk.write("attributed.parquet", attributed)
    ended = desk.score(option, value, hypotheses=hypotheses)
    assert ended.code == 2, ended.err
    assert "Traceback" not in ended.out + ended.err
    assert option in ended.err
    assert not desk.run.exists()


def test_score__group_by_tells_what_there_is(desk: Desk) -> None:
    attributed = coded("sys", [3]).append_column("genre", pa.array(list("xyz")))
    hypotheses = desk.write("attributed.parquet", attributed)
    refused(desk, desk.score("--group-by", "gender", hypotheses=hypotheses), 2, "gender", "genre")
    nested = coded("sys", [3]).append_column("tags", pa.array([["x"], [], None]))
    hypotheses = desk.write("nested.parquet", nested)
    refused(desk, desk.score("--group-by", "tags", hypotheses=hypotheses), 2, "tags", "list")


def test_score__no_scheduler_answers(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "CONNECT_SECONDS", 0.2)
    for address in ("tcp://127.0.0.1:1", "foo://127.0.0.1:1"):
        refused(desk, desk.score("--cluster", address), 2, address, "scheduler")
    assert not desk.run.exists()


# --- too many rejects ---------------------------------------------------------------------------


def rejected_share(desk: Desk) -> dict[str, Any]:
    """Inputs of which 4 in 10 rows are rejected: 1 document, 1 reference, 2 hypotheses."""
    rows = [("a", "ann", 10, [3]), ("b", "ann", 10, [3]), ("x", "ann", 10, [11])]
    judged = [("a", "sys", 10, [3]), ("b", "sys", 10, [3]), ("a", "x", 0, []), ("b", "x", 9, [3])]
    return {
        "references": desk.write("refs.parquet", table(rows)),
        "hypotheses": desk.write("hyps.parquet", table(judged)),
        "documents": desk.write("docs.parquet", described(("a", 10), ("b", 10), ("x", 0))),
    }


REJECTED = [
    ("documents", "x", 2, "n_units_positive"),
    ("hypotheses", "a", 2, "n_units_positive"),
    ("hypotheses", "b", 3, "n_units_agree"),
    ("references", "x", 2, "boundaries_in_range"),
]


def test_score__too_many_rejects(desk: Desk) -> None:
    """Nothing is published; every refused row is listed where the message says."""
    given = rejected_share(desk)
    options = ("--documents", given.pop("documents"), "--max-rejects", 0.39)
    ended = desk.score(*options, **given)
    refused(desk, ended, 1, "4 of 10", "--max-rejects 0.39", "nothing was published")
    where = Path(ended.err.split("listed in ")[1].split()[0])
    assert where.name == "rejects"
    assert desk.rejects(where.parent) == REJECTED
    # The next attempt, with a larger share, is not in the way of the first.
    options = (*options[:2], "--max-rejects", 0.4)
    done(desk.score(*options, **given))
    assert desk.rejects() == REJECTED
    assert desk.scored() == [("a", "ann", "sys"), ("b", "ann", "sys")]
    assert desk.account() == {
        "documents": (3, 2, 1, 0),
        "references": (3, 2, 1, 0),
        "hypotheses": (4, 2, 2, 0),
    }
    assert not (desk.run / "_unfinished").exists()


def test_score__no_rejects_allowed_and_none_there(desk: Desk) -> None:
    done(desk.score("--max-rejects", 0))
    assert desk.rejects() == []


# --- status -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["run.json", "_unfinished/plan.json"])
@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"{}", b"\xff\xfe", b'{"pairs": 1, "rows": [], "parts": 1}']
)
def test_status__not_a_record(desk: Desk, name: str, content: bytes) -> None:
    write(desk.folder / "odd" / name, content)
    refused(desk, desk.segscore("status", desk.folder / "odd"), 2, desk.folder / "odd")


def test_status__not_a_run(desk: Desk) -> None:
    refused(desk, desk.segscore("status", desk.references), 2, desk.references)
    (desk.folder / "odd" / "run.json").mkdir(parents=True)
    refused(desk, desk.segscore("status", desk.folder / "odd"), 2, desk.folder / "odd")


def test_status__unfinished(desk: Desk) -> None:
    broken = desk.write("broken.parquet", table([("a", "sys", 0, []), ("b", "sys", 10, [3])]))
    assert desk.score("--max-rejects", 0, hypotheses=broken).code == 1
    ended = desk.segscore("status", desk.run)
    assert ended.code == 0 and "unfinished" in ended.out


# --- validation switched off --------------------------------------------------------------------


def test_every_command__pandera_switched_off(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pandera.config.CONFIG, "validation_enabled", False)
    said = "PANDERA_VALIDATION_ENABLED"
    refused(desk, desk.score(), 2, said)
    ended = desk.segscore("validate", desk.references)
    assert ended.code in (1, 2)
    refused(desk, ended, ended.code, said)


@pytest.mark.parametrize("depth", ["SCHEMA_ONLY", "DATA_ONLY"])
def test_every_command__pandera_checks_half(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, depth: str
) -> None:
    """PANDERA_VALIDATION_DEPTH drops all rules or all types without a word: never let it."""
    deep = getattr(pandera.config.ValidationDepth, depth)
    monkeypatch.setattr(pandera.config.CONFIG, "validation_depth", deep)
    rows = desk.write("rows.parquet", table([("a", "x", 0, [5, 3])]))
    kinds = SCHEMA.set(2, pa.field("n_units", pa.float64()))
    types = desk.write("types.parquet", table([("a", "x", 1.5, [])], kinds))
    for broken in (rows, types):
        ended = desk.segscore("validate", broken)
        assert ended.code in (1, 2)
        assert "Traceback" not in ended.out + ended.err
    ended = desk.score(references=rows, hypotheses=rows)
    assert ended.code in (1, 2)
    refused(desk, ended, ended.code)


# --- names that printing might take for something else ------------------------------------------


NAMES = ["[red]x[/red]", "[/]", "[bold]", ":smile:", "é漢", "../x", "a b", "[link=http://x]y"]


def test_score__names_are_printed_as_they_are(desk: Desk) -> None:
    references = table([(name, name, 10, [3]) for name in NAMES])
    hypotheses = pa.concat_tables(
        [
            table([(document, name, 10, [3]) for document in NAMES], genre=pa.array(NAMES))
            for name in NAMES
        ]
    )
    ended = desk.score(
        "--group-by",
        "genre",
        references=desk.write("refs [red].parquet", references),
        hypotheses=desk.write("hyps [/].parquet", hypotheses),
    )
    done(ended)
    for name in NAMES:
        assert f" {name} " in ended.out.replace("│", " ")
        assert f"genre {name}" in ended.out
    assert len(desk.rows("scores")) == len(NAMES) ** 2


def test_validate__names_are_printed_as_they_are(desk: Desk) -> None:
    path = desk.write("[red]x[bold].parquet", table([(name, name, 0, []) for name in NAMES]))
    ended = desk.segscore("validate", path)
    assert ended.code == 1
    assert f"{path} row 7" in ended.out
    missing = desk.folder / "[red]" / "nosuch[bold]"
    refused(desk, desk.segscore("validate", missing), 2, missing)


def test_score__output_named_as_markup(desk: Desk) -> None:
    output = desk.folder / "[red]run[bold] :smile:"
    ended = desk.score("--output", output)
    done(ended)
    assert f"written to {output}" in ended.out
    assert desk.segscore("status", output).code == 0


# --- groups -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "titles"),
    [
        ([0, 0, 1], ["genre 0", "genre 1"]),
        ([False, False, True], ["genre False", "genre True"]),
        (["", "", "x"], ["genre", "genre x"]),
    ],
    ids=str,
)
def test_score__groups_named_by_falsy_values(
    desk: Desk, values: list[object], titles: list[str]
) -> None:
    """A group is not mistaken for the whole."""
    attributed = coded("sys", [3]).append_column("genre", pa.array(values))
    ended = desk.score("--group-by", "genre", hypotheses=desk.write("h.parquet", attributed))
    done(ended)
    assert ended.out.count("all documents") == 1
    for title in titles:
        assert title in ended.out


@pytest.mark.parametrize(
    "values",
    [
        pa.array([0, None, 0]),
        pa.array([True, None, True]),
        pa.array([18000, None, 18000], pa.date32()),
        pa.array([1, None, 1], pa.timestamp("us", "UTC")),
        pa.array([1, None, 1], pa.timestamp("ns")),
        pa.array(["x", None, "x"], pa.string_view()),
        pa.array(["x", None, "x"]).dictionary_encode(),
        pa.array([0.0, None, -0.0]),
        pa.array([math.nan, None, math.nan]),
    ],
    ids=lambda values: str(values.type),
)
def test_score__groups_of_any_type(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, values: pa.Array
) -> None:
    """A null is in no group, only in the whole; the split into parts changes nothing."""
    seen = []
    for name, rows_per_part in (("one", 1000), ("many", 1)):
        monkeypatch.setattr(planning, "LIMITS", Limits(rows_per_part=rows_per_part))
        attributed = coded("sys", [3]).append_column("genre", values)
        hypotheses = desk.write("h.parquet", attributed, row_group_size=1)
        output = desk.folder / name
        ended = desk.score("--group-by", "genre", "--output", output, hypotheses=hypotheses)
        if ended.code == 2:  # a type that cannot name a group, said before any work
            assert "--group-by genre" in ended.err
            return
        done(ended)
        summary = [row for row in desk.rows("summary", output) if row["measure"] == "pk"]
        seen.append([(str(row["genre"]), row["average"], row["documents"]) for row in summary])
    assert seen[0] == seen[1]
    whole = [documents for genre, _, documents in seen[0] if genre == "None"]
    groups = [documents for genre, _, documents in seen[0] if genre != "None"]
    assert whole == [3, 3]
    assert sum(groups) == 2 * 2  # two documents, each in a micro and a macro average


# --- values at the edges ------------------------------------------------------------------------


def test_score__documents_too_short_for_a_window(desk: Desk) -> None:
    """Undefined is null, and no reason to stop."""
    references = desk.write("refs.parquet", coded("ann", [], "ab", 1))
    hypotheses = desk.write("hyps.parquet", coded("sys", [], "ab", 1))
    done(desk.score("--replicates", 9, references=references, hypotheses=hypotheses))
    for row in desk.rows("scores"):
        assert row["pk"] is None and row["boundary_similarity"] == 1.0
    assert json.loads((desk.run / "run.json").read_text())["p_seg"] is None
    values = {(row["measure"], row["average"]): row["value"] for row in desk.rows("summary")}
    assert values["pk", "micro"] is None and values["pk", "macro"] is None


@pytest.mark.parametrize("p_seg", ["0", "1", "1e-6"])
def test_score__extreme_p_seg(desk: Desk, p_seg: str) -> None:
    """No average of values >= 0 is negative, and none is infinite."""
    hypotheses = desk.write("hyps.parquet", coded("sys", [1, 8]))
    done(desk.score("--p-seg", p_seg, "--replicates", 9, hypotheses=hypotheses))
    for row in desk.rows("summary"):
        for name in ("value", "ci_low", "ci_high", "sd"):
            assert row[name] is None or 0 <= row[name] < math.inf, (row["measure"], name)


@pytest.mark.parametrize("window", [str(2**62), str(2**63 - 1)])
def test_score__enormous_window(desk: Desk, window: str) -> None:
    ended = desk.score("--window", window)
    if ended.code == 2:
        assert "--window" in ended.err
        return
    done(ended)
    for row in desk.rows("scores"):
        assert row["windows"] == 0 and row["pk"] is None
        assert row["edge_windows"] == 10 + int(window)


# --- one table for both sides, and one folder for two runs ---------------------------------------


def test_score__one_table_with_roles(desk: Desk) -> None:
    """A table that holds both roles is read for the rows of the side it is named for."""
    rows = [("a", "ann", 10, [3]), ("a", "sys", 10, [4]), ("b", "ann", 10, [3])]
    both = table(rows, role=pa.array(["reference", "hypothesis", "reference"]))
    one_table = desk.write("both.parquet", both)
    done(desk.score(references=one_table, hypotheses=one_table))
    assert desk.scored() == [("a", "ann", "sys")]
    assert desk.account() == {"references": (2, 1, 0, 1), "hypotheses": (1, 1, 0, 0)}


def test_score__candidates_are_not_taken_for_boundaries_in_silence(desk: Desk) -> None:
    scores = pa.array([[0.01]] * 3, pa.list_(pa.float64()))
    candidates = coded("sys", [3]).append_column("boundary_scores", scores)
    ended = desk.score(hypotheses=desk.write("candidates.parquet", candidates))
    done(ended)
    assert "boundary_scores were ignored" in ended.err


def test_score__another_run_is_at_work_here(desk: Desk) -> None:
    """A live process's preparations are not swept away; a dead one's are."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        plan = {"fingerprint": {}, "stages": {}, "host": platform.node(), "pid": other.pid}
        at_work = write(desk.run / "_unfinished" / "plan.json", json.dumps(plan))
        ended = desk.score()
        assert ended.code == 2
        assert "in progress here" in ended.err and str(other.pid) in ended.err
        assert at_work.exists()
        other.communicate(b"\n")
    refused(desk, desk.score(), 2, "contains an unfinished run with other settings")
    done(desk.score("--fresh"))

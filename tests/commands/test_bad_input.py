"""Bad input of every kind: the right exit code, one clear message, and nothing half-published."""

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
from segscore.pipeline.runs import connecting, executors, planning
from segscore.pipeline.runs.planning import Limits
from segscore.pipeline.scoring import run
from segscore.pipeline.scoring.settings import ScoreSettings
from tests.support.arrow_releases import WRITES_VIEWS
from tests.support.command_line import CommandResult, Segscore
from tests.support.pages import DOCS
from tests.support.rows import read_rows

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
    """Make a table of rows, with further columns (Arrow arrays or lists)."""
    cells = [[row[i] for row in rows] for i in range(len(schema))]
    whole = pa.table(
        [pa.array(column, field.type) for column, field in zip(cells, schema, strict=True)],
        schema=schema,
    )
    for name, values in columns.items():
        whole = whole.append_column(name, values if isinstance(values, pa.Array) else [values])
    return whole


def one_coder(
    coder: str, boundaries: Sequence[int], documents: str = "abc", units: int = 10
) -> Any:
    """Make one coder's table: the same boundaries in each document, each named by one letter."""
    return table([(name, coder, units, list(boundaries)) for name in documents])


def documents_table(*rows: Cells, **columns: Any) -> Any:
    """Make a documents table."""
    return table(rows, DOCUMENTS, **columns)


def write(path: Path, content: object, **how: Any) -> Path:
    """Write a table as Parquet, or a text or bytes unchanged; create missing folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif isinstance(content, str):
        path.write_text(content, encoding="utf-8")
    else:
        pq.write_table(content, path, **how)
    return path


def lines(*records: object) -> str:
    """Return JSON Lines."""
    return "".join(
        (record if isinstance(record, str) else json.dumps(record)) + "\n" for record in records
    )


def json_record(
    document: object, coder: object, units: object = 10, boundaries: object = (3,)
) -> dict[str, Any]:
    """Return one record of a JSON Lines file."""
    boundaries = list(boundaries) if isinstance(boundaries, tuple) else boundaries
    return {"document_id": document, "coder": coder, "n_units": units, "boundaries": boundaries}


class Workspace:
    """A folder with good references and hypotheses, a run folder, and the command line."""

    def __init__(self, segscore: Segscore, folder: Path) -> None:
        self.segscore = segscore
        self.folder = folder
        self.run = folder / "run"
        self.references = write(folder / "references.parquet", one_coder("ann", [3, 6]))
        self.hypotheses = write(folder / "hypotheses.parquet", one_coder("sys", [3, 7]))

    def write(self, name: str, content: object, **how: Any) -> Path:
        return write(self.folder / name, content, **how)

    def score(
        self, *options: object, references: object = None, hypotheses: object = None
    ) -> CommandResult:
        """Score the workspace's tables."""
        where: tuple[object, ...] = () if "--output" in options else ("--output", self.run)
        return self.segscore(
            "score",
            references or self.references,
            hypotheses or self.hypotheses,
            *where,
            *options,
        )

    def rows(self, name: str, folder: Path | None = None) -> list[dict[str, Any]]:
        """All rows of one of the run's tables."""
        files = sorted(((folder or self.run) / name).glob("*.parquet"))
        return [row for file in files for row in pq.read_table(file).to_pylist()]

    def rejects(self, folder: Path | None = None) -> list[tuple[str, str, int, str]]:
        """(table, document, row, rule) of each rejected row."""
        listed = self.rows("rejects", folder)
        return sorted((x["table"], x["document_id"], x["row"], x["rule"]) for x in listed)

    def warnings(self) -> list[str]:
        """The warnings in run.json."""
        warnings: list[str] = json.loads((self.run / "run.json").read_text())["warnings"]
        return warnings

    def unpaired(self) -> list[tuple[str, str, int]]:
        """(table, document, row) of each unpaired row."""
        listed = self.rows("unpaired")
        return sorted((x["table"], x["document_id"], x["row"]) for x in listed)

    def scored(self) -> list[tuple[str, str, str]]:
        """(document, reference, hypothesis) of each pair."""
        pairs = self.rows("scores")
        return sorted((x["document_id"], x["reference"], x["hypothesis"]) for x in pairs)

    def account(self) -> dict[str, tuple[int, ...]]:
        """Rows in, scored, rejected, unpaired, and copies if any; check them against the files."""
        record = json.loads((self.run / "run.json").read_text())
        assert record["pairs"] == len(self.rows("scores"))
        counts = {}
        for name, rows in record["rows"].items():
            kinds = ("in", "scored", "rejected", "unpaired")
            read, scored, rejected, unpaired = (rows[kind] for kind in kinds)
            copies = rows.get("copies", 0)
            counts[name] = (read, scored, rejected, unpaired, *[copies] * bool(copies))
            assert read == scored + rejected + unpaired + copies
            assert rejected + copies == sum(x["table"] == name for x in self.rows("rejects"))
            assert unpaired == sum(x["table"] == name for x in self.rows("unpaired"))
        return counts


@pytest.fixture
def workspace(segscore: Segscore, tmp_path: Path) -> Workspace:
    return Workspace(segscore, tmp_path)


def assert_refused(workspace: Workspace, result: CommandResult, code: int, *texts: object) -> None:
    """Check that the command exited with this code and one message, and published nothing."""
    assert result.code == code, result.err
    assert "Traceback" not in result.out + result.err
    assert ENDED_BADLY in result.err
    for part in texts:
        assert str(part) in result.err
    published = {path.name for path in workspace.run.glob("*")} if workspace.run.is_dir() else set()
    assert published <= {"_unfinished"}


def assert_success(result: CommandResult) -> None:
    assert result.code == 0, result.err
    assert "Traceback" not in result.out + result.err
    assert ENDED_BADLY not in result.err


# --- files that are missing or cannot be read ---------------------------------------------------


def bad_place(folder: Path, kind: str) -> tuple[str, str]:
    """A table that cannot be found, and what the message must say about it."""
    (folder / "empty").mkdir()
    write(folder / "hidden" / "_part.parquet", one_coder("x", [1]))
    write(folder / "hidden" / ".part.parquet", one_coder("x", [1]))
    write(folder / "hidden" / "_old" / "part.parquet", one_coder("x", [1]))
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
    name, message = places[kind]
    return f"{folder}/{name}", message


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
def test_every_command__missing_input(workspace: Workspace, kind: str) -> None:
    place, message = bad_place(workspace.folder, kind)
    assert_refused(workspace, workspace.score(references=place), 2, place, message)
    assert_refused(workspace, workspace.score(hypotheses=place), 2, place, message)
    assert_refused(workspace, workspace.score("--documents", place), 2, place, message)
    assert_refused(workspace, workspace.segscore("validate", place), 2, place, message)
    assert_refused(
        workspace, workspace.segscore("validate", "--documents", place), 2, place, message
    )
    if kind not in ("hidden files", "foreign files"):
        imported = workspace.segscore("import", place, "--output", workspace.folder / "imported")
        assert_refused(workspace, imported, 2, place)
    assert_refused(workspace, workspace.segscore("show", place), 2, place)
    assert not workspace.run.exists()
    assert not (workspace.folder / "imported").exists()


def test_every_command__a_folder_of_several_tables(workspace: Workspace) -> None:
    tables = workspace.folder / "tables"
    shows = workspace.write(
        "shows.jsonl", lines(json_record("a", "x"), json_record("a", "y") | {"role": "hypothesis"})
    )
    assert_success(workspace.segscore("import", shows, "--output", tables))
    message = f"{tables}: contains several tables (hypotheses, references); name one of them"
    assert_refused(
        workspace, workspace.score(references=tables), 2, message, f"such as {tables}/references"
    )
    assert_refused(workspace, workspace.score(hypotheses=tables), 2, f"{tables}/hypotheses")
    assert_refused(workspace, workspace.segscore("validate", tables), 2, message)


def test_every_command__a_run_in_place_of_a_table(workspace: Workspace) -> None:
    finished = workspace.folder / "finished"
    assert_success(workspace.score("--output", finished))
    message = f"{finished}: is the folder of a run, not an input table"
    assert_refused(workspace, workspace.segscore("validate", finished), 2, message)
    assert_refused(workspace, workspace.score(hypotheses=finished), 2, message)


def test_commands_on_runs__no_such_folder(workspace: Workspace) -> None:
    missing = workspace.folder / "runn"
    for command in (
        ("compare", "--measure", "pk"),
        ("report",),
        ("explain", "--document", "a"),
        ("show",),
    ):
        result = workspace.segscore(command[0], missing, *command[1:])
        assert_refused(workspace, result, 2, f"{missing}: there is no such folder")
    missing.mkdir()
    assert_refused(workspace, workspace.segscore("show", missing), 2, "contains no run")


def test_agree__a_folder_with_a_documents_table(workspace: Workspace) -> None:
    """References and hypotheses can be codings of one audit, documents cannot."""
    shows = workspace.write("shows.jsonl", lines(*(json_record("a", c) | {"m": 1} for c in "xy")))
    tables = workspace.folder / "tables"
    assert_success(workspace.segscore("import", shows, "--output", tables))
    result = workspace.segscore("agree", tables, "--output", workspace.run)
    message = f"{tables}: contains several tables (documents, references); name one of them"
    assert_refused(workspace, result, 2, message, f"such as {tables}/references")


@pytest.mark.parametrize("kind", ["garbage", "truncated", "empty", "magic only", "not utf-8 json"])
def test_every_command__corrupt_file(workspace: Workspace, kind: str) -> None:
    whole = workspace.references.read_bytes()
    content = {
        "garbage": b"these are not the bytes you are looking for" * 9,
        "truncated": whole[:-30],
        "empty": b"",
        "magic only": b"PAR1PAR1",
        "not utf-8 json": b"\xff\xfe{}",
    }[kind]
    name = "broken.jsonl" if kind == "not utf-8 json" else "broken.parquet"
    broken = workspace.write(name, content)
    assert_refused(workspace, workspace.score(references=broken), 2, broken)
    assert_refused(workspace, workspace.score(hypotheses=broken), 2, broken)
    assert_refused(workspace, workspace.score("--documents", broken), 2, broken)
    assert_refused(workspace, workspace.segscore("validate", broken), 2, broken)
    assert_refused(
        workspace,
        workspace.segscore("import", broken, "--output", workspace.folder / "imported"),
        2,
        broken,
    )
    assert not workspace.run.exists()


def test_import__utf_16(workspace: Workspace) -> None:
    text = "document_id,coder,n_units,boundaries\na,x,10,3\n"
    file = workspace.write("shows.csv", text.encode("utf-16"))
    result = workspace.segscore("import", file, "--output", workspace.folder / "imported")
    assert_success(result)
    assert "references: 1 row, 2 segments" in result.out


def test_score__json_lines_with_other_column_names(workspace: Workspace) -> None:
    record = {"document_id": "a", "coder": "x", "units": 10, "bounds": [3]}
    broken = workspace.write("broken.jsonl", lines(record))
    message = "bounds is [3]; expected one value: an attribute cannot be a list; the row has no "
    assert_refused(
        workspace,
        workspace.score(hypotheses=broken),
        2,
        f"{broken}:1: {message}n_units, boundaries",
    )


def test_score__corrupt_file_among_good_ones(workspace: Workspace) -> None:
    write(workspace.folder / "many" / "1.parquet", one_coder("sys", [3]))
    broken = write(workspace.folder / "many" / "2.parquet", b"PAR1 nothing PAR1")
    assert_refused(workspace, workspace.score(hypotheses=workspace.folder / "many"), 2, broken)


def test_score__corrupt_pages_behind_a_good_footer(workspace: Workspace) -> None:
    content = bytearray(workspace.hypotheses.read_bytes())
    content[4:60] = b"\xff" * 56
    broken = workspace.write("broken.parquet", bytes(content))
    for result in (workspace.score(hypotheses=broken), workspace.score(references=broken)):
        assert_refused(workspace, result, 2, broken)
        assert "resume" not in result.err
        assert not [*workspace.run.glob("*")]
    assert_refused(workspace, workspace.segscore("validate", broken), 2, broken)


# --- columns ------------------------------------------------------------------------------------


WRONG_TYPES = {
    "document_id": [pa.float64(), pa.binary()],
    "coder": [pa.float64(), pa.bool_()],
    "n_units": [pa.string(), pa.bool_(), pa.decimal128(5)],
    "boundaries": [pa.int32(), pa.string(), pa.list_(pa.string())],
}


@pytest.mark.parametrize("column", SCHEMA.names)
def test_score__missing_column(workspace: Workspace, column: str) -> None:
    broken = workspace.write("broken.parquet", one_coder("x", [3]).drop_columns([column]))
    message = f"column {column} is missing"
    assert_refused(workspace, workspace.score(references=broken), 2, broken, message)
    assert_refused(workspace, workspace.score(hypotheses=broken), 2, broken, message)
    assert_refused(workspace, workspace.segscore("validate", broken), 2, broken, message)
    assert not workspace.run.exists()


def test_a_file_of_hypotheses_without_coders_names_the_system(workspace: Workspace) -> None:
    row = {"document_id": "a", "n_units": 9, "boundaries": [3]}
    (workspace.folder / "gold.jsonl").write_text(json.dumps(row | {"coder": "gold"}) + "\n")
    team, other = workspace.folder / "team-7.jsonl", workspace.folder / "other.jsonl"
    team.write_text(json.dumps(row) + "\n")
    result = workspace.score(references=workspace.folder / "gold.jsonl", hypotheses=team)
    assert result.code == 0, result.err
    assert "team-7, the name of its file, is the system" in result.err
    summary = read_rows(workspace.run, "summary")
    assert {each["hypothesis"] for each in summary} == {"team-7"}
    other.write_text(json.dumps(row | {"annotator": "x"}) + "\n")
    result = workspace.score(references=workspace.folder / "gold.jsonl", hypotheses=other)
    assert result.code == 2 and "column coder is missing" in result.err


@pytest.mark.parametrize(
    ("column", "renamed", "message"),
    [
        ("document_id", "document", "column document_id is missing; the nearest is document"),
        ("coder", "annotator", "column coder is missing"),
        ("boundaries", "boundries", "column boundaries is missing; the nearest is boundries"),
        ("boundaries", None, "column boundaries is missing"),
    ],
)
def test_json_lines__missing_column(
    workspace: Workspace, column: str, renamed: str | None, message: str
) -> None:
    """No row has it; if only some rows lack it, each of them is rejected."""
    good: dict[str, object] = {"document_id": "a", "coder": "x", "n_units": 9, "boundaries": [3]}
    wrong = {renamed if name == column else name: value for name, value in good.items()}
    wrong.pop(None, None)
    broken = workspace.folder / "broken.jsonl"
    broken.write_text(f"{json.dumps(wrong)}\n" * 2)
    assert_refused(workspace, workspace.score(references=broken), 2, broken, message)
    assert_refused(workspace, workspace.segscore("validate", broken), 2, broken, message)
    broken.write_text(f"{json.dumps(good)}\n{json.dumps(wrong)}\n")
    assert "1 of 2 rows break a rule" in workspace.segscore("validate", broken).out


def test_json_lines__unknown_number_of_units(workspace: Workspace) -> None:
    """A table of segmentations may lack it with a tolerance; otherwise, all rows are rejected."""
    path = workspace.folder / "open.jsonl"
    path.write_text('{"document_id": "a", "coder": "x", "boundaries": [3]}\n')
    result = workspace.segscore("validate", path)
    assert (result.code, "n_units must not be null" in result.out) == (1, True)
    assert "0 of 1 row breaks" not in result.out and "1 of 1 row breaks a rule" in result.out
    result = workspace.score(references=path)
    assert_refused(workspace, result, 1, path, "no row has n_units", "add this column, or give")
    result = workspace.score(hypotheses=path)
    assert_refused(workspace, result, 1, path, "no row has n_units", "add this column, or give")


@pytest.mark.first
@pytest.mark.parametrize(
    ("column", "kind"), [(name, kind) for name, kinds in WRONG_TYPES.items() for kind in kinds]
)
def test_score__wrong_column_type(workspace: Workspace, column: str, kind: pa.DataType) -> None:
    place = SCHEMA.get_field_index(column)
    wrong = one_coder("x", [3]).set_column(place, column, pa.nulls(3, kind))
    broken = workspace.write("broken.parquet", wrong)
    message = f"column {column} is {kind}".replace("item:", "element:")
    assert_refused(workspace, workspace.score(references=broken), 2, broken, message)
    assert_refused(workspace, workspace.score(hypotheses=broken), 2, broken, message)
    assert_refused(workspace, workspace.segscore("validate", broken), 2, broken, message)
    assert not workspace.run.exists()


def test_score__column_twice(workspace: Workspace) -> None:
    good = one_coder("x", [3])
    twice = pa.Table.from_arrays(
        [*good.columns, good.column("coder")], names=[*good.column_names, "coder"]
    )
    broken = workspace.write("broken.parquet", twice)
    assert_refused(workspace, workspace.segscore("validate", broken), 2, broken, "coder")
    assert_refused(workspace, workspace.score(hypotheses=broken), 2, broken, "coder")


def test_validate__documents_columns(workspace: Workspace) -> None:
    broken = workspace.write("broken.parquet", pa.table({"document_id": ["a"], "n_units": [1.5]}))
    result = workspace.segscore("validate", "--documents", broken)
    assert_refused(workspace, result, 2, broken, "row 0: n_units has the value 1.5")
    broken = workspace.write("broken.parquet", pa.table({"document_id": ["a"]}))
    assert_refused(workspace, workspace.score("--documents", broken), 2, broken, "or their n_units")


def test_score__files_of_one_table_differ_in_columns(workspace: Workspace) -> None:
    """Files may have optional columns that others lack, and columns in another order."""
    scores = pa.array([[0.5]], pa.list_(pa.float32()))
    for coder, folder in (("ann", "references"), ("sys", "hypotheses")):
        files = {
            "a": one_coder(coder, [3], "a"),
            "b": one_coder(coder, [3], "b").select(
                ["boundaries", "coder", "n_units", "document_id"]
            ),
            "c": one_coder(coder, [3], "c").append_column("role", pa.array(["any"])),
            "d": one_coder(coder, [3], "d").append_column("boundary_scores", scores),
        }
        for name, content in files.items():
            workspace.write(f"{folder}/{name}.parquet", content)
    workspace.write("references/e.jsonl", lines(json_record("e", "ann")))
    workspace.write("hypotheses/e.jsonl", lines(json_record("e", "sys")))
    for folder in ("references", "hypotheses"):
        checked = workspace.segscore("validate", workspace.folder / folder)
        assert checked.code == 0, checked.err
    assert_success(
        workspace.score(
            references=workspace.folder / "references", hypotheses=f"{workspace.folder}/hypotheses/"
        )
    )
    assert [pair[0] for pair in workspace.scored()] == list("abcde")


def test_score__types_in_one_file_only(workspace: Workspace) -> None:
    """The type of a boundary in a file without types is unknown."""
    typed = one_coder("sys", [3], "a").append_column("boundary_types", pa.array([[2]], INTS))
    workspace.write("hyps/a.parquet", typed)
    workspace.write("hyps/b.parquet", one_coder("sys", [3], "b"))
    references = one_coder("ann", [3], "ab").append_column(
        "boundary_types", pa.array([[2], [1]], INTS)
    )
    both = {"references": workspace.write("refs.parquet", references)}
    assert_success(workspace.score(hypotheses=workspace.folder / "hyps", **both))
    assert workspace.rejects() == [("hypotheses", "b", 0, "boundary_types_given")]
    assert workspace.scored() == [("a", "ann", "sys")]
    result = workspace.score(
        "--boundary-types", "1", "--fresh", hypotheses=workspace.folder / "hyps", **both
    )
    assert result.code == 1  # the reference of the only document with a hypothesis is rejected
    for option in ("--consensus", "--reference-points"):
        value = "any" if option == "--consensus" else "none"
        result = workspace.score(
            option, value, "--fresh", hypotheses=workspace.folder / "hyps", **both
        )
        assert result.code == 2 and option in result.err and "boundary_types" in result.err


@pytest.mark.parametrize(
    "schema",
    [
        {"boundaries": pa.large_list(pa.int64()), "n_units": pa.int64()},
        {"boundaries": pa.list_(pa.uint64()), "n_units": pa.uint64()},
        {"boundaries": pa.list_(pa.int8()), "n_units": pa.int8()},
        {"document_id": pa.large_string(), "coder": pa.dictionary(pa.int8(), pa.string())},
        pytest.param(
            {"document_id": pa.string_view(), "coder": pa.string_view()}, marks=WRITES_VIEWS
        ),
    ],
    ids=str,
)
def test_score__compatible_column_types_are_accepted(
    workspace: Workspace, schema: dict[str, pa.DataType]
) -> None:
    kinds = pa.schema([(field.name, schema.get(field.name, field.type)) for field in SCHEMA])
    wide = workspace.write("wide.parquet", one_coder("sys", [3, 7]).cast(kinds))
    assert_success(workspace.score(hypotheses=wide))
    assert workspace.account()["hypotheses"] == (3, 3, 0, 0)
    assert {row["window_diff"] for row in workspace.rows("scores")} == {0.25}


@pytest.mark.parametrize("column", ["n_units", "boundaries"])
def test_score__values_beyond_int32_are_refused(workspace: Workspace, column: str) -> None:
    """The value is not wrapped round but refused, with the file and the value."""
    kinds = SCHEMA.set(2, pa.field("n_units", pa.int64()))
    kinds = kinds.set(3, pa.field("boundaries", pa.list_(pa.int64())))
    value = 2**32 + 3
    row = ("a", "x", value, [3]) if column == "n_units" else ("a", "x", 10, [value])
    broken = workspace.write("broken.parquet", table([row], kinds))
    for result in (workspace.score(references=broken), workspace.score(hypotheses=broken)):
        assert_refused(workspace, result, 2, f"{broken} row 0: {column} has the value {value};")
        assert "resume" not in result.err
        assert not [*workspace.run.glob("*")]
    assert_refused(workspace, workspace.segscore("validate", broken), 2, broken, value)


@pytest.mark.parametrize("name", ["pk", "window", "reference", "hypothesis", "matches"])
def test_score__attribute_named_as_a_column_of_scores(workspace: Workspace, name: str) -> None:
    broken = workspace.write(
        "broken.parquet", one_coder("x", [3]).append_column(name, pa.array(list("abc")))
    )
    assert_refused(workspace, workspace.score(references=broken), 2, "references", name, "rename")
    assert_refused(workspace, workspace.score(hypotheses=broken), 2, "hypotheses", name, "rename")
    documents = documents_table(("a", 10)).append_column(name, pa.array(["x"]))
    broken = workspace.write("broken.parquet", documents)
    assert_refused(
        workspace, workspace.score("--documents", broken), 2, "documents", name, "rename"
    )
    assert not workspace.run.exists()


@pytest.mark.parametrize("name", ["measure", "average", "value", "ci_low", "sd", "documents"])
def test_score__group_by_a_column_of_the_summary(workspace: Workspace, name: str) -> None:
    """The column would occur twice in the summary, and one of the two would be lost."""
    attributed = one_coder("sys", [3]).append_column(name, pa.array(list("xyy")))
    hypotheses = workspace.write("attributed.parquet", attributed)
    assert_refused(
        workspace, workspace.score("--group-by", name, hypotheses=hypotheses), 2, name, "rename"
    )


def test_score__group_by_an_attribute_of_documents(workspace: Workspace) -> None:
    """`segscore import` writes attributes of documents to a table of their own."""
    references = workspace.write("references/1.parquet", one_coder("x", [3])).parent
    option = "attributes of documents come from --documents"
    assert_refused(
        workspace, workspace.score("--group-by", "genre", references=references), 2, option
    )
    documents = workspace.write(
        "documents/1.parquet",
        pa.table({"document_id": ["a"], "n_units": [10], "genre": ["x"]}),
    ).parent
    remedy = f"{documents} is not read: pass --documents {documents}"
    result = workspace.score("--group-by", "genre", references=references)
    assert_refused(workspace, result, 2, "no such attribute", remedy)
    result = workspace.score(
        "--group-by", "gender", "--documents", documents, references=references
    )
    assert_refused(workspace, result, 2, "available: genre, reference")
    assert "--documents" not in result.err


def test_score__attribute_of_two_types(workspace: Workspace) -> None:
    workspace.write(
        "many/1.parquet", one_coder("sys", [3], "a").append_column("genre", pa.array([1]))
    )
    workspace.write(
        "many/2.parquet", one_coder("sys", [3], "b").append_column("genre", pa.array(["x"]))
    )
    assert_refused(
        workspace, workspace.score(hypotheses=workspace.folder / "many"), 2, "hypotheses", "genre"
    )


# --- rows that are wrong by themselves ----------------------------------------------------------


BROKEN_ROWS: list[tuple[str, Cells, str]] = [
    ("document_id_given", (None, "x", 10, [3]), "document_id must be neither null nor empty"),
    ("document_id_given", ("", "x", 10, [3]), "document_id must be neither null nor empty"),
    ("coder_given", ("p", None, 10, [3]), "coder must be neither null nor empty"),
    ("coder_given", ("p", "", 10, [3]), "coder must be neither null nor empty"),
    ("n_units_given", ("p", "x", None, [3]), "n_units null"),
    ("n_units_positive", ("p", "x", 0, []), "n_units 0"),
    ("n_units_positive", ("p", "x", -5, []), "n_units -5"),
    ("boundaries_given", ("p", "x", 10, None), "boundaries null"),
    ("boundaries_no_null", ("p", "x", 10, [3, None]), "boundaries [3, null]"),
    ("boundaries_no_null", ("p", "x", 10, [None]), "boundaries [null]"),
    ("boundaries_in_range", ("p", "x", 10, [0, 3]), "boundaries [0, 3]"),
    ("boundaries_in_range", ("p", "x", 10, [3, 10]), "boundaries [3, 10]"),
    ("boundaries_in_range", ("p", "x", 10, [-1, 3]), "boundaries [-1, 3]"),
    ("boundaries_in_range", ("p", "x", 1, [1]), "boundaries [1]"),
    ("boundaries_ascending", ("p", "x", 10, [6, 3]), "boundaries [6, 3]"),
    ("boundaries_ascending", ("p", "x", 10, [3, 3]), "boundaries [3, 3]"),
]
RULES = [rule for rule, _, _ in BROKEN_ROWS]


@pytest.mark.first
@pytest.mark.parametrize(("rule", "row", "message"), BROKEN_ROWS)
def test_validate__broken_row(workspace: Workspace, rule: str, row: Cells, message: str) -> None:
    broken = workspace.write(
        "broken.parquet", table([("a", "x", 10, [3]), row, ("b", "x", 10, [])])
    )
    result = workspace.segscore("validate", broken)
    assert result.code == 1
    assert f"{broken} row 1" in result.out
    assert rule in result.out and message in result.out
    assert "1 of 3 rows break a rule" in result.out
    assert result.err == ""


def test_score__every_broken_row(workspace: Workspace) -> None:
    """Each is listed once, with file, row, rule and value; valid rows are scored."""
    bad = [row for _, row, _ in BROKEN_ROWS]
    first = workspace.write("refs/1.parquet", one_coder("ann", [3], "a"))
    second = workspace.write(
        "refs/2.parquet", table([*bad, ("b", "ann", 10, [4])]), row_group_size=5
    )
    third = workspace.write(
        "hyps/3.parquet", table([*bad, ("a", "sys", 10, [3])]), row_group_size=3
    )
    fourth = workspace.write("hyps/4.parquet", one_coder("sys", [5], "b"))
    result = workspace.score(references=first.parent, hypotheses=third.parent)
    assert_success(result)
    assert f"{workspace.run}/rejects" in result.err
    assert workspace.scored() == [("a", "ann", "sys"), ("b", "ann", "sys")]
    n = len(bad)
    assert workspace.account() == {"references": (n + 2, 2, n, 0), "hypotheses": (n + 2, 2, n, 0)}
    for name, file in (("references", second), ("hypotheses", third)):
        listed = [row for row in workspace.rows("rejects") if row["table"] == name]
        assert [row["row"] for row in listed] == list(range(n))
        assert {row["source"] for row in listed} == {str(file)}
        for row, (rule, cells, message) in zip(listed, BROKEN_ROWS, strict=True):
            assert (row["rule"], row["document_id"], row["coder"]) == (rule, *cells[:2])
            assert message in row["detail"]
    assert str(fourth) not in {row["source"] for row in workspace.rows("rejects")}


def test_score__every_row_broken(workspace: Workspace) -> None:
    broken = workspace.write("broken.parquet", table([row for _, row, _ in BROKEN_ROWS]))
    assert_refused(
        workspace, workspace.score(references=broken), 1, broken, "no reference", "row 0", RULES[0]
    )
    result = workspace.score(hypotheses=broken)
    assert_refused(workspace, result, 1, broken, "nothing could be scored", f"row 0: {RULES[0]} (")
    assert "; in all: 4 boundaries_in_range, " in result.err and "_unfinished" not in result.err
    # A command with other input is not refused, and its run replaces the listed rejects.
    assert_success(workspace.score())
    assert not (workspace.run / "_unfinished").exists()


def test_validate__file_that_is_imported(workspace: Workspace) -> None:
    """It takes what score takes, and lists every line that score would refuse."""
    table = "document_id,coder,n_units,boundaries\n"
    sound = workspace.write("sound.csv", table + "a,x,9,3 5\nb,x,9,\n")
    assert workspace.segscore("validate", sound).out.endswith("0 of 2 rows break a rule\n")
    rows = "a,x,9,12\nb,x,9,4\nb,x,9,5\nc,x,9,five\nd,x,9,2\n"
    broken = workspace.write("broken.csv", table + rows)
    result = workspace.segscore("validate", broken)
    assert result.code == 1 and result.out.endswith("4 of 5 rows break a rule\n")
    assert f"{broken}:2 (a, x): boundaries_in_range" in result.out
    assert f"{broken}:5 " in result.out and 'boundaries[0] is "five"' in result.out
    assert f"{broken} (b, x): unique_document_coder" in result.out
    nothing = workspace.write("nothing.csv", table + "a,x,9,12\n")
    assert_refused(workspace, workspace.segscore("validate", nothing), 2, f"{nothing}:2: bound")
    empty = workspace.write("empty.csv", "")
    assert_refused(workspace, workspace.segscore("validate", empty), 2, f"{empty}: is empty")


def test_validate__all_lines_that_cannot_be_read(workspace: Workspace) -> None:
    """They have numbers from 1, as in an import, and so have lines that break a rule."""
    sound, wrong = json_record("a", "x"), json_record("b", "x", 10, (12,))
    broken = workspace.write("broken.jsonl", lines(sound, "{nope}", sound, wrong, "[1]"))
    result = workspace.segscore("validate", broken)
    assert_refused(workspace, result, 2, f"{broken}:2: not JSON", f"; {broken}:5: ")
    assert f"{broken}:3" not in result.err and f"{broken}:4" not in result.err
    assert "further lines" not in result.err
    many = workspace.write("many.jsonl", lines(*[sound, *["{nope}"] * 21]))
    result = workspace.segscore("validate", many)
    assert_refused(workspace, result, 2, f"{many}:21: not JSON", "; further lines cannot be read")
    assert f"{many}:22" not in result.err
    rows = workspace.write("rows.jsonl", lines(sound, wrong))
    assert f"{rows}:2 (b, x): boundaries_in_range" in workspace.segscore("validate", rows).out


def test_validate__of_thousands_of_broken_rows_only_some_are_shown(workspace: Workspace) -> None:
    broken = workspace.write("broken.parquet", table([(f"d{i}", "x", 0, []) for i in range(2000)]))
    result = workspace.segscore("validate", broken)
    assert result.code == 1
    assert "2,000 of 2,000 rows break a rule" in result.out
    assert "2000 x n_units_positive" in result.out
    assert len(result.out.splitlines()) < 200


def test_validate__a_long_list_is_shortened(workspace: Workspace) -> None:
    positions = [*range(1, 5000), 1]
    broken = workspace.write("broken.parquet", table([("a", "x", 9999, positions)]))
    result = workspace.segscore("validate", broken)
    assert result.code == 1
    assert "5,000 in all" in result.out and len(result.out) < 2000


def test_validate__boundary_types_of_other_rows_do_not_matter(workspace: Workspace) -> None:
    """A row with missing or miscounted types does not shift the types of the next row."""
    rows = [("a", "x", 10, [1, 2, 3]), ("b", "x", 10, [2, 2]), ("c", "x", 10, [5])]
    for types, wrong in (
        ([[1, 1], [1, 2], [1, 1]], [0, 2]),
        ([None, [1, 2], [1]], []),
        ([[1, 1], [1, 2], [1]], [0]),
    ):
        good = table(rows).append_column("boundary_types", pa.array(types, INTS))
        result = workspace.segscore("validate", workspace.write("typed.parquet", good))
        rejected_rows = [row for row in range(3) if f"row {row}" in result.out]
        assert rejected_rows == wrong, result.out


# --- rows that contradict each other ------------------------------------------------------------


def test_score__duplicate_references(workspace: Workspace) -> None:
    """Rows that differ are rejected, also across files; of exact copies, the first is scored."""
    workspace.write("refs/1.parquet", table([("a", "ann", 10, [3]), ("b", "ann", 10, [3])]))
    rows = [("c", "ann", 10, [3]), ("c", "ann", 10, [3]), ("a", "bob", 10, [3])]
    workspace.write("refs/2.parquet", table([*rows, ("a", "ann", 10, [4])]))
    assert_success(workspace.score(references=workspace.folder / "refs"))
    rule = "unique_document_coder"
    assert workspace.rejects() == [
        ("references", "a", 0, rule),
        ("references", "a", 3, rule),
        ("references", "c", 1, "exact_copy"),
    ]
    assert workspace.scored() == [("a", "bob", "sys"), ("b", "ann", "sys"), ("c", "ann", "sys")]
    assert workspace.unpaired() == []
    assert workspace.account() == {"references": (6, 3, 2, 0, 1), "hypotheses": (3, 3, 0, 0)}
    result = workspace.segscore("validate", workspace.folder / "refs")
    assert result.code == 1 and f"2 x {rule}" in result.out and "1 x exact_copy" in result.out


@pytest.mark.parametrize("rows_per_part", [1, 1000])
def test_score__duplicate_hypotheses(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, rows_per_part: int
) -> None:
    """The result is the same whether the copies are in one part or in different parts."""
    monkeypatch.setattr(planning, "LIMITS", Limits(rows_per_part=rows_per_part))
    workspace.write("hyps/1.parquet", table([("a", "sys", 10, [3]), ("b", "sys", 10, [3])]))
    rows = [("c", "sys", 10, [3]), ("c", "sys", 10, [3]), ("a", "two", 10, [3])]
    workspace.write("hyps/2.parquet", table([*rows, ("a", "sys", 10, [4])]), row_group_size=1)
    assert_success(workspace.score(hypotheses=workspace.folder / "hyps"))
    rule = "unique_document_coder"
    assert workspace.rejects() == [
        ("hypotheses", "a", 0, rule),
        ("hypotheses", "a", 3, rule),
        ("hypotheses", "c", 1, "exact_copy"),
    ]
    assert workspace.scored() == [("a", "ann", "two"), ("b", "ann", "sys"), ("c", "ann", "sys")]
    assert workspace.unpaired() == []
    assert workspace.account() == {"references": (3, 3, 0, 0), "hypotheses": (6, 3, 2, 0, 1)}
    assert all(row["coder"] == "sys" for row in workspace.rows("rejects"))


def test_score__only_duplicates(workspace: Workspace) -> None:
    twice = [one_coder("sys", [3]), one_coder("sys", [4])]
    hypotheses = workspace.write("twice.parquet", pa.concat_tables(twice))
    assert_refused(
        workspace,
        workspace.score(hypotheses=hypotheses),
        1,
        hypotheses,
        "6 of 6 hypotheses were rejected",
    )
    twice = [one_coder("ann", [3]), one_coder("ann", [4])]
    references = workspace.write("twice.parquet", pa.concat_tables(twice))
    message = "unique_document_coder"
    again = workspace.score("--fresh", references=references)
    assert_refused(workspace, again, 1, references, "no reference", message)


def test_score__n_units_differ(workspace: Workspace) -> None:
    """All references of the document are rejected; of the hypotheses only the one that differs."""
    rows = [("a", "ann", 10, [3]), ("a", "bob", 11, [3]), ("b", "ann", 10, [3])]
    references = workspace.write("refs.parquet", table([*rows, ("c", "ann", 10, [3])]))
    hypotheses = [("b", "sys", 10, [3]), ("c", "sys", 12, [3]), ("c", "two", 10, [3])]
    hypothesis_table = workspace.write("hyps.parquet", table([*hypotheses, ("a", "sys", 10, [3])]))
    assert_success(workspace.score(references=references, hypotheses=hypothesis_table))
    assert workspace.rejects() == [
        ("hypotheses", "c", 1, "n_units_agree"),
        ("references", "a", 0, "n_units_agree"),
        ("references", "a", 1, "n_units_agree"),
    ]
    assert workspace.scored() == [("b", "ann", "sys"), ("c", "ann", "two")]
    assert workspace.unpaired() == [("hypotheses", "a", 3)]
    assert workspace.account() == {"references": (4, 2, 2, 0), "hypotheses": (4, 2, 1, 1)}


def test_score__n_units_of_the_documents_table_decide(workspace: Workspace) -> None:
    rows = [("a", "ann", 10, [3]), ("a", "bob", 11, [3]), ("b", "ann", 10, [3])]
    references = workspace.write("refs.parquet", table([*rows, ("c", "ann", 10, [3])]))
    documents = workspace.write("docs.parquet", documents_table(("a", 10), ("b", 9), ("z", 3)))
    assert_success(workspace.score("--documents", documents, references=references))
    assert workspace.rejects() == [
        ("references", "a", 1, "n_units_agree"),
        ("references", "b", 2, "n_units_agree"),
    ]
    assert workspace.scored() == [("a", "ann", "sys"), ("c", "ann", "sys")]
    assert workspace.unpaired() == [
        ("documents", "b", 1),
        ("documents", "z", 2),
        ("hypotheses", "b", 1),
    ]
    assert workspace.account() == {
        "documents": (3, 1, 0, 2),
        "references": (4, 2, 2, 0),
        "hypotheses": (3, 2, 0, 1),
    }


def test_score__unpaired(workspace: Workspace) -> None:
    references = workspace.write("refs.parquet", one_coder("ann", [3], "abxy"))
    assert_success(workspace.score(references=references))
    assert workspace.unpaired() == [
        ("hypotheses", "c", 2),
        ("references", "x", 2),
        ("references", "y", 3),
    ]
    assert workspace.account() == {"references": (4, 2, 0, 2), "hypotheses": (3, 2, 0, 1)}
    listed = {row["document_id"]: row for row in workspace.rows("unpaired")}
    assert (listed["c"]["coder"], listed["c"]["source"]) == ("sys", str(workspace.hypotheses))
    assert (listed["x"]["coder"], listed["x"]["source"]) == ("ann", str(references))


def test_score__no_pair_at_all(workspace: Workspace) -> None:
    strangers = workspace.write("strangers.parquet", one_coder("ann", [3], "xyz"))
    result = workspace.score(references=strangers)
    assert_refused(workspace, result, 1, workspace.hypotheses, "nothing could be scored")
    assert "is in the references: hypotheses have a, b; references have x, y" in result.err
    assert "rejects" not in result.err
    assert [*workspace.run.iterdir()] == []


def test_score__one_reject_does_not_hide_that_the_ids_differ(workspace: Workspace) -> None:
    strangers = table([*((name, "ann", 10, [3]) for name in "xyz"), ("v", "ann", 10, [10])])
    result = workspace.score(references=workspace.write("strangers.parquet", strangers))
    assert_refused(workspace, result, 1, workspace.hypotheses, "nothing could be scored")
    assert "is in the references: hypotheses have a, b; references have x, y" in result.err


def test_score__most_documents_have_no_reference(workspace: Workspace) -> None:
    """The message names the option that publishes the run all the same."""
    few = workspace.write("few.parquet", one_coder("ann", [3], "a"))
    result = workspace.score(references=few)
    assert_refused(workspace, result, 1, "2 of 3 hypotheses have no reference", "--max-unpaired 1")
    assert_success(workspace.score("--max-unpaired", 1, references=few))


def test_score__no_pair_at_all_leaves_a_finished_run(workspace: Workspace) -> None:
    assert_success(workspace.score())
    before = {path: path.stat().st_mtime_ns for path in workspace.run.rglob("*")}
    strangers = workspace.write("strangers.parquet", one_coder("ann", [3], "xyz"))
    assert workspace.score("--fresh", references=strangers).code == 1
    assert {path: path.stat().st_mtime_ns for path in workspace.run.rglob("*")} == before
    assert "already contains this run" in workspace.score().out


def test_score__no_hypotheses_at_all(workspace: Workspace) -> None:
    table = workspace.write("nothing.parquet", one_coder("sys", [3], ""))
    lines = workspace.folder / "nothing.jsonl"
    lines.write_text("")
    for nothing in (table, lines):
        result = workspace.score(hypotheses=nothing)
        assert_refused(workspace, result, 2, nothing, "the table has no rows")


def test_score__rejected_rows_are_counted_and_coders_without_scores_named(
    workspace: Workspace,
) -> None:
    rows = [("a", f"long-{i}", 12, [3]) for i in range(6)]
    rows += [("b", "sys", 10, [3]), ("b", "sys", 10, [4])]
    hypothesis_table = workspace.write(
        "judged.parquet", table([*rows, ("a", "sys", 10, [3]), ("c", "", 10, [])])
    )
    result = workspace.score(hypotheses=hypothesis_table)
    assert_success(result)
    assert result.err.count("none of its rows could be scored") == 5
    assert workspace.warnings() == [
        "rows were rejected: 6 n_units_agree, 2 unique_document_coder, 1 coder_given, such as "
        f"long-0 for a; all are listed in {workspace.run}/rejects",
        *(f"long-{i}: none of its rows could be scored" for i in range(5)),
        "no row of 1 further coder could be scored",
        "2 of 3 references have no hypothesis and were not scored; they are listed in "
        f"{workspace.run}/unpaired",
    ]
    assert {row["detail"] for row in workspace.rows("rejects") if row["document_id"] == "a"} == {
        "n_units is 12; the accepted references of this document have 10; the units seem to "
        "differ, such as sentences and paragraphs: segment both in the same units, or carry one to "
        "the other with segscore project"
    }


# --- documents tables ---------------------------------------------------------------------------


def lengths(*values: Sequence[int | None] | None) -> Any:
    return pa.array(values, INTS)


def test_score__bad_unit_lengths(workspace: Workspace) -> None:
    documents = "abcdefg"
    references = workspace.write("refs.parquet", one_coder("ann", [1], documents, 3))
    hypotheses = workspace.write("hyps.parquet", one_coder("sys", [2], documents, 3))
    rows = [(name, 3) for name in "abcdef"]
    listed = lengths([2, 2, 2], [1, -1, 2], [1, None, 2], [1, 2], [0, 0, 0], None)
    described_by = documents_table(*rows).append_column("unit_lengths", listed)
    table_ = workspace.write("docs.parquet", described_by)
    both = {"references": references, "hypotheses": hypotheses}
    assert_success(
        workspace.score("--units", "words", "--documents", table_, "--max-unpaired", 1, **both)
    )
    assert workspace.rejects() == [
        ("documents", "b", 1, "unit_lengths_not_negative"),
        ("documents", "c", 2, "unit_lengths_no_null"),
        ("documents", "d", 3, "unit_lengths_parallel"),
        ("documents", "e", 4, "unit_lengths_not_all_zero"),
        *(("references", name, i, "unit_lengths_known") for i, name in enumerate("bcdefg", 1)),
    ]
    assert workspace.scored() == [("a", "ann", "sys")]
    assert workspace.account() == {
        "documents": (6, 1, 4, 1),
        "references": (7, 1, 6, 0),
        "hypotheses": (7, 1, 0, 6),
    }
    details = {row["rule"]: row["detail"] for row in workspace.rows("rejects")}
    assert "unit_lengths [1, -1, 2]" in details["unit_lengths_not_negative"]
    result = workspace.segscore("validate", "--documents", table_)
    assert result.code == 1 and "4 of 6 rows break a rule" in result.out


def test_score__duplicate_documents(workspace: Workspace) -> None:
    """Of exact copies the first is used, and of rows that differ none."""
    rows = (("a", 10), ("b", 10), ("b", 10), ("c", 99), ("c", 10))
    documents = workspace.write("docs.parquet", documents_table(*rows))
    assert_success(workspace.score("--documents", documents))
    assert workspace.rejects() == [
        ("documents", "b", 2, "exact_copy"),
        *(("documents", "c", i, "unique_document") for i in (3, 4)),
    ]
    assert workspace.account()["documents"] == (5, 2, 2, 0, 1)
    assert len(workspace.scored()) == 3


def test_score__duplicate_documents_in_json_lines(workspace: Workspace) -> None:
    """JSON Lines are checked by the same rules as Parquet, row by row."""
    record = {"document_id": "a", "n_units": 10, "genre": "x"}
    content = lines(record, {**record, "n_units": 11}, {**record, "document_id": "b"})
    documents = workspace.write("docs.jsonl", content)
    result = workspace.segscore("validate", "--documents", documents)
    assert result.code == 1 and "2 of 3 rows break a rule" in result.out
    assert_success(workspace.score("--documents", documents, "--group-by", "genre"))
    assert workspace.account()["documents"] == (3, 1, 2, 0)


def test_score__bad_documents_rows(workspace: Workspace) -> None:
    rows = ((None, 10), ("", 10), ("a", None), ("b", 0), ("c", 10))
    documents = workspace.write("docs.parquet", documents_table(*rows))
    assert_success(workspace.score("--documents", documents))
    assert [(row["row"], row["rule"]) for row in workspace.rows("rejects")] == [
        (0, "document_id_given"),
        (1, "document_id_given"),
        (2, "n_units_given"),
        (3, "n_units_positive"),
    ]
    assert all(row["coder"] is None for row in workspace.rows("rejects"))
    assert workspace.account()["documents"] == (5, 1, 4, 0)


def test_score__words_without_lengths(workspace: Workspace) -> None:
    assert_refused(
        workspace, workspace.score("--units", "words"), 2, "--units words", "--documents"
    )
    assert not workspace.run.exists()
    assert_refused(
        workspace, workspace.score("--units", "words", "--documents", ""), 2, "--documents"
    )
    bare = workspace.write("docs.parquet", documents_table(("a", 10), ("b", 10), ("c", 10)))
    result = workspace.score("--units", "words", "--documents", bare)
    assert result.code in (1, 2)
    assert_refused(workspace, result, result.code, "unit_lengths")


def test_score__words_beyond_int32(workspace: Workspace) -> None:
    """Documents longer than 2^31 words (25 days in milliseconds) are scored right, or refused."""
    most = 2**31 - 1
    listed = documents_table(("a", 4)).append_column("unit_lengths", lengths([most] * 4))
    documents = workspace.write("docs.parquet", listed)
    references = workspace.write("refs.parquet", one_coder("ann", [1], "a", 4))
    hypotheses = workspace.write("hyps.parquet", one_coder("sys", [3], "a", 4))
    both = {"references": references, "hypotheses": hypotheses}
    result = workspace.score("--units", "words", "--documents", documents, **both)
    if result.code == 0:
        # Half the mean segment is one unit: the first and the last of 3 units of windows differ.
        assert workspace.rows("scores")[0]["window_diff"] == pytest.approx(2 / 3)
    else:
        assert_refused(workspace, result, result.code)


# --- empty tables -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["zero rows", "zero row groups", "empty json lines"])
def test_score__empty_table(workspace: Workspace, kind: str) -> None:
    name = "nothing.jsonl" if kind == "empty json lines" else "nothing.parquet"
    nothing = workspace.write(name, "" if kind == "empty json lines" else one_coder("x", [3], ""))
    if kind == "zero row groups":
        pq.ParquetWriter(nothing, SCHEMA).close()
        assert pq.ParquetFile(nothing).num_row_groups == 0
    for result in (
        workspace.score(references=nothing),
        workspace.score(hypotheses=nothing),
        workspace.score(references=nothing, hypotheses=nothing),
    ):
        assert result.code in (1, 2)
        assert_refused(workspace, result, result.code, nothing)
    assert_refused(workspace, workspace.segscore("validate", nothing), 2, nothing, "no rows")


def test_score__empty_files_among_others(workspace: Workspace) -> None:
    """Empty files may come before, between and after files with rows."""
    for name in "024":
        workspace.write(f"refs/{name}.parquet", one_coder("ann", [3], ""))
        workspace.write(f"hyps/{name}.parquet", one_coder("sys", [3], ""))
    pq.ParquetWriter(workspace.folder / "hyps" / "6.parquet", SCHEMA).close()
    for name, document in (("1", "a"), ("3", "b")):
        workspace.write(f"refs/{name}.parquet", one_coder("ann", [3], document))
        workspace.write(f"hyps/{name}.parquet", one_coder("sys", [3], document))
    assert_success(
        workspace.score(references=workspace.folder / "refs", hypotheses=workspace.folder / "hyps")
    )
    assert workspace.account() == {"references": (2, 2, 0, 0), "hypotheses": (2, 2, 0, 0)}


# --- JSON Lines ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"document_id": "b", "coder"', "not JSON"),
        ("{nope}", "not JSON"),
        ("[1, 2]", "one JSON object"),
        ('{"document_id": "b", "document_id": "c"}', "duplicate key"),
        (json.dumps(json_record("b", "x", "10")), "n_units"),
        (json.dumps(json_record("b", "x", 10.5)), "n_units"),
        (json.dumps(json_record("b", "x", 10, "3")), "boundaries"),
        (json.dumps(json_record("b", "x", 10, (3, True))), "boundaries[1]"),
        (json.dumps(json_record("b", "x", 2**31)), "int32"),
    ],
)
def test_every_command__broken_json_line(workspace: Workspace, line: str, message: str) -> None:
    broken = workspace.write("broken.jsonl", lines(json_record("a", "x"), line))
    where = f"{broken}:2:"
    assert_refused(workspace, workspace.score(references=broken), 2, where, message)
    assert_refused(workspace, workspace.score(hypotheses=broken), 2, where, message)
    assert_refused(workspace, workspace.segscore("validate", broken), 2, where, message)
    assert_refused(
        workspace,
        workspace.segscore("import", broken, "--output", workspace.run),
        2,
        where,
        message,
    )
    assert not workspace.run.exists()


def test_score__json_lines_that_break_rules(workspace: Workspace) -> None:
    """Rows are numbered by line, from 0, blank lines too."""
    content = lines(
        json_record("a", "sys"),
        "",
        json_record("b", None),
        json_record("b", "sys", None),
        json_record(None, "sys"),
        json_record("b", "sys", 10, None),
        json_record("b", "sys", 10, (3, None)),
        json_record("b", "sys", 10, (7, 3)),
        {"coder": "sys"},
        json_record("c", "sys"),
    )
    assert_success(workspace.score(hypotheses=workspace.write("hyps.jsonl", "\ufeff" + content)))
    assert [(row["row"], row["rule"]) for row in workspace.rows("rejects")] == [
        (2, "coder_given"),
        (3, "n_units_given"),
        (4, "document_id_given"),
        (5, "boundaries_given"),
        (6, "boundaries_no_null"),
        (7, "boundaries_ascending"),
        (8, "document_id_given"),
    ]
    assert [pair[0] for pair in workspace.scored()] == ["a", "c"]
    assert workspace.account() == {"references": (3, 2, 0, 1), "hypotheses": (9, 2, 7, 0)}


# --- where the run goes -------------------------------------------------------------------------


def test_score__output_contains_a_run(workspace: Workspace) -> None:
    assert_success(workspace.score())
    before = (workspace.run / "run.json").read_bytes()
    result = workspace.score("--n-t", 3)
    assert result.code == 2
    assert str(workspace.run) in result.err and "--fresh" in result.err
    assert (workspace.run / "run.json").read_bytes() == before
    # A failed run removes nothing of an earlier run in its folder.
    broken = workspace.write("broken.parquet", table([("a", "sys", 0, []), ("b", "sys", 10, [3])]))
    result = workspace.score("--fresh", "--max-rejects", 0, hypotheses=broken)
    assert result.code == 1
    assert (workspace.run / "run.json").read_bytes() == before
    assert len(workspace.scored()) == 3
    assert_success(workspace.score("--fresh", "--n-t", 3, hypotheses=broken))
    assert json.loads((workspace.run / "run.json").read_text())["settings"]["n_t"] == 3
    assert workspace.account()["hypotheses"] == (2, 1, 1, 0)
    assert sorted(path.name for path in workspace.run.iterdir()) == [
        "rejects",
        "run.json",
        "scores",
        "summary",
        "unpaired",
    ]


@pytest.mark.parametrize("fresh", [[], ["--fresh"]], ids=["", "fresh"])
def test_score__output_contains_foreign_files(workspace: Workspace, fresh: list[str]) -> None:
    mine = write(workspace.run / "notes.txt", "mine")
    also = write(workspace.run / "scores" / "part.parquet", one_coder("x", [3]))
    result = workspace.score(*fresh)
    assert result.code == 2
    assert str(workspace.run) in result.err and "notes.txt" in result.err
    assert mine.read_text() == "mine" and also.exists()
    assert sorted(path.name for path in workspace.run.iterdir()) == ["notes.txt", "scores"]


def test_score__fresh_removes_only_runs(workspace: Workspace) -> None:
    """A run.json of another program does not make the folder one of ours."""
    mine = write(workspace.run / "run.json", '{"name": "somebody else"}')
    also = write(workspace.run / "scores" / "precious.parquet", one_coder("x", [3]))
    result = workspace.score("--fresh")
    assert result.code == 2
    assert str(workspace.run) in result.err
    assert mine.read_text() == '{"name": "somebody else"}' and also.exists()


def test_score__file_in_the_way(workspace: Workspace) -> None:
    in_the_way = workspace.write("way", "mine")
    for output in (in_the_way, in_the_way / "run"):
        assert_refused(workspace, workspace.score("--output", output), 2, output)
    assert in_the_way.read_text() == "mine"


def test_import__file_in_the_way(workspace: Workspace) -> None:
    in_the_way = workspace.write("way", "mine")
    good = workspace.write("good.jsonl", lines(json_record("a", "x")))
    assert_refused(
        workspace, workspace.segscore("import", good, "--output", in_the_way), 2, in_the_way
    )
    assert in_the_way.read_text() == "mine"


def test_import__output_contains_the_table(workspace: Workspace) -> None:
    good = workspace.write("good.jsonl", lines(json_record("a", "x")))
    assert_success(workspace.segscore("import", good, "--output", workspace.folder / "imported"))
    result = workspace.segscore("import", good, "--output", workspace.folder / "imported")
    assert_refused(workspace, result, 2, workspace.folder / "imported", "references")


def test_import__wrong_options(workspace: Workspace) -> None:
    good = workspace.write("good.jsonl", lines(json_record("a", "x")))
    target = workspace.folder / "imported"
    for option, value in (("--role", "judge"), ("--format", "word")):
        result = workspace.segscore("import", good, "--output", target, option, value)
        assert_refused(workspace, result, 2, value)
    empty = workspace.write("empty.jsonl", "")
    assert_refused(workspace, workspace.segscore("import", empty, "--output", target), 2, empty)
    assert not target.exists()


def test_import__contradictions_are_named(workspace: Workspace) -> None:
    rows = [("a", [3]), ("b", [3]), ("a", [4]), ("c", [3]), ("c", [3])]
    records = [json_record(name, "x", boundaries=found) for name, found in rows]
    twice = workspace.write("twice.jsonl", lines(*records))
    result = workspace.segscore("import", twice, "--output", workspace.folder / "imported")
    assert result.code == 0
    for line in (1, 3):
        assert f"{twice}:{line}: unique_document_coder" in result.err
    assert f"{twice}:5: exact_copy" in result.err
    assert not any(f"{twice}:{line}:" in result.err for line in (2, 4))


def test_score__disk_full(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = storage.write_table

    def full(url: str, content: pa.Table, **how: Any) -> None:
        if "summary" in url:
            raise OSError(28, "No space left on device")
        whole(url, content, **how)

    monkeypatch.setattr(storage, "write_table", full)
    assert_refused(workspace, workspace.score(), 1, "no space left on device")


def test_score__interrupted(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "run_scoring", stopped)
    assert_refused(workspace, workspace.score(), 130, "interrupted")


def test_score__two_runs_at_once_in_the_same_threads(workspace: Workspace) -> None:
    """Files have the same names in two folders; neither run gets the results of the other."""
    for name, boundaries in (("first", [3, 7]), ("second", [3, 6])):
        workspace.write(f"{name}/hypotheses.parquet", one_coder("sys", boundaries))

    def wanted(name: str) -> ScoreSettings:
        return ScoreSettings(
            references=str(workspace.references),
            hypotheses=str(workspace.folder / name / "hypotheses.parquet"),
            output=str(workspace.folder / name / "run"),
        )

    started: list[str] = []
    with executors.connect("local", 2) as executor:

        def meanwhile(part: int, _: int) -> None:
            """Execute the second run while the first has the results of its part."""
            if part and not started:
                started.append("second")
                run.run_scoring(wanted("second"), executor, lambda *_: None)

        run.run_scoring(wanted("first"), executor, meanwhile)
    assert started
    for name, expected in (("first", 0.25), ("second", 0.0)):
        scores = workspace.rows("scores", workspace.folder / name / "run")
        assert [row["window_diff"] for row in scores] == [expected] * 3
        summary = workspace.rows("summary", workspace.folder / name / "run")
        assert {row["value"] for row in summary if row["measure"] == "window_diff"} == {expected}


def test_score__relative_paths(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = workspace.folder / "else where"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    workspace.write("refs/corpus=a/one.parquet", one_coder("ann", [3], "a"))
    options = {"references": "../refs/", "hypotheses": "../hyp*.parquet"}
    assert_success(workspace.score("--output", "not/yet//there/", "--max-unpaired", 1, **options))
    assert (elsewhere / "not" / "yet" / "there" / "run.json").exists()
    result = workspace.segscore("show", "not/yet/there/")
    assert result.code == 0 and "2 unpaired" in result.out


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
        ("--max-unpaired", "1.5"),
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
def test_score__wrong_option(workspace: Workspace, option: str, value: str) -> None:
    attributed = one_coder("sys", [3]).append_column("genre", pa.array(list("xyz")))
    hypotheses = workspace.write("attributed.parquet", attributed)
    result = workspace.score(option, value, hypotheses=hypotheses)
    assert result.code == 2, result.err
    assert "Traceback" not in result.out + result.err
    assert option in result.err
    assert not workspace.run.exists()


def test_score__group_by_lists_the_attributes(workspace: Workspace) -> None:
    attributed = one_coder("sys", [3]).append_column("genre", pa.array(list("xyz")))
    hypotheses = workspace.write("attributed.parquet", attributed)
    assert_refused(
        workspace,
        workspace.score("--group-by", "gender", hypotheses=hypotheses),
        2,
        "gender",
        "genre",
    )
    nested = one_coder("sys", [3]).append_column("tags", pa.array([["x"], [], None]))
    hypotheses = workspace.write("nested.parquet", nested)
    assert_refused(
        workspace, workspace.score("--group-by", "tags", hypotheses=hypotheses), 2, "tags", "list"
    )


def test_score__no_scheduler_answers(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "CONNECT_SECONDS", 0.2)
    """A scheduler may answer later, so exit code 1; a wrong address stays wrong."""
    for address, code in (("tcp://127.0.0.1:1", 1), ("foo://127.0.0.1:1", 2)):
        assert_refused(workspace, workspace.score("--cluster", address), code, address, "scheduler")
    assert not workspace.run.exists()


# --- too many rejects ---------------------------------------------------------------------------


def rejected_share(workspace: Workspace) -> dict[str, Any]:
    """Inputs of which 4 in 10 rows are rejected: 1 document, 1 reference, 2 hypotheses."""
    rows = [("a", "ann", 10, [3]), ("b", "ann", 10, [3]), ("x", "ann", 10, [11])]
    hypothesis_table = [
        ("a", "sys", 10, [3]),
        ("b", "sys", 10, [3]),
        ("a", "x", 0, []),
        ("b", "x", 9, [3]),
    ]
    return {
        "references": workspace.write("refs.parquet", table(rows)),
        "hypotheses": workspace.write("hyps.parquet", table(hypothesis_table)),
        "documents": workspace.write(
            "docs.parquet", documents_table(("a", 10), ("b", 10), ("x", 0))
        ),
    }


REJECTED = [
    ("documents", "x", 2, "n_units_positive"),
    ("hypotheses", "a", 2, "n_units_positive"),
    ("hypotheses", "b", 3, "n_units_agree"),
    ("references", "x", 2, "boundaries_in_range"),
]


def test_score__too_many_rejects(workspace: Workspace) -> None:
    """Nothing is published; every rejected row is listed in the file that the message names."""
    given = rejected_share(workspace)
    options = ("--documents", given.pop("documents"), "--max-rejects", 0.39)
    result = workspace.score(*options, **given)
    assert_refused(
        workspace,
        result,
        1,
        "4 input rows",
        "--max-rejects 0.39 allows 3 of 10",
        "nothing was published",
    )
    where = Path(result.err.split("listed in ")[1].split()[0])
    assert where.name == "rejects"
    assert workspace.rejects(where.parent) == REJECTED
    # The next attempt, with a larger share, is not hindered by the first.
    options = (*options[:2], "--max-rejects", 0.4)
    assert_success(workspace.score(*options, **given))
    assert workspace.rejects() == REJECTED
    assert workspace.scored() == [("a", "ann", "sys"), ("b", "ann", "sys")]
    assert workspace.account() == {
        "documents": (3, 2, 1, 0),
        "references": (3, 2, 1, 0),
        "hypotheses": (4, 2, 2, 0),
    }
    assert not (workspace.run / "_unfinished").exists()
    # The limit applies to a finished run, too.
    result = workspace.score(*options[:2], "--max-rejects", 0.39, **given)
    assert result.code == 1
    assert "--max-rejects 0.39 allows 3 of 10 input rows" in result.err
    assert "; the run stays published; the rejects are listed in " in result.err
    assert f"the rejects are listed in {workspace.run}/rejects" in result.err


def test_score__too_many_unpaired(workspace: Workspace) -> None:
    """Nothing is published; the listed rows are those that a more patient run leaves unpaired."""
    references = workspace.write("refs.parquet", one_coder("ann", [3], "abxy"))
    result = workspace.score("--max-unpaired", 0.3, references=references)
    assert_refused(workspace, result, 1, "1 of 3 hypotheses have no reference", "--max-unpaired")
    where = Path(result.err.split("listed in ")[1].split()[0].rstrip(";"))
    listed = read_rows(where)
    assert ("hypotheses", "c") in [(row["table"], row["document_id"]) for row in listed]
    result = workspace.score("--max-unpaired", 0.5, references=references)
    assert_success(result)
    assert workspace.warnings() == [
        f"1 of 3 hypotheses have no reference and were not scored; they are listed in "
        f"{workspace.run}/unpaired",
        f"2 of 4 references have no hypothesis and were not scored; they are listed in "
        f"{workspace.run}/unpaired",
    ]
    assert all(f"warning: {warning}" in result.err for warning in workspace.warnings())
    result = workspace.score("--max-unpaired", 0.3, references=references)
    assert result.code == 1
    assert f"they are listed in {workspace.run}/unpaired" in result.err
    assert "already contains this run" in workspace.score(references=references).out


def test_score__references_and_hypotheses_that_changed_places(workspace: Workspace) -> None:
    references = workspace.write("in/refs/a.parquet", one_coder("ann", [3]))
    hypotheses = workspace.write("in/systems/a.parquet", one_coder("sys", [4]))
    result = workspace.score(references=hypotheses, hypotheses=references)
    assert_success(result)
    warning = f"references are read from {hypotheses}, and hypotheses from {references}; if they"
    assert warning in result.err and workspace.warnings()[0].startswith(warning)
    assert_success(workspace.score("--fresh", references=references, hypotheses=hypotheses))
    assert workspace.warnings() == []


def test_score__systems_without_a_reference_are_named(workspace: Workspace) -> None:
    strange = [("z", f"stale-{i}", 10, [3]) for i in range(7)]
    hypotheses = workspace.write("judged.parquet", table([*strange, ("a", "sys", 10, [3])]))
    refused = workspace.score(hypotheses=hypotheses)
    assert_refused(workspace, refused, 1, "7 of 8 hypotheses have no reference, too many")
    assert_success(workspace.score("--max-unpaired", 1, hypotheses=hypotheses))
    assert workspace.warnings()[2:] == [
        *(f"stale-{i}: none of its documents has a reference" for i in range(5)),
        "the documents of 2 further systems have none",
    ]


def test_score__no_rejects_allowed_and_none_found(workspace: Workspace) -> None:
    assert_success(workspace.score("--max-rejects", 0))
    assert workspace.rejects() == []


# --- status -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["run.json", "_unfinished/plan.json"])
@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"{}", b"\xff\xfe", b'{"pairs": 1, "rows": [], "parts": 1}']
)
def test_status__not_a_record(workspace: Workspace, name: str, content: bytes) -> None:
    write(workspace.folder / "odd" / name, content)
    assert_refused(
        workspace,
        workspace.segscore("show", workspace.folder / "odd"),
        2,
        workspace.folder / "odd",
    )


def test_status__not_a_run(workspace: Workspace) -> None:
    assert_refused(
        workspace, workspace.segscore("show", workspace.references), 2, workspace.references
    )
    (workspace.folder / "odd" / "run.json").mkdir(parents=True)
    assert_refused(
        workspace,
        workspace.segscore("show", workspace.folder / "odd"),
        2,
        workspace.folder / "odd",
    )


def test_status__unfinished(workspace: Workspace) -> None:
    broken = workspace.write("broken.parquet", table([("a", "sys", 0, []), ("b", "sys", 10, [3])]))
    assert workspace.score("--max-rejects", 0, hypotheses=broken).code == 1
    result = workspace.segscore("show", workspace.run)
    assert result.code == 0 and "unfinished" in result.out


# --- validation switched off --------------------------------------------------------------------


def test_every_command__pandera_switched_off(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pandera.config.CONFIG, "validation_enabled", False)
    message = "PANDERA_VALIDATION_ENABLED"
    assert_refused(workspace, workspace.score(), 2, message)
    result = workspace.segscore("validate", workspace.references)
    assert result.code in (1, 2)
    assert_refused(workspace, result, result.code, message)


@pytest.mark.parametrize("depth", ["SCHEMA_ONLY", "DATA_ONLY"])
def test_every_command__pandera_checks_half(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, depth: str
) -> None:
    """PANDERA_VALIDATION_DEPTH silently drops all rules or all types; segscore overrides it."""
    deep = getattr(pandera.config.ValidationDepth, depth)
    monkeypatch.setattr(pandera.config.CONFIG, "validation_depth", deep)
    rows = workspace.write("rows.parquet", table([("a", "x", 0, [5, 3])]))
    kinds = SCHEMA.set(2, pa.field("n_units", pa.float64()))
    types = workspace.write("types.parquet", table([("a", "x", 1.5, [])], kinds))
    for broken in (rows, types):
        result = workspace.segscore("validate", broken)
        assert result.code in (1, 2)
        assert "Traceback" not in result.out + result.err
    result = workspace.score(references=rows, hypotheses=rows)
    assert result.code in (1, 2)
    assert_refused(workspace, result, result.code)


# --- names that printing might interpret --------------------------------------------------------


NAMES = ["[red]x[/red]", "[/]", "[bold]", ":smile:", "é漢", "../x", "a b", "[link=http://x]y"]


def test_score__names_are_printed_unchanged(workspace: Workspace) -> None:
    references = table([(name, name, 10, [3]) for name in NAMES])
    hypotheses = pa.concat_tables(
        [
            table([(document, name, 10, [3]) for document in NAMES], genre=pa.array(NAMES))
            for name in NAMES
        ]
    )
    result = workspace.score(
        "--group-by",
        "genre",
        "--layout",
        "groups",
        references=workspace.write("refs [red].parquet", references),
        hypotheses=workspace.write("hyps [/].parquet", hypotheses),
    )
    assert_success(result)
    for name in NAMES:
        assert any(line.startswith(f"{name} ") for line in result.out.splitlines())
        assert f"genre {name}" in result.out
    assert len(workspace.rows("scores")) == len(NAMES) ** 2


def test_validate__names_are_printed_unchanged(workspace: Workspace) -> None:
    path = workspace.write("[red]x[bold].parquet", table([(name, name, 0, []) for name in NAMES]))
    result = workspace.segscore("validate", path)
    assert result.code == 1
    assert f"{path} row 7" in result.out
    missing = workspace.folder / "[red]" / "nosuch[bold]"
    assert_refused(workspace, workspace.segscore("validate", missing), 2, missing)


def test_a_file_to_import_first_has_the_same_exit_code_everywhere(workspace: Workspace) -> None:
    path = workspace.write("segments.csv", "document,coder,start,end\na,x,0,9\n")
    output = ("--output", workspace.folder / "audit")
    audited = workspace.segscore("agree", path, *output)
    swept = workspace.segscore("sweep", path, path, "--tolerances", "0,1", *output)
    for result in (audited, swept):
        assert_refused(workspace, result, 2, path, "convert other formats with `segscore import`")


def test_score__output_named_as_markup(workspace: Workspace) -> None:
    output = workspace.folder / "[red]run[bold] :smile:"
    result = workspace.score("--output", output)
    assert_success(result)
    assert f"written to {output}" in result.out
    assert workspace.segscore("show", output).code == 0


# --- groups -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "titles"),
    [
        ([0, 0, 1], ["genre 0", "genre 1"]),
        ([False, False, True], ["genre false", "genre true"]),
        (["", "", "x"], ["genre", "genre x"]),
    ],
    ids=str,
)
def test_score__groups_named_by_falsy_values(
    workspace: Workspace, values: list[object], titles: list[str]
) -> None:
    """A group with a falsy name is not mistaken for the total."""
    attributed = one_coder("sys", [3]).append_column("genre", pa.array(values))
    result = workspace.score(
        "--group-by",
        "genre",
        "--layout",
        "groups",
        hypotheses=workspace.write("h.parquet", attributed),
    )
    assert_success(result)
    assert result.out.count("all documents") == 1
    for title in titles:
        assert title in result.out


@pytest.mark.first
@pytest.mark.parametrize(
    "values",
    [
        pa.array([0, None, 0]),
        pa.array([True, None, True]),
        pa.array([18000, None, 18000], pa.date32()),
        pa.array([1, None, 1], pa.timestamp("us", "UTC")),
        pa.array([1, None, 1], pa.timestamp("ns")),
        pytest.param(pa.array(["x", None, "x"], pa.string_view()), marks=WRITES_VIEWS),
        pa.array(["x", None, "x"]).dictionary_encode(),
        pa.array([0.0, None, -0.0]),
        pa.array([math.nan, None, math.nan]),
    ],
    ids=lambda values: str(values.type),
)
def test_score__groups_of_any_type(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, values: pa.Array
) -> None:
    """A null is in no group, only in the total; the split into parts changes nothing."""
    summaries = []
    for name, rows_per_part in (("one", 1000), ("many", 1)):
        monkeypatch.setattr(planning, "LIMITS", Limits(rows_per_part=rows_per_part))
        attributed = one_coder("sys", [3]).append_column("genre", values)
        hypotheses = workspace.write("h.parquet", attributed, row_group_size=1)
        output = workspace.folder / name
        result = workspace.score("--group-by", "genre", "--output", output, hypotheses=hypotheses)
        if result.code == 2:  # a type that cannot name a group: refused before any work
            assert "--group-by genre" in result.err
            return
        assert_success(result)
        summary = [row for row in workspace.rows("summary", output) if row["measure"] == "pk"]
        summaries.append([(str(row["genre"]), row["average"], row["documents"]) for row in summary])
    assert summaries[0] == summaries[1]
    whole = [documents for genre, _, documents in summaries[0] if genre == "None"]
    groups = [documents for genre, _, documents in summaries[0] if genre != "None"]
    assert whole == [3, 3]
    assert sum(groups) == 2 * 2  # two documents, each in a micro and a macro average


# --- extreme values -----------------------------------------------------------------------------


def test_score__documents_too_short_for_a_window(workspace: Workspace) -> None:
    """The values are null, and the run succeeds."""
    references = workspace.write("refs.parquet", one_coder("ann", [], "ab", 1))
    hypotheses = workspace.write("hyps.parquet", one_coder("sys", [], "ab", 1))
    assert_success(workspace.score(references=references, hypotheses=hypotheses))
    for row in workspace.rows("scores"):
        assert row["pk"] is None and row["boundary_similarity"] == 1.0
    assert json.loads((workspace.run / "run.json").read_text())["p_seg"] is None
    values = {(row["measure"], row["average"]): row["value"] for row in workspace.rows("summary")}
    assert values["pk", "micro"] is None and values["pk", "macro"] is None


@pytest.mark.parametrize("p_seg", ["0", "1", "1e-6"])
def test_score__extreme_p_seg(workspace: Workspace, p_seg: str) -> None:
    """No average of values >= 0 is negative, and none is infinite."""
    hypotheses = workspace.write("hyps.parquet", one_coder("sys", [1, 8]))
    assert_success(workspace.score("--p-seg", p_seg, hypotheses=hypotheses))
    for row in workspace.rows("summary"):
        for name in ("value", "ci_low", "ci_high", "sd"):
            assert row[name] is None or 0 <= row[name] < math.inf, (row["measure"], name)


@pytest.mark.parametrize("window", [str(2**62), str(2**63 - 1)])
def test_score__enormous_window(workspace: Workspace, window: str) -> None:
    result = workspace.score("--window", window)
    if result.code == 2:
        assert "--window" in result.err
        return
    assert_success(result)
    for row in workspace.rows("scores"):
        assert row["windows"] == 0 and row["pk"] is None
        assert row["edge_windows"] == 10 + int(window)


# --- one table for both sides, and one folder for two runs ---------------------------------------


def test_score__one_table_with_roles(workspace: Workspace) -> None:
    """Of a table with both roles, only the rows of the requested role are read."""
    rows = [("a", "ann", 10, [3]), ("a", "sys", 10, [4]), ("b", "ann", 10, [3])]
    both = table(rows, role=pa.array(["reference", "hypothesis", "reference"]))
    one_table = workspace.write("both.parquet", both)
    assert_success(workspace.score(references=one_table, hypotheses=one_table))
    assert workspace.scored() == [("a", "ann", "sys")]
    assert workspace.account() == {"references": (2, 1, 0, 1), "hypotheses": (1, 1, 0, 0)}


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_score__rows_of_the_other_role_only(workspace: Workspace, suffix: str) -> None:
    paths = []
    for name, role, number in (("ann", "reference", 3), ("sys", "hypothesis", 1)):
        rows = one_coder(name, [3]).slice(0, number)
        rows = rows.append_column("role", pa.array([role] * number))
        as_lines = lines(*rows.to_pylist())
        path = workspace.write(f"{name}.{suffix}", as_lines if suffix == "jsonl" else rows)
        paths.append(path)
    gold, system = paths
    exchange = "exchange the tables of references and hypotheses, or name another file"
    found = "no row has the role reference, but 1 has the role hypothesis"
    result = workspace.score(references=system, hypotheses=gold)
    assert_refused(workspace, result, 2, system, found, exchange)
    found = "no row has the role hypothesis, but 3 have the role reference"
    assert_refused(workspace, workspace.score(hypotheses=gold), 2, gold, found, exchange)
    assert not [*workspace.run.glob("*")]
    assert_success(workspace.score(references=gold, hypotheses=system))


def test_score__candidates_taken_for_boundaries_give_a_warning(workspace: Workspace) -> None:
    scores = pa.array([[0.01]] * 3, pa.list_(pa.float64()))
    candidates = one_coder("sys", [3]).append_column("boundary_scores", scores)
    result = workspace.score(hypotheses=workspace.write("candidates.parquet", candidates))
    assert_success(result)
    assert "boundary_scores were ignored" in result.err
    assert "give --threshold T" in result.err
    assert "### Score at one threshold" in (DOCS / "jobs/sweep.md").read_text("utf-8")


def test_score__another_run_is_active_in_the_folder(workspace: Workspace) -> None:
    """The files of a live process are not removed; those of a dead one are."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        plan = {"fingerprint": {}, "stages": {}, "host": platform.node(), "pid": other.pid}
        at_work = write(workspace.run / "_unfinished" / "plan.json", json.dumps(plan))
        result = workspace.score()
        assert result.code == 2
        assert "in progress here" in result.err and str(other.pid) in result.err
        assert at_work.exists()
        other.communicate(b"\n")
    assert_refused(
        workspace, workspace.score(), 2, "contains an unfinished run with other settings"
    )
    assert_success(workspace.score("--fresh"))

"""Several tables of hypotheses on the command line of `segscore score` are one table."""

import json
from pathlib import Path

import pytest

from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.rows import write_rows

DOCUMENTS = ("d1", "d2", "d3")
SYSTEMS = {"a": [3, 6], "b": [4, 6], "c": [5]}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with references, and a file for each of three systems."""
    monkeypatch.chdir(tmp_path)
    _write(Path("gold/desk.jsonl"), "desk", [3, 7])
    for name, boundaries in SYSTEMS.items():
        _write(Path(f"sys/{name}.jsonl"), name, boundaries)
    return tmp_path


def _write(path: Path, coder: str, boundaries: list[int]) -> None:
    path.parent.mkdir(exist_ok=True)
    rows = [
        {"document_id": name, "coder": coder, "n_units": 10, "boundaries": boundaries}
        for name in DOCUMENTS
    ]
    write_rows(path, rows)


def _files() -> list[str]:
    return [f"sys/{name}.jsonl" for name in SYSTEMS]


def test_several_tables_are_scored_as_their_folder(segscore: Segscore, place: Path) -> None:
    assert segscore("score", "gold", *_files(), "--output", "one").code == 0
    assert segscore("score", "gold", "sys", "--output", "other").code == 0
    for table in ("scores", "summary"):
        assert read_table(f"one/{table}").equals(read_table(f"other/{table}"))
    record = json.loads(Path("one/run.json").read_text())
    assert record["settings"]["hypotheses"] == "{sys/a.jsonl,sys/b.jsonl,sys/c.jsonl}"
    assert len(record["inputs"]["hypotheses"]) == 3


def test_their_order_does_not_matter(segscore: Segscore, place: Path) -> None:
    assert segscore("score", "gold", *_files(), "--output", "run").code == 0
    before = Path("run/run.json").read_bytes()
    again = segscore("score", "gold", *_files()[::-1], _files()[0], "--output", "run")
    assert again.code == 0
    assert "already contains this run" in again.out
    assert Path("run/run.json").read_bytes() == before
    fewer = segscore("score", "gold", *_files()[:2], "--output", "run")
    assert fewer.code == 2


def test_such_a_run_is_explained_from_another_folder(
    segscore: Segscore, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert segscore("score", "gold", *_files(), "--output", "run").code == 0
    (place / "elsewhere").mkdir()
    monkeypatch.chdir(place / "elsewhere")
    shown = segscore("explain", "../run", "--document", "d1")
    assert shown.code == 0
    assert "d1: b against desk" in shown.out


def test_folders_of_each_table_are_read(segscore: Segscore, place: Path) -> None:
    """Folders below a location name columns, as if it were given alone."""
    for name in ("x", "y"):
        _write(Path(f"date={name}.jsonl"), "s", [2])
        Path(f"nights-{name}/channel={name}").mkdir(parents=True)
        Path(f"date={name}.jsonl").rename(f"nights-{name}/channel={name}/{name}.jsonl")
    Path("nights-y/channel=y/y.jsonl").write_text(
        Path("nights-y/channel=y/y.jsonl").read_text().replace('"s"', '"t"')
    )
    result = segscore(
        "score", "gold", "nights-x", "nights-y", "--output", "run", "--group-by", "channel"
    )
    assert result.code == 0, result.err
    rows = read_table("run/scores").to_pylist()
    assert {(row["hypothesis"], row["channel"]) for row in rows} == {("s", "x"), ("t", "y")}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("gold", "sys/a.jsonl", "sys/none.jsonl"),
            "sys/none.jsonl: no such file or directory",
        ),
        (
            ("gold", "sys/a.jsonl", "sys/b,c.jsonl"),
            "HYPOTHESES sys/b,c.jsonl: the name of one of several tables cannot contain a comma or "
            "a brace; name the folder of the tables, or quote a glob, such as 'sys/*.jsonl'",
        ),
        (
            ("gold/desk.jsonl", "gold/more.jsonl", "sys/a.jsonl"),
            "HYPOTHESES gold/more.jsonl: is in the folder of the references, unlike others; only "
            "the first argument names references: name their folder, or quote the glob",
        ),
    ],
)
def test_wrong_tables_are_named(
    segscore: Segscore, place: Path, arguments: tuple[str, ...], message: str
) -> None:
    result = segscore("score", *arguments, "--output", "run")
    assert (result.code, result.err) == (2, f"segscore: error: {message}\n")


def test_a_system_may_lie_beside_references_in_the_current_folder(
    segscore: Segscore, place: Path
) -> None:
    _write(Path("gold.jsonl"), "desk", [3, 7])
    _write(Path("own.jsonl"), "own", [3])
    result = segscore("score", "gold.jsonl", "own.jsonl", "sys/a.jsonl", "--output", "run")
    assert result.code == 0, result.err
    assert {row["hypothesis"] for row in read_table("run/scores").to_pylist()} == {"a", "own"}


def test_the_output_is_kept_apart_from_each(segscore: Segscore, place: Path) -> None:
    result = segscore("score", "gold", "sys/a.jsonl", "nights", "--output", "nights/run")
    assert result.code == 2
    assert "lies inside the input HYPOTHESES nights" in result.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("gold.jsonl", "a.jsonl", "b.jsonl", "gold.jsonl"), "gold.jsonl: is read both as refer"),
        (("gold.jsonl", "*.jsonl"), "gold.jsonl: is read both as references and as hypotheses"),
        (("gold.jsonl", "."), "gold.jsonl: is read both as references and as hypotheses"),
        ((".", "gold.jsonl"), "gold.jsonl: is read both as references and as hypotheses"),
        (("a.jsonl", "b.jsonl", "gold.jsonl"), "HYPOTHESES gold.jsonl: is named as references are"),
    ],
)
def test_references_among_the_systems_are_refused(
    segscore: Segscore, mixed: Path, arguments: tuple[str, ...], message: str
) -> None:
    """Globs that contain the file of references, in quotes or written out by the shell."""
    result = segscore("score", *arguments, "--output", "../run")
    assert result.code == 2
    assert message in result.err
    assert not Path("../run").exists()


def test_the_first_of_several_files_is_said_to_be_the_references(
    segscore: Segscore, mixed: Path
) -> None:
    Path("gold.jsonl").rename("z.jsonl")
    result = segscore("score", "a.jsonl", "b.jsonl", "z.jsonl", "--output", "../run")
    assert result.code == 0
    assert "references are read from a.jsonl, the first of 3 files of one folder" in result.err
    named = segscore("score", "z.jsonl", "a.jsonl", "b.jsonl", "--output", "../other")
    assert (named.code, "the first of" in named.err) == (0, False)


def test_one_table_with_coders_or_roles_is_read_on_both_sides(
    segscore: Segscore, mixed: Path
) -> None:
    assert segscore("score", ".", ".", "--output", "../coders").code == 0
    for name, role in (("gold", "reference"), ("a", "hypothesis"), ("b", "hypothesis")):
        rows = [json.loads(row) for row in Path(f"{name}.jsonl").read_text().splitlines()]
        Path(f"{name}.jsonl").write_text(
            "".join(json.dumps({**row, "role": role}) + "\n" for row in rows)
        )
    result = segscore("score", "gold.jsonl", "*.jsonl", "--output", "../roles")
    assert (result.code, "warning" in result.err) == (0, False), result.err


@pytest.fixture
def mixed(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file of references and files of systems."""
    for source, name in (("gold/desk", "gold"), ("sys/a", "a"), ("sys/b", "b")):
        target = Path("mixed") / f"{name}.jsonl"
        target.parent.mkdir(exist_ok=True)
        target.write_text(Path(f"{source}.jsonl").read_text())
    monkeypatch.chdir("mixed")
    return place

"""What the folders of imported files say: attributes, roles, coders; and systems that are added."""

import json
from pathlib import Path
from typing import Any

import pytest

from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.rows import read_rows

CHANNELS = ("eins", "regio")
VTT = "WEBVTT\n\n00:00.000 --> 03:05.500\nA\n\n03:05.500 --> 07:00.250\nB\n"


def put(folder: Path, *names: str, text: str = VTT) -> None:
    """Write a file for each channel."""
    for channel in CHANNELS:
        place = folder.joinpath(*names, f"channel={channel}")
        place.mkdir(parents=True)
        (place / "morning.vtt").write_text(text)


def rows(table: Path) -> list[dict[str, Any]]:
    """Return the rows of a table."""
    return read_rows(table)


def test_folders_give_attributes_roles_and_coders(segscore: Segscore, tmp_path: Path) -> None:
    put(tmp_path / "in", "role=reference")
    for system in ("alpha", "beta"):
        put(tmp_path / "in", "role=hypothesis", f"system={system}")
    result = segscore("import", tmp_path / "in", "--coder", "desk", "--output", tmp_path / "out")
    assert result.code == 0, result.err
    ids = [f"channel={channel}/morning" for channel in CHANNELS]
    documents = rows(tmp_path / "out" / "documents")
    assert {row["document_id"]: row["channel"] for row in documents} == dict(
        zip(ids, CHANNELS, strict=True)
    )
    assert [row["coder"] for row in rows(tmp_path / "out" / "references")] == ["desk", "desk"]
    hypotheses = rows(tmp_path / "out" / "hypotheses")
    assert {(row["document_id"], row["coder"]) for row in hypotheses} == {
        (name, system) for name in ids for system in ("alpha", "beta")
    }
    # The folders that a location itself names say role and coder, too, but no attribute.
    place = tmp_path / "in" / "role=reference" / "channel=eins"
    options = ("--coder", "alpha", "--role", "hypothesis", "--output", tmp_path / "one")
    one = segscore("import", place, *options)
    assert one.code == 0, one.err
    assert not (tmp_path / "one" / "documents").exists()
    assert len(rows(tmp_path / "one" / "references")) == 1


def test_rows_get_the_attributes_of_their_folder(segscore: Segscore, tmp_path: Path) -> None:
    row = {"document_id": "a", "coder": "desk", "n_units": 9, "boundaries": [3]}
    for year, name in ((1997, "a"), (2001, "b")):
        place = tmp_path / "in" / f"year={year}"
        place.mkdir(parents=True)
        (place / "x.jsonl").write_text(json.dumps({**row, "document_id": name}) + "\n")
    result = segscore("import", tmp_path / "in", "--output", tmp_path / "out")
    assert result.code == 0, result.err
    documents = rows(tmp_path / "out" / "documents")
    assert {each["document_id"]: each["year"] for each in documents} == {"a": 1997, "b": 2001}
    (tmp_path / "in" / "year=2001" / "x.jsonl").write_text(json.dumps({**row, "year": 1997}) + "\n")
    wrong = segscore("import", tmp_path / "in", "--output", tmp_path / "wrong")
    assert (
        wrong.code == 2 and "the folder says year=2001, but the column year says 1997" in wrong.err
    )


def test_systems_are_not_taken_for_references(segscore: Segscore, tmp_path: Path) -> None:
    for folder in ("ref", "systems"):
        put(tmp_path / "in", folder)
    command = ("import", tmp_path / "in", "--coder", "desk", "--output", tmp_path / "out")
    result = segscore(*command)
    assert result.code == 2 and not (tmp_path / "out").exists()
    assert "there are folders of both roles, ref/ and systems/; add --references" in result.err
    told = segscore(*command, "--references", "ref/*", "--hypotheses", "systems/*")
    assert told.code == 0, told.err
    assert [len(rows(tmp_path / "out" / name)) for name in ("references", "hypotheses")] == [2, 2]
    (hypothesis, _) = rows(tmp_path / "out" / "hypotheses")
    assert hypothesis["coder"] == "systems" and "systems named after their folders" in told.out
    both = segscore(
        "import", tmp_path / "in", "--coder", "desk", "--output", tmp_path / "both",
        "--references", "*", "--hypotheses", "systems/*",
    )  # fmt: skip
    assert both.code == 2 and "fits both --references and --hypotheses" in both.err


def test_folders_of_systems_are_not_the_coder_that_an_option_names(
    segscore: Segscore, tmp_path: Path
) -> None:
    for folder in ("desk", "axon", "axon-live"):
        put(tmp_path / "in" / "show=1", folder)
    command = ("import", tmp_path / "in", "--coder", "desk", "--output", tmp_path / "out")
    alone = segscore(*command)
    assert alone.code == 2 and not (tmp_path / "out").exists()
    assert "/channel=eins/morning.vtt: would be by desk (--coder), but desk/ has" in alone.err
    assert "--references '*desk/*' --hypotheses '*axon-live/*'" in alone.err
    several = segscore("import", *(tmp_path / "in" / "show=1").iterdir(), *command[2:])
    assert several.code == 2 and "would be by desk (--coder)" in several.err
    narrow = segscore(*command, "--references", "*desk/*", "--hypotheses", "*axon/*")
    assert narrow.code == 2 and "axon-live/channel=eins/morning.vtt: fits neither" in narrow.err
    told = segscore(*command, "--references", "*desk/*", "--hypotheses", "*axon*/*")
    assert told.code == 0, told.err
    assert {row["coder"] for row in rows(tmp_path / "out" / "references")} == {"desk"}
    hypotheses = rows(tmp_path / "out" / "hypotheses")
    assert {row["coder"] for row in hypotheses} == {"axon", "axon-live"}
    documents = {row["document_id"] for row in hypotheses}
    assert documents == {row["document_id"] for row in rows(tmp_path / "out" / "references")}


def test_a_folder_that_names_nothing_is_said_to_name_documents(
    segscore: Segscore, tmp_path: Path
) -> None:
    for folder in ("a", "b"):
        put(tmp_path / "in", folder)
    result = segscore("import", tmp_path / "in", "--coder", "x", "--output", tmp_path / "out")
    assert result.code == 0, result.err
    assert "documents named after their folders, too" in result.out


@pytest.mark.parametrize("name", ["x.jsonl", "x.csv", "x.txt"])
def test_rows_of_systems_are_not_taken_for_references(
    segscore: Segscore, tmp_path: Path, name: str
) -> None:
    texts = {
        "x.jsonl": '{"document_id": "d", "coder": "c", "n_units": 9, "boundaries": [3]}\n',
        "x.csv": "document_id,coder,n_units,boundaries\nd,c,9,3\n",
        "x.txt": "d\tc\t00100000\n",
    }
    for folder in ("ref", "systems"):
        (tmp_path / "in" / folder).mkdir(parents=True)
        (tmp_path / "in" / folder / name).write_text(texts[name])
    result = segscore("import", tmp_path / "in", "--output", tmp_path / "out")
    assert result.code == 2 and "there are folders of both roles, ref/ and systems/" in result.err


@pytest.mark.parametrize("role", ["system", "ref"])
def test_an_unknown_role_of_a_folder_is_refused(
    segscore: Segscore, tmp_path: Path, role: str
) -> None:
    put(tmp_path / "in", f"role={role}")
    result = segscore("import", tmp_path / "in", "--coder", "a", "--output", tmp_path / "out")
    assert result.code == 2 and f"the folder role={role} must be role=reference" in result.err


def test_a_system_is_added_in_a_folder_of_its_own(segscore: Segscore, tmp_path: Path) -> None:
    put(tmp_path / "in")
    shows = tmp_path / "shows"
    assert segscore("import", tmp_path / "in", "--coder", "d", "--output", shows / "d").code == 0
    role = ("--role", "hypothesis", "--documents", shows / "d" / "references")
    for system in ("a", "b"):
        target = shows / system
        options = ("--coder", system, *role, "--output", target)
        assert segscore("import", tmp_path / "in", *options).code == 0
    again = segscore("import", tmp_path / "in", "--coder", "c", *role, "--output", shows / "b")
    pattern = f"{shows}/*/hypotheses/*"
    assert again.code == 2 and f"with a pattern, such as '{pattern}'" in again.err
    run = segscore("score", shows / "d" / "references", pattern, "--output", tmp_path / "run")
    assert run.code == 0, run.err
    assert {row["hypothesis"] for row in rows(tmp_path / "run" / "scores")} == {"a", "b"}


def test_masks_alone_say_how_documents_are_named(tmp_path: Path, segscore: Segscore) -> None:
    masks = tmp_path / "gold.txt"
    masks.write_text("0100\n0010\n")
    options = (masks, "--coder", "gold", "--format", "nltk", "--output")
    told = "documents named by file and line, such as gold/2; give files whose lines belong"
    ended = segscore("import", *options, tmp_path / "a")
    assert ended.code == 0 and told in ended.out + ended.err
    ended = segscore("import", *options, tmp_path / "b", "--document-id", "dev")
    assert ended.code == 0 and "documents named" not in ended.out + ended.err


@pytest.mark.parametrize(
    ("folder", "coder"), [("runs", "semantic"), ("coder=eva", "eva"), ("system=b", "b")]
)
def test_spans_are_of_the_coder_that_their_file_is_called_by(
    segscore: Segscore, tmp_path: Path, folder: str, coder: str
) -> None:
    """Unless a folder says another."""
    file = tmp_path / "given" / folder / "semantic.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text(
        '{"doc_id": "d", "start": 0, "end": 4}\n{"doc_id": "d", "start": 4, "end": 9}\n'
    )
    options = ("--unit", "character", "--role", "reference", "--output", tmp_path / "tables")
    given = segscore("import", tmp_path / "given", *options)
    assert given.code == 0, given.err
    assert read_table(str(tmp_path / "tables/references"))["coder"].to_pylist() == [coder]
    assert ("coder named by its file: semantic" in given.err + given.out) == (folder == "runs")

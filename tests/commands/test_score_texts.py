"""`segscore score` of files that are not tables: converted as `segscore import` converts them."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from tests.support.command_line import Segscore
from tests.support.rows import read_rows

CHOI = "a\nb\n==========\nc\nd\n", "a\n==========\nb\nc\nd\n"


def subtitles(*times: tuple[str, str]) -> str:
    return "\n\n".join(
        f"{number}\n00:00:0{start} --> 00:00:0{end}\ntext"
        for number, (start, end) in enumerate(times, 1)
    )


def write(folder: Path, **contents: str) -> list[Path]:
    paths = [folder / name.replace("_", ".") for name in contents]
    for path, content in zip(paths, contents.values(), strict=True):
        path.write_text(content)
    return paths


def test_two_texts_are_scored_in_one_line(segscore: Segscore, tmp_path: Path) -> None:
    reference, hypothesis = write(tmp_path, gold_txt=CHOI[0], model_txt=CHOI[1])
    run = tmp_path / "run"
    ended = segscore("score", reference, hypothesis, "--output", run)
    assert ended.code == 0, ended.err
    assert f"{reference}: 1 segmentation, 2 segments" in ended.err
    (row,) = read_rows(run, "scores")
    assert (row["document_id"], row["reference"], row["hypothesis"]) == ("gold", "gold", "model")
    assert (row["n_units"], row["near_misses"]) == (4, 1)
    drawn = segscore("explain", run, "--document", "gold")
    assert drawn.code == 0 and "near miss: 2 in the reference, 1 in the hypothesis" in drawn.out


def test_times_take_the_length_of_the_reference(segscore: Segscore, tmp_path: Path) -> None:
    ref = subtitles(("0,000", "2,500"), ("2,500", "5,000"))
    hyp = subtitles(("0,000", "2,000"), ("2,000", "4,000"))
    reference, hypothesis = write(tmp_path, gold_srt=ref, model_srt=hyp)
    run = tmp_path / "run"
    ended = segscore("score", reference, hypothesis, "--output", run)
    assert ended.code == 0, ended.err
    (row,) = read_rows(run, "scores")
    assert row["n_units"] == 5000


def test_a_text_is_scored_against_a_table(segscore: Segscore, tmp_path: Path) -> None:
    table = tmp_path / "doc.jsonl"
    row = {"document_id": "doc", "coder": "desk", "n_units": 4, "boundaries": [2]}
    table.write_text(json.dumps(row) + "\n")
    (hypothesis,) = write(tmp_path, model_txt=CHOI[1])
    ended = segscore("score", table, hypothesis, "--output", tmp_path / "run")
    assert ended.code == 0, ended.err
    again = segscore("score", table, hypothesis, "--output", tmp_path / "run")
    assert again.code == 0 and "written to" not in again.out


def test_each_of_several_texts_is_a_system(segscore: Segscore, tmp_path: Path) -> None:
    gold, one, two = write(tmp_path, gold_txt=CHOI[0], one_txt=CHOI[1], two_txt=CHOI[0])
    run = tmp_path / "run"
    ended = segscore("score", gold, one, two, "--output", run)
    assert ended.code == 0, ended.err
    rows = {row["hypothesis"]: row for row in read_rows(run, "scores")}
    assert {name: (row["document_id"], row["matches"]) for name, row in rows.items()} == {
        "one": ("gold", 0),
        "two": ("gold", 1),
    }
    again = segscore("score", gold, one, two, "--output", run)
    assert again.code == 0 and "written to" not in again.out


def test_several_texts_that_are_not_several_systems_are_refused(
    segscore: Segscore, tmp_path: Path
) -> None:
    gold, one = write(tmp_path, gold_txt=CHOI[0], one_txt=CHOI[1])
    (tmp_path / "b").mkdir()
    (other,) = write(tmp_path / "b", one_txt=CHOI[0])
    refused = segscore("score", gold, one, other, "--output", tmp_path / "run")
    assert refused.code == 2 and "both would be one; rename one" in refused.err
    (two,) = write(tmp_path, two_txt=CHOI[0])
    refused = segscore("score", gold, one, two, "--trials", "--output", tmp_path / "run")
    assert refused.code == 2 and "convert each file with `segscore import`" in refused.err
    (times,) = write(tmp_path, three_srt=subtitles(("0,000", "2,500"), ("2,500", "5,000")))
    refused = segscore("score", gold, one, times, "--output", tmp_path / "run")
    assert refused.code == 2, refused.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("one\ntwo\n", "cannot tell its format from its name or content"),
        ("a\n==========\nb\n=========\nc\n", "model.txt:4: "),
    ],
)
def test_a_text_without_segments_is_refused(
    segscore: Segscore, tmp_path: Path, content: str, message: str
) -> None:
    reference, hypothesis = write(tmp_path, gold_txt=CHOI[0], model_txt=content)
    refused = segscore("score", reference, hypothesis, "--output", tmp_path / "run")
    assert refused.code == 2 and message in refused.err
    assert ("the options are those of `segscore import`" in refused.err) is ("--" in refused.err)
    assert not (tmp_path / "run").exists()


def test_a_folder_with_a_dot_is_a_folder(segscore: Segscore, tmp_path: Path) -> None:
    folder = tmp_path / "release.2"
    folder.mkdir()
    row = {"document_id": "d", "coder": "desk", "n_units": 4, "boundaries": [2]}
    (folder / "rows.jsonl").write_text(json.dumps(row) + "\n")
    ended = segscore("score", folder, folder, "--output", tmp_path / "run")
    assert ended.code == 0, ended.err


def test_lines_that_are_matched_by_place_must_be_as_many(
    segscore: Segscore, tmp_path: Path
) -> None:
    reference, short, gap = write(
        tmp_path, gold_txt="0100\n0010\n0001\n", b_txt="0100\n0001\n", a_txt="0100\n\n0001\n"
    )
    refused = segscore("score", reference, short, "--output", tmp_path / "b")
    assert refused.code == 2
    assert f"{short}: its last document is that of line 2, and that of {reference}" in refused.err
    ended = segscore("score", reference, gap, "--output", tmp_path / "a")
    assert ended.code == 0, ended.err
    rows = read_rows(tmp_path / "a", "scores")
    assert [(row["document_id"], row["pk"]) for row in rows] == [("gold/1", 0), ("gold/3", 0)]


def test_spans_of_whole_numbers_are_in_the_unit_that_is_said(
    segscore: Segscore, tmp_path: Path
) -> None:
    files = [tmp_path / "gold.json", tmp_path / "chunker.json"]
    for file, end in zip(files, (120, 110), strict=True):
        ends = [0, end, 300, 410]
        spans = [{"document_id": "d", "start": a, "end": b} for a, b in pairwise(ends)]
        file.write_text(json.dumps(spans))
    unsaid = segscore("score", *files, "--output", tmp_path / "seconds")
    assert unsaid.code == 0, unsaid.err
    assert unsaid.err.count("were read as seconds; positions in a text are read with --unit") == 2
    said = segscore("score", *files, "--unit", "character", "--output", tmp_path / "characters")
    assert said.code == 0, said.err
    assert "were read as seconds" not in said.err
    assert {row["n_units"] for row in read_rows(tmp_path / "characters", "scores")} == {410}

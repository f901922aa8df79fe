"""`segscore import` of a folder in which a file does not belong to the others."""

import gzip
import json
from pathlib import Path

import pytest

from tests.support.command_line import Segscore

REASON = "notes.txt: cannot tell its format from its name or content"


def turns(name: str) -> str:
    return json.dumps(
        [
            {"session_id": name, "speaker": who, "start_time": start, "end_time": end, "words": "x"}
            for who, start, end in (("a", 0, 3), ("b", 3, 5))
        ]
    )


@pytest.fixture
def folder(tmp_path: Path, segscore: Segscore) -> Path:
    """A folder with files of one format, as the current one."""
    score = tmp_path / "score"
    score.mkdir()
    for number in range(4):
        (score / f"{number}.seglst.json").write_text(turns(f"s{number}"))
    segscore.patch.chdir(tmp_path)
    return score


@pytest.mark.parametrize("given", ["score", "score/"])
def test_one_foreign_file_is_answered_by_the_glob_of_the_others(
    segscore: Segscore, folder: Path, given: str
) -> None:
    (folder / "notes.txt").write_text("call Anna\n")
    result = segscore("import", given, "--coder", "x", "--output", "out")
    assert result.code == 2
    hint = "score/ holds 4 .seglst.json besides notes.txt; name them with 'score/*.seglst.json'; "
    assert result.err.startswith(f"segscore: error: {hint}")
    assert REASON in result.err
    assert segscore("import", "score/*.seglst.json", "--coder", "x", "--output", "out").code == 0


def test_folders_below_and_several_foreign_files(segscore: Segscore, folder: Path) -> None:
    (folder / "below").mkdir()
    (folder / "below" / "9.seglst.json").write_text(turns("s9"))
    for number in range(1, 5):
        (folder / f"notes-{number}.txt").write_text("call Anna\n")
    result = segscore("import", "score", "--coder", "x", "--output", "out")
    assert (
        "score/ holds 5 .seglst.json besides notes-1.txt, notes-2.txt, notes-3.txt and 1 more; "
        "name them with 'score/**/*.seglst.json'; " in result.err
    )
    assert segscore("import", "score/**/*.seglst.json", "--coder", "x", "--output", "out").code == 0


def test_endings_of_compressed_files_are_kept(segscore: Segscore, folder: Path) -> None:
    for path in [*folder.iterdir()]:
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    (folder / "talk.wav").write_bytes(b"RIFF\0\0\0\0WAVEfmt ")
    result = segscore("import", "score", "--coder", "x", "--output", "out")
    assert "score/ holds 4 .seglst.json.gz besides talk.wav; name them with " in result.err


@pytest.mark.parametrize("case", ["one of the others", "named alone", "a glob", "few"])
def test_other_refusals_stay_as_they_are(segscore: Segscore, folder: Path, case: str) -> None:
    (folder / "notes.txt").write_text("call Anna\n")
    given = "score"
    if case == "one of the others":
        (folder / "notes.txt").unlink()
        (folder / "2.seglst.json").write_text("{")
    elif case == "few":
        for number in range(3):
            (folder / f"{number}.seglst.json").unlink()
    else:
        given = "score/notes.txt" if case == "named alone" else "score/*"
    result = segscore("import", given, "--coder", "x", "--output", "out")
    assert result.code == 2
    assert "holds" not in result.err

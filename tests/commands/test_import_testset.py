"""`segscore import --testset`: a recipe is applied, and other content is refused."""

from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest

from segscore.pipeline.importing import recipe as recipe_room
from segscore.pipeline.testsets.registry import KnownSet, Registry, Split
from tests.oracles import naive_digests
from tests.support.command_line import Segscore
from tests.support.comparisons import refusal_line
from tests.support.paths import DATA
from tests.support.rows import read_rows, write_rows

SIZES = [[3, 4, 5], [2, 9, 1, 4], [6, 6], [1, 1, 8], [5, 2, 2], [7, 3]]


def written(folder: Path, sizes: list[list[int]]) -> Path:
    lines = [{"dial_id": f"d{i}", "segments": row} for i, row in enumerate(sizes)]
    path = folder / "dialogues.jsonl"
    return write_rows(path, lines)


@pytest.fixture
def talks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the dialogues a test set."""
    rows = [{"n_units": sum(sizes), "boundaries": [*accumulate(sizes[:-1])]} for sizes in SIZES]
    words = sorted(int(naive_digests.digest(row).hex()[:8], 16) for row in rows)
    whole = Split(
        "Talks", "all", 6, 6, 11, naive_digests.fingerprint(rows), np.array(words, np.uint32)
    )
    recipe = {"sizes": "segments", "document_field": "dial_id", "coder": "gold"}
    talks = KnownSet("Talks", "", "", "", "", None, recipe, "", (whole,))
    monkeypatch.setattr(recipe_room, "own_registry", lambda: Registry((talks,)))


@pytest.mark.usefixtures("talks")
def test_the_recipe_is_applied_and_checked(segscore: Segscore, tmp_path: Path) -> None:
    path, output = written(tmp_path, SIZES[::-1]), tmp_path / "tables"
    own = ("--testset", "talks")
    result = segscore("import", path, *own, "--output", output)
    assert result.code == 0, result.err
    assert "references: Talks, all 6 documents" in result.out.splitlines()
    other = segscore("import", path, *own, "--coder", "ben", "--output", tmp_path / "ben")
    assert other.code == 0, other.err


@pytest.mark.usefixtures("talks")
def test_other_content_is_refused(segscore: Segscore, tmp_path: Path) -> None:
    path, output = written(tmp_path, [[4, 8], *SIZES[1:]]), tmp_path / "tables"
    own = ("--testset", "Talks")
    message = refusal_line(segscore("import", path, *own, "--output", output))
    assert message.endswith(
        "is not Talks: 6 documents and 10 boundaries, where Talks has 6 documents and 11 "
        "boundaries; 5 of the references are the same; nothing was written"
    )
    assert not output.exists()


def test_unknown_sets_and_recipes_are_refused(segscore: Segscore, tmp_path: Path) -> None:
    path, output = written(tmp_path, SIZES), tmp_path / "tables"
    for name, expected in (
        ("DialSeg71", "the nearest is DialSeg711"),
        ("AMI", "does not know how"),
    ):
        line = refusal_line(segscore("import", path, "--testset", name, "--output", output))
        assert expected in line
    line = refusal_line(segscore("import", path, "--testset", "DialSeg711", "--output", output))
    assert "where DialSeg711 has 711 documents and 2,754 boundaries" in line


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("SuperDialseg", "labels/superdialseg.json"),
        ("VidChapters-7M", "chapters/vidchapters.json"),
        ("DISRPT", "units/harbour.conllu"),
    ],
)
def test_published_forms_have_a_recipe(
    segscore: Segscore, tmp_path: Path, name: str, file: str
) -> None:
    published = DATA / "formats" / file
    result = segscore("import", published, "--testset", name, "--output", tmp_path / "tables")
    assert result.code == 0, result.err
    assert f"references: not verified: no fingerprint of {name} is known" in result.out
    rows = read_rows(tmp_path / "tables", "references")
    assert {row["coder"] for row in rows} == {"gold"}


def test_the_recipe_of_qmsum_reads_its_files(segscore: Segscore, tmp_path: Path) -> None:
    published = DATA / "formats" / "published" / "meeting-1.json"
    ended = segscore("import", published, "--testset", "QMSum", "--output", tmp_path / "tables")
    assert "is not QMSum: 1 documents and 2 boundaries" in refusal_line(ended)
    assert "segscore import" in segscore("testsets", "QMSum").out


def test_recipes_say_what_is_still_missing(segscore: Segscore, tmp_path: Path) -> None:
    for name, file, missing in (
        ("WikiSection", "wikisection_test.json", "--text-units"),
        ("ICSI", "Bxx001.ref", "--documents"),
    ):
        published = DATA / "formats" / "published" / file
        ended = segscore("import", published, "--testset", name, "--output", tmp_path / name)
        assert missing in refusal_line(ended)

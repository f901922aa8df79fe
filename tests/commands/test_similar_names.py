"""Names of coders that a reader would take for one are warned of."""

from pathlib import Path

import segscore as api
from tests.support.command_line import Segscore
from tests.support.rows import write_rows

NAMES = ("Eva", "eva ", "caf\u00e9", "cafe\u0301", "other")
WARNING = (
    "the names 'Eva', 'eva '; 'cafe\\u0301', 'caf\\xe9' differ only in capitals, blanks or the "
    "form of their Unicode, and are different coders; if they are one, give them one name in the "
    "input"
)


def test_similar_names_are_warned_of(segscore: Segscore, tmp_path: Path) -> None:
    row = {"document_id": "d", "n_units": 9, "boundaries": [3]}
    tables = {"ref": ["desk"], "hyp": NAMES, "plain": ["a", "b"], "codings": NAMES}
    rows = {name: [{**row, "coder": coder} for coder in coders] for name, coders in tables.items()}
    for name, listed in rows.items():
        write_rows((tmp_path / name).with_suffix(".jsonl"), listed)
    ref, hyp, plain, codings = ((tmp_path / name).with_suffix(".jsonl") for name in tables)
    points = ("--reference-points", "none,random-own")
    assert WARNING in segscore("score", ref, hyp, *points, "--output", tmp_path / "a").err
    assert WARNING in segscore("agree", codings, "--output", tmp_path / "b").err
    assert "capitals" not in segscore("score", ref, plain, "--output", tmp_path / "c").err
    assert WARNING in api.evaluate(rows["ref"], rows["hyp"]).warnings

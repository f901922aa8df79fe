"""`segscore agree --pseudonyms`: no name of a coder is written or printed, and the key is apart."""

import csv
from pathlib import Path
from random import Random

import pytest

import segscore as api
from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.rows import write_rows

PEOPLE = ("Ottilie", "Balthasar", "Kunigunde", "Ignatius", "Walpurga", "Zebedee")


@pytest.fixture(scope="module")
def codings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty documents: Zebedee is careless, and Ottilie coded one document twice."""
    draw = Random(4)  # noqa: S311
    rows = []
    for number in range(40):
        true = sorted(draw.sample(range(1, 60), 8))
        for coder in PEOPLE:
            kept = {p for p in true if coder != "Zebedee" or draw.random() < 0.2}
            row = {"document_id": f"d{number}", "coder": coder, "n_units": 60}
            rows.append({**row, "boundaries": sorted(kept), "genre": "ab"[number % 2]})
    rows += [{**rows[0], "boundaries": [1]}, {**rows[1], "boundaries": [99]}]
    path = tmp_path_factory.mktemp("people") / "codings.jsonl"
    return write_rows(path, rows)


def key_in(path: Path) -> dict[str, str]:
    with path.open() as lines:
        return {row["coder"]: row["name"] for row in csv.DictReader(lines)}


def written_in(run: Path) -> str:
    """Return all text in a run's folder: its JSON files, and the values of its tables."""
    texts = [path.read_text() for path in run.rglob("*.json")]
    tables = [read_table(str(folder)) for folder in run.iterdir() if [*folder.glob("*.parquet")]]
    return "\n".join([*texts, *(str(table.to_pylist()) for table in tables)])


@pytest.mark.long
def test_no_name_is_written_or_printed(segscore: Segscore, tmp_path: Path, codings: Path) -> None:
    run, key = tmp_path / "run", tmp_path / "key.csv"
    command = ("agree", codings, "--pseudonyms", key, "--output", run, "--group-by", "genre")
    given = ("--without", "Balthasar", "--candidate", "Walpurga")
    results = [segscore(*command, *given)]
    for form in ("json", "csv", "markdown", "latex"):
        layout = ("--layout", "coders") if form != "json" else ()
        results.append(segscore(*command, *given, "--format", form, *layout))
    results.append(segscore("cite", run))
    page = tmp_path / "page.html"
    results.append(segscore("report", run, "--output", page))
    assert all(result.code == 0 for result in results), results
    every = [written_in(run), page.read_text(), *(r.out + r.err for r in results)]
    assert not [name for name in PEOPLE for text in every if name in text]
    known = key_in(key)
    assert sorted(known.values()) == [f"coder-{number:02d}" for number in range(1, 7)]
    # What is said is about the same people.
    assert f"look at {known['Zebedee']}.\npi by" in results[0].out
    assert f"\n{known['Zebedee']} marks 0.21 times as many boundaries as the" in results[0].out
    assert f"without:{known['Balthasar']}" in results[0].out
    assert "none of its rows" not in results[0].err
    assert f"{known['Walpurga']} may replace a person" in results[0].out
    assert known["Ottilie"] in read_table(f"{run}/rejects").column("coder").to_pylist()


@pytest.mark.long
def test_the_key_is_kept_and_new_coders_are_added(
    segscore: Segscore, tmp_path: Path, codings: Path
) -> None:
    key = tmp_path / "key.csv"
    key.write_text("coder,name\nKunigunde,K\nOttilie,Ottilie\n")
    runs = [tmp_path / "a", tmp_path / "b"]
    for run in runs:
        command = ("agree", codings, "--pseudonyms", key, "--output", run)
        assert segscore(*command).code == 0
    known = key_in(key)
    assert {known["Kunigunde"], known["Ottilie"]} == {"K", "Ottilie"}
    assert sorted(known) == sorted(PEOPLE)
    tables = [read_table(f"{run}/coders").column("coder").to_pylist() for run in runs]
    assert tables[0] == tables[1] == sorted(known.values())
    in_memory = api.agree(str(codings), pseudonyms=str(key))
    assert in_memory.coders.column("coder").to_pylist() == tables[0]


@pytest.mark.long
def test_who_is_who_cannot_be_told_from_the_numbers(tmp_path: Path, codings: Path) -> None:
    orders = set()
    for number in range(12):
        key = tmp_path / f"{number}.csv"
        api.agree(str(codings), pseudonyms=str(key))
        orders.add(tuple(sorted(key_in(key), key=key_in(key).__getitem__)))
    # The chance that twelve of 720 orders are the same one is below 1e-31.
    assert len(orders) > 1


def test_a_key_that_cannot_be_used_is_refused(
    segscore: Segscore, tmp_path: Path, codings: Path
) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("Ottilie,O,1\n")
    for key, said in ((bad, "expected two columns"), (tmp_path / "run/key.csv", "lies inside")):
        refused = segscore("agree", codings, "--pseudonyms", key, "--output", tmp_path / "run")
        assert (refused.code, said in refused.err) == (2, True), refused
    assert not (tmp_path / "run").exists()

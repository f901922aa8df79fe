"""Chance at a system's own density in a whole run: rows, partitioning, skill."""

import json
from collections.abc import Collection
from fractions import Fraction
from math import isnan
from pathlib import Path
from typing import Any

import pytest

from segscore.pipeline.measures import ALL
from tests.oracles import naive_jackknife
from tests.support.command_line import Segscore
from tests.support.corpora import corpus, run
from tests.support.paths import DATA
from tests.support.rows import read_rows
from tests.support.run_files import tables

OWN = ("random-own", "shuffled-own")
SYSTEMS = ("h0", "h1", "h2")


@pytest.mark.first
@pytest.mark.parametrize("units", ["units", "words"])
@pytest.mark.parametrize("draws", [1, 3])
def test_every_hypothesis_has_one_row_of_all_draws_with_as_many_boundaries(
    segscore: Segscore, tmp_path: Path, units: str, draws: int
) -> None:
    corpus(seed=21).write(tmp_path)
    options = ("--units", units)
    chance = ("--reference-points", ",".join(OWN), "--draws", draws)
    run(segscore, tmp_path, tmp_path / "plain", *options)
    run(segscore, tmp_path, tmp_path / "run", *options, *chance)
    for table in ("scores", "panel_scores"):
        plain = read_rows(tmp_path / "plain", table)
        both = read_rows(tmp_path / "run", table)
        assert [row for row in both if not row["hypothesis"].startswith("point:")] == plain
        for name in OWN:
            drawn = [row for row in both if row["hypothesis"].startswith(f"point:{name}:")]
            assert len(drawn) == len(plain)
            names = ("document_id", "reference", "hypothesis")[:: 1 if table == "scores" else 2]
            of_systems = {tuple(row[part] for part in names): row for row in plain}
            for row in drawn:
                system = row | {"hypothesis": row["hypothesis"].removeprefix(f"point:{name}:")}
                own = of_systems[tuple(system[part] for part in names)]
                if table == "scores" and units == "units":
                    placed = [
                        each["matches"] + each["false_alarms"] + each["near_misses"]
                        for each in (row, own)
                    ]
                    assert placed[0] == draws * placed[1]
    plain_summary = {key(row): row for row in read_rows(tmp_path / "plain", "summary")}
    for row in read_rows(tmp_path / "run", "summary"):
        _, _, system = row["hypothesis"].rpartition(":")
        own = plain_summary[key(row | {"hypothesis": system})]
        assert row["documents"] == own["documents"]
        if row["hypothesis"] == system:
            assert {name: row[name] for name in own if "skill" not in name} == {
                name: own[name] for name in own if "skill" not in name
            }


def key(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["hypothesis"], row["measure"], row["average"]


@pytest.mark.first
@pytest.mark.parametrize("draws", [1, 4])
def test_the_tables_are_the_same_from_one_part_and_from_many(
    segscore: Segscore, tmp_path: Path, draws: int
) -> None:
    corpus(seed=22, documents=20).write(tmp_path)
    found = []
    for size in (1_000_000, 5):
        segscore.cut(size)
        options = ("--reference-points", ",".join(OWN), "--draws", draws, "--group-by", "genre")
        run(segscore, tmp_path, tmp_path / str(size), *options)
        of_run = tables(tmp_path / str(size))
        found.append({name: sorted(map(str, rows)) for name, rows in of_run.items()})
    assert found[0] == found[1]


@pytest.mark.long
def test_skill_is_exact_from_the_summarys_own_values(segscore: Segscore, tmp_path: Path) -> None:
    corpus(seed=23).write(tmp_path)
    options = ("--reference-points", ",".join(OWN), "--measures", "all", "--group-by", "genre")
    run(segscore, tmp_path, tmp_path / "run", *options)
    summary = read_rows(tmp_path / "run", "summary")
    values = {(*key(row), row["genre"]): row["value"] for row in summary}
    known = 0
    for row in summary:
        measure = ALL[row["measure"]]
        best = {"higher": measure.upper, "lower": measure.lower, "neither": None}[measure.better]
        point = f"point:random-own:{row['hypothesis']}"
        chance = values.get((point, row["measure"], row["average"], row["genre"]))
        if best is None or chance is None or row["value"] is None or chance == best:
            assert row["skill"] is row["skill_low"] is row["skill_high"] is None
            continue
        known += 1
        assert row["skill"] == pytest.approx((row["value"] - chance) / (best - chance), abs=1e-12)
        if row["ci_low"] is not None and row["skill_low"] is not None:
            assert row["skill_low"] <= row["skill_high"]
    assert known > 300


def test_the_interval_of_skill_equals_the_twin(segscore: Segscore, tmp_path: Path) -> None:
    """A document is left out of the system and of chance."""
    source = DATA / "tinyrec.jsonl"
    output = tmp_path / "run"
    options = ("--reference-points", "random-own", "--seed", "5")
    segscore("score", source, source, *options, "--output", output)
    names = "EquiSeg", "point:random-own:EquiSeg"
    counted: dict[str, dict[str, tuple[int, int]]] = {name: {} for name in names}
    for row in read_rows(output, "scores"):
        if row["hypothesis"] in names:
            errors = row["pk_misses"] + row["pk_false_alarms"]
            counted[row["hypothesis"]][row["document_id"]] = errors, row["windows"]

    def skill(documents: Collection[str]) -> naive_jackknife.Number:
        own, chance = (
            Fraction(*(sum(of[name][side] for name in documents) for side in (0, 1)))
            for of in counted.values()
        )
        return (own - chance) / (0 - chance)

    windows = {name: size for name, (_, size) in counted["EquiSeg"].items()}
    twin = naive_jackknife.jackknife(skill, windows)
    (row,) = (row for row in read_rows(output, "summary") if key(row) == ("EquiSeg", "pk", "micro"))
    assert row["skill"] == pytest.approx(float(twin.value or 0))
    ends = naive_jackknife.interval(twin, None, None)
    assert (row["skill_low"], row["skill_high"]) == pytest.approx(ends)


def test_without_chance_there_is_no_skill(segscore: Segscore, tmp_path: Path) -> None:
    source = DATA / "tinyrec.jsonl"
    segscore(
        "score", source, source, "--reference-points", "random-known", "--output", tmp_path / "run"
    )
    assert {row["skill"] for row in read_rows(tmp_path / "run", "summary")} == {None}


def test_typed_boundaries_keep_their_types(segscore: Segscore, tmp_path: Path) -> None:
    """A type that only the system uses is drawn as often as the system uses it."""
    lines = []
    for d in range(30):
        common = {"document_id": f"d{d}", "n_units": 20}
        lines += [
            common
            | {"coder": "r", "role": "reference", "boundaries": [5, 10], "boundary_types": [1, 1]},
            common
            | {"coder": "s", "role": "hypothesis", "boundaries": [5, 10], "boundary_types": [2, 2]},
        ]
    source = tmp_path / "typed.jsonl"
    source.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    options = ("--reference-points", ",".join(OWN), "--confusion")
    segscore("score", source, source, *options, "--output", tmp_path / "run")
    scored = read_rows(tmp_path / "run", "scores")
    for row in scored:
        assert row["matches"] == 0
        assert row["substitutions"] == 2 or row["hypothesis"] != "s"
    assert any(row["substitutions"] for row in scored if row["hypothesis"] != "s")


@pytest.mark.parametrize("draws", [0, 1001])
def test_draws_out_of_range_are_refused(segscore: Segscore, tmp_path: Path, draws: int) -> None:
    source = DATA / "tinyrec.jsonl"
    result = segscore("score", source, source, "--draws", draws, "--output", tmp_path / "run")
    assert result.code == 2
    assert f"--draws {draws}: must be at least 1 and at most 1000" in result.err


def test_undefined_values_have_no_skill() -> None:
    from segscore.pipeline.statistics.averages import skill

    assert skill(0.4, 0.5, 0.0) == pytest.approx(0.2)
    assert isnan(skill(0.4, 0.0, 0.0))
    assert isnan(skill(float("nan"), 0.5, 0.0))


@pytest.mark.long
def test_the_leaderboard_shows_skill_and_names_systems_at_chance(
    segscore: Segscore, tmp_path: Path
) -> None:
    source, output = DATA / "tinyrec.jsonl", tmp_path / "run"
    command = ("score", source, source, "--output", output, "--reference-points")
    plain = segscore(*command, "none").out
    assert "skill" not in plain
    text = segscore(*command, "random-own", "--fresh").out
    (row,) = (
        row
        for row in read_rows(output, "summary")
        if key(row) == ("EquiSeg", "boundary_similarity", "micro")
    )
    assert f"{row['skill']:.4f}" in text
    assert "skill: 0 is chance at a system's own density, 1 perfect" in text.replace("\n", " ")
    assert "EquiSeg (skill" in text
    assert "may be no better than as many boundaries at random" in text
    table = segscore(*command, "random-own", "--format", "csv").out
    assert "skill" in table.splitlines()[0].split(",")
    assert segscore("report", output, "--output", tmp_path / "page.html").code == 0
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "may be no better than as many boundaries at random" in page
    assert "<th" in page
    assert ">skill" in page

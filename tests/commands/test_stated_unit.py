"""`--unit` of score, agree, calibrate and sweep: tables of one's own say what they count."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq  # noqa: TID251
import pytest

import segscore as api
from tests.support.command_line import Segscore
from tests.support.rows import write_rows

ROWS = [
    {"document_id": f"d{number}", "n_units": 600_000, "boundaries": [120_000, 300_000 + number]}
    for number in range(6)
]


def write(folder: Path, name: str, coder: str, moved: int, unit: str | None = None) -> Path:
    """Write a table whose boundaries are moved, and which may state its unit."""
    rows = [
        {**row, "coder": coder, "boundaries": [place + moved for place in places]}
        for row in ROWS
        for places in [row["boundaries"]]
        if isinstance(places, list)
    ]
    table = pa.Table.from_pylist(rows)
    if unit is not None:
        table = table.replace_schema_metadata({"segscore.unit": unit})
    pq.write_table(table, folder / name)
    return folder / name


@pytest.mark.parametrize("stated", [None, "millisecond"])
def test_times_of_one_s_own_are_times(
    segscore: Segscore, tmp_path: Path, stated: str | None
) -> None:
    reference = write(tmp_path, "ref.parquet", "desk", 0, stated)
    hypothesis = write(tmp_path, "hyp.parquet", "system", 1_900)
    option = () if stated else ("--unit", "millisecond")
    run = tmp_path / "run"
    result = segscore("score", reference, hypothesis, *option, "--output", run)
    assert result.code == 0, result.err
    record = json.loads((run / "run.json").read_text())
    assert "|n_t:2000|" in record["signature"] and record["unit"] == "millisecond"
    explained = segscore("explain", run, "--document", "d0", "--hypothesis", "system").out
    assert "0:02:00 in the reference, 0:02:01.900 in the hypothesis" in explained
    assert segscore("export", run, "--format", "webvtt", "--output", tmp_path / "vtt").code == 0
    # Of an unknown unit, they are two units apart at most.
    assert segscore("score", reference, hypothesis, *option, "--output", run).code == 0
    plain = segscore("score", hypothesis, hypothesis, "--output", tmp_path / "plain").out
    assert "|n_t:2|" in plain


def test_another_unit_than_a_table_states_is_refused(segscore: Segscore, tmp_path: Path) -> None:
    tables = (
        write(tmp_path, "ref.parquet", "desk", 0),
        write(tmp_path, "hyp.parquet", "system", 0, "second"),
    )
    for unit, said in (("millisecond", "the tables count seconds"), ("hour", "must be one of")):
        result = segscore("score", *tables, "--unit", unit, "--output", tmp_path / "run")
        assert result.code == 2 and said in result.err
    assert segscore("score", *tables, "--unit", "second", "--output", tmp_path / "run").code == 0


def test_python_has_the_unit_too() -> None:
    rows = [{**row, "coder": "desk"} for row in ROWS]
    found = api.evaluate(rows, rows, unit="millisecond")
    assert "|n_t:2000|" in found.signature


def test_agree_and_sweep_have_the_unit_too(segscore: Segscore, tmp_path: Path) -> None:
    reference = write(tmp_path, "ref.parquet", "desk", 0)
    hypothesis = write(tmp_path, "hyp.parquet", "system", 1_900)
    (codings := tmp_path / "codings").mkdir()
    write(codings, "a.parquet", "ann", 0)
    write(codings, "b.parquet", "bob", 1_900)
    commands = {
        "agree": (codings,),
        "sweep": (reference, hypothesis, "--n-t", "1,5", "--measure", "b_f1"),
    }
    for name, given in commands.items():
        for stated, n_t in (("millisecond", 2000), ("sentence", 2)):
            run = tmp_path / f"{name}-{stated}"
            result = segscore(name, *given, "--unit", stated, "--output", run)
            assert result.code == 0, result.err
            record = json.loads((run / "run.json").read_text())
            chosen = record["settings"]["n_t" if name == "agree" else "own_n_t"]
            assert chosen == n_t
            assert record["unit"] == stated
        refused = segscore(name, *given, "--unit", "hour", "--output", tmp_path / "run")
        assert refused.code == 2 and "--unit hour: must be one of" in refused.err


def test_calibrate_has_the_unit_too(segscore: Segscore, tmp_path: Path) -> None:
    reference = write(tmp_path, "ref.parquet", "desk", 0)

    def curve(*options: object) -> str:
        result = segscore(
            "simulate",
            "values",
            reference,
            "--measure",
            "boundary_similarity",
            "--format",
            "json",
            *options,
        )
        assert result.code == 0, result.err
        return result.out

    assert curve("--unit", "millisecond") == curve("--n-t", 2000) != curve()
    seconds = write(tmp_path, "seconds.parquet", "desk", 0, "second")
    refused = segscore("simulate", "values", seconds, "--measure", "pk", "--unit", "millisecond")
    assert refused.code == 2 and "--unit millisecond: the tables count seconds" in refused.err


LONG = "units on average, and only boundaries 1 unit apart are near misses"


@pytest.mark.parametrize(
    ("n_units", "options", "warned"),
    [
        (3_000, (), False),
        (3_001, (), True),
        (3_001, ("--n-t", 2), False),
        (3_001, ("--unit", "character"), False),
        (3_001, ("--measures", "pk"), False),
    ],
)
def test_long_segments_without_a_unit_are_warned_of(
    segscore: Segscore, tmp_path: Path, n_units: int, options: tuple[object, ...], warned: bool
) -> None:
    """Three segments have 1,000 units on average, or more."""
    row = {"document_id": "d", "coder": "x", "n_units": n_units, "boundaries": [9, 99]}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
    rows = (tmp_path / "rows.jsonl", tmp_path / "rows.jsonl")
    result = segscore("score", *rows, *options, "--output", tmp_path / "run")
    assert result.code == 0, result.err
    assert (f"references: segments have 1,000 {LONG}" in result.err) is warned
    if not options:
        checked = segscore("validate", rows[0])
        assert checked.code == 0
        assert (f"segmentations: segments have 1,000 {LONG}" in checked.err) is warned


def test_python_warns_of_long_segments_too(tmp_path: Path) -> None:
    rows = [{**row, "coder": "desk"} for row in ROWS]
    in_memory = api.evaluate(rows, rows)
    for found in (in_memory, api.evaluate(rows, rows, output=str(tmp_path / "run"))):
        assert any(f"references: segments have 200,000 {LONG}" in each for each in found.warnings)
    assert not api.evaluate(rows, rows, unit="millisecond").warnings


@pytest.mark.parametrize(
    ("tolerance", "unit", "said"),
    [
        ("1.9s", "millisecond", "|tol:1900|"),
        ("1900ms", "millisecond", "|tol:1900|"),
        ("3s", "second", "|tol:3|"),
        ("500ms", "second", "--tolerance 500ms: must be a whole number of units, but it is 0.5"),
        ("2s", "sentence", "--tolerance 2s: positions are not known to be times; give a number of"),
        ("2s", None, "give a number of units, or say what the tables count, such as --unit second"),
        ("twos", "second", "--tolerance twos: must be a number of units, or a time such as 15s"),
        (
            "2 min",
            "second",
            "must be a whole number of units, a time such as 2s or 500ms, or a perc",
        ),
        ("3000000s", "millisecond", "--tolerance 3000000000: must be"),
    ],
)
def test_a_tolerance_can_be_a_time(
    segscore: Segscore, tmp_path: Path, tolerance: str, unit: str | None, said: str
) -> None:
    reference = write(tmp_path, "ref.parquet", "desk", 0)
    hypothesis = write(tmp_path, "hyp.parquet", "system", 1_900)
    options: tuple[object, ...] = (
        "--tolerance",
        tolerance,
        *(() if unit is None else ("--unit", unit)),
    )
    options = (*options, "--measures", "tolerant_f1", "--output", tmp_path / "run")
    result = segscore("score", reference, hypothesis, *options)
    if not said.startswith("|"):
        assert result.code == 2 and said in result.err
        return
    assert result.code == 0, result.err
    assert said in result.out
    run = api.read_run(str(tmp_path / "run"))
    assert isinstance(run, api.Evaluation)
    assert run["tolerant_f1"].micro == (1.0 if unit == "millisecond" else 0.0)


def test_other_commands_and_python_have_such_a_tolerance(
    segscore: Segscore, tmp_path: Path
) -> None:
    reference = write(tmp_path, "ref.parquet", "desk", 0)
    outputs = [
        segscore(
            *("simulate", "values", reference, "--measure", "tolerant_f1", "--format", "json"),
            *("--unit", "millisecond", "--tolerance", tolerance),
        ).out
        for tolerance in ("2s", 2000)
    ]
    assert outputs[0] == outputs[1] != ""
    early, late = (api.Segmentation.from_starts([0, start], duration=9.5) for start in (4.25, 5.75))
    assert api.score(reference=early, hypothesis=late, tolerance="1500ms").tolerant_f1 == 1
    assert api.score(reference=early, hypothesis=late, tolerance="1.4s").tolerant_f1 == 0


def test_a_limit_above_half_a_segment_is_warned_of(segscore: Segscore, tmp_path: Path) -> None:
    spans = "".join(
        json.dumps({"document_id": "d", "start": start, "end": start + 400}) + "\n"
        for start in range(0, 4000, 400)
    )
    (tmp_path / "chunks.jsonl").write_text(spans)
    command = ("import", tmp_path / "chunks.jsonl", "--coder", "a", "--output")
    for options, folder, warned in (
        (("--time-unit", "ms"), "ms", True),
        (("--unit", "character"), "character", False),
    ):
        assert segscore(*command, tmp_path / folder, *options).code == 0
        table = tmp_path / folder / "references"
        result = segscore("score", table, table, "--output", tmp_path / f"{folder}-run")
        assert ("boundaries up to 1,999 units apart are near misses" in result.err) == warned
        assert ("segments of the references have 400.0 units on average" in result.err) == warned


def test_a_column_that_names_a_unit_is_pointed_out_unless_the_unit_is_stated(
    segscore: Segscore, tmp_path: Path
) -> None:
    rows = [
        {
            "document_id": "d",
            "coder": one,
            "unit": "millisecond",
            "n_units": 9000,
            "boundaries": [at],
        }
        for one, at in (("a", 3000), ("b", 3200))
    ]
    table = tmp_path / "codings.jsonl"
    write_rows(table, rows)
    for stated, is_said in (((), True), (("--unit", "millisecond"), False)):
        result = segscore("agree", table, "--output", tmp_path / f"run-{is_said}", *stated)
        assert result.code == 0, result.err
        assert ("its column unit is read as an attribute" in result.err) == is_said

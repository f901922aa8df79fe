"""`segscore trend`: nights of a folder with planted faults, through the command line."""

import csv
import io
import json
import shutil
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import segscore as api
from segscore.jobs.trend import mail
from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.paths import DATA

LAST = "2026-10-20"
MEASURE = ("--measure", "boundary_similarity")
BY = ("--group-by", "channel")


@pytest.fixture(scope="module")
def nights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs of the nights in tests/data."""
    folder = tmp_path_factory.mktemp("archive")
    (folder / "nightly.toml").write_text(f"""
[score]
group-by = ["channel"]
measures = ["boundary_similarity", "pk"]
[nightly]
references = "{DATA}/nights/{{date}}.jsonl"
hypotheses = "{DATA}/nights/{{date}}.jsonl"
runs = "{folder}/runs"
""")
    settings = ("--settings", str(folder / "nightly.toml"))
    several = ("--from", "2026-10-01", "--to", LAST)
    command = [sys.executable, "-m", "segscore", "nightly", *settings, *several]
    subprocess.run(command, check=True, capture_output=True)
    return folder / "runs"


@pytest.mark.long
def test_findings_name_the_planted_faults_and_nothing_else(
    segscore: Segscore, nights: Path
) -> None:
    result = segscore("trend", nights, *MEASURE, *BY)
    assert result.code == 0, result.err
    lines = result.out.splitlines()
    sentences = [line for line in lines if line.endswith(".")]
    assert sentences[0] == lines[0] == "All systems fell in regio on 2026-10-11; 1 more change."
    assert sentences[1].startswith("regio, for all 4 systems, fell on 2026-10-11: ")
    assert sentences[2].startswith("beta got worse by ")
    assert sentences[3].startswith("alpha, delta and gamma show no change of their own")
    assert sentences[4].startswith("alpha is the best system over 20 nights")


@pytest.mark.long
def test_scores_of_another_tool_are_shown_and_not_judged(
    segscore: Segscore, nights: Path, tmp_path: Path
) -> None:
    file, page = tmp_path / "old.csv", tmp_path / "trend.html"
    header = "date,system,measure,value\n"
    old = "2026-09-29,old,boundary_similarity,0.4\n2026-09-30,old,boundary_similarity,0.5\n"
    file.write_text(f"{header}{old}2026-09-30,old,pk,0.3\n")
    plain = segscore("trend", nights, *MEASURE, "--format", "json")
    result = segscore("trend", nights, *MEASURE, "--format", "json", "--add", file)
    assert result.code == 0, result.err
    assert "1 row by other measures left out" in result.err
    found, without = json.loads(result.out), json.loads(plain.out)
    added = found.pop("added")
    assert [(row["date"], row["system"], row["value"]) for row in added] == [
        ("2026-09-29", "old", 0.4),
        ("2026-09-30", "old", 0.5),
    ]
    assert found == {name: rows for name, rows in without.items() if name != "added"}
    text = segscore("trend", nights, *MEASURE, "--add", file, "--report", page).out
    assert "old     2026-09-29  2026-09-30      2  0.4500" in text
    assert "old (added)" in page.read_text()
    for rows, said in (
        ("2026-09-29,old,boundary_similarity,high\n", "value high is not a number"),
        ("29.09.,old,boundary_similarity,0.4\n", "must be a date"),
        ("2026-09-29,,boundary_similarity,0.4\n", "system is empty"),
        (old.splitlines()[0] + "\n" + old, "a second row of old on 2026-09-29"),
        ("2026-09-29,old,pk,0.4\n", "no row with the measure boundary_similarity; it has pk"),
    ):
        file.write_text(header + rows)
        refused = segscore("trend", nights, *MEASURE, "--add", file)
        assert refused.code == 2 and said in refused.err
    file.write_text("date,system,value\n")
    assert "has no column measure" in segscore("trend", nights, *MEASURE, "--add", file).err


@pytest.mark.long
def test_formats_have_every_row(segscore: Segscore, nights: Path) -> None:
    found = json.loads(segscore("trend", nights, *MEASURE, *BY, "--format", "json").out)
    assert found["command"] == "trend" and len(found["findings"]) == 4
    assert len(found["trends"]) == 5 * 4 and len(found["nights"]) == 20 * 20
    rows = list(csv.DictReader(io.StringIO(
        segscore("trend", nights, *MEASURE, *BY, "--format", "csv").out
    )))  # fmt: skip
    assert [row["system"] for row in rows] == [row["system"] or "" for row in found["trends"]]
    assert {row["channel"] for row in rows} == {"", "eins", "news", "regio"}
    assert {row["signature"] for row in rows} == {found["signature"]}
    markdown = segscore("trend", nights, *MEASURE, *BY, "--format", "markdown").out.splitlines()
    assert markdown[:2] == [
        "**micro boundary_similarity, 2026-10-01 to 2026-10-20, 20 nights**",
        "",
    ]
    said = [f"- {sentence}.".replace("<", r"\<") for sentence in found["findings"]]
    assert markdown[2:] == said


@pytest.mark.long
def test_what_was_known_on_a_date(segscore: Segscore, nights: Path, tmp_path: Path) -> None:
    """It is what the same command says of an archive that ends on that date."""
    ended = tmp_path / "runs"
    shutil.copytree(nights, ended)
    for day in range(16, 21):
        shutil.rmtree(ended / f"date=2026-10-{day}")
    options = (*MEASURE, *BY, "--format", "json")
    then = segscore("trend", ended, *options).out
    assert segscore("trend", nights, *options, "--until", "2026-10-15").out == then
    found = api.trend(nights, measure="boundary_similarity", group_by="channel", until="2026-10-15")
    assert found.findings == json.loads(then)["findings"]


@pytest.mark.long
def test_a_few_nights_have_averages_and_those_of_as_many_before(
    segscore: Segscore, nights: Path
) -> None:
    options = ("trend", nights, *MEASURE, "--until", "2026-10-15", "--format", "json")
    week = json.loads(segscore(*options, "--last", 5).out)
    assert segscore(*options, "--nights", 5).out == json.dumps(week, indent=2) + "\n"
    assert {row["verdict"] for row in week["trends"]} == {"too_few"}
    whole = json.loads(segscore("trend", nights, *MEASURE, "--format", "json").out)
    values: dict[tuple[str, str], float] = {
        (row["system"], row["date"]): row["value"] for row in whole["nights"]
    }

    def mean(system: str, first: int) -> str:
        found = [values[system, f"2026-10-{day:02d}"] for day in range(first, first + 5)]
        return f"{np.mean(found):.3f}"

    said = [
        f"{system} {mean(system, 11)} (was {mean(system, 6)})"
        for system in ("alpha", "beta", "delta", "gamma")
    ]
    first = week["findings"][0]
    assert first.startswith("averages over 5 nights, in brackets those of the 5 nights before: ")
    assert sorted(first.partition(": ")[2].split(", ")) == said
    assert first.partition(": ")[2].startswith("alpha ")
    # Of three nights, five before are not there.
    since = segscore(
        "trend", nights, *MEASURE, "--until", "2026-10-04", "--since", "2026-10-02"
    ).out
    assert "averages over 3 nights: alpha" in since and "was" not in since.split("averages")[1]


def test_a_mail_has_at_most_twelve_lines() -> None:
    for number, lines in ((1, 3), (10, 12), (11, 12), (40, 12)):
        text = mail("heading", [f"finding {i} of *a|b*" for i in range(number)])
        assert len(text.splitlines()) == lines
        assert text.endswith(f"- finding {number - 1} of *a\\|b*.")
        listed = [line for line in text.splitlines() if line.startswith("- finding")]
        left_out = number - len(listed)
        assert (f"… and {left_out} further findings" in text) == (left_out > 0)


@pytest.mark.long
def test_python_and_the_command_agree(segscore: Segscore, nights: Path) -> None:
    printed = json.loads(segscore("trend", nights, *MEASURE, *BY, "--format", "json").out)
    found = api.trend(nights, measure="boundary_similarity", group_by="channel")
    assert found.findings == printed["findings"]
    ranking = json.loads(json.dumps(found.ranking.to_pylist(), default=str))
    assert ranking == printed["ranking"]
    assert found.names == ["trends", "nights", "ranking"]
    assert found.trends.num_rows == 20 and found.to_pandas("nights").shape == (400, 5)
    since = api.trend(nights, measure="pk", since="2026-10-05")
    assert since.trends.to_pylist()[0]["first_night"].isoformat() == "2026-10-05"


@pytest.mark.long
def test_levels_are_the_averages_of_the_nights(segscore: Segscore, nights: Path) -> None:
    found = json.loads(segscore("trend", nights, "--measure", "pk", *BY, "--format", "json").out)
    shown = {(row["system"], row["channel"], row["date"]): row["value"] for row in found["nights"]}
    rows = read_table(f"{nights}/date={LAST}/summary").to_pylist()
    for row in rows:
        if (row["measure"], row["average"]) == ("pk", "micro"):
            assert shown[row["hypothesis"], row["channel"], LAST] == row["value"]


@pytest.mark.long
def test_ranking_is_by_night_on_shared_documents(
    segscore: Segscore, nights: Path, tmp_path: Path
) -> None:
    """On a night on which a system lacks documents, the others are compared with it without."""
    found = json.loads(segscore("trend", nights, *MEASURE, "--format", "json").out)
    by_night: dict[tuple[str, str], list[float]] = {}
    for folder in sorted(nights.glob("date=*")):
        values = {
            row["hypothesis"]: row["value"]
            for row in read_table(f"{folder}/summary").to_pylist()
            if (row["measure"], row["average"]) == ("boundary_similarity", "micro")
            and row["channel"] is None
        }
        for pair in combinations(sorted(values), 2):
            by_night.setdefault(pair, []).append(values[pair[0]] - values[pair[1]])
    for row in found["ranking"]:
        pair = tuple(sorted((row["system"], row["other"])))
        sign = 1 if pair == (row["system"], row["other"]) else -1
        differences = sign * np.array(by_night[pair[0], pair[1]])
        assert row["difference"] == pytest.approx(differences.mean())
        assert row["higher"] == (differences > 0).sum() and row["nights"] == 20


@pytest.mark.long
def test_nights_that_are_not_comparable_are_left_out(
    segscore: Segscore, nights: Path, tmp_path: Path
) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(nights, runs)
    for day in range(1, 6):
        record = runs / f"date=2026-10-{day:02d}" / "run.json"
        text = record.read_text()
        record.write_text(text.replace("|n_t:2|", "|n_t:3|"))
    result = segscore("trend", runs, *MEASURE, "--format", "json")
    assert result.code == 0, result.err
    assert "warning: 5 nights to 2026-10-05 left out, scored in another way" in result.err
    assert "n_t was 3, is 2" in result.err
    assert json.loads(result.out)["trends"][0]["nights"] == 15


@pytest.mark.long
def test_a_last_night_that_was_refused_does_not_end_the_trend(
    segscore: Segscore, nights: Path, tmp_path: Path
) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(nights, runs)
    last = max(runs.glob("date=*"))
    record, verdict = last / "run.json", last / "night.json"
    record.write_text(record.read_text().replace("|n_t:2|", "|n_t:3|"))
    contents = json.loads(verdict.read_text()) if verdict.exists() else {}
    assert contents, "the nights have verdicts"
    verdict.write_text(json.dumps({**contents, "outcome": "not_comparable"}))
    result = segscore("trend", runs, *MEASURE, "--format", "json")
    assert result.code == 0, result.err
    day = last.name.removeprefix("date=")
    assert f"warning: 1 night to {day} left out, scored in another way than on 2026-" in result.err
    assert json.loads(result.out)["trends"][0]["nights"] == 19


@pytest.mark.long
def test_report_has_the_findings_and_a_chart_of_each_group(
    segscore: Segscore, nights: Path, tmp_path: Path
) -> None:
    page = tmp_path / "trend.html"
    result = segscore("trend", nights, *MEASURE, *BY, "--report", page)
    assert result.code == 0, result.err
    text = page.read_text("utf-8")
    assert "regio, for all 4 systems, fell on 2026-10-11" in text
    assert text.count("data-chart=") == 4
    assert "all systems fell from 0.791 to 0.507 on 2026-10-11" in text, "in the chart of regio"
    assert "beta fell by 0.252 per 30 nights" in text
    again = segscore("trend", nights, *MEASURE, "--report", page)
    assert again.code == 0, again.err
    page.write_text("mine")
    refused = segscore("trend", nights, *MEASURE, "--report", page)
    assert refused.code == 2 and "did not write" in refused.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--measure", "pq"), "--measure pq: no such measure"),
        (
            (*MEASURE, "--group-by", "hour"),
            "--group-by hour: the documents of no night have this attribute",
        ),
        ((*MEASURE, "--since", "2026-10-19"), "has 2 nights with boundary_similarity since"),
        (
            (*MEASURE, "--since", "2026-10-19", "--until", "2026-10-02"),
            "--since 2026-10-19 --until 2026-10-02: the earlier date comes first",
        ),
        ((*MEASURE, "--since", "15.10."), "--since 15.10.: must be a date"),
        ((*MEASURE, "--nights", "2"), "--nights 2: must be at least 3"),
        ((*MEASURE, "--month", "2026-10", "--last", "5"), "--nights: --month says which nights"),
        ((*MEASURE, "--since", "2026-10-02", "--nights", "5"), "--nights: --since says which"),
        ((*MEASURE, "--alpha", "0"), "--alpha 0.0: must be above 0"),
        ((*MEASURE, "--average", "mean"), "--average mean: must be one of micro, macro"),
        (("--measure", "f1"), "no night has f1"),
    ],
)
def test_wrong_input_is_refused(
    segscore: Segscore, nights: Path, options: tuple[str, ...], message: str
) -> None:
    result = segscore("trend", nights, *options)
    assert result.code == 2 and message in result.err, result.err


def test_a_folder_without_nights_is_refused(segscore: Segscore, tmp_path: Path) -> None:
    assert segscore("trend", tmp_path / "none", *MEASURE).code == 2


@pytest.mark.long
def test_a_step_soon_after_the_first_night_is_found_in_more_nights(
    segscore: Segscore, nights: Path
) -> None:
    result = segscore("trend", nights, *MEASURE, *BY, "--nights", 13, "--alpha", 0.02)
    assert "regio, for all 4 systems, fell on 2026-10-11: " in result.out
    assert "warning: 20 nights are compared instead of 13: a step on 2026-10-11 " in result.err
    since = segscore("trend", nights, *MEASURE, *BY, "--since", "2026-10-08", "--alpha", 0.02)
    assert "regio, for all 4" not in since.out and "instead of" not in since.err


@pytest.mark.long
def test_a_month_has_means_by_any_attribute(segscore: Segscore, nights: Path) -> None:
    month = (*MEASURE, "--month", "2026-10", "--format", "csv", "--group-by")
    by_summary, by_scores = (
        [*csv.DictReader(io.StringIO(segscore("trend", nights, *month, by).out))]
        for by in ("channel", "reference")
    )
    assert len(by_summary) == 4 * 4
    over_all = [row for row in by_summary if not row["channel"]]
    # One reference coder: its group has the documents of all.
    of_desk = [row for row in by_scores if row["reference"] == "desk"]
    for whole, same in zip(over_all, of_desk, strict=True):
        assert whole["system"] == same["system"]
        assert float(whole["mean"]) == pytest.approx(float(same["mean"]))
        assert float(whole["ci_low"]) < float(whole["mean"]) < float(whole["ci_high"]) <= 1
        assert (whole["nights"], whole["restated"], whole["floor"]) == ("20", "0", "")


def test_a_month_without_nights_is_refused(segscore: Segscore, nights: Path) -> None:
    result = segscore("trend", nights, *MEASURE, "--month", "2026-09")
    assert result.code == 2
    assert "has boundary_similarity since 2026-09-01 until 2026-09-30" in result.err
    both = segscore("trend", nights, *MEASURE, "--month", "2026-10", "--since", "2026-10-02")
    assert "--month: takes the place of --since" in both.err


def test_a_month_is_a_page_and_markdown(segscore: Segscore, nights: Path, tmp_path: Path) -> None:
    page = tmp_path / "month.html"
    result = segscore(
        "trend", nights, *MEASURE, "--month", "2026-10", "--format", "markdown", "--report", page
    )
    assert result.code == 0, result.err
    assert "**micro boundary\\_similarity, 2026-10, 20 nights**" in result.out.replace(
        "y_s", "y\\_s"
    )
    assert "2026-10, 20 nights" in page.read_text("utf-8")

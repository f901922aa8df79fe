"""`segscore report`: the page shows what the tables contain, and names what it cannot show."""

import itertools
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore import calibrate
from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.measures.edit_list import list_edits
from segscore.pipeline.reports.labels import short_labels
from segscore.pipeline.reports.run_tables import as_dates
from segscore.pipeline.reports.shared_documents import box
from segscore.pipeline.reports.strips import (
    WIDTH,
    StripPart,
    boundary_strip,
    draw_strip,
    outcome_strip,
)
from segscore.pipeline.reports.sweep import POINTS, thinned
from segscore.pipeline.runs.recorded_inputs import recorded_location
from segscore.pipeline.storage import read_table
from tests.support.audits import contested_order
from tests.support.command_line import Segscore
from tests.support.comparisons import refusal_line
from tests.support.corpora import corpus
from tests.support.hostile import MARKUP
from tests.support.nights import DAYS, Archive
from tests.support.paths import DATA
from tests.support.projects import Project, codings
from tests.support.report_pages import Reader, as_shown, number, plain, report
from tests.support.rows import read_rows, write_rows


def score_corpus(segscore: Segscore, folder: Path) -> Path:
    """A run with several references, groups, rejects, undefined values and a hostile name."""
    generated = corpus(5, documents=30)
    for row in generated.hypotheses:
        row["coder"] = MARKUP if row["coder"] == "h1" else row["coder"]
    generated.hypotheses.append({**generated.hypotheses[0], "boundaries": [0]})
    generated.write(folder)
    result = segscore(
        "score", folder / "references", folder / "hypotheses", "--output", folder / "run",
        "--documents", folder / "documents.parquet", "--group-by", "genre",
        "--reference-points", "none,all", "--measures", "default,b_fp",
    )  # fmt: skip
    assert result.code == 0, result.err
    return folder / "run"


@pytest.fixture
def scored(segscore: Segscore, tmp_path: Path) -> Path:
    """The run, for a test that changes its files."""
    return score_corpus(segscore, tmp_path)


@pytest.fixture(scope="module")
def scored_once(segscore_once: Segscore, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run, for all tests that only read it."""
    return score_corpus(segscore_once, tmp_path_factory.mktemp("scored"))


@pytest.fixture(scope="module")
def page(segscore_once: Segscore, scored_once: Path) -> Path:
    """The page of the run, without options."""
    made = report(segscore_once, scored_once)
    return made.rename(made.with_name("page.html"))


@pytest.fixture(scope="module")
def macro_page(segscore_once: Segscore, scored_once: Path) -> Path:
    """Its page about the macro averages of pk."""
    made = report(segscore_once, scored_once, "--measure", "pk", "--average", "macro")
    return made.rename(made.with_name("macro.html"))


def test_values_of_systems_equal_the_summary(scored_once: Path, macro_page: Path) -> None:
    read = Reader(macro_page)
    summary = [
        row
        for row in read_rows(scored_once, "summary")
        if row["genre"] is None and row["measure"] == "pk"
    ]
    averages = [row for row in summary if row["average"] == "macro"]
    macro = {row["hypothesis"]: row for row in as_shown(averages)}
    assert macro != {row["hypothesis"]: row for row in averages}
    heads, *every = read.tables["Every measure"]
    rows = [row[1:] for row in every if row[0] == "pk ↓"]
    assert {row[0] for row in rows} == set(macro)
    for row in rows:
        cells = dict(zip(heads[1:], map(number, ["0", *row[1:]]), strict=True))
        assert cells["macro"] == pytest.approx(macro[row[0]]["value"], abs=1e-4)
        assert cells["documents"] == macro[row[0]]["defined"]
    values = [macro[row[0]]["value"] for row in rows]
    assert values == sorted(values)


def test_the_first_screen_shows_every_system_with_its_value(
    scored_once: Path, macro_page: Path
) -> None:
    read = Reader(macro_page)
    averages = [
        row
        for row in read_rows(scored_once, "summary")
        if row["genre"] is None and (row["measure"], row["average"]) == ("pk", "macro")
    ]
    macro = {row["hypothesis"]: row for row in as_shown(averages)}
    heads, *rows = read.tables["Systems at a glance"]
    assert heads[1:3] == ["system", "pk ↓"]
    for place, (rank, name, value, *_) in enumerate(rows, 1):
        assert value == f"{macro[name]['value']:.3f}"
        assert int(rank) <= place
    systems = [name for name in macro if not name.startswith("point:")]
    assert sorted(row[1] for row in rows) == sorted(systems)
    headline = re.search(r'<h1 class="headline (\w+)">(.*?)</h1>', macro_page.read_text())
    assert headline is not None
    assert (headline[1] == "sure") == ("is significantly better" in headline[2])


def test_the_leaderboard_equals_the_summary(scored_once: Path, macro_page: Path) -> None:
    """Systems are ranked, reference points are below them, and intervals are beside values."""
    read = Reader(macro_page)
    summary = {
        (row["hypothesis"], row["measure"]): row
        for row in as_shown(
            [
                row
                for row in read_rows(scored_once, "summary")
                if row["genre"] is None and row["average"] == "macro"
            ]
        )
    }
    heads, *rows = read.tables["Leaderboard, macro averages"]
    assert heads[:4] == ["rank", "system", "pk ↓", "to best"]
    names = ["pk", *(head.split()[0] for head in heads[4:])]
    apart = next(i for i, row in enumerate(rows) if len(row) == 1)
    assert rows[apart] == ["Reference points"]
    assert [row[1].startswith("point:") for row in rows if len(row) > 1] == [False] * apart + [
        True
    ] * (len(rows) - apart - 1)
    intervals = (text for text in read.details["Leaderboard, macro averages"] if "." in text)
    for _, name, value, _, *cells in (row for row in rows if len(row) > 1):
        for measure, cell in zip(names, [value, *cells], strict=True):
            expected = summary[name, measure]
            assert number(cell) == (
                None if expected["value"] is None else pytest.approx(expected["value"], abs=1e-4)
            )
            if expected["value"] is not None and expected["ci_low"] is not None:
                assert next(intervals) == f"{expected['ci_low']:.4f}–{expected['ci_high']:.4f}"
    assert "macro averages over the" in read.text or "Macro averages over the" in read.text
    full = rows[:apart]
    values = [number(row[2]) or 0.0 for row in full]
    assert values == sorted(values)
    assert [row[0] for row in full] == [str(1 + place) for place in range(len(full))]
    assert [row[0] for row in rows[len(full) :] if len(row) > 1] == [""] * (
        len(rows) - 1 - len(full)
    )
    best = summary[full[0][1], "pk"]["value"]
    assert full[0][3] == "best"
    for row in full[1:]:
        assert number(row[3]) == pytest.approx(summary[row[1], "pk"]["value"] - best, abs=1e-4)
    assert (len(full) > 1) == ("Leaderboard, macro averages" in read.bold)


def scored_systems(
    segscore: Segscore, folder: Path, documents: Sequence[Mapping[str, list[int]]]
) -> Path:
    """Score the boundaries of each system in each document; the references have three."""
    rows: list[dict[str, Any]] = []
    for place, systems in enumerate(documents):
        document = {"document_id": f"d{place:02}", "n_units": 30}
        rows.append({**document, "coder": "desk", "role": "reference", "boundaries": [7, 15, 22]})
        for name, places in systems.items():
            rows.append({**document, "coder": name, "role": "hypothesis", "boundaries": places})
    folder.mkdir(exist_ok=True)
    table, run = folder / "all.jsonl", folder / "run"
    write_rows(table, rows)
    assert segscore("score", table, table, "--output", run).code == 0
    return run


@pytest.mark.long
def test_letters_name_the_systems_that_another_one_beats(
    segscore: Segscore, tmp_path: Path
) -> None:
    """As `segscore compare` finds them; without any, there are no letters."""
    close = [{"good": [7, 15, 22 if d else 28], "same": [7 if d else 3, 15, 22]} for d in range(30)]
    run = scored_systems(segscore, tmp_path / "all", [{**both, "bad": [3]} for both in close])
    page = Reader(report(segscore, run))
    title = "Leaderboard, micro averages"
    details = [text.replace("\N{WORD JOINER}", "") for text in page.details[title]]
    assert [text for text in details if "." not in text] == ["a", "beats c", "b", "beats c", "c"]
    heads, *systems = page.tables[title]
    assert [row[1] for row in systems] == ["good", "same", "bad"]
    assert len(page.bold[title]) >= len(heads) - len(["rank", "system", "to best", "skill"])
    for place, column in page.bold[title]:
        better = min if heads[column].endswith("↓") else max
        values = [float(row[column]) for row in systems if row[column] != "–"]
        assert float(page.tables[title][place][column]) == better(values)
    page = Reader(report(segscore, scored_systems(segscore, tmp_path / "two", close)))
    assert not any("beats" in text for text in page.details[title])
    assert "Difference in boundary_similarity ↑" not in page.charts  # of one bar


def test_the_worst_documents_are_those_of_the_best_system(
    segscore: Segscore, tmp_path: Path
) -> None:
    """Not those on which a bad system, whose errors are larger, does worst."""
    systems = [
        {"good": [7, 15] if d in (4, 9) else [7, 15, 22], "bad": [1] if d < 4 else [7]}
        for d in range(12)
    ]
    read = Reader(report(segscore, scored_systems(segscore, tmp_path, systems)))
    assert [name for name in read.tables if re.fullmatch(r"d\d+", name)] == ["d04", "d09"]
    assert "on which good, the best system, has its worst" in plain(read.text)


@pytest.mark.long
@pytest.mark.parametrize("average", ["micro", "macro"])
def test_the_scale_is_that_of_calibrate(
    segscore: Segscore, scored_once: Path, average: str
) -> None:
    read = Reader(report(segscore, scored_once, "--average", average, "--calibrate"))
    calibration = calibrate(
        str(scored_once.parent / "references"),
        str(scored_once.parent / "documents.parquet"),
        measure="boundary_similarity",
    )
    averages = [
        row
        for row in read_rows(scored_once, "summary")
        if row["genre"] is None
        and (row["measure"], row["average"]) == ("boundary_similarity", average)
    ]
    summary = {row["hypothesis"]: row["value"] for row in as_shown(averages)}
    heads, *rows = read.tables["What boundary_similarity is worth"]
    assert heads[:3] == ["system", "boundary_similarity ↑", "boundaries missed"]
    ranked = [row for row in rows if len(row) > 1]
    assert {row[0] for row in ranked} == set(summary)
    for name, value, *shares, distance in ranked:
        sizes = [*calibration.sizes(summary[name], average).values()]
        shown = ["–" if size is None else f"{100 * size:.0f} %" for size in sizes[:-1]]
        assert shares == shown and number(value) == pytest.approx(summary[name], abs=1e-4)
        assert distance == ("–" if sizes[-1] is None else f"{sizes[-1]:.1f}")
    assert any(row[2] != "–" for row in ranked)
    best = next(row for row in as_shown(averages) if row["hypothesis"] == rows[0][0])
    interval = best["ci_low"], best["ci_high"]
    assert calibration.describe(best["value"], average, interval) in read.text
    assert (calibration.second_person_in_words() or "") in read.text


def test_scales_that_cannot_be_made_are_refused(segscore: Segscore, tmp_path: Path) -> None:
    lines = (DATA / "stargazer.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    for row in rows:
        row["boundary_types"] = [1 + place % 2 for place, _ in enumerate(row["boundaries"])]
    typed, plain_rows = tmp_path / "typed.jsonl", tmp_path / "plain.jsonl"
    write_rows(typed, rows)
    plain_rows.write_text("".join(line + "\n" for line in lines))
    for file in (typed, plain_rows):
        run = tmp_path / file.stem
        assert segscore("score", file, file, "--output", run).code == 0
    again = ("report", tmp_path / "typed", "--output", tmp_path / "x.html", "--calibrate")
    assert "distinguishes the boundary types" in refusal_line(segscore(*again))
    again = ("report", tmp_path / "plain", "--output", tmp_path / "y.html", "--calibrate")
    panel = refusal_line(segscore(*again, "--measure", "mult_window_diff"))
    assert "mult_window_diff is not a measure of pairs" in panel
    plain_rows.write_text("".join(line + "\n" for line in reversed(lines)))
    assert f"{plain_rows}: has changed since the run" in refusal_line(segscore(*again))
    assert not (tmp_path / "y.html").exists()


@pytest.mark.long
def test_the_answer_names_the_best_system_and_whether_that_is_sure(
    segscore: Segscore, tmp_path: Path
) -> None:
    """Two systems that differ in one of 20 documents; one that misses every boundary; a copy."""
    tables: dict[str, list[dict[str, Any]]] = {"references": [], "systems": []}
    for d in range(20):
        row: dict[str, Any] = {"document_id": f"d{d}", "n_units": 30}
        tables["references"].append(row | {"coder": "desk", "boundaries": [7, 15, 22]})
        shifted = [7, 15, 22 if d else 28]
        tables["systems"].append(row | {"coder": "one", "boundaries": [7, 15, 22]})
        tables["systems"].append(row | {"coder": "two", "boundaries": shifted})
    for systems, text in (
        (2, "boundary_similarity, micro: one has the best value: 1.000"),
        (3, "Its difference from two is not significant, p 0.46 (Holm)"),
        (4, "Its difference from copy and two is not significant, p 1.00 (Holm)"),
    ):
        if systems == 3:
            tables["systems"] += [
                row | {"coder": "three", "boundaries": [3]} for row in tables["references"]
            ]
        if systems == 4:
            twos = [row for row in tables["systems"] if row["coder"] == "two"]
            tables["systems"] += [row | {"coder": "copy"} for row in twos]
        for name, rows in tables.items():
            lines = "".join(json.dumps(row) + "\n" for row in rows)
            (tmp_path / f"{name}.jsonl").write_text(lines)
        run = tmp_path / f"run{systems}"
        files = [tmp_path / f"{name}.jsonl" for name in tables]
        options = ("--reference-points", "none")
        assert segscore("score", *files, "--output", run, *options).code == 0
        answer = " ".join(Reader(report(segscore, run)).answer)
        assert text in plain(answer)
        assert "point:none" not in answer
    only = [row for row in tables["systems"] if row["coder"] == "three"]
    write_rows(tmp_path / "systems.jsonl", only)
    assert segscore("score", *files, "--output", tmp_path / "one").code == 0
    answer = " ".join(Reader(report(segscore, tmp_path / "one")).answer)
    assert "boundary_similarity, micro: three, the only system: " in plain(answer)


def test_groups_that_are_dates_are_drawn_along_time(segscore: Segscore, tmp_path: Path) -> None:
    """The chart and the table are in order of time, and coders are drawn by month."""
    rows = [
        {
            "document_id": f"d{d}",
            "coder": coder,
            "n_units": 30,
            "boundaries": [5 + d % 3, 15],
            "month": f"2026-{d % 4 + 8:02}",
        }
        for d in range(12)
        for coder in ("ann", "bob")
    ]
    write_rows(tmp_path / "codings.jsonl", rows)
    run, source = tmp_path / "audit", tmp_path / "codings.jsonl"
    options = ("--group-by", "month")
    assert segscore("agree", source, "--output", run, *options).code == 0
    read = Reader(report(segscore, run))
    months = ["2026-08", "2026-09", "2026-10", "2026-11"]
    assert [row[0] for row in read.tables["pi by boundary_similarity in each group"][1:]] == months
    title = "boundary_similarity to peers by month"
    assert [row[:2] for row in read.tables[title][1:]] == [
        [coder, month] for coder in ("ann", "bob") for month in months
    ]
    chart = read.charts[title]
    assert chart["encoding"]["x"]["type"] == "temporal"
    axis = chart["encoding"]["x"]["axis"]
    assert (axis["values"], axis["format"]) == ([f"{month}-01" for month in months], "%Y-%m")
    assert [point["x"] for point in chart["data"]["values"]] == [f"{m}-01" for m in months] * 2


@pytest.mark.long
def test_the_largest_groups_of_an_audit_are_drawn(segscore: Segscore, tmp_path: Path) -> None:
    rows = [
        {
            "document_id": f"d{group}-{number}",
            "coder": coder,
            "n_units": 30,
            "boundaries": [5 + number, 15 + (coder == "bob")],
            "show": f"s{group:02}",
        }
        for group in range(31)
        for number in range(1 + (group != 3))
        for coder in ("ann", "bob")
    ]
    write_rows(tmp_path / "codings.jsonl", rows)
    run, options = tmp_path / "audit", ("--group-by", "show")
    assert segscore("agree", tmp_path / "codings.jsonl", "--output", run, *options).code == 0
    read = Reader(report(segscore, run))
    title = "pi by boundary_similarity in each group"
    assert [row[0] for row in read.tables[title][1:]] == [f"s{group:02}" for group in range(31)]
    drawn = [point["name"] for point in read.charts[title]["data"]["values"]]
    assert drawn == [f"s{group:02}" for group in range(31) if group != 3]
    assert "The chart has the 30 groups with most codings." in read.text


@pytest.mark.parametrize(
    ("by", "names", "first"),
    [
        (["month"], ["2026-02", "2025-12"], {"2026-02": "2026-02-01", "2025-12": "2025-12-01"}),
        (["day"], ["2026-02-28"], {"2026-02-28": "2026-02-28"}),
        (["year"], ["1913", "2001"], {"1913": "1913-01-01", "2001": "2001-01-01"}),
        (["day"], ["2026-02-30"], {}),
        (["day"], ["2026-02", "2026-02-01"], {}),
        (["units"], ["1200"], {}),
        (["genre"], ["news"], {}),
        (["month", "genre"], ["2026-02"], {}),
    ],
)
def test_dates_are_recognised(by: list[str], names: list[str], first: dict[str, str]) -> None:
    assert as_dates(by, names) == first


@given(st.lists(st.text("ab/…", max_size=60), max_size=8), st.integers(10, 30))
def test_short_labels_are_short_and_different(names: list[str], limit: int) -> None:
    labels = short_labels(names, limit)
    assert labels.keys() == set(names)
    assert len(set(labels.values())) == len(set(names))
    for name, label in labels.items():
        assert len(label) <= limit + len(" (10)")
        if len(name) > limit:
            assert "…" in label


def test_long_names_that_differ_in_the_middle_have_different_labels() -> None:
    names = [f"experiments/alpha-checkpoint-{step}-of-the-beta-run" for step in (1200, 1204)]
    labels = [*short_labels(names, 25).values()]
    assert "1200" in labels[0]
    assert "1204" in labels[1]


def test_row_counts_and_rejects_equal_the_run(scored_once: Path, page: Path) -> None:
    read = Reader(page)
    record = json.loads((scored_once / "run.json").read_text())
    assert record["signature"] in read.text
    (heads, *rows) = read.tables["Input rows"]
    account = {row[0]: dict(zip(heads[1:], map(int, row[1:]), strict=True)) for row in rows}
    assert account == record["rows"]
    rejects = read_rows(scored_once, "rejects")
    assert rejects
    listed = read.tables["Rejected rows, by rule"][1:]
    assert sum(int(row[2]) for row in listed) == len(rejects)
    assert {row[0] for row in listed} == {row["rule"] for row in rejects}


def test_differences_equal_those_of_compare(segscore: Segscore, scored_once: Path) -> None:
    read = Reader(report(segscore, scored_once, "--average", "macro"))
    result = segscore(
        "compare",
        scored_once,
        "--measure",
        "boundary_similarity",
        "--output",
        scored_once.parent / "c",
    )
    assert result.code == 0, result.err
    compared = read_rows(scored_once.parent / "c", "comparisons")
    differences = {
        frozenset((row["system"], row["other"])): row
        for row in compared
        if row["average"] == "macro"
    }
    heads, *rows = read.tables["Difference in boundary_similarity ↑"]
    assert len(rows) == len(differences)
    for row in rows:
        cells = dict(zip(heads, row, strict=True))
        better = cells["system, better first"]
        expected = differences[frozenset((better, cells["against"]))]
        assert better == expected["better"]
        difference, low, high = (
            number(cells[name]) for name in ("difference", "from (Holm)", "to")
        )
        assert difference == pytest.approx(abs(expected["difference"]), abs=1e-4)
        assert difference is not None and low is not None and high is not None
        assert low <= difference <= high
        for name, column in (("p", "p"), ("p (Holm)", "p_holm")):
            assert number(cells[name]) == pytest.approx(expected[column], rel=0.06, abs=1e-4)


def test_groups_equal_the_summary(scored_once: Path, page: Path) -> None:
    read = Reader(page)
    (title,) = (name for name in read.tables if " by genre" in name)
    averages = [
        row
        for row in read_rows(scored_once, "summary")
        if row["genre"] is not None
        and (row["measure"], row["average"]) == ("boundary_similarity", "micro")
    ]
    expected = {
        (row["genre"], row["hypothesis"]): row["value"] for row in as_shown(averages, "genre")
    }
    values = {(row[0], row[1]): number(row[2]) for row in read.tables[title][1:]}
    assert values.keys() == expected.keys()
    for key, value in expected.items():
        assert values[key] == (None if value is None else pytest.approx(value, abs=1e-4))


def test_worst_documents_are_drawn_with_their_counts(scored_once: Path, page: Path) -> None:
    """The counts beside a drawing are those of scores; its document is one of the worst."""
    read = Reader(page)
    scores = {
        (row["document_id"], row["hypothesis"], row["reference"]): row
        for row in read_rows(scored_once, "scores")
    }
    drawn = [name for name in read.tables if re.fullmatch(r"d\d+", name)]
    assert drawn
    for document in drawn:
        for system, reference, *counts, _ in read.tables[document][1:]:
            row = scores[document, system, reference]
            kinds = ("matches", "near_misses", "substitutions", "misses", "false_alarms")
            assert [int(count) for count in counts] == [row[kind] for kind in kinds]


def test_other_documents_can_be_opened(scored_once: Path, page: Path) -> None:
    """Every document that all systems have is drawn, or listed to be opened, once."""
    systems: dict[str, set[str]] = {}
    for row in read_rows(scored_once, "scores"):
        systems.setdefault(row["hypothesis"], set()).add(row["document_id"])
    shared = set.intersection(*systems.values())
    drawn = [name for name in Reader(page).tables if re.fullmatch(r"d\d+", name)]
    listed = re.findall(r'<details data-name="(d\d+)">', page.read_text())
    assert sorted([*drawn, *listed]) == sorted(shared)
    assert page.read_text().count("<template>") == len(listed)


def test_a_page_with_hidden_references_draws_no_document(
    segscore: Segscore, scored_once: Path, page: Path
) -> None:
    hidden = report(segscore, scored_once, "--hidden-references").read_text()
    for drawn in ("systems below the reference", "<template>", "The worst documents"):
        assert drawn not in hidden
    assert "systems below the reference" in page.read_text()
    assert (
        Reader(page).tables["Every measure"]
        == Reader(scored_once.parent / f"{scored_once.name}.html").tables["Every measure"]
    )
    refused = segscore("report", scored_once, "--hidden-references", "--units", "texts.jsonl")
    assert "--units: shows references" in refused.err


def test_names_are_shown_as_text(page: Path) -> None:
    read = Reader(page)
    assert MARKUP in {row[1] for row in read.tables["Every measure"]}
    assert "<img src=x" not in page.read_text()


def test_the_same_run_gives_the_same_bytes_of_a_page(
    segscore: Segscore, scored_once: Path, page: Path
) -> None:
    assert report(segscore, scored_once).read_bytes() == page.read_bytes()


@pytest.mark.long
def test_the_report_of_an_audit_shows_its_tables(segscore: Segscore, tmp_path: Path) -> None:
    run = tmp_path / "audit"
    assert segscore("agree", DATA / "moonstone.jsonl", "--output", run).code == 0
    read = Reader(report(segscore, run))
    expected = {
        (row["coefficient"], row["similarity"]): row["value"] for row in read_rows(run, "agreement")
    }
    listed = read.tables["Coefficients, with 95 % intervals"][1:]
    found = {
        (coefficient, row[0]): number(row[2])
        for row in listed
        for coefficient in row[1].split(", ")
    }
    assert found == {key: pytest.approx(expected[key], abs=1e-4) for key in found}
    # Bias is not agreement above chance.
    assert all(name == "bias" for name, _ in expected.keys() - found.keys())
    peers = read_rows(run, "peers")
    rows = read.tables["boundary_similarity of each pair of coders"][1:]
    assert {(row[0], row[1]): number(row[2]) for row in rows} == {
        (row["coder"], row["peer"]): pytest.approx(row["boundary_similarity"], abs=1e-4)
        for row in peers
    }
    marked = read_table(str(run / "prominence")).num_rows
    for title in (name for name in read.tables if name.startswith("Supported ")):
        assert sum(int(row[1]) for row in read.tables[title][1:]) == marked
    documents = read_rows(run, "documents")
    contested = sorted(documents, key=contested_order)[:5]
    assert [name for name in read.tables if name.startswith("moonstone/")] == [
        row["document_id"] for row in contested
    ]
    whole = expected["pi", "boundary_similarity"]
    assert f"pi by boundary_similarity is {whole:.3f} (95 % " in read.answer[0]


@pytest.mark.long
def test_the_chart_of_rates_marks_whom_a_sentence_names(segscore: Segscore, tmp_path: Path) -> None:
    """Two who mark twice as many hide each other where the mean and two deviations decide."""
    rows = codings(Project(8, 150, ("twice", "twice")), 1)
    write_rows(tmp_path / "codings.jsonl", rows)
    run = tmp_path / "run"
    audit = segscore("agree", tmp_path / "codings.jsonl", "--output", run)
    assert audit.code == 0, audit.err
    twice = ["coder-00", "coder-01"]
    read = Reader(report(segscore, run))
    ((*_, named, _, _), *rates) = read.tables["Boundary rate"]
    assert named == "named"
    assert sorted(row[0] for row in rates if row[2] == "yes") == twice
    drawn = read.charts["Boundary rate"]["data"]["values"]
    assert sorted(point["name"] for point in drawn if point["flagged"]) == twice
    said = re.findall(r"^(\S+) marks .* as many boundaries as the others: ", audit.out, re.M)
    assert sorted(said) == twice


def test_the_report_of_a_sweep_shows_its_curves(segscore: Segscore, tmp_path: Path) -> None:
    rows = [
        {"document_id": f"d{d}", "coder": "desk", "n_units": 40, "boundaries": [8 + d, 20]}
        for d in range(6)
    ]
    scored = [
        {
            **row,
            "coder": "s",
            "boundaries": [8, 15, 20],
            "boundary_scores": [0.9, 0.2 + d / 10, 0.6],
        }
        for d, row in enumerate(rows)
    ]
    for name, table in (("references", rows), ("scored", scored)):
        text = "".join(json.dumps(row) + "\n" for row in table)
        (tmp_path / f"{name}.jsonl").write_text(text)
    run = tmp_path / "sweep"
    files = (tmp_path / "references.jsonl", tmp_path / "scored.jsonl")
    assert segscore("sweep", *files, "--measure", "f1", "--output", run).code == 0
    read = Reader(report(segscore, run))
    curves = read_rows(run, "curves")
    listed = read.tables["pk_miss_rate against pk_false_alarm_rate"][1:]
    assert [[number(cell) for cell in row[1:]] for row in listed] == [
        [
            pytest.approx(row[name], abs=1e-4)
            for name in ("threshold", "pk_false_alarm_rate", "pk_miss_rate")
        ]
        for row in curves
    ]
    (point,) = read_rows(run, "operating_points")
    assert number(read.tables["Operating point of each system"][1][1]) == pytest.approx(
        point["threshold"]
    )
    (best,) = (row for row in read_rows(run, "measured") if row["best"])
    ((system, measure, threshold, value, *ends, _),) = read.tables[
        "Best threshold of each system, by measure"
    ][1:]
    assert (system, measure, threshold) == ("s", "f1", f"{best['threshold']:g}")
    assert [number(cell) for cell in (value, *ends)] == [
        pytest.approx(best[name], abs=1e-4) for name in ("value", "ci_low", "ci_high")
    ]
    assert "To score other documents at the thresholds that are best by f1" in read.text


@pytest.mark.parametrize("candidates", [POINTS - 2, POINTS + 50])
def test_the_page_of_a_sweep_says_whether_a_curve_is_thinned(
    segscore: Segscore, tmp_path: Path, candidates: int
) -> None:
    row = {"document_id": "d", "n_units": 600}
    places = [*range(2, 2 * candidates + 2, 2)]
    scores = [place / 1000 for place in places]
    tables = tmp_path / "references.jsonl", tmp_path / "scored.jsonl"
    tables[0].write_text(json.dumps({**row, "coder": "desk", "boundaries": [50, 99]}))
    scored = {**row, "coder": "s", "boundaries": places, "boundary_scores": scores}
    tables[1].write_text(json.dumps(scored))
    assert segscore("sweep", *tables, "--output", tmp_path / "sweep").code == 0
    read = Reader(report(segscore, tmp_path / "sweep"))
    is_thinned = candidates > POINTS
    assert ("the table curves has all" in read.text) == is_thinned
    listed = read.tables["pk_miss_rate against pk_false_alarm_rate"][1:]
    assert (len(listed) == candidates + 1) == (not is_thinned)


def test_the_report_of_a_sweep_over_tolerances_shows_its_curves(
    segscore: Segscore, tmp_path: Path
) -> None:
    corpus(5, documents=10).write(tmp_path)
    tables = (tmp_path / "references", tmp_path / "hypotheses")
    run = tmp_path / "sweep"
    assert segscore("sweep", *tables, "--output", run, "--tolerances", "0,1,4").code == 0
    read = Reader(report(segscore, run))
    swept = read_rows(run, "tolerances")
    for measure in ("tolerant_f1", "tolerant_precision", "reach_recall", "r_value"):
        listed = read.tables[f"{measure} ↑"][1:]
        assert [row[:2] for row in listed] == [
            [row["hypothesis"], str(row["tolerance"])] for row in swept
        ]
        assert [number(row[2]) for row in listed] == [
            pytest.approx(row[measure], abs=1e-4) for row in swept
        ]
        drawn = read.charts[f"{measure} ↑"]["data"]["values"]
        assert [(point["name"], point["x"]) for point in drawn] == [
            (row["hypothesis"], row["tolerance"]) for row in swept
        ]


def test_the_report_of_a_night_shows_the_verdict(segscore: Segscore, tmp_path: Path) -> None:
    archive = Archive(tmp_path / "archive", tmp_path, segscore)
    for day, chance in zip(DAYS[:2], (0.8, 0.3), strict=True):
        archive.deliver(day, {"steady": 0.9, "other": chance})
        night = archive.run(day)
    verdict = archive.read(DAYS[1], "night.json")
    read = Reader(report(segscore, Path(archive.folder_of(DAYS[1]))))
    assert f"{DAYS[1]}: failed." in read.text
    gate = read.tables["gate: boundary_similarity"][1:]
    assert {(row[1], row[2]) for row in gate} == {
        (check["system"], check["result"]) for check in verdict["checks"]
    }
    at_a_glance, *failed = read.failed
    assert (at_a_glance[0], at_a_glance[4]) == ("other", "failed")
    assert failed == [row for row in gate if row[2] == "failed"]
    assert f"{DAYS[1]} failed: other got worse." in plain(read.text)
    described = night.err.partition("; failed: ")[2].partition(". If the change is intended")[0]
    assert "other got worse: boundary_similarity 0." in described
    assert f"{described}." in plain(read.answer[0])
    (failed,) = (check for check in verdict["checks"] if check["result"] == "failed")
    # All documents are new since the night before, so its average is used instead.
    assert [(row[0], row[4]) for row in read.tables["Documents that worsened most"][1:]] == [
        (moved["document_id"], f"{moved['before']:.3f} on average") for moved in failed["moved"]
    ]


@pytest.mark.long
def test_the_report_of_a_night_shows_levels_boundaries_and_restatements(
    segscore: Segscore, tmp_path: Path
) -> None:
    archive = Archive(tmp_path / "archive", tmp_path, segscore)
    archive.settle(gate="level:boundary_similarity>=-0.02")
    systems = {"steady": 0.9, "other": 0.8, "third": 0.85}
    for day in DAYS[:16]:
        archive.deliver(day, systems)
    dates = ("--from", DAYS[0], "--to", DAYS[15])
    assert segscore("nightly", "--settings", archive.file, *dates).code == 0
    archive.deliver(DAYS[1], {**systems, "other": 0.7}, seed=1)
    assert archive.run(DAYS[1]).code == 0
    verdict = archive.read(DAYS[15], "night.json")
    read = Reader(report(segscore, Path(archive.folder_of(DAYS[15]))))
    assert f"{DAYS[15]} passed." in read.text
    levels = read.tables["Levels"][1:]
    assert [row[0] for row in levels] == ["other", "steady", "third", "(all systems)"]
    known = {check["system"]: check for check in verdict["checks"]}
    assert all(float(row[3]) == pytest.approx(known[row[0]]["value"], abs=6e-4) for row in levels)
    boundaries = {row[0]: row[2] for row in read.tables["Boundaries"][1:]}
    (references,) = (each for each in verdict["densities"] if each["system"] is None)
    assert boundaries["(references)"].replace(",", "") == str(references["boundaries"])
    assert boundaries.keys() == {"(references)", *systems}
    again = Reader(report(segscore, Path(archive.folder_of(DAYS[1]))))
    assert {(row[0], row[2]) for row in again.tables["Restated nights"][1:]} == {
        (DAYS[1], system) for system in systems
    }


def audited(segscore: Segscore, folder: Path, rows: list[dict[str, Any]]) -> Reader:
    write_rows(folder / "codings.jsonl", rows)
    result = segscore("agree", folder / "codings.jsonl", "--output", folder / "audit")
    assert result.code == 0, result.err
    return Reader(report(segscore, folder / "audit"))


@pytest.mark.first
@pytest.mark.parametrize(
    "refused_row",
    [{"boundaries": None}, {"boundaries": [None, 3]}, {"n_units": 900, "boundaries": [900]}],
)
def test_rejected_rows_are_not_drawn(
    segscore: Segscore, tmp_path: Path, refused_row: dict[str, Any]
) -> None:
    """It is left out even where the coder has another row that was accepted."""
    rows: list[dict[str, Any]] = [
        {"document_id": "d", "coder": coder, "n_units": 30, "boundaries": marked}
        for coder, marked in (("A", [5, 10]), ("B", [5, 12]), ("C", [6]))
    ]
    audited(segscore, tmp_path, [rows[0] | refused_row, *rows])
    page = (tmp_path / "audit.html").read_text()
    assert page.count('<p class="strip">') == 3
    assert "30" in page.split("Codings", 1)[1]
    assert ">600</i>" not in page


def test_equal_values_are_drawn_at_their_position(segscore: Segscore, tmp_path: Path) -> None:
    """Where all values are equal, an axis still has a width, so that its numbers are true."""
    rows: list[dict[str, Any]] = [
        {"document_id": "d", "coder": coder, "n_units": 30, "boundaries": [5, boundary]}
        for coder, boundary in (("A", 11), ("B", 12))
    ]
    read = audited(segscore, tmp_path, rows)
    for title, value in (("How each coder agrees", 0.75), ("Boundary rate", 2 / 29)):
        (chart,) = (read.charts[name] for name in read.charts if name.startswith(title))
        low, high = chart.get("layer", [chart])[0]["encoding"]["x"]["scale"]["domain"]
        assert low < value < high


@given(st.integers(201, 2000), st.integers(0, 200))
def test_a_thinned_curve_follows_the_whole_one(steps: int, point: int) -> None:
    """It ends where the curve ends, keeps the marked points, and never skips far."""
    curve = [{"x": max(0, i - 150) / steps, "y": min(i, 150) / 150} for i in range(steps)]
    points = thinned(curve, [curve[point]])
    assert points[0] == curve[0]
    assert points[-1] == curve[-1]
    assert curve[point] in points
    assert len(points) <= POINTS + 3
    size = curve[-1]["x"] or 1

    def steps_of(line: Sequence[dict[str, float]]) -> list[float]:
        pairs = itertools.pairwise(line)
        return [abs(b["x"] - a["x"]) / size + abs(b["y"] - a["y"]) for a, b in pairs]

    whole = steps_of(curve)
    assert max(steps_of(points)) <= sum(whole) / (POINTS - 1) + max(whole) + 1e-9


@pytest.mark.long
def test_reports_are_the_same_from_another_folder(
    segscore: Segscore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inputs that were named relative to a folder are found again from any other one."""
    work, elsewhere = tmp_path / "work", tmp_path / "elsewhere"
    corpus(5, documents=10).write(work)
    elsewhere.mkdir()
    monkeypatch.chdir(work)
    options = ("--documents", "documents.parquet")
    scoring = ("score", "references", "./hypotheses/*.parquet", "--output", "run", *options)
    assert segscore(*scoring).code == 0
    assert segscore("agree", "references", "--output", "audit").code == 0
    for run in ("run", "audit"):
        pages = []
        for folder in (work, elsewhere):
            monkeypatch.chdir(folder)
            result = segscore("report", work / run, "--output", tmp_path / f"{folder.name}.html")
            assert result.code == 0
            assert "Not drawn" not in result.err
            pages.append((tmp_path / f"{folder.name}.html").read_bytes())
        assert pages[0] == pages[1]
    assert segscore("explain", work / "run", "--document", "d1").code == 0


@pytest.mark.parametrize(
    ("location", "files", "found"),
    [
        ("a.jsonl", ["/x/a.jsonl"], "/x/a.jsonl"),
        ("../y/a.jsonl", ["/x/y/a.jsonl"], "/x/y/a.jsonl"),
        ("data", ["/x/data/0.parquet", "/x/data/in/1.parquet"], "/x/data"),
        ("data", ["/data/data/0.parquet", "/data/1.parquet"], "/data"),
        ("data/", ["/x/data/data/0.parquet"], "/x/data/data"),
        (".", ["/x/0.parquet", "/x/in/1.parquet"], "/x"),
        ("data/*/p.parquet", ["/x/data/1/p.parquet", "/x/data/2/p.parquet"], "/x/data/*/p.parquet"),
        ("data/**", ["/x/data/1/2/p.parquet"], "/x/data/**"),
        ("*.parquet", ["/x/1.parquet", "/x/2.parquet"], "/x/*.parquet"),
        ("**/p.parquet", ["/x/1/p.parquet"], "**/p.parquet"),
        ("/x/a.jsonl", ["/x/a.jsonl"], "/x/a.jsonl"),
        ("s3://b/a", ["s3://b/a/0.parquet"], "s3://b/a"),
        ("moved", ["/x/data/0.parquet"], "moved"),
    ],
)
def test_inputs_are_located_by_the_record(location: str, files: list[str], found: str) -> None:
    assert recorded_location(location, [{"url": url} for url in files]) == found


# --- What cannot be shown ------------------------------------------------------------------------


def test_missing_inputs_only_remove_the_drawings(segscore: Segscore, scored: Path) -> None:
    """Everything but the drawings comes from the run itself."""
    (scored.parent / "references" / "0.parquet").unlink()
    result = segscore("report", scored, "--output", scored.parent / "run.html")
    assert result.code == 0
    assert "warning: Not drawn: " in result.err
    read = Reader(scored.parent / "run.html")
    assert re.search(r"Not drawn: .*references: the directory contains no Parquet", read.text)
    assert "Every measure" in read.tables


def test_one_system_alone_has_no_table_of_differences(segscore: Segscore, tmp_path: Path) -> None:
    for role in ("reference", "hypothesis"):
        row: dict[str, object] = {
            "document_id": "d",
            "coder": role,
            "role": role,
            "n_units": 1,
            "boundaries": [],
        }
        with (tmp_path / "all.jsonl").open("a") as file:
            file.write(json.dumps(row) + "\n")
    run = tmp_path / "run"
    assert segscore("score", *[tmp_path / "all.jsonl"] * 2, "--output", run).code == 0
    read = Reader(report(segscore, run))
    assert not any(name.startswith(("Difference", "What")) for name in read.tables)
    assert ["pk ↓", "hypothesis", "–"] in [row[:3] for row in read.tables["Every measure"]]
    assert "boundary_similarity is undefined for every system." in read.text


def test_reports_that_cannot_be_made_are_refused(
    segscore: Segscore, scored: Path, tmp_path: Path
) -> None:
    assert "there is no such folder" in refusal_line(segscore("report", tmp_path / "none"))
    unknown = refusal_line(segscore("report", scored, "--measure", "window_dif"))
    assert "nearest is window_diff" in unknown
    assert "--average mean: must be one of" in refusal_line(
        segscore("report", scored, "--average", "mean")
    )
    assert "--output: is empty" in refusal_line(segscore("report", scored, "--output", ""))
    for source, why in (
        (scored / "run.json", "lies inside the input RUN"),
        (tmp_path / "references" / "0.parquet", "is the input of the run"),
        (tmp_path / "mine.html", "did not write"),
    ):
        if not source.exists():
            source.write_text("<!doctype html>\n<title>Mine</title>\n")
        before = source.read_bytes()
        assert why in refusal_line(segscore("report", scored, "--output", source))
        assert source.read_bytes() == before
    neither = refusal_line(segscore("report", scored, "--measure", "b_fp"))
    assert "neither higher nor lower is better" in neither
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    assert "is a folder; name a file" in refusal_line(
        segscore("report", scored, "--output", folder)
    )
    compared = tmp_path / "compared"
    result = segscore("compare", scored, "--measure", "pk", "--output", compared)
    assert result.code == 0, result.err
    no_scores = refusal_line(segscore("report", compared, "--calibrate"))
    assert f"--calibrate: {compared} has no scores" in no_scores
    record = json.loads((compared / "run.json").read_text())
    (compared / "run.json").write_text(json.dumps({**record, "files": {}}))
    nothing = refusal_line(segscore("report", compared))
    assert "contains no scores, curves, differences or agreement" in nothing


def test_a_page_of_another_run_is_not_replaced_silently(
    segscore: Segscore, scored: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    assert segscore("report", scored, "--output", page).err == ""
    assert segscore("report", scored, "--measure", "pk", "--output", page).err == ""
    references = tmp_path / "references"
    for name in (scored.name, "other"):  # the same name elsewhere is another run, too
        run = tmp_path / "later" / name
        assert segscore("score", references, references, "--output", run).code == 0
        replaced = segscore("report", run, "--output", page)
        assert replaced.code == 0 and "replaces the page of another run" in replaced.err


def test_the_message_names_the_missing_extra(
    segscore: Segscore, scored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    monkeypatch.setitem(sys.modules, "altair", None)
    assert "pip install 'segscore[report]'" in refusal_line(segscore("report", scored))


@pytest.mark.parametrize("key", ["settings", "inputs", "files", "versions", "seconds", "warnings"])
def test_a_foreign_record_is_refused(segscore: Segscore, scored: Path, key: str) -> None:
    record = json.loads((scored / "run.json").read_text())
    (scored / "run.json").write_text(json.dumps({**record, key: 5}))
    message = f"not a file that segscore writes, or damaged: {key} is not "
    if key == "files":
        message = "was changed since: it has no list of files"
    assert message in refusal_line(segscore("report", scored))


# --- Drawings and boxes --------------------------------------------------------------------------

POSITIONS = st.integers(2, 4000).flatmap(
    lambda n: st.tuples(
        st.just(n), *[st.lists(st.integers(1, n - 1), unique=True, max_size=30).map(sorted)] * 2
    )
)


@given(POSITIONS)
def test_every_boundary_is_drawn_at_its_position(pair: tuple[int, list[int], list[int]]) -> None:
    n_units, reference, hypothesis = pair
    edits = list_edits(reference, hypothesis, 3)
    strips = [boundary_strip("r", reference), outcome_strip("h", edits)]
    drawing = draw_strip("d", "", n_units, strips)
    lines = len(drawing.rows) // 2
    widths = [row.width for row in drawing.rows if row.name == "r"]
    scale = sum(widths) / n_units
    assert scale * n_units == pytest.approx(sum(widths))
    starts = [round(sum(widths[:line]) / scale) for line in range(lines)]

    def places(rows: list[StripPart]) -> set[int]:
        """Read the positions of the marks from the paths."""
        return {
            starts[line] + round(float(x) / scale)
            for line, row in enumerate(rows)
            for path in row.paths.values()
            for x in re.findall(r"M([\d.]+) (?:0|3|5|11|16)V", path)
        }

    rows_of = {name: [row for row in drawing.rows if row.name == name] for name in "rh"}
    assert places(rows_of["r"]) == set(reference)
    missed = {e.position for e in edits if e.kind == "miss"}
    assert places(rows_of["h"]) == {*hypothesis, *missed}
    assert all(row.width <= WIDTH for row in drawing.rows)


@given(st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.55, 0.6, 1.0]), min_size=1, max_size=40))
def test_a_box_and_its_outliers_cover_all_documents(values: list[float]) -> None:
    import numpy as np

    array: Floats = np.array([*values, float("nan")])
    drawn_box = box("s", array)
    inside = [value for value in values if drawn_box.low <= value <= drawn_box.high]
    assert drawn_box.documents == len(values)
    assert drawn_box.outliers == len(values) - len(inside)
    assert drawn_box.q1 <= drawn_box.median <= drawn_box.q3
    assert drawn_box.median == np.median(values)
    reach = 1.5 * (drawn_box.q3 - drawn_box.q1)
    beyond = [v for v in values if v < drawn_box.q1 - reach or v > drawn_box.q3 + reach]
    assert len(beyond) == drawn_box.outliers
    assert {value for _, value in drawn_box.furthest} <= set(beyond)


def test_strips_of_systems_with_similar_names_are_labelled_differently() -> None:
    names = [f"experiments/2026/lr{rate}-seed-1-final-averaged" for rate in ("3e-5", "1e-4")]
    drawing = draw_strip("d", "", 20, [boundary_strip(name, [3]) for name in ["desk", *names]])
    labels = [row.label for row in drawing.rows]
    assert [row.name for row in drawing.rows] == ["desk", *names]
    assert labels[0] == "desk"
    assert len(set(labels)) == len(labels)
    assert "3e-5" in labels[1] and "1e-4" in labels[2]

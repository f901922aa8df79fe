"""Documents of shows: `--resample-by` in comparisons, their sentences and citations."""

from pathlib import Path

import pytest

from tests.support.command_line import Segscore, SegscoreOnce
from tests.support.rows import read_rows, write_rows

SHOWS, EPISODES = 12, 3


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two systems on shows; each is better on all episodes of some shows."""
    rows = []
    for d in range(SHOWS * EPISODES):
        show = d // EPISODES
        row = {"document_id": f"d{d}", "n_units": 40, "my_show": f"show {show}"}
        good, bad = [8, 17 + d % 3, 29], [3, 24]
        rows.append(row | {"coder": "desk", "role": "reference", "boundaries": good})
        for name, better in (("even", show % 2 == 0), ("odd", show % 2 == 1)):
            found = good[: 2 + d % 2] if better else bad
            rows.append(row | {"coder": name, "role": "hypothesis", "boundaries": found})
    path = tmp_path_factory.mktemp("shows") / "table.jsonl"
    return write_rows(path, rows)


@pytest.fixture(scope="module")
def scored(table: Path) -> Path:
    """A run by documents."""
    run = table.parent / "run"
    result = SegscoreOnce()("score", table, table, "--group-by", "my_show", "--output", run)
    assert result.code == 0, result.err
    return run


def test_shows_are_units_of_comparisons(segscore: Segscore, scored: Path, tmp_path: Path) -> None:
    widths, effective = {}, {}
    for options in ((), ("--resample-by", "my_show")):
        output = tmp_path / f"compared-{len(options)}"
        result = segscore("compare", scored, *options, "--output", output)
        assert result.code == 0, result.err
        rows = read_rows(output, "comparisons")
        (row,) = (row for row in rows if row["average"] == "macro")
        widths[options], effective[options] = row["ci_high"] - row["ci_low"], row["units"]
    by_documents, by_shows = widths
    assert effective == {by_documents: SHOWS * EPISODES, by_shows: SHOWS}
    assert widths[by_shows] > 1.3 * widths[by_documents]


def test_a_comparison_resamples_as_its_run_does(
    segscore: Segscore, table: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    options = ("--resample-by", "my_show", "--output", run)
    assert segscore("score", table, table, *options).code == 0
    result = segscore("compare", run, "--difference", "0.3")
    assert result.code == 0, result.err
    assert f": with {SHOWS} values of my_show, the test finds a difference of " in result.out
    assert "|ci:jackknife,my_show|" in result.out
    cited = segscore("cite", run).out
    assert r"which leaves out all documents of one my\_show together" in cited


def test_power_of_a_comparison_by_documents_counts_documents(
    segscore: Segscore, scored: Path
) -> None:
    result = segscore("compare", scored)
    assert f": with {SHOWS * EPISODES} documents, the test finds a difference of " in result.out
    assert "--difference says how many documents another difference needs" in result.out


def test_few_shows_are_too_few(segscore: Segscore, table: Path, tmp_path: Path) -> None:
    few = tmp_path / "few.jsonl"
    few.write_text("".join(table.read_text().splitlines(keepends=True)[: 8 * EPISODES * 3]))
    options = ("--resample-by", "my_show", "--output", tmp_path / "run")
    assert segscore("score", few, few, *options).code == 0
    result = segscore("compare", tmp_path / "run")
    assert "fewer than 10 values of my_show: too few to estimate what difference" in result.out

"""deploy/dashboards: views, dashboard and alerts, on an archive of real nights and audits."""

import json
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import promql_parser as promql
import pytest
import yaml

from segscore.pipeline.measures import ALL
from segscore.pipeline.nightly.metrics import BROKEN, WAITING
from segscore.pipeline.nightly.verdict import OUTCOMES
from tests.support.dashboards import AUDIT, FAILED, FOLDER, NIGHTS, SECOND, Place, listed
from tests.support.paths import ROOT

if TYPE_CHECKING:
    import duckdb

pytestmark = pytest.mark.long

PAGE = (ROOT / "docs" / "dashboards.md").read_text("utf-8")
GRAFANA = json.loads((FOLDER / "grafana.json").read_text("utf-8"))
NEWER = [
    *("outlying_rate", "low_agreement"),
    *("peer_drift", "peer_drift_p", "drifting"),
    *("agreement_effect", "agreement_error"),
    *("boundary_offset", "boundary_offset_error", "rate_ratio", "rate_ratio_deviation"),
    *("shifted", "drift_from", "drift_to", "drift_start"),
    *(
        "others_boundary_similarity",
        "self_pairs",
        "self_boundary_similarity",
        "candidate_documents",
    ),
    *("candidate_share", "candidate_wins"),
]
"""Columns of coders that audits of an earlier version lack."""


def assert_same_rows(actual: pd.DataFrame, expected: pd.DataFrame, by: list[str]) -> None:
    """Whether two tables have the same rows, in any order and with any kind of null."""
    assert len(actual), "nothing is compared"
    assert sorted(actual.columns) == sorted(expected.columns)
    tables = [
        frame[sorted(frame.columns)].sort_values(by, ignore_index=True).astype(object)
        for frame in (actual, expected)
    ]
    one, other = (table.where(table.notna(), None) for table in tables)
    pd.testing.assert_frame_equal(one, other, check_dtype=False)


def by_group(table: pd.DataFrame, names: list[str]) -> pd.Series:
    """Join the group-by columns of a table to one text, empty for the rows over all."""
    return table.apply(
        lambda row: ", ".join(f"{n}={row[n]}" for n in names if not pd.isna(row[n])) or None, axis=1
    )


AVERAGED = ["hypothesis", "measure", "average"]


def test_views_of_averages_equal_the_summaries(
    place: Place, database: "duckdb.DuckDBPyConnection"
) -> None:
    """History, trend and each system's latest good night agree with the nights' summaries."""
    parts = []
    for night in NIGHTS:
        part = place.night(night, "summary").assign(date=pd.Timestamp(night))
        parts.append(part.assign(groups=by_group(part, ["program", "reference"])))
    expected = pd.concat(parts).drop(columns=["program", "reference"])
    frame = database.execute("FROM history").df()
    assert {"program=news, reference=desk", "program=talk, reference=consensus:0.5"} <= set(
        frame["groups"]
    )
    beside = ["run", "signature", "version", "outcome", "gate", "good", "accepted"]
    key = ["date", *AVERAGED, "groups"]
    assert_same_rows(frame.drop(columns=beside), expected, key)
    assert set(frame[frame["gate"] == "failed"]["hypothesis"]) == {"other"}

    key = [*AVERAGED, "groups"]
    expected["change"] = expected.groupby(key, dropna=False)["value"].diff()
    trend = database.execute("FROM trend").df()
    assert (trend["time"] == trend["date"]).all()
    assert_same_rows(
        trend.drop(columns=["time", "signature", "outcome", "gate", "good", "accepted"]),
        expected.drop(columns="sd"),
        ["date", *key],
    )
    latest = database.execute("FROM latest_good").df()
    night = expected["hypothesis"].map(lambda system: SECOND if system == "other" else FAILED)
    last = expected[expected["date"] == pd.to_datetime(night)].drop(columns="change")
    assert_same_rows(latest.drop(columns=beside), last, key)


def test_nights(place: Place, database: "duckdb.DuckDBPyConnection") -> None:
    """Nights and verdicts agree with run.json and night.json; no other nights are listed."""
    frame = database.execute("SELECT * FROM nights ORDER BY date").df()
    assert [f"{night:%Y-%m-%d}" for night in frame["date"]] == list(NIGHTS)
    for row in frame.to_dict("records"):
        night = f"{row['date']:%Y-%m-%d}"
        record, verdict = (place.nights.read(night, f"{name}.json") for name in ("run", "night"))
        for name in ("signature", "fingerprint", "pairs"):
            assert row[name] == record[name]
        for name in ("outcome", "good", "exit_code"):
            assert row[name] == verdict[name]
        assert row["finished_at"] == pd.Timestamp(verdict["finished_at"]).tz_localize(None)
        assert row["scored"] == record["rows"]["hypotheses"]["scored"]
        for name in ("rejected", "unpaired"):
            assert row[name] == sum(rows[name] for rows in record["rows"].values())
        assert row["seconds"] == pytest.approx(sum(record["seconds"].values()))
    verdicts = [place.nights.read(night, "night.json") for night in NIGHTS]
    checks = pd.DataFrame([c | {"date": v["date"]} for v in verdicts for c in v["checks"]])
    gate = database.execute(
        "SELECT * EXCLUDE (time, outcome, moved)"
        " REPLACE (CAST(date AS VARCHAR) AS date, CAST(against AS VARCHAR) AS against) FROM gate"
    ).df()
    assert_same_rows(gate, checks.drop(columns="moved"), ["date", "system"])
    moved = [
        {"date": v["date"], "rule": c["rule"], "system": c["system"], "measure": c["measure"], **m}
        for v in verdicts
        for c in v["checks"]
        for m in c["moved"]
    ]
    frame = database.execute(
        "SELECT * EXCLUDE (time) REPLACE (CAST(date AS VARCHAR) AS date) FROM moved"
    ).df()
    assert_same_rows(frame, pd.DataFrame(moved), ["document_id"])


def test_the_verdict_of_a_replaced_run_is_not_shown(place: Place) -> None:
    """The verdict on an earlier run of a night does not appear for the run that replaced it."""
    verdict_file = Path(place.nights.folder_of(FAILED), "night.json")
    text = verdict_file.read_text()
    try:
        verdict_file.write_text(json.dumps(json.loads(text) | {"run": "00000000"}))
        with place.connect() as database:
            frame = database.execute("SELECT outcome, good FROM nights ORDER BY date").fetchall()
    finally:
        verdict_file.write_text(text)
    assert frame == [("passed", True), ("passed", True), (None, False)]


def test_views_of_documents_equal_the_scores(
    place: Place, database: "duckdb.DuckDBPyConnection"
) -> None:
    """The scores are those that run.json lists; the worst documents follow either direction."""
    expected = place.night(FAILED, "scores")
    frame = database.execute(f"FROM scores_of('{FAILED}')").df()
    assert_same_rows(frame, expected, ["document_id", "reference", "hypothesis"])
    assert not database.execute("FROM scores_of('2026-01-04')").fetchall()
    original = expected[~expected["reference"].str.startswith("consensus:")]
    for measure, ascending in (("boundary_similarity", True), ("pk", False)):
        worst = database.execute(f"FROM worst_documents('{FAILED}', '{measure}')").df()
        grouped = original.groupby(["document_id", "hypothesis"])[measure].agg(["mean", "count"])
        grouped = grouped[grouped["count"] > 0].reset_index()
        grouped.columns = worst.columns
        assert_same_rows(worst, grouped, ["document_id", "hypothesis"])
        assert worst["value"].is_monotonic_increasing == ascending
        assert worst["value"].is_monotonic_decreasing != ascending
    assert not database.execute(f"FROM worst_documents('{FAILED}', 'win_diff_prime')").fetchall()
    better = {"higher": 1, "lower": -1, "neither": 0}
    assert dict(database.execute("FROM directions").fetchall()) == {
        measure.name: better[measure.better] for measure in ALL.values()
    }


def test_views_of_audits_equal_their_tables(
    place: Place, database: "duckdb.DuckDBPyConnection"
) -> None:
    """Agreement, coders and contested boundaries agree with the audits' own tables."""
    for table, key in (("agreement", ["coefficient", "similarity"]), ("coders", ["coder"])):
        parts = []
        for name in (AUDIT, "by hand"):
            part = listed(place.audits / name, table)
            group_text = by_group(part, ["group"]) if "group" in part else None
            parts.append(
                part.drop(columns="group", errors="ignore").assign(audit=name, groups=group_text)
            )
        frame = database.table(table).df().drop(columns=["date", "time"])
        assert_same_rows(frame, pd.concat(parts), ["audit", "groups", *key])
    contested = database.execute(f"FROM contested WHERE audit = '{AUDIT}'").df()
    marked = listed(place.audits / AUDIT, "prominence")
    supporters = marked["coders_within_half_window"]
    some = marked[supporters < marked["coders"]]
    assert len(contested) == len(some) > 0
    for row in contested.to_dict("records"):
        marks = [True] * row["supporters"] + [False] * (row["coders"] - row["supporters"])
        pairs = [one != other for i, one in enumerate(marks) for other in marks[:i]]
        assert row["disagreement"] == pytest.approx(sum(pairs) / len(pairs))
    dates = dict(database.execute("SELECT audit, CAST(date AS VARCHAR) FROM audits").fetchall())
    assert dates == {AUDIT: "2026-01-03", "by hand": None}


def test_views_of_older_audits_have_null_for_newer_columns(place: Place, tmp_path: Path) -> None:
    """An archive without nights, with only audits of an earlier version, has the same views."""
    import duckdb

    audit = tmp_path / "audits" / AUDIT
    shutil.copytree(place.audits / AUDIT, audit)
    (file,) = (audit / "coders").iterdir()
    older = pd.read_parquet(file).drop(columns=NEWER)
    older.to_parquet(file)
    with duckdb.connect() as database:
        database.execute(f"CREATE MACRO audit_archive() AS '{tmp_path / 'audits'}'")
        database.execute((FOLDER / "audits.sql").read_text("utf-8"))
        coders = database.table("coders").df()
    assert coders[NEWER].isna().all(axis=None)
    groups = by_group(older, ["group"])
    expected = older.drop(columns="group").assign(audit=AUDIT, groups=groups)
    assert_same_rows(coders.drop(columns=["date", "time", *NEWER]), expected, ["groups", "coder"])


def test_both_files_of_views_define_the_same_macros() -> None:
    views, audits = ((FOLDER / f"{name}.sql").read_text("utf-8") for name in ("views", "audits"))
    for name in ("folder_of", "date_of", "groups_of"):
        definitions = [text.split(f" {name}(")[1].split(";")[0] for text in (views, audits)]
        assert definitions[0] == definitions[1], name


CHOSEN = {
    "measure": ["boundary_similarity"],
    "average": ["micro"],
    "group": ["all"],
    "system": ["steady", "other", "point:none"],
    "night": [FAILED],
    "audit": [AUDIT],
}


def filled_in(sql: str) -> str:
    """Fill in a query as Grafana and the plug-in send it, over the month of the archive."""

    def quoted(name: re.Match[str]) -> str:
        return ", ".join("'" + text.replace("'", "''") + "'" for text in CHOSEN[name[1]])

    sql = re.sub(r"\$\{(\w+):sqlstring\}", quoted, sql)
    month = r"\1 >= '2026-01-01T00:00:00Z' AND \1 <= '2026-01-31T23:59:59Z'"
    sql = re.sub(r"\$__timeFilter\((\w+)\)", month, sql)
    assert "$" not in sql, sql
    return sql


PANELS_BY_TITLE = {panel["title"]: panel for panel in GRAFANA["panels"] if panel["type"] != "row"}


@pytest.mark.parametrize("title", PANELS_BY_TITLE)
def test_every_panel_returns_rows(database: "duckdb.DuckDBPyConnection", title: str) -> None:
    """Each query returns rows; those of a time series begin with an ascending time."""
    panel = PANELS_BY_TITLE[title]
    (target,) = panel["targets"]
    frame = database.execute(filled_in(target["rawSql"])).df()
    assert len(frame)
    kinds = {"timeseries": 0, "state-timeline": 0, "table": 1}
    assert target["format"] == kinds[panel["type"]]
    if target["format"] == 0:
        assert frame.columns[0] == "time" and frame["time"].is_monotonic_increasing
        assert any(pd.api.types.is_numeric_dtype(frame[name]) for name in frame.columns)


def test_panels_show_expected_values(place: Place, database: "duckdb.DuckDBPyConnection") -> None:
    def shown(title: str) -> pd.DataFrame:
        (target,) = PANELS_BY_TITLE[title]["targets"]
        return database.execute(filled_in(target["rawSql"])).df()

    mapped = PANELS_BY_TITLE["Nights"]["fieldConfig"]["defaults"]["mappings"][0]["options"]
    outcomes = [mapped[str(code)]["text"] for code in shown("Nights")["night"]]
    assert outcomes == ["passed", "passed", "failed"]
    gate = shown("Gate")
    values = {
        (f"{row.time:%Y-%m-%d}", row.system): mapped[str(row.state)]["text"]
        for row in gate.itertuples()
        if not row.rule.startswith("level:")
    }
    assert values[FAILED, "other"] == "failed" and values[FAILED, "steady"] == "passed"
    summary = place.night(FAILED, "summary")
    micro = summary[
        (summary["measure"] == "boundary_similarity")
        & (summary["average"] == "micro")
        & summary["program"].isna()
        & summary["reference"].isna()
    ].set_index("hypothesis")["value"]
    worst = shown("Systems on $night, the worst first").set_index("system")["value"]
    assert list(worst.index) == list(micro.sort_values().index)
    assert worst.to_dict() == pytest.approx(micro.to_dict())
    lines = shown("$measure, $average: $group")
    (value,) = lines[(lines["time"] == FAILED) & (lines["system"] == "other")]["value"]
    assert value == pytest.approx(micro["other"])
    rates = shown("Boundary rates of coders").set_index("coder")["rate"]
    coders = listed(place.audits / AUDIT, "coders")
    over_all = coders[coders["group"].isna()].set_index("coder")["rate"]
    assert rates.to_dict() == pytest.approx(over_all.to_dict())


def test_every_variable_returns_values(database: "duckdb.DuckDBPyConnection") -> None:
    """The values include the default, and there are no other queries."""
    variables = {variable["name"]: variable for variable in GRAFANA["templating"]["list"]}
    for name, variable in variables.items():
        if variable["type"] == "query":
            values = [
                value for (value,) in database.execute(filled_in(variable["query"])).fetchall()
            ]
            assert values and len(values) == len(set(values)), name
            assert set(CHOSEN[name]) <= set(values), name
            first = variable.get("current", {}).get("value", values[0])
            assert first in [*values, "$__all"], name
    text = json.dumps(GRAFANA)
    assert set(re.findall(r"\$\{(\w+)", text)) <= variables.keys()
    assert set(re.findall(r"\$([a-z]\w*)", text)) <= variables.keys()


def test_the_dashboard_equals_the_scripts_output() -> None:
    script = runpy.run_path(str(FOLDER / "dashboard.py"))
    assert json.loads(script["text"]()) == GRAFANA, "run `make dashboard`"


def test_the_dashboard_can_be_imported_into_any_grafana() -> None:
    """Ids are unique, data sources are named only by the variable, panels do not overlap."""
    panels = GRAFANA["panels"]
    ids = [panel["id"] for panel in panels]
    assert len(ids) == len(set(ids))
    (source,) = (v for v in GRAFANA["templating"]["list"] if v["type"] == "datasource")
    named = set(re.findall(r'"uid": "([^"]+)"', json.dumps(GRAFANA)))
    assert named == {"segscore", "${" + source["name"] + "}"}
    cells = [
        (x, y)
        for panel in panels
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(cells) == len(set(cells)) and max(x for x, _ in cells) < 24


def selectors(expression: Any) -> list[Any]:
    """Return the vector selectors of an expression."""
    result = []

    def look(part: Any) -> bool:
        if isinstance(part, promql.VectorSelector):
            result.append(part)
        return True

    promql.walk(expression, look)
    return result


def test_alerts_use_metrics_that_nights_write(place: Place) -> None:
    """A night has written every metric, label and outcome that a rule names."""
    metrics_text = place.nights.metrics.read_text()
    labels = {
        name: set(re.findall(r"(\w+)=", inside))
        for name, inside in re.findall(r"^(\w+)(?:\{(.*?)\})? ", metrics_text, re.MULTILINE)
    }
    rules = [
        rule
        for group in yaml.safe_load((FOLDER / "alerts.yaml").read_text())["groups"]
        for rule in group["rules"]
    ]
    recorded = {rule["record"] for rule in rules if "record" in rule}
    for rule in rules:
        of_rule: set[str] = set()
        for selector in selectors(promql.parse(rule["expr"])):
            assert selector.name in labels.keys() | recorded, rule
            of_rule |= labels.get(selector.name, {"table"})
            for matcher in selector.matchers.matchers:
                assert matcher.name in labels[selector.name]
                assert set(matcher.value.split("|")) <= {*OUTCOMES, WAITING, BROKEN, "hypotheses"}
        used = set(re.findall(r"\$labels\.(\w+)", json.dumps(rule)))
        assert used <= of_rule, rule
        if "alert" in rule:
            assert rule["labels"]["severity"] in ("warning", "critical")
            assert {"summary", "description"} == rule["annotations"].keys()
    alerts = [rule["alert"] for rule in rules if "alert" in rule]
    assert alerts and len(alerts) == len(set(alerts))
    assert all(f"`{alert}`" in PAGE for alert in alerts)


def write_database(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the script that writes the file of views."""
    command = [sys.executable, FOLDER / "database.py", *arguments]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True)


def test_the_script_writes_a_file_of_views(place: Place, tmp_path: Path) -> None:
    """The file can be opened without segscore from any folder, and shows nights made later."""
    import duckdb

    nights = tmp_path / "nights"
    shutil.copytree(place.nights.runs, nights)
    hidden = tmp_path / "hidden"
    (nights / f"date={FAILED}").rename(hidden)
    file = tmp_path / "new" / "segscore.duckdb"
    result = write_database(file, "--runs", os.path.relpath(nights), "--audits", place.audits)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    hidden.rename(nights / f"date={FAILED}")
    with duckdb.connect(file, read_only=True) as database:
        shown = database.execute("SELECT outcome FROM nights ORDER BY date").fetchall()
        assert shown == [("passed",), ("passed",), ("failed",)]
        assert database.execute("SELECT count(*) FROM contested").fetchall() > [(0,)]
        (tags,) = database.execute(
            "SELECT tags FROM duckdb_databases() WHERE path IS NOT NULL"
        ).fetchone() or ({},)
    assert tags["storage_version"].startswith("v1.4.0")


def test_the_script_leaves_an_earlier_file_if_there_is_no_history(
    place: Place, tmp_path: Path
) -> None:
    file = tmp_path / "segscore.duckdb"
    file.write_bytes(b"earlier")
    result = write_database(file, "--runs", tmp_path)
    assert result.returncode == 1
    assert result.stderr.startswith(f"{file}: not written: IO Error: No files found")
    assert list(tmp_path.iterdir()) == [file] and file.read_bytes() == b"earlier"
    assert write_database(file).returncode == 2
    audits = write_database(file, "--audits", place.audits)
    assert (audits.returncode, audits.stderr) == (0, "")
    assert file.read_bytes() != b"earlier"


BLOCKS = re.findall(r"^```(sql|python)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_queries_and_scripts_of_the_page_run(
    place: Place, number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each query of the page returns rows; each script succeeds where a reader would run it."""
    language, text = BLOCKS[number]
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / "runs").symlink_to(place.nights.runs)
    (tmp_path / "archive" / "audits").symlink_to(place.audits)
    (tmp_path / "deploy").symlink_to(FOLDER.parent)
    monkeypatch.chdir(tmp_path)
    if language == "python":
        exec(compile(text, f"block {number}", "exec"), {})  # noqa: S102
        return
    with place.connect() as database:
        assert database.execute(text).fetchall(), text


def test_the_worst_documents_of_the_page_are_listed_once_each(
    place: Place, database: "duckdb.DuckDBPyConnection"
) -> None:
    """A row has a document's means over its references; some documents have several."""
    (query,) = (text for _, text in BLOCKS if "FROM worst_documents" in text)
    listed = database.execute(query.replace("2026-01-03", FAILED)).df().set_index("document_id")
    scores = place.night(FAILED, "scores").query("hypothesis == 'other'")
    scores = scores[~scores["reference"].str.startswith("consensus:")]
    assert listed.index.is_unique and scores["document_id"].duplicated().any()
    assert len(listed) == 20
    means = scores.groupby("document_id")[["boundary_similarity", "misses", "false_alarms"]].mean()
    for name in ("misses", "false_alarms"):
        assert listed[name].to_dict() == means.loc[listed.index, name].to_dict()
    worst = means["boundary_similarity"].sort_values().to_list()[:20]
    assert listed["value"].to_list() == pytest.approx(worst)

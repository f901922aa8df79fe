"""deploy/dashboards/superset.zip: its queries run on an archive of real nights, and it is whole."""

import json
import runpy
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

import pandas as pd
import pytest
import yaml

from tests.support.dashboards import FAILED, FOLDER, Place

if TYPE_CHECKING:
    import duckdb


class Export:
    """The export for Superset, as it is committed."""

    def __init__(self) -> None:
        """Read its files; JSON is also YAML, which Superset reads."""
        with ZipFile(FOLDER / "superset.zip") as zipped:
            self.files = {
                name.removeprefix("segscore/"): yaml.safe_load(zipped.read(name))
                for name in zipped.namelist()
            }

    def of(self, kind: str) -> dict[str, Any]:
        """Return the assets of a kind by their identifiers."""
        return {
            asset["uuid"]: asset
            for name, asset in self.files.items()
            if name.startswith(f"{kind}/")
        }

    def query(self, chart: dict[str, Any]) -> str:
        """Write the query of a chart as Superset does, with the filters that are chosen first."""
        view = self.of("datasets")[chart["dataset_uuid"]]
        names = {column["column_name"] for column in view["columns"]}
        given = chart["params"]
        if given.get("query_mode") == "raw":
            order = ", ".join(
                f"{name} {'ASC' if ascending else 'DESC'}"
                for name, ascending in map(json.loads, given["order_by_cols"])
            )
            picked = ", ".join(given["all_columns"])
            return f"SELECT {picked} FROM {view['table_name']} ORDER BY {order}"  # noqa: S608
        keys = [given["x_axis"], *given["groupby"]]
        assert names >= set(keys)
        metrics = [f"{it['sqlExpression']} AS {it['label']}" for it in given["metrics"]]
        chosen = [
            (it["col"], it["val"][0])
            for choice in self.choices()
            for it in choice["defaultDataMask"]["extraFormData"].get("filters", [])
            if it["col"] in names
        ]
        expressions = {it["column_name"]: it.get("expression") for it in view["columns"]}
        where = " AND ".join(f"{expressions[name] or name} = '{value}'" for name, value in chosen)
        return (
            f"SELECT {', '.join([*keys, *metrics])} FROM {view['table_name']}"  # noqa: S608
            f" WHERE {where or 'true'} GROUP BY {', '.join(keys)} ORDER BY {keys[0]}"
        )

    def choices(self) -> list[dict[str, Any]]:
        """Return the filters of the dashboard."""
        (board,) = self.of("dashboards").values()
        choices: list[dict[str, Any]] = board["metadata"]["native_filter_configuration"]
        return choices


pytestmark = pytest.mark.long

EXPORT = Export()
CHARTS = {chart["slice_name"]: chart for chart in EXPORT.of("charts").values()}


def test_the_export_equals_the_scripts_output() -> None:
    script = runpy.run_path(str(FOLDER / "superset.py"))
    assert script["archive"]() == (FOLDER / "superset.zip").read_bytes(), "run `make dashboard`"


def test_assets_refer_to_each_other() -> None:
    """Every identifier is one of the export, and every chart is on the dashboard."""
    (database,) = EXPORT.of("databases")
    datasets, charts = EXPORT.of("datasets"), EXPORT.of("charts")
    assert {view["database_uuid"] for view in datasets.values()} == {database}
    assert {chart["dataset_uuid"] for chart in charts.values()} == datasets.keys()
    (board,) = EXPORT.of("dashboards").values()
    placed = [it for it in board["position"].values() if isinstance(it, dict)]
    on_it = {it["meta"]["chartId"]: it["meta"]["uuid"] for it in placed if it["type"] == "CHART"}
    assert set(on_it.values()) == charts.keys()
    ids = {it["id"] for it in placed}
    assert {child for it in placed for child in it["children"]} == ids - {"ROOT_ID"}
    for choice in EXPORT.choices():
        (target,) = choice["targets"]
        name = target["column"]["name"]
        filtered = on_it.keys() - set(choice["scope"]["excluded"])
        for view in (
            datasets[target["datasetUuid"]],
            *(datasets[charts[on_it[number]]["dataset_uuid"]] for number in filtered),
        ):
            assert name in {column["column_name"] for column in view["columns"]}


def test_datasets_are_views_of_the_database(
    database: "duckdb.DuckDBPyConnection",
) -> None:
    for view in EXPORT.of("datasets").values():
        described = database.execute(f"DESCRIBE {view['table_name']}").fetchall()
        types = {name: kind for name, kind, *_ in described}
        for column in view["columns"]:
            if column.get("expression"):
                query = f"SELECT {column['expression']} AS it FROM {view['table_name']}"  # noqa: S608
                ((_, kind, *_),) = database.execute(f"DESCRIBE {query}").fetchall()
                assert kind == column["type"]
            else:
                assert types[column["column_name"]] == column["type"]


@pytest.mark.parametrize("title", CHARTS)
def test_every_chart_returns_rows(database: "duckdb.DuckDBPyConnection", title: str) -> None:
    """Every number and date has a format; a line has one value for each night."""
    chart = CHARTS[title]
    given = chart["params"]
    frame = database.execute(EXPORT.query(chart)).df()
    assert len(frame)
    if given.get("query_mode") == "raw":
        numbers = {name for name in frame if pd.api.types.is_numeric_dtype(frame[name])}
        assert given["column_config"].keys() == numbers
        assert given["table_timestamp_format"] == "%Y-%m-%d"
    else:
        assert not frame.duplicated(["time", *given["groupby"]]).any()
        assert given["x_axis_time_format"] == "%Y-%m-%d" and given["y_axis_format"]


def test_a_chart_shows_the_averages_of_the_summary(
    place: Place, database: "duckdb.DuckDBPyConnection"
) -> None:
    frame = database.execute(EXPORT.query(CHARTS["Averages over nights"])).df()
    summary = place.night(FAILED, "summary")
    over_all = summary["program"].isna() & summary["reference"].isna()
    micro = (summary["measure"] == "boundary_similarity") & (summary["average"] == "micro")
    expected = summary[over_all & micro].set_index("hypothesis")["value"]
    shown = frame[frame["time"] == FAILED].set_index("hypothesis")["value"]
    assert shown.to_dict() == expected.to_dict()

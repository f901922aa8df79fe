"""Write superset.zip, a dashboard of nights for Apache Superset; `make dashboard` runs this.

All files in it are JSON, which is also YAML, the format that Superset imports.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5
from zipfile import ZipFile, ZipInfo

URI = "duckdb:////var/lib/segscore/segscore.duckdb?access_mode=READ_ONLY"
NUMBER, SECONDS, COUNT, DAY = ".4f", ".1f", ",d", "%Y-%m-%d"
"""Formats of values, durations, counts and dates."""

GROUP = "coalesce(groups, 'all')"
TEXT, DATE, TIME, REAL, WHOLE = "VARCHAR", "DATE", "TIMESTAMP", "DOUBLE", "BIGINT"
AVERAGES = {"hypothesis": TEXT, "measure": TEXT, "average": TEXT, "value": REAL}
INTERVAL = {"ci_low": REAL, "ci_high": REAL, "documents": WHOLE}
CHECK = {"date": DATE, "system": TEXT, "rule": TEXT, "value": REAL, "before": REAL}
COLUMNS: Mapping[str, Mapping[str, str]] = {
    "trend": {"time": TIME, **AVERAGES, **INTERVAL, "change": REAL},
    "latest_good": {"date": DATE, **AVERAGES, **INTERVAL},
    "nights": {
        "date": DATE,
        "time": TIME,
        "outcome": TEXT,
        "finished_at": TIME,
        "scored": WHOLE,
        "rejected": WHOLE,
        "unpaired": WHOLE,
        "seconds": REAL,
    },
    "gate": {**CHECK, "change": REAL, "p_adjusted": REAL, "result": TEXT},
    "moved": {**CHECK, "document_id": TEXT},
    "levels": {"time": TIME, **CHECK, "place": TEXT, "change": REAL, "since": DATE, "result": TEXT},
    "densities": {"time": TIME, "system": TEXT, "place": TEXT, "per_unit": REAL},
    "restatements": {
        "date": DATE,
        "restated_at": TIME,
        "system": TEXT,
        "measure": TEXT,
        "before": REAL,
        "after": REAL,
        "reason": TEXT,
    },
}
"""View -> its columns that are used, and their types."""

CHOSEN = {"measure": "boundary_similarity", "average": "micro", "group": "all"}
"""Filter of one value -> its value when the dashboard is opened."""


@dataclass(frozen=True)
class Chart:
    """A chart of the dashboard.

    Attributes:
        title: its title.
        kind: Superset's name of its kind.
        view: the view that it reads.
        settings: its settings.
        width: in columns, of which a row has 12.
    """

    title: str
    kind: str
    view: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    width: int = 6


def identity(kind: str, name: str) -> str:
    """Return the identifier of an asset, which never changes: an import replaces an earlier one."""
    return str(uuid5(NAMESPACE_URL, f"segscore/{kind}/{name}"))


def metric(label: str, sql: str) -> dict[str, Any]:
    """Describe a number over the rows of a point."""
    return {"expressionType": "SQL", "sqlExpression": sql, "label": label, "hasCustomLabel": True}


def over_nights(metrics: Sequence[dict[str, Any]], series: Sequence[str], form: str) -> Any:
    """Return the settings of a chart with one point per night."""
    return {
        "x_axis": "time",
        "metrics": metrics,
        "groupby": series,
        "adhoc_filters": [],
        "row_limit": 10_000,
        "show_legend": True,
        "markerEnabled": True,
        "x_axis_time_format": DAY,
        "tooltipTimeFormat": DAY,
        "y_axis_format": form,
    }


def rows(view: str, columns: Sequence[str], order: Sequence[tuple[str, bool]]) -> Any:
    """Return the settings of a table of rows.

    Args:
        view: the view.
        columns: the columns, from the left.
        order: columns to sort by, and whether from the smallest.
    """
    forms = {
        name: {REAL: SECONDS if name == "seconds" else NUMBER, WHOLE: COUNT}[kind]
        for name, kind in COLUMNS[view].items()
        if kind in (REAL, WHOLE)
    }
    return {
        "query_mode": "raw",
        "all_columns": columns,
        "order_by_cols": [json.dumps(pair) for pair in order],
        "adhoc_filters": [],
        "row_limit": 1000,
        "table_timestamp_format": DAY,
        "show_cell_bars": False,
        "column_config": {
            name: {"d3NumberFormat": forms[name]} for name in columns if name in forms
        },
    }


CHECKED = ["date", "system", "rule", "before", "value", "change", "p_adjusted", "result"]
NEWEST = ("date", False)
CHARTS = (
    Chart(
        "Averages over nights",
        "echarts_timeseries_line",
        "trend",
        over_nights([metric("value", "MAX(value)")], ["hypothesis"], NUMBER),
        width=12,
    ),
    Chart(
        "Latest good night of each system",
        "table",
        "latest_good",
        rows(
            "latest_good",
            ["hypothesis", "date", "value", "ci_low", "ci_high", "documents"],
            [("hypothesis", True)],
        ),
    ),
    Chart(
        "Nights",
        "table",
        "nights",
        rows("nights", ["date", "outcome", "scored", "rejected", "unpaired", "seconds"], [NEWEST]),
    ),
    Chart(
        "Gate",
        "table",
        "gate",
        rows("gate", CHECKED, [NEWEST, ("system", True), ("rule", True)]),
        width=12,
    ),
    Chart(
        "Input rows",
        "echarts_timeseries_bar",
        "nights",
        over_nights(
            [metric(name, f"SUM({name})") for name in ("scored", "rejected", "unpaired")], [], COUNT
        ),
    ),
    Chart(
        "Levels, against the other systems",
        "echarts_timeseries_line",
        "levels",
        over_nights([metric("change", "MAX(change)")], ["rule", "system", "place"], NUMBER),
    ),
    Chart(
        "Boundaries by unit",
        "echarts_timeseries_line",
        "densities",
        over_nights([metric("boundaries", "MAX(per_unit)")], ["system", "place"], NUMBER),
    ),
    Chart(
        "Restated nights",
        "table",
        "restatements",
        rows(
            "restatements",
            ["date", "restated_at", "system", "measure", "before", "after", "reason"],
            [("restated_at", False), ("system", True)],
        ),
        width=12,
    ),
    Chart(
        "Documents that worsened most on failed nights",
        "table",
        "moved",
        rows("moved", ["date", "system", "document_id", "before", "value"], [NEWEST]),
    ),
)


def dataset(view: str) -> dict[str, Any]:
    """Describe a view of the database."""
    columns: list[dict[str, Any]] = [
        {
            "column_name": name,
            "type": kind,
            "is_dttm": kind in (DATE, TIME),
            "is_active": True,
        }
        | {"groupby": True, "filterable": True}
        for name, kind in COLUMNS[view].items()
    ]
    if "average" in COLUMNS[view]:
        columns.append(
            {"column_name": "group", "type": TEXT, "expression": GROUP, "is_dttm": False}
            | {"is_active": True, "groupby": True, "filterable": True}
        )
    return {
        "table_name": view,
        "schema": "main",
        "main_dttm_col": "time" if "time" in COLUMNS[view] else "date",
        "uuid": identity("dataset", view),
        "database_uuid": identity("database", "segscore"),
        "columns": columns,
        "metrics": [],
    }


def chart(described: Chart) -> dict[str, Any]:
    """Describe a chart."""
    return {
        "slice_name": described.title,
        "viz_type": described.kind,
        "params": {**described.settings, "viz_type": described.kind},
        "uuid": identity("chart", described.title),
        "dataset_uuid": identity("dataset", described.view),
    }


def choice(column: str, label: str) -> dict[str, Any]:
    """Describe a filter at the side of the dashboard; it applies to the charts of averages."""
    first = CHOSEN.get(column)
    chosen: dict[str, Any] = {"extraFormData": {}, "filterState": {}}
    if first is not None:
        chosen["extraFormData"] = {"filters": [{"col": column, "op": "IN", "val": [first]}]}
        chosen["filterState"] = {"value": [first], "label": first}
    numbered = enumerate(CHARTS, 1)
    return {
        "id": f"NATIVE_FILTER-{column}",
        "name": label,
        "type": "NATIVE_FILTER",
        "filterType": "filter_select",
        "targets": [{"column": {"name": column}, "datasetUuid": identity("dataset", "trend")}],
        "controlValues": {"multiSelect": first is None, "enableEmptyFilter": first is not None},
        "defaultDataMask": chosen,
        "cascadeParentIds": [],
        "scope": {
            "rootPath": ["ROOT_ID"],
            "excluded": [number for number, it in numbered if "average" not in COLUMNS[it.view]],
        },
    }


def lines() -> list[list[int]]:
    """Return the numbers of the charts in each line of the dashboard."""
    filled: list[list[int]] = []
    left = 0
    for number, described in enumerate(CHARTS, 1):
        if described.width > left:
            filled.append([])
            left = 12
        filled[-1].append(number)
        left -= described.width
    return filled


def layout() -> dict[str, Any]:
    """Place the charts in lines."""
    names = [f"ROW-{index}" for index in range(len(lines()))]
    placed: dict[str, Any] = {
        "DASHBOARD_VERSION_KEY": "v2",
        "ROOT_ID": {"type": "ROOT", "id": "ROOT_ID", "children": ["GRID_ID"]},
        "GRID_ID": {"type": "GRID", "id": "GRID_ID", "children": names, "parents": ["ROOT_ID"]},
    }
    for name, numbers in zip(names, lines(), strict=True):
        children = [f"CHART-{number}" for number in numbers]
        above = ["ROOT_ID", "GRID_ID"]
        placed[name] = {"type": "ROW", "id": name, "children": children, "parents": above}
        placed[name]["meta"] = {"background": "BACKGROUND_TRANSPARENT"}
        for number, child in zip(numbers, children, strict=True):
            described = CHARTS[number - 1]
            meta = {"chartId": number, "uuid": identity("chart", described.title), "height": 50}
            meta |= {"width": described.width, "sliceName": described.title}
            placed[child] = {"type": "CHART", "id": child, "children": [], "meta": meta}
            placed[child]["parents"] = [*above, name]
    return placed


def dashboard() -> dict[str, Any]:
    """Describe the dashboard."""
    labels = {**{name: name for name in CHOSEN}, "hypothesis": "system"}
    return {
        "dashboard_title": "segscore: nights",
        "slug": "segscore",
        "uuid": identity("dashboard", "nights"),
        "published": True,
        "position": layout(),
        "metadata": {
            "native_filter_configuration": [choice(*pair) for pair in labels.items()],
            "cross_filters_enabled": False,
        },
    }


def assets() -> dict[str, dict[str, Any]]:
    """Return the files of the export by name."""
    database = {
        "database_name": "segscore",
        "sqlalchemy_uri": URI,
        "expose_in_sqllab": True,
        "extra": {"allows_virtual_table_explore": True},
        "uuid": identity("database", "segscore"),
    }
    files = {"databases/segscore.yaml": database, "dashboards/nights.yaml": dashboard()}
    files |= {f"datasets/segscore/{view}.yaml": dataset(view) for view in COLUMNS}
    files |= {
        f"charts/{number}.yaml": chart(described) for number, described in enumerate(CHARTS, 1)
    }
    about = {"type": "Dashboard", "timestamp": "2026-11-22T00:00:00+00:00"}
    files["metadata.yaml"] = about
    return {name: {**content, "version": "1.0.0"} for name, content in files.items()}


def archive() -> bytes:
    """Return the contents of superset.zip, which are the same each time."""
    content = BytesIO()
    with ZipFile(content, "w") as zipped:
        for name, asset in sorted(assets().items()):
            text = json.dumps(asset, indent=1) + "\n"
            zipped.writestr(ZipInfo(f"segscore/{name}"), text)  # dated 1980, not compressed
    return content.getvalue()


if __name__ == "__main__":
    (Path(__file__).parent / "superset.zip").write_bytes(archive())

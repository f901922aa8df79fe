"""The dashboard grafana.json: `make dashboard` writes it, from the panels and queries below."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from grafana_foundation_sdk.builders import common as building
from grafana_foundation_sdk.builders.dashboard import (
    CustomVariable,
    Dashboard,
    DatasourceVariable,
    QueryVariable,
    Row,
)
from grafana_foundation_sdk.builders.statetimeline import Panel as StateTimeline
from grafana_foundation_sdk.builders.table import Panel as Table
from grafana_foundation_sdk.builders.timeseries import Panel as TimeSeries
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.variants import Dataquery
from grafana_foundation_sdk.models.common import GraphDrawStyle, VisibilityMode
from grafana_foundation_sdk.models.dashboard import (
    DataSourceRef,
    DynamicConfigValue,
    ValueMap,
    ValueMappingResult,
    VariableModel,
    VariableOption,
    VariableRefresh,
)

PLUGIN = "motherduck-duckdb-datasource"
SOURCE = DataSourceRef(type_val=PLUGIN, uid="${datasource}")

TIME_SERIES, TABLE = 0, 1
"""Formats of an answer, as the plug-in numbers them."""

STATES = {
    "passed": "green",
    "incomplete": "yellow",
    "undecided": "blue",
    "not_comparable": "orange",
    "undefined": "dark-red",
    "failed": "red",
}
STATE = f"list_position({list(STATES)}, {{}})"
"""A state as a number: series of text are none for the plug-in."""

ASKED = """measure = ${measure:sqlstring} AND average = ${average:sqlstring}
    AND coalesce(groups, 'all') = ${group:sqlstring}"""


@dataclass(frozen=True)
class Query(Dataquery, Builder[Dataquery]):
    """A query of a panel; builds itself."""

    sql: str
    form: int

    def build(self) -> Dataquery:
        """It is built."""
        return self

    def to_json(self) -> dict[str, Any]:
        """As the plug-in keeps it."""
        return {
            "datasource": SOURCE,
            "editorMode": "code",
            "format": self.form,
            "rawQuery": True,
            "rawSql": self.sql,
            "refId": "A",
        }


def chosen(name: str, label: str, sql: str, first: str | None = None) -> QueryVariable:
    """A variable whose values a query finds, one after the other."""
    found = QueryVariable(name).label(label).query(sql).datasource(SOURCE)
    found.refresh(VariableRefresh.ON_DASHBOARD_LOAD)
    return found if first is None else found.current(VariableOption(text=first, value=first))


def variables() -> list[Builder[VariableModel]]:
    """What a reader chooses."""
    systems = chosen(
        "system", "system", "SELECT DISTINCT hypothesis FROM history ORDER BY hypothesis"
    )
    return [
        DatasourceVariable("datasource").label("DuckDB").type(PLUGIN),
        chosen(
            "measure",
            "measure",
            "SELECT DISTINCT measure FROM history ORDER BY measure",
            "boundary_similarity",
        ),
        CustomVariable("average")
        .values("micro,macro")
        .current(VariableOption(text="micro", value="micro")),
        chosen(
            "group",
            "group",
            "SELECT DISTINCT coalesce(groups, 'all') AS told FROM history\n"
            "WHERE measure = ${measure:sqlstring} ORDER BY told = 'all' DESC, told",
            "all",
        ),
        systems.multi(True).include_all(True).current(VariableOption(text="All", value="$__all")),
        chosen(
            "night",
            "night",
            "SELECT CAST(date AS VARCHAR) AS told FROM nights ORDER BY told DESC",
        ),
        chosen(
            "audit",
            "audit",
            "SELECT audit FROM audits ORDER BY date DESC NULLS LAST, audit",
        ),
    ]


def series(title: str, says: str, sql: str) -> TimeSeries:
    """Lines over nights, a point a night."""
    panel = TimeSeries().title(title).description(says).datasource(SOURCE).height(9).span(12)
    panel.with_target(Query(sql, TIME_SERIES)).show_points(VisibilityMode.ALWAYS)
    return panel.span_nulls(True).legend(building.VizLegendOptions().show_legend(True))


def states(title: str, says: str, sql: str) -> StateTimeline:
    """States over nights, a line a series."""
    panel = StateTimeline().title(title).description(says).datasource(SOURCE).height(9).span(12)
    texts = {
        str(i): ValueMappingResult(text=state, color=color, index=i)
        for i, (state, color) in enumerate(STATES.items(), 1)
    }
    panel.with_target(Query(sql, TIME_SERIES)).mappings([ValueMap(options=texts)])
    return panel.merge_values(False).show_value(VisibilityMode.NEVER)


def table(title: str, says: str, sql: str) -> Table:
    """Rows as they are."""
    panel = Table().title(title).description(says).datasource(SOURCE).height(9).span(12)
    return panel.with_target(Query(sql, TABLE))


def averages() -> TimeSeries:
    """The systems beside each other."""
    return series(
        "$measure, $average: $group",
        "The average of each system, night by night.",
        f"""SELECT time, hypothesis AS system, value FROM trend
WHERE $__timeFilter(time) AND {ASKED}
    AND hypothesis IN (${{system:sqlstring}})
ORDER BY time, system""",
    )


def interval() -> TimeSeries:
    """One system and its interval, a panel for each."""
    band = [
        DynamicConfigValue("custom.lineWidth", 0),
        DynamicConfigValue("custom.showPoints", "never"),
    ]
    filled = [
        DynamicConfigValue("custom.fillBelowTo", "low"),
        DynamicConfigValue("custom.fillOpacity", 20),
    ]
    panel = series(
        "$system: $measure, $average: $group",
        "The average and its 95 % bootstrap interval.",
        f"""SELECT time, value, ci_low AS low, ci_high AS high FROM trend
WHERE $__timeFilter(time) AND {ASKED}
    AND hypothesis IN (${{system:sqlstring}})
ORDER BY time""",
    )
    panel.override_by_name("low", band).override_by_name("high", [*band, *filled])
    return panel.repeat("system").repeat_direction("h").max_per_row(2).span(24)


def outcomes() -> StateTimeline:
    """What nights came to."""
    return states(
        "Nights",
        "What the gate made of each night that was published.",
        f"""SELECT time, {STATE.format("outcome")} AS night FROM nights
WHERE $__timeFilter(time) AND outcome IS NOT NULL
ORDER BY time""",
    )


def checks() -> StateTimeline:
    """What the gate said of each rule and system."""
    return states(
        "Gate",
        "Each rule with each system: undefined fails, undecided passes.",
        f"""SELECT time, system, rule, {STATE.format("result")} AS told FROM gate
WHERE $__timeFilter(time) AND system IN (${{system:sqlstring}})
ORDER BY time, system, rule""",
    )


def rows() -> TimeSeries:
    """What became of the input."""
    return series(
        "Input rows",
        "Hypotheses scored; rows of all input tables that were rejected, or met no partner.",
        """SELECT time, scored, rejected, unpaired FROM nights
WHERE $__timeFilter(time)
ORDER BY time""",
    ).draw_style(GraphDrawStyle.BARS)


def documents() -> TimeSeries:
    """How many documents each system was scored on."""
    return series(
        "Documents",
        "On which each system was scored, in the group.",
        f"""SELECT time, hypothesis AS system, documents FROM trend
WHERE $__timeFilter(time) AND {ASKED}
    AND hypothesis IN (${{system:sqlstring}})
ORDER BY time, system""",
    )


def worst_systems() -> Table:
    """The systems of a night, the worst first."""
    return table(
        "Systems on $night, the worst first",
        "Change: since the night before that was scored alike.",
        f"""SELECT hypothesis AS system, value, ci_low, ci_high, change, documents, gate
FROM trend JOIN directions USING (measure)
WHERE date = CAST(${{night:sqlstring}} AS DATE) AND {ASKED}
ORDER BY value * better, system""",
    )


def worst_documents() -> Table:
    """The documents of a night, the worst first."""
    return table(
        "Documents on $night, the worst first",
        "The mean of the measure over the document's references. `segscore explain` shows one.",
        """SELECT document_id, hypothesis AS system, value, "references"
FROM worst_documents(${night:sqlstring}, ${measure:sqlstring})
WHERE hypothesis IN (${system:sqlstring})
LIMIT 50""",
    ).span(24)


def coder_rates() -> TimeSeries:
    """How coders' rates go from audit to audit."""
    return series(
        "Boundary rates of coders",
        "Boundaries over potential boundaries, in audits that have a date.",
        """SELECT time, coder, rate FROM coders
WHERE $__timeFilter(time) AND groups IS NULL
ORDER BY time, coder""",
    )


def apart() -> Table:
    """Who stands apart in an audit."""
    return table(
        "Coders in $audit",
        "Deviation: standard deviations of the rate from the mean of the group.",
        """SELECT coder, groups, documents, rate, rate_mean, deviation, flagged,
    peer_boundary_similarity
FROM coders
WHERE audit = ${audit:sqlstring}
ORDER BY abs(deviation) DESC NULLS LAST, coder, groups NULLS FIRST""",
    )


def agreement() -> Table:
    """How well coders agree."""
    return table(
        "Agreement in $audit",
        "Coefficients with their 95 % bootstrap intervals.",
        """SELECT groups, coefficient, similarity, value, ci_low, ci_high, coders, documents, pairs
FROM agreement
WHERE audit = ${audit:sqlstring}
ORDER BY groups NULLS FIRST, coefficient, similarity""",
    )


def contested() -> Table:
    """Which boundaries coders disagree about."""
    return table(
        "Contested boundaries in $audit",
        "Positions that some coders mark, at most half a window away, and others do not.",
        """SELECT document_id, position, coders, supporters, disagreement
FROM contested
WHERE audit = ${audit:sqlstring}
ORDER BY disagreement DESC, coders DESC, document_id, position
LIMIT 50""",
    )


def dashboard() -> Dashboard:
    """The whole dashboard."""
    made = Dashboard("segscore").uid("segscore").tags(["segscore"]).time("now-90d", "now")
    made.timezone("utc").variables(variables())
    parts: Sequence[tuple[str, Sequence[Any]]] = (
        ("Nights", (averages(), outcomes(), checks(), rows(), documents(), worst_systems())),
        ("Systems, one by one", (interval(),)),
        ("Documents", (worst_documents(),)),
        ("Coders", (coder_rates(), apart(), agreement(), contested())),
    )
    number = 0
    for title, panels in parts:
        number += 1
        made.with_row(Row(title).id(number))
        for panel in panels:
            number += 1
            made.with_panel(panel.id(number))
    return made


def text() -> str:
    """What grafana.json holds."""
    return json.dumps(dashboard().build(), cls=JSONEncoder, indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    print(text(), end="")

"""Write the dashboard grafana.json from panels and queries; `make dashboard` runs this."""

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
"""Numbers of the plug-in for the formats of a result."""

STATES = {
    "passed": "green",
    "accepted": "light-green",
    "incomplete": "yellow",
    "partial": "light-yellow",
    "undecided": "blue",
    "not_comparable": "orange",
    "undefined": "dark-red",
    "failed": "red",
}
STATE = f"list_position({list(STATES)}, {{}})"
"""SQL for a state as a number, because the plug-in cannot plot series of text."""

SELECTED = """measure = ${measure:sqlstring} AND average = ${average:sqlstring}
    AND coalesce(groups, 'all') = ${group:sqlstring}"""


@dataclass(frozen=True)
class Query(Dataquery, Builder[Dataquery]):
    """A query of a panel, which is its own builder."""

    sql: str
    form: int

    def build(self) -> Dataquery:
        """Return the query itself."""
        return self

    def to_json(self) -> dict[str, Any]:
        """Return the query in the format of the plug-in."""
        return {
            "datasource": SOURCE,
            "editorMode": "code",
            "format": self.form,
            "rawQuery": True,
            "rawSql": self.sql,
            "refId": "A",
        }


def query_variable(name: str, label: str, sql: str, first: str | None = None) -> QueryVariable:
    """Make a variable whose values are the rows of a query."""
    variable = QueryVariable(name).label(label).query(sql).datasource(SOURCE)
    variable.refresh(VariableRefresh.ON_DASHBOARD_LOAD)
    return variable if first is None else variable.current(VariableOption(text=first, value=first))


def variables() -> list[Builder[VariableModel]]:
    """Return the variables that a reader can set."""
    systems = query_variable(
        "system", "system", "SELECT DISTINCT hypothesis FROM history ORDER BY hypothesis"
    )
    return [
        DatasourceVariable("datasource").label("DuckDB").type(PLUGIN),
        query_variable(
            "measure",
            "measure",
            "SELECT DISTINCT measure FROM history ORDER BY measure",
            "boundary_similarity",
        ),
        CustomVariable("average")
        .values("micro,macro")
        .current(VariableOption(text="micro", value="micro")),
        query_variable(
            "group",
            "group",
            "SELECT DISTINCT coalesce(groups, 'all') AS name FROM history\n"
            "WHERE measure = ${measure:sqlstring} ORDER BY name = 'all' DESC, name",
            "all",
        ),
        systems.multi(True).include_all(True).current(VariableOption(text="All", value="$__all")),
        query_variable(
            "night",
            "night",
            "SELECT CAST(date AS VARCHAR) AS name FROM nights ORDER BY name DESC",
        ),
        query_variable(
            "audit",
            "audit",
            "SELECT audit FROM audits ORDER BY date DESC NULLS LAST, audit",
        ),
    ]


def series(title: str, description: str, sql: str) -> TimeSeries:
    """Make a panel of lines over nights, with one point per night."""
    panel = TimeSeries().title(title).description(description).datasource(SOURCE).height(9).span(12)
    panel.with_target(Query(sql, TIME_SERIES)).show_points(VisibilityMode.ALWAYS)
    return panel.span_nulls(True).legend(building.VizLegendOptions().show_legend(True))


def states(title: str, description: str, sql: str) -> StateTimeline:
    """Make a panel of states over nights, with one line per series."""
    panel = (
        StateTimeline().title(title).description(description).datasource(SOURCE).height(9).span(12)
    )
    texts = {
        str(i): ValueMappingResult(text=state, color=color, index=i)
        for i, (state, color) in enumerate(STATES.items(), 1)
    }
    panel.with_target(Query(sql, TIME_SERIES)).mappings([ValueMap(options=texts)])
    return panel.merge_values(False).show_value(VisibilityMode.NEVER)


def table(title: str, description: str, sql: str) -> Table:
    """Make a panel with the rows of a query as a table."""
    panel = Table().title(title).description(description).datasource(SOURCE).height(9).span(12)
    return panel.with_target(Query(sql, TABLE))


def averages() -> TimeSeries:
    """Compare the averages of systems over nights."""
    return series(
        "$measure, $average: $group",
        "The average of each system, night by night.",
        f"""SELECT time, hypothesis AS system, value FROM trend
WHERE $__timeFilter(time) AND {SELECTED}
    AND hypothesis IN (${{system:sqlstring}})
ORDER BY time, system""",
    )


def interval() -> TimeSeries:
    """Show one system with its interval, repeated for each system."""
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
        "The average and its 95 % interval.",
        f"""SELECT time, value, ci_low AS low, ci_high AS high FROM trend
WHERE $__timeFilter(time) AND {SELECTED}
    AND hypothesis IN (${{system:sqlstring}})
ORDER BY time""",
    )
    panel.override_by_name("low", band).override_by_name("high", [*band, *filled])
    return panel.repeat("system").repeat_direction("h").max_per_row(2).span(24)


def outcomes() -> StateTimeline:
    """Show the outcome of each night."""
    return states(
        "Nights",
        "The outcome of each published night.",
        f"""SELECT time, {STATE.format("outcome")} AS night FROM nights
WHERE $__timeFilter(time) AND outcome IS NOT NULL
ORDER BY time""",
    )


def checks() -> StateTimeline:
    """Show the result of the gate for each rule and system."""
    return states(
        "Gate",
        "The result of each rule for each system. Undefined fails, undecided passes.",
        f"""SELECT time, system, rule, max({STATE.format("result")}) AS state FROM gate
WHERE $__timeFilter(time) AND system IN (${{system:sqlstring}})
GROUP BY time, system, rule
ORDER BY time, system, rule""",
    )


def rows() -> TimeSeries:
    """Count the scored, rejected and unpaired rows."""
    return series(
        "Input rows",
        "Hypotheses scored, and rows of all input tables that were rejected or unpaired.",
        """SELECT time, scored, rejected, unpaired FROM nights
WHERE $__timeFilter(time)
ORDER BY time""",
    ).draw_style(GraphDrawStyle.BARS)


def documents() -> TimeSeries:
    """Count the documents on which each system was scored."""
    return series(
        "Documents",
        "Number of documents of the group on which each system was scored.",
        f"""SELECT time, hypothesis AS system, documents FROM trend
WHERE $__timeFilter(time) AND {SELECTED}
    AND hypothesis IN (${{system:sqlstring}})
ORDER BY time, system""",
    )


def densities() -> TimeSeries:
    """Show how many boundaries the references and the systems have."""
    return series(
        "Boundaries",
        "Boundaries by 100 units over all documents. If those of the references change, look at "
        "the references before a system is blamed.",
        """SELECT time, coalesce(system, '(references)') AS system, 100 * per_unit AS boundaries
FROM densities
WHERE $__timeFilter(time) AND "group" IS NULL
    AND (system IS NULL OR system IN (${system:sqlstring}))
ORDER BY time, system""",
    )


def levels() -> TimeSeries:
    """Show how far systems are from their levels."""
    return series(
        "Levels: $measure",
        "Level of each system against the others, minus that of the baseline, over all documents. "
        "Rules about levels need 14 good nights.",
        """SELECT time, system, change FROM levels
WHERE $__timeFilter(time) AND "group" IS NULL AND measure = ${measure:sqlstring}
    AND system IN (${system:sqlstring})
ORDER BY time, system""",
    )


def restatements() -> Table:
    """List the nights that were scored again."""
    return table(
        "Restated nights",
        "Averages that changed when a night was scored again. Resting: later nights whose verdicts "
        "still rest on the value before; `segscore nightly --rejudge` judges them again.",
        """SELECT date, restated_at, system, measure, average, before, after, reason,
    array_to_string(resting, ', ') AS resting
FROM restatements
ORDER BY restated_at DESC, date, system, measure, average
LIMIT 200""",
    ).span(24)


def worst_systems() -> Table:
    """List the systems of a night, the worst first."""
    return table(
        "Systems on $night, the worst first",
        "Change: since the previous night with the same signature. Systems with different "
        "documents are in the order of shared_value, over those that all share; by name, if these "
        "are few.",
        f"""SELECT hypothesis AS system, value, ci_low, ci_high, change, documents, shared_value,
    gate
FROM trend JOIN directions USING (measure)
WHERE date = CAST(${{night:sqlstring}} AS DATE) AND {SELECTED}
ORDER BY CASE WHEN shared_documents IS NULL THEN value ELSE shared_value END * better, system""",
    )


def worst_documents() -> Table:
    """List the documents of a night, the worst first."""
    return table(
        "Documents on $night, the worst first",
        "The mean of the measure over the document's references. `segscore explain` shows edits.",
        """SELECT document_id, hypothesis AS system, value, "references"
FROM worst_documents(${night:sqlstring}, ${measure:sqlstring})
WHERE hypothesis IN (${system:sqlstring})
LIMIT 50""",
    ).span(24)


def coder_rates() -> TimeSeries:
    """Show the boundary rates of coders over audits."""
    return series(
        "Boundary rates of coders",
        "Boundaries per potential boundary, in audits with a date.",
        """SELECT time, coder, rate FROM coders
WHERE $__timeFilter(time) AND groups IS NULL
ORDER BY time, coder""",
    )


def coders() -> Table:
    """List the coders of an audit, those who agree least with the others first."""
    return table(
        "Coders in $audit",
        "Effect: how much more similar to the others than the median coder.",
        """SELECT coder, groups, documents, rate, agreement_effect AS effect, low_agreement,
    outlying_rate, peer_boundary_similarity
FROM coders
WHERE audit = ${audit:sqlstring}
ORDER BY agreement_effect NULLS LAST, coder, groups NULLS FIRST""",
    )


def agreement() -> Table:
    """List the coefficients of agreement of an audit."""
    return table(
        "Agreement in $audit",
        "Coefficients with their 95 % intervals.",
        """SELECT groups, coefficient, similarity, value, ci_low, ci_high, coders, documents, pairs
FROM agreement
WHERE audit = ${audit:sqlstring}
ORDER BY groups NULLS FIRST, coefficient, similarity""",
    )


def contested() -> Table:
    """List the positions about which coders disagree."""
    return table(
        "Contested boundaries in $audit",
        "Positions with a boundary of some coders, but not all, at most half a window away.",
        """SELECT document_id, position, coders, supporters, disagreement
FROM contested
WHERE audit = ${audit:sqlstring}
ORDER BY disagreement DESC, coders DESC, document_id, position
LIMIT 50""",
    )


def dashboard() -> Dashboard:
    """Make the whole dashboard."""
    board = Dashboard("segscore").uid("segscore").tags(["segscore"]).time("now-90d", "now")
    board.timezone("utc").variables(variables())
    parts: Sequence[tuple[str, Sequence[Any]]] = (
        ("Nights", (averages(), outcomes(), checks(), rows(), documents(), worst_systems())),
        ("Levels, boundaries, restatements", (levels(), densities(), restatements())),
        ("Systems, one by one", (interval(),)),
        ("Documents", (worst_documents(),)),
        ("Coders", (coder_rates(), coders(), agreement(), contested())),
    )
    number = 0
    for title, panels in parts:
        number += 1
        board.with_row(Row(title).id(number))
        for panel in panels:
            number += 1
            board.with_panel(panel.id(number))
    return board


def text() -> str:
    """Return the contents of grafana.json."""
    return json.dumps(dashboard().build(), cls=JSONEncoder, indent=2, sort_keys=True) + "\n"


if __name__ == "__main__":
    print(text(), end="")

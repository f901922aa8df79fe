"""Metrics of a night in Prometheus' text format, for the textfile collector."""

from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING

from segscore.pipeline.nightly.gate.rule import GateRule
from segscore.pipeline.nightly.gate.rules import kind_of_check
from segscore.pipeline.nightly.nights import Night, system_rows
from segscore.pipeline.nightly.settings import NightSettings
from segscore.pipeline.nightly.verdict import OUTCOMES, Verdict
from segscore.pipeline.plain_text import visible
from segscore.pipeline.results.names import is_point
from segscore.pipeline.runs.finished import rows_by_group
from segscore.pipeline.statistics.averages import summary_groups
from segscore.pipeline.statistics.formatted_numbers import or_none
from segscore.schemas.rows import AverageRow, group_of

if TYPE_CHECKING:
    from prometheus_client import Gauge

WAITING, BROKEN = "waiting", "broken"
"""Outcomes of a night without a verdict: no input yet; an error."""

PREFIX = "segscore_nightly_"
HEAD = 100
"""Number of bytes that are enough to recognise a file of metrics."""

_HELP = {
    "date_timestamp_seconds": "Start of the night's date in UTC.",
    "next_date_timestamp_seconds": "Start of the date of the next night by the calendar, in UTC.",
    "outcome": "1 for the night's outcome, else 0.",
    "exit_code": "Exit code of segscore nightly.",
    "last_success_timestamp_seconds": "When the newest night that ended with exit code 0 was "
    "judged.",
    "first_published_timestamp_seconds": "When the night was judged for the first time.",
    "duration_seconds": "Time taken to score the night.",
    "pairs": "Pairs of a reference and a hypothesis scored.",
    "missing_systems": "Systems that were expected but not scored tonight.",
    "missing_system": "1 for each missing system.",
    "warnings": "Signs that the input is wrong, or that a system declines slowly.",
    "gate_passed": "1 if the system satisfies the rule, 0 if not.",
    "change": "Average minus that of the night compared with.",
    "change_from_median": "Average minus the median of several nights.",
    "change_of_level": "Level minus that of the baseline, against the other systems.",
    "group_gate_passed": "1 if the system satisfies the rule in the group, 0 if not.",
    "group_change": "Average in the group minus that compared with.",
    "boundaries_per_unit": "Boundaries by unit.",
    "unusable_files": "Files of hypotheses that could not be read and were left out.",
    "missing_groups": "Groups of the last good nights that are required but missing.",
    "documents": "Documents the system was scored on.",
    "average": "Average of a measure over the night's documents.",
    "average_low": "The low end of the average's 95 % interval.",
    "average_high": "The high end of the average's 95 % interval.",
    "group_average": "Average in a group.",
}
"""Name of a gauge -> its help; gauges that count rows are named by their status."""


class Metrics:
    """A collection of gauges."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry

        self.registry = CollectorRegistry()
        self.gauges: dict[str, Gauge] = {}

    def set(self, name: str, value: float | None, **labels: str) -> None:
        """Set a gauge; leave it out if the value is undefined (None)."""
        if value is None:
            return
        from prometheus_client import Gauge

        if name not in self.gauges:
            help_ = _HELP.get(name) or f"Input rows that were {name.removesuffix('_rows')}."
            self.gauges[name] = Gauge(PREFIX + name, help_, [*labels], registry=self.registry)
        gauge = self.gauges[name]
        labels = {label: visible(text, lines=True) for label, text in labels.items()}
        (gauge.labels(**labels) if labels else gauge).set(value)

    @property
    def text(self) -> str:
        """The metrics in the format that the collector reads."""
        from prometheus_client import generate_latest

        return generate_latest(self.registry).decode()


def is_exposition(head: bytes) -> bool:
    """Check whether a file that starts with these bytes contains the metrics of a night."""
    return head.startswith(f"# HELP {PREFIX}".encode())


def expose(
    outcome: str,
    exit_code: int,
    last_success: str | None,
    published: Night | None,
    settings: NightSettings,
) -> str:
    """Return the metrics of a night as text.

    Args:
        outcome: outcome of the verdict; ``WAITING`` or ``BROKEN`` if there is none.
        exit_code: exit code of the command.
        last_success: when the newest night that ended with exit code 0 was judged; None if there
            is none.
        published: the night, if it was published and judged now.
        settings: settings of the night; the averages of the rules of the gate are included.
    """
    metrics = Metrics()
    metrics.set("date_timestamp_seconds", _start(settings.night))
    if (following := settings.days.next_night(settings.night)) is not None:
        metrics.set("next_date_timestamp_seconds", _start(following))
    for candidate in (*OUTCOMES, WAITING, BROKEN):
        metrics.set("outcome", candidate == outcome, outcome=candidate)
    metrics.set("exit_code", exit_code)
    if last_success is not None:
        judged_at = datetime.fromisoformat(last_success).timestamp()
        judged_at = min(judged_at, datetime.now(UTC).timestamp())  # a clock may have been ahead
        metrics.set("last_success_timestamp_seconds", judged_at)
    if published is not None:
        _set_run(metrics, published)
        if published.verdict is not None:
            _set_gate(metrics, published.verdict)
        _set_averages(metrics, published, settings.rules)
    return metrics.text


def _start(day: date) -> float:
    return datetime.combine(day, time(), UTC).timestamp()


def _set_run(metrics: Metrics, night: Night) -> None:
    record = night.record
    metrics.set("duration_seconds", sum(record["seconds"].values()))
    metrics.set("pairs", record["pairs"])
    for table, rows in record["rows"].items():
        for status in (name for name in rows if name != "in"):
            metrics.set(f"{status}_rows", rows[status], table=table)


def _set_gate(metrics: Metrics, verdict: Verdict) -> None:
    if verdict.first_published_at:
        at = datetime.fromisoformat(verdict.first_published_at).timestamp()
        metrics.set("first_published_timestamp_seconds", at)
    metrics.set("missing_systems", len(verdict.missing))
    for system in verdict.missing:
        metrics.set("missing_system", 1, system=system)
    # Those that are not said again count, and not the sentence that counts them.
    counting = 1 if verdict.standing else 0
    metrics.set("warnings", len(verdict.warnings) - counting + len(verdict.standing))
    for check in sorted(verdict.checks, key=lambda check: check.fails):
        labels = {"rule": check.rule, "system": check.system}
        metrics.set("gate_passed", not check.fails, **labels)
        metrics.set(kind_of_check(check).metric(check), check.change, **labels)
    for check in verdict.group_checks:
        labels = {"rule": check.rule, "system": check.system, "group": check.group or ""}
        metrics.set("group_gate_passed", not check.fails, **labels)
        metrics.set("group_change", check.change, **labels)
    for density in verdict.densities:
        labels = {"system": density.system or "(references)", "group": density.group or ""}
        metrics.set("boundaries_per_unit", or_none(density.per_unit), **labels)
    metrics.set("unusable_files", len(verdict.unusable))
    metrics.set("missing_groups", len(verdict.missing_groups))


def _set_averages(metrics: Metrics, night: Night, rules: tuple[GateRule, ...]) -> None:
    gated = {(rule.measure, rule.average) for rule in rules}
    for row in system_rows(night):
        system = row["hypothesis"]
        metrics.set("documents", row["documents"], system=system)
        if (row["measure"], row["average"]) in gated:
            labels = {"measure": row["measure"], "average": row["average"], "system": system}
            metrics.set("average", row["value"], **labels)
            metrics.set("average_low", row["ci_low"], **labels)
            metrics.set("average_high", row["ci_high"], **labels)
    summary = night.table("summary")
    by = summary_groups(summary.column_names)
    rows: list[AverageRow] = rows_by_group(summary, by) if gated and by else []
    for row in rows:
        if (row["measure"], row["average"]) in gated and not is_point(row["hypothesis"]):
            labels = {"measure": row["measure"], "average": row["average"]}
            labels |= {"system": row["hypothesis"]}
            labels |= {"group": ", ".join(map(str, group_of(row, by)))}
            metrics.set("group_average", row["value"], **labels)

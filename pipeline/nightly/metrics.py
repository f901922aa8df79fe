"""Metrics of a night in Prometheus' text format, for the textfile collector."""

from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING

from segscore.pipeline.nightly.nights import Night, system_rows
from segscore.pipeline.nightly.rule import GateRule
from segscore.pipeline.nightly.rules import kind_of_check
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


class Metrics:
    """A collection of gauges."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry

        self.registry = CollectorRegistry()
        self.gauges: dict[str, Gauge] = {}

    def set(self, name: str, help_: str, value: float | None, **labels: str) -> None:
        """Set a gauge; leave it out if the value is undefined (None)."""
        if value is None:
            return
        from prometheus_client import Gauge

        if name not in self.gauges:
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
    start = _start(settings.night)
    metrics.set("date_timestamp_seconds", "Start of the night's date in UTC.", start)
    following = settings.days.next_night(settings.night)
    help_ = "Start of the date of the next night by the calendar, in UTC."
    metrics.set(
        "next_date_timestamp_seconds", help_, None if following is None else _start(following)
    )
    for candidate in (*OUTCOMES, WAITING, BROKEN):
        metrics.set(
            "outcome", "1 for the night's outcome, else 0.", candidate == outcome, outcome=candidate
        )
    metrics.set("exit_code", "Exit code of segscore nightly.", exit_code)
    if last_success is not None:
        judged_at = datetime.fromisoformat(last_success).timestamp()
        judged_at = min(judged_at, datetime.now(UTC).timestamp())  # a clock may have been ahead
        help_ = "When the newest night that ended with exit code 0 was judged."
        metrics.set("last_success_timestamp_seconds", help_, judged_at)
    if published is not None:
        _set_run(metrics, published)
        _set_gate(metrics, published)
        _set_averages(metrics, published, settings.rules)
    return metrics.text


def _start(day: date) -> float:
    return datetime.combine(day, time(), UTC).timestamp()


def _set_run(metrics: Metrics, night: Night) -> None:
    record = night.record
    seconds = sum(record["seconds"].values())
    metrics.set("duration_seconds", "Time taken to score the night.", seconds)
    metrics.set("pairs", "Pairs of a reference and a hypothesis scored.", record["pairs"])
    for table, rows in record["rows"].items():
        for status in (name for name in rows if name != "in"):
            help_ = f"Input rows that were {status}."
            metrics.set(f"{status}_rows", help_, rows[status], table=table)


def _count_warnings(verdict: Verdict) -> int:
    """Return the number of warnings, with those that are only counted and not said again."""
    counting = 1 if verdict.standing else 0
    return len(verdict.warnings) - counting + len(verdict.standing)


def _set_gate(metrics: Metrics, night: Night) -> None:
    verdict = night.verdict
    if verdict is None:
        return
    if verdict.first_published_at:
        help_ = "When the night was judged for the first time."
        at = datetime.fromisoformat(verdict.first_published_at).timestamp()
        metrics.set("first_published_timestamp_seconds", help_, at)
    help_ = "Systems that were expected but not scored tonight."
    metrics.set("missing_systems", help_, len(verdict.missing))
    for system in verdict.missing:
        metrics.set("missing_system", "1 for each missing system.", 1, system=system)
    help_ = "Signs that the input is wrong, or that a system declines slowly."
    metrics.set("warnings", help_, _count_warnings(verdict))
    for check in sorted(verdict.checks, key=lambda check: check.fails):
        labels = {"rule": check.rule, "system": check.system}
        help_ = "1 if the system satisfies the rule, 0 if not."
        metrics.set("gate_passed", help_, not check.fails, **labels)
        name, help_ = kind_of_check(check).metric(check)
        metrics.set(name, help_, check.change, **labels)
    for check in verdict.group_checks:
        labels = {"rule": check.rule, "system": check.system, "group": check.group or ""}
        help_ = "1 if the system satisfies the rule in the group, 0 if not."
        metrics.set("group_gate_passed", help_, not check.fails, **labels)
        help_ = "Average in the group minus that compared with."
        metrics.set("group_change", help_, check.change, **labels)
    for density in verdict.densities:
        labels = {"system": density.system or "(references)", "group": density.group or ""}
        metrics.set(
            "boundaries_per_unit", "Boundaries by unit.", or_none(density.per_unit), **labels
        )
    help_ = "Files of hypotheses that could not be read and were left out."
    metrics.set("unusable_files", help_, len(verdict.unusable))
    help_ = "Groups of the last good nights that are required but missing."
    metrics.set("missing_groups", help_, len(verdict.missing_groups))


def _set_averages(metrics: Metrics, night: Night, rules: tuple[GateRule, ...]) -> None:
    gated = {(rule.measure, rule.average) for rule in rules}
    for row in system_rows(night):
        system = row["hypothesis"]
        help_ = "Documents the system was scored on."
        metrics.set("documents", help_, row["documents"], system=system)
        if (row["measure"], row["average"]) in gated:
            labels = {"measure": row["measure"], "average": row["average"], "system": system}
            help_ = "Average of a measure over the night's documents."
            metrics.set("average", help_, row["value"], **labels)
            for end, value in (("low", row["ci_low"]), ("high", row["ci_high"])):
                help_ = f"The {end} end of the average's 95 % interval."
                metrics.set(f"average_{end}", help_, value, **labels)
    summary = night.table("summary")
    by = summary_groups(summary.column_names)
    rows: list[AverageRow] = rows_by_group(summary, by) if gated and by else []
    for row in rows:
        if (row["measure"], row["average"]) in gated and not is_point(row["hypothesis"]):
            group = ", ".join(map(str, group_of(row, by)))
            labels = {"measure": row["measure"], "average": row["average"]}
            labels |= {"system": row["hypothesis"], "group": group}
            metrics.set("group_average", "Average in a group.", row["value"], **labels)

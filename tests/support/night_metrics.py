"""Metrics and messages of a night."""

from datetime import date, timedelta

from prometheus_client.parser import text_string_to_metric_families

from tests.support.nights import Archive

WORSE = {"steady": 0.9, "other": 0.2}
"""The average of `other` is less than half of that of ``GOOD``, which fails on any night."""


def metrics(archive: Archive) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Return the metrics file as a collector reads it: (name, labels) -> value."""
    families = text_string_to_metric_families(archive.metrics.read_text())
    return {
        (sample.name.removeprefix("segscore_nightly_"), tuple(sorted(sample.labels.items()))):
        sample.value
        for family in families
        for sample in family.samples
    }  # fmt: skip


def outcome_in_metrics(archive: Archive) -> str:
    """Return the one outcome in the metrics."""
    (outcome,) = (
        labels[0][1]
        for (name, labels), value in metrics(archive).items()
        if name == "outcome" and value == 1
    )
    return outcome


def one_error(err: str) -> str:
    """Return the one error message; of a night that waits, the warning that it ends with."""
    assert "Traceback" not in err
    lines = err.splitlines()
    errors = [line for line in lines if line.startswith("segscore: error: ")]
    (line,) = errors or [line for line in lines if line.startswith("warning: ")][-1:]
    return line


def shifted(night: str, days: int) -> str:
    """Return a date some days later."""
    return (date.fromisoformat(night) + timedelta(days=days)).isoformat()

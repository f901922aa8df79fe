"""The DAG for Airflow, with stand-ins for its decorators: what follows from each exit code."""

import runpy
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.support.paths import ROOT

DAG = ROOT / "deploy" / "airflow" / "segscore_nightly.py"


class Failure(Exception):  # noqa: N818
    """Airflow repeats the task."""


class FinalFailure(Failure):
    """Airflow does not repeat the task."""


class Day:
    """A date of pendulum, as far as the DAG needs it."""

    def __init__(self, day: datetime) -> None:
        self.day = day

    def in_timezone(self, _zone: str) -> "Day":
        return self

    def subtract(self, days: int) -> "Day":
        return Day(self.day - timedelta(days=days))

    def to_date_string(self) -> str:
        return self.day.date().isoformat()


class Task:
    """A task of a DAG."""

    def __init__(self, function: Any, options: dict[str, Any]) -> None:
        self.function, self.options = function, options

    def __call__(self) -> "Task":
        return self

    def __rshift__(self, other: "Task") -> "Task":
        return other

    def as_teardown(self) -> "Task":
        return self


@pytest.fixture
def tasks(monkeypatch: pytest.MonkeyPatch) -> dict[str, Task]:
    """The tasks that the file declares."""
    declared: dict[str, Task] = {}

    def task(*functions: Any, **options: Any) -> Any:
        def declare(function: Any) -> Task:
            declared[function.__name__] = Task(function, options)
            return declared[function.__name__]

        return declare(*functions) if functions else declare

    modules = {
        "pendulum": SimpleNamespace(
            datetime=lambda *date, tz: (date, tz), DateTime=Day, now=lambda: Day(datetime.now(UTC))
        ),
        "airflow": ModuleType("airflow"),
        "airflow.sdk": SimpleNamespace(dag=lambda **_: lambda function: function, task=task),
        "airflow.sdk.exceptions": SimpleNamespace(
            AirflowException=Failure, AirflowFailException=FinalFailure
        ),
    }
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    runpy.run_path(str(DAG))
    return declared


@pytest.mark.parametrize(
    ("code", "failure"), [(0, None), (75, Failure), (1, FinalFailure), (2, FinalFailure)]
)
def test_only_a_night_that_is_not_ready_is_repeated(
    monkeypatch: pytest.MonkeyPatch, tasks: dict[str, Task], code: int, failure: type | None
) -> None:
    ran: list[list[str]] = []

    def run(command: list[str], *, check: bool) -> Any:
        assert not check
        ran.append(command)
        return subprocess.CompletedProcess(command, code)

    monkeypatch.setattr(subprocess, "run", run)
    nightly = tasks["nightly"]
    assert nightly.options == {"retries": 12, "retry_delay": timedelta(minutes=30)}
    if failure is None:
        nightly.function(Day(datetime(2026, 2, 1, tzinfo=UTC)))
    else:
        with pytest.raises(failure, match=f"exit code {code}") as raised:
            nightly.function(Day(datetime(2026, 2, 1, tzinfo=UTC)))
        assert type(raised.value) is failure
    (command,) = ran
    assert command[command.index("--date") + 1] == "2026-01-31"

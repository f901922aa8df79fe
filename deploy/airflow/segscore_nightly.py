"""A DAG for Airflow 3 that scores yesterday's night, and writes what dashboards read.

It tries again while tables are late or cannot be read, but not if a system got worse.  The worker
that runs the tasks needs segscore, its settings and the credentials of the store.
"""

import subprocess
from datetime import timedelta

import pendulum
from airflow.sdk import dag, task
from airflow.sdk.exceptions import AirflowException, AirflowFailException

ZONE = "Etc/UTC"
"""The time zone of the schedule, which determines which day is yesterday."""

SETTINGS = ("--settings", "/etc/segscore/segscore.toml")
COMMAND = ["segscore", "nightly", *SETTINGS]
REFRESH = (
    ("segscore", "trend", "--table", *SETTINGS, "--log-format", "json"),
    (
        *("/opt/segscore/bin/python", "/opt/segscore/dashboards/database.py"),
        *("/var/lib/segscore/segscore.duckdb", *SETTINGS),
    ),
)
NOT_YET = 75
"""Exit code if tables are late (`waiting`), or a part of them cannot be used (`partial`); after any
other, trying again does not change anything."""


@dag(
    schedule="30 3 * * *",
    start_date=pendulum.datetime(2026, 1, 1, tz=ZONE),
    catchup=False,
    max_active_runs=1,
)
def segscore_nightly() -> None:
    """Score a night."""

    @task(retries=12, retry_delay=timedelta(minutes=30))
    def nightly(logical_date: pendulum.DateTime | None = None) -> None:
        """Score the night of the day before the run.

        Raises:
            AirflowFailException: the settings or the input are wrong, or the gate failed.
            AirflowException: tables are late, or a part of them cannot be used.
        """
        # The date of a run is the day on which it starts; one that a person started may have none.
        day = (logical_date or pendulum.now()).in_timezone(ZONE).subtract(days=1)
        date = ("--date", day.to_date_string(), "--log-format", "json")
        code = subprocess.run([*COMMAND, *date], check=False).returncode  # noqa: S603
        if code:
            error = AirflowException if code == NOT_YET else AirflowFailException
            raise error(f"segscore ended with exit code {code}; its log is above")

    @task
    def dashboards() -> None:
        """Write the history of nights, and the DuckDB file of views over them."""
        for command in REFRESH:
            subprocess.run(command, check=True)  # noqa: S603

    # A teardown task runs even if the night failed, and does not decide whether the run succeeded.
    nightly() >> dashboards().as_teardown()


segscore_nightly()

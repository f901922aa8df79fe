"""Print the results and progress of commands on a terminal."""

import shlex
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

from segscore.jobs.cli.log import LOG
from segscore.jobs.show.fitted import out
from segscore.jobs.show.leaderboard import print_scores

if TYPE_CHECKING:
    import pyarrow as pa

    from segscore.pipeline.errors import Done
    from segscore.pipeline.runs.planning import Plan
    from segscore.pipeline.scoring.run import Finished


class Bar:
    """A progress bar on a terminal; elsewhere a log line for every further tenth."""

    def __init__(self) -> None:
        """Draw on standard error, so that results can be piped."""
        self.console = Console(stderr=True, highlight=False)
        self.drawn = self.console.is_terminal and not LOG.structured
        self.bar = Progress(console=self.console, transient=True)
        self.task = self.bar.add_task("scoring", total=None)
        self.tenths = 0

    def __enter__(self) -> "Bar":
        if self.drawn:
            self.bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.drawn:
            self.bar.stop()

    def advance(self, done: int, parts: int) -> None:
        """Show that ``done`` of ``parts`` parts are done."""
        if self.drawn:
            self.bar.update(self.task, completed=done, total=parts)
        elif parts and done * 10 // parts > self.tenths:
            self.tenths = done * 10 // parts
            LOG.say("info", f"{done} of {parts} parts done", done=done, parts=parts)


def print_plan(plan: "Plan") -> None:
    """Print how the rows of a document would be brought together, and why."""
    for line in plan.explanation:
        out().print(escape(line))


def print_finished(output: str, finished: "Finished", layout: str) -> None:
    """Print the averages of a run, the row counts of its input, and what to do next.

    Args:
        output: folder of the run.
        finished: the run.
        layout: one of ``SCORE_LAYOUTS``.
    """
    print_scores(finished.summary, layout)
    _print_next(output, finished.summary)
    print_record(output, finished.record)


def _print_next(output: str, summary: "pa.Table") -> None:
    """Print the commands that show more about a scoring run."""
    from segscore.pipeline.measures import shown_measures

    run = shlex.quote(output)
    out().print(f"charts: segscore report {run}", markup=False)
    if len(summary.column("hypothesis").unique()) > 1:
        first = shown_measures(summary.column("measure").unique().to_pylist())[0]
        tests = f"segscore compare {run} --measure {first}"
        out().print(f"tests of the differences: {tests}", markup=False)
    out().print()


def say_done(done: "Done", format_name: str) -> None:
    """Say that a run was finished before: among the results, or in the log if they are data."""
    if format_name == "text":
        out().print(done.message, markup=False)
    else:
        LOG.say("info", done.message)


def print_record(output: str, record: dict[str, Any]) -> None:
    """Print the row counts of a run's input, its signature, and where it was written."""
    console = out()
    print_row_counts(record["rows"])
    log_finished(output, record)
    console.print(record["signature"], markup=False)
    console.print(f"written to {output}", markup=False)


def log_finished(output: str, record: dict[str, Any]) -> None:
    """Log the warnings of a finished run and, for programs, what it did."""
    for warning in record["warnings"]:
        LOG.say("warning", warning)
    if LOG.structured:
        fields = ("signature", "rows", "pairs", "seconds")
        LOG.say("info", "finished", output=output, **{name: record[name] for name in fields})


def print_row_counts(rows: dict[str, dict[str, int]]) -> None:
    """Print how many rows of each input table were scored, rejected and unpaired."""
    for name, counts in rows.items():
        out().print(
            f"{name}: {counts['in']} in = {counts['scored']} scored + {counts['rejected']} "
            f"rejected + {counts['unpaired']} unpaired"
        )

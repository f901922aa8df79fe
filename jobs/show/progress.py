"""Show how far the work of a command is."""

from time import monotonic
from typing import TYPE_CHECKING

from rich.console import Console

from segscore.jobs.cli.log import LOG

if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn, Task

_LONGEST_BAR = 40

_LONG = 60.0
"""Seconds; if more are left, log lines say how many minutes."""


class Bar:
    """A progress bar on a terminal; elsewhere a log line for every further tenth.

    Work in a single part is logged only as JSON.
    """

    def __init__(self, work: str, first: str = ": reading", unit: str = "parts") -> None:
        """Draw on standard error, so that results can be piped.

        Args:
            work: what is done, such as "scoring".
            first: what follows it until parts are counted; empty if they never are.
            unit: what is counted.
        """
        self.console = Console(stderr=True, highlight=False)
        self.work, self.first, self.unit = work, first, unit
        self.bar: Progress | None = None
        self.tenths, self.start = 0, monotonic()

    def __enter__(self) -> "Bar":
        if self.console.is_terminal and not LOG.structured:
            from rich.progress import Progress

            self.bar = Progress(*_columns(), console=self.console, transient=True)
            self.task = self.bar.add_task(self.work + self.first, total=None)
            self.bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.stop()

    def advance(self, done: int, parts: int) -> None:
        """Show that ``done`` of ``parts`` parts are done."""
        if done == 0:
            self.tenths, self.start = 0, monotonic()
        if self.bar is not None and done < parts:
            self.bar.update(self.task, description=self.work, completed=done, total=parts)
        elif self.bar is not None:
            self.bar.tasks[0].total = None  # update and reset take None for no change
            self.bar.update(self.task, description=f"{self.work}: adding up", completed=0)
        elif done and (parts > 1 or LOG.structured) and done * 10 // parts > self.tenths:
            self.tenths = done * 10 // parts
            left = (monotonic() - self.start) * (parts - done) / done
            text = f", about {left / 60:.0f} min left" if left > _LONG else ""
            said = f"{done} of {parts} {self.unit} done{text}"
            LOG.say("info", said, done=done, parts=parts, work=self.work)


def _columns() -> "tuple[ProgressColumn, ...]":
    """Return what is done, the bar, the share in percent if it is known, and the times.

    On a narrow terminal the bar gets shorter, and no text is cut.
    """
    from rich.progress import BarColumn, ProgressColumn, TaskProgressColumn, TextColumn
    from rich.table import Column
    from rich.text import Text

    class Times(ProgressColumn):
        """The time left, if it is known, and the time elapsed."""

        def render(self, task: "Task") -> Text:
            """Return both times of a task."""
            known = task.total is not None and task.time_remaining is not None
            left = f"{_clock(task.time_remaining)} left, " if known else ""
            return Text(f"{left}{_clock(task.elapsed)} elapsed", "progress.elapsed")

    return (
        TextColumn("[progress.description]{task.description}"),
        BarColumn(None, table_column=Column(max_width=_LONGEST_BAR)),
        TaskProgressColumn(),
        Times(Column(no_wrap=True)),
    )


def _clock(seconds: float | None) -> str:
    """Write a time as minutes and seconds, after an hour with hours."""
    minutes, rest = divmod(int(seconds or 0), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"

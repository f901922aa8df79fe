"""The columns of a progress bar; on a narrow terminal the bar gets shorter, and no text is cut."""

from rich.progress import BarColumn, ProgressColumn, Task, TaskProgressColumn, TextColumn
from rich.table import Column
from rich.text import Text

_LONGEST_BAR = 40


class _Times(ProgressColumn):
    """The time left, if it is known, and the time elapsed."""

    def render(self, task: Task) -> Text:
        """Return both times of a task."""
        known = task.total is not None and task.time_remaining is not None
        left = f"{_clock(task.time_remaining)} left, " if known else ""
        return Text(f"{left}{_clock(task.elapsed)} elapsed", "progress.elapsed")


def _clock(seconds: float | None) -> str:
    """Write a time as minutes and seconds, after an hour with hours."""
    minutes, rest = divmod(int(seconds or 0), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def bar_columns() -> tuple[ProgressColumn, ...]:
    """Return what is done, the bar, the share in percent if it is known, and the times."""
    return (
        TextColumn("[progress.description]{task.description}"),
        BarColumn(None, table_column=Column(max_width=_LONGEST_BAR)),
        TaskProgressColumn(),
        _Times(Column(no_wrap=True)),
    )

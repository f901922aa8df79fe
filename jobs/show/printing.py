"""Print the results and progress of commands on a terminal."""

from types import TracebackType
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from segscore.jobs.cli.log import LOG

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.progress import Progress

    from segscore.pipeline.runs.planning import Plan
    from segscore.pipeline.scoring.run import Finished

GROUPS_SHOWN = 10
_WIDTH = 110
"""Width of tables that are not printed on a terminal."""


def out() -> Console:
    """Return the console for results."""
    console = Console(highlight=False, emoji=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = _WIDTH
    return console


class Bar:
    """A progress bar on a terminal; elsewhere a log line for every further tenth."""

    def __init__(self, work: str = "scoring") -> None:
        """Draw on standard error, so that results can be piped; ``work`` is shown before it."""
        self.console = Console(stderr=True, highlight=False)
        self.work = work
        self.bar: Progress | None = None
        self.tenths = 0

    def __enter__(self) -> "Bar":
        if self.console.is_terminal and not LOG.structured:
            from rich.progress import Progress

            self.bar = Progress(console=self.console, transient=True)
            self.task = self.bar.add_task(self.work, total=None)
            self.bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.bar is not None:
            self.bar.stop()

    def advance(self, done: int, parts: int) -> None:
        """Show that ``done`` of ``parts`` parts are done."""
        if self.bar is not None:
            self.bar.update(self.task, completed=done, total=parts)
        elif parts and done * 10 // parts > self.tenths:
            self.tenths = done * 10 // parts
            LOG.say("info", f"{done} of {parts} parts done", done=done, parts=parts)


def counted(number: int, noun: str) -> str:
    """Format a number of things, such as `1 row` or `2,000 rows`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def shown_number(value: float | None) -> str:
    """Format a number with four decimals; a dash if undefined."""
    return "–" if value is None else f"{value:.4f}"


def chance(p: float | None) -> str:
    """Format a p-value with four decimals, never as 0."""
    if p is None:
        return "–"
    return "< .0001" if p < 0.00005 else f"{p:.4f}"


def print_plan(plan: "Plan") -> None:
    """Print how the rows of a document would be brought together, and why."""
    for line in plan.explanation:
        out().print(escape(line))


def print_finished(output: str, finished: "Finished") -> None:
    """Print the summary of a run, the row counts of its input, and where it was written."""
    for table in summary_tables(finished.summary):
        out().print(table)
    print_record(output, finished.record)


def print_record(output: str, record: dict[str, Any]) -> None:
    """Print the row counts of a run's input, its signature, and where it was written."""
    console = out()
    print_row_counts(record["rows"])
    for warning in record["warnings"]:
        LOG.say("warning", warning)
    console.print(record["signature"], markup=False)
    console.print(f"written to {output}", markup=False)
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


def summary_tables(summary: "pa.Table") -> list[Table]:
    """Make a table over all documents, then one for each of the first groups."""
    from segscore.pipeline.statistics.averages import summary_groups

    rows = summary.to_pylist()
    by = summary_groups(summary.column_names)
    groups = list(dict.fromkeys(tuple(row[name] for name in by) for row in rows))
    groups.sort(key=lambda group: any(part is not None for part in group))
    return [_ranking(group, by, rows) for group in groups[: 1 + GROUPS_SHOWN]]


def _ranking(group: tuple[Any, ...], by: list[str], rows: list[dict[str, Any]]) -> Table:
    from segscore.pipeline.measures import ALL, shown_measures
    from segscore.pipeline.statistics.averages import best_first

    chosen = {
        (row["measure"], row["hypothesis"], row["average"]): row
        for row in rows
        if tuple(row[name] for name in by) == group
    }
    title = ", ".join(f"{key} {part}" for key, part in zip(by, group, strict=True))
    over_all = all(part is None for part in group)
    table = Table(title=escape("all documents" if over_all else title), box=SIMPLE_HEAD)
    table.add_column("measure, best first", no_wrap=True)
    table.add_column("hypothesis", overflow="fold")
    for heading in ("micro", "95 % interval", "macro", "documents"):
        table.add_column(heading, justify="right", no_wrap=True)
    available = dict.fromkeys(name for name, _, _ in chosen)
    for name in shown_measures(available):
        higher = ALL[name].better == "higher"
        micro = [row for key, row in chosen.items() if key[0] == name and key[2] == "micro"]
        for place, row in enumerate(best_first(micro, higher=higher)):
            macro = chosen[name, row["hypothesis"], "macro"]
            table.add_row(
                name + ALL[name].arrow if place == 0 else "",
                escape(row["hypothesis"]),
                shown_number(row["value"]),
                f"{shown_number(row['ci_low'])} to {shown_number(row['ci_high'])}",
                shown_number(macro["value"]),
                str(row["defined"]),
            )
        table.add_section()
    return table

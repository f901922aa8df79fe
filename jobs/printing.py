"""What the commands show on a terminal."""

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

if TYPE_CHECKING:
    import pyarrow as pa

    from pipeline.run import Finished

SHOWN = (
    "boundary_similarity",
    "segmentation_similarity",
    "b_precision",
    "b_recall",
    "b_f1",
    "pk",
    "window_diff",
    "pr_error",
)


def out() -> Console:
    """The console results go to."""
    return Console(highlight=False, soft_wrap=True)


class Bar:
    """A progress bar on a terminal; elsewhere a plain line when a tenth more is done."""

    def __init__(self) -> None:
        """Draw on standard error, so that results can be piped."""
        self.console = Console(stderr=True, highlight=False)
        self.bar = Progress(console=self.console, transient=True)
        self.task = self.bar.add_task("scoring", total=None)
        self.said = 0

    def __enter__(self) -> "Bar":
        if self.console.is_terminal:
            self.bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.console.is_terminal:
            self.bar.stop()

    def advance(self, done: int, parts: int) -> None:
        """Show that ``done`` of ``parts`` parts are done."""
        if self.console.is_terminal:
            self.bar.update(self.task, completed=done, total=parts)
        elif done * 10 // parts > self.said:
            self.said = done * 10 // parts
            print(f"scored {done} of {parts} parts", file=sys.stderr)


def number(value: float | None) -> str:
    """Four decimals; a dash where undefined."""
    return "–" if value is None else f"{value:.4f}"


def print_finished(output: str, finished: "Finished") -> None:
    """Print what a run found, what became of its input, and where it is."""
    console = out()
    for table in summary_tables(finished.summary):
        console.print(table)
    record = finished.record
    for name, rows in record["rows"].items():
        console.print(
            f"{name}: {rows['in']} in = {rows['scored']} scored + {rows['rejected']} rejected "
            f"+ {rows['unpaired']} unpaired"
        )
    if any(rows["rejected"] for rows in record["rows"].values()):
        Console(stderr=True, highlight=False, soft_wrap=True).print(
            f"warning: rows were rejected; which and why is in {output}/rejects", markup=False
        )
    console.print(record["signature"], markup=False)
    console.print(f"written to {output}", markup=False)


def summary_tables(summary: "pa.Table") -> list[Table]:
    """One table a hypothesis-and-group ranking: micro averages with 95 % intervals."""
    rows = [row for row in summary.to_pylist() if row["average"] == "micro"]
    by = [name for name in summary.column_names if name not in RANKED]
    groups = dict.fromkeys(tuple(row[name] for name in by) for row in rows)
    return [_ranking(group, by, rows) for group in groups]


RANKED = (
    "hypothesis",
    "measure",
    "average",
    "value",
    "ci_low",
    "ci_high",
    "sd",
    "documents",
    "defined",
)


def _ranking(group: tuple[Any, ...], by: list[str], rows: list[dict[str, Any]]) -> Table:
    from pipeline.measures import MEASURES

    chosen = [row for row in rows if tuple(row[name] for name in by) == group]
    name = ", ".join(f"{key} {value}" for key, value in zip(by, group, strict=True) if value)
    table = Table(title=f"{name or 'all documents'}: micro averages [95 % interval]")
    for heading in ("measure", "best", "hypothesis", "value", "95 % interval", "documents"):
        table.add_column(heading, justify="right" if heading == "value" else "left")
    for measure in SHOWN:
        higher = MEASURES[measure].better == "higher"
        ranked = sorted(
            (row for row in chosen if row["measure"] == measure),
            key=lambda row: (
                row["value"] is None,
                0 if row["value"] is None else -row["value"] if higher else row["value"],
                row["hypothesis"],
            ),
        )
        for place, row in enumerate(ranked):
            table.add_row(
                measure if place == 0 else "",
                ("highest" if higher else "lowest") if place == 0 else "",
                row["hypothesis"],
                number(row["value"]),
                f"{number(row['ci_low'])} .. {number(row['ci_high'])}",
                str(row["defined"]),
                end_section=place == len(ranked) - 1,
            )
    return table

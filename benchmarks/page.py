"""Write the results of all benchmarks into docs/benchmarks.md."""

import os
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from benchmarks.timing import ROOT, Result

PAGE = ROOT / "docs" / "benchmarks.md"
START, END = "<!-- results -->\n", "<!-- end of results -->\n"
LIBRARIES = ("numba", "numpy", "pyarrow", "dask")


def write_results(results: Mapping[str, Sequence[Result]], page: Path = PAGE) -> None:
    """Replace the results in the page."""
    before, rest = page.read_text().split(START)
    _, after = rest.split(END)
    text = f"{_machine()}\n\n{_table(results)}"
    page.write_text(f"{before}{START}\n{text}\n{END}{after}")


def _machine() -> str:
    memory = round(psutil.virtual_memory().total / 2**30)
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return (
        f"Measured on {datetime.now(UTC):%Y-%m-%d} on {os.cpu_count()} processors "
        f"({platform.machine()}, {memory} GiB, {platform.system()}) with Python "
        f"{platform.python_version()}, {libraries}. The load average at the end was "
        f"{os.getloadavg()[0]:.1f}."
    )


def _table(results: Mapping[str, Sequence[Result]]) -> str:
    head = ("benchmark", "what", "measured", "aim", "", "noise")
    rows = [
        (f"`{name}`" if number == 0 else "", *result.cells())
        for name, of_benchmark in results.items()
        for number, result in enumerate(of_benchmark)
    ]
    return "\n".join(_line(row) for row in (head, ["---"] * len(head), *rows)) + "\n"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"

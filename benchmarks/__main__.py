"""Run all benchmarks and write docs/benchmarks.md, or run those named and only print."""

import sys
from importlib import import_module

from benchmarks.page import write_results
from benchmarks.timing import Result

BENCHMARKS = (
    "small_job",
    "first_score",
    "import",
    "passes",
    "alignment",
    "api",
    "whole_job",
    "chance",
    "bounded",
    "growth",
    "memory",
    "meeting",
    "workers",
    "agreement",
)


def run(name: str) -> list[Result]:
    """Run a benchmark and print its results."""
    results: list[Result] = import_module(f"benchmarks.{name}").measure()
    for result in results:
        print(f"{name}: {result}", flush=True)
    return results


if __name__ == "__main__":
    if sys.argv[1:]:
        for name in sys.argv[1:]:
            run(name)
    else:
        write_results({name: run(name) for name in BENCHMARKS})

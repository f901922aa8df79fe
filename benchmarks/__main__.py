"""Run all benchmarks, or those named, and print their results."""

import sys
from importlib import import_module

BENCHMARKS = (
    "small_job",
    "import",
    "passes",
    "api",
    "whole_job",
    "growth",
    "memory",
    "meeting",
    "workers",
    "agreement",
    "scale",
)

if __name__ == "__main__":
    for name in sys.argv[1:] or BENCHMARKS:
        print(import_module(f"benchmarks.{name}").measure(), flush=True)

"""Run every benchmark, or those named, and print what it measured."""

import sys

from benchmarks import agreement, passes, small_job, whole_job

BENCHMARKS = {
    "small_job": small_job,
    "passes": passes,
    "agreement": agreement,
    "whole_job": whole_job,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or BENCHMARKS:
        print(BENCHMARKS[name].measure())

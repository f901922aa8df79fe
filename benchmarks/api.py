"""The Python interface: one pair against segeval, tables from Python lists, the import."""

import random
import subprocess
import sys
import warnings
from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

import segscore
from benchmarks.timing import Result

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import segeval

PAIRS = 20_000
CALLS = 200
RUNS = 7
UNITS = 60
CALL_MICROSECONDS, TABLE_MILLISECONDS, IMPORT_MILLISECONDS = 400, 100, 60


def _seconds(work: Callable[[], object], calls: int = 1) -> float:
    """Return the median seconds of a call, over some runs."""
    times = []
    for _ in range(RUNS):
        start = perf_counter()
        for _ in range(calls):
            work()
        times.append((perf_counter() - start) / calls)
    return median(times)


def _rows(coder: str, seed: int) -> list[dict[str, Any]]:
    draw = random.Random(seed)  # noqa: S311
    return [
        {
            "document_id": f"document-{number}",
            "coder": coder,
            "n_units": UNITS,
            "boundaries": sorted(draw.sample(range(1, UNITS), 5)),
        }
        for number in range(PAIRS)
    ]


def _import_seconds(modules: str) -> float:
    """Return the seconds of a process that imports some modules."""
    return _seconds(lambda: subprocess.run([sys.executable, "-c", f"import {modules}"], check=True))


def measure() -> list[Result]:
    """Measure single pairs, a table, and the import."""
    references, hypotheses = _rows("desk", 1), _rows("system", 2)
    pair = {
        "reference": references[0]["boundaries"],
        "hypothesis": hypotheses[0]["boundaries"],
        "n_units": UNITS,
    }
    masses = [
        [segscore.Segmentation(row["boundaries"], UNITS).masses for row in rows]
        for rows in (hypotheses, references)
    ]
    unseen = zip(*masses, strict=True)  # segeval keeps its results

    def table() -> None:
        segscore.evaluate(references, hypotheses)

    segscore.score(**pair)  # compiles
    table()
    one = _seconds(lambda: segscore.pk(**pair), CALLS)
    every = _seconds(lambda: segscore.score(**pair).values, CALLS)
    theirs = _seconds(lambda: segeval.pk(*next(unseen)), CALLS)
    whole = _seconds(table)
    libraries = _import_seconds("numpy, pyarrow")
    ours = _import_seconds("numpy, pyarrow, segscore")
    more = 1e3 * (ours - libraries)
    return [
        Result(
            "Pk of one pair, against segeval",
            f"{theirs / one:.1f} x as fast ({1e6 * one:.0f} µs)",
            f"at most {CALL_MICROSECONDS} µs",
            1e6 * one <= CALL_MICROSECONDS,
        ),
        Result(
            "all measures of one pair, against Pk alone",
            f"{every / one:.1f} x ({1e6 * every:.0f} µs)",
            f"at most {CALL_MICROSECONDS} µs",
            1e6 * every <= CALL_MICROSECONDS,
        ),
        Result(
            f"{PAIRS:,} pairs from Python lists as a table, against one by one",
            f"{PAIRS * one / whole:.0f} x as fast ({1e3 * whole:.0f} ms)",
            f"at most {TABLE_MILLISECONDS} ms",
            1e3 * whole <= TABLE_MILLISECONDS,
        ),
        Result(
            "import numpy, pyarrow and segscore, against numpy and pyarrow",
            f"{ours / libraries:.2f} x ({more:.0f} ms more)",
            f"at most {IMPORT_MILLISECONDS} ms more",
            more <= IMPORT_MILLISECONDS,
        ),
    ]

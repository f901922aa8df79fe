"""A run on more than twenty times a worker's memory, with `--memory-limit`."""

import tempfile

from benchmarks.timing import SEGSCORE, Result, run_timed
from benchmarks.whole_job import FAMILIES, make
from segscore.pipeline.storage import find, open_parquet

LIMIT = 1000
"""Megabytes that a worker may use; above it Dask's nanny ends the process, and the run fails."""

TIMES = 20
DOCUMENTS = 8_000_000
"""Number of documents; each has a reference and four hypotheses."""


def measure() -> list[Result]:
    """Score on two processes, and report the unpacked size of the tables read and written."""
    with tempfile.TemporaryDirectory() as folder:
        tables = make(folder, DOCUMENTS)
        score = [SEGSCORE, "score", *tables, *FAMILIES, "--output", f"{folder}/run"]
        cluster = ["--cluster", "processes", "--workers", "2", "--memory-limit", f"{LIMIT}MB"]
        usage = run_timed([*score, *cluster])
        unpacked = sum(_unpacked(url) for url in (*tables, f"{folder}/run/scores"))
    times = unpacked / (LIMIT * 1e6)
    return [
        Result(
            f"tables read and written by two processes with --memory-limit {LIMIT}MB, unpacked, "
            "against that limit",
            f"{times:.0f} x ({unpacked / 1e9:.1f} GB in {usage.seconds:.0f} s, no process above "
            f"{usage.megabytes:.0f} MB)",
            f"at least {TIMES} x",
            times >= TIMES,
        )
    ]


def _unpacked(url: str) -> int:
    """Estimate the bytes of a table in memory, from a sample of its rows."""
    first = open_parquet(find(url)[0].url)
    sample = first.read_row_group(0)
    rows = sum(open_parquet(file.url).metadata.num_rows for file in find(url))
    return int(sample.nbytes / sample.num_rows * rows)

"""A run of more than twenty times a worker's memory, under `--memory-limit`."""

import tempfile

from benchmarks.timing import SEGSCORE, took, verdict
from benchmarks.whole_job import make
from segscore.pipeline.storage import find, open_parquet

LIMIT = 1000
"""Megabytes a worker may take; above it Dask's nanny ends the process, and the run would fail."""

TIMES = 20
DOCUMENTS = 8_000_000
"""Of which each has a reference and four hypotheses."""


def measure() -> str:
    """Score it on two processes, and tell what it read and wrote unpacked."""
    with tempfile.TemporaryDirectory() as folder:
        tables = make(folder, DOCUMENTS)
        score = [SEGSCORE, "score", *tables, "--output", f"{folder}/run", "--replicates", "0"]
        place = ["--cluster", "processes", "--workers", "2", "--memory-limit", f"{LIMIT}MB"]
        ran = took([*score, *place])
        unpacked = sum(_unpacked(url) for url in (*tables, f"{folder}/run/scores"))
    times = unpacked / (LIMIT * 1e6)
    return (
        f"memory: {unpacked / 1e9:.1f} GB unpacked, {times:.0f} x the {LIMIT} MB of a worker (aim "
        f"{TIMES}: {verdict(times >= TIMES)}): done in {ran.seconds:.0f} s, no process above "
        f"{ran.megabytes:.0f} MB"
    )


def _unpacked(url: str) -> int:
    """Bytes of a table in memory, from a sample of each file."""
    first = open_parquet(find(url)[0].url)
    sample = first.read_row_group(0)
    rows = sum(open_parquet(file.url).metadata.num_rows for file in find(url))
    return int(sample.nbytes / sample.num_rows * rows)

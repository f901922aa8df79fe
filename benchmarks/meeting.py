"""Ways to match rows of a document, on the same data: send references, shuffle, read sorted files.

Two sizes show which is faster: the cost of sending grows with references and workers, and the cost
of shuffling with all rows.
"""

import sys
import tempfile
from statistics import median

from benchmarks.timing import Result, noise, run_timed
from benchmarks.whole_job import SYSTEMS, make
from segscore.pipeline.storage import read_table, write_table

SIZES, RUNS = (100_000, 500_000), 3
ROWS_PER_GROUP = 32_768
WAY = """
import sys
from segscore.pipeline.runs import planning
if sys.argv.pop(1) != "sent":
    planning.LIMITS = planning.Limits(send=False)
from segscore.jobs.cli.app import main
main()
"""


def sort(folder: str, tables: tuple[str, str]) -> tuple[str, str]:
    """Write the same tables sorted by document, in small files."""
    for name, url in zip(("references", "hypotheses"), tables, strict=True):
        table = read_table(url).sort_by("document_id")
        for number, start in enumerate(range(0, len(table), ROWS_PER_GROUP)):
            part = table.slice(start, ROWS_PER_GROUP).combine_chunks()
            write_table(f"{folder}/sorted/{name}/{number:04d}.parquet", part)
    return f"{folder}/sorted/references", f"{folder}/sorted/hypotheses"


def measure() -> list[Result]:
    """Time each way at each size, alternately."""
    results = []
    for documents in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            shuffled = make(folder, documents)
            ordered = sort(folder, shuffled)
            ways = {"sent": shuffled, "buckets": shuffled, "ranges": ordered}
            turns = []
            for _ in range(RUNS):
                turn = {}
                for way, tables in ways.items():
                    score = [sys.executable, "-c", WAY, way, "score", *tables, "--fresh"]
                    score += ["--output", f"{folder}/{way}"]
                    score += ["--cluster", "processes", "--workers", "2"]
                    turn[way] = run_timed(score)
                turns.append(turn)
        sent = [turn["sent"].seconds for turn in turns]
        for way, name in (("buckets", "rows shuffled"), ("ranges", "sorted files read in place")):
            ratio = median(turn[way].seconds / turn["sent"].seconds for turn in turns)
            memory = max(turn[way].megabytes for turn in turns)
            results.append(
                Result(
                    f"{name}, against references sent: {documents:,} references, "
                    f"{documents * SYSTEMS:,} hypotheses, two processes",
                    f"{ratio:.2f} x (of {median(sent):.1f} s; {memory:.0f} MB)",
                    noise=noise(sent),
                )
            )
    return results

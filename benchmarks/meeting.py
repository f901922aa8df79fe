"""Ways to match rows of a document, on the same data: send references, shuffle, read sorted files.

Two sizes show which is faster: the cost of sending grows with references and workers, and the cost
of shuffling with all rows.
"""

import sys
import tempfile
from statistics import median

from benchmarks.timing import run_timed
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


def measure() -> str:
    """Time each way at each size, alternately."""
    lines = []
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
                    score += ["--output", f"{folder}/{way}", "--replicates", "0"]
                    score += ["--cluster", "processes", "--workers", "2"]
                    turn[way] = run_timed(score)
                turns.append(turn)
        sent = median(turn["sent"].seconds for turn in turns)
        others = []
        for way in ("buckets", "ranges"):
            ratio = median(turn[way].seconds / turn["sent"].seconds for turn in turns)
            memory = max(turn[way].megabytes for turn in turns)
            others.append(f"{way} {ratio:.2f} x, {memory:.0f} MB")
        memory = max(turn["sent"].megabytes for turn in turns)
        lines.append(
            f"meeting: {documents:,} references, {documents * SYSTEMS:,} hypotheses, 2 processes: "
            f"sent {sent:.1f} s, {memory:.0f} MB; relative to that {'; '.join(others)}"
        )
    return "\n".join(lines)

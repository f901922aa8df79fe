"""Ways to bring the rows of a document together: rows shuffled, against sorted files read in place.

The cost of a shuffle grows with the number of rows.
"""

import tempfile
from statistics import median

from benchmarks.timing import SEGSCORE, Result, noise, run_timed
from benchmarks.whole_job import SYSTEMS, make
from segscore.pipeline.storage import read_table, write_table

SIZES, RUNS = (100_000, 500_000), 3
ROWS_PER_GROUP = 32_768


def sort(folder: str, tables: tuple[str, str]) -> tuple[str, str]:
    """Write the same tables sorted by document, in small files."""
    for name, url in zip(("references", "hypotheses"), tables, strict=True):
        table = read_table(url).sort_by("document_id")
        for number, start in enumerate(range(0, len(table), ROWS_PER_GROUP)):
            part = table.slice(start, ROWS_PER_GROUP).combine_chunks()
            write_table(f"{folder}/sorted/{name}/{number:04d}.parquet", part)
    return f"{folder}/sorted/references", f"{folder}/sorted/hypotheses"


def measure() -> list[Result]:
    """Time both ways at each size, alternately."""
    results = []
    for documents in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            shuffled = make(folder, documents)
            ways = {"ranges": sort(folder, shuffled), "shuffled": shuffled}
            turns = []
            for _ in range(RUNS):
                turn = {}
                for way, tables in ways.items():
                    score = [SEGSCORE, "score", *tables, "--output", f"{folder}/{way}", "--fresh"]
                    score += ["--cluster", "processes", "--workers", "2"]
                    turn[way] = run_timed(score)
                turns.append(turn)
        in_place = [turn["ranges"].seconds for turn in turns]
        ratio = median(turn["shuffled"].seconds / turn["ranges"].seconds for turn in turns)
        memory = max(turn["shuffled"].megabytes for turn in turns)
        results.append(
            Result(
                f"rows shuffled, against sorted files read in place: {documents:,} references, "
                f"{documents * SYSTEMS:,} hypotheses, two processes",
                f"{ratio:.2f} x (of {median(in_place):.1f} s; {memory:.0f} MB)",
                noise=noise(in_place),
            )
        )
    return results

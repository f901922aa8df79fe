"""Cost of chance at each system's own density, against scoring as many more systems."""

import subprocess
import tempfile

import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.timing import SEGSCORE, Result, noise, run_timed
from benchmarks.whole_job import SYSTEMS, make
from segscore.pipeline.storage import read_table, write_table

DOCUMENTS, RUNS = 100_000, 4
DRAWS = 64
"""Draws whose mean is the chance of a document, as by default."""

AIM = 0.33
"""Most that a draw may take of what scoring a system does, which is read and written, too."""


def _twice(folder: str, hypotheses: str) -> str:
    """Write each hypothesis a second time, by another system; return where."""
    table = read_table(hypotheses)
    index = table.column_names.index("coder")
    names = pc.binary_join_element_wise(table.column("coder"), "again", "-")
    again = table.set_column(index, "coder", names)
    whole = pa.concat_tables([table, again]).combine_chunks()
    write_table(f"{folder}/twice/0000.parquet", whole)
    return f"{folder}/twice"


def measure() -> list[Result]:
    """Time all alternately: the systems, the same with chance, and twice as many systems."""
    with tempfile.TemporaryDirectory() as folder:
        references, hypotheses = make(folder, DOCUMENTS)
        score = [SEGSCORE, "score", references, hypotheses, "--output", f"{folder}/run", "--fresh"]
        score += ["--workers", "1"]
        twice = [*score[:3], _twice(folder, hypotheses), *score[4:]]
        chance = [*score, "--reference-points", "random-own", "--draws", str(DRAWS)]
        for command in (score, chance):  # compile the loops
            subprocess.run(command, check=True, capture_output=True)
        turns = [
            [run_timed(command).cpu for command in (score, chance, twice)] for _ in range(RUNS)
        ]
    plain, drawn, doubled = (min(turn[i] for turn in turns) for i in range(3))
    ratio = (drawn - plain) / (doubled - plain) / DRAWS
    return [
        Result(
            f"processor time that each of {DRAWS} draws of random-own adds to "
            f"{DOCUMENTS * SYSTEMS:,} pairs of {SYSTEMS} systems, against scoring {SYSTEMS} more "
            f"systems, one thread, the fastest of {RUNS}",
            f"{ratio:.2f} x (all draws {drawn - plain:.1f} s, {SYSTEMS} systems "
            f"{doubled - plain:.1f} s)",
            f"at most {AIM:g} x",
            ratio <= AIM,
            noise([turn[0] for turn in turns]),
        )
    ]

"""Time of a whole job, relative to pyarrow reading the same input and writing the same scores."""

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.agreement import simulate, timed_command
from segscore.pipeline.storage import read_table, write_table

DOCUMENTS, SYSTEMS, RUNS = 500_000, 4, 3
ROWS_PER_FILE = 131_072
FEW = ("--measures", "pk,window_diff,boundary_similarity")
SEGSCORE = str(Path(sys.executable).parent / "segscore")

BY_ARROW = """
import sys
import pyarrow as pa, pyarrow.parquet as pq
from pathlib import Path
references, hypotheses, scores, out = sys.argv[1:]
for folder in (references, hypotheses):
    for path in sorted(Path(folder).rglob("*.parquet")):
        pq.ParquetFile(path).read()
with pa.ipc.open_file(pa.memory_map(scores)) as source:
    table = source.read_all()
pq.write_table(table, out, compression="zstd")
"""


def make(folder: str, documents: int) -> tuple[str, str]:
    """Write references, and hypotheses in random order; return both locations."""
    codings = read_table(simulate(folder, documents, SYSTEMS + 1, "--units", "60"))
    first = pc.equal(codings.column("coder"), pc.min(codings.column("coder")))
    references, hypotheses = codings.filter(first), codings.filter(pc.invert(first))
    order = np.random.default_rng(0).permutation(len(hypotheses))
    shuffled = hypotheses.take(pa.array(order)).combine_chunks()
    for name, table in (("references", references), ("hypotheses", shuffled)):
        for number, start in enumerate(range(0, len(table), ROWS_PER_FILE)):
            part = table.slice(start, ROWS_PER_FILE).combine_chunks()
            write_table(f"{folder}/{name}/{number:04d}.parquet", part)
    return f"{folder}/references", f"{folder}/hypotheses"


def measure() -> str:
    """Time both alternately, with and without a bootstrap and all measures; format the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        references, hypotheses = make(folder, DOCUMENTS)
        run = [SEGSCORE, "score", references, hypotheses, "--output", f"{folder}/run", "--fresh"]
        subprocess.run([*run, "--replicates", "0"], check=True, capture_output=True)
        scores = read_table(f"{folder}/run/scores")
        with (
            pa.OSFile(f"{folder}/scores.arrow", "wb") as sink,
            pa.ipc.new_file(sink, scores.schema) as writer,
        ):
            writer.write_table(scores)
        del scores
        baseline = [sys.executable, "-c", BY_ARROW, references, hypotheses]
        baseline += [f"{folder}/scores.arrow", f"{folder}/out.parquet"]
        turns = []
        for _ in range(RUNS):
            arrow, _ = timed_command(baseline)
            plain, memory = timed_command([*run, "--replicates", "0"])
            drawn, _ = timed_command([*run, "--replicates", "1000"])
            few, _ = timed_command([*run, "--replicates", "0", *FEW])
            turns.append((arrow, plain, drawn, few, memory))
    pairs = DOCUMENTS * SYSTEMS
    arrow, plain, drawn, few = (median(turn[i] for turn in turns) for i in range(4))
    ratios = [median(turn[i] / turn[0] for turn in turns) for i in (1, 2, 3)]
    less = median(turn[3] / turn[1] for turn in turns)
    memory = max(turn[4] for turn in turns)
    return (
        f"whole job: {pairs:,} pairs in {plain:.1f} s, {ratios[0]:.2f} x pyarrow alone "
        f"({arrow:.1f} s; limit 1.8, aim 1.5); with 1,000 replicates {drawn:.1f} s, "
        f"{ratios[1]:.2f} x (limit 2.2); at most {memory:.0f} MB\n"
        f"whole job with {' '.join(FEW)}: {few:.1f} s, {less:.2f} x all measures (aim .6), "
        f"{ratios[2]:.2f} x pyarrow writing all of them (aim .8)"
    )

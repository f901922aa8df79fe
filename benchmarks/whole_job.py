"""Time of a whole job, relative to pyarrow reading the same input and writing the same scores."""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from statistics import median

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.agreement import simulate
from benchmarks.timing import SEGSCORE, Result, Usage, noise, run_timed
from segscore.pipeline.storage import read_table, write_table

DOCUMENTS, SYSTEMS, RUNS = 500_000, 4, 3
MANY_DOCUMENTS = 2_000_000
ROWS_PER_FILE = 131_072
FEW = ("--measures", "pk,window_diff,boundary_similarity")
FAMILIES = ("--measures", "window,edit,content,tolerance,panel")
"""All measures of five families."""

ARROW = "against pyarrow reading the input and writing the same scores"
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


def measure() -> list[Result]:
    """Time commands alternately: the default, five families, and three measures."""
    few = _compare(DOCUMENTS, [((), 2.6), (FAMILIES, 1.6), (FEW, None)])
    return [*few, *_compare(MANY_DOCUMENTS, [((), 2.2), (FAMILIES, None)])]


def _compare(
    documents: int, variants: Sequence[tuple[Sequence[str], float | None]]
) -> list[Result]:
    """Compare each command with pyarrow, which writes the same scores, and with the default.

    Args:
        documents: number of documents.
        variants: further options, and the most times the time of pyarrow; the first is the default.
    """
    with tempfile.TemporaryDirectory() as folder:
        references, hypotheses = make(folder, documents)
        score = [SEGSCORE, "score", references, hypotheses, "--output", f"{folder}/run", "--fresh"]
        commands = []
        for number, (options, _) in enumerate(variants):
            command = [*score, *options]
            subprocess.run(command, check=True, capture_output=True)
            scores = _scores(folder, f"{folder}/{number}.arrow")
            arrow = [sys.executable, "-c", BY_ARROW, references, hypotheses, scores]
            commands += [[*arrow, f"{folder}/out.parquet"], command]
        turns = [[run_timed(command) for command in commands] for _ in range(RUNS)]
    pairs = f"{documents * SYSTEMS:,} pairs"
    names = [" ".join(options) or "the default" for options, _ in variants]
    results = [
        _against(turns, (2 * i + 1, 2 * i), f"{pairs}, {name}, {ARROW}", variants[i][1])
        for i, name in enumerate(names)
    ]
    if FEW in [options for options, _ in variants]:
        results.append(_against(turns, (5, 1), f"{pairs}, {names[2]}, against the default", 0.65))
    memory = max(usage.megabytes for turn in turns for usage in turn[1::2])
    return [*results, Result("memory of the largest process of segscore", f"{memory:.0f} MB")]


def _scores(folder: str, url: str) -> str:
    """Write the scores of the run to a file of Arrow, which takes no time to read."""
    scores = read_table(f"{folder}/run/scores")
    with pa.OSFile(url, "wb") as sink, pa.ipc.new_file(sink, scores.schema) as writer:
        writer.write_table(scores)
    return url


def _against(
    turns: Sequence[Sequence[Usage]], compared: tuple[int, int], what: str, most: float | None
) -> Result:
    ours, theirs = compared
    ratio = median(turn[ours].seconds / turn[theirs].seconds for turn in turns)
    seconds = [median(turn[i].seconds for turn in turns) for i in compared]
    return Result(
        what,
        f"{ratio:.2f} x ({seconds[0]:.1f} s, {seconds[1]:.1f} s)",
        "" if most is None else f"at most {most:.3g} x",
        None if most is None else ratio <= most,
        noise(turn[theirs].seconds for turn in turns),
    )

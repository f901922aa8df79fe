"""Time of `segscore agree` by documents and coders, and relative to segeval on the same codings."""

import subprocess
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import median

import numpy as np
import segeval

from benchmarks.timing import SEGSCORE, Result, noise, run_timed
from segscore.pipeline.agreement.coder_pairs import peers
from segscore.pipeline.agreement.coefficients import ACTUAL
from segscore.pipeline.agreement.part import AgreeJob, AgreePart, accept_codings, audit_part
from segscore.pipeline.agreement.run import find_tables
from segscore.pipeline.agreement.settings import AgreeSettings
from segscore.pipeline.measures import edits
from segscore.pipeline.measures.measure import evaluate
from segscore.pipeline.measures.segmentation_pairs import pair_rows
from segscore.pipeline.runs.shuffle import Partitioning
from segscore.pipeline.scoring.references import References

DATA = Path(__file__).parent.parent / "tests" / "data" / "moonstone.jsonl"
GROWTH = ((50_000, 3), (200_000, 3), (1_000_000, 3), (50_000, 6), (20_000, 15))
SAMPLE = 500
SIMILARITY = {"fnc_compare": segeval.boundary_similarity}
RUNS = 3
LEAST = 0.1
"""Seconds for which a call is repeated, as a single short call is not measured well."""

FASTER = 1000


def simulate(folder: str, documents: int, coders: int, *options: str) -> str:
    """Simulate codings, and return the location of their table."""
    output = "-".join([f"{folder}/{documents}", str(coders), *options])
    shape = ("--documents", str(documents), "--coders", str(coders), "--output", output, *options)
    subprocess.run([SEGSCORE, "simulate", "coders", DATA, *shape], check=True, capture_output=True)
    return f"{output}/codings"


def timed(codings: str, run: str) -> tuple[float, float]:
    """Run a whole `segscore agree`, and return its seconds and its peak memory in MB."""
    usage = run_timed([SEGSCORE, "agree", codings, "--output", run, "--fresh"])
    return usage.seconds, usage.megabytes


def growth(folder: str) -> list[Result]:
    """Measure the time per document and pair of coders, without the start-up time."""
    smallest = simulate(folder, 10, 3)
    startup = min(timed(smallest, f"{folder}/run")[0] for _ in range(RUNS))  # the first compiles
    results, first = [], None
    for documents, coders in GROWTH:
        codings = simulate(folder, documents, coders)
        timings = [timed(codings, f"{folder}/run") for _ in range(RUNS)]
        seconds, memory = median(t for t, _ in timings), max(m for _, m in timings)
        pairs = documents * coders * (coders - 1) // 2
        per_pair = (seconds - startup) / pairs
        first = first or per_pair
        results.append(
            Result(
                f"`segscore agree`, {documents:,} documents x {coders} coders: time per pair of "
                "coders and document, against the first line",
                f"{per_pair / first:.2f} x ({seconds:.1f} s, {memory:.0f} MB)",
                noise=noise(t for t, _ in timings),
            )
        )
    return results


def against_segeval(folder: str, units: int) -> list[Result]:
    """Compare one thread with segeval on the same codings in memory, and time the whole task."""
    codings = simulate(folder, SAMPLE, 3, "--units", str(units))
    settings = AgreeSettings(codings, f"{folder}/{units}")
    partitioning = Partitioning(find_tables(settings), f"{folder}/{units}", 1)
    job = AgreeJob(partitioning, settings, settings.choices(None), {}, f"{folder}/{units}")
    accepted = accept_codings(job, AgreePart("part", 0)).codings
    assert accepted is not None
    dataset = in_masses(accepted)
    calls = (
        lambda: pi(accepted),
        lambda: audit_part(job, AgreePart("part", 0)),
        lambda: segeval.fleiss_pi_linear(dataset, **SIMILARITY),
    )
    # The first round warms the caches.
    times = [[seconds(call) for call in calls] for _ in range(RUNS + 1)]
    difference = abs(pi(accepted) - float(segeval.fleiss_pi_linear(dataset, **SIMILARITY)))
    pass_alone = median(theirs / ours for ours, _, theirs in times[1:])
    whole = median(theirs / ours for _, ours, theirs in times[1:])
    return [
        Result(
            f"pi of B of {SAMPLE} documents of {units} units x 3 coders, against segeval",
            f"{pass_alone:,.0f} x as fast (values differ by {difference:.0e})",
            f"at least {FASTER:,} x",
            pass_alone >= FASTER,
            noise(ours for ours, _, _ in times[1:]),
        ),
        Result(
            "the whole audit of them, all coefficients and tables, against segeval's pi of B",
            f"{whole:,.0f} x as fast",
        ),
    ]


def seconds(call: Callable[[], object]) -> float:
    """Return the seconds that a call takes: the mean of as many as take a tenth of a second."""
    start, calls = time.perf_counter(), 0
    while not calls or time.perf_counter() - start < LEAST:
        call()
        calls += 1
    return (time.perf_counter() - start) / calls


def pi(codings: References) -> float:
    """Compute pi of B, averaging documents as segeval does."""
    pairs = peers(codings.first, (0, len(codings.documents)))
    boundaries, size = codings.side.boundaries, codings.size
    counts = edits.count(pair_rows(boundaries, boundaries, pairs.row, pairs.peer, size[pairs.row]))
    sums = counts.sum(axis=1, keepdims=True)
    by_name = dict(zip(edits.COUNTS, sums, strict=True))
    by_name["pair_places"] = by_name["potential_boundaries"]
    (actual,) = evaluate([ACTUAL["boundary_similarity"]], by_name, {"n_t": 2}, rows=False).values()
    first = codings.first
    marks = np.diff(boundaries.offsets[first])
    chance = (marks / (np.diff(first) * (size[first[:-1]] - 1))).mean() ** 2
    return float((actual[0] - chance) / (1 - chance))


def in_masses(codings: References) -> dict[str, dict[str, tuple[int, ...]]]:
    """Convert codings to segeval's format."""
    dataset: dict[str, dict[str, tuple[int, ...]]] = {}
    offsets, values = codings.side.boundaries.offsets, codings.side.boundaries.values
    for row, document in enumerate(codings.document.tolist()):
        boundaries = values[offsets[row] : offsets[row + 1]].tolist()
        edges = [0, *boundaries, int(codings.size[row])]
        masses = tuple(end - start for start, end in pairwise(edges))
        dataset.setdefault(str(document), {})[codings.coder[row].as_py()] = masses
    return dataset


def measure() -> list[Result]:
    """Measure how the time grows, and compare with segeval."""
    with tempfile.TemporaryDirectory() as folder:
        return [
            *growth(folder),
            *(result for units in (54, 600) for result in against_segeval(folder, units)),
        ]

"""Agreement: cost by documents and coders, and the pass against segeval on the same codings."""

import subprocess
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import median

import numpy as np
import segeval

from benchmarks.timing import SEGSCORE, took
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


def simulate(folder: str, documents: int, coders: int, *further: str) -> str:
    """Make codings; where they are."""
    made = "-".join([f"{folder}/{documents}", str(coders), *further])
    shape = ("--documents", str(documents), "--coders", str(coders), "--output", made, *further)
    subprocess.run([SEGSCORE, "simulate", DATA, *shape], check=True, capture_output=True)
    return f"{made}/codings"


def timed_command(command: list[str]) -> tuple[float, float]:
    """Seconds a whole process takes, and the most memory it had, in MB."""
    ran = took(command)
    return ran.seconds, ran.megabytes


def timed(codings: str, run: str) -> tuple[float, float]:
    """Time a whole `segscore agree`."""
    return timed_command([SEGSCORE, "agree", codings, "--output", run, "--fresh"])


def growth(folder: str) -> list[str]:
    """Cost of each document and pair of coders, over what starting up costs."""
    floor, _ = timed(simulate(folder, 10, 3), f"{folder}/run")
    lines, first = [], None
    for documents, coders in GROWTH:
        codings = simulate(folder, documents, coders)
        took = [timed(codings, f"{folder}/run") for _ in range(RUNS)]
        seconds, memory = median(t for t, _ in took), max(m for _, m in took)
        pairs = documents * coders * (coders - 1) // 2
        each = (seconds - floor) / pairs
        first = first or each
        lines.append(
            f"agree: {documents:>9,} documents x {coders:>2} coders: {seconds:6.1f} s, "
            f"{each / first:4.2f} x the first line's time a pair, {memory:5.0f} MB at most"
        )
    return lines


def against_segeval(folder: str, units: int) -> str:
    """One thread, the same codings in memory on both sides; and the whole task beside."""
    codings = simulate(folder, SAMPLE, 3, "--units", str(units))
    settings = AgreeSettings(codings, f"{folder}/{units}", replicates=0)
    place = Partitioning(find_tables(settings), f"{folder}/{units}", 1)
    job = AgreeJob(place, settings.measuring, False, {}, f"{folder}/{units}")
    ready = accept_codings(job, AgreePart("part", 0)).codings
    dataset = in_masses(ready)
    calls = (
        lambda: pi(ready),
        lambda: audit_part(job, AgreePart("part", 0)),
        lambda: segeval.fleiss_pi_linear(dataset, **SIMILARITY),
    )
    # The first round warms the caches.
    times = [[seconds(call) for call in calls] for _ in range(RUNS + 1)]
    apart = abs(pi(ready) - float(segeval.fleiss_pi_linear(dataset, **SIMILARITY)))
    pass_alone = median(theirs / ours for ours, _, theirs in times[1:])
    whole = median(theirs / ours for _, ours, theirs in times[1:])
    return (
        f"agree: {SAMPLE} documents of {units} units x 3 coders: pi of B in {pass_alone:,.0f} x "
        f"less time than segeval's fleiss_pi (aim 1,000; values differ by {apart:.0e}); the whole "
        f"audit, all coefficients, coders and prominence, tables written: {whole:,.0f} x less"
    )


def seconds(call: Callable[[], object]) -> float:
    """Time a call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def pi(codings: References) -> float:
    """Pi of B, documents averaged as segeval does."""
    pairs = peers(codings.first, (0, len(codings.documents)))
    boundaries, size = codings.side.boundaries, codings.size
    counts = edits.count(pair_rows(boundaries, boundaries, pairs.row, pairs.peer, size[pairs.row]))
    by_name = {name: np.array([row.sum()]) for name, row in zip(edits.COUNTS, counts, strict=True)}
    by_name["pair_places"] = by_name["potential_boundaries"]
    (actual,) = evaluate([ACTUAL["boundary_similarity"]], by_name, {"n_t": 2}, rows=False).values()
    first = codings.first
    marks = boundaries.offsets[first[1:]] - boundaries.offsets[first[:-1]]
    chance = (marks / (np.diff(first) * (size[first[:-1]] - 1))).mean() ** 2
    return float((actual[0] - chance) / (1 - chance))


def in_masses(codings: References) -> dict[str, dict[str, tuple[int, ...]]]:
    """The same codings in segeval's form."""
    dataset: dict[str, dict[str, tuple[int, ...]]] = {}
    offsets, values = codings.side.boundaries.offsets, codings.side.boundaries.values
    for row, document in enumerate(codings.document.tolist()):
        own = values[offsets[row] : offsets[row + 1]].tolist()
        edges = [0, *own, int(codings.size[row])]
        masses = tuple(end - start for start, end in pairwise(edges))
        dataset.setdefault(str(document), {})[codings.coder[row].as_py()] = masses
    return dataset


def measure() -> str:
    """Measure growth, then the ratio."""
    with tempfile.TemporaryDirectory() as folder:
        return "\n".join(
            [*growth(folder), *(against_segeval(folder, units) for units in (54, 600))]
        )

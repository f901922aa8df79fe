"""Compiled passes compared with segeval and NLTK, on the same pairs in memory, one thread."""

import tempfile
import warnings
from itertools import pairwise
from statistics import median

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from nltk.metrics.segmentation import pk as nltk_pk
from nltk.metrics.segmentation import windowdiff as nltk_windowdiff

from benchmarks.agreement import seconds, simulate
from benchmarks.timing import Result, noise
from segscore.pipeline.arrays.ragged import Floats, Ragged, ragged
from segscore.pipeline.measures import PAIRS, content, edits, tolerance, windows
from segscore.pipeline.measures.measure import evaluate
from segscore.pipeline.measures.segmentation_pairs import SegmentationPairs, pair_rows
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.storage import read_table

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import segeval

DOCUMENTS = 131_072
SAMPLE = 200
RUNS = 5
FASTER, FASTER_THAN_NLTK = {54: 1000, 600: 3000}, 60
VALUES = ("pk", "window_diff", "boundary_similarity", "segmentation_similarity")
CONFUSION = ("b_tp", "b_fp", "b_fn", "b_tn")


def pairs(folder: str, units: int) -> tuple[Ragged, Ragged, SegmentationPairs]:
    """Simulate two coders per document; the first, in random order, are the references."""
    codings = read_table(simulate(folder, DOCUMENTS, 2, "--units", str(units)))
    codings = codings.sort_by([("coder", "ascending"), ("document_id", "ascending")])
    first = codings.slice(0, DOCUMENTS)
    second = codings.slice(DOCUMENTS)
    if not pc.all(pc.equal(first.column("document_id"), second.column("document_id"))).as_py():
        raise SystemExit("the two coders did not code the same documents")
    order = np.random.default_rng(0).permutation(DOCUMENTS)
    references = ragged(first.take(pa.array(order)).column("boundaries").combine_chunks())
    hypotheses = ragged(second.column("boundaries").combine_chunks())
    size = second.column("n_units").to_numpy().astype(np.int64)
    rows = np.argsort(order), np.arange(DOCUMENTS), size
    return references, hypotheses, pair_rows(references, hypotheses, *rows)


def ours(compared: SegmentationPairs, references: Ragged) -> dict[str, Floats]:
    """Compute Pk, WindowDiff, B, S and the confusion matrix of each pair."""
    window = windows.window_size(compared.n_units, references.lengths[compared.ref_row] + 1)
    counts = dict(zip(windows.COUNTS, windows.count(compared, window), strict=True))
    counts |= dict(zip(edits.COUNTS, edits.count(compared), strict=True))
    parameters = ScoreSettings("references", "hypotheses", "run").parameters(float("nan"))
    measures = [PAIRS.measures[name] for name in (*VALUES, *CONFUSION)]
    return evaluate(measures, counts, parameters, rows=True)


def in_masses(side: Ragged, row: int, size: int) -> tuple[int, ...]:
    """Convert a segmentation to segeval's format."""
    boundaries = side.values[side.offsets[row] : side.offsets[row + 1]].tolist()
    return tuple(end - start for start, end in pairwise([0, *boundaries, size]))


def by_segeval(masses: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> list[float]:
    """Compute the same for a sample with segeval; return its Pk."""
    values = []
    for reference, hypothesis in masses:
        segeval.boundary_confusion_matrix(hypothesis, reference)
        segeval.window_diff(hypothesis, reference)
        segeval.boundary_similarity(hypothesis, reference)
        segeval.segmentation_similarity(hypothesis, reference)
        values.append(float(segeval.pk(hypothesis, reference)))
    return values


def by_nltk(masks: list[tuple[str, str, int]]) -> None:
    """Compute Pk and WindowDiff of a sample with NLTK."""
    for reference, hypothesis, k in masks:
        nltk_pk(reference, hypothesis, k=k)
        nltk_windowdiff(reference, hypothesis, k=k)


def as_mask(masses: tuple[int, ...]) -> str:
    """Convert a segmentation to NLTK's format."""
    return "1".join("0" * (mass - 1) for mass in masses)


def relative_to_peers(folder: str, units: int) -> list[Result]:
    """Time all alternately, one thread each."""
    references, hypotheses, compared = pairs(folder, units)
    window = windows.window_size(compared.n_units, references.lengths[compared.ref_row] + 1)
    masses = [
        (in_masses(references, compared.ref_row[i], units), in_masses(hypotheses, i, units))
        for i in range(SAMPLE)
    ]
    masks = [(as_mask(r), as_mask(h), int(window[i])) for i, (r, h) in enumerate(masses)]
    difference = np.abs(ours(compared, references)["pk"][:SAMPLE] - by_segeval(masses)).max()
    calls = (
        lambda: ours(compared, references),
        lambda: windows.count(compared, window),
        lambda: edits.count(compared),
        lambda: content.count(compared),
        lambda: tolerance.count(compared, 3),
        lambda: by_segeval(masses),
        lambda: by_nltk(masks),
    )
    # The first round warms the caches.
    turns = [[seconds(call) for call in calls] for _ in range(RUNS + 1)][1:]
    whole, *passes = (median(turn[i] for turn in turns) * 1e3 for i in range(5))
    scale = DOCUMENTS / SAMPLE
    segeval_ratio, nltk_ratio = (
        median(turn[i] / turn[0] * scale for turn in turns) for i in (5, 6)
    )
    what = f"{DOCUMENTS:,} pairs of {units} units"
    names = ("windows", "edits", "content", "tolerance")
    each = ", ".join(f"{name} {time:.0f}" for name, time in zip(names, passes, strict=True))
    aim = FASTER[units]
    return [
        Result(
            f"Pk, WindowDiff, B, S and confusion of {what}, one thread, against segeval",
            f"{segeval_ratio:,.0f} x as fast ({whole:.0f} ms; Pk differs by {difference:.0e}; "
            f"passes alone in ms: {each})",
            f"at least {aim:,} x",
            segeval_ratio >= aim,
            noise(turn[0] for turn in turns),
        ),
        Result(
            f"the same of {what}, against NLTK, which computes only Pk and WindowDiff",
            f"{nltk_ratio:,.0f} x as fast",
            f"at least {FASTER_THAN_NLTK} x",
            nltk_ratio >= FASTER_THAN_NLTK,
        ),
    ]


def measure() -> list[Result]:
    """Measure short and long documents."""
    with tempfile.TemporaryDirectory() as folder:
        return [result for units in FASTER for result in relative_to_peers(folder, units)]

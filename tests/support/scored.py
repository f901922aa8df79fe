"""Corpora whose hypotheses have candidates with scores."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq  # noqa: TID251

from tests.support.corpora import SEGMENTATION, Corpus, corpus

SCORED = SEGMENTATION.append(pa.field("boundary_scores", pa.list_(pa.float64())))
FEW = (0.0, 0.1, 0.25, 0.5, 0.5, 0.9, 1.0)


def scored_corpus(seed: int, documents: int = 20, scores: Sequence[float] = FEW) -> Corpus:
    """Generate a corpus whose hypotheses have candidates, good ones and others, with scores."""
    draw = Random(seed)  # noqa: S311
    generated = corpus(seed, documents)
    for row in generated.hypotheses:
        further = {p for p in range(1, row["n_units"]) if draw.random() < 0.2}
        row["boundaries"] = sorted({*row["boundaries"], *further})
        row["boundary_scores"] = [
            draw.choice(scores) if scores else draw.random() for _ in row["boundaries"]
        ]
    return generated


def write(generated: Corpus, folder: Path, count: int = 1) -> None:
    """Write the tables, the scored hypotheses in so many files."""
    generated.write(folder)
    (folder / "hypotheses" / "0.parquet").unlink()
    for i in range(count):
        rows = generated.hypotheses[
            i * len(generated.hypotheses) // count : (i + 1) * len(generated.hypotheses) // count
        ]
        table = pa.Table.from_pylist(rows, SCORED)
        pq.write_table(table, folder / "hypotheses" / f"{i}.parquet", row_group_size=7)

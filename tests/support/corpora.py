"""Generated corpora: written, scored through the command line, and by the slow twin."""

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq  # noqa: TID251

from segscore.pipeline.measures.selection import select
from tests.oracles import families, naive
from tests.support.command_line import Segscore

SEGMENTATION = pa.schema(
    [
        ("document_id", pa.string()),
        ("coder", pa.string()),
        ("n_units", pa.int32()),
        ("boundaries", pa.list_(pa.int32())),
    ]
)


@dataclass(frozen=True)
class Corpus:
    """A generated corpus: documents with one to three references and up to three hypotheses."""

    references: list[dict[str, Any]]
    hypotheses: list[dict[str, Any]]
    documents: list[dict[str, Any]]

    def write(self, folder: Path, files: int = 1) -> None:
        """Write the tables, the segmentations of each in so many files."""
        for name, rows in (("references", self.references), ("hypotheses", self.hypotheses)):
            (folder / name).mkdir(parents=True)
            for i in range(files):
                part = rows[i * len(rows) // files : (i + 1) * len(rows) // files]
                kinds = [pa.field("boundary_kinds", pa.list_(pa.string()))]
                further = kinds if any("boundary_kinds" in row for row in part) else []
                table = pa.Table.from_pylist(part, pa.schema([*SEGMENTATION, *further]))
                pq.write_table(table, folder / name / f"{i}.parquet", row_group_size=7)
        pq.write_table(pa.Table.from_pylist(self.documents), folder / "documents.parquet")


def corpus(seed: int, documents: int = 40) -> Corpus:
    draw = Random(seed)  # noqa: S311
    generated = Corpus([], [], [])
    for d in range(documents):
        n_units = draw.choice([1, 2, 3, 5, 9, 20, 40, 60])
        model = [p for p in range(1, n_units) if draw.random() < draw.choice([0, 0.1, 0.3])]

        def coding(
            coder: str, n: int = n_units, m: list[int] = model, d: int = d
        ) -> dict[str, Any]:
            moved = {p + draw.choice([-2, -1, 0, 0, 0, 1, 3]) for p in m if draw.random() < 0.8}
            boundaries = sorted(p for p in moved if 1 <= p < n)
            return {"document_id": f"d{d}", "coder": coder, "n_units": n, "boundaries": boundaries}

        generated.references.extend(coding(f"r{i}") for i in range(draw.randint(1, 3)))
        generated.hypotheses.extend(coding(f"h{i}") for i in range(3) if draw.random() < 0.9)
        lengths = [draw.choice([0, 1, 3, 7]) for _ in range(n_units)]
        lengths[draw.randrange(n_units)] += 1
        generated.documents.append(
            {
                "document_id": f"d{d}",
                "n_units": n_units,
                "unit_lengths": lengths,
                "genre": draw.choice(["news", "novel", None]),
                "year": draw.choice([1913, 2001]),
            }
        )
    draw.shuffle(generated.references)
    draw.shuffle(generated.hypotheses)
    return generated


def complete(generated: Corpus) -> Corpus:
    """Return the documents that all systems have segmented."""
    of_systems: dict[str, set[str]] = defaultdict(set)
    for row in generated.hypotheses:
        of_systems[row["coder"]].add(row["document_id"])
    shared = set.intersection(*of_systems.values())
    tables = (generated.references, generated.hypotheses, generated.documents)
    return Corpus(*([row for row in rows if row["document_id"] in shared] for rows in tables))


WINDOWS = (
    ("per-pair", "half-even", "units"),
    ("per-pair", "half-up", "words"),
    ("per-document", "half-even", "words"),
    ("per-run", "half-even", "units"),
    (4, "half-even", "units"),
)
"""Windows, their rounding and their units, with which tests compare runs with the twin."""

STORY_SUMS = ("story_miss_sum", "story_false_alarm_sum")


FAMILIES = ("window", "edit", "content", "tolerance", "panel")
"""The families that the twins of runs count."""

COUNTED = ("--measures", ",".join(FAMILIES))
"""What a run is asked for that is compared with its twin."""


def counted(pair: families.Pair, k: int) -> dict[str, Any]:
    """The counts of ``FAMILIES``; sums over stories are not yet rounded."""
    counting = families.Counting(k)
    return {
        name: count
        for family in select(FAMILIES).families
        if family != "panel"
        for name, count in families.TWINS[family].count(pair, counting).items()
    }


def twin_scores(corpus: Corpus, window: str | int, rounding: str, words: bool) -> dict[Any, Any]:
    """(document, reference, hypothesis) -> counts and the other columns of a row of scores."""
    lengths = {document["document_id"]: document["unit_lengths"] for document in corpus.documents}

    def measured(row: dict[str, Any]) -> tuple[int, list[int], int]:
        if words:
            document = row["document_id"]
            return naive.in_words(row["n_units"], row["boundaries"], lengths[document])
        return row["n_units"], row["boundaries"], 0

    by_document = defaultdict(list)
    for row in corpus.references:
        by_document[row["document_id"]].append(measured(row))
    by_run = [row for rows in by_document.values() for row in rows]

    def k_of(document: str, n_units: int, segments: int) -> int:
        if isinstance(window, int):
            return window
        pool = {"per-document": by_document[document], "per-run": by_run}.get(window)
        if pool is None:
            return naive.window_size(n_units, segments, rounding)
        total = sum(len(boundaries) + 1 for _, boundaries, _ in pool)
        return naive.window_size(sum(n for n, _, _ in pool), total, rounding)

    rows: dict[Any, Any] = {}
    for reference in corpus.references:
        n_units, boundaries, lost = measured(reference)
        document = reference["document_id"]
        k = k_of(document, n_units, len(boundaries) + 1)
        alone = naive.window_counts(n_units, boundaries, [], k)
        rows[document, reference["coder"], None] = alone
        for hypothesis in corpus.hypotheses:
            if hypothesis["document_id"] == document:
                _, other, also_lost = measured(hypothesis)
                rows[document, reference["coder"], hypothesis["coder"]] = {
                    "n_units": n_units,
                    "window": k,
                    "collapsed_boundaries": lost + also_lost,
                    **counted((n_units, boundaries, other), k),
                }
    return rows


def run(segscore: Segscore, folder: Path, output: Path, *options: object) -> dict[str, Any]:
    result = segscore(
        "score", folder / "references", folder / "hypotheses", "--output", output,
        "--documents", folder / "documents.parquet", *options,
    )  # fmt: skip
    assert result.code == 0, result.err
    loaded: dict[str, Any] = json.loads((output / "run.json").read_text())
    return loaded

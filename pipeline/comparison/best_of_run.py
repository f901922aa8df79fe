"""Say which system of a scoring run is best, for the command that has just scored it."""

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa

from segscore.pipeline.comparison.shared_documents import SharedDocuments, read_documents
from segscore.pipeline.comparison.verdict import BestSystem
from segscore.pipeline.results.leaderboard import rank
from segscore.pipeline.results.leaderboard_remarks import describe_effective
from segscore.pipeline.runs.finished import rows_over_all
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.statistics.averages import summary_groups
from segscore.pipeline.statistics.finding import Finding
from segscore.pipeline.statistics.sentences import Sentence, Tone
from segscore.schemas.rows import AverageRow

MOST_PAIRS = 500_000
"""Pairs of a run above which its systems are not compared until somebody asks for it."""


def best_of_run(run: FinishedScoring, summary: pa.Table, named: Sequence[str]) -> Finding:
    """Return which system is best over all documents by the first measure, and how surely.

    Args:
        run: a scoring run.
        summary: its averages, with those over the documents that all systems share; not empty.
        named: measures and families in the order in which the user named them.
    """
    rows: list[AverageRow] = rows_over_all(summary, summary_groups(summary.column_names))
    (micro,), (macro,) = (
        rank([row for row in rows if row["average"] == average], named=named)
        for average in ("micro", "macro")
    )
    if not micro.ranks:  # the leaderboard says why
        return Finding("No system is ranked", Tone.NOTE, is_said=True)
    documents = SharedDocuments(None, untested="; `segscore compare` tests it")
    if run.record["pairs"] <= MOST_PAIRS:
        documents = read_documents(run, micro.measure, "micro")
    best = BestSystem(micro, "micro", documents.pairs, documents.untested)
    found, effective = best.finding(), describe_effective(micro, macro)
    further = [] if effective is None else [Sentence(effective)]
    return replace(found, sentences=[*found.sentences, *further])

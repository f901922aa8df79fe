"""The documents that all systems of a scoring run share, and the sections about them."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from segscore.pipeline.comparison.runs import chosen_measures
from segscore.pipeline.comparison.samples import NothingShared, Sample, read_samples
from segscore.pipeline.comparison.systems import find_systems
from segscore.pipeline.comparison.verdict import PairRows
from segscore.pipeline.reports.differences import compare_best, difference_figure
from segscore.pipeline.reports.documents import spread_section
from segscore.pipeline.reports.page import Section
from segscore.pipeline.reports.ranking import Ranking
from segscore.pipeline.reports.worst import worst_sections
from segscore.pipeline.scoring.finished_scoring import FinishedScoring


@dataclass(frozen=True)
class SharedDocuments:
    """The documents that all systems share.

    Attributes:
        sample: counts and values of the systems; None if they share no document.
        documents: number of documents in the run.
        pairs: comparisons of the best systems; empty if there is one system.
        untested: why there is no sample, to append to a sentence; empty if there is one.
    """

    sample: Sample | None
    documents: int = 0
    pairs: PairRows = field(default_factory=dict)
    untested: str = ""


def read_documents(run: FinishedScoring, ranking: Ranking) -> SharedDocuments:
    """Read the values of the documents that all systems share, and compare the best systems."""
    (chosen,) = chosen_measures([ranking.measure.name])
    try:
        read = read_samples([run], find_systems([run], ()), *chosen, ())
    except NothingShared as problem:
        return SharedDocuments(None, untested=f": {problem}")
    sample = read.samples[0]
    pairs = compare_best(run, sample, ranking) if len(sample.systems) > 1 else {}
    return SharedDocuments(sample, read.documents[run.name], pairs)


def document_sections(
    run: FinishedScoring, documents: SharedDocuments, ranking: Ranking
) -> Iterator[Section]:
    """Yield the sections about the documents that all systems share."""
    sample = documents.sample
    if sample is None:
        why = f"Not shown{documents.untested}."
        yield Section("documents", "Documents", why, [], missing=why)
        return
    shared = len(sample.documents)
    text = f"{shared:,} of {documents.documents:,} documents: those that all systems share."
    if documents.pairs:
        figure = difference_figure(documents.pairs, sample, ranking)
        yield Section("differences", "Which differences are significant", text, [figure])
    yield Section("documents", "Documents", text, [spread_section(sample, ranking)])
    yield from worst_sections(run, sample, ranking)

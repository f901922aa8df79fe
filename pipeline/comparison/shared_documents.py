"""Compare the systems of one scoring run on the documents that all of them share."""

from dataclasses import dataclass, field

from segscore.pipeline.comparison.all_pairs import AllPairs
from segscore.pipeline.comparison.certainty import PairRows
from segscore.pipeline.comparison.runs import chosen_measures, find_systems, resampled_by
from segscore.pipeline.comparison.samples import (
    NothingShared,
    Sample,
    read_samples,
)
from segscore.pipeline.comparison.settings import CompareSettings
from segscore.pipeline.scoring.finished_scoring import FinishedScoring


@dataclass(frozen=True)
class SharedDocuments:
    """The documents that all systems share, on which they are ranked.

    Attributes:
        sample: counts and values of the systems; None if they are not ranked.
        documents: number of documents in the run.
        pairs: comparisons of all systems and reference points; empty if there is one of them.
        untested: why there is no sample, to append to a sentence; empty if there is one.
    """

    sample: Sample | None
    documents: int = 0
    pairs: PairRows = field(default_factory=dict)
    untested: str = ""


def read_documents(run: FinishedScoring, measure: str, average: str) -> SharedDocuments:
    """Read the values of the documents that all systems share, and compare the systems.

    Args:
        run: a scoring run.
        measure: the measure by which systems are ranked and compared.
        average: the average that is compared, micro or macro.
    """
    settings = CompareSettings((run.url,), (measure,))
    (chosen,) = chosen_measures([measure])
    try:
        systems = find_systems([run], ())
        read = read_samples([run], systems, *chosen, (), resampled_by([run], settings.resample_by))
    except NothingShared as problem:
        return SharedDocuments(None, untested=f": {problem}")
    group = read.groups[0]
    if group.together is None:
        return SharedDocuments(None, untested=f": {group.coverage.in_words}")
    pairs = AllPairs(group, group.together.measures[0], average)
    return SharedDocuments(group.together, read.documents[run.name], pairs)

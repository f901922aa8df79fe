"""What a run shows, in a few sentences: the beginning of a report."""

from segscore.pipeline.comparison.shared_documents import SharedDocuments
from segscore.pipeline.comparison.verdict import BestSystem
from segscore.pipeline.nightly.failures import failures_in_words
from segscore.pipeline.nightly.verdict import Verdict
from segscore.pipeline.plain_text import first_named
from segscore.pipeline.reports.page import isolated
from segscore.pipeline.reports.ranking import Ranking
from segscore.pipeline.statistics.shown_numbers import counted

_NAMED = 3
"""Maximum number of systems that a sentence names."""


def best_system(ranking: Ranking, documents: SharedDocuments) -> str:
    """Say which system has the best value, than which it is better, and what few carry."""
    coverage = ranking.board.coverage
    if not coverage.ranks:
        return f"No system is called best: {coverage.advice}."
    best = BestSystem(ranking.board, ranking.average, documents.pairs, documents.untested)
    sentences = [sentence.text for sentence in best.sentences(isolated)]
    effective = ranking.described_effective
    return " ".join(sentences if effective is None else [*sentences, effective])


def verdict_in_words(night: Verdict) -> str:
    """Say whether a night passed, and which checks failed."""
    outcome = f"The night of {night.date} {_OUTCOMES.get(night.outcome, night.outcome)}"
    number = len(night.checks) + len(night.group_checks)
    where = " over all documents and in groups" if night.group_checks else ""
    sentences = [f"{outcome}: {len(night.failed)} of {number} checks{where} failed."]
    described = failures_in_words(night.failed, isolated)
    sentences += [f"{text}." for text in described[:_NAMED]]
    if len(described) > _NAMED:
        sentences.append(f"{_more(len(described) - _NAMED, 'system', 'is', 'are')} in the table.")
    sentences += [f"Probable cause: {cause.rstrip('.')}." for cause in night.causes]
    sentences += [
        f"{isolated(file.url)} cannot be read and was left out." for file in night.unusable[:_NAMED]
    ]
    if len(night.unusable) > _NAMED:
        sentences.append(f"{counted(len(night.unusable) - _NAMED, 'more file')} cannot be read.")
    for what, names in (("Missing", night.missing), ("New", night.new)):
        if names:
            sentences.append(f"{what}: {first_named(names, shown=isolated)}.")
    return " ".join(sentences)


def _more(number: int, noun: str, one: str, several: str) -> str:
    return f"{counted(number, f'more {noun}')} {one if number == 1 else several}"


_OUTCOMES = {
    "passed": "passed",
    "failed": "failed",
    "accepted": "was accepted",
    "incomplete": "is incomplete",
    "partial": "is partial",
    "not_comparable": "cannot be compared with an earlier one",
}

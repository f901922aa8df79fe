"""What a run shows, in a few sentences: the beginning of a report."""

from collections.abc import Callable, Iterator, Sequence

from segscore.pipeline.comparison.certainty import listed_names
from segscore.pipeline.comparison.shared_documents import SharedDocuments
from segscore.pipeline.comparison.verdict import BestSystem
from segscore.pipeline.nightly.failures import failures_in_words
from segscore.pipeline.nightly.verdict import Verdict
from segscore.pipeline.reports.page import isolated
from segscore.pipeline.reports.ranking import Ranking
from segscore.pipeline.runs.finished import FinishedRun, RunRow
from segscore.pipeline.statistics.shown_numbers import shown_number

_NAMED = 3
"""Maximum number of systems that a sentence names."""


def _listed(names: Sequence[str], shown: Callable[[str], str] = isolated) -> str:
    """Name a few systems, and the number of the others."""
    return listed_names(names, shown)


def best_system(ranking: Ranking, documents: SharedDocuments) -> str:
    """Say which system is best, whether that is sure, and what few documents carry."""
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
    failed = [check for check in night.checks if check.fails]
    sentences = [f"{outcome}: {len(failed)} of {len(night.checks)} checks failed."]
    described = failures_in_words(failed, isolated)
    sentences += [f"{text}." for text in described[:_NAMED]]
    if len(described) > _NAMED:
        sentences.append(f"{len(described) - _NAMED} more systems are in the table.")
    sentences += [
        f"{isolated(file.url)} cannot be read and was left out." for file in night.unusable[:_NAMED]
    ]
    if len(night.unusable) > _NAMED:
        sentences.append(f"{len(night.unusable) - _NAMED} more files cannot be read.")
    for what, names in (("Missing", night.missing), ("New", night.new)):
        if names:
            sentences.append(f"{what}: {_listed(names)}.")
    return " ".join(sentences)


_OUTCOMES = {
    "passed": "passed",
    "failed": "failed",
    "accepted": "was accepted",
    "incomplete": "is incomplete",
    "partial": "is partial",
    "not_comparable": "cannot be compared with an earlier one",
}


def thresholds_in_words(run: FinishedRun, shown: Callable[[str], str] = isolated) -> Iterator[str]:
    """Say at which threshold each of the first systems has segments of the references' length."""
    rows = run.rows("operating_points")
    for row in rows[:_NAMED]:
        name = shown(row["hypothesis"])
        if row["threshold"] is None:
            yield f"{name}: no threshold gives segments as long as the references'.{_area(row)}"
            continue
        yield (
            f"{name}: at threshold {row['threshold']:.6g} its segments are about as long as the "
            f"references'; there, {_share(row['pk_miss_rate'])} of the windows with a boundary "
            f"are missed, and {_share(row['pk_false_alarm_rate'])} of those without are false "
            f"alarms.{_area(row)}"
        )
    if len(rows) > _NAMED:
        yield f"{len(rows) - _NAMED} more systems are in the table operating_points."


def _area(row: RunRow) -> str:
    """State the average precision of a row; nothing in a run of an earlier version."""
    area = row.get("average_precision")
    return "" if area is None else f" Over all thresholds, average precision is {area:.4f}."


def _share(value: float | None) -> str:
    return "an undefined share" if value is None else f"{100 * value:.1f} %"


def tolerances_in_words(run: FinishedRun, shown: Callable[[str], str] = isolated) -> Iterator[str]:
    """Say which system has the highest F at the smallest and at the largest tolerance."""
    rows = run.rows("tolerances")
    tolerances = sorted({row["tolerance"] for row in rows})
    for tolerance in dict.fromkeys([tolerances[0], tolerances[-1]]):
        known = [
            row for row in rows if row["tolerance"] == tolerance and row["tolerant_f1"] is not None
        ]
        if len({(row["rows"], row["reference_boundaries"]) for row in known}) > 1:
            yield "Systems were scored on different documents, so that none has the highest F."
            return
        if not known:
            yield f"At a tolerance of {tolerance:,}, F is undefined for every system."
            continue
        highest = max(row["tolerant_f1"] for row in known)
        best = [row["hypothesis"] for row in known if row["tolerant_f1"] == highest]
        verb = "has" if len(best) == 1 else "have"
        yield (
            f"At a tolerance of {tolerance:,}, {_listed(best, shown)} {verb} the highest F, "
            f"{shown_number(highest)}."
        )

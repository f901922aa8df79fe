"""Put scores published on the same references beside the scores of the systems.

A published score is a number without its documents, so there is no test and no rank. The systems
are scored again by the convention of the published score, if that is known.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from segscore.pipeline.comparison.runs import System
from segscore.pipeline.conventions.apply import ConventionValues
from segscore.pipeline.conventions.corpus import Corpus, corpus_of
from segscore.pipeline.errors import Refused
from segscore.pipeline.scoring.documents import DocumentRows
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.hypotheses import accept_hypotheses
from segscore.pipeline.scoring.reopen import reopen
from segscore.pipeline.tables.read import join_rows, read_slices
from segscore.pipeline.testsets.published import PublishedScore, scores_of
from segscore.pipeline.testsets.recognise import describe_record
from segscore.pipeline.testsets.registry import Registry, Split, own_registry

_OPTION = "--published"

Row = dict[str, Any]


def published_beside(
    runs: Sequence[FinishedScoring], systems: Sequence[System], scores: Sequence[PublishedScore]
) -> list[Row]:
    """List published scores beside those of systems, as rows of the table.

    Args:
        runs: runs on the same references, whose inputs are read again.
        systems: systems to score by the conventions of published scores; reference points, which
            are in no input, are left out.
        scores: the published scores.

    Raises:
        Refused: the inputs of a run have changed since it was scored, or are in a place that is not
            trusted.
    """
    own = [*_own_values(runs, systems, scores)]
    nobody: list[tuple[str | None, _Values]] = [(None, {})]
    return [
        _as_row(score, system, values.get((score.convention, score.measure, score.document_id)))
        for score in scores
        for system, values in own or nobody
    ]


def scores_on_references(runs: Sequence[FinishedScoring]) -> list[PublishedScore]:
    """Return the scores that were published on the references of runs.

    Raises:
        Refused: the references of a run are not a test set of the registry, or not those of
            another run.
    """
    splits = {run.name: _split_of(run) for run in runs}
    first = next(iter(splits.values()))
    for name, split in splits.items():
        if split != first:
            raise Refused(
                f"{_OPTION}: {name} has the references of {split.title}, and {runs[0].name} those "
                f"of {first.title}; name runs of one test set"
            )
    return scores_of(first.set_name, [first.name])


def _split_of(run: FinishedScoring) -> Split:
    """Return the split of a test set that the references of a run are.

    Raises:
        Refused: they are none that is known, or only a part of one.
    """
    registry = own_registry()
    test_set = run.record.get("test_set") or {}
    for split in registry.splits:
        if split.is_of(test_set.get("fingerprint")):
            return split
    raise Refused(f"{_OPTION}: {run.name}: {_why_not(test_set, registry)}")


def _why_not(test_set: Mapping[str, Any], registry: Registry) -> str:
    if not test_set:
        return "was scored by an earlier version, which did not recognise test sets; score it again"
    if test_set.get("name") is not None and (part := describe_record(test_set, registry)):
        return f"{part}; published scores are about exactly the references of a test set"
    return (
        "its references are not a test set that segscore knows; `segscore testsets` lists those "
        "that it knows"
    )


_Values = Mapping[tuple[str, str, str], float | None]
"""Convention, measure and document -> value of a system."""


def _own_values(
    runs: Sequence[FinishedScoring], systems: Sequence[System], scores: Sequence[PublishedScore]
) -> Iterator[tuple[str, _Values]]:
    """Yield the label of each system, and its values by the conventions of published scores."""
    wanted = {
        (score.convention, score.measure, score.document_id) for score in scores if score.convention
    }
    for number, run in enumerate(runs):
        of_run = [each for each in systems if each.run == number and not each.is_point]
        if not of_run or not wanted:
            continue
        if run.tables is not None:
            raise Refused(f"{_OPTION}: reads inputs again, and {run.name} is not in a folder")
        corpus = _corpus(run)
        pairs = {(convention, measure) for convention, measure, _ in wanted}
        by_name = {pair: ConventionValues(corpus, pair[0], [pair[1]]) for pair in sorted(pairs)}
        for system in of_run:
            yield (
                system.label,
                {
                    (name, measure, document): by_name[name, measure].value(
                        measure, system.hypothesis, document
                    )
                    for name, measure, document in wanted
                },
            )


def _corpus(run: FinishedScoring) -> Corpus:
    """Read the inputs of a run again, and return its pairs."""
    opened = reopen(run)
    table = opened.inputs.hypotheses
    rows = join_rows([*read_slices(table.slices, table.further)])
    accepted = accept_hypotheses(
        rows, opened.references, typed=opened.inputs.typed, settings=opened.settings
    )
    unit = opened.inputs.unit if opened.settings.units == "units" else None
    return corpus_of(DocumentRows(opened.collected, accepted), typed=opened.inputs.typed, unit=unit)


def _as_row(score: PublishedScore, system: str | None, value: float | None) -> Row:
    return {
        "set": score.set,
        "split": score.split,
        "published_system": score.system,
        "document_id": score.document_id or None,
        "measure": score.measure,
        "printed": score.value,
        "evidence": score.evidence,
        "convention": score.convention or None,
        "system": system,
        "value": value,
        "source": score.source,
        "note": score.note or None,
    }

"""Run a comparison: read the scoring runs, compute the tables, and publish them if asked to."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.comparison.changes import find_changes, require_two
from segscore.pipeline.comparison.document_ranks import rank_tables
from segscore.pipeline.comparison.files_beside import FilesBeside, read_beside
from segscore.pipeline.comparison.published import published_beside, scores_on_references
from segscore.pipeline.comparison.ratings import correlate_ratings
from segscore.pipeline.comparison.runs import (
    System,
    chosen_measures,
    find_systems,
    open_runs,
    require_comparable,
    resampled_by,
    signature,
    warn_of_trials,
)
from segscore.pipeline.comparison.samples import (
    Compared,
    Sample,
    describe_other_references,
    read_samples,
)
from segscore.pipeline.comparison.settings import CompareSettings
from segscore.pipeline.comparison.tables import (
    ComparisonRow,
    compare_group,
    table_of,
    worst_documents,
)
from segscore.pipeline.comparison.where_systems_differ import where
from segscore.pipeline.errors import Done, Refused
from segscore.pipeline.results.names import is_random
from segscore.pipeline.runs import run_folder
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.runs.record import RowCounts
from segscore.pipeline.runs.run import Run
from segscore.pipeline.scoring.aspects.answers import answer_columns
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.inputs import choose_groups
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.pipeline.statistics.resampling import estimator
from segscore.pipeline.tables.find import InputTable
from segscore.pipeline.testsets.published import PublishedScore


@dataclass(frozen=True)
class ComparedRuns:
    """What a comparison computes, whether or not it is published.

    Attributes:
        tables: the tables by name.
        signature: one line that describes what was compared, and how.
        rows: for each run, how many of its documents were compared.
        warnings: what the user should know of.
    """

    tables: dict[str, pa.Table]
    signature: str
    rows: RowCounts
    warnings: list[str]


@dataclass
class _Results:
    """Rows by table, kinds of resampling unit, samples of all documents and warnings so far."""

    rows: dict[str, list[ComparisonRow]]
    units: set[str] = field(default_factory=set)
    warnings: list[str] = field(default_factory=list)


def run_comparison(settings: CompareSettings, average: str = "micro") -> FinishedRun | Done:
    """Compare the systems of some runs on the documents they share, and publish if asked to.

    Args:
        settings: the runs, and what to compare.
        average: the average that is shown, micro or macro; the record says which.

    Returns:
        The comparison, which is published unless the output already contained it; or ``Done`` if
        another job published the same one in the meantime.

    Raises:
        Refused: the settings are wrong, the runs are not comparable, or they share no document;
            nothing was written.
        Failed: the tables cannot be written.
    """
    run = Run("compare", settings)
    with run.stage("plan"):
        runs = open_runs(settings.runs, trust_inputs=settings.trust_inputs)
        require_comparable(runs, chosen_measures(settings.measures), settings.may_differ)
        beside = read_beside(settings)  # before any work, as what cannot be read is refused
        records = _records(settings)
        is_new = run.prepare([records])
    compared = compare_runs(runs, settings, beside, run.stage)
    units = {each.unit for each in runs}
    record = {
        "signature": compared.signature,
        "settings": asdict(settings),
        "average": average,
        "pairs": compared.tables["comparisons"].num_rows,
        **run.record([records], compared.rows, libraries=("scipy",)),
    }
    record["unit"] = units.pop() if len(units) == 1 else None
    record["warnings"] += compared.warnings
    if is_new:
        with run.work():
            if not run.claim({}):
                return run.done
            for name, table in compared.tables.items():
                run.write(name, table)
            record = run.publish(record)
    return FinishedRun(settings.output or "comparison", record, tables=compared.tables)


def _untimed(_stage: str) -> AbstractContextManager[None]:
    return nullcontext()


def compare_runs(
    runs: Sequence[FinishedScoring],
    settings: CompareSettings,
    beside: FilesBeside,
    stage: Callable[[str], AbstractContextManager[None]] = _untimed,
) -> ComparedRuns:
    """Compare the systems of open runs on the documents they share.

    Args:
        runs: the runs; ``settings.runs`` is not read.
        settings: what to compare.
        beside: the content of the files that ``settings`` name.
        stage: returns the context of each stage, such as one that measures its time.

    Raises:
        Refused: the runs are not comparable, or they share no document.
    """
    with stage("compare"):
        chosen = chosen_measures(settings.measures)
        require_comparable(runs, chosen, settings.may_differ)
        systems = find_systems(runs, settings.systems)
        if settings.changes:
            require_two(systems)
        rows = ["comparisons", "systems", "worst"] + ["omnibus", "rank_tests"] * settings.ranks
        results = _Results({name: [] for name in rows}, warnings=[*warn_of_trials(runs)])
        resample_by = resampled_by(runs, settings.resample_by)
        compared = [
            read_samples(runs, systems, table, measures, settings.group_by, resample_by)
            for table, measures in chosen
        ]
        types = {name: kind for each in compared for name, kind in _groups(settings, each).items()}
        for samples in compared:
            _add_samples(results, settings, runs, samples)
    with stage("where"):
        _add_boundaries(results, settings, runs, compared[0], beside.scores)
    with stage("ratings"):
        if beside.ratings is not None:
            found = correlate_ratings(runs, systems, beside.ratings, resample_by)
            results.rows["ratings"], unmatched = found
            results.warnings += unmatched
    tables = _tables(results.rows, types)
    own = {"ci": "+".join(sorted(results.units)), "p": "jackknife-t,holm"}
    if settings.ranks and settings.permutations:
        own["permutation"] = str(settings.permutations)
    with_random = any(is_random(system.hypothesis) for system in systems)
    signed = signature(runs, settings.measures, own, with_random=with_random)
    return ComparedRuns(tables, signed, _account(compared[0]), [*dict.fromkeys(results.warnings)])


def _add_boundaries(
    results: _Results,
    settings: CompareSettings,
    runs: Sequence[FinishedScoring],
    compared: Compared,
    own: Sequence[PublishedScore],
) -> None:
    """Add what is known only from the inputs of the runs, as far as it was asked for.

    The user's ``own`` published scores come before those that segscore knows.
    """
    systems = find_systems(runs, settings.systems)
    if settings.where:
        results.rows["where"] = [*where(runs, systems, compared.groups[0].documents)]
    if settings.changes:
        sample = _shared_by_two(require_two(systems), compared)
        results.rows["changes"], results.rows["changed"] = find_changes(runs, systems, sample)
    if settings.shows_published:
        known = scores_on_references(runs) if settings.published else []
        results.rows["published"] = published_beside(runs, systems, [*own, *known])


def _shared_by_two(two: tuple[System, System], compared: Compared) -> Sample:
    """Return the sample of the documents that two systems share."""
    for sample in compared.groups[0].paired:
        if {*two} <= {*sample.systems}:
            return sample
    raise Refused(f"--changes: {two[0].label} and {two[1].label} share too few documents")


def _records(settings: CompareSettings) -> InputTable:
    """List the run.json files of the runs, which change when a run does, and other files read."""
    urls = [storage.join(url, run_folder.RECORD) for url in settings.runs]
    beside = settings.published_scores, settings.ratings
    urls += [url for url in beside if url is not None]
    files = [file for url in urls for file in storage.find(url, any_kind=True)]
    location = storage.joined_locations(urls)
    return InputTable("runs", tuple(files), (), pa.schema([]), location)


def _groups(settings: CompareSettings, compared: Compared) -> dict[str, pa.DataType]:
    """Return the type of each group-by column; refuse a column that cannot name a group."""
    from segscore.schemas.comparisons import (
        CHANGED,
        CHANGES,
        COMPARISON_TABLES,
        PUBLISHED_SCORES,
        RATINGS,
    )

    apart = (PUBLISHED_SCORES, CHANGES, CHANGED, RATINGS)
    grouped = (table for table in COMPARISON_TABLES if table not in apart)
    taken = {name for table in grouped for name in table.columns}
    return choose_groups(settings.group_by, compared.types, taken)


def _add_samples(
    results: _Results,
    settings: CompareSettings,
    runs: Sequence[FinishedScoring],
    compared: Compared,
) -> None:
    """Compare the samples of one kind of rows, and add the results to ``results``."""
    for samples in compared.groups:
        tables = compare_group(samples, runs, settings)
        if settings.ranks:
            tables |= rank_tables(samples, settings)
        is_whole = samples is compared.groups[0]
        _add_answers(tables["systems"], runs if is_whole else ())
        group = dict(zip(settings.group_by, samples.key, strict=True))
        for name, rows in tables.items():
            results.rows[name] += [group | row for row in rows]
        results.units |= {
            estimator(sample.units.hashes, resampled_by(runs, settings.resample_by))
            for sample in (*samples.single, *samples.pairs)
        }
    results.rows["worst"] += worst_documents(compared.groups[0], runs)
    results.warnings += _warnings(compared)


def _add_answers(rows: list[ComparisonRow], runs: Sequence[FinishedScoring]) -> None:
    """Add the columns about answers to rows of systems; null for those that are in no run."""
    accounts = {run.name: run.accounts for run in runs}
    for row in rows:
        account = accounts.get(row["run"], {}).get(row["hypothesis"])
        row.update(answer_columns(account))


def _warnings(compared: Compared) -> Iterator[str]:
    whole = compared.groups[0]
    if compared.other_references:
        yield (
            f"{describe_other_references(compared.other_references)}; "
            f"{'it was' if len(compared.other_references) == 1 else 'they were'} left out"
        )
    if compared.undigested:
        yield (
            f"{', '.join(compared.undigested)}: scored by an earlier version, so that the "
            "boundaries of its references could not be checked: documents may have been compared "
            "whose references differ; score again to be sure"
        )
    if compared.absent:
        labels = ", ".join(compared.absent)
        named = ", ".join(measure.name for measure in whole.single[0].measures)
        yield f"{labels}: not compared by {named}, for which they have no rows"
    if compared.empty:
        were, their = ("was", "its") if compared.empty == 1 else ("were", "their")
        yield (
            f"{counted(compared.empty, 'group')} {were} left out: no two of {their} systems share "
            "enough documents"
        )


def _account(compared: Compared) -> dict[str, dict[str, int]]:
    """Count, for each run, the documents that were compared and those that were left out."""
    shared = len(compared.groups[0].documents)
    return {
        run: {"in": documents, "scored": shared, "rejected": 0, "unpaired": documents - shared}
        for run, documents in compared.documents.items()
    }


def _tables(
    rows: Mapping[str, list[ComparisonRow]], types: Mapping[str, pa.DataType]
) -> dict[str, pa.Table]:
    from segscore.schemas.comparisons import COMPARISON_TABLES

    models = {model.name: model for model in COMPARISON_TABLES}
    return {
        name: table_of(listed, models[name], {} if models[name].strict else types)
        for name, listed in rows.items()
    }

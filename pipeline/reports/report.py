"""Write the report of a run: make its sections and render the page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os.path import abspath

from segscore.pipeline import storage
from segscore.pipeline.comparison.runs import ScoredRun, chosen_measures, open_runs
from segscore.pipeline.comparison.samples import NothingShared, read_samples
from segscore.pipeline.comparison.systems import find_systems
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.measures import ALL, HEADLINES
from segscore.pipeline.measures.measure import Measure
from segscore.pipeline.reports import agreement, provenance, sweep, systems
from segscore.pipeline.reports.differences import difference_sections
from segscore.pipeline.reports.documents import spread_section
from segscore.pipeline.reports.night import verdict
from segscore.pipeline.reports.page import Page, Section, charting_library, is_report, render
from segscore.pipeline.reports.ranking import Ranking
from segscore.pipeline.reports.run_tables import open_run
from segscore.pipeline.reports.settings import ReportSettings
from segscore.pipeline.reports.worst import worst_sections
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.storage.placement import require_apart

_HEAD = 4096
"""Number of bytes that are enough to recognise a report."""


@dataclass(frozen=True)
class _Written:
    """A page that was written.

    Attributes:
        size: size of the page in bytes.
        missing: what could not be shown, and why.
    """

    size: int
    missing: Sequence[str]


def write_report(settings: ReportSettings) -> _Written:
    """Write the report of a run as one page, atomically.

    Raises:
        Refused: the run is not finished or has nothing to show, the measure does not exist, or
            the output must not be overwritten.
        Failed: the page cannot be written.
    """
    if settings.measure is not None:
        chosen_measures([settings.measure])  # refuses a measure that does not exist
    run = open_run(settings.run)
    _require_free(settings.output, run)
    library = charting_library()
    sections = [*_sections(run, settings), provenance.section(run)]
    page = Page(_title(run.url), run.signature, provenance.row_counts_in_words(run), sections)
    text = render(page, library)
    try:
        storage.write_text(settings.output, text)
    except OSError as problem:
        why = problem.strerror or str(problem)
        raise Failed(f"--output {settings.output}: cannot be written ({why})") from problem
    return _Written(
        len(text.encode()), [section.missing for section in sections if section.missing]
    )


def _title(url: str) -> str:
    """Return the name of a run's folder."""
    whole = url if "://" in url else abspath(url)
    return whole.rstrip("/").rpartition("/")[2] or url


def _require_free(output: str, run: FinishedRun) -> None:
    """Refuse to write over a folder, into the run, over its inputs, or over another file."""
    require_apart(output, {"RUN": run.url, "of the run": run.inputs}, is_file=True)
    if storage.names(output):
        raise Refused(f"--output {output}: is a folder; name a file")
    head = storage.head(output, _HEAD)
    if head and not is_report(head):
        raise Refused(
            f"--output {output}: is a file that segscore report did not write; name another file"
        )


def _sections(run: FinishedRun, settings: ReportSettings) -> Iterator[Section]:
    if run.files("agreement"):
        yield from agreement.agreement_sections(run)
    elif run.files("curves"):
        yield from sweep.sweep_sections(run)
    elif run.files("tolerances"):
        yield from sweep.tolerance_sections(run)
    elif run.files("scores"):
        yield from _scored(run, settings)
    else:
        raise Refused(
            f"{run.url}: contains no scores, curves or agreement to show; name a run of "
            "`segscore score`, `nightly`, `sweep` or `agree`"
        )


def _scored(run: FinishedRun, settings: ReportSettings) -> Iterator[Section]:
    (opened,) = open_runs([run.url])
    measure = _ranked_by(opened, settings.measure)
    if measure.better == "neither":
        raise Refused(
            f"--measure {measure.name}: cannot rank systems, as neither higher nor lower is "
            "better; name another measure"
        )
    ranking = Ranking(run, measure, settings.average)
    if not ranking.systems:
        raise Refused(
            f"--measure {measure.name}: {run.url} has no values of it, as no document has several "
            "references; name another measure"
        )
    yield from verdict(run)
    yield systems.system_sections(ranking)
    yield from systems.errors(ranking)
    yield from _documents(opened, ranking)
    yield from systems.groups(ranking)


def _ranked_by(run: ScoredRun, name: str | None) -> Measure:
    """Return the measure to rank by: the named one, else the first that has a direction."""
    if name is None:
        available = run.selection.names
        preferred = [each for each in (*HEADLINES, *available) if each in available]
        ranked = (each for each in preferred if ALL[each].better != "neither")
        return ALL[next(ranked, available[0])]
    run.require([name])
    return ALL[name]


def _documents(opened: ScoredRun, ranking: Ranking) -> Iterator[Section]:
    """Yield the sections about the documents that all systems share."""
    (chosen,) = chosen_measures([ranking.measure.name])
    try:
        read = read_samples([opened], find_systems([opened], ()), *chosen, ())
    except NothingShared as problem:
        why = f"Not shown: {problem}."
        yield Section("documents", "Documents", why, [], missing=why)
        return
    sample = read.samples[0]
    shared = len(sample.documents)
    text = f"{shared:,} of {read.documents[opened.name]:,} documents: those that all systems share."
    yield Section("documents", "Documents", text, [spread_section(sample, ranking)])
    if len(sample.systems) > 1:
        figure = difference_sections(opened, sample, ranking)
        yield Section("differences", "Which differences are significant", text, [figure])
    yield worst_sections(opened, sample, ranking)

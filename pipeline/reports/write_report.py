"""Write the report of a run: make its sections and render the page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from os.path import abspath

from segscore.pipeline import storage
from segscore.pipeline.agreement.audit_result import AuditResult
from segscore.pipeline.comparison.certify import certify
from segscore.pipeline.comparison.certify_settings import CertifySettings
from segscore.pipeline.comparison.published import published_beside, scores_on_references
from segscore.pipeline.comparison.references_tables import published_values_table
from segscore.pipeline.comparison.runs import chosen_measures, find_systems, open_runs
from segscore.pipeline.comparison.shared_documents import read_documents
from segscore.pipeline.comparison.verdict import BestSystem, comparison_finding
from segscore.pipeline.conventions.calibrate_run import calibrate_run
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.measures import ALL
from segscore.pipeline.measures.measure import Measure
from segscore.pipeline.nightly import nights
from segscore.pipeline.nightly.finding import night_finding
from segscore.pipeline.nightly.kept_verdicts import ReplacedVerdict, read_replaced
from segscore.pipeline.nightly.restatements import Restatement, read_restatements
from segscore.pipeline.nightly.summaries import night_of
from segscore.pipeline.nightly.verdict import UnreadableVerdict
from segscore.pipeline.reports import agreement, comparison, provenance, sweep, systems
from segscore.pipeline.reports.coder_page import coder_contents
from segscore.pipeline.reports.leaderboard import at_a_glance
from segscore.pipeline.reports.night import gate_section, night_at_a_glance, to_look_closer
from segscore.pipeline.reports.page import Figure, Page, Section, isolated, shown_figure
from segscore.pipeline.reports.page_file import require_free, write_page
from segscore.pipeline.reports.ranking import Ranking
from segscore.pipeline.reports.run_tables import open_run
from segscore.pipeline.reports.settings import ReportSettings
from segscore.pipeline.reports.shared_documents import document_sections
from segscore.pipeline.results.leaderboard import measures_to_show
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.sweep.sweep_result import sweep_finding
from segscore.pipeline.statistics.finding import Finding
from segscore.pipeline.statistics.sentences import Sentence


@dataclass(frozen=True)
class _Written:
    """A page that was written: its size in bytes, and what could not be shown, and why."""

    size: int
    missing: Sequence[str]


@dataclass(frozen=True)
class _Contents:
    """What a page shows: what was found, a picture, sections in reading order, and what is next."""

    finding: Finding
    picture: Figure | None
    sections: Sequence[Section]
    following: str = ""


def write_report(settings: ReportSettings) -> _Written:
    """Write the report of a run as one page, atomically.

    Raises:
        Refused: the run is not finished or has nothing to show, the measure does not exist, or
            the output must not be overwritten.
        Failed: the page cannot be written.
    """
    if settings.measure is not None:
        chosen_measures([settings.measure])  # refuses a measure that does not exist
    run = open_run(settings.run).trusting(everything=settings.trust_inputs)
    run = run.with_inputs_in(settings.inputs)
    # A forged record may name any bucket, which must not be asked about an input.
    inputs = run.inputs if storage.is_local(settings.output) else []
    require_free("--output", settings.output, {"RUN": run.url, "of the run": inputs})
    contents = _contents(run, settings)
    sections = [*contents.sections, provenance.section(run)]
    page = Page(
        _title(run),
        contents.finding,
        contents.picture,
        run.signature,
        provenance.left_out_in_words(run),
        sections,
        contents.following,
        run.inputs,
    )
    size = write_page("--output", settings.output, page)
    return _Written(size, [section.missing for section in sections if section.missing])


def _title(run: FinishedRun) -> str:
    """Return what an audit is about and the name of its folder; of other runs, the name alone."""
    whole = run.url if "://" in run.url else abspath(run.url)
    name = whole.rstrip("/").rpartition("/")[2] or run.url
    return f"Agreement between coders: {name}" if run.files("agreement") else name


def _contents(run: FinishedRun, settings: ReportSettings) -> _Contents:
    asked_of_scores = (
        ("--calibrate", settings.calibrate),
        ("--certify", settings.certify),
        ("--hidden-references", settings.hidden_references),
    )
    for option, asked in asked_of_scores:
        if asked and not run.files("scores"):
            raise Refused(f"{option}: {run.url} has no scores; name a run of `segscore score`")
    if settings.coder is not None:
        if not run.files("agreement"):
            raise Refused(f"--coder: {run.url} is not an audit; name a run of `segscore agree`")
        return _Contents(*coder_contents(run, settings.coder))
    if run.files("agreement"):
        result = AuditResult(run)
        finding = result.finding(isolated)
        sections = [*agreement.agreement_sections(result)]
        return _Contents(finding, agreement.audit_picture(result), sections)
    picture, sections = sweep.sweep_page(run)
    if picture is not None:
        return _Contents(sweep_finding(run, isolated), picture, sections)
    if run.files("comparisons"):
        comparison.require_columns(run)
        finding = comparison_finding(run, settings.average, isolated)
        return _Contents(finding, *comparison.comparison_sections(run, settings.average))
    if run.files("scores"):
        return _scored(run, settings)
    raise Refused(
        f"{run.url}: contains no scores, curves, differences or agreement to show; name a run of "
        "`segscore score`, `nightly`, `sweep`, `compare` or `agree`"
    )


def _scored(run: FinishedRun, settings: ReportSettings) -> _Contents:
    (opened,) = open_runs([run.url], trust_inputs=settings.trust_inputs)
    opened = opened.with_inputs_in(settings.inputs)
    ranking = _ranking(opened, settings)
    measure = ranking.measure
    try:
        night = nights.find_verdict(run)
    except UnreadableVerdict as problem:
        raise Refused(f"{problem}; run the date again, which judges it again") from problem
    calibration = calibrate_run(opened, measure.name) if settings.calibrate else None
    documents = read_documents(opened, measure.name, settings.average)
    best = BestSystem(ranking.board, ranking.average, documents.pairs, documents.untested)
    finding = best.finding(isolated)
    finding = replace(
        finding,
        about=ranking.about,
        facts=[*finding.facts, *ranking.weakest_group()],
        sentences=[*finding.sentences, *_further(ranking, opened, settings)],
    )
    picture = at_a_glance(ranking, documents)
    failed = [] if night is None else [*dict.fromkeys(check.system for check in night.failed)]
    sections = [
        systems.ranked_systems(ranking, documents.pairs, calibration),
        *document_sections(
            opened,
            documents,
            ranking,
            settings.units,
            failed,
            hidden=settings.hidden_references,
        ),
        *systems.errors(ranking),
        *systems.groups(ranking),
        *_published_sections(opened),
    ]
    sections.sort(key=lambda section: not section.open)
    if night is None:
        return _Contents(finding, picture, sections)
    first = night_at_a_glance(night, run.url.rstrip("/").rpartition("/")[0] or ".")
    verdict = " ".join([finding.headline, *(sentence.text for sentence in finding.sentences)])
    sections = [
        replace(each, text=verdict) if each.anchor == "systems" else each for each in sections
    ]
    sections.append(gate_section(night, _restated(run), _replaced(run)))
    sections.sort(key=lambda section: (not section.open, section.anchor != "gate"))
    following = to_look_closer(night, run.url)
    return _Contents(night_finding(night, isolated), first or picture, sections, following)


def _ranking(opened: FinishedScoring, settings: ReportSettings) -> Ranking:
    """Rank the systems of a run.

    Raises:
        Refused: the measure does not say which system is better, or no system has a value.
    """
    measure = _ranked_by(opened, settings.measure)
    if measure.better == "neither":
        raise Refused(
            f"--measure {measure.name}: cannot rank systems, as neither higher nor lower is "
            "better; name another measure"
        )
    ranking = Ranking(opened, measure, settings.average)
    if not ranking.systems:
        raise Refused(
            f"{opened.url}: has no values of {measure.name}, as no document has several "
            "references; name another --measure, or score again with others"
        )
    return ranking


def _further(
    ranking: Ranking, run: FinishedScoring, settings: ReportSettings
) -> Iterator[Sentence]:
    """Yield what else is to be known of the best system."""
    if (effective := ranking.described_effective) is not None:
        yield Sentence(effective)
    if settings.certify:
        asked = CertifySettings(settings.run, ranking.measure.name, settings.average)
        yield Sentence(str(certify(run, asked)))


def _restated(run: FinishedRun) -> list[Restatement]:
    """Return how a night was scored again, and those that its verdict still rests on."""
    folder, _, name = run.url.rstrip("/").rpartition("/")
    day = night_of(name)
    found = [] if day is None else read_restatements(folder or ".", [])
    return [each for each in found if each.date == day or day in each.resting]


def _replaced(run: FinishedRun) -> list[ReplacedVerdict]:
    """Return the earlier verdicts on a night."""
    folder, _, name = run.url.rstrip("/").rpartition("/")
    day = night_of(name)
    return [] if day is None else read_replaced(folder or ".", [], day)


def _ranked_by(run: FinishedScoring, name: str | None) -> Measure:
    """Return the measure to rank by: the named one, else the first that has a direction."""
    if name is None:
        available = run.selection.names
        order = measures_to_show(available, run.measures_in_order)
        preferred = [each for each in (*order, *available) if each in available]
        ranked = (each for each in preferred if ALL[each].better != "neither")
        return ALL[next(ranked, available[0])]
    run.require([name])
    return ALL[name]


def _published_sections(run: FinishedScoring) -> Iterator[Section]:
    """Make the section, if the references are a test set with published scores."""
    try:
        scores = scores_on_references([run])
    except Refused:
        return
    if not scores:
        return
    text = ""
    try:
        rows = published_beside([run], find_systems([run], ()), scores)
    except (Refused, Failed) as problem:
        text = f" The systems of the run could not be scored by these conventions: {problem}."
        rows = published_beside([run], [], scores)
    yield Section(
        "published",
        "Published on the same references",
        "As printed: without their documents, no test is possible, and they have no rank. The last "
        f"column is computed by the convention of the published score.{text}",
        [shown_figure(published_values_table(rows), folded=False, wide=True)],
    )

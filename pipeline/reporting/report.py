"""A report from its settings to the page."""

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline import storage
from pipeline.comparing.runs import chosen_measures, open_runs
from pipeline.errors import Refused
from pipeline.reporting import audited, computed, documents, scored, swept
from pipeline.reporting.finished import Finished, open_finished
from pipeline.reporting.gate import verdict
from pipeline.reporting.page import Page, Section, charting_library, render
from pipeline.reporting.ranking import Ranking
from pipeline.settings import one_of

AVERAGES = ("micro", "macro")


@dataclass(frozen=True)
class ReportSettings:
    """What `segscore report` was asked to do.

    Attributes:
        run: folder of a finished run of score, nightly, sweep or agree.
        output: file or URL of the page.
        measure: of a scoring run: systems are ranked by it.
        average: micro or macro; of those ranks.
    """

    run: str
    output: str
    measure: str
    average: str

    def __post_init__(self) -> None:
        """Refuse settings that cannot be meant.

        Raises:
            Refused: naming the option, the value and what is allowed.
        """
        one_of("--average", self.average, AVERAGES)
        if not self.output.strip():
            raise Refused("--output: is empty; name a file")


def report(settings: ReportSettings) -> int:
    """Write the page of a run, whole.

    Returns:
        Its size in bytes.

    Raises:
        Refused: no finished run that has something to show; no such measure.
        Failed: the page cannot be written.
    """
    run, library = open_finished(settings.run), charting_library()
    sections = [*_sections(run, settings), computed.section(run)]
    title = run.url.rstrip("/").rpartition("/")[2]
    made = Page(title, run.record["signature"], computed.in_words(run), sections)
    text = render(made, library)
    storage.write_text(settings.output, text)
    return len(text.encode())


def _sections(run: Finished, settings: ReportSettings) -> Iterator[Section]:
    if run.has("agreement"):
        yield from audited.sections(run)
    elif run.has("curves"):
        yield from swept.sections(run)
    elif run.has("scores"):
        yield from _scored(run, settings)
    else:
        raise Refused(
            f"{run.url}: holds no scores, curves or agreement to show; name a run of "
            "`segscore score`, `nightly`, `sweep` or `agree`"
        )


def _scored(run: Finished, settings: ReportSettings) -> Iterator[Section]:
    ((_, (measure,)),) = chosen_measures([settings.measure])
    ranking = Ranking(run, measure, settings.average)
    if not ranking.systems:
        raise Refused(
            f"--measure {measure.name}: {run.url} has no such values, as none of its documents "
            "has several references"
        )
    (opened,) = open_runs([run.url])
    yield from verdict(run)
    yield scored.systems(ranking)
    yield scored.errors(ranking)
    yield from documents.sections(opened, ranking)
    yield from scored.groups(ranking)

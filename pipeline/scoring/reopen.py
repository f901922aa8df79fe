"""Reopen a finished scoring run: read its settings, and its inputs if they have not changed."""

from dataclasses import dataclass, replace

from segscore.pipeline.runs.recorded_inputs import find_recorded, require_unchanged
from segscore.pipeline.scoring.counting import Rule
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.inputs import Collected, Inputs, collect, find_inputs
from segscore.pipeline.scoring.missing import Missing
from segscore.pipeline.scoring.references import References
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.storage.listed_files import INPUTS


@dataclass(frozen=True)
class Reopened:
    """The inputs of a finished run, read and validated again.

    Attributes:
        settings: settings of the run.
        inputs: input tables of the run.
        collected: references and documents of the run.
        rule: how the pairs of the run were counted, without groups.
        missing: documents of which systems had no hypothesis.
    """

    settings: ScoreSettings
    inputs: Inputs
    collected: Collected
    rule: Rule
    missing: Missing

    @property
    def references(self) -> References:
        """The accepted references."""
        return self.collected.references


def reopen(run: FinishedScoring) -> Reopened:
    """Read the inputs of a run in a folder again.

    Raises:
        Refused: an input has changed since the run, or is in a place that is not trusted.
    """
    settings = _with_places(run, run.score_settings())
    inputs = find_inputs(settings)
    require_unchanged(inputs.tables, run.recorded_inputs)
    collected = collect(settings, inputs)
    rule = Rule(settings, run.types, {})
    missing = Missing.of_record(run.record.get("missing"))
    return Reopened(settings, inputs, collected, rule, missing)


def _with_places(run: FinishedScoring, settings: ScoreSettings) -> ScoreSettings:
    """Return settings whose input tables are where they are now.

    Those that the run keeps are in its folder, which may have been moved.
    """
    kept = {url.rpartition("/")[2]: url for url in run.files(INPUTS)}

    def place_of(name: str, location: str) -> str:
        in_folder = kept.get(location.rpartition("/")[2])
        return in_folder or find_recorded(run, name, location)

    documents = settings.documents
    return replace(
        settings,
        references=place_of("references", settings.references),
        hypotheses=place_of("hypotheses", settings.hypotheses),
        documents=documents if documents is None else place_of("documents", documents),
    )

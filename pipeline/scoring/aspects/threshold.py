"""Check that a threshold has scores and systems, and warn of scores without one."""

from collections.abc import Iterable

from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.scoring.aspects.aspect import Aspect, Outcome
from segscore.pipeline.scoring.inputs import Inputs
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.scoring.thresholds import SCORE_COLUMN, thresholds_of
from segscore.pipeline.settings.reading import EVERY_SYSTEM
from segscore.schemas.input_columns import BY_SEGMENT

_SCORES_UNUSED = (
    "boundary_scores were ignored: all candidate boundaries were scored; give --threshold T, or "
    "run `segscore sweep` to choose one"
)


class Threshold(Aspect):
    """Candidate boundaries count if their score reaches a threshold."""

    def admit(self, settings: ScoreSettings, inputs: Inputs) -> None:
        """Refuse a threshold if hypotheses have no scores, or labels of segments."""
        columns, location = inputs.hypotheses.further.names, inputs.hypotheses.location
        if not thresholds_of(settings):
            return
        if SCORE_COLUMN not in columns:
            raise Refused(
                f"--threshold: {location} has no column {SCORE_COLUMN}; leave the option out"
            )
        if BY_SEGMENT in columns:
            raise Refused(
                f"--threshold: {location} has a column {BY_SEGMENT}, and boundaries below a "
                "threshold would leave labels without a segment; leave out one or the other"
            )

    def require(self, outcome: Outcome) -> None:
        """Refuse a threshold for a system that has no hypothesis."""
        scored = sorted(outcome.scored)
        for name in thresholds_of(outcome.settings):
            if name != EVERY_SYSTEM and name not in scored:
                message = f"--threshold {name}: no hypothesis is by {name}{nearest(name, scored)}"
                raise Refused(message)

    def warnings(self, outcome: Outcome) -> Iterable[str]:
        """Warn of scores that have no effect without a threshold."""
        has_scores = SCORE_COLUMN in outcome.inputs.hypotheses.further.names
        return [_SCORES_UNUSED] * (has_scores and outcome.settings.threshold is None)

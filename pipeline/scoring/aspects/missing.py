"""Say which rows had no counterpart, and which documents systems did not segment."""

from collections.abc import Iterable, Mapping

from segscore.pipeline.scoring.aspects.aspect import Aspect, Outcome
from segscore.pipeline.scoring.missing import describe_missing, require_answered
from segscore.pipeline.scoring.settings import NONE
from segscore.pipeline.scoring.unpaired import warn_of_unpaired


class UnpairedRows(Aspect):
    """Rows of one table without a counterpart in the other."""

    def warnings(self, outcome: Outcome) -> Iterable[str]:
        """Say how many there are, and which systems have no result."""
        return warn_of_unpaired(outcome.sink, outcome.results.rows, outcome.scored)


class UnansweredDocuments(Aspect):
    """Documents with a reference of which a system has no hypothesis."""

    def require(self, outcome: Outcome) -> None:
        """Refuse a run whose systems lack documents, if the settings say so."""
        require_answered(outcome.results.missing, outcome.settings.missing)

    def record(self, outcome: Outcome) -> Mapping[str, object]:
        """Return how many documents each system lacks."""
        return {"missing": outcome.results.missing.record}

    def warnings(self, outcome: Outcome) -> Iterable[str]:
        """Say which systems were scored on segmentations without boundaries in their place."""
        is_scored = outcome.settings.missing == NONE
        return describe_missing(outcome.results.missing, NONE) * is_scored

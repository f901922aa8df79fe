"""Average over the documents that all systems share."""

import pyarrow as pa

from segscore.pipeline.scoring.aspects.aspect import Aspect, Outcome
from segscore.pipeline.scoring.shared_averages import with_shared_averages


class SharedAverages(Aspect):
    """Systems that were scored on different documents are ranked on those that all share."""

    def fill(self, outcome: Outcome) -> pa.Table:
        """Fill the columns about the shared documents."""
        return with_shared_averages(outcome.summary, outcome.scoring, outcome.sink.pieces)

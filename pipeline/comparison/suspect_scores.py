"""Say what the scores of systems would become if a reference were mended."""

from collections.abc import Mapping, Sequence

import numpy as np

from segscore.pipeline.arrays.ragged import Ints, from_lists
from segscore.pipeline.comparison.document_outcomes import ReferencePlace, SystemOutcome
from segscore.pipeline.measures import PAIRS, edits
from segscore.pipeline.measures.segmentation_pairs import pair_rows
from segscore.pipeline.scoring.reopen import Reopened

SCORE = "boundary_similarity"
"""The measure whose micro average is told; boundary types do not count in it."""

_Counts = dict[str, Ints]


class ScoresIfMended:
    """The scores of systems, and what they become with other boundaries of one reference."""

    def __init__(
        self,
        opened: Reopened,
        outcomes: Sequence[Mapping[ReferencePlace, SystemOutcome]],
        places: Sequence[ReferencePlace],
    ) -> None:
        """Count the edits of all systems in all documents."""
        self._settings = opened.settings
        self._table = PAIRS.only([SCORE])
        self._outcomes = outcomes
        references = [self.reference(place) for place in places]
        every = [self._count(references, [o[place] for place in places]) for o in outcomes]
        self._of_place = {place: i for i, place in enumerate(places)}
        self._counts = every
        self._totals = [{name: int(row.sum()) for name, row in each.items()} for each in every]

    def reference(self, place: ReferencePlace) -> list[int]:
        """Return the positions of a reference."""
        return sorted({*self._outcomes[0][place].reference})

    def values(
        self, place: ReferencePlace, mended: Sequence[int]
    ) -> tuple[list[float | None], list[float | None]]:
        """Return the micro average of each system, and that with other boundaries of a reference.

        They are None where undefined.
        """
        number = self._of_place[place]
        before, after = [], []
        for outcome, counts, totals in zip(self._outcomes, self._counts, self._totals, strict=True):
            own = self._count([mended], [outcome[place]])
            changed = {
                name: total - int(counts[name][number]) + int(own[name][0])
                for name, total in totals.items()
            }
            before.append(self._value(totals))
            after.append(self._value(changed))
        return before, after

    def _count(
        self, references: Sequence[Sequence[int]], found: Sequence[SystemOutcome]
    ) -> _Counts:
        hypotheses = [each.hypothesis for each in found]
        rows = np.arange(len(references))
        last = [max((*a, *b), default=0) + 1 for a, b in zip(references, hypotheses, strict=True)]
        pairs = pair_rows(
            from_lists(references), from_lists(hypotheses), rows, rows, np.array(last, np.int64)
        )
        counted = edits.count(pairs, self._settings.near_limit, pairing=self._settings.pairing)
        counts = dict(zip(edits.COUNTS, counted, strict=True))
        return {name: counts[name] for name in self._table.counts}

    def _value(self, totals: Mapping[str, int]) -> float | None:
        counts = {name: np.array([float(total)]) for name, total in totals.items()}
        parameters = self._settings.parameters(float("nan"), (1,))
        value = float(np.ravel(self._table.values(counts, parameters, rows=False)[SCORE])[0])
        return None if np.isnan(value) else value

"""Find the documents that made an average worse."""

from collections.abc import Mapping

import numpy as np
import pyarrow.compute as pc

from segscore.pipeline.nightly.gate.compared import NightAverages
from segscore.pipeline.nightly.gate.rule import GateRule
from segscore.pipeline.nightly.gate.tallies import tables, values_of
from segscore.pipeline.nightly.nights import Night
from segscore.pipeline.nightly.verdict import Check, Moved
from segscore.pipeline.statistics.sums import mean_over_references

_SHOWN = 5


def documents_moved(
    averages: NightAverages, other: Night, rule: GateRule, check: Check
) -> tuple[Moved, ...]:
    """Find the documents of a night whose values worsened most.

    A document that both nights scored is compared with its value in the other night, a new document
    with the other night's average.

    Returns:
        At most ``_SHOWN`` documents, worst first, ties by name.
    """
    now, then = (_values(scored, rule, check.system) for scored in (averages.night, other))
    then = {name: value for name, value in then.items() if name not in {*averages.reused}}
    moved = [
        Moved(document, value, then.get(document, check.before), document in then)
        for document, value in now.items()
        if check.before is not None and document not in averages.left_out
    ]
    moved.sort(
        key=lambda document: (-rule.excess(document.value - document.before), document.document_id)
    )
    return tuple(document for document in moved[:_SHOWN] if document.value != document.before)


def _values(night: Night, rule: GateRule, system: str) -> Mapping[str, float]:
    """Return the mean over references of each document on which it is defined."""
    by_document: dict[str, float] = {}
    for table in tables(night, rule.table, ["document_id", "hypothesis", rule.measure]):
        chosen = table.filter(pc.equal(table.column("hypothesis"), system))
        document = chosen.column("document_id").combine_chunks().dictionary_encode()
        means = mean_over_references(
            [values_of(chosen.column(rule.measure))], np.asarray(document.indices, np.int64)
        )[0]
        named = zip(document.dictionary.to_pylist(), means.tolist(), strict=True)
        by_document |= {name: mean for name, mean in named if not np.isnan(mean)}
    return by_document

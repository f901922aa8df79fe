"""Warn of coders that were scored against their own segmentations."""

from collections.abc import Iterable

import numpy as np
import pyarrow.compute as pc

from segscore.pipeline.arrays.ragged import encode
from segscore.pipeline.runs.sink import Sink
from segscore.pipeline.scoring.hypotheses import Seen, merge_seen
from segscore.pipeline.scoring.inputs import Inputs
from segscore.pipeline.scoring.references import References

_CODERS = ["reference", "hypothesis"]


def warn_of_self_pairs(sink: Sink, inputs: Inputs) -> list[str]:
    """Return a warning if rows were read on both sides, and coders scored against themselves."""
    if not inputs.shared_files:
        return []
    if not any(pc.any(pc.equal(*rows)).as_py() for rows in sink.read("scores", _CODERS)):
        return []
    return [_describe(inputs.references.location)]


def describe_seen_selves(seen: Iterable[Seen], references: References, inputs: Inputs) -> list[str]:
    """Return the same warning for a run that keeps no table of pairs."""
    if not inputs.shared_files:
        return []
    coders = encode(references.coder)
    for coder, (once, _) in merge_seen(seen).items():
        if coder in coders.names:
            documents = np.unpackbits(once, count=len(references.documents)).astype(bool)
            own = references.document[coders.code == coders.names.index(coder)]
            if documents[own].any():
                return [_describe(inputs.references.location)]
    return []


def _describe(location: str) -> str:
    return (
        f"{location}: its rows were read both as references and as hypotheses, so coders were also "
        "scored against their own segmentations, and their averages are too good; state the role "
        "of each row in a column role (import --role writes it), or use `segscore agree` to "
        "compare coders with each other"
    )

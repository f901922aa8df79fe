"""Compare the extra codings with those of the coders, and add up by coder."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from segscore.pipeline.agreement.coder_pairs import Counts, Peers
from segscore.pipeline.agreement.coefficients import PAIR_COUNTS
from segscore.pipeline.agreement.documents import similarities
from segscore.pipeline.agreement.extra_codings import ExtraCodings, Kind
from segscore.pipeline.agreement.judging.limits import Judging
from segscore.pipeline.agreement.tallies import Groups, tally_documents
from segscore.pipeline.arrays.ragged import Flags, Floats, Ints
from segscore.pipeline.scoring.references import References

_ROUNDING = 1e-9
"""Sums of similarities that differ by no more are equal."""

COUNTS = {
    "again": (*PAIR_COUNTS, "pairs"),
    "candidate": (*PAIR_COUNTS, "documents", "as_good", "coder_as_good"),
}
"""Counts in the tallies of ``tallies.Tallies`` of codings that are set aside."""

_Columns = dict[str, NDArray[Any]]
"""Columns of a tally: ``document``, ``person`` and counts."""


@dataclass(frozen=True)
class AuditedDocuments:
    """What is known of the documents of a part.

    Attributes:
        codings: all codings of the coders.
        attributes: attributes of each document.
        units: resampling unit of each document, shape (documents,).
    """

    codings: References
    attributes: pa.Table
    units: NDArray[np.int64] | NDArray[np.uint64]


def extra_tallies(
    extra: ExtraCodings | None, audited: AuditedDocuments, group_by: Groups, judging: Judging
) -> dict[str, pa.Table]:
    """Return the tallies in ``COUNTS``, empty if nothing is set aside."""
    if extra is None:
        nothing = np.zeros(0, np.int64)
        columns = {
            name: dict.fromkeys(("document", "person", *counts), nothing)
            for name, counts in COUNTS.items()
        }
        names = pa.array([], pa.string()).dictionary_encode()
        documents = nothing
    else:
        columns, names = compare_extra_codings(extra, judging), extra.coder
        documents = audited.codings.documents.find(extra.codings.documents.ids)
    tallies = {}
    for name, of_pairs in columns.items():
        document = documents[of_pairs.pop("document")]
        person = pa.array(of_pairs.pop("person"), pa.int32())
        keys = {"unit": audited.units[document], "coder": names.dictionary.take(person)}
        tallies[name] = tally_documents(
            name, keys | of_pairs, document, audited.attributes, group_by
        )
    return tallies


def compare_extra_codings(extra: ExtraCodings, judging: Judging) -> dict[str, _Columns]:
    """Compare codings; return the columns of the tallies ``again`` and ``candidate``.

    A row of ``again`` is a pair of codings of a document by one coder. One of ``candidate`` is a
    pair of a candidate and a coder. There, ``as_good`` says whether the candidate agrees with the
    other coders at least as well as this coder does, and ``coder_as_good`` the reverse; both are
    only defined in ``documents``, where there are other coders.
    """
    found: dict[str, list[_Columns]] = {name: [] for name in COUNTS}
    for pairs, counts in extra.pairs(judging.n_t):
        similar = similarities(counts, judging.n_t)[judging.similarity]
        again = extra.person[pairs.row] == extra.person[pairs.peer]
        again &= extra.kind[pairs.row] != Kind.CANDIDATE
        columns = _columns(pairs, counts, again, extra.person[pairs.row])
        found["again"].append(columns | {"pairs": np.ones_like(columns["person"])})
        with_candidate, coder = _with_candidate(extra, pairs)
        columns = _columns(pairs, counts, with_candidate, extra.person[coder])
        compared = _compared(extra, pairs, similar, with_candidate, coder)
        found["candidate"].append(columns | compared)
    return {
        name: {key: np.concatenate([each[key] for each in parts]) for key in parts[0]}
        for name, parts in found.items()
    }


def _columns(pairs: Peers, counts: Counts, chosen: Flags, person: Ints) -> _Columns:
    return {
        "document": (pairs.documents[0] + pairs.document)[chosen],
        "person": person[chosen],
        **{name: counts[name][chosen] for name in PAIR_COUNTS},
    }


def _with_candidate(extra: ExtraCodings, pairs: Peers) -> tuple[Flags, Ints]:
    """Return which pairs are of the candidate and a coder, and the row of the coder."""
    kinds = extra.kind[pairs.row], extra.kind[pairs.peer]
    first = (kinds[0] == Kind.CODER) & (kinds[1] == Kind.CANDIDATE)
    second = (kinds[1] == Kind.CODER) & (kinds[0] == Kind.CANDIDATE)
    return first | second, np.where(second, pairs.peer, pairs.row)


def _compared(
    extra: ExtraCodings, pairs: Peers, similar: Floats, with_candidate: Flags, coder: Ints
) -> _Columns:
    """Compare the candidate with each coder, by their similarity to the other coders.

    The columns have a row for each pair of the candidate and a coder.
    """
    of_coders = (extra.kind[pairs.row] == Kind.CODER) & (extra.kind[pairs.peer] == Kind.CODER)
    rows = len(extra.kind)
    of_coder = sum(
        np.bincount(side[of_coders], similar[of_coders], rows) for side in (pairs.row, pairs.peer)
    )
    chosen = pairs.document[with_candidate]
    documents = int(pairs.document.max(initial=0)) + 1
    of_candidate = np.bincount(chosen, similar[with_candidate], documents)
    others = np.bincount(chosen, minlength=documents) - 1
    compared = others[pairs.document] > 0
    better = of_candidate[pairs.document] - similar - np.asarray(of_coder)[coder]
    columns = {
        "documents": compared,
        "as_good": compared & (better >= -_ROUNDING),
        "coder_as_good": compared & (better <= _ROUNDING),
    }
    return {name: values[with_candidate].astype(np.int64) for name, values in columns.items()}

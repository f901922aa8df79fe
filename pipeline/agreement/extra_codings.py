"""Codings compared with the coders' without being among them: a candidate's, earlier rounds'.

These are the later codings of a coder who coded a document more than once, in several rounds, and
the codings of a candidate, such as a language model, who may replace a coder.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.agreement.block import cut_blocks
from segscore.pipeline.agreement.coder_pairs import (
    Counts,
    Peers,
    count_coder_pairs,
    peers,
    require_memory,
)
from segscore.pipeline.arrays.ragged import Ints, flags, numbers
from segscore.pipeline.scoring.references import (
    References,
    accept_references,
    prepare_references,
)
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.tables.contradictions import Described
from segscore.pipeline.tables.read import Rows, in_one_chunk, join_rows


class Kind(IntEnum):
    """Whose a coding is."""

    CODER = 0
    LATER = 1
    CANDIDATE = 2


@dataclass(frozen=True)
class Kinds:
    """Whose each of some codings is.

    Attributes:
        kind: a ``Kind`` each, shape (rows,).
        round: number of the round, 0 unless the coding is a later one, likewise.
    """

    kind: Ints
    round: Ints


@dataclass(frozen=True)
class ExtraCodings:
    """The codings of some documents, with those that are set aside.

    Attributes:
        codings: codings of the coders and those set aside, with names that tell them apart.
        coder: name of the coder of each, shape (rows,).
        kind: its ``Kind``, shape (rows,).
    """

    codings: References
    coder: pa.DictionaryArray
    kind: Ints

    @property
    def person(self) -> Ints:
        """Number of the coder of each coding, shape (rows,)."""
        return numbers(self.coder.indices).astype(np.int64)

    def pairs(self, n_t: int) -> Iterator[tuple[Peers, Counts]]:
        """Yield the pairs of codings of some documents at a time, with their counts."""
        for documents in cut_blocks(self.codings.first):
            paired = peers(self.codings.first, documents)
            yield paired, count_coder_pairs(self.codings, paired, n_t)


@dataclass(frozen=True)
class Separated:
    """What became of codings that are set aside.

    Attributes:
        extra: those that can be compared; None if there are none.
        rejects: those that are rejected.
        unpaired: those of documents without an accepted coding by a coder.
    """

    extra: ExtraCodings | None
    rejects: pa.Table
    unpaired: Rows


def kinds_of(rows: Rows, round_name: str, candidate: str | None) -> Kinds:
    """Return whose each coding is.

    Of several codings of a document by one coder, those of all rounds but the first are later.
    Codings of one round contradict each other, and are of one kind.

    Args:
        rows: codings.
        round_name: the column with the round, which the rows may lack; null comes first.
        candidate: name of the candidate; None if there is none.
    """
    kind, ranks = np.full((2, len(rows)), Kind.CODER, np.int64)
    if round_name in rows.table.column_names:
        key = rows.numbered.document << 32 | rows.coders.code
        _, group = np.unique(key, return_inverse=True)
        rank = _ranks(rows.table.column(round_name))
        first = np.full(1 + group.max(initial=0), len(rows))
        np.minimum.at(first, group, rank)
        later = rank > first[group]
        kind[later], ranks[later] = Kind.LATER, rank[later]
    if candidate is not None:
        of_candidate = flags(pc.equal(rows.table.column("coder").chunk(0), candidate))
        kind[of_candidate], ranks[of_candidate] = Kind.CANDIDATE, 0
    return Kinds(kind, ranks)


def _ranks(rounds: pa.ChunkedArray) -> Ints:
    """Return the rank of each round in the order of numbers or texts, from 1 on; 0 of null.

    Texts that are whole numbers are ordered as numbers.
    """
    if pa.types.is_nested(rounds.type):
        return np.zeros(len(rounds), np.int64)
    encoded = rounds.combine_chunks().dictionary_encode()
    values = encoded.dictionary
    is_text = pa.types.is_string(values.type) or pa.types.is_large_string(values.type)
    if is_text and pc.all(pc.match_substring_regex(values, r"^\d{1,18}$")).as_py():
        values = values.cast(pa.int64())
    rank = np.zeros(1 + len(values), np.int64)
    rank[numbers(pc.sort_indices(values))] = 1 + np.arange(len(values))
    # The last is that of null, which index -1 finds.
    return rank[numbers(encoded.indices.fill_null(-1))]


def separate_extra_codings(
    coders: Rows,
    every: Rows,
    kinds: Kinds,
    described: Described | None,
    settings: MeasuringSettings,
) -> Separated:
    """Bring codings that are set aside together with those of the coders of their documents.

    Args:
        coders: accepted codings of the coders.
        every: all codings, of which at least one is set aside.
        kinds: whose these are.
        described: the documents table, if there is one.
        settings: how codings are measured.
    """
    chosen = kinds.kind != Kind.CODER
    extra, kinds = every.keep(chosen), Kinds(kinds.kind[chosen], kinds.round[chosen])
    own = coders.keep(flags(pc.is_in(coders.ids, extra.ids)))
    nobody = np.full((2, len(own)), Kind.CODER)
    joint = join_rows([_labelled(own, Kinds(*nobody)), _labelled(extra, kinds)])
    accepted, rejects = accept_references(joint, described, settings, typed=False)
    of_rejects, of_accepted = (_kinds_in(table) for table in (rejects, accepted.table))
    rejects = _with_names(rejects.filter(pa.array(of_rejects != Kind.CODER)))
    document = accepted.numbered.document
    has = np.zeros((len(Kind), 1 + int(document.max(initial=0))), bool)
    has[of_accepted, document] = True
    compared = (has[Kind.CODER] & (has[Kind.LATER] | has[Kind.CANDIDATE]))[document]
    alone = accepted.keep(~has[Kind.CODER][document])
    unpaired = replace(alone, table=_with_names(alone.table))
    if not compared.any():
        return Separated(None, rejects, unpaired)
    codings = prepare_references(accepted.keep(compared), described, settings, typed=False)
    require_memory(codings)
    labels = pa.table({"coder": codings.coder})
    names = _with_names(labels).column("coder").combine_chunks().dictionary_encode()
    return Separated(ExtraCodings(codings, names, _kinds_in(labels)), rejects, unpaired)


def _labelled(rows: Rows, kinds: Kinds) -> Rows:
    """Name codings by coder, kind and round, as a JSON list, so that no two have one name."""
    parts = rows.table.column("coder").to_pylist(), kinds.kind.tolist(), kinds.round.tolist()
    labels = [json.dumps(part) for part in zip(*parts, strict=True)]
    return replace(rows, table=_with_coders(rows.table, labels))


def _kinds_in(labelled: pa.Table) -> Ints:
    """Return the kind of each labelled coding."""
    return np.array(
        [json.loads(each)[1] for each in labelled.column("coder").to_pylist()], np.int64
    )


def _with_names(labelled: pa.Table) -> pa.Table:
    """Name labelled codings by their coder again."""
    labels = labelled.column("coder").to_pylist()
    return _with_coders(labelled, [json.loads(each)[0] for each in labels])


def _with_coders(table: pa.Table, names: list[str]) -> pa.Table:
    at = table.column_names.index("coder")
    return in_one_chunk(table.set_column(at, "coder", pa.array(names, pa.string())))

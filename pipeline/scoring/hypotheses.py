"""Separate the hypotheses that can be scored from rejected and unpaired ones."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Bits, Categorical, Flags, Ints, flags, numbers
from segscore.pipeline.runs.record import RowCounts, count_rejected
from segscore.pipeline.scoring.excluded import without_excluded
from segscore.pipeline.scoring.references import References
from segscore.pipeline.scoring.thresholds import at_thresholds, thresholds_of
from segscore.pipeline.scoring.trials import order_by_answer
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.tables.boundary_types import without_faults
from segscore.pipeline.tables.columns import segmentations_contract
from segscore.pipeline.tables.contradictions import (
    ONE_ROW,
    ONE_TRIAL,
    UNIQUE_CODER,
    set_repeated_apart,
)
from segscore.pipeline.tables.document_lengths import (
    adopt,
    beyond_end,
    beyond_reason,
    differing_lengths,
)
from segscore.pipeline.tables.faults import IN_RANGE, SAME_UNITS
from segscore.pipeline.tables.read import Rows, refuse, validate_rows
from segscore.pipeline.tables.segment_labels import without_unlabelled
from segscore.pipeline.tables.trial_numbers import are_repeated, trial_numbers

_SMALL = 50
"""Of so many units, a difference of one is small: 2 % of the length."""

_HINTS = {
    True: "; --length-tolerance allows small differences, and segscore project carries "
    "segmentations to another transcript",
    False: "; the units seem to differ, such as sentences and paragraphs: segment both in the same "
    "units, or carry one to the other with segscore project",
}
"""Whether the lengths differ little -> what to do about it."""

UNPAIRED_COLUMNS = ("table", "source", "row", "document_id", "coder")

DocumentsBySystem = dict[str, Bits]
"""System -> a bit for each document of a part with a reference; each field says what a 1 means."""


@dataclass(frozen=True)
class Accepted:
    """The hypotheses of a part that can be scored, and the rows that cannot.

    Attributes:
        rows: the hypotheses that can be scored.
        document: document number of each, shape (rows,).
        unpaired: rows without an accepted reference.
        rejects: rejected rows.
        read: number of rows read.
        far: number of ``rows`` that state a length more than 2 % from their document's, which only
            the length tolerance allows.
        answered: of which documents systems have hypotheses that can be scored.
        rejected: of which other documents they have rows, all rejected.
        contradicting: of which of these a row contradicts other rows, so that it may be right.
        answer: number of the document and system of each row, ascending, so that the trials of
            each follow each other, shape (rows,); None if the hypotheses have no column ``trial``.
    """

    rows: Rows
    document: Ints
    unpaired: Rows
    rejects: pa.Table
    read: int
    far: int
    answered: DocumentsBySystem
    rejected: DocumentsBySystem = field(default_factory=dict)
    contradicting: DocumentsBySystem = field(default_factory=dict)
    answer: Ints | None = None

    @property
    def uncharged(self) -> DocumentsBySystem:
        """Of which documents systems have a hypothesis, or one that contradicts other rows."""
        return join_answered([self.answered, self.contradicting])

    @property
    def account(self) -> "Account":
        """What remains to be said of the rows once they have been scored."""
        rejected, unpaired = count_rejected(self.rejects, "hypotheses"), len(self.unpaired)
        scored = self.read - self.rejects.num_rows - unpaired
        counts = {"in": self.read, "scored": scored, **rejected, "unpaired": unpaired}
        return Account({"hypotheses": counts}, list_unpaired(self.unpaired))


@dataclass(frozen=True)
class Account:
    """How many hypotheses were scored, rejected and unpaired, and the unpaired rows.

    Attributes:
        rows: how many of the rows were scored, rejected and unpaired.
        unpaired: rows without an accepted reference (schemas/rejects.py).
    """

    rows: RowCounts
    unpaired: pa.Table


def no_documents(references: References) -> Bits:
    """Return bits over the documents, all of which are 0."""
    return np.zeros((len(references.documents) + 7) // 8, np.uint8)


def join_answered(parts: Iterable[DocumentsBySystem]) -> DocumentsBySystem:
    """Return of which documents systems have a hypothesis in any part."""
    joint: DocumentsBySystem = {}
    for part in parts:
        for system, bits in part.items():
            joint[system] = joint.get(system, bits) | bits
    return joint


def accept_hypotheses(
    rows: Rows, references: References, *, typed: bool, settings: MeasuringSettings
) -> Accepted:
    """Separate the hypotheses that can be scored from those that cannot.

    Args:
        rows: all hypotheses of some documents, as read.
        references: the accepted references.
        typed: whether the run distinguishes boundary types.
        settings: how to measure, with the declared boundary types.
    """
    read = len(rows)
    rows, invalid = validate_rows(rows, segmentations_contract(settings.length_tolerance))
    rows, excluded = without_excluded(rows, settings)
    rejects = [invalid, *excluded]
    if typed:
        rows, bad_types = without_faults(rows, settings.boundary_types)
        rejects += bad_types
    if settings.select:
        rows, unlabelled = without_unlabelled(rows, "--select")
        rejects.append(unlabelled)
    systems = rows.coders.names
    document = references.documents.find(rows.ids)
    unpaired = rows.keep(document < 0)
    rows, document = rows.keep(document >= 0), document[document >= 0]
    rows, document, repeated = _without_repeated(rows, document, len(references.documents))
    rows, remain, scoreless = at_thresholds(rows, thresholds_of(settings))
    document = document[remain]
    rows, document, contradicting = _without_contradictions(
        rows, document, references.units, settings.length_tolerance
    )
    rejects += [repeated, scoreless, *contradicting]
    length = references.units[document]
    far = int(differing_lengths(rows, length, length // _SMALL).sum())
    rows = adopt(rows, length)
    once, _ = _seen(rows.coders, document, len(references.documents))
    answered = dict.fromkeys(systems, no_documents(references))
    answered |= dict(zip(rows.coders.names, once, strict=True))
    trial, answer = trial_numbers(rows.table), None
    if trial is not None:
        order, answer = order_by_answer(rows.coders.code, document, trial)
        rows, document = rows.take(order), document[order]
    listed = pa.concat_tables(rejects)
    rejected_alone = _documents_of(listed, references, answered)
    between = listed.filter(pc.is_in(listed["rule"], pa.array([UNIQUE_CODER, SAME_UNITS])))
    unsure = _documents_of(between, references, answered)
    return Accepted(
        rows, document, unpaired, listed, read, far, answered, rejected_alone, unsure, answer
    )


def _documents_of(
    rejects: pa.Table, references: References, answered: DocumentsBySystem
) -> DocumentsBySystem:
    """Return of which documents systems have rejected rows, and no accepted one."""
    document = references.documents.find(rejects["document_id"].combine_chunks())
    found: DocumentsBySystem = {}
    for system in rejects["coder"].unique().drop_null().to_pylist():
        own = flags(pc.fill_null(pc.equal(rejects["coder"], system), False).combine_chunks())
        has_row = np.zeros(len(references.documents), bool)
        has_row[document[own & (document >= 0)]] = True
        bits = np.packbits(has_row) & ~answered.get(system, no_documents(references))
        if bits.any():
            found[system] = bits
    return found


def _without_repeated(rows: Rows, document: Ints, n_documents: int) -> tuple[Rows, Ints, pa.Table]:
    """Reject hypotheses that are not the only one of their system, document and trial."""
    trial = trial_numbers(rows.table)
    if trial is None:
        repeated, unique = _are_repeated(rows.coders, document, n_documents), ONE_ROW
    else:
        repeated, unique = are_repeated(rows.coders.code, document, trial), ONE_TRIAL
    remain, rejects = set_repeated_apart(rows, repeated, unique)
    return rows.keep(remain), document[remain], rejects


def _without_contradictions(
    rows: Rows, document: Ints, units: Ints, tolerance: int
) -> tuple[Rows, Ints, list[pa.Table]]:
    """Reject hypotheses whose length differs too much from their document's.

    Args:
        rows: hypotheses.
        document: document number of each, shape (rows,).
        units: length of each document, shape (documents,).
        tolerance: units by which lengths may differ.

    Returns:
        The other hypotheses, their document numbers, and tables of rejects.
    """
    expected = units[document]
    differs = differing_lengths(rows, expected, tolerance)
    apart = f", more than --length-tolerance {tolerance} apart" if tolerance else ""
    stated = numbers(rows.table.column("n_units").chunk(0))
    reasons = [
        f"n_units is {row_units}; the accepted references of this document have {row_expected}"
        + (apart or _HINTS[abs(row_units - row_expected) * _SMALL <= row_expected])
        for row_units, row_expected in zip(
            stated[differs].tolist(), expected[differs].tolist(), strict=True
        )
    ]
    rows, contradicting = refuse(rows, differs, SAME_UNITS, reasons)
    document = document[~differs]
    outside = beyond_end(rows, units[document], tolerance)
    rows, beyond = refuse(rows, outside, IN_RANGE, beyond_reason(tolerance))
    return rows, document[~outside], [contradicting, beyond]


@kernel
def _mark_seen(code: Ints, document: Ints, once: Bits, twice: Bits) -> None:
    for row in range(len(code)):
        byte, bit = document[row] >> 3, np.uint8(128 >> (document[row] & 7))
        if once[code[row], byte] & bit:
            twice[code[row], byte] |= bit
        once[code[row], byte] |= bit


def _seen(coders: Categorical, document: Ints, n_documents: int) -> tuple[Bits, Bits]:
    """Return bits over the documents for each coder: seen at least once, seen more than once."""
    once, twice = np.zeros((2, len(coders.names), (n_documents + 7) // 8), np.uint8)
    _mark_seen(coders.code, document, once, twice)
    return once, twice


def _are_repeated(coders: Categorical, document: Ints, n_documents: int) -> Flags:
    """Return which rows are not the only one of their coder for their document, shape (rows,)."""
    _, twice = _seen(coders, document, n_documents)
    bit = 128 >> (document & 7)
    return np.asarray(twice[coders.code, document >> 3] & bit != 0)


def list_unpaired(rows: Rows) -> pa.Table:
    """List rows without a counterpart (schemas/rejects.py)."""
    return pa.table(rows.listed(np.arange(len(rows)))).select(list(UNPAIRED_COLUMNS))

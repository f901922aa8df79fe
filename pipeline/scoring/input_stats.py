"""Count what a scoring run warns of: attributes that differ, positions, windows, shifts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.ragged import Flags, Ints, Ragged
from segscore.pipeline.measures.windows import reference_windows
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.scoring.shifts import (
    Differences,
    find_shift,
    join_differences,
    sample_differences,
)
from segscore.pipeline.scoring.swapped_inputs import names_references, warn_of_swapped_inputs
from segscore.pipeline.scoring.view import Block, View
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.pipeline.statistics.sums import add_numbers
from segscore.pipeline.tables.units import NEAR, describe_long_segments

_DIFFERS, _OVERRULED, _POSITIONS, _LATE = "differs", "overruled", "positions", "late"
_DIVIDED, _EMPTY, _LOOKED_AT = "divided", "without boundaries", "boundaries in the sample"
_ROWS, _FAR = ("rows", ""), ("rows of a length far from their document's", "")
_UNITS, _SEGMENTS = ("units of references", ""), ("segments of references", "")
_WINDOWED, _BLIND = ("references with windows", ""), ("references with too long a window", "")
_REFERENCES, _DOCUMENTS = ("references", ""), ("documents", "")
_TRIALS = ("blocks of trials", "")
_FEWEST = 3
"""The fewest positions of a table that are said to be early."""

_MOST_BLIND = 0.1
"""Largest share of references with too long a window that is not worth a warning."""

_PANEL = 1.5
"""The least mean number of references of a document beside which one system looks odd."""

_NAMED = 5
"""The most systems that are named for one reason."""


Counts = dict[tuple[str, str], int]
"""Numbers by what they count, and of which column, table or system."""


@dataclass(frozen=True)
class InputStats:
    """What is odd about some rows.

    Attributes:
        counts: how often each thing was seen.
        differences: distances of boundaries of each system from those of references.
    """

    counts: Counts = field(default_factory=dict)
    differences: Differences = field(default_factory=dict)


def add_input_stats(parts: Iterable[InputStats]) -> InputStats:
    """Add up what was seen in disjoint sets of rows."""
    parts = [*parts]
    counts = add_numbers(part.counts for part in parts)
    return InputStats(counts, join_differences(part.differences for part in parts))


def collect_input_stats(block: Block) -> InputStats:
    """Count what is odd about the hypotheses of a block and, in its first, about the whole part."""
    if not block.is_given:
        return InputStats()
    of_block = _collect_pair_stats(block.whole, block.documents)
    return add_input_stats([of_block, *([_collect_part_stats(block)] * block.is_first)])


def _collect_pair_stats(view: View, documents: int) -> InputStats:
    """Count what is odd about hypotheses and references of a run of so many documents."""
    hypotheses, pairs, references = view.hypotheses, view.pairs, view.references
    counts: Counts = {}
    for name in view.rule.group_by:
        if name not in references.attributes.column_names:
            continue
        used = references.attributes.column(name).take(pa.array(pairs.ref_row))
        if name in hypotheses.attributes.column_names:
            own = pairs.hypothesis_column(hypotheses.attributes.column(name))
            counts[_DIFFERS, name] = len(np.unique(pairs.hyp_row[_differ(own, used)]))
        if name in references.overruled.column_names:
            own = references.overruled.column(name).take(pa.array(pairs.ref_row))
            counts[_OVERRULED, name] = int(_differ(own, used).sum())
    paired = np.zeros(len(references), bool)
    paired[pairs.ref_row] = True
    rows = np.flatnonzero(paired)
    units = references.units[references.document]
    sides = {
        "hypotheses": (
            hypotheses.side.in_units,
            np.arange(len(hypotheses.document)),
            references.units[hypotheses.document],
        ),
        "references": (references.side.in_units, rows, units[rows]),
    }
    for table, (boundaries, chosen, n_units) in sides.items():
        positions, late = _count_late(boundaries, chosen, n_units)
        counts |= {(_POSITIONS, table): positions, (_LATE, table): late}
    segments = int((references.side.in_units.lengths[rows] + 1).sum())
    counts |= {_UNITS: int(units[rows].sum()), _SEGMENTS: segments}
    counts |= _count_empty(view)
    differences, looked_at = sample_differences(view, documents)
    counts |= {(_LOOKED_AT, system): number for system, number in looked_at.items()}
    return InputStats(counts, differences)


def _collect_part_stats(block: Block) -> InputStats:
    """Count what is odd about all rows of the part that a block is of."""
    references = block.whole.references
    windows = np.maximum(0, references.size - references.window)
    covered = reference_windows(references.side.boundaries, references.size, references.window)
    blind = (windows > 0) & (covered == windows)
    of_windows = {_WINDOWED: int((windows > 0).sum()), _BLIND: int(blind.sum())}
    sizes = {_REFERENCES: len(references), _DOCUMENTS: len(references.documents)}
    return InputStats({_ROWS: block.part_rows, _FAR: block.part_far} | of_windows | sizes)


def _count_empty(view: View) -> Counts:
    """Count the hypotheses of each system where a reference has a boundary, and the empty ones."""
    hypotheses, pairs, references = view.hypotheses, view.pairs, view.references
    divided = np.zeros(len(hypotheses.document), bool)
    has_boundary = references.side.in_units.lengths > 0
    divided[pairs.hyp_row[has_boundary[pairs.ref_row]]] = True
    empty = divided & (hypotheses.side.in_units.lengths == 0)
    names = hypotheses.system.names
    return {_TRIALS: int(hypotheses.trials is not None)} | {
        (kind, name): int(number)
        for kind, chosen in ((_DIVIDED, divided), (_EMPTY, empty))
        for name, number in zip(
            names, np.bincount(hypotheses.system.code[chosen], minlength=len(names)), strict=True
        )
    }


def _differ(own: pa.ChunkedArray, used: pa.ChunkedArray) -> Flags:
    """Return where two columns have different values, none of them null."""
    if own.type != used.type:
        own, used = own.cast(pa.string()), used.cast(pa.string())
    return np.asarray(pc.fill_null(pc.not_equal(own, used), False), bool)


def _count_late(boundaries: Ragged, rows: Ints, n_units: Ints) -> tuple[int, int]:
    """Count the positions of rows, and the rows that have one after a hundredth of the length."""
    lengths = boundaries.lengths[rows]
    filled = lengths > 0
    last = boundaries.values[boundaries.offsets[rows[filled] + 1] - 1].astype(np.int64)
    return int(lengths.sum()), int((last * 100 > n_units[filled]).sum())


def warn_of_inputs(input_stats: InputStats, settings: MeasuringSettings) -> list[str]:
    """Return a warning of each attribute, table, window and system that is odd."""
    warnings, counts = [], input_stats.counts
    for (kind, name), number in sorted(counts.items()):
        if kind == _DIFFERS and number:
            warnings.append(
                f"--group-by {name}: in {number:,} {_hypotheses(number)}, it is not what the "
                "references or documents say; their value is used"
            )
        if kind == _OVERRULED and number:
            warnings.append(
                f"--group-by {name}: in {counted(number, 'pair')}, the references table says "
                "something else than the documents; the documents' value is used"
            )
        if kind == _POSITIONS and number >= _FEWEST and not counts[_LATE, name]:
            warnings.append(
                f"{name}: all positions ({number}) are in the first hundredth of their document; "
                "check that boundaries and n_units are in the same unit"
            )
    warnings += _warn_of_lengths(counts)
    if "pk" in settings.selection.pairs.measures:
        warnings += _warn_of_windows(counts, settings.window)
    return [*warnings, *_warn_of_empty(counts), *_warn_of_shifts(input_stats)]


def _warn_of_windows(counts: Counts, window: str | int) -> list[str]:
    """Return a warning if Pk cannot see superfluous boundaries in many references."""
    windowed, blind = counts.get(_WINDOWED, 0), counts.get(_BLIND, 0)
    if blind <= _MOST_BLIND * windowed:
        return []
    return [
        f"--window {window}: as long as the longest segment in {blind:,} of "
        f"{counted(windowed, 'reference')}, so that pk does not see superfluous boundaries there: "
        "0 is not perfect; window_diff sees them"
    ]


def _warn_of_empty(counts: Counts) -> list[str]:
    """Return a warning of each system without a boundary in most documents that have some."""
    noun = "answers" if counts.get(_TRIALS) else "documents"
    empty = [
        f"{name} has no boundary in {number:,} of {of:,} {noun} where the references have some"
        for (kind, name), number in sorted(counts.items())
        if kind == _EMPTY and 2 * number > (of := counts[_DIVIDED, name])
    ]
    more = len(empty) - _NAMED
    others = f"{counted(more, 'more system')} likewise"
    return [*empty[:_NAMED], *[others] * (more > 0)]


def _warn_of_shifts(input_stats: InputStats) -> list[str]:
    """Return a warning of each system whose boundaries are off by one number of units."""
    shifts = {
        system: find_shift(differences, input_stats.counts[_LOOKED_AT, system])
        for system, differences in sorted(input_stats.differences.items())
    }
    return [
        f"{system}: {shift.boundaries:,} of {shift.exact + shift.unmatched:,} boundaries are "
        f"exactly {counted(abs(shift.units), 'unit')} {'early' if shift.units > 0 else 'late'} "
        f"({shift.exact:,} right); check from where it counts, and what was cut: a boundary is the "
        "number of units before it"
        for system, shift in shifts.items()
        if shift is not None
    ]


def warn_of_panels(
    input_stats: InputStats, settings: ScoreSettings, systems: Sequence[str]
) -> list[str]:
    """Return a warning if there are several references of documents and one system.

    They may have changed places.  One table of both sides says which rows are references.
    """
    references, documents = (input_stats.counts.get(name, 0) for name in (_REFERENCES, _DOCUMENTS))
    is_stated = settings.references == settings.hypotheses or names_references(settings.references)
    is_said = any(warn_of_swapped_inputs(settings.references, settings.hypotheses))
    if is_stated or is_said or len(systems) != 1 or references < _PANEL * documents:
        return []
    return [
        f"the references have {references / documents:.2g} coders for each document, and the "
        f"hypotheses one ({systems[0]}); if the two tables have changed places, exchange them"
    ]


def _hypotheses(number: int) -> str:
    return "hypothesis" if number == 1 else "hypotheses"


def warn_of_long_segments(input_stats: InputStats) -> list[str]:
    """Return a warning if segments are long in units whose n_t nobody chose."""
    units, segments = (input_stats.counts.get(name, 0) for name in (_UNITS, _SEGMENTS))
    return describe_long_segments("references", units, segments)


def warn_of_large_limit(input_stats: InputStats, n_t: int) -> list[str]:
    """Return a warning if near misses may be more than half a segment apart.

    A limit of 2, with which only neighbours are near misses, is as small as can be.
    """
    units, segments = (input_stats.counts.get(name, 0) for name in (_UNITS, _SEGMENTS))
    if n_t <= NEAR or 2 * (n_t - 1) * segments <= units:
        return []
    return [
        f"n_t is {n_t:,}: boundaries up to {n_t - 1:,} units apart are near misses, and segments "
        f"of the references have {units / segments:,.1f} units on average, so that chance makes "
        "many; choose a smaller --n-t, or check the unit: characters and tokens are imported with "
        "--unit"
    ]


def _warn_of_lengths(counts: Counts) -> list[str]:
    """Return a warning if most hypotheses are only scored because lengths may differ."""
    rows, far = counts.get(_ROWS, 0), counts.get(_FAR, 0)
    if far * 2 <= rows:
        return []
    return [
        f"hypotheses: {far:,} of {rows:,} are more than 2 % longer or shorter than their document; "
        "--length-tolerance allows it, but the units seem to differ, such as sentences and "
        "paragraphs: segment both in the same units, or carry one to the other with segscore "
        "project"
    ]

"""Advise to resample by an attribute whose documents resemble each other, such as those of a show.

Intervals and tests take documents as independent. Where those of one show are alike, they say less
than as many of different shows, and an interval by documents is too narrow (Cameron, Gelbach &
Miller 2008; Miller 2024, arXiv 2411.00640). The test is the analysis of variance of one factor, F,
of the values of each system. Values are added up as whole numbers, so that the order of the rows
does not matter.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.document_ids import GOLDEN_RATIO, Hashes, hash_names, number
from segscore.pipeline.arrays.ragged import Ints, add_up, encode
from segscore.pipeline.measures import ALL
from segscore.pipeline.results.leaderboard import measures_to_show
from segscore.pipeline.results.names import is_point
from segscore.pipeline.runs.finished import TablePiece
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.scoring.shared_averages import Pieces

_ATTRIBUTES = ("series", "show", "programme", "program", "episode", "meeting", "session", "date")
"""Names of attributes that are tested: of what documents are parts, not of what kind they are."""

_FEWEST_VALUES = 5
"""Smallest number of values that an attribute must have: with fewer units there is no interval."""

_LEVEL = 0.001
"""Level of the test, over all systems together."""

_STEPS = 2**16
"""A value of 1, as a whole number."""


class _Cells(NamedTuple):
    """Sums over the documents of a system that have one value of the attribute.

    Attributes:
        cell: hash of the system and of the value of the attribute, ascending, shape (cells,).
        system: hash of the system, shape (cells,).
        documents: number of documents, shape (cells,).
        total: sum of their values, shape (cells,).
        squares: sum of the squares of their values, shape (cells,).
    """

    cell: Hashes
    system: Hashes
    documents: Ints
    total: Ints
    squares: Ints


@dataclass(frozen=True)
class _Values:
    """The values of a measure in some rows, one for each document and system.

    Attributes:
        table: a row for each, with the columns of the attributes.
        system: hash of the system of each row.
        value: value of each row, as a whole number.
    """

    table: pa.Table
    system: Hashes
    value: Ints


def warn_of_related(
    settings: ScoreSettings, attributes: Collection[str], pieces: Pieces
) -> list[str]:
    """Return a warning if documents that share the value of an attribute have similar values.

    Args:
        settings: settings of the run.
        attributes: the attributes that documents have.
        pieces: the files of the tables of the run.
    """
    tested = [name for name in _ATTRIBUTES if name in attributes]
    selection = settings.selection
    if settings.resample_by is not None or not tested or not selection.names:
        return []
    measure = measures_to_show(selection.names, settings.measures_in_order)[0]
    if (ALL[measure].lower, ALL[measure].upper) != (0, 1):
        return []
    table = "scores" if measure in selection.pairs.measures else "panel_scores"
    consensus = pa.array([*settings.shares], pa.string())
    sums: dict[str, list[_Cells]] = {}
    for values in _read(pieces(table), measure, tested, consensus):
        for name in (name for name in tested if name in values.table.column_names):
            sums[name] = [_added([*sums.get(name, ()), _cells(values, name)])]
    related = [(len(cells.cell), name) for name, (cells,) in sums.items()]
    found = [name for _, name in sorted(related) if _differ(*sums[name])]
    return [
        f"documents of one {name} have similar values of {measure} (F test, p < {_LEVEL:g}), so "
        "that intervals and tests that take documents as independent are too narrow; pass "
        f"--resample-by {name}"
        for name in found[:1]
    ]


def _read(
    pieces: Iterable[TablePiece], measure: str, attributes: Sequence[str], consensus: pa.Array
) -> Iterator[_Values]:
    """Read the values of systems, one file at a time; all rows of a document are in one file.

    References of a document are averaged, except that of its consensus, and so are levels.
    """
    for _, available, read in pieces:
        wanted = ["document_id", "hypothesis", "reference", measure, *attributes]
        if not {*attributes}.isdisjoint(available):
            table = read([name for name in wanted if name in available])
            kept = pc.is_valid(table.column(measure))
            if "reference" in available:
                of_consensus = pc.is_in(table.column("reference"), value_set=consensus)
                kept = pc.and_(kept, pc.invert(of_consensus))
            table = table.filter(kept)
            coded = encode(table.column("hypothesis").combine_chunks())
            points = np.array([is_point(name) for name in coded.names], bool)
            chosen = ~points[coded.code]
            if chosen.any():
                yield _of_documents(table.filter(pa.array(chosen)), measure)


def _of_documents(table: pa.Table, measure: str) -> _Values:
    """Average the rows of each document and system."""
    numbered = number(table.column("document_id").combine_chunks())
    coded = encode(table.column("hypothesis").combine_chunks())
    both = numbered.document * len(coded.names) + coded.code
    _, first, place = np.unique(both, return_index=True, return_inverse=True)
    steps = np.rint(table.column(measure).to_numpy() * _STEPS).astype(np.int64)
    total = add_up(steps, place, len(first))
    of_system = hash_names(pa.array(coded.names, pa.string())).hashes[coded.code[first]]
    value = np.rint(total / np.bincount(place)).astype(np.int64)
    return _Values(table.take(pa.array(first)), of_system, value)


def _cells(values: _Values, attribute: str) -> _Cells:
    """Add up the values of each system and value of the attribute."""
    column = values.table.column(attribute).combine_chunks()
    known = pc.is_valid(column).to_numpy(zero_copy_only=False)
    of_value = hash_names(column.filter(pa.array(known)).cast(pa.string())).hashes
    system, value = values.system[known], values.value[known]
    ones = np.ones(len(value), np.int64)
    cells = _Cells(of_value ^ (system * GOLDEN_RATIO), system, ones, value, value * value)
    return _added([cells])


def _added(parts: Sequence[_Cells]) -> _Cells:
    """Add up cells that are the same."""
    every = _Cells(*(np.concatenate(each) for each in zip(*parts, strict=True)))
    cell, first, place = np.unique(every.cell, return_index=True, return_inverse=True)
    columns = every.documents, every.total, every.squares
    sums = (add_up(column, place, len(cell)) for column in columns)
    return _Cells(cell, every.system[first], *sums)


def _differ(cells: _Cells) -> bool:
    """Return whether, for a system, values differ more between than within those of attributes."""
    from scipy.special import fdtrc

    systems = np.unique(cells.system)
    for system in systems:
        n, total, squares = (
            column[cells.system == system].astype(np.float64) for column in cells[2:]
        )
        explained = (total**2 / n).sum()
        between = explained - total.sum() ** 2 / n.sum()
        within = squares.sum() - explained
        values, rest = len(n), n.sum() - len(n)
        if values < _FEWEST_VALUES or rest < 1 or between <= 0:
            continue
        ratio = between / (values - 1) / (within / rest) if within > 0 else np.inf
        if fdtrc(values - 1, rest, ratio) * len(systems) < _LEVEL:
            return True
    return False

"""Say what the interval would be if documents with the same value of an attribute were one unit.

Intervals and tests take documents as independent. Where those of one show are alike, they say less
than as many of different shows, and an interval by documents is too narrow (Cameron, Gelbach &
Miller 2008; Miller 2024, arXiv 2411.00640). Values are added up as whole numbers, so that the order
of the rows does not matter.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.document_ids import GOLDEN_RATIO, Hashes, hash_names, index_documents
from segscore.pipeline.arrays.ragged import Ints, add_up, encode
from segscore.pipeline.measures import ALL
from segscore.pipeline.results.leaderboard import measures_to_show
from segscore.pipeline.results.score_rows import are_of_systems, are_original
from segscore.pipeline.runs.finished import TablePiece
from segscore.pipeline.scoring.aspects.aspect import Aspect, Outcome
from segscore.pipeline.scoring.inputs import attribute_types
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.scoring.shared_averages import Pieces
from segscore.pipeline.statistics.formatted_numbers import counted, shown_interval
from segscore.pipeline.statistics.jackknife import Estimate
from segscore.schemas.input_columns import CUT_FROM

_ATTRIBUTES = (
    *("series", "show", "programme", "program", "episode", "meeting", "session", "date"),
    CUT_FROM,
)
"""Attributes by which the interval is said: of what documents are parts, not of what kind."""

_OF_FEW = (
    f"documents are regions of {{documents}} ({CUT_FROM}); intervals and tests take them "
    f"as independent; --resample-by {CUT_FROM} takes all regions of a document as one"
)

_STEPS = 2**30
"""A value of 1, as a whole number."""


class _Cells(NamedTuple):
    """Sums over the documents of a system that have one value of the attribute.

    Attributes:
        cell: hash of the system and of the value of the attribute, ascending, shape (cells,).
        system: hash of the system, shape (cells,).
        documents: number of documents, shape (cells,).
        total: sum of their values, shape (cells,).
    """

    cell: Hashes
    system: Hashes
    documents: Ints
    total: Ints


@dataclass(frozen=True)
class _Values:
    """The values of a measure in some rows, one for each document and system.

    Attributes:
        table: a row for each, with the columns of the attributes.
        system: hash of the system of each row.
        value: value of each row, as a whole number.
        names: the names of the systems.
    """

    table: pa.Table
    system: Hashes
    value: Ints
    names: Sequence[str]


class RelatedDocuments(Aspect):
    """Documents that are parts of one show, meeting or series."""

    def warnings(self, outcome: Outcome) -> Iterable[str]:
        """Say what the interval by the attribute with the fewest values is."""
        inputs = outcome.inputs
        attributes = attribute_types([inputs.references, inputs.documents])
        return _warn_of_related(outcome.settings, attributes, outcome.sink.pieces)


def _warn_of_related(
    settings: ScoreSettings, attributes: Collection[str], pieces: Pieces
) -> list[str]:
    """Return a line with the interval of the best system by the attribute with the fewest values.

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
    sums: dict[str, list[_Cells]] = {}
    names = set[str]()
    for values in _read(pieces(table), measure, tested, settings.shares):
        names.update(values.names)
        for name in (name for name in tested if name in values.table.column_names):
            sums[name] = [_added([*sums.get(name, ()), _cells(values, name)])]
    by_hash = dict(zip(_hashes(sorted(names)).tolist(), sorted(names), strict=True))
    found = []
    for name, (cells,) in sums.items():
        system, average = _best(cells, measure)
        low, high = average.interval()
        if average.grouped and isnan(low) and name == CUT_FROM:
            found.append(
                (average.number, _OF_FEW.format(documents=counted(average.number, "document")))
            )
        elif average.grouped and not isnan(low):
            words = (
                f"{by_hash[system]}: the macro average of {measure} by {name} is "
                f"{shown_interval(low, high)}, {average.number} values of {name}; intervals and "
                "tests that take documents as independent may be too narrow; --resample-by "
                f"{name} takes each {name} as one"
            )
            found.append((average.number, words))
    return [words for _, words in sorted(found)[:1]]


def _best(cells: _Cells, measure: str) -> tuple[int, Estimate]:
    """Return the hash of the system with the best macro average, and that average by attribute."""
    found = []
    for system in np.unique(cells.system):
        _, _, documents, total = (column[cells.system == system] for column in cells)
        with np.errstate(invalid="ignore", divide="ignore"):
            without = (total.sum() - total) / (documents.sum() - documents) / _STEPS
        value = float(total.sum() / documents.sum() / _STEPS)
        weight, units = documents.astype(np.float64), np.arange(len(total), dtype=np.uint64)
        grouped = bool((documents > 1).any())
        found.append((int(system), Estimate(value, units, without, weight, (0, 1), grouped)))
    sign = 1 if ALL[measure].better == "higher" else -1
    return max(found, key=lambda each: (sign * each[1].value, each[0]))


def _hashes(names: Sequence[str]) -> Hashes:
    return hash_names(pa.array(names, pa.string())).hashes


def _read(
    pieces: Iterable[TablePiece],
    measure: str,
    attributes: Sequence[str],
    consensus: Collection[str],
) -> Iterator[_Values]:
    """Read the values of systems, one file at a time; all rows of a document are in one file.

    References of a document are averaged, except that of its consensus, and so are levels.
    """
    for _, available, read in pieces:
        wanted = ["document_id", "hypothesis", "reference", measure, *attributes]
        if not {*attributes}.isdisjoint(available):
            table = read([name for name in wanted if name in available])
            chosen = pc.and_(are_of_systems(table), are_original(table, consensus))
            table = table.filter(pc.and_(chosen, pc.is_valid(table.column(measure))))
            if table.num_rows:
                yield _of_documents(table, measure)


def _of_documents(table: pa.Table, measure: str) -> _Values:
    """Average the rows of each document and system."""
    numbered = index_documents(table.column("document_id").combine_chunks())
    coded = encode(table.column("hypothesis").combine_chunks())
    both = numbered.document * len(coded.names) + coded.code
    _, first, place = np.unique(both, return_index=True, return_inverse=True)
    steps = np.rint(table.column(measure).to_numpy() * _STEPS).astype(np.int64)
    total = add_up(steps, place, len(first))
    of_system = _hashes(coded.names)[coded.code[first]]
    value = np.rint(total / np.bincount(place)).astype(np.int64)
    return _Values(table.take(pa.array(first)), of_system, value, coded.names)


def _cells(values: _Values, attribute: str) -> _Cells:
    """Add up the values of each system and value of the attribute."""
    column = values.table.column(attribute).combine_chunks()
    known = pc.is_valid(column).to_numpy(zero_copy_only=False)
    of_value = hash_names(column.filter(pa.array(known)).cast(pa.string())).hashes
    system, value = values.system[known], values.value[known]
    ones = np.ones(len(value), np.int64)
    cells = _Cells(of_value ^ (system * GOLDEN_RATIO), system, ones, value)
    return _added([cells])


def _added(parts: Sequence[_Cells]) -> _Cells:
    """Add up cells that are the same."""
    every = _Cells(*(np.concatenate(each) for each in zip(*parts, strict=True)))
    cell, first, place = np.unique(every.cell, return_index=True, return_inverse=True)
    sums = (add_up(column, place, len(cell)) for column in (every.documents, every.total))
    return _Cells(cell, every.system[first], *sums)

"""Prominence: how many coders of a document support each boundary that anybody marked.

Kazantseva & Szpakowicz 2012, section 4.2 and figure 3.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Ragged, RowArrays

REACHES = ("0", "half_window", "window")
"""Of a position: a mark supports it from 0, floor(k / 2), k positions away."""


@dataclass(frozen=True)
class Marked:
    """Every position marked by any coder of its document, documents and positions ascending.

    Attributes:
        document: of each, shape (positions,).
        position: in the unit of the run, shape (positions,).
        coders: how many have a boundary within each reach, shape (3, positions).
    """

    document: Ints
    position: Ints
    coders: Ints


class _Marks(NamedTuple):
    """The columns ``document`` and ``position`` of ``Marked``, as compiled loops take them."""

    document: Ints
    position: Ints


@kernel
def _union(boundaries: RowArrays, first: Ints, marks: _Marks) -> int:
    """Write the marked positions of each document; return how many there are."""
    offsets, values = boundaries.offsets, boundaries.values
    written = 0
    for d in range(len(first) - 1):
        positions = np.sort(values[offsets[first[d]] : offsets[first[d + 1]]])
        for i in range(len(positions)):
            if i == 0 or positions[i] != positions[i - 1]:
                marks.document[written] = d
                marks.position[written] = positions[i]
                written += 1
    return written


@kernel
def _support(boundaries: RowArrays, first: Ints, window: Ints, marks: _Marks, coders: Ints) -> None:
    """For each coder walk its boundaries beside the document's positions, both ascending."""
    offsets, values = boundaries.offsets, boundaries.values
    document, position = marks.document, marks.position
    start = 0
    while start < len(document):
        d = document[start]
        end = start
        while end < len(document) and document[end] == d:
            end += 1
        for row in range(first[d], first[d + 1]):
            nearest = offsets[row]
            last = offsets[row + 1]
            for i in range(start, end):
                while nearest < last and values[nearest] < position[i]:
                    nearest += 1
                gap = np.int64(1) << 40
                if nearest < last:
                    gap = values[nearest] - position[i]
                if nearest > offsets[row]:
                    gap = min(gap, position[i] - values[nearest - 1])
                coders[0, i] += gap == 0
                coders[1, i] += gap <= window[d] // 2
                coders[2, i] += gap <= window[d]
        start = end


def marked(boundaries: Ragged, first: Ints, window: Ints) -> Marked:
    """Find all marked positions and who supports them, in time boundaries x coders a document.

    Args:
        boundaries: positions, each once a row, one row a coding.
        first: document d's codings are rows first[d]..first[d+1]-1, shape (documents + 1,).
        window: k of each document, shape (documents,).
    """
    room = boundaries.offsets[first[-1]] - boundaries.offsets[first[0]]
    marks = _Marks(np.empty(room, np.int64), np.empty(room, np.int64))
    size = _union(boundaries.arrays, first, marks)
    marks = _Marks(marks.document[:size], marks.position[:size])
    coders = np.zeros((len(REACHES), size), np.int64)
    _support(boundaries.arrays, first, window, marks, coders)
    return Marked(marks.document, marks.position, coders)

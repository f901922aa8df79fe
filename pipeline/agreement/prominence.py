"""Prominence: how many coders of a document support each boundary that any of them marked.

Kazantseva & Szpakowicz 2012, section 4.2 and figure 3.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Ints, Ragged, RowArrays

REACHES = ("0", "half_window", "window")
"""Names of the distances at which a mark supports a position: 0, floor(k / 2) and k."""


@dataclass(frozen=True)
class Marked:
    """Every position marked by any coder of its document, ordered by document and position.

    Attributes:
        document: document of each position, shape (positions,).
        position: in the unit of the run, shape (positions,).
        coders: number of coders with a boundary within each reach, shape (3, positions).
    """

    document: Ints
    position: Ints
    coders: Ints


class _Marks(NamedTuple):
    """The columns ``document`` and ``position`` of ``Marked``, for compiled loops."""

    document: Ints
    position: Ints


@kernel
def _union(boundaries: RowArrays, first: Ints, marks: _Marks) -> int:
    """Write the marked positions of each document; return their number."""
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
    """Count supporting coders: walk each coder's boundaries alongside the document's positions.

    Both are ascending.
    """
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
    """Find all marked positions and how many coders support them.

    Takes time proportional to boundaries x coders per document.

    Args:
        boundaries: positions, one row per coding; positions do not repeat in a row.
        first: document d has the coding rows first[d]..first[d+1]-1, shape (documents + 1,).
        window: window size k of each document, shape (documents,).
    """
    room = boundaries.offsets[first[-1]] - boundaries.offsets[first[0]]
    marks = _Marks(np.empty(room, np.int64), np.empty(room, np.int64))
    size = _union(boundaries.arrays, first, marks)
    marks = _Marks(marks.document[:size], marks.position[:size])
    coders = np.zeros((len(REACHES), size), np.int64)
    _support(boundaries.arrays, first, window, marks, coders)
    return Marked(marks.document, marks.position, coders)

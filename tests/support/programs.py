"""Segmentations as mir_eval and pyannote.metrics read them."""

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from segscore.pipeline.arrays.ragged import Floats

annotations: Any = importlib.import_module("pyannote.core")


def intervals(n_units: int, boundaries: Sequence[int]) -> Floats:
    """The segments of a side, as mir_eval reads them."""
    ends = [0, *boundaries, n_units]
    return np.array([ends[:-1], ends[1:]], np.float64).T


def labels(segments: Floats) -> list[str]:
    """A label of its own for each segment."""
    return [str(number) for number in range(len(segments))]


def annotation(n_units: int, boundaries: Sequence[int]) -> Any:
    """The segments of a side, as pyannote reads them, each with a label of its own."""
    made = annotations.Annotation()
    segments = intervals(n_units, boundaries)
    for label, (start, end) in zip(labels(segments), segments, strict=True):
        made[annotations.Segment(start, end)] = label
    return made

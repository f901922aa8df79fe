"""The window of each reference and document, by the policy of a run (docs/measures.md)."""

import numpy as np

from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.measures.windows import window_size
from segscore.pipeline.settings.measuring import MeasuringSettings


def window_sizes(
    size: Ints, segments: Ints, document: Ints, n_documents: int, settings: MeasuringSettings
) -> tuple[Ints, Ints]:
    """Return the window sizes of references and of documents by the policy of a run.

    Args:
        size: number of units of each reference, shape (references,).
        segments: number of segments of each reference, shape (references,).
        document: document number of each reference, shape (references,).
        n_documents: number of documents.
        settings: the policy and the rounding.
    """
    if isinstance(settings.window, int):
        return np.full_like(size, settings.window), np.full(n_documents, settings.window)
    per_run = settings.window == "per-run"
    pool = np.zeros_like(document) if per_run else document
    totals = np.zeros((2, n_documents), np.int64)
    np.add.at(totals[0], pool, size)
    np.add.at(totals[1], pool, segments)
    if per_run:
        totals = np.repeat(totals[:, :1], n_documents, axis=1)
    document_windows = window_size(totals[0], totals[1], settings.rounding)
    if settings.window == "per-pair":
        return window_size(size, segments, settings.rounding), document_windows
    return document_windows[document], document_windows


def run_windows(units: int, segments: Ints, settings: MeasuringSettings) -> Ints:
    """Return the sizes of `per-run` windows, from sums over all references of a run.

    Args:
        units: number of units of all references.
        segments: number of segments of all references, on each level, shape (levels,).
        settings: the rounding.
    """
    return window_size(np.full(len(segments), units), np.maximum(1, segments), settings.rounding)


def share_of_windows(with_boundary: int, windows: int) -> float:
    """Return P_seg (docs/measures.md); NaN without windows."""
    return with_boundary / windows if windows else float("nan")

"""Small corpora of pairs, in memory."""

from itertools import chain

import numpy as np
import pyarrow as pa

from segscore.pipeline.arrays.document_ids import index_documents
from segscore.pipeline.arrays.ragged import from_lists
from segscore.pipeline.conventions.corpus import CodedSide, Corpus

Documents = list[tuple[int, list[list[int]], list[int]]]
"""For each document: N, the boundaries of its references, and those of the only hypothesis."""


def corpus_arrays(documents: Documents) -> Corpus:
    """Return documents as the search for conventions reads them."""
    each = np.arange(len(documents))
    sizes = np.array([n_units for n_units, _, _ in documents])
    row = np.repeat(each, [len(references) for _, references, _ in documents])
    references = [*chain.from_iterable(references for _, references, _ in documents)]
    hypotheses = [hypothesis for _, _, hypothesis in documents]
    ends = np.ones((len(row), 2), bool)
    return Corpus(
        CodedSide(from_lists(references), sizes[row], row, np.zeros_like(row), ends),
        CodedSide(from_lists(hypotheses), sizes, each, np.zeros_like(each), ends[: len(each)]),
        np.arange(len(row)),
        row,
        index_documents(pa.array([f"d{document}" for document in each])).documents,
        ("system",),
    )

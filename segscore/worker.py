"""Prepare a Dask worker for runs of segscore: `dask worker ADDRESS --preload segscore.worker`.

A worker imports what tasks need when it receives the first one, which then takes a second longer.
With this module it does so while it starts, before it accepts tasks.
"""

from importlib import import_module
from typing import Any

_MODULES = (
    "pyarrow.compute",
    "pyarrow.parquet",
    "segscore.pipeline.runs.cluster",
    "segscore.pipeline.scoring.score_documents",
)


def dask_setup(_worker: Any) -> None:
    """Import the modules of scoring tasks, and make numba load its first compiled loop."""
    import pyarrow as pa

    for name in _MODULES:
        import_module(name)
    import_module("segscore.pipeline.arrays.document_ids").number(pa.array(["a"]))

"""Prepare a Dask worker for runs of segscore: `dask worker ADDRESS --preload segscore.worker`.

A worker imports what tasks need when it receives the first one, which then takes a second longer.
With this module it does so while it starts, before it accepts tasks.
"""

from importlib import import_module
from typing import Any

_MODULES = (
    "numba",
    "pyarrow.compute",
    "pyarrow.parquet",
    "segscore.pipeline.runs.cluster",
    "segscore.pipeline.scoring.score_documents",
)


def dask_setup(_worker: Any) -> None:
    """Import the modules of scoring tasks."""
    for name in _MODULES:
        import_module(name)

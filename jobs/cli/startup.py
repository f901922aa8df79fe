"""Keep imports and the garbage collector from slowing down the start and end of a command.

Importing the libraries creates half a million objects, and none of them is garbage.  Scanning them
again and again, and once more at exit, takes a quarter of a small job's time.
"""

import gc
import sys
from types import ModuleType


class _WithoutPandas:
    """Finder that reports that pandas is not installed."""

    @staticmethod
    def find_spec(name: str, _path: object = None, _target: ModuleType | None = None) -> None:
        """Raise the error that importing pandas would raise."""
        if name == "pandas":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def rest() -> None:
    """Disable the collector while libraries are imported."""
    gc.disable()


def work(cluster: str = "local") -> None:
    """Enable the collector, but exempt all existing objects from it; leave out pandas.

    Args:
        cluster: where the command runs; only threads of this process never need pandas.
    """
    gc.freeze()
    gc.enable()
    if cluster == "local" and "pandas" not in sys.modules:
        _leave_out_pandas()


def _leave_out_pandas() -> None:
    """Make pyarrow stop looking for pandas.

    To recognise the objects of pandas, pyarrow imports it before it first converts a list or an
    array of NumPy, which takes longer than importing pyarrow itself.
    """
    import pyarrow as pa

    sys.meta_path.insert(0, _WithoutPandas)
    try:
        pa.array([])
    finally:
        sys.meta_path.remove(_WithoutPandas)


def leave() -> None:
    """Exempt all objects from collection, so that the process frees its memory at once on exit."""
    gc.freeze()

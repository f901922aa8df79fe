"""Hostile input."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

SEGMENTATION = {
    "document_id": pa.string(),
    "coder": pa.string(),
    "n_units": pa.int32(),
    "boundaries": pa.list_(pa.int32()),
}


SEGSCORE = str(Path(sys.executable).parent / "segscore")


def table(ids: list[str], coder: str, n_units: int, boundaries: list[int]) -> pa.Table:
    """Make segmentations that differ only in their documents."""
    offsets = pa.array(np.arange(len(ids) + 1) * len(boundaries), pa.int32())
    values = pa.array(np.tile(np.array(boundaries, np.int32), len(ids)))
    units = pa.array(np.full(len(ids), n_units, np.int32))
    columns = [pa.array(ids), pa.array([coder] * len(ids))]
    lists = pa.ListArray.from_arrays(offsets, values)
    return pa.table([*columns, units, lists], names=list(SEGMENTATION))


def wrong_texts(contents: Sequence[bytes]) -> pa.StringArray:
    """Make a column of texts from any bytes, which need not be UTF-8."""
    whole = pa.array(contents, pa.binary())
    return pa.StringArray.from_buffers(len(contents), *whole.buffers()[1:])


def run_alone(*arguments: object) -> tuple[subprocess.CompletedProcess[str], float]:
    """Run the command line as a process; return its peak memory in MB too."""
    code = (
        "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:]);"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr);"
        "sys.exit(done.returncode)"
    )
    command = [sys.executable, "-c", code, SEGSCORE, *map(str, arguments)]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    return process, int(process.stderr.splitlines()[-1]) / 1024


MARKUP = "</script><img src=x onerror=alert(1)> \"&'{{ 7*7 }}"

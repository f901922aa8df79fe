"""`dask worker --preload segscore.worker` imports what tasks need before the first one."""

import subprocess
import sys

import pytest

PRELOADED = """
import sys
from distributed.preloading import process_preloads

class Worker:
    pass

import asyncio
(preload,) = process_preloads(Worker(), ["segscore.worker"], [[]])
asyncio.run(preload.start())
before = {name for name in sys.modules if name.startswith(("segscore", "pyarrow", "numba"))}
import segscore.pipeline.runs.cluster, segscore.pipeline.scoring.score_documents
after = {name for name in sys.modules if name.startswith(("segscore", "pyarrow", "numba"))}
print(sorted(after - before))
"""


@pytest.mark.long
def test_a_worker_imports_what_tasks_need() -> None:
    command = [sys.executable, "-c", PRELOADED]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ended.stdout == "[]\n"

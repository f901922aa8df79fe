"""Kernels in tests: short calls are interpreted, what is compiled is cached for all processes."""

import fcntl
import math
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

from segscore.pipeline.arrays.kernel import LIMITS
from tests.support.paths import ROOT

KERNELS = ROOT / "build" / "kernels" / version("numba")
"""Each release of numba has a folder, because it replaces what another one compiled."""


WAYS = {"interpreted": (math.inf, math.inf), "compiled": (0, -1)}
"""Limits by which all calls run in one way; conformance and the measures are tested in both."""

_WRAPS = re.compile(
    r"GOLDEN_RATIO|MIX_[12]|FNV_PRIME|np\.uint64\(0\) - bound|word \* _BYTES|after = before \+"
)
"""Lines of kernels that may exceed 64 bits: hashes, a sum of bits, and a sum that is checked."""


@contextmanager
def run(way: str) -> Iterator[None]:
    """Run all kernels of this process in one way."""
    before = LIMITS.steps, LIMITS.seconds
    LIMITS.steps, LIMITS.seconds = WAYS[way]
    try:
        yield
    finally:
        LIMITS.steps, LIMITS.seconds = before


def filters() -> Iterator[str]:
    """Make it an error that a number wraps around in an interpreted kernel, except in hashes."""
    yield "error:overflow encountered:RuntimeWarning"
    for path in (ROOT / "pipeline").rglob("*.py"):
        module = ".".join(("segscore", *path.relative_to(ROOT).with_suffix("").parts))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if _WRAPS.search(line):
                yield f"ignore:overflow encountered:RuntimeWarning:{module}:{number}"


def share() -> None:
    """Interpret short calls of each test for a while; cache kernels where all processes find them.

    numba writes the list of a loop's variants first, the variant next: two processes that compile
    two variants of one loop at the same time could list one and store the other under its name.
    """
    LIMITS.steps, LIMITS.seconds, LIMITS.overflow = 1 << 13, 0.5, "warn"
    os.environ.setdefault("NUMBA_CACHE_DIR", str(KERNELS))
    (KERNELS / "segscore").mkdir(mode=0o700, parents=True, exist_ok=True)
    from numba.core.caching import IndexDataCacheFile

    save = IndexDataCacheFile.save

    def one_by_one(self: Any, key: object, data: object) -> None:
        with (KERNELS / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            save(self, key, data)

    IndexDataCacheFile.save = one_by_one

"""Compiled loops, cached from one run of the tests to the next, shared by all processes."""

import fcntl
import os
from hashlib import blake2b
from typing import Any

from tests.support.paths import ROOT


def _what_compiles() -> bytes:
    """Return the sources that a compiled loop may depend on."""
    pipeline = ROOT / "pipeline"
    loops = [pipeline / "arrays", pipeline / "measures"]
    files = {path for folder in loops for path in folder.rglob("*.py")}
    files |= {path for path in pipeline.rglob("*.py") if b"@kernel" in path.read_bytes()}
    return b"".join(path.read_bytes() for path in sorted(files))


# A compiled loop is cached by the date of its own file; one that calls a loop of another file would
# outlive a change there.  So loops compiled from other sources go to another folder.
KERNELS = ROOT / "build" / "kernels" / blake2b(_what_compiles(), digest_size=8).hexdigest()


ANNOUNCEMENT = "segscore: compiling its loops"
"""Beginning of the line that a command prints if it compiles, which depends on earlier tests."""


def without_announcement(err: str) -> str:
    """Return standard error without the line that a command prints if it compiles loops."""
    return "".join(line for line in err.splitlines(True) if not line.startswith(ANNOUNCEMENT))


def share() -> None:
    """Cache loops where all processes find them; call this before numba is imported.

    numba writes the list of a loop's variants first, the variant next: two processes that compile
    two variants of one loop at the same time could list one and store the other under its name.
    """
    os.environ.setdefault("NUMBA_CACHE_DIR", str(KERNELS))
    KERNELS.mkdir(parents=True, exist_ok=True)
    from numba.core.caching import IndexDataCacheFile

    save = IndexDataCacheFile.save

    def one_by_one(self: Any, key: object, data: object) -> None:
        with (KERNELS / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            save(self, key, data)

    IndexDataCacheFile.save = one_by_one

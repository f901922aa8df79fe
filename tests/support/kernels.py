"""Compiled loops, cached from one run of the tests to the next, shared by all processes."""

import fcntl
import os
from hashlib import blake2b
from typing import Any

from tests.support.paths import ROOT

# A compiled loop is cached by the date of its own file; one that calls a loop of another file would
# outlive a change there.  So compiled loops of other sources go to another folder.
SOURCES = b"".join(path.read_bytes() for path in sorted((ROOT / "pipeline").rglob("*.py")))
KERNELS = ROOT / "build" / "kernels" / blake2b(SOURCES, digest_size=8).hexdigest()


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

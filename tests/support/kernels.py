"""Compiled loops, kept from one run of the tests to the next, shared by all their processes."""

import fcntl
import os
from hashlib import blake2b
from typing import Any

from tests.support.paths import ROOT

# A compiled loop is kept by its own file's date; one that calls a loop of another file would
# outlive a change there.  Compiled loops of other sources are other files.
SOURCES = b"".join(path.read_bytes() for path in sorted((ROOT / "pipeline").rglob("*.py")))
KERNELS = ROOT / "build" / "kernels" / blake2b(SOURCES, digest_size=8).hexdigest()


def share() -> None:
    """Keep loops where all processes find them; to be called before numba is imported.

    numba writes the list of a loop's variants first, the variant then: two processes that compile
    two variants of one loop at the same time could list one and keep the other under its name.
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

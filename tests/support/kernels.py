"""Compiled loops, cached from one run of the tests to the next, shared by all processes."""

import ast
import fcntl
import os
from hashlib import blake2b
from importlib.metadata import version
from typing import Any

from tests.support.paths import ROOT


def _shared_sources() -> bytes:
    """Return the sources of the loops that loops of other files call."""
    pipeline = ROOT / "pipeline"
    texts = {path: path.read_text("utf-8") for path in pipeline.rglob("*.py")}
    loops = {path: text for path, text in texts.items() if "@kernel" in text or "@inlined" in text}
    shared = {path for path in texts if path.relative_to(pipeline).parts[0] in _ROOMS_OF_LOOPS}
    for path in loops:
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        if any(f"segscore.{module} " in text for other, text in loops.items() if other != path):
            shared.add(path)
    return "".join(_what_loops_use(texts[path]) for path in sorted(shared)).encode()


def _what_loops_use(source: str) -> str:
    """Return a module without its plain functions, which no loop can call."""
    return "".join(
        ast.dump(node)
        for node in ast.parse(source).body
        if not isinstance(node, ast.FunctionDef) or node.decorator_list
    )


_ROOMS_OF_LOOPS = ("arrays", "measures")
"""The folders of the pipeline whose loops are called by others."""


# A compiled loop is cached by the content of its own file; one that calls a loop of another file
# would outlive a change there.  So if such a file changes, all loops go to another folder.
# Each release of numba has a folder, because it replaces what another one compiled.
_CONTENT = blake2b(_shared_sources(), digest_size=8).hexdigest()
KERNELS = ROOT / "build" / "kernels" / f"{_CONTENT}-{version('numba')}"


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

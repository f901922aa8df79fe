"""A disk whose every operation is a point where another job may run.

Of a store, `tests/simulation` is that.
"""

import builtins
import os
import platform
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import UUID

from segscore.pipeline.runs import claims, run_folder
from tests.support.interleaving import Job, Stage

OPERATIONS = ("listdir", "mkdir", "rmdir", "rename", "replace", "link", "unlink")

Tree = Mapping[str, bytes]
"""Relative path -> content, without folders."""


class SteppedDisk:
    """A folder of this machine that jobs write to, and processes that only they see."""

    def __init__(self, folder: Path) -> None:
        self.jobs: list[Job] = []
        self.run = folder / "run"

    @contextmanager
    def entered(self, stage: Stage) -> Iterator[None]:
        """Make each job a process of its own, whose storage waits for its turn."""
        self.jobs = list(stage.jobs)

        def of_job(real: Callable[[], Any], get: Callable[[Job], Any]) -> Callable[[], Any]:
            return lambda: real() if stage.current is None else get(stage.current)

        def kill(pid: int, number: int) -> None:
            if not any(job.pid == pid and job.runs for job in self.jobs):
                raise ProcessLookupError

        def urandom(size: int) -> bytes:
            job = stage.current
            return secrets.token_bytes(size) if job is None else bytes.fromhex(job.token(2 * size))

        def uuid4() -> UUID:
            job = stage.current
            if job is None:
                return UUID(bytes=secrets.token_bytes(16))
            drawn = UUID(job.token(32))
            job.start = drawn.hex[:8]
            return drawn

        patches = [
            patch.object(os, "getpid", of_job(os.getpid, lambda job: job.pid)),
            patch.object(os, "kill", kill),
            patch.object(os, "fsync", lambda _: None),
            patch.object(platform, "node", of_job(platform.node, lambda job: job.host)),
            patch.object(claims, "started", lambda pid: f"start of {pid}"),
            patch.object(os, "urandom", urandom),
            patch.object(run_folder, "uuid4", uuid4),
            patch.object(run_folder, "wait_for", self._wait_for(stage)),
        ]
        with _all(patches), self.storage(stage):
            yield

    def _wait_for(self, stage: Stage) -> Callable[[str, claims.Claim], None]:
        def wait_for(output: str, publisher: claims.Claim) -> None:
            def over() -> bool:
                publishers = [job for job in self.jobs if job.pid == publisher.pid]
                is_over = not any(job.runs for job in publishers)
                return is_over or claims.newest(output) != publisher

            stage.wait(over)

        return wait_for

    @property
    def output(self) -> str:
        """The folder of the run."""
        return str(self.run)

    def tree(self) -> dict[str, bytes]:
        """Return the content of the run's folder; an empty folder is included, with a slash."""
        contents = {}
        for folder, folders, names in os.walk(self.run):
            inside = os.path.relpath(folder, self.run)
            if not folders and not names:
                contents[f"{inside}/"] = b""
            for name in names:
                path = os.path.join(folder, name)
                with REAL_OPEN(path, "rb") as file:
                    contents[os.path.normpath(os.path.join(inside, name))] = file.read()
        return contents

    def reset(self, tree: Tree) -> None:
        """Replace the content of the run's folder."""
        shutil.rmtree(self.run, ignore_errors=True)
        for name, content in tree.items():
            path = self.run / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    @contextmanager
    def storage(self, stage: Stage) -> Iterator[None]:
        """Make each call to the operating system that changes or reads the folder wait."""
        top = str(self.run.parent)

        def stepped(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
            def call(*arguments: Any, **options: Any) -> Any:
                paths = [argument for argument in arguments if isinstance(argument, str)]
                if (
                    whole
                    or stage.current is None
                    or not any(path.startswith(top) for path in paths)
                ):
                    return real(*arguments, **options)
                operation = " ".join([name, *(os.path.relpath(path, top) for path in paths)])
                return stage.operate(operation, lambda: real(*arguments, **options), _plain)

            return call

        whole: list[str] = []

        def remove_whole(path: str) -> None:
            whole.append(path)
            try:
                REAL_RMTREE(path)
            finally:
                whole.pop()

        def rmtree(path: str, *, ignore_errors: bool = False) -> None:
            stage.operate(f"rmtree {path}", lambda: remove_whole(path), lambda _: None)

        def opened(path: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
            outside = not (isinstance(path, str) and path.startswith(top))
            private = outside or (path.endswith(".tmp") and "r" in mode)
            if stage.current is None or private:
                return REAL_OPEN(path, mode, *arguments, **options)
            operation = f"open {os.path.relpath(path, top)} {mode}"
            act = lambda: REAL_OPEN(path, mode, *arguments, **options)  # noqa: E731
            return stage.operate(operation, act, lambda _: _digest(path) if "r" in mode else None)

        patches: list[Any] = [
            patch.object(os, name, stepped(name, getattr(os, name))) for name in OPERATIONS
        ]
        patches += [
            patch.object(shutil, "rmtree", rmtree),
            patch.object(builtins, "open", opened),
        ]
        with _all(patches):
            yield


@contextmanager
def _all(patches: list[Any]) -> Iterator[None]:
    for patcher in patches:
        patcher.start()
    try:
        yield
    finally:
        for patcher in reversed(patches):
            patcher.stop()


REAL_OPEN, REAL_RMTREE = open, shutil.rmtree


def _plain(result: Any) -> object:
    return sorted(result) if isinstance(result, list) else None


def _digest(path: str) -> str:
    with REAL_OPEN(path, "rb") as file:
        return blake2b(file.read(), digest_size=8).hexdigest()

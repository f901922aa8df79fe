"""Storage whose every operation is a point where another job may run: a disk, and a store."""

import builtins
import os
import platform
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import UUID

import fsspec
from fsspec.spec import AbstractFileSystem

from segscore.pipeline.runs import claims, run_folder
from segscore.pipeline.storage import object_stores
from tests.support.interleaving import Job, Stage

OPERATIONS = ("listdir", "mkdir", "rmdir", "rename", "replace", "link", "unlink")
PROTOCOL = "stepped"

Tree = Mapping[str, bytes]
"""Relative path -> content, without folders."""


class SteppedStorage:
    """Storage that jobs write to, and processes that only they see."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

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
            patch("segscore.pipeline.runs.publication.uuid4", uuid4),
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

    def storage(self, stage: Stage) -> AbstractContextManager[None]:
        """Make each operation of storage wait for its turn."""
        raise NotImplementedError

    @property
    def output(self) -> str:
        """The folder of the run."""
        raise NotImplementedError

    def tree(self) -> dict[str, bytes]:
        """Return the content of the run's folder."""
        raise NotImplementedError

    def reset(self, tree: Tree) -> None:
        """Replace the content of the run's folder."""
        raise NotImplementedError


@contextmanager
def _all(patches: list[Any]) -> Iterator[None]:
    for patcher in patches:
        patcher.start()
    try:
        yield
    finally:
        for patcher in reversed(patches):
            patcher.stop()


class Disk(SteppedStorage):
    """A folder of this machine; operations are those of the operating system."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.run = folder / "run"

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


REAL_OPEN, REAL_RMTREE = open, shutil.rmtree


def _plain(result: Any) -> object:
    return sorted(result) if isinstance(result, list) else None


def _digest(path: str) -> str:
    with REAL_OPEN(path, "rb") as file:
        return blake2b(file.read(), digest_size=8).hexdigest()


class SteppedFiles(AbstractFileSystem):  # type: ignore[misc]
    """An object store in memory: names and contents, puts that may be create-only, no renames."""

    protocol = PROTOCOL
    cachable = False
    objects: dict[str, bytes]
    stage: Stage

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.objects = STORE
        self.stage = STAGES[-1]

    def _operate(self, name: str, act: Callable[[], Any]) -> Any:
        return self.stage.operate(name, act, lambda result: result)

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        """List what is right below a prefix."""
        path = self._strip_protocol(path)
        names = self._operate(f"list {path}", lambda: self._below(path))
        if not names:
            raise FileNotFoundError(path)
        return [self._info(name) if detail else name for name in names]

    def _below(self, path: str) -> list[str]:
        inside = [name[len(path) + 1 :] for name in self.objects if name.startswith(f"{path}/")]
        return sorted({f"{path}/{name.split('/')[0]}" for name in inside})

    def _info(self, name: str) -> dict[str, Any]:
        if name in self.objects:
            return {"name": name, "type": "file", "size": len(self.objects[name])}
        return {"name": name, "type": "directory", "size": 0}

    def find(self, path: str, detail: bool = False, **_: Any) -> Any:
        """List everything below a prefix, or the object of this name."""
        path = self._strip_protocol(path).rstrip("/")
        act = lambda: sorted(  # noqa: E731
            name for name in self.objects if name == path or name.startswith(f"{path}/")
        )
        names = self._operate(f"find {path}", act)
        return {name: self._info(name) for name in names} if detail else names

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """Describe an object."""
        path = self._strip_protocol(path)
        info = self._operate(f"info {path}", lambda: self._info(path))
        if info["type"] == "directory" and not self._below(path):
            raise FileNotFoundError(path)
        return dict(info)

    def cat_file(self, path: str, **_: Any) -> bytes:
        """Read an object."""
        path = self._strip_protocol(path)
        content = self._operate(f"read {path}", lambda: self.objects.get(path))
        if content is None:
            raise FileNotFoundError(path)
        return bytes(content)

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **_: Any) -> None:
        """Write an object whole; with ``create``, only if it does not exist."""
        path = self._strip_protocol(path)

        def act() -> bool:
            if mode == "create" and path in self.objects:
                return False
            self.objects[path] = bytes(value)
            return True

        if not self._operate(f"put {path} {mode}", act):
            raise FileExistsError(path)

    def rm_file(self, path: str) -> None:
        """Remove an object."""
        path = self._strip_protocol(path)
        self._operate(f"remove {path}", lambda: self.objects.pop(path, None) and None)

    def cp_file(self, source: str, target: str, **_: Any) -> None:
        """Copy an object."""

        def act() -> bool:
            if source not in self.objects:
                return False
            self.objects[target] = self.objects[source]
            return True

        if not self._operate(f"copy {source} {target}", act):
            raise FileNotFoundError(source)

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        """Do nothing: there are no folders."""


STORE: dict[str, bytes] = {}
STAGES: list[Stage] = [Stage([])]


class Store(SteppedStorage):
    """An object store with create-only puts; its operations are its requests."""

    @property
    def output(self) -> str:
        """The folder of the run."""
        return f"{PROTOCOL}://bucket/run"

    def tree(self) -> dict[str, bytes]:
        """Return the content of the run's folder."""
        return {name.removeprefix("bucket/run/"): content for name, content in STORE.items()}

    def reset(self, tree: Tree) -> None:
        """Replace the content of the run's folder."""
        STORE.clear()
        STORE.update({f"bucket/run/{name}": content for name, content in tree.items()})

    @contextmanager
    def storage(self, stage: Stage) -> Iterator[None]:
        """Make each request wait for its turn; a job makes its requests one after the other."""
        fsspec.register_implementation(PROTOCOL, SteppedFiles, clobber=True)

        def for_each(task: Callable[[str], None], names: Any) -> None:
            for name in names:
                task(name)

        STAGES.append(stage)
        with _all(
            [
                patch.object(object_stores, "for_each", for_each),
                patch.object(object_stores, "FURTHER", object_stores.FURTHER | {PROTOCOL}),
                patch("segscore.pipeline.storage.folders.for_each", for_each),
            ]
        ):
            yield
        STAGES.pop()

"""Commands run as a container engine would run them, by means of Linux alone.

A box is a process with a root file system of its own, which it cannot write to: the machine's
programs, Python, an image at /opt/segscore, an empty /tmp.  It has an account that nobody else has,
no environment variable of the tests, and a network of its own with only a loopback interface, where
all hosts are.  Making one needs a Linux whose root may make namespaces; nothing of it is visible
outside, and it ends with its process.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from tests.support.paths import ROOT

DOCKERFILE = ROOT / "deploy" / "Dockerfile"
NEEDED = ("unshare", "nsenter", "ip", "chroot", "mount")
HOSTS = (
    "objects",
    "scheduler",
    "segscore-scheduler",
    "segscore-scheduler.segscore.svc.cluster.local",
)
"""Names that services have in deploy/."""

PREFIX = "/opt/segscore"
TMP, SHARED = "/tmp", "/dev/shm"  # noqa: S108
ACCOUNT = 10001
SYSTEM = ("/usr", "/etc/ld.so.cache", "/etc/nsswitch.conf", "/etc/ssl", sys.base_prefix)
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")
DASK = f"""#!{PREFIX}/bin/python
from dask.__main__ import main
if __name__ == "__main__":
    main()
"""
DEPENDENCIES = sysconfig.get_path("purelib")
PATH = "/usr/local/bin:/usr/bin:/bin"


@cache
def refusal() -> str | None:
    """Return why no box can be made here; None if it can."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return "only root of a Linux may make them"
    for name in NEEDED:
        if shutil.which(name) is None:
            return f"there is no `{name}`"
    result = subprocess.run(
        ["unshare", "--net", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"],  # noqa: S607
        capture_output=True,
        text=True,
    )
    return result.stderr.strip() or None


def instruction(name: str) -> str:
    """Return the arguments of the Dockerfile's first instruction of this name."""
    joined = DOCKERFILE.read_text().replace("\\\n", " ")
    match = re.search(rf"^{name} (.*)$", joined, re.MULTILINE)
    assert match is not None
    return match[1]


def environment() -> dict[str, str]:
    """Return the image's environment variables."""
    assignments = (assignment.partition("=") for assignment in shlex.split(instruction("ENV")))
    return {name: value.replace("${PATH}", PATH) for name, _, value in assignments}


@dataclass(frozen=True)
class Box:
    """The environment of a command.

    Attributes:
        image: the folder that is /opt/segscore; None for none.
        environment: its environment variables.
        read: path in the box -> path on the machine, mounted to be read.
        write: path in the box -> folder of the machine, mounted to be written.
        account: user and group.
        mode: of /tmp.
    """

    image: Path | None
    environment: Mapping[str, str] = field(default_factory=environment)
    read: Mapping[str, Path] = field(default_factory=dict)
    write: Mapping[str, Path] = field(default_factory=dict)
    account: int = ACCOUNT
    mode: str = "1777"

    def script(self, root: Path, hosts: Sequence[str], command: Sequence[str]) -> str:
        """Make the root file system, then become the command."""
        read = {path: Path(path) for path in SYSTEM if Path(path).exists()} | dict(self.read)
        if self.image is not None:
            read |= {PREFIX: self.image, DEPENDENCIES: Path(DEPENDENCIES)}
        mounts = [(device, Path(device), "rw") for device in DEVICES]
        mounts += [(path, source, "ro") for path, source in read.items()]
        mounts += [(path, source, "rw") for path, source in self.write.items()]
        links = [
            path for path in map(Path, ("/bin", "/lib", "/lib64", "/sbin")) if path.is_symlink()
        ]
        variables = [f"{name}={value}" for name, value in self.environment.items()]
        inside = ["env", "-i", "-C", TMP, *variables, *command]
        lines = [
            "set -eu",
            "mount --make-rprivate /",
            f"mount -t tmpfs -o mode=755 tmpfs {root}",
            *(f"ln -s {path.readlink()} {root}{path}" for path in links),
            f"mkdir -p {root}/etc {root}/proc {root}{SHARED} {root}{TMP}",
            f"mount -t proc proc {root}/proc",
            f"mount -t tmpfs -o mode=1777 tmpfs {root}{SHARED}",
            f"mount -t tmpfs -o mode={self.mode} tmpfs {root}{TMP}",
            f"printf '127.0.0.1 %s\\n' {shlex.join(hosts)} >{root}/etc/hosts",
            *(line for mount in mounts for line in _show(root, *mount)),
            f"mount -o remount,bind,ro {root}",
            f"exec chroot --userspec={self.account}:{self.account} --groups= {root} "
            + shlex.join(inside),
        ]
        return "\n".join(lines)


def _show(root: Path, path: str, source: Path, mode: str) -> Iterator[str]:
    """Mount a path of the machine at a path of the root."""
    target, origin = shlex.quote(f"{root}{path}"), shlex.quote(str(source))
    yield (
        f"mkdir -p {target}"
        if source.is_dir()
        else f"mkdir -p $(dirname {target}) && touch {target}"
    )
    yield f"mount --bind {origin} {target}"
    if mode == "ro":
        yield f"mount -o remount,bind,ro {target}"


class Machine:
    """A network of its own, and the boxes on it."""

    def __init__(self, folder: Path, hosts: Sequence[str]) -> None:
        self.folder = folder
        self.hosts = ["localhost", *hosts]
        self.root = folder / "root"
        self.root.mkdir()
        self.holder = subprocess.Popen(
            ["unshare", "--net", "sh", "-c", "ip link set lo up && echo up && exec cat"],  # noqa: S607
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self.holder.stdout is not None
        assert self.holder.stdout.readline() == b"up\n"

    def __enter__(self) -> "Machine":
        """Return the machine."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the network."""
        self.holder.kill()
        self.holder.communicate()

    def _line(self, box: Box, command: Sequence[str]) -> list[str]:
        alone = ["unshare", "--mount", "--pid", "--fork"]
        inside = ["nsenter", f"--net=/proc/{self.holder.pid}/ns/net", *alone]
        return [*inside, "sh", "-c", box.script(self.root, self.hosts, command)]

    def run(self, box: Box, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(self._line(box, command), capture_output=True, text=True)

    def say(self, box: Box, *command: str) -> str:
        """Return the output of a command that must succeed."""
        result = self.run(box, *command)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    @contextmanager
    def running(self, box: Box, *command: str) -> Iterator["Service"]:
        """Run a command until the block ends."""
        log = self.folder / f"{len(list(self.folder.iterdir()))}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                self._line(box, command), stdout=output, stderr=subprocess.STDOUT
            )
        try:
            yield Service(process, log)
        finally:
            # When the first process of the box ends, all others do.
            if process.poll() is None:
                for first in psutil.Process(process.pid).children():
                    first.kill()
            process.wait()


@dataclass(frozen=True)
class Service:
    """A command that keeps running."""

    process: subprocess.Popen[bytes]
    log: Path

    def require_alive(self) -> None:
        """Fail with its output if it has ended."""
        assert self.process.poll() is None, self.log.read_text()[-3000:]


def build(folder: Path, *, whole: bool) -> Path:
    """Make an image by the steps of the Dockerfile, from the files that Docker would receive.

    Args:
        folder: where the image goes.
        whole: install what segscore needs too, instead of taking it from the tests' environment.

    Returns:
        The folder that is /opt/segscore.
    """
    source, prefix, opt = folder / "source", folder / "prefix", folder / "opt"
    for path in (prefix, opt):
        path.mkdir()
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        if line.startswith("!"):
            _copy(ROOT / line[1:], source / line[1:])
    extras = re.search(r"^ARG EXTRAS=(.*)$", DOCKERFILE.read_text(), re.MULTILINE)
    assert extras is not None
    steps = [
        "set -eu",
        "mount --make-rprivate /",
        f"mount -t tmpfs tmpfs {opt}",
        f'for each in /opt/*; do if [ -d "$each" ]; then mkdir {folder}"$each"; '
        f'mount --rbind "$each" {folder}"$each"; fi; done',
        f"mkdir -p {opt}/segscore && mount --bind {prefix} {opt}/segscore",
        f"mount --rbind {opt} /opt",
        f"cd {source}",
        f"EXTRAS={extras[1]}",
    ]
    install, _, warm = instruction("RUN").partition("&&")
    steps.append(install)
    if not whole:
        packages = f"{PREFIX}/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
        steps.append(f"echo {DEPENDENCIES} >{packages}/dependencies.pth")
        steps.append(f"printf %s {shlex.quote(DASK)} >{PREFIX}/bin/dask")
        steps.append(f"chmod 755 {PREFIX}/bin/dask")
    steps.append(warm)
    given = {**os.environ, **environment(), "HOME": os.environ.get("HOME", "/root")}
    given.pop("PYTHONPATH", None)  # otherwise the tests of a checkout would compile the passes
    given["PATH"] = f"{PREFIX}/bin:{sys.base_prefix}/bin:{os.environ['PATH']}"  # as in the image
    if not whole:
        given["PIP_NO_DEPS"] = "1"
    result = subprocess.run(
        ["unshare", "--mount", "sh", "-c", "\n".join(steps)],  # noqa: S607
        env=given,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]
    return prefix


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)

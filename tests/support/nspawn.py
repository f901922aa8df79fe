"""A host that systemd has started, in a container of systemd-nspawn."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from tests.support import real_base
from tests.support.driven import wait

PROGRAMS = ("systemd-nspawn", "tar", *real_base.PROGRAMS)


class Host:
    """A running host.

    Attributes:
        root: its file system.
    """

    def __init__(self, root: Path, process: int) -> None:
        """Name its first process."""
        self.root = root
        self.within = (
            "nsenter",
            "--target",
            str(process),
            "--all",
            "env",
            "-i",
            "PATH=/usr/sbin:/usr/bin",
        )

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command on the host."""
        return subprocess.run([*self.within, *command], capture_output=True, text=True, timeout=300)

    def say(self, *command: str) -> str:
        """Return the output of a command that must succeed."""
        result = self.run(*command)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout


@contextmanager
def booted(root: Path, *options: str) -> Iterator[Host]:
    """Start a host until the block ends.

    Args:
        root: its file system, which must be there.
        options: further options of systemd-nspawn.
    """
    nspawn = ["systemd-nspawn", "--quiet", "--boot", f"--directory={root}", "--private-network"]
    nspawn += ["--register=no", "--keep-unit", "--console=read-only", "--link-journal=no", *options]
    with (root.parent / "console.log").open("wb") as console:
        supervisor = subprocess.Popen(
            nspawn, stdin=subprocess.DEVNULL, stdout=console, stderr=subprocess.STDOUT
        )
    try:
        wait(lambda: _first(supervisor.pid) is not None, "the host started")
        host = Host(root, _first(supervisor.pid) or 0)
        states = ("running", "degraded")
        asks = ("systemctl", "is-system-running")
        wait(lambda: host.run(*asks).stdout.strip() in states, "systemd is running")
        yield host
    finally:
        supervisor.terminate()
        supervisor.wait()


def _first(supervisor: int) -> int | None:
    """Return the first process of the container of systemd-nspawn, if it runs."""
    for process in psutil.Process(supervisor).children(recursive=True):
        if process.name() == "systemd":
            return int(process.pid)
    return None


def run_offline(root: Path, options: Sequence[str], lines: Sequence[str]) -> None:
    """Run lines of a shell in a host that is not started, with the network of this machine."""
    nspawn = ["systemd-nspawn", "--quiet", f"--directory={root}", "--register=no", "--keep-unit"]
    script = "\n".join(["set -eu", *lines])
    command = [*nspawn, "--pipe", *options, "sh", "-c", script]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr[-2000:]


def unpack(folder: Path) -> Path:
    """Return a new file system in a folder."""
    root = folder / "root"
    root.mkdir()
    command = ["tar", f"--file={real_base.base()}", f"--directory={root}", "--extract"]
    subprocess.run(command, check=True)
    return root

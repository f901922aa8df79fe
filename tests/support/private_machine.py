"""A machine of its own for servers: no process, socket or mount of it outlives the test.

It has its own processes, mounts, host name and network, which leads nowhere.  When its first
process ends, the kernel ends all others.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import psutil  # type: ignore[import-untyped]

STOP_SECONDS = 120
HOST, ADDRESS = "machine", "10.77.1.1"
_SPACES = ("--pid", "--mount", "--uts", "--ipc")
_NETWORK = (
    "ip link set lo up",
    "ip link add eth0 type veth peer name eth1",
    f"ip address add {ADDRESS}/24 dev eth0",
    "ip link set eth0 up",
    "ip link set eth1 up",
)
_FIRST = """
import signal, socket, subprocess, sys
socket.sethostname(sys.argv[1])
for words in sys.argv[2:]:
    subprocess.run(words.split(), check=True)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel buries orphans
print("ready", flush=True)
sys.stdin.read()
"""


@cache
def refusal(*programs: str) -> str | None:
    """Return why servers cannot be started here; None if they can.

    Args:
        programs: names of the programs that are needed besides those that make the machine.
    """
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return "only root of a Linux may start them"
    for name in ("unshare", "nsenter", "ip", *programs):
        if shutil.which(name) is None:
            return f"there is no `{name}`"
    command = ["unshare", *_SPACES, "--net", "--fork", "true"]
    result = subprocess.run(command, capture_output=True, text=True)
    return result.stderr.strip() or None


class PrivateMachine:
    """A machine of its own.

    Attributes:
        folder: where the output of its programs goes.
    """

    def __init__(self, folder: Path, *, network: bool = True) -> None:
        """Start its first process.

        Args:
            folder: where the output of its programs goes.
            network: whether it has a network of its own, instead of that of this machine.
        """
        self.folder = folder
        hosts = folder / "hosts"
        hosts.write_text(f"127.0.0.1 localhost\n{ADDRESS} {HOST}\n")
        spaces = ["unshare", *_SPACES, "--fork", "--kill-child", "--mount-proc"]
        steps = [f"mount --bind {hosts} /etc/hosts"]
        if network:
            spaces.append("--net")
            steps += _NETWORK
        self.holder = subprocess.Popen(
            [*spaces, sys.executable, "-c", _FIRST, HOST, *steps],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self.holder.stdout is not None
        assert self.holder.stdout.readline() == b"ready\n"
        (first,) = psutil.Process(self.holder.pid).children()
        self.within = ("nsenter", "--target", str(first.pid), "--all", "env", "-C", str(folder))

    def __enter__(self) -> "PrivateMachine":
        """Return the machine."""
        return self

    def __exit__(self, *_: object) -> None:
        """End all its processes."""
        self.holder.kill()
        self.holder.communicate()

    def run(
        self, *command: str | Path, environment: Mapping[str, str] | None = None, seconds: int = 120
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return subprocess.run(
            [*self.within, *map(str, command)],
            env={**os.environ, **(environment or {})},
            capture_output=True,
            text=True,
            timeout=seconds,
        )

    def say(self, *command: str | Path, environment: Mapping[str, str] | None = None) -> str:
        """Return the output of a command that must succeed."""
        result = self.run(*command, environment=environment)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    @contextmanager
    def serving(self, name: str, command: Sequence[str | Path]) -> Iterator[Path]:
        """Run a server until the block ends; yield the file with its output."""
        log = self.folder / f"{name}.log"
        with log.open("wb") as output:
            server = subprocess.Popen(
                [*self.within, *map(str, command)],
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        try:
            yield log
        finally:
            for child in psutil.Process(server.pid).children():  # the server; this is `nsenter`
                child.terminate()
            server.wait(STOP_SECONDS)

"""A Dask cluster without disturbances."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

DASK = [sys.executable, "-m", "dask"]
START_SECONDS = 60


def wait_for(file: Path, process: subprocess.Popen[bytes]) -> str:
    """Return the text of a file that another process writes when it is ready."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        assert process.poll() is None, "the process ended before it was ready"
        if file.exists() and (text := file.read_text()):
            return text
        time.sleep(0.02)
    raise TimeoutError(f"{file} did not appear in {START_SECONDS} s")


@contextmanager
def dask_cluster(folder: Path, certificates: Mapping[str, Path] | None = None) -> Iterator[str]:
    """Yield the address of a scheduler with two worker processes, all on loopback.

    Args:
        folder: working folder of the processes.
        certificates: files by the keys of the settings file; None for no TLS.
    """
    file = folder / "scheduler.json"
    options = {"tls-ca": "tls-ca-file", "tls-cert": "tls-cert", "tls-key": "tls-key"}
    secured = [f"--{options[key]}={path}" for key, path in (certificates or {}).items()]
    protocol = ["--protocol", "tls"] if certificates else []
    common = ["--scheduler-file", str(file)]
    with ExitStack() as stack:

        def start(*arguments: str) -> subprocess.Popen[bytes]:
            process = stack.enter_context(
                subprocess.Popen(
                    [*DASK, *arguments, *secured], cwd=file.parent, stderr=subprocess.DEVNULL
                )
            )
            stack.callback(process.terminate)
            return process

        head = start(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", *common, *protocol
        )
        address: str = json.loads(wait_for(file, head))["address"]
        for _ in range(2):
            start("worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny")
        yield address

"""Docker, its daemon on a machine of its own, and the images of deploy/."""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml

from tests.support import real_base
from tests.support.containers import DOCKERFILE
from tests.support.deployed import BIN, DEPLOY
from tests.support.driven import wait
from tests.support.paths import ROOT
from tests.support.private_machine import PrivateMachine

PROGRAMS = ("dockerd", "docker", "containerd", "runc", "iptables", *real_base.PROGRAMS)
BUILD_SECONDS = 1800
NO_NETWORK = ("--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false")
BASE = """FROM base
COPY ca-certificates.crt {certificates}
ENV PIP_CERT={certificates}
"""
STORE = """FROM base
COPY weed /usr/bin/weed
ENTRYPOINT ["weed"]
"""


class Docker:
    """The command `docker` and Docker Compose, which talk to a daemon."""

    def __init__(self, machine: PrivateMachine) -> None:
        """Name the socket of the daemon."""
        self.machine = machine
        self.socket = machine.folder / "docker.sock"
        self.variables = {"DOCKER_HOST": f"unix://{self.socket}", "DOCKER_BUILDKIT": "0"}

    def run(self, *arguments: object, seconds: int = 300) -> str:
        """Return the output of `docker ARGUMENTS`, which must succeed."""
        return self._say(["docker", *map(str, arguments)], seconds)

    def compose(self, *arguments: str) -> str:
        """Return the output of `docker compose ARGUMENTS`, which must succeed."""
        (folder,) = (find_spec("compose") or object()).submodule_search_locations  # type: ignore[attr-defined]
        return self._say([str(Path(folder) / "docker-compose"), *arguments], 600)

    def _say(self, command: Sequence[str], seconds: int) -> str:
        result = self.machine.run(*command, environment=self.variables, seconds=seconds)
        assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-3000:]
        return result.stdout

    def inspect(self, container: str) -> dict[str, Any]:
        """Return what Docker knows about a container."""
        (description,) = json.loads(self.run("inspect", container))
        return description


@contextmanager
def docker(folder: Path, *options: str, network: bool = True) -> Iterator[Docker]:
    """Run a daemon until the block ends; images are kept in build/.

    Args:
        folder: for its output and its socket.
        options: further options of the daemon.
        network: whether it has a network of its own.
    """
    with PrivateMachine(folder, network=network) as machine:
        running = Docker(machine)
        places = {"data-root": real_base.FOLDER / "docker", "exec-root": folder / "exec"}
        places |= {"pidfile": folder / "docker.pid"}
        command = ["dockerd", f"--host=unix://{running.socket}", *options]
        command += [f"--{name}={place}" for name, place in places.items()]
        with machine.serving("dockerd", command) as log:
            asks = ("docker", "info")
            wait(
                lambda: machine.run(*asks, environment=running.variables).returncode == 0,
                f"the daemon answered ({log})",
            )
            _remove_leftovers(running)
            yield running


def _remove_leftovers(running: Docker) -> None:
    """Remove containers, networks and volumes of tests that were killed."""
    if containers := running.run("ps", "--all", "--quiet").split():
        running.run("rm", "--force", "--volumes", *containers)
    for kind in ("network", "volume"):
        running.run(kind, "prune", "--force")


def build(folder: Path, tag: str) -> None:
    """Build the image of the Dockerfile, and stand-ins for those that it and Compose name."""
    with docker(folder, *NO_NETWORK, network=False) as building:
        images = building.run("images", "--format={{.Repository}}").split()
        if "base" not in images:
            building.run("import", real_base.base(), "base")
        _layer(building, "python", BASE.format(certificates=real_base.CERTIFICATES), python_tag())
        _layer(building, "objects", STORE, store_tag())
        options = ("--network=host", "--file", DOCKERFILE, "--tag", tag, ROOT)
        building.run("build", *options, seconds=BUILD_SECONDS)
        building.run("image", "prune", "--force", "--filter", "until=24h")


def _layer(building: Docker, name: str, text: str, tag: str) -> None:
    """Build an image with one more file than the base."""
    context = building.machine.folder / name
    context.mkdir()
    (context / "Dockerfile").write_text(text)
    file = real_base.CERTIFICATES if name == "python" else BIN / "weed"
    shutil.copy(file, context)
    building.run("build", "--tag", tag, context)


def python_tag() -> str:
    """Return the base image that the Dockerfile names."""
    (version,) = (
        line.partition("=")[2]
        for line in DOCKERFILE.read_text().splitlines()
        if line.startswith("ARG PYTHON=")
    )
    return f"python:{version}-slim"


def store_tag() -> str:
    """Return the image of the store in the Compose file."""
    services: Mapping[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    return str(services["objects"]["image"])

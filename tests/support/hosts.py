"""Several hosts on one machine, whose links can be cut while their processes live on.

There are two kinds of network.  The first is real: a network namespace for each host, joined by a
bridge in a namespace of its own.  It needs a Linux that lets the user make namespaces, `unshare`,
`nsenter` and `ip`; nothing of it is visible outside, and it ends with the processes in it.  The
second works wherever there is loopback: a host is an address of loopback, and all connections
between a worker and the others go through proxies, which forward nothing while the link is cut.
"""

import asyncio
import json
import re
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import psutil  # type: ignore[import-untyped]

from tests.support.driven import FaultPlan, wait
from tests.support.killing import DASK
from tests.support.servers import free_ports

NEEDED = ("unshare", "nsenter", "ip")
SUBNET = "10.77.0"
AT_ONCE = 65_536
"""Bytes that a proxy reads at once."""


class Host(Protocol):
    """A host: how to start a process there, and its link to the others.

    Attributes:
        address: of the host, as the others know it.
        within: what to put before a command, so that it runs there.
    """

    address: str
    within: tuple[str, ...]

    def worker(self, scheduler: str) -> list[str]:
        """Return the scheduler's address and the options of a Dask worker on this host."""

    def cut(self) -> None:
        """Stop all traffic between this host and the others."""

    def restore(self) -> None:
        """Let traffic pass again."""


class Network(Protocol):
    """Hosts that reach each other."""

    def host(self) -> Host:
        """Add a host."""

    def close(self) -> None:
        """Remove the network."""


class Refused(Exception):  # noqa: N818
    """No network namespace can be made here, with the reason."""


class Namespaces:
    """Hosts in network namespaces."""

    def __init__(self) -> None:
        for name in NEEDED:
            if shutil.which(name) is None:
                raise Refused(f"there is no `{name}`")
        self.holders = ExitStack()
        self.hosts = 0
        try:
            self.switch = self._hold("unshare", "--user", "--map-root-user", "--net")
            self.call(self.switch, "link", "add", "bridge", "type", "bridge")
            self.call(self.switch, "link", "set", "bridge", "up")
        except Refused:
            self.close()
            raise

    def _hold(self, *command: str) -> int:
        """Make a namespace that lasts as long as this process; return the process that keeps it."""
        pipe = subprocess.PIPE
        holder = self.holders.enter_context(
            subprocess.Popen([*command, "cat"], stdin=pipe, stdout=pipe, stderr=pipe)
        )
        self.holders.callback(holder.kill)
        assert holder.stdin is not None and holder.stdout is not None and holder.stderr is not None
        with suppress(BrokenPipeError):
            holder.stdin.write(b"there\n")
            holder.stdin.flush()
        if not holder.stdout.readline():  # it answers as soon as it is in its namespace
            raise Refused(holder.stderr.read().decode().strip())
        return holder.pid

    @staticmethod
    def inside(holder: int) -> tuple[str, ...]:
        """Return the prefix of a command that runs in a namespace."""
        return ("nsenter", "--target", str(holder), "--user", "--net", "--preserve-credentials")

    def call(self, holder: int, *arguments: str) -> None:
        """Run `ip ARGUMENTS` in a namespace.

        Raises:
            Refused: it failed.
        """
        command = [*self.inside(holder), "ip", *arguments]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            raise Refused(f"ip {' '.join(arguments)}: {result.stderr.strip()}")

    def host(self) -> "Namespace":
        """Add a host, plugged into the switch."""
        self.hosts += 1
        holder = self._hold(*self.inside(self.switch), "unshare", "--net")
        new_host = Namespace(self, f"port{self.hosts}", f"{SUBNET}.{self.hosts + 1}", holder)
        new_host.plug()
        return new_host

    def close(self) -> None:
        """End the processes that keep the namespaces, which removes them with all links."""
        self.holders.close()


class Namespace:
    """A host in a network namespace of its own."""

    def __init__(self, network: Namespaces, port: str, address: str, holder: int) -> None:
        self.network = network
        self.port = port
        self.address = address
        self.holder = holder
        self.within = network.inside(holder)

    def plug(self) -> None:
        """Connect it to the switch."""
        call, switch = self.network.call, self.network.switch
        other = ("type", "veth", "peer", "name", "eth0", "netns", str(self.holder))
        call(switch, "link", "add", self.port, *other)
        call(switch, "link", "set", self.port, "master", "bridge", "up")
        call(self.holder, "address", "add", f"{self.address}/24", "dev", "eth0")
        call(self.holder, "link", "set", "eth0", "up")
        call(self.holder, "link", "set", "lo", "up")

    def worker(self, scheduler: str) -> list[str]:
        """Return options of a worker that announces its own address."""
        return [scheduler, "--host", self.address]

    def cut(self) -> None:
        """Unplug the cable."""
        self.network.call(self.network.switch, "link", "set", self.port, "down")

    def restore(self) -> None:
        """Plug it in again."""
        self.network.call(self.network.switch, "link", "set", self.port, "up")


class Proxies:
    """Hosts at addresses of loopback.

    A host that is cut off cannot be reached, nor can it reach the scheduler; but its requests to
    other workers still get answers.
    """

    def __init__(self) -> None:
        self.hosts = 0
        self.loop = asyncio.new_event_loop()
        self.open: list[asyncio.StreamWriter] = []
        self.servers: list[asyncio.Server] = []
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine on the thread of the proxies."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    def host(self) -> "Proxied":
        """Add a host."""
        self.hosts += 1
        return Proxied(self, f"127.0.0.{self.hosts + 1}")

    def place_proxy(self, address: str, target: str, link: asyncio.Event) -> str:
        """Put a proxy before an address; return the proxy's address."""

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await link.wait()
            self.open.append(writer)
            with suppress(OSError):
                further_reader, further = await asyncio.open_connection(*_parted(target))
                self.open.append(further)
                await asyncio.gather(
                    _forward(reader, further, link), _forward(further_reader, writer, link)
                )

        server = self.run(_listening(serve, address))
        self.servers.append(server)
        return f"tcp://{address}:{server.sockets[0].getsockname()[1]}"

    def close(self) -> None:
        """Close every connection, then end the thread."""
        self.run(self._close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    async def _close(self) -> None:
        for server in self.servers:
            server.close()
        waiting = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        for writer in self.open:
            writer.transport.abort()
        await asyncio.sleep(0)  # aborted connections are closed in the next round of the loop


async def _listening(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Any], address: str
) -> asyncio.Server:
    return await asyncio.start_server(serve, address, 0)


async def _forward(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, link: asyncio.Event
) -> None:
    """Forward the bytes of one side as long as the link is whole."""
    with suppress(OSError):
        while data := await reader.read(AT_ONCE):
            await link.wait()
            writer.write(data)
            await writer.drain()
    await link.wait()
    writer.close()


def _parted(address: str) -> tuple[str, int]:
    host, _, port = address.removeprefix("tcp://").rpartition(":")
    return host, int(port)


class Proxied:
    """A host at an address of loopback, behind proxies."""

    within: tuple[str, ...] = ()

    def __init__(self, network: Proxies, address: str) -> None:
        self.network = network
        self.address = address
        self.link = asyncio.Event()
        self.restore()

    def worker(self, scheduler: str) -> list[str]:
        """Return options of a worker behind a proxy, which reaches the scheduler by another."""
        listening = f"tcp://{self.address}:{free_ports(1)[0]}"
        known = self.network.place_proxy(self.address, listening, self.link)
        towards = self.network.place_proxy(self.address, scheduler, self.link)
        return [towards, "--listen-address", listening, "--contact-address", known]

    def cut(self) -> None:
        """Forward nothing."""
        self.network.run(self._set(whole=False))

    def restore(self) -> None:
        """Forward what has come in the meantime, and what comes later."""
        self.network.run(self._set(whole=True))

    async def _set(self, *, whole: bool) -> None:
        if whole:
            self.link.set()
        else:
            self.link.clear()


@cache
def refusal() -> str | None:
    """Return why no network namespace can be made here; None if it can."""
    try:
        with network(Namespaces) as new_network:
            new_network.host()
    except Refused as problem:
        return str(problem)
    return None


class Cluster:
    """A scheduler and workers, each on a host of its own, and a host for the client.

    Attributes:
        fault_plan: gates and settings of their processes.
        address: of the scheduler.
        client: where the client is to run.
        hosts: of the workers, by process.
        workers: the processes.
    """

    def __init__(self, fault_plan: FaultPlan, network: Network) -> None:
        self.fault_plan = fault_plan
        self.folder = Path(fault_plan.folder)
        self.processes = ExitStack()
        self.network = network
        self.hosts: dict[int, Host] = {}
        self.workers: dict[int, subprocess.Popen[bytes]] = {}
        self.head, self.client = network.host(), network.host()
        self.address = f"tcp://{self.head.address}:{free_ports(1)[0]}"

    def start(self, workers: int) -> None:
        """Start the scheduler and workers, and wait until all are connected."""
        file = self.folder / "scheduler.json"
        port = self.address.rpartition(":")[2]
        places = ["--host", self.head.address, "--port", port, "--scheduler-file", str(file)]
        self._start(self.head, "scheduler", *places)
        wait(lambda: file.exists() and _is_whole(file), "the scheduler started")
        for _ in range(workers):
            host = self.network.host()
            common = ("--nthreads", "1", "--no-nanny", "--death-timeout", "60")
            process = self._start(host, "worker", *host.worker(self.address), *common)
            self.hosts[process.pid] = host
            self.workers[process.pid] = process
        wait(self._all_connected, "all workers connected")

    def _start(self, host: Host, *arguments: str) -> subprocess.Popen[bytes]:
        log = self._log(arguments[0], host)
        with log.open("wb") as output:
            process = self.processes.enter_context(
                subprocess.Popen(
                    [*host.within, *DASK, *arguments, "--no-dashboard"],
                    cwd=self.folder,
                    env=self.fault_plan.environment(),
                    stdout=output,
                    stderr=subprocess.STDOUT,
                )
            )
        self.processes.callback(process.kill)
        return process

    def _log(self, kind: str, host: Host) -> Path:
        return self.folder / f"{kind}-{host.address}.log"

    def _all_connected(self) -> bool:
        logs = [self._log("worker", host) for host in self.hosts.values()]
        return all(re.search("Registered to", log.read_text()) for log in logs)

    def stop(self) -> None:
        """Kill every process."""
        self.processes.close()


def _is_whole(file: Path) -> bool:
    with suppress(ValueError):
        return bool(json.loads(file.read_text()))
    return False


@contextmanager
def cluster(fault_plan: FaultPlan, kind: type[Network], workers: int = 4) -> Iterator[Cluster]:
    """Run a cluster of several hosts until the block ends."""
    with network(kind) as new_network:
        new_cluster = Cluster(fault_plan, new_network)
        try:
            new_cluster.start(workers)
            yield new_cluster
        finally:
            new_cluster.stop()


@contextmanager
def network(kind: type[Network]) -> Iterator[Network]:
    """Keep a network until the block ends."""
    new_network = kind()
    try:
        yield new_network
    finally:
        new_network.close()


def links() -> set[str]:
    """Return the network interfaces of this machine."""
    return {name for _, name in socket.if_nameindex()}


def children() -> set[int]:
    """Return the living processes that this one started."""
    return {process.pid for process in psutil.Process().children(recursive=True)}

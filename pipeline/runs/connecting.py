"""Start a Dask cluster for one run, or connect to one that is running and check its software."""

import logging
import platform
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from typing import Any

from dask.system import CPU_COUNT  # noqa: TID251
from distributed import (  # noqa: TID251
    Client,
    Nanny,
    Scheduler,
    Security,
    SpecCluster,
    Worker,
    WorkerPlugin,
)
from distributed.protocol.pickle import dumps  # noqa: TID251
from distributed.versions import VersionMismatchWarning  # noqa: TID251

from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.runs.planning import at_once

CONNECT_SECONDS = 10
ANSWER_SECONDS = 60
"""How long a scheduler, and through it the workers, may take to answer a question."""

START_SECONDS = 300
"""How long a worker process of our own may take to start on a busy machine."""

PYTHON = "python"
ON_SCHEDULER = ("segscore", "dask", "distributed")
"""What the scheduler needs in the client's version: it unpickles the graph of tasks."""

ON_WORKERS = (*ON_SCHEDULER, "numpy", "pandas", "pyarrow")
"""What workers need in the client's version: it decides what can be unpickled, and the results."""

TOPIC = f"segscore-{version('segscore')}-software"
"""Under which workers report their software."""

Differing = dict[tuple[str, str, str], list[str]]
"""Package, version needed, version there -> addresses of workers."""

_NAMED = 3
"""How many workers a message names."""

LOST = (
    "the scheduler was lost, or a worker at a bad moment; parts that are done are kept: the same "
    "command goes on as soon as they run again"
)
NO_ANSWER = (
    f"the scheduler, or a worker that joined, did not answer for {ANSWER_SECONDS} s; parts that "
    "are done are kept: restart what hangs, and the same command goes on"
)


class Joined(Client):  # type: ignore[misc]
    """A client of a cluster that others started.

    Attributes:
        heard: addresses of the workers that named their software.
        differing: those whose software differs, by what differs.
    """

    def __init__(self, address: str) -> None:
        """Connect to a scheduler."""
        self.heard: set[str] = set()
        self.differing: Differing = {}
        super().__init__(address, timeout=CONNECT_SECONDS)

    def hear_of_workers(self) -> None:
        """Have every worker report its software, also those that join later.

        A worker without segscore ends as soon as it reads the first of our tasks, so it could not
        be asked then.
        """
        self.subscribe_topic(TOPIC, self._heard)
        plugin = dumps(_reporter())
        ask(self, self.scheduler.register_worker_plugin, plugin=plugin, name=TOPIC, idempotent=True)

    def _heard(self, event: tuple[float, dict[str, Any]]) -> None:
        report = event[1]
        self.compare(report["worker"], report)

    def compare(self, worker: str, answer: Mapping[str, Any]) -> None:
        """Keep what differs between the software of a worker and our own."""
        if worker in self.heard:
            return
        self.heard.add(worker)
        for difference in _differing(answer, ON_WORKERS):
            self.differing.setdefault(difference, []).append(worker)


def _reporter() -> WorkerPlugin:
    """Make a plugin that workers without segscore can unpickle: its class travels by value."""
    topic, packages = TOPIC, ON_WORKERS

    class Reporter(WorkerPlugin):  # type: ignore[misc]
        async def setup(self, worker: Worker) -> None:
            from distributed.versions import get_package_info  # noqa: TID251

            found = {"worker": worker.address, "packages": get_package_info(packages)}
            await worker.scheduler.log_event(topic=topic, msg=found)

    return Reporter()


class _NoHTTP:
    """A node of a cluster without the HTTP server that Dask otherwise starts on every node."""

    def start_http_server(self, *arguments: Any, **options: Any) -> None:
        """Open no port: the pages would show other users the names of files, and logs."""


class OwnScheduler(_NoHTTP, Scheduler):  # type: ignore[misc]
    """The scheduler of a cluster of our own."""


class OwnWorker(_NoHTTP, Worker):  # type: ignore[misc]
    """A worker of a cluster of our own."""


class OwnNanny(Nanny):  # type: ignore[misc]
    """The parent of a worker process of our own, which starts it again when it is lost."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Start workers without an HTTP server."""
        super().__init__(*arguments, worker_class=OwnWorker, **options)


@contextmanager
def connect(where: str, workers: int | None, memory: int | None = None) -> Iterator[Client]:
    """Open a client and close it again.

    Args:
        where: `local` (threads in this process), `processes`, or a scheduler's `tcp://host:port`.
        workers: how many threads or processes; None for one a processor.
        memory: bytes a worker may take: fewer threads where they would not find room, and a
            process that takes more is started anew; a remote cluster has limits of its own.

    Raises:
        Refused: no such place, no scheduler answers there, or its software differs from ours.
        Failed: workers could not be started.
    """
    count = workers or CPU_COUNT
    _be_quiet()
    if where == "local":
        started = _threads(min(count, at_once(memory)))
    elif where == "processes":
        started = _processes(count, "auto" if memory is None else memory)
    elif "://" in where:
        started = _remote(where)
    else:
        raise Refused(
            f"--cluster {where}: must be local, processes, or an address (tcp://host:8786)"
        )
    with started as client:
        yield client


def _be_quiet() -> None:
    """Silence Dask: a failed task or a lost connection is reported once, by our own messages."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore", VersionMismatchWarning)


@contextmanager
def _threads(count: int) -> Iterator[Client]:
    """Run one worker in this process; messages pass through memory, and no port is opened."""
    # All memory is the worker's, however many threads it has.
    worker = {"nthreads": count, "memory_limit": 1.0}
    with _started(OwnWorker, 1, worker, {"protocol": "inproc://"}) as client:
        yield client


@contextmanager
def _processes(count: int, memory: int | str) -> Iterator[Client]:
    """Run worker processes that talk by TLS, with a key that only this run's processes have.

    Whoever can talk to a scheduler or worker can run code in it, and every user of a machine can
    connect to its loopback addresses.
    """
    security = Security.temporary()
    common = {"host": "127.0.0.1", "protocol": "tls://", "security": security}
    worker = {"nthreads": 1, "memory_limit": memory, "death_timeout": START_SECONDS}
    with _started(OwnNanny, count, worker, common) as client:
        yield client


@contextmanager
def _started(
    kind: type[Worker | Nanny], count: int, worker: Mapping[str, Any], common: Mapping[str, Any]
) -> Iterator[Client]:
    """Start a scheduler in this process, and workers.

    Args:
        kind: class of a worker.
        count: how many workers.
        worker: options of a worker.
        common: options of the scheduler and of all workers.
    """
    quiet = {"silence_logs": logging.CRITICAL}
    spec = {"cls": kind, "options": {**common, **worker, **quiet, "dashboard": False}}
    scheduler = {"cls": OwnScheduler, "options": {**common, "port": 0, "dashboard": False}}
    with ExitStack() as stack:
        try:
            cluster = stack.enter_context(
                SpecCluster(
                    workers=dict.fromkeys(range(count), spec),
                    scheduler=scheduler,
                    worker=spec,
                    security=common.get("security"),
                    **quiet,
                )
            )
            client = stack.enter_context(Client(cluster))
        except (OSError, RuntimeError) as problem:
            raise Failed(f"workers could not be started ({problem}); run it again") from problem
        yield client


@contextmanager
def _remote(address: str) -> Iterator[Client]:
    try:
        client = Joined(address)
    except (OSError, ValueError) as problem:
        raise Refused(
            f"--cluster {address}: no scheduler answers there; start one with `dask scheduler`, "
            "or leave the option out to run in this process"
        ) from problem
    except Exception as problem:
        raise _not_understood(address, problem) from problem
    with client:
        _refuse_other_software(client, address)
        yield client


def _not_understood(address: str, problem: Exception) -> Refused:
    """What to say of whatever Dask raises where the scheduler is of another version."""
    said = " ".join(str(problem).split()) or type(problem).__name__
    return Refused(
        f"--cluster {address}: the answer of its scheduler is not understood ({said}); start one "
        f"of distributed {version('distributed')}, which is installed here"
    )


def _refuse_other_software(client: Joined, address: str) -> None:
    """Compare the software of the scheduler and of its present workers with ours.

    Raises:
        Refused: it differs; says what to install where.
        Failed: they do not answer.
    """
    try:
        found = ask(client, client.scheduler.versions, packages=ON_WORKERS)
        wrong = [
            f"{name} {needed} ({had} on the scheduler)"
            for name, needed, had in _differing(found, ON_SCHEDULER)
        ]
        workers = present(client)
        _ask_workers(client, workers)
        wrong += _told(client.differing, f"of {len(workers)} workers")
        if not wrong:
            client.hear_of_workers()
    except TimeoutError as problem:
        raise Failed(
            f"--cluster {address}: its scheduler, or one of its workers, did not answer within "
            f"{ANSWER_SECONDS} s; restart those that hang and run the same command again"
        ) from problem
    except (OSError, RuntimeError) as problem:
        raise Failed(LOST) from problem
    except Exception as problem:
        raise _not_understood(address, problem) from problem
    if wrong:
        raise Refused(f"--cluster {address}: {install(wrong)}")


def install(wrong: Collection[str]) -> str:
    """Say which software is needed, and what to do, in one line."""
    return (
        "the scheduler and all workers need the versions installed here: "
        f"{'; '.join(wrong)}; install them there and restart these processes"
    )


def ask(client: Client, question: Callable[..., Any], **arguments: Any) -> Any:
    """Ask the scheduler something, and wait for the answer.

    Raises:
        TimeoutError: there is none after ANSWER_SECONDS.
        OSError: the scheduler was lost.
    """
    return client.sync(question, **arguments, callback_timeout=ANSWER_SECONDS)


def present(client: Client) -> set[str]:
    """List the addresses of the workers that the scheduler has now; as ``ask``."""
    if client.status != "running":
        return set()
    return set(ask(client, client.scheduler.identity, n_workers=-1)["workers"])


def _ask_workers(client: Joined, workers: set[str]) -> None:
    """Have workers name their software, those that have not done so; as ``ask``."""
    new = sorted(workers - client.heard)
    if not new:
        return
    # Answered without unpickling anything, which would need the software that may be missing.
    options = {"msg": {"op": "versions", "packages": ON_WORKERS}, "on_error": "ignore"}
    for worker, answer in ask(client, client.scheduler.broadcast, workers=new, **options).items():
        client.compare(worker, answer)


def check_newcomers(client: Client, workers: Collection[str] = ()) -> None:
    """Make sure that no worker has joined whose software differs from the client's.

    Workers of a cluster of our own run the client's software.

    Args:
        client: of the scheduler.
        workers: that are to be asked, if they have not reported yet; as ``ask``.

    Raises:
        Failed: one has; says what to install where.
    """
    if not isinstance(client, Joined):
        return
    _ask_workers(client, set(workers))
    if client.differing:
        wrong = install(_told(dict(client.differing), "that joined late"))
        raise Failed(f"{wrong}; parts that are done are kept: the same command goes on")


def _told(differing: Differing, which: str) -> list[str]:
    return [
        f"{name} {needed} ({had} on {len(those)} {which}: {_named(those)})"
        for (name, needed, had), those in differing.items()
    ]


def _named(addresses: Collection[str]) -> str:
    shown = list(addresses)[:_NAMED]
    return ", ".join([*shown, "…"] if len(addresses) > _NAMED else shown)


def _differing(answer: Mapping[str, Any], names: Collection[str]) -> list[tuple[str, str, str]]:
    """Compare versions with ours: package, the version here, the one there (`none` without)."""
    packages = answer["packages"]
    pairs = [(name, version(name), packages.get(name) or "none") for name in names]
    pairs.append((PYTHON, _minor(platform.python_version()), _minor(packages[PYTHON])))
    return [(name, here, there) for name, here, there in pairs if here != there]


def _minor(python: str) -> str:
    """Leave out what changes neither bytecode nor pickles."""
    return ".".join(python.split(".")[:2])

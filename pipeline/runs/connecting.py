"""Start a Dask cluster for one run, or connect to an existing one and check its software."""

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
"""How long a scheduler, or a worker through it, may take to answer a request."""

START_SECONDS = 300
"""How long a worker process that we start may take to come up, even on a busy machine."""

PYTHON = "python"
ON_SCHEDULER = ("segscore", "dask", "distributed")
"""Packages whose versions must match on the scheduler, because it unpickles the task graph."""

ON_WORKERS = (*ON_SCHEDULER, "numpy", "pandas", "pyarrow")
"""Packages whose versions must match on workers, to unpickle tasks and get the same results."""

TOPIC = f"segscore-{version('segscore')}-software"
"""Topic of the Dask events with which workers report the versions of their software."""

Differing = dict[tuple[str, str, str], list[str]]
"""(package, version needed, version found) -> addresses of workers."""

_NAMED = 3
"""Maximum number of workers that a message names."""

LOST = (
    "the scheduler was lost, or a worker at a bad moment; parts that are done are kept: the same "
    "command goes on as soon as they run again"
)
NO_ANSWER = (
    f"the scheduler, or a worker that joined, did not answer for {ANSWER_SECONDS} s; parts that "
    "are done are kept: restart what hangs, and the same command goes on"
)


class Joined(Client):  # type: ignore[misc]
    """A client of an existing cluster, not one that this process started.

    Attributes:
        heard: addresses of the workers that have reported their software.
        differing: addresses of the workers whose software differs, by package and versions.
    """

    def __init__(self, address: str) -> None:
        """Connect to a scheduler."""
        self.heard: set[str] = set()
        self.differing: Differing = {}
        super().__init__(address, timeout=CONNECT_SECONDS)

    def hear_of_workers(self) -> None:
        """Make every worker report its software, including workers that join later.

        A worker without segscore dies when it receives the first of our tasks, too early to be
        asked.
        """
        self.subscribe_topic(TOPIC, self._heard)
        plugin = dumps(_reporter())
        ask(self, self.scheduler.register_worker_plugin, plugin=plugin, name=TOPIC, idempotent=True)

    def _heard(self, event: tuple[float, dict[str, Any]]) -> None:
        report = event[1]
        self.compare(report["worker"], report)

    def compare(self, worker: str, answer: Mapping[str, Any]) -> None:
        """Record the differences between the software of a worker and ours."""
        if worker in self.heard:
            return
        self.heard.add(worker)
        for difference in _differing(answer, ON_WORKERS):
            self.differing.setdefault(difference, []).append(worker)


def _reporter() -> WorkerPlugin:
    """Return a plugin that workers without segscore can load: its class is pickled by value."""
    topic, packages = TOPIC, ON_WORKERS

    class Reporter(WorkerPlugin):  # type: ignore[misc]
        async def setup(self, worker: Worker) -> None:
            from distributed.versions import get_package_info  # noqa: TID251

            found = {"worker": worker.address, "packages": get_package_info(packages)}
            await worker.scheduler.log_event(topic=topic, msg=found)

    return Reporter()


def import_frames(client: Client) -> None:
    """Make every worker import Dask's data frames, including workers that join later.

    Two threads of a worker that import them at the same moment can fail. A worker that joins runs
    its plugins before it accepts tasks.
    """

    class ImportFrames(WorkerPlugin):  # type: ignore[misc]
        idempotent = True

        def setup(self, worker: Worker) -> None:  # noqa: ARG002
            import dask.dataframe  # noqa: F401, TID251

    client.register_plugin(ImportFrames(), name="segscore-frames")


class _NoHTTP:
    """Mixin to leave out the HTTP server that Dask starts on every node of a cluster."""

    def start_http_server(self, *arguments: Any, **options: Any) -> None:
        """Do nothing; the pages would show file names and logs to other users of the machine."""


class OwnScheduler(_NoHTTP, Scheduler):  # type: ignore[misc]
    """The scheduler of a cluster that we start."""


class OwnWorker(_NoHTTP, Worker):  # type: ignore[misc]
    """A worker of a cluster that we start."""


class OwnNanny(Nanny):  # type: ignore[misc]
    """The parent of a worker process that we start, which restarts the process if it dies."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """Create a nanny whose worker has no HTTP server."""
        super().__init__(*arguments, worker_class=OwnWorker, **options)


@contextmanager
def connect(where: str, workers: int | None, memory: int | None = None) -> Iterator[Client]:
    """Connect a client to a new or existing cluster, and close it afterwards.

    Args:
        where: `local` (threads in this process), `processes`, or a scheduler's `tcp://host:port`.
        workers: number of threads or processes; None for one per processor.
        memory: bytes of memory a worker may use. It limits the number of threads, and a process
            that uses more is restarted. A remote cluster has its own limits.

    Raises:
        Refused: ``where`` is not valid, no scheduler answers, or its software differs from ours.
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
    """Silence Dask, as our own messages report failed tasks and lost connections."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore", VersionMismatchWarning)


@contextmanager
def _threads(count: int) -> Iterator[Client]:
    """Run one worker in this process; messages stay in memory, and no port is opened."""
    # The worker may use all memory, however many threads it has.
    worker = {"nthreads": count, "memory_limit": 1.0}
    with _started(OwnWorker, 1, worker, {"protocol": "inproc://"}) as client:
        yield client


@contextmanager
def _processes(count: int, memory: int | str) -> Iterator[Client]:
    """Run worker processes that communicate over TLS, with a key that only they have.

    Anyone who can connect to a scheduler or worker can run code in it, and every user of a machine
    can connect to its loopback addresses.
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
    """Start a scheduler in this process, and its workers.

    Args:
        kind: class of a worker.
        count: number of workers.
        worker: options of every worker.
        common: options of the scheduler and of every worker.
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
    """Return the error for what Dask raises if the scheduler has another version."""
    said = " ".join(str(problem).split()) or type(problem).__name__
    return Refused(
        f"--cluster {address}: the answer of its scheduler is not understood ({said}); start one "
        f"of distributed {version('distributed')}, which is installed here"
    )


def _refuse_other_software(client: Joined, address: str) -> None:
    """Compare the software of the scheduler and of its present workers with ours.

    Raises:
        Refused: the software differs; the message lists what to install.
        Failed: the scheduler or a worker does not answer.
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
    """Return a one-line message that lists the software to install on the cluster."""
    return (
        "the scheduler and all workers need the versions installed here: "
        f"{'; '.join(wrong)}; install them there and restart these processes"
    )


def ask(client: Client, question: Callable[..., Any], **arguments: Any) -> Any:
    """Send a request to the scheduler, and return its answer.

    Raises:
        TimeoutError: there is no answer after ANSWER_SECONDS.
        OSError: the scheduler was lost.
    """
    return client.sync(question, **arguments, callback_timeout=ANSWER_SECONDS)


def present(client: Client) -> set[str]:
    """Return the addresses of the scheduler's present workers; raises what ``ask`` does."""
    if client.status != "running":
        return set()
    return set(ask(client, client.scheduler.identity, n_workers=-1)["workers"])


def _ask_workers(client: Joined, workers: set[str]) -> None:
    """Ask workers that have not reported their software for it; raises what ``ask`` does."""
    new = sorted(workers - client.heard)
    if not new:
        return
    # Workers answer this without unpickling, for which they may lack the software.
    options = {"msg": {"op": "versions", "packages": ON_WORKERS}, "on_error": "ignore"}
    for worker, answer in ask(client, client.scheduler.broadcast, workers=new, **options).items():
        client.compare(worker, answer)


def check_newcomers(client: Client, workers: Collection[str] = ()) -> None:
    """Check that no worker has joined whose software differs from the client's.

    Workers of a cluster that we started run the client's software and are not checked.

    Args:
        client: connection to the cluster.
        workers: addresses of workers to ask if they have not reported yet.

    Raises:
        Failed: a worker has other software; the message lists what to install.
        TimeoutError, OSError: as for ``ask``.
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
    """List (package, our version, their version or `none`) for the packages that differ."""
    packages = answer["packages"]
    pairs = [(name, version(name), packages.get(name) or "none") for name in names]
    pairs.append((PYTHON, _minor(platform.python_version()), _minor(packages[PYTHON])))
    return [(name, here, there) for name, here, there in pairs if here != there]


def _minor(python: str) -> str:
    """Drop the patch number, which affects neither bytecode nor pickles."""
    return ".".join(python.split(".")[:2])

"""Start a Dask cluster for one run, or connect to an existing one and check its software."""

import logging
import platform
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from typing import Any

from dask import config  # noqa: TID251
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

from segscore.pipeline.errors import Failed, Refused, place_and_reason
from segscore.pipeline.runs.certificates import configured_certificates

CONNECT_SECONDS = 10
ANSWER_SECONDS = 60
"""How long a scheduler, or a worker through it, may take to answer a request."""

START_SECONDS = 300
"""How long a worker process that we start may take to come up, even on a busy machine."""

PRELOADED = "segscore.worker"
"""Module that workers import while they start, before they accept tasks."""

PYTHON = "python"
ON_SCHEDULER = ("segscore", "dask", "distributed")
"""Packages whose versions must match on the scheduler, because it unpickles the task graph."""

ON_WORKERS = (*ON_SCHEDULER, "numpy", "pyarrow")
"""Packages whose versions must match on workers, to unpickle tasks and get the same results."""

TOPIC = f"segscore-{version('segscore')}-software"
"""Topic of the Dask events with which workers report the versions of their software."""

Differences = dict[tuple[str, str, str], list[str]]
"""(package, version needed, version found) -> addresses of workers."""

_TLS = "tls://"
_MAX_ADDRESSES = 3
"""Maximum number of workers that a message names."""

LOST = (
    "the scheduler or a worker was lost; finished parts are kept: restart what is missing and run "
    "the same command to resume"
)
NO_ANSWER = (
    f"the scheduler or a worker did not answer for {ANSWER_SECONDS} s; finished parts are kept: "
    "restart whichever hangs and run the same command to resume"
)


class ExternalClient(Client):  # type: ignore[misc]
    """A client of an existing cluster, not one that this process started.

    It knows which workers have reported their software, and which have other software.
    """

    def __init__(self, address: str, security: Security) -> None:
        """Connect to a scheduler."""
        self.reported: set[str] = set()
        self.differences: Differences = {}
        super().__init__(address, timeout=CONNECT_SECONDS, security=security)

    def subscribe_to_workers(self) -> None:
        """Make every worker report its software, including workers that join later.

        A worker without segscore dies when it receives the first of our tasks, too early to be
        asked.
        """
        self.subscribe_topic(TOPIC, self._receive_report)
        register = self.scheduler.register_worker_plugin
        with _without_lost_workers(self):
            ask(self, register, plugin=dumps(_reporter()), name=TOPIC, idempotent=True)

    def _receive_report(self, event: tuple[float, dict[str, Any]]) -> None:
        report = event[1]
        self.compare(report["worker"], report)

    def compare(self, worker: str, answer: Mapping[str, Any]) -> None:
        """Record the differences between the software of a worker and ours."""
        if worker in self.reported:
            return
        self.reported.add(worker)
        for difference in _version_differences(answer, ON_WORKERS):
            self.differences.setdefault(difference, []).append(worker)


def _reporter() -> WorkerPlugin:
    """Return a plugin that workers without segscore can load: its class is pickled by value."""
    topic, packages = TOPIC, ON_WORKERS

    class Reporter(WorkerPlugin):  # type: ignore[misc]
        async def setup(self, worker: Worker) -> None:
            from distributed.versions import get_package_info  # noqa: TID251

            report = {"worker": worker.address, "packages": get_package_info(packages)}
            await worker.scheduler.log_event(topic=topic, msg=report)

    return Reporter()


@contextmanager
def _without_lost_workers(client: Client) -> Iterator[None]:
    """Go on if the scheduler could not reach a worker that it still knew when it was asked.

    Raises:
        TimeoutError: the scheduler does not answer.
        OSError: the scheduler was lost.
    """
    try:
        yield
    except TimeoutError:
        raise
    except OSError:
        if client.status != "running":
            raise


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
def dask_client(cluster: str, processes: int, memory: int | None) -> Iterator[Client]:
    """Connect a client to a new or existing cluster, and close it afterwards.

    The cluster is `processes`, or a scheduler's `tcp://host:port` or `tls://host:port`. A process
    that uses more than ``memory`` bytes is restarted.

    Raises:
        Refused: ``cluster`` is not an address, or the software of the scheduler differs from ours.
        Failed: workers could not be started, or no scheduler answers.
    """
    _silence_dask()
    if cluster == "processes":
        connection = _processes(processes, "auto" if memory is None else memory)
    else:
        connection = _remote(cluster)
    with connection as client:
        yield client


def _silence_dask() -> None:
    """Silence Dask, as our own messages report failed tasks and lost connections."""
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore", VersionMismatchWarning)
    # A host without a route to the internet needs none.
    warnings.filterwarnings("ignore", "Couldn't detect a suitable IP address", RuntimeWarning)


@contextmanager
def _processes(count: int, memory: int | str) -> Iterator[Client]:
    """Start a scheduler in this process, and worker processes, with a key that only they have.

    They communicate over TLS: anyone who can connect to a scheduler or worker can run code in it,
    and every user of a machine can connect to its loopback addresses.
    """
    security = Security.temporary()
    common = {"host": "127.0.0.1", "protocol": _TLS, "security": security, "dashboard": False}
    no_logs = {"silence_logs": logging.CRITICAL}
    worker = {
        "nthreads": 1,
        "memory_limit": memory,
        "death_timeout": START_SECONDS,
        "preload": [PRELOADED, *config.get("distributed.worker.preload")],
    }
    spec = {"cls": OwnNanny, "options": {**common, **worker, **no_logs}}
    with ExitStack() as stack:
        try:
            cluster = stack.enter_context(
                SpecCluster(
                    workers=dict.fromkeys(range(count), spec),
                    scheduler={"cls": OwnScheduler, "options": {**common, "port": 0}},
                    worker=spec,
                    security=security,
                    **no_logs,
                )
            )
            client = stack.enter_context(Client(cluster))
        except (OSError, RuntimeError) as problem:
            raise Failed(
                f"could not start workers ({problem}); run the same command again"
            ) from problem
        yield client


@contextmanager
def _remote(address: str) -> Iterator[Client]:
    security = _security(address)
    try:
        client = ExternalClient(address, security)
    except OSError as problem:
        certificates = ", or it refuses the certificates" if address.startswith(_TLS) else ""
        raise Failed(
            f"--cluster {address}: no scheduler answers there{certificates}; start one with "
            "`dask scheduler`, or omit the option to run in this process"
        ) from problem
    except ValueError as problem:
        raise Refused(
            f"--cluster {address}: not the address of a scheduler ({problem}); write "
            "tcp://host:8786"
        ) from problem
    except Exception as problem:
        raise _unreadable_answer(address, problem) from problem
    with client:
        _refuse_other_software(client, address)
        yield client


def _security(address: str) -> Security:
    """Return the certificates to connect with: those of the settings, else those of Dask's own.

    Raises:
        Refused: the address needs certificates and there are none, or they cannot be read, or the
            settings name certificates and the address does not use them.
    """
    files = configured_certificates()
    if files is not None and not address.startswith(_TLS):
        raise Refused(
            f"--cluster {address}: [cluster] of --settings names certificates; write tls://host:port"
        )
    security = Security()
    if files is not None:
        security = Security(
            tls_ca_file=files.tls_ca,
            tls_client_cert=files.tls_cert,
            tls_client_key=files.tls_key,
            require_encryption=True,
        )
    try:
        context = security.get_connection_args("client").get("ssl_context")
    except OSError as problem:  # also of the library for TLS
        raise Refused(
            f"--cluster {address}: the certificates cannot be read ({problem}); correct [cluster] "
            "of --settings"
        ) from problem
    if context is None and address.startswith(_TLS):
        raise Refused(
            f"--cluster {address}: needs certificates; name them in [cluster] of --settings "
            "(tls-ca, tls-cert, tls-key)"
        )
    return security


def _unreadable_answer(address: str, problem: Exception) -> Refused:
    """Return the error for what Dask raises if the scheduler has another version."""
    reason = place_and_reason(problem)
    return Refused(
        f"--cluster {address}: cannot understand the scheduler's answer ({reason}); "
        f"start one with distributed {version('distributed')}, the version installed here"
    )


def _refuse_other_software(client: ExternalClient, address: str) -> None:
    """Compare the software of the scheduler and of its present workers with ours.

    Raises:
        Refused: the software differs; the message lists what to install.
        Failed: the scheduler or a worker does not answer.
    """
    try:
        answer = ask(client, client.scheduler.versions, packages=ON_WORKERS)
        to_install = [
            f"{name} {required} ({installed} on the scheduler)"
            for name, required, installed in _version_differences(answer, ON_SCHEDULER)
        ]
        workers = present_workers(client)
        _ask_workers(client, workers)
        to_install += _describe_differences(client.differences, f"of {len(workers)} workers")
        if not to_install:
            client.subscribe_to_workers()
    except TimeoutError as problem:
        raise Failed(
            f"--cluster {address}: the scheduler or a worker did not answer within "
            f"{ANSWER_SECONDS} s; restart whichever hangs and run the same command again"
        ) from problem
    except (OSError, RuntimeError) as problem:
        raise Failed(LOST) from problem
    except Exception as problem:
        raise _unreadable_answer(address, problem) from problem
    if to_install:
        raise Refused(f"--cluster {address}: {install_message(to_install)}")


def install_message(to_install: Collection[str]) -> str:
    """Return a one-line message that lists the software to install on the cluster."""
    return (
        "the scheduler and all workers need the versions installed here: "
        f"{'; '.join(to_install)}; install them there and restart these processes"
    )


def ask(client: Client, question: Callable[..., Any], **arguments: Any) -> Any:
    """Send a request to the scheduler, and return its answer.

    Raises:
        TimeoutError: there is no answer after ANSWER_SECONDS.
        OSError: the scheduler was lost.
    """
    return client.sync(question, **arguments, callback_timeout=ANSWER_SECONDS)


def present_workers(client: Client) -> dict[str, dict[str, Any]]:
    """Return what Dask knows of each present worker, by address; raises what ``ask`` does."""
    if client.status != "running":
        return {}
    workers: dict[str, dict[str, Any]] = ask(client, client.scheduler.identity)["workers"]
    return workers


def _ask_workers(client: ExternalClient, workers: Collection[str]) -> None:
    """Ask workers that have not reported their software for it; raises what ``ask`` does."""
    new = sorted({*workers} - client.reported)
    if not new:
        return
    # Workers answer this without unpickling, for which they may lack the software.
    options = {"msg": {"op": "versions", "packages": ON_WORKERS}, "on_error": "ignore"}
    for worker, answer in ask(client, client.scheduler.broadcast, workers=new, **options).items():
        client.compare(worker, answer)


def check_newcomers(client: Client, workers: Collection[str] = ()) -> None:
    """Check that no worker has joined whose software differs from the client's.

    Workers of a cluster that we started run the client's software and are not checked.

    The named workers are asked for it, if they have not reported it yet.

    Raises:
        Failed: a worker has different software; the message lists what to install.
        TimeoutError, OSError: as for ``ask``.
    """
    if not isinstance(client, ExternalClient):
        return
    _ask_workers(client, workers)
    if client.differences:
        late = _describe_differences(dict(client.differences), "that joined late")
        raise Failed(
            f"{install_message(late)}; finished parts are kept: run the same command to resume"
        )


def _describe_differences(differences: Differences, qualifier: str) -> list[str]:
    return [
        f"{name} {required} ({installed} on {len(workers)} {qualifier}: {_list_addresses(workers)})"
        for (name, required, installed), workers in differences.items()
    ]


def _list_addresses(addresses: Collection[str]) -> str:
    first = list(addresses)[:_MAX_ADDRESSES]
    return ", ".join([*first, "…"] if len(addresses) > _MAX_ADDRESSES else first)


def _version_differences(
    answer: Mapping[str, Any], names: Collection[str]
) -> list[tuple[str, str, str]]:
    """List (package, our version, their version or `none`) for the packages that differ."""
    packages = answer["packages"]
    pairs = [(name, version(name), packages.get(name) or "none") for name in names]
    pairs.append((PYTHON, _minor(platform.python_version()), _minor(packages[PYTHON])))
    return [(name, ours, theirs) for name, ours, theirs in pairs if ours != theirs]


def _minor(python: str) -> str:
    """Drop the patch number, which affects neither bytecode nor pickles."""
    return ".".join(python.split(".")[:2])

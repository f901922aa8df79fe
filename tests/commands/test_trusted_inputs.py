"""A run folder from elsewhere makes no request: what it recorded is read only where it may be."""

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from fsspec import get_filesystem_class  # noqa: TID251
from fsspec.config import conf  # noqa: TID251

import segscore as api
from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.runs.trusted import Trusted
from tests.support.command_line import CommandResult, Segscore
from tests.support.paths import DATA

STARGAZER = DATA / "stargazer.jsonl"
NOT_READ = (
    "http://{host}/x.jsonl",
    "https://{host}/x.jsonl",
    "simplecache::http://{host}/x.jsonl",
    "zip://x.jsonl::http://{host}/x.zip",
    "filecache::s3://evil/x.jsonl",
    "tar://x.jsonl::http://{host}/x.tar",
    "reference://x.jsonl",
    "github://org:repo/x.jsonl",
    "ftp://{host}/x.jsonl",
    "hf://datasets/x/y.jsonl",
)
"""Locations of inputs that nothing reads."""

ELSEWHERE = (
    "s3://evil/x.jsonl",
    "s3a://evil/*.jsonl",
    "gs://evil/x.jsonl",
    "abfs://evil/x.jsonl",
    "az://evil/",
    "{{s3://evil/x.jsonl,s3://evil/y.jsonl}}",
)
"""Locations in buckets of somebody else."""

Requests = list[str]


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, Requests]]:
    """The address of a server that has nothing, and the requests that reach it.

    It takes the place of all clouds.
    """
    arrived: Requests = []

    class Server(BaseHTTPRequestHandler):
        def answer(self) -> None:
            arrived.append(self.path)
            self.send_response(404)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    for method in ("GET", "HEAD", "PUT", "POST", "DELETE"):
        setattr(Server, f"do_{method}", Server.answer)
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        host = f"127.0.0.1:{server.server_port}"
        blob = f"http://{host}/account"
        for name, value in {
            "AWS_ENDPOINT_URL": f"http://{host}",
            "AWS_ACCESS_KEY_ID": "key",
            "AWS_SECRET_ACCESS_KEY": "secret",
            "AWS_DEFAULT_REGION": "us-east-1",
            "STORAGE_EMULATOR_HOST": f"http://{host}",
            "AZURE_STORAGE_CONNECTION_STRING": "DefaultEndpointsProtocol=http;AccountName=account;"
            f"AccountKey=a2V5;BlobEndpoint={blob};",
        }.items():
            monkeypatch.setenv(name, value)
        # Else the server of an earlier test is asked, or one of its settings file.
        for protocol in ("s3", "gs", "abfs"):
            get_filesystem_class(protocol).clear_instance_cache()
        for protocol in [*conf]:
            monkeypatch.delitem(conf, protocol)
        yield host, arrived
        server.shutdown()


@pytest.fixture
def run(segscore: Segscore, tmp_path: Path) -> Path:
    """A run of two systems; its inputs are copied to the folder beside it."""
    text = STARGAZER.read_text()
    (tmp_path / "in.jsonl").write_text(text)
    folder = tmp_path / "run"
    ended = segscore("score", tmp_path / "in.jsonl", tmp_path / "in.jsonl", "--output", folder)
    assert ended.code == 0, ended.err
    return folder


def forge(run: Path, location: str, *tables: str) -> None:
    """Make a run name another place of its inputs."""
    record = json.loads((run / "run.json").read_text())
    for table in tables:
        record["settings"][table] = location
        for file in record["inputs"][table]:
            file["url"] = location
    (run / "run.json").write_text(json.dumps(record))


READERS = {
    "explain": ("explain", "{run}", "--document", "stargazer"),
    "where": ("compare", "{run}", "--where", "--replicates", "0", "--permutations", "0"),
    "export": ("export", "{run}", "--document", "stargazer", "--format", "webvtt"),
    "calibrate": ("report", "{run}", "--calibrate", "--output", "{page}"),
}


def read(segscore: Segscore, name: str, run: Path, *options: str) -> CommandResult:
    page = run.parent / "page.html"
    return segscore(*(text.format(run=run, page=page) for text in READERS[name]), *options)


@pytest.mark.parametrize("reader", READERS)
def test_a_forged_run_makes_no_request(
    segscore: Segscore, run: Path, requests: tuple[str, Requests], reader: str
) -> None:
    host, arrived = requests
    for location in (*NOT_READ, *ELSEWHERE):
        url = location.format(host=host)
        forge(run, url, "references", "hypotheses")
        ended = read(segscore, reader, run)
        (line,) = ended.err.splitlines()
        assert (ended.code, ended.out) == (2, ""), line
        first = url.strip("{}").partition(",")[0]
        if location in ELSEWHERE:
            assert f"would be read from {first}" in line and "--trust-inputs" in line
        else:
            assert first in line or "…" in line
    assert arrived == []


@pytest.mark.parametrize("location", ["http://{host}/x.jsonl", "s3://evil/x.jsonl"])
def test_the_report_of_a_forged_run_makes_no_request(
    segscore: Segscore, run: Path, requests: tuple[str, Requests], location: str
) -> None:
    host, arrived = requests
    url = location.format(host=host)
    forge(run, url, "references", "hypotheses")
    page = run.parent / "page.html"
    ended = segscore("report", run, "--output", page)
    assert ended.code == 0, ended.err
    assert f"warning: Not drawn: {'' if 'http' in url else str(run) + ': '}" in ended.err
    assert url in ended.err
    assert page.is_file()
    assert arrived == []


@pytest.mark.long
def test_the_report_of_a_forged_audit_makes_no_request(
    segscore: Segscore, tmp_path: Path, requests: tuple[str, Requests]
) -> None:
    assert segscore("agree", STARGAZER, "--output", tmp_path / "audit").code == 0
    for location in ("http://{host}/x.jsonl", "s3://evil/x.jsonl"):
        forge(tmp_path / "audit", location.format(host=requests[0]), "codings")
        ended = segscore("report", tmp_path / "audit", "--output", tmp_path / "page.html")
        assert ended.code == 0, ended.err
        assert "Not drawn" in ended.err
    assert requests[1] == []


def test_inputs_that_are_trusted_are_read_where_they_are(
    segscore: Segscore, run: Path, requests: tuple[str, Requests]
) -> None:
    forge(run, "s3://evil/x.jsonl", "hypotheses")
    for reader in READERS:
        requests[1].clear()
        ended = read(segscore, reader, run, "--trust-inputs")
        assert ended.code in (1, 2) and "--trust-inputs" not in ended.err
        assert requests[1], (reader, ended.err)


def test_python_asks_nobody_either(run: Path, requests: tuple[str, Requests]) -> None:
    forge(run, "s3://evil/x.jsonl", "references")
    evaluation = api.read_run(run)
    assert isinstance(evaluation, api.Evaluation)
    with pytest.raises(Refused, match=r"s3://evil/x\.jsonl, with your credentials"):
        evaluation.explain("stargazer")
    with pytest.raises(Refused, match=r"s3://evil/x\.jsonl, with your credentials"):
        api.compare(evaluation, where=True, replicates=0)
    assert requests[1] == []


def test_an_input_in_the_bucket_of_the_run_or_of_an_argument_is_read() -> None:
    trusted = Trusted(("gs://named/runs/a", "disk/run"))
    trusted.require("s3://own/run", ["s3a://own/in", "gcs://named/x", "/a/b", "{c,d}", "file:///e"])
    for url in ("s3://other/in", "gs://own/x", "{a,s3://other/b}", "abfs://named/x"):
        with pytest.raises(Refused, match="pass --trust-inputs"):
            trusted.require("s3://own/run", [url])
    many = [f"s3://evil/{i}" for i in range(9)]
    with pytest.raises(Refused, match=r"s3://evil/0, s3://evil/1, s3://evil/2 and 6 more, with"):
        trusted.require("run", many)


@pytest.mark.parametrize(
    "url",
    [
        "generic://x",
        "reference://x",
        "async_wrapper://x",
        "tar://x::file:///etc/hostname",
        "zip://a::b.jsonl",
        "zip://a::zip://b::c",
        "data:,x",
        "http://127.0.0.1:1/x",
        "local_://x",
        "://x",
        "a::b://c",
    ],
)
@pytest.mark.parametrize("command", ["validate", "score", "report", "measures --settings"])
def test_other_protocols_are_refused_in_one_line(
    segscore: Segscore, url: str, command: str
) -> None:
    arguments = {"score": [url, url, "--output", "out"]}.get(command, [url])
    ended = segscore(*command.split(), *arguments)
    (line,) = ended.err.splitlines()
    assert ended.code == 2
    assert line.startswith("segscore: error: ")


def test_nothing_but_disks_is_used_offline(
    segscore: Segscore, tmp_path: Path, requests: tuple[str, Requests]
) -> None:
    output = ("--output", tmp_path / "run")
    for source in ("s3://corpus/x.jsonl", "gs://corpus/x.jsonl", "abfs://corpus/x.jsonl"):
        ended = segscore("--offline", "score", STARGAZER, source, *output)
        assert ended.code == 2
        assert f"{source}: is not on a disk of this machine" in ended.err
    assert segscore("--offline", "score", STARGAZER, STARGAZER, *output).code == 0
    assert requests[1] == []
    with pytest.raises(ValueError, match="bucket"):  # the next command of the process is online
        storage.find("s3://")


NOT_THERE = f"references-blake2b-{'0' * 32}.parquet"
FORGERIES: dict[str, Callable[[dict[str, Any]], object]] = {
    "no inputs": lambda record: record.pop("inputs"),
    "a list": lambda record: record.update(inputs=[]),
    "a text": lambda record: record["inputs"].update(references="x"),
    "numbers": lambda record: record["inputs"].update(references=[1]),
    "no url": lambda record: record["inputs"].update(references=[{}]),
    "no hypotheses": lambda record: record["inputs"].pop("hypotheses"),
    "a number": lambda record: record["settings"].update(references=5),
    "several": lambda record: record["settings"].update(hypotheses=["a"]),
    "nothing": lambda record: record["settings"].update(references=None),
    "null": lambda record: record["settings"].update(references="a\0b"),
    "outside": lambda record: record["files"].update(inputs=["../in.jsonl"]),
    "not kept": lambda record: (
        record["files"].update(inputs=[NOT_THERE]),
        record["settings"].update(references=f"inputs/{NOT_THERE}"),
    ),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forged_inputs_are_answered_in_one_line(
    segscore: Segscore, run: Path, forgery: str
) -> None:
    record = json.loads((run / "run.json").read_text())
    FORGERIES[forgery](record)
    (run / "run.json").write_text(json.dumps(record))
    for reader in READERS:
        ended = read(segscore, reader, run)
        assert (ended.code, ended.out, len(ended.err.splitlines())) == (2, "", 1), ended

"""deploy/systemd/ on a host that systemd has started: installed as the page says, late tables."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support import nspawn, private_machine, real_base
from tests.support.deployed import BIN, CREDENTIALS, filled_in
from tests.support.driven import wait
from tests.support.nights import FOLDERS, GOOD, rows
from tests.support.nspawn import Host
from tests.support.paths import ROOT
from tests.support.rows import write_rows
from tests.support.store_nights import yesterday

REFUSAL = private_machine.refusal(*nspawn.PROGRAMS)
pytestmark = pytest.mark.skipif(REFUSAL is not None, reason=f"no systemd-nspawn here ({REFUSAL})")

SERVICE = "segscore-nightly.service"
ENDPOINT = "http://127.0.0.1:8333"
OFTEN = "[Timer]\nOnCalendar=\nOnCalendar=*:*:0/2\n"
STORE = """[Service]
ExecStart=/opt/weed mini -dir=/var/store -ip=127.0.0.1 -bucket=segscore -admin.ui=false
Environment="AWS_ACCESS_KEY_ID={AWS_ACCESS_KEY_ID}" "AWS_SECRET_ACCESS_KEY={AWS_SECRET_ACCESS_KEY}"
ExecStartPre=/bin/mkdir -p /var/store
"""
COMPILE_SECONDS = 600
"""How long the first night may take, which compiles the passes."""

SHOWN = """
import duckdb, fsspec
database = duckdb.connect("/var/lib/segscore/segscore.duckdb", read_only=True)
database.register_filesystem(fsspec.filesystem("s3"))
print(*database.execute("SELECT date, outcome FROM nights").fetchone())
"""
"""Prints the night in the DuckDB file of the host."""

PUT = "import fsspec; fsspec.filesystem('s3').put('/in/', 'segscore', recursive=True)"


def page_lines() -> list[str]:
    """Return the commands of the page."""
    page = (ROOT / "docs" / "deploy.md").read_text()
    section = page.partition("\n## systemd\n")[2]
    return section.split("```")[1].strip().splitlines()


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file system of the host, with a checkout in which credentials are filled in."""
    new_root = nspawn.unpack(tmp_path_factory.mktemp("nspawn"))
    checkout = new_root / "checkout"
    ignored = shutil.ignore_patterns("build", ".*", "__pycache__", "tests", "*.egg-info")
    shutil.copytree(ROOT, checkout, ignore=ignored, symlinks=True)
    variables = f"{filled_in()}\nAWS_ENDPOINT_URL={ENDPOINT}\n"
    (checkout / "deploy" / "settings" / "store.env").write_text(variables)
    shutil.copy(BIN / "weed", new_root / "opt" / "weed")
    (new_root / "etc/systemd/system/store.service").write_text(STORE.format(**CREDENTIALS))
    return new_root


@contextmanager
def installed(root: Path) -> Iterator[Host]:
    """A host on which the lines of the page have been run; those that install need a network."""
    certificates = f"--bind-ro={real_base.CERTIFICATES}"
    online = [line for line in page_lines() if "venv" in line or "pip" in line]
    nspawn.run_offline(root, [certificates], ["cd /checkout", *online])
    with nspawn.booted(root) as host:
        for line in page_lines():
            if line not in online and "start" not in line:
                host.say("sh", "-c", f"cd /checkout && {line}")
        host.say("systemctl", "start", "store.service")
        yield host


def log(host: Host) -> list[dict[str, object]]:
    """Return what the service logged."""
    text = host.say("journalctl", "--unit", SERVICE, "--output=cat", "--no-pager")
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def messages(host: Host) -> str:
    """Return the messages of the service's log as one text."""
    return "\n".join(str(line["message"]) for line in log(host))


def has_ended(host: Host) -> bool:
    """Return whether no attempt runs, which `systemctl start` would join."""
    state = host.say("systemctl", "show", "--property=ActiveState", SERVICE).strip()
    return state in ("ActiveState=inactive", "ActiveState=failed")


def deliver(host: Host, root: Path) -> None:
    """Write the tables of yesterday's night into the store."""
    for day in yesterday():
        for role, name in FOLDERS.items():
            path = root / "in" / name / f"date={day}" / "part.jsonl"
            path.parent.mkdir(parents=True)
            write_rows(path, rows(day, role, GOOD))
    in_python(host, PUT)


def in_python(host: Host, code: str) -> str:
    """Run Python code with the credentials of the store; return its output."""
    variables = [f"{name}={value}" for name, value in CREDENTIALS.items()]
    command = ("/opt/segscore/bin/python", "-c", code)
    return host.say("env", f"AWS_ENDPOINT_URL={ENDPOINT}", *variables, *command)


def test_the_timer_starts_the_night_until_the_tables_have_arrived(root: Path) -> None:
    with installed(root) as host:
        timer = "segscore-nightly.timer"
        assert host.say("systemctl", "is-enabled", timer).strip() == "enabled"
        assert timer in host.say("systemctl", "list-timers", "--no-pager")
        often = root / "etc/systemd/system" / f"{timer}.d" / "often.conf"
        often.parent.mkdir()
        often.write_text(OFTEN)
        host.say("systemctl", "daemon-reload")
        host.say("systemctl", "restart", timer)
        wait(lambda: log(host), "the night was started")
        wait(lambda: "waiting for input" in messages(host), "tables are late")
        metrics = root / "var/lib/segscore/segscore.prom"
        assert 'outcome{outcome="waiting"} 1' in metrics.read_text()
        deliver(host, root)
        passed = 'outcome{outcome="passed"} 1'
        wait(lambda: passed in metrics.read_text(), "the night passed", COMPILE_SECONDS)
        account = int(host.say("id", "--user", "segscore"))
        assert metrics.stat().st_uid == account
        file = metrics.with_name("segscore.duckdb")
        wait(file.exists, "the file of dashboards was written")
        assert in_python(host, SHOWN) in {f"{day} passed\n" for day in yesterday()}
        host.say("systemctl", "stop", timer)
        wait(lambda: has_ended(host), "the last attempt of the timer ended", COMPILE_SECONDS)
        (root / "opt/segscore/dashboards/views.sql").write_text("broken")
        host.say("systemctl", "start", SERVICE)
        assert "Parser Error" in host.say("journalctl", "--unit", SERVICE, "--no-pager")
        assert host.say("systemctl", "show", "--property=Result", SERVICE) == "Result=success\n"

"""A cluster with certificates accepts a client that has one, and no other."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from segscore.pipeline.runs import connecting
from segscore.pipeline.runs.certificates import configured_certificates
from tests.support.certificates import certify, settings
from tests.support.dask_cluster import dask_cluster
from tests.support.promises import require_one_line, require_same
from tests.support.resuming import Workspace


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a scheduler with workers, and settings of a client that they accept."""
    folder = tmp_path_factory.mktemp("secured")
    files = certify(folder / "certificates")
    with dask_cluster(folder, files) as address:
        yield address, settings(files)


def test_a_client_with_a_certificate_is_accepted(
    workspace: Workspace, secured: tuple[str, str]
) -> None:
    address, text = secured
    assert address.startswith("tls://")
    file = workspace.folder / "settings.toml"
    file.write_text(text)
    result = workspace.score("--cluster", address, "--settings", file)
    assert result.code == 0, result.err
    require_same(workspace.run, workspace.undisturbed())


def require_refused(workspace: Workspace, address: str, text: str, code: int) -> str:
    """Check that a client with these settings is refused; return the message."""
    file = workspace.folder / "settings.toml"
    file.write_text(text)
    result = workspace.score("--cluster", address, "--settings", file)
    line = require_one_line(result.err, result.code)
    assert result.code == code
    assert not workspace.run.exists()
    return line


def test_other_clients_are_refused(
    workspace: Workspace, secured: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a certificate, with one of another authority, and without TLS."""
    monkeypatch.setattr(connecting, "CONNECT_SECONDS", 3)
    address, text = secured
    assert "needs certificates; name them in [cluster]" in require_refused(
        workspace, address, "", 2
    )
    other = settings(certify(workspace.folder / "other"))
    line = require_refused(workspace, address, other, 1)
    assert "no scheduler answers there, or it refuses the certificates" in line
    plain = address.replace("tls://", "tcp://")
    assert "write tls://host:port" in require_refused(workspace, plain, text, 2)
    assert "no scheduler answers there" in require_refused(workspace, plain, "", 1)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('tls-ca = "ca.pem"', "tls-cert, tls-key missing; name all three files"),
        ('tls-ca = "a"\ntls-cert = "b"\ntls-key = "c"', "the certificates cannot be read ("),
        (
            'tls-certificate = "b"',
            "no such key cluster.tls-certificate; the nearest is cluster.tls-",
        ),
        ("tls-ca = 1", "cluster.tls-ca is 1, must be text"),
    ],
)
def test_wrong_settings_are_refused(workspace: Workspace, text: str, problem: str) -> None:
    line = require_refused(workspace, "tls://127.0.0.1:1", f"[cluster]\n{text}\n", 2)
    assert problem in line


def test_certificates_of_other_commands_do_no_harm(workspace: Workspace, tmp_path: Path) -> None:
    """One file may have the settings of runs on a cluster and of runs in this process."""
    file = workspace.folder / "settings.toml"
    file.write_text(settings(certify(tmp_path / "certificates")))
    assert workspace.score("--settings", file).code == 0
    assert configured_certificates() is not None
    assert workspace.score("--fresh").code == 0
    assert configured_certificates() is None

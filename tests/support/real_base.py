"""A small Debian with Python and systemd, made by mmdebstrap once and kept in build/.

It stands for the base image of the Dockerfile, which the tests cannot download, and for a host that
systemd starts.
"""

import subprocess
from pathlib import Path

from tests.support.paths import ROOT

PROGRAMS = ("mmdebstrap",)
_PACKAGES = (
    "systemd,systemd-sysv,dbus,python3,python3-venv,python3-pip,python-is-python3,ca-certificates,"
    "tzdata,wget"
)
FOLDER = ROOT / "build" / "deploy"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")


def base() -> Path:
    """Return the file system as an archive."""
    archive = FOLDER / "base.tar"
    if not archive.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        unfinished = FOLDER / "unfinished.tar"
        options = ["--quiet", "--variant=minbase", f"--include={_PACKAGES}"]
        subprocess.run(["mmdebstrap", *options, "bookworm", unfinished], check=True)  # noqa: S607
        unfinished.rename(archive)
    return archive

"""The commit that the installed segscore was made from, where that is known."""

import json
import shutil
import subprocess
from contextlib import suppress
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

_DIGITS = 12

ARCHIVED = "commit.txt"
"""File beside the package's folders, in which a wheel or an archive says its commit."""

_SECONDS = 10
"""Seconds after which git is no longer waited for."""


@cache
def find_commit() -> str | None:
    """Return the commit that pip installed, of an archive, or of the checkout; else None."""
    folder = Path(__file__).resolve().parents[2]
    return _installed() or _archived(folder) or checked_out(folder)


def _installed() -> str | None:
    """Return the commit of an installation from a repository (PEP 610)."""
    with suppress(ValueError, TypeError, KeyError, OSError):
        origin = json.loads(distribution("segscore").read_text("direct_url.json") or "{}")
        return str(origin["vcs_info"]["commit_id"])[:_DIGITS]
    return None


def _archived(folder: Path) -> str | None:
    """Return the commit that an archive was made from, which it contains."""
    with suppress(OSError, UnicodeError):
        return (folder / ARCHIVED).read_text("utf-8").strip() or None
    return None


def checked_out(folder: Path) -> str | None:
    """Return the commit of a checkout, with a mark if files differ from it."""
    git = shutil.which("git") if (folder / ".git").exists() else None
    if git is None:
        return None
    described = [git, "-C", str(folder), "describe", "--always", "--dirty=, changed"]
    options = ["--exclude=*", f"--abbrev={_DIGITS}"]
    with suppress(OSError, subprocess.SubprocessError, UnicodeError):
        done = subprocess.run(  # noqa: S603  (no shell, and no text of a user)
            [*described, *options], capture_output=True, text=True, timeout=_SECONDS, check=True
        )
        return done.stdout.strip() or None
    return None

"""Keep compiled kernels in a folder of the user's, and say once when the first is compiled."""

import logging
import os
import stat
from functools import cache
from pathlib import Path

_NOTICE = "First run on this machine: compiling numba kernels (a few seconds, cached afterwards)."


def was_compiled_before() -> bool:
    """Return whether kernels have been compiled on this machine."""
    folder = _folder()
    return folder is not None and folder.exists()


@cache
def cache_folder() -> Path | None:
    """Return the folder of compiled kernels, which only its owner can change.

    Numba runs whatever is in it.  Creating it is said to the user, as the kernels are then
    compiled.  Where there cannot be such a folder, that is said, too.

    Returns:
        None if each process has to compile again.
    """
    folder = _folder()
    if folder is not None and _create(folder) and _is_private(folder):
        return folder
    logging.getLogger("segscore").warning(
        "compiled kernels are not cached, because %s cannot be written to, or others can; every "
        "process compiles them again (some seconds). Set NUMBA_CACHE_DIR to a folder of your own",
        "~/.cache" if folder is None else folder,
    )
    return None


def _folder() -> Path | None:
    """Return where the folder is or would be; None for a user without a home."""
    chosen = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    folder = Path(chosen or os.path.expanduser("~/.cache"))
    return folder.absolute() / "segscore" if chosen or folder.is_absolute() else None


def _create(folder: Path) -> bool:
    """Create a folder if it does not exist, and say so; only one of several processes does."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700)
    except FileExistsError:
        return os.access(folder, os.W_OK)
    except OSError:
        return False
    logging.getLogger("segscore").warning(_NOTICE, extra={"level": "info"})
    return True


def _is_private(folder: Path) -> bool:
    """Check that a folder, not a link, belongs to this user, and that nobody else can write."""
    status = folder.lstat()
    if os.name != "posix":  # such a system has no owners and bits of this kind
        return stat.S_ISDIR(status.st_mode)
    others = stat.S_IWGRP | stat.S_IWOTH
    owned = status.st_uid == os.getuid() and not status.st_mode & others
    return stat.S_ISDIR(status.st_mode) and owned

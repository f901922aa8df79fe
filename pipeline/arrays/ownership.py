"""Check whether other users of this machine can change the files of a folder."""

import os
import stat
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

_ACCESS_LIST = "system.posix_acl_access"


def first_exposed(folder: Path, endings: Collection[str]) -> Path | None:
    """Find the first path that users other than this one and root can change.

    Args:
        folder: an absolute path that exists.
        endings: suffixes of the files to check, which are directly in the folder.

    Returns:
        A parent of the folder, a link on the way to it, the folder itself or one of its files; None
        if nobody else can change any of them.
    """
    if os.name != "posix":  # such a system has no owners and bits of this kind
        return None
    return next(_exposed(folder, endings), None)


def _exposed(folder: Path, endings: Collection[str]) -> Iterator[Path]:
    for step in _way_to(folder):
        status = step.lstat()
        # In a sticky folder, such as /tmp, others can add entries but not replace ours.
        sticky = status.st_mode & stat.S_ISVTX
        if not _has_safe_owner(status) or (_others_can_write(step, status) and not sticky):
            yield step
    if _others_can_write(folder, folder.stat()):
        yield folder
    for file in folder.iterdir():
        if file.suffix in endings:
            status = file.lstat()
            if not _has_safe_owner(status) or _others_can_write(file, status):
                yield file


def _way_to(path: Path) -> Iterator[Path]:
    """Yield every folder and link on the way to a path, and the path itself last."""
    for step in (*reversed(path.parents), path):
        yield step
        if step.is_symlink():
            yield from _way_to(step.parent / step.readlink())


def _has_safe_owner(status: os.stat_result) -> bool:
    return status.st_uid in (0, os.getuid())


def _others_can_write(path: Path, status: os.stat_result) -> bool:
    if stat.S_ISLNK(status.st_mode):
        return False  # a link's permission bits have no effect; only its owner matters
    # Where there is an access control list, the bits of the group are the most that it grants.
    by_group = status.st_mode & stat.S_IWGRP and (
        not _is_own_group(status.st_gid) or _has_access_list(path)
    )
    return bool(status.st_mode & stat.S_IWOTH or by_group)


def _has_access_list(path: Path) -> bool:
    try:
        return _ACCESS_LIST in os.listxattr(path, follow_symlinks=False)
    except (AttributeError, OSError):  # macOS has no such attributes, nor have some file systems
        return False


@cache
def _is_own_group(group: int) -> bool:
    """Check whether this user is a group's only member; many systems create one for each user."""
    import grp  # of POSIX alone
    import pwd

    try:
        user = pwd.getpwuid(os.getuid())
        entry = grp.getgrgid(group)
    except KeyError:
        return False
    named_alike = group == user.pw_gid and entry.gr_name == user.pw_name
    return named_alike and {*entry.gr_mem} <= {user.pw_name}

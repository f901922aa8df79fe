"""Check that names of servers can be resolved, before requests wait for a dead name server.

A store's client repeats a request many times, and each of these may wait for every name server:
seven minutes in all.
"""

import socket
import time
from collections.abc import Iterable
from functools import lru_cache
from threading import Thread
from urllib.parse import urlsplit

from segscore.pipeline.errors import Failed
from segscore.pipeline.storage.object_stores import explained, resolve

RESOLVE_SECONDS = 8
"""How long to wait for an answer; a resolver asks its second name server after five seconds."""

_REMEMBERED_SECONDS = 60


def require_resolvable(urls: Iterable[str | None]) -> None:
    """Check that the names of the servers of stores can be resolved.

    With a proxy, the proxy resolves them, and nothing is checked.

    Files and folders on a disk are ignored.

    Raises:
        Refused: as ``object_stores.resolve``.
        Failed: a name cannot be resolved.
    """
    for url in urls:
        place = resolve(url) if url is not None else None
        if place is None or place.cloud is None:
            continue
        from urllib.request import getproxies

        if getproxies():
            continue
        with explained(place):
            host = urlsplit(place.cloud.address(place.files)).hostname or ""
        if problem := _problem(host, int(time.monotonic() / _REMEMBERED_SECONDS)):
            raise Failed(
                f"{url}: the name {host} cannot be resolved ({problem}); check the name server of "
                f"this host, and {place.cloud.advice.address} if set"
            )


@lru_cache
def _problem(host: str, _minute: int) -> str:
    """Return why a name cannot be resolved, or an empty text; asked once in a minute."""
    problems = [f"no name server answers within {RESOLVE_SECONDS} s"]

    def ask() -> None:
        try:
            socket.getaddrinfo(host, None)
            problems.append("")
        except OSError as problem:
            problems.append(problem.strerror or str(problem))

    asking = Thread(target=ask, daemon=True)
    asking.start()
    asking.join(RESOLVE_SECONDS)
    return problems[-1]

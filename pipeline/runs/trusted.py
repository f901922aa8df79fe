"""Decide which locations that a run recorded may be read again.

Whoever can write a run.json can name any location in it.  A path on a disk of this machine is read
without asking anybody.  A request to a store tells its owner who asks, from where and with which
key, so only the buckets that the user has named are asked.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused

_LISTED = 3
"""Number of locations that a message names."""


@dataclass(frozen=True)
class Trusted:
    """The stores that may be asked for the inputs of a run, besides that of the run itself.

    Attributes:
        named: locations that the user named, in whose buckets inputs may be.
        everything: whether the user trusts all locations that the run recorded.
    """

    named: tuple[str, ...] = ()
    everything: bool = False

    def require(self, run: str, locations: Iterable[str]) -> None:
        """Check that recorded locations may be read, before any of them is.

        Raises:
            Refused: one is in a bucket that the user has not named, or is neither on a disk nor in
                a cloud; the message lists what would be read.
        """
        urls = dict.fromkeys(
            url for location in locations for url in storage.split_locations(location)
        )
        asked = {url: container for url in urls if (container := storage.container(url))}
        known = {storage.container(url) for url in (run, *self.named)}
        elsewhere = [url for url, container in asked.items() if container not in known]
        if self.everything or not elsewhere:
            return
        more = len(elsewhere) - _LISTED
        listed = ", ".join(elsewhere[:_LISTED]) + (f" and {more} more" if more > 0 else "")
        raise Refused(
            f"{run}: its inputs would be read from {listed}, with your credentials, and neither "
            "the run nor what you named is there; if you know that these are its inputs, pass "
            "--trust-inputs"
        )

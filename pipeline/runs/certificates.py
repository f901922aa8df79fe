"""Certificates with which the client connects to a cluster that uses TLS."""

from collections.abc import Mapping
from dataclasses import dataclass

from segscore.pipeline.errors import Refused


@dataclass(frozen=True)
class Certificates:
    """Files in PEM format.

    They are the certificate of the authority that signed those of the cluster, the certificate of
    the client, and its private key.
    """

    tls_ca: str
    tls_cert: str
    tls_key: str


_configured: list[Certificates] = []


def configure_certificates(files: Mapping[str, str]) -> None:
    """Set the certificates of this process, by their fields, or none if there are no files.

    Raises:
        Refused: only some of the files are named.
    """
    missing = [name for name in Certificates.__annotations__ if not files.get(name)]
    if files and missing:
        names = ", ".join(name.replace("_", "-") for name in missing)
        raise Refused(f"[cluster] of --settings: {names} missing; name all three files")
    _configured[:] = [Certificates(**files)] if files else []


def configured_certificates() -> Certificates | None:
    """Return the certificates of this process; None if there are none."""
    return _configured[0] if _configured else None

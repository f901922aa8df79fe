"""The supported clouds, and the settings of the fsspec packages for their object stores."""

import logging
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import Any

from segscore.pipeline.storage.failures import BUSY, UNREACHABLE, Advice, facts

_LOG = logging.getLogger("segscore")
_CONNECT_SECONDS = 10
READ_SECONDS = 20
"""Seconds without an answer from a server after which the request is repeated."""


@dataclass(frozen=True)
class Cloud:
    """A kind of object store.

    Attributes:
        extra: the extra of segscore that installs the package.
        package: the package that implements fsspec for the store.
        settings: returns options for time-outs and retries, if the package has such options.
        typed: returns the option of ``pipe_file`` that sets a content type.
        address: returns the URL of the server of a file system.
        advice: names for messages about failures.
        named_in: returns the options that a URL states, such as an account.
        kind: returns the class of the file system; None for the one that fsspec knows.
    """

    extra: str
    package: str
    settings: Callable[[], dict[str, Any]]
    typed: Callable[[str], dict[str, Any]]
    address: Callable[[Any], str]
    advice: Advice
    named_in: Callable[[str], dict[str, Any]] = lambda _: {}
    kind: Callable[[], Any] | None = None


def is_transient(problem: BaseException) -> bool:
    """Return whether to repeat a request; say now and then how many have failed."""
    codes = sorted({*facts(problem)} & _TRANSIENT)
    if codes and (failures := next(_FAILURES)) in _SAID:
        _LOG.warning(
            "the object store has failed %d requests so far (the last: %s); the command waits for "
            "it, and repeats each of them after a pause",
            failures,
            codes[0],
        )
    return bool(codes)


_TRANSIENT = BUSY | UNREACHABLE | {"ConditionalRequestConflict"}
"""Codes of failures that pass; the last is from concurrent conditional writes."""

_FAILURES, _SAID = count(1), {10, 100, 1000, 10_000}
"""Numbers of the requests that failed, and those that are said."""


def _s3_settings() -> dict[str, Any]:
    import s3fs.core

    config: dict[str, Any] = {"connect_timeout": _CONNECT_SECONDS, "read_timeout": READ_SECONDS}
    has_handler = hasattr(s3fs.core, "set_custom_error_handler")
    if has_handler:
        s3fs.core.set_custom_error_handler(is_transient)
    if not _user_sets_retries():
        # Older releases of s3fs repeat nothing that a server refuses; botocore, at most four times.
        config["retries"] = {"mode": "standard", "total_max_attempts": 1 if has_handler else 4}
    return {"config_kwargs": config}


def _user_sets_retries() -> bool:
    return bool({"AWS_MAX_ATTEMPTS", "AWS_RETRY_MODE"} & os.environ.keys())


def _s3_files() -> Any:
    """Return the patient class of file systems, unless the environment says how often to try."""
    import s3fs.core

    is_plain = _user_sets_retries() or not hasattr(s3fs.core, "set_custom_error_handler")
    return s3fs.S3FileSystem if is_plain else _patient_s3_files()


@cache
def _patient_s3_files() -> Any:
    """Return a class of file systems that make a request up to ten times.

    The pauses take 29 s in all, and most of them are short.
    """
    from s3fs import S3FileSystem

    class S3Files(S3FileSystem):  # type: ignore[misc]
        retries = 10

    return S3Files


def _gcs_settings() -> dict[str, Any]:
    from aiohttp import ClientTimeout

    _silence("gcsfs")  # it logs each failure, with a traceback, and then raises it
    timeout = ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS, sock_read=READ_SECONDS)
    return {"requests_timeout": timeout, **({"token": "anon"} if _emulated() else {})}


def _silence(name: str) -> None:
    logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _emulated() -> bool:
    return bool(os.environ.get("STORAGE_EMULATOR_HOST"))


def _azure_settings() -> dict[str, Any]:
    _silence("azure")
    settings: dict[str, Any] = {
        "connection_timeout": _CONNECT_SECONDS,
        "read_timeout": READ_SECONDS,
    }
    # For these two, adlfs uses other names than Azure's command line.
    for option, name in (("account_name", "ACCOUNT"), ("account_key", "KEY")):
        value = os.environ.get(f"AZURE_STORAGE_{name}")
        if value and f"AZURE_STORAGE_{option.upper()}" not in os.environ:
            settings[option] = value
    return settings


def _azure_account(url: str) -> dict[str, Any]:
    """Return the account of abfs://container@account.dfs.core.windows.net/path, if it names one."""
    found = _AZURE_HOST.match(url)
    return {"account_name": found[1]} if found else {}


_AZURE_HOST = re.compile(r"[a-z]+://(?:[^/@]*@)?([^/@]+)\.(?:dfs|blob)\.core\.windows\.net(?:/|$)")


@cache
def _azure_files() -> Any:
    """Return a class of file systems whose client retries four times within half a minute.

    By default it would wait for 84 s in all, and adlfs passes no options to it.
    """
    from adlfs import AzureBlobFileSystem
    from azure.storage.blob.aio import BlobServiceClient, ExponentialRetry

    class AzureFiles(AzureBlobFileSystem):  # type: ignore[misc]
        service_client: Any

        def do_connect(self) -> None:
            super().do_connect()
            client = self.service_client
            retry = ExponentialRetry(
                initial_backoff=0.5, increment_base=2, retry_total=4, random_jitter_range=0.5
            )
            self.service_client = BlobServiceClient(
                client.url, credential=client.credential, retry_policy=retry
            )

    return AzureFiles


def _gcs_files() -> Any:
    """Return the plain class of file systems, unless the environment asks for the other.

    The other first queries the kind of a bucket by gRPC, which takes a minute for each request if a
    firewall or an emulator does not answer gRPC.
    """
    import gcsfs.core

    if "GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT" in os.environ:
        return gcsfs.GCSFileSystem
    return gcsfs.core.GCSFileSystem


S3 = Cloud(
    extra="s3",
    package="s3fs",
    settings=_s3_settings,
    typed=lambda kind: {"ContentType": kind},
    address=lambda files: files.s3.meta.endpoint_url,
    advice=Advice(
        container="bucket",
        credentials="AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
        address="AWS_ENDPOINT_URL and AWS_DEFAULT_REGION",
    ),
    kind=_s3_files,
)
GCS = Cloud(
    extra="gcs",
    package="gcsfs",
    settings=_gcs_settings,
    typed=lambda kind: {"content_type": kind},
    address=lambda files: files.base,
    advice=Advice(
        container="bucket",
        credentials="GOOGLE_APPLICATION_CREDENTIALS",
        address="STORAGE_EMULATOR_HOST",
    ),
    kind=_gcs_files,
)
AZURE = Cloud(
    extra="azure",
    package="adlfs",
    settings=_azure_settings,
    typed=lambda kind: {"content_settings": {"content_type": kind}},
    address=lambda files: files.service_client.url,
    advice=Advice(
        container="container",
        credentials="AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY, "
        "or AZURE_STORAGE_CONNECTION_STRING",
        address="AZURE_STORAGE_ACCOUNT_NAME or AZURE_STORAGE_CONNECTION_STRING",
    ),
    named_in=_azure_account,
    kind=_azure_files,
)
CLOUDS = {"s3": S3, "s3a": S3, "gs": GCS, "gcs": GCS, "abfs": AZURE, "abfss": AZURE, "az": AZURE}

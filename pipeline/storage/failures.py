"""Explain failures of object stores and disks in one line, without secrets.

Each cloud's package has its own exceptions, and some raise built-in ones with only a text.  What
they have in common is names and numbers: exception names, the cloud's error codes, HTTP statuses.
"""

import errno
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from segscore.pipeline.errors import Failed, Inaccessible, nearest


@dataclass(frozen=True)
class Advice:
    """Names that a message about a cloud contains.

    They are the cloud's word for the first part of a path, and the environment variables with
    credentials and with an address.
    """

    container: str
    credentials: str
    address: str


EXPIRED = {
    "ExpiredToken", "ExpiredTokenException", "ExpiredAuthenticationToken", "RequestExpired",
    "SSOTokenLoadError", "TokenRefreshRequired", "UnauthorizedSSOTokenError",
}  # fmt: skip
NO_CREDENTIALS = {
    "CredentialRetrievalError", "CredentialUnavailableError", "DefaultCredentialsError",
    "NoAuthenticationInformation", "NoCredentialsError", "PartialCredentialsError",
}  # fmt: skip
REJECTED = {
    "401", "AuthenticationFailed", "AzureSigningError", "ClientAuthenticationError",
    "InvalidAccessKeyId", "InvalidAuthenticationInfo", "InvalidClientTokenId", "InvalidSecurity",
    "InvalidToken", "ProfileNotFound", "RefreshError", "SignatureDoesNotMatch",
}  # fmt: skip
OTHER_REGION = {"301", "AuthorizationHeaderMalformed", "PermanentRedirect"}
ABSENT = {"ContainerNotFound", "InvalidBucketName", "InvalidResourceName", "NoSuchBucket"}
FORBIDDEN = {
    "403", "AccessDenied", "AccountIsDisabled", "AllAccessDisabled", "AuthorizationFailure",
    "AuthorizationPermissionMismatch", "AuthorizationResourceTypeMismatch",
    "AuthorizationServiceMismatch", "InsufficientAccountPermissions", "PermissionError",
    "PublicAccessNotPermitted",
}  # fmt: skip
BUSY = {"408", "429", "500", "502", "503", "504", "ServerBusy", "SlowDown"}
UNREACHABLE = {
    "ClientConnectionError", "ClientConnectorError", "ClientConnectorDNSError", "ClientOSError",
    "ClientPayloadError", "ConnectionClosedError", "ConnectionError", "ConnectionRefusedError",
    "ConnectionResetError", "ConnectTimeoutError", "EndpointConnectionError", "FSTimeoutError",
    "HTTPClientError", "IncompleteRead", "IncompleteReadError", "ReadTimeoutError",
    "ServerDisconnectedError", "ServiceRequestError", "ServiceRequestTimeoutError",
    "ServiceResponseError", "ServiceResponseTimeoutError", "SocketTimeoutError", "TimeoutError",
    "TransportError",
}  # fmt: skip
NO_CONTAINER = "no such {container}; correct its name, or create it first"
_KINDS: tuple[tuple[set[str], str, type[Inaccessible] | type[Failed]], ...] = (
    (EXPIRED, "the credentials have expired ({code}); renew {credentials}", Inaccessible),
    (NO_CREDENTIALS, "no credentials found; set {credentials}", Inaccessible),
    (REJECTED, "the credentials are not accepted ({code}); check {credentials}", Inaccessible),
    (
        OTHER_REGION,
        "the {container} is in another region ({code}); set AWS_DEFAULT_REGION",
        Inaccessible,
    ),
    (ABSENT, NO_CONTAINER, Inaccessible),
    (
        FORBIDDEN,
        "no permission ({code}); grant it, or set {credentials} for an account that has it",
        Inaccessible,
    ),
    (BUSY, "the server kept failing ({code}); try again later", Failed),
    (
        UNREACHABLE,
        "the server does not answer ({code}); check the network, and {address} if set",
        Failed,
    ),
)
"""Codes of a failure, message and exception; the first entry with a matching code applies."""

FULL = {errno.ENOSPC, errno.EDQUOT}
TEXTS = {
    "Forbidden": "403",
    "Anonymous caller": "NoCredentialsError",
    "Must provide either a connection_string or account_name": "NoCredentialsError",
}
"""Text -> code, for failures that gcsfs and adlfs describe only by a text."""

SECRETS = re.compile(
    r"((?:sig|signature|accountkey|token|secret|password)[\"']?\s*[=:]\s*)[^\s&;,]+", re.IGNORECASE
)


def facts(problem: BaseException) -> list[str]:
    """List the names and codes of an exception and of its causes."""
    codes, kinds = [], []
    for error in _chain(problem):
        response = getattr(error, "response", None)
        if isinstance(response, dict):  # botocore's
            codes.append(str(response.get("Error", {}).get("Code")))
            codes.append(str(response.get("ResponseMetadata", {}).get("HTTPStatusCode")))
        for name in ("error_code", "status_code", "code", "status"):
            value = getattr(error, name, None)
            if isinstance(value, str | int):
                codes.append(str(getattr(value, "value", value)))
        codes += [fact for text, fact in TEXTS.items() if text in str(error)]
        kinds += [kind.__name__ for kind in type(error).__mro__[:3]]
    return codes + kinds


def _chain(problem: BaseException | None) -> Iterator[BaseException]:
    while problem is not None:
        yield problem
        hidden = None if problem.__suppress_context__ else problem.__context__
        problem = problem.__cause__ or hidden


_UNKNOWN_OPTION = re.compile(r"unexpected keyword argument '(\w+)'")
_COMMON_OPTIONS = (
    "key", "secret", "token", "profile", "anon", "endpoint_url", "client_kwargs", "config_kwargs",
    "project", "account_name", "account_key", "connection_string", "sas_token",
)  # fmt: skip
"""Options of the packages for stores, of which the nearest is proposed for an unknown one."""


def explain_failure(
    problem: BaseException, url: str, advice: Advice | None
) -> Inaccessible | Failed:
    """Return the error to raise, which states what is wrong and what to do.

    It is Inaccessible if settings of the store are wrong, and Failed if the same command may
    succeed another time.  Without advice, the URL is not in a cloud.
    """
    if isinstance(problem, OSError) and problem.errno in FULL:
        return Failed(f"{url}: no space left on the device; free some, or write to another one")
    if advice is None:
        return Failed(f"{url}: {_first_line(problem)}")
    if isinstance(problem, TypeError) and (unknown := _UNKNOWN_OPTION.search(str(problem))):
        return Inaccessible(
            f"{url}: the store has no setting {unknown[1]}{nearest(unknown[1], _COMMON_OPTIONS)}; "
            "correct [storage] of the settings file, or FSSPEC_*"
        )
    codes = facts(problem)
    for known, template, error in _KINDS:
        code = next((fact for fact in codes if fact in known), "")
        if code:
            text = template.format(code=code, **vars(advice))
            return error(f"{url}: {text}")
    return Failed(f"{url}: {_first_line(problem)}")


def missing_container(url: str, advice: Advice) -> Inaccessible:
    """Return the error for a bucket that does not exist."""
    return Inaccessible(f"{url}: {NO_CONTAINER.format(**vars(advice))}")


def _first_line(problem: BaseException) -> str:
    """Return the first line of an exception's text, without anything that looks like a secret."""
    if isinstance(problem, OSError) and problem.strerror:
        return problem.strerror
    text = str(problem).strip().partition("\n")[0] or type(problem).__name__
    for name, value in os.environ.items():
        if len(value) > 3 and re.search("KEY|SECRET|TOKEN|PASSWORD|CONNECTION_STRING", name):
            text = text.replace(value, "…")
    return SECRETS.sub(r"\1…", text)

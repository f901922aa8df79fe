"""Write a page to its file, over nothing but an earlier page."""

import logging
from collections.abc import Mapping, Sequence

from segscore.pipeline import storage
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.reports.figures import require_charts
from segscore.pipeline.reports.page import Page, charting_library, render
from segscore.pipeline.storage.placement import require_apart

_HEAD = 4096
"""Number of bytes that are enough to recognise a report."""


def require_free(option: str, output: str, apart: Mapping[str, str | Sequence[str]]) -> None:
    """Refuse to write over a folder, into a run, over its inputs, or over another file.

    Charts must be there, too.

    Args:
        option: that names the page.
        output: the page.
        apart: what the page must not be in, as for ``require_apart``.
    """
    require_charts("report" if option == "--output" else option)
    storage.require_writable_store(option, output)
    if not output.strip() or storage.names(output):
        raise Refused(f"{option} {output}: is a folder; name a file")
    require_apart(output, {**apart}, option=option, is_file=True)
    head = storage.head(output, _HEAD)
    if head and not _is_report(head):
        raise Refused(
            f"{option} {output}: is a file that segscore report did not write; name another file"
        )


def _is_report(head: bytes) -> bool:
    """Check whether a file that starts with these bytes is a page of `segscore report`."""
    return head.startswith(b"<!doctype html>") and b" segscore</title>" in head


def _is_about(head: bytes, page: Page) -> bool:
    """Check whether a page that starts with these bytes is about the run of another page."""
    return f'<meta name="subject" content="{page.subject}">'.encode() in head


def write_page(option: str, output: str, page: Page) -> int:
    """Write a page, atomically; return its size in bytes.

    A page of another run that it replaces is warned of.

    Raises:
        Refused: altair is not installed.
        Failed: the page cannot be written.
    """
    text = render(page, charting_library())
    earlier = storage.head(output, _HEAD)
    if earlier and not _is_about(earlier, page):
        logging.getLogger("segscore").warning(
            f"{output}: replaces the page of another run; to keep both, name another file with "
            f"{option}"
        )
    try:
        storage.write_text(output, text)
    except OSError as problem:
        why = problem.strerror or str(problem)
        raise Failed(f"{option} {output}: cannot be written ({why})") from problem
    return len(text.encode())

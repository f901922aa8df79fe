"""Say which glob leaves out a file that does not belong to the others of a folder."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePosixPath

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.formats.known import FORMATS
from segscore.pipeline.plain_text import first_named
from segscore.pipeline.storage.compression import without_compression


@contextmanager
def naming_fitting_files(patterns: Sequence[str]) -> Iterator[None]:
    """Add to a refusal of a file that its folder holds others, and the glob that names these.

    Args:
        patterns: the files, folders and globs to import.

    Raises:
        Refused: the context refuses a file.
    """
    try:
        yield
    except Refused as problem:
        if type(problem) is not Refused:
            raise
        for pattern in patterns:
            if (hint := _hint(pattern, str(problem))) is not None:
                raise Refused(f"{hint}; {problem}") from problem
        raise


def _hint(folder: str, message: str) -> str | None:
    """Describe the files of a folder; None unless the message is about one of a few others."""
    if storage.pattern(folder) is not None or not storage.is_folder(folder):
        return None
    urls = [file.url for file in storage.find(folder, any_kind=True)]
    endings = {url: _ending(url) for url in urls}
    ending, number = Counter(endings.values()).most_common(1)[0]
    others = [url for url in urls if endings[url] != ending]
    if not ending or number < 2 or number <= len(others):
        return None
    if not any(message.startswith(f"{url}:") for url in others):
        return None
    fitting = [url for url in urls if endings[url] == ending]
    depth = min(url.count("/") for url in urls)
    below = "**/" if any(url.count("/") != depth for url in fitting) else ""
    names = first_named([PurePosixPath(url).name for url in others])
    place = folder.rstrip("/")
    return (
        f"{place}/ holds {number} {ending} and {names}; name them with '{place}/{below}*{ending}'"
    )


def _ending(url: str) -> str:
    """Return the ending of a file by which its format is known, or its last one."""
    name = PurePosixPath(url).name
    plain = without_compression(name)
    known = [
        ending
        for one in FORMATS.values()
        for ending in one.endings
        if plain.lower().endswith(ending) and len(ending) < len(plain)
    ]
    own = len(max(known, key=len, default=PurePosixPath(plain).suffix))
    return plain[len(plain) - own :] + name[len(plain) :] if own else ""

"""Open a file to import: decompress it, refuse files of other kinds, detect its format."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import PurePosixPath

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.conversion.names import without_endings
from segscore.pipeline.importing.formats.answers import describe_answer
from segscore.pipeline.importing.formats.format import JSON_LINES_ENDINGS, PARQUET_ENDINGS, Head
from segscore.pipeline.importing.formats.known import FALLBACK, FORMATS
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.plain_text import first_named
from segscore.pipeline.storage.compression import decompressed, is_compressed, without_compression
from segscore.pipeline.storage.memory import row_group_limit

_PARQUET = b"PAR1"
_CHUNK = 2**20
_MEDIA_ENDINGS = (
    *(".mp3", ".m4a", ".m4b", ".aac", ".wav", ".flac", ".ogg", ".oga", ".opus", ".wma", ".aif"),
    *(".aiff", ".mp4", ".m4v", ".mkv", ".mka", ".webm", ".mov", ".avi", ".mpg", ".mpeg", ".mxf"),
)
_MEDIA_MARKS = (
    *((4, b"ftyp"), (0, b"\x1aE\xdf\xa3"), (0, b"OggS\0"), (0, b"fLaC\0"), (0, b"ID3\3")),
    *((0, b"ID3\4"), (8, b"WAVEfmt"), (8, b"AVI LIST")),
)
"""Bytes by which media files are known, and where they are."""
_ARROW = (b"ARROW1", b"FEA1")
_ZIP = b"PK\3\4"
_OLD_EXCEL = b"\xd0\xcf\x11\xe0"


def open_input(url: str, settings: ImportSettings) -> OpenedFile:
    """Read a file that is to be imported.

    Raises:
        Refused: it cannot be read or decompressed, is too large, or is a media file, a workbook or
            a Feather file.
        Failed: no server answers.
    """
    limit = row_group_limit(settings.memory_limit)
    name = without_compression(url).lower()
    if name == url.lower() and name.endswith(PARQUET_ENDINGS):
        return OpenedFile(url, _PARQUET)
    content = storage.read_whole(url, limit)
    if content.startswith(_PARQUET):
        return OpenedFile(url, _PARQUET)
    refuse_other_kinds(url, content)
    if is_compressed(content) or name != url.lower():
        content = b"".join(decompressed(url, content, limit, _CHUNK))
    if content.startswith(_PARQUET):
        raise Refused(f"{url}: is a compressed Parquet file; decompress it before")
    refuse_other_kinds(without_compression(url), content)
    return OpenedFile(url, content, settings.encoding)


def format_of(file: OpenedFile, settings: ImportSettings) -> str:
    """Return the name of the format of a file.

    Raises:
        Refused: it cannot be determined, or a Parquet file cannot be read.
    """
    plain = without_compression(file.url)
    if file.is_parquet:
        return detect(plain, "", settings, storage.column_names(file.url))
    if plain.lower().endswith(JSON_LINES_ENDINGS) and file.is_utf8:  # its first lines tell
        file = replace(file, content=file.content[: file.content.find(b"\n", _CHUNK) + 1 or None])
    return by_ending(plain) or detect(plain, file.text(), settings)


def detect(
    name: str, text: str, settings: ImportSettings, columns: Sequence[str] | None = None
) -> str:
    """Return a file's key in FORMATS.

    Args:
        name: its name, without an ending for compression.
        text: its text, or the beginning of it.
        settings: settings of the import, of which some say the format.
        columns: columns of a Parquet file; None for other files.

    Raises:
        Refused: the format cannot be determined, or is only a guess; the message names the choices.
    """
    head = Head(name, text, settings, columns or ())
    if columns is None and (own := by_ending(name)) is not None:
        return own
    ending = PARQUET_ENDINGS[0] if columns is not None else head.ending
    for one in FORMATS.values():
        if ending in one.shared and one.content is not None and one.content(head):
            return one.name
    if columns is not None:
        raise Refused(f"{name}: {_unknown_table(columns)}")
    if (answer := describe_answer(head)) is not None:
        raise Refused(f"{name}: {answer}")
    if ending in FALLBACK:
        return FALLBACK[ending]
    raise Refused(
        f"{name}: cannot tell its format from its name or content; name it with --format: "
        f"{', '.join(FORMATS)}"
    )


def by_ending(name: str) -> str | None:
    """Return the key in FORMATS of the format that alone has the ending of a name, if there is."""
    endings = {ending: one.name for one in FORMATS.values() for ending in one.endings}
    fitting = [ending for ending in endings if name.lower().endswith(ending)]
    return endings[max(fitting, key=len)] if fitting else None


def refuse_other_kinds(url: str, content: bytes) -> None:
    """Refuse a media file, a Feather file or an Excel workbook, and say what to do with it."""
    marked = any(content[at:].startswith(mark) for at, mark in _MEDIA_MARKS)
    if marked or url.lower().endswith(_MEDIA_ENDINGS):
        raise Refused(
            f"{url}: is a media file, not a text of chapters; write its chapters to a file with: "
            f"ffprobe -v error -print_format json -show_chapters -show_format {url} > "
            "NAME.ffprobe.json"
        )
    if content.startswith(_ARROW) or url.lower().endswith((".feather", ".arrow")):
        raise Refused(f"{url}: is a Feather (Arrow) file; write the table as Parquet or CSV")
    if content.startswith((_ZIP, _OLD_EXCEL)) or url.lower().endswith((".xlsx", ".xls", ".ods")):
        raise Refused(f"{url}: is a workbook or an archive; save the table in it as CSV")


def _unknown_table(columns: Sequence[str]) -> str:
    if "boundaries" in columns:
        return (
            "is a Parquet table of segmentations already, which other commands read as it is; "
            "nothing to import"
        )
    names = ", ".join(columns)
    return (
        f"has the columns {names}; expected a start (name it with --columns start=NAME), or labels "
        "(name them with --flags, --ids or --sizes)"
    )


@contextmanager
def naming_fitting_files(patterns: Sequence[str]) -> Iterator[None]:
    """Add to a refusal of a file that its folder holds others, and the glob that names these.

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
        f"{place}/ holds {number} {ending} besides {names}; "
        f"name them with '{place}/{below}*{ending}'"
    )


def _ending(url: str) -> str:
    """Return the ending of a file by which its format is known, or its last one."""
    name = PurePosixPath(url).name
    stem = without_endings(name, [ending for one in FORMATS.values() for ending in one.endings])
    return "" if stem == without_compression(name) else name[len(stem) :]

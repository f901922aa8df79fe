"""Open a file to import: decompress it, refuse what is no text and no table, name its format."""

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.detect import by_ending, detect, refuse_other_kinds
from segscore.pipeline.importing.formats.format_heads import PARQUET_ENDINGS
from segscore.pipeline.storage.compression import decompressed, is_compressed, without_compression
from segscore.pipeline.storage.memory import row_group_limit

_PARQUET = b"PAR1"
_CHUNK = 2**20


def open_input(url: str, encoding: str | None, memory: int | None = None) -> OpenedFile:
    """Read a file that is to be imported.

    Args:
        url: the file.
        encoding: encoding of text files; None for UTF-8.
        memory: bytes of a worker's memory; None for the default.

    Raises:
        Refused: it cannot be read or decompressed, is too large, or is a media file, a workbook or
            a Feather file.
        Failed: no server answers.
    """
    limit = row_group_limit(memory)
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
    return OpenedFile(url, content, encoding)


def format_of(file: OpenedFile, asked: Asked) -> str:
    """Return the name of the format of a file.

    Raises:
        Refused: it cannot be determined, or a Parquet file cannot be read.
    """
    plain = without_compression(file.url)
    if file.is_parquet:
        return detect(plain, "", asked, storage.column_names(file.url))
    return by_ending(plain) or detect(plain, file.text(), asked)

"""Open a file to import: decompress it, refuse media files and workbooks, detect its format."""

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.detect import by_ending, detect, refuse_other_kinds
from segscore.pipeline.importing.formats.format import PARQUET_ENDINGS
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.storage.compression import decompressed, is_compressed, without_compression
from segscore.pipeline.storage.memory import row_group_limit

_PARQUET = b"PAR1"
_CHUNK = 2**20


def open_input(url: str, settings: ImportSettings) -> OpenedFile:
    """Read a file that is to be imported.

    Args:
        url: the file.
        settings: of the import; their encoding and limit of memory are used.

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
    return by_ending(plain) or detect(plain, file.text(), settings)

"""Open a file to import: decompress it, refuse what is no text and no table, name its format."""

import zlib
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.detect import by_ending, detect, refuse_other_kinds
from segscore.pipeline.importing.formats.format_heads import PARQUET_ENDINGS, without_compression
from segscore.pipeline.storage.memory import readable_size, row_group_limit

_PARQUET = b"PAR1"
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
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
    if content.startswith(_GZIP):
        content = _decompressed(url, partial(_gzip_chunks, content), limit)
    elif content.startswith(_ZSTD):
        content = _decompressed(url, partial(_zstd_chunks, content), limit)
    elif name != url.lower():
        raise Refused(f"{url}: is not compressed, as its name says; name it without the ending")
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


def _decompressed(url: str, chunks: Callable[[], Iterator[bytes]], limit: int) -> bytes:
    content = BytesIO()
    try:
        for chunk in chunks():
            content.write(chunk)
            if content.tell() > limit:
                raise Refused(
                    f"{url}: takes more than {readable_size(limit)} decompressed, the most that is "
                    "read at once"
                )
    except (zlib.error, EOFError, OSError, pa.ArrowException) as problem:
        raise Refused(f"{url}: cannot be decompressed ({problem}); is it complete?") from problem
    return content.getvalue()


def _gzip_chunks(content: bytes) -> Iterator[bytes]:
    """Yield the decompressed text of all members of a gzip file."""
    rest = content
    while rest.strip(b"\0"):
        member = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        while not member.eof:
            chunk = member.decompress(rest, _CHUNK)
            rest = member.unconsumed_tail
            if not chunk and not rest and not member.eof:
                raise EOFError("it ends too early")
            yield chunk
        rest = member.unused_data


def _zstd_chunks(content: bytes) -> Iterator[bytes]:
    with pa.CompressedInputStream(pa.BufferReader(content), "zstd") as stream:
        while chunk := stream.read(_CHUNK):
            yield chunk

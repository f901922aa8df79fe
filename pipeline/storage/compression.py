"""Files compressed with gzip or Zstandard: their names, and their content within a limit."""

import zlib
from collections.abc import Iterator

import pyarrow as pa

from segscore.pipeline.errors import Refused
from segscore.pipeline.storage.memory import readable_size

_ENDINGS = (".gz", ".zst", ".zstd")
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"


def without_compression(name: str) -> str:
    """Return the name of a file without the ending of its compression, in any case."""
    ending = next((ending for ending in _ENDINGS if name.lower().endswith(ending)), "")
    return name[: len(name) - len(ending)]


def is_compressed(content: bytes) -> bool:
    """Return whether the content of a file begins as gzip or Zstandard does."""
    return content.startswith((_GZIP, _ZSTD))


def decompressed(url: str, content: bytes, limit: int, size: int) -> Iterator[bytes]:
    """Decompress the content of a file in chunks, so that a small file cannot fill the memory.

    A chunk has at most ``size`` bytes, and all chunks together have at most ``limit``.

    Raises:
        Refused: the content is not compressed, is damaged, or is larger than the limit.
    """
    if not is_compressed(content):
        raise Refused(f"{url}: is not compressed, as its name says; name it without the ending")
    chunks = _gzip_chunks if content.startswith(_GZIP) else _zstd_chunks
    total = 0
    try:
        for chunk in chunks(content, size):
            total += len(chunk)
            if total > limit:
                raise Refused(
                    f"{url}: takes more than {readable_size(limit)} decompressed, the most that is "
                    "read at once; raise --memory-limit or divide the file"
                )
            yield chunk
    except (zlib.error, EOFError, OSError, pa.ArrowException) as problem:
        raise Refused(f"{url}: cannot be decompressed ({problem}); is it complete?") from problem


def _gzip_chunks(content: bytes, size: int) -> Iterator[bytes]:
    """Yield the decompressed text of all members of a gzip file."""
    rest = content
    while rest.strip(b"\0"):
        member = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        while not member.eof:
            chunk = member.decompress(rest, size)
            rest = member.unconsumed_tail
            if not chunk and not rest and not member.eof:
                raise EOFError("it ends too early")
            yield chunk
        rest = member.unused_data


def _zstd_chunks(content: bytes, size: int) -> Iterator[bytes]:
    with pa.CompressedInputStream(pa.BufferReader(content), "zstd") as stream:
        while chunk := stream.read(size):
            yield chunk

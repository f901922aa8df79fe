"""Files compressed with gzip or Zstandard: their names, and their content within a limit."""

import gzip
import io
import re
import zlib
from collections.abc import Iterator

import pyarrow as pa

from segscore.pipeline.errors import Refused
from segscore.pipeline.storage.memory import readable_size

_ENDINGS = (".gz", ".zst", ".zstd")
_GZIP = b"\x1f\x8b"
_ZSTD = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")
"""First bytes of a frame of Zstandard with content, or of one that is skipped (RFC 8878, 3.1)."""


def without_compression(name: str) -> str:
    """Return the name of a file without the ending of its compression, in any case."""
    ending = next((ending for ending in _ENDINGS if name.lower().endswith(ending)), "")
    return name[: len(name) - len(ending)]


def is_compressed(content: bytes) -> bool:
    """Return whether the content of a file begins as gzip or Zstandard does."""
    return content.startswith(_GZIP) or _ZSTD.match(content) is not None


def decompressed(url: str, content: bytes, limit: int, size: int) -> Iterator[bytes]:
    """Decompress the content of a file in chunks, so that a small file cannot fill the memory.

    A chunk has at most ``size`` bytes, and all chunks together have at most ``limit``.

    Raises:
        Refused: the content is not compressed, is damaged, or is larger than the limit.
    """
    if not is_compressed(content):
        raise Refused(f"{url}: is not compressed, as its name says; name it without the ending")
    total = 0
    try:
        with _decompressing(content) as stream:
            while chunk := stream.read(size):  # of all members of a gzip file, however small
                total += len(chunk)
                if total > limit:
                    raise Refused(
                        f"{url}: takes more than {readable_size(limit)} decompressed, the most "
                        "that is read at once; raise --memory-limit or divide the file"
                    )
                yield chunk
    except (zlib.error, EOFError, OSError, pa.ArrowException) as problem:
        raise Refused(f"{url}: cannot be decompressed ({problem}); is it complete?") from problem


def _decompressing(content: bytes) -> gzip.GzipFile | pa.CompressedInputStream:
    if content.startswith(_GZIP):
        return gzip.GzipFile(fileobj=io.BytesIO(content))
    return pa.CompressedInputStream(pa.BufferReader(content), "zstd")

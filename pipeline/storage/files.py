"""Read and write small files on a disk or in an object store, each whole or not at all.

Every function of this folder takes URLs, which ``object_stores`` resolves.  A failure of a store
raises `Refused` if settings are wrong (credentials, permission, the name of a bucket), and `Failed`
if no server answers or a disk is full.
"""

import codecs
import io
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from segscore.pipeline.errors import Failed, Inaccessible, Refused, reason_of
from segscore.pipeline.storage import temporary
from segscore.pipeline.storage.compression import decompressed, without_compression
from segscore.pipeline.storage.memory import readable_size
from segscore.pipeline.storage.object_stores import (
    Place,
    RemoteFile,
    explained,
    put,
    resolve,
)
from segscore.pipeline.storage.temporary import drop, take_place
from segscore.pipeline.storage.written import Written, described, note

BUFFER = 8 * 2**20


_TRIES = 10
"""Number of attempts to write a file whose folder others remove at the same time."""


def head(url: str, size: int) -> bytes | None:
    """Read the first bytes of a file; return None if it does not exist.

    Raises:
        Refused: the file cannot be read.
        Failed: no server answers.
    """
    place = resolve(url)
    try:
        with explained(place):
            if place.local and not os.path.exists(place.path):
                return None
            # A read from a terminal or a pipe could block.
            if place.local and not os.path.isfile(place.path):
                raise Refused(f"{url}: is not a file; name a file")
            with io.FileIO(place.path) if place.local else RemoteFile(place) as source:
                return source.read(size)
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise Inaccessible(f"{url}: cannot be read ({problem.strerror or problem})") from problem


def lines(url: str) -> Iterator[str]:
    r"""Read a UTF-8 text file line by line, split only at \n.

    Raises:
        Refused: the file does not exist, cannot be read, or is not UTF-8.
        Failed: no server answers.
    """
    with _reading(url) as file:
        yield from decoded_lines(url, file)


def decoded_lines(url: str, raw: Iterable[bytes], first: int = 1) -> Iterator[str]:
    """Decode the lines of a UTF-8 text file from number ``first`` on, and remove their ends.

    Raises:
        Refused: a line is not UTF-8.
    """
    for number, line in enumerate(raw, start=first):
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as problem:
            if number == 1 and line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                raise Refused(f"{url}: is UTF-16 text; save it as UTF-8") from problem
            raise Refused(
                f"{url}:{number}: not UTF-8 text ({problem.reason}); save it as UTF-8"
            ) from problem


def chunks(url: str, size: int) -> Iterator[bytes]:
    """Read an input file in chunks of a size; only the last may be shorter.

    Raises:
        Refused: the file does not exist, or cannot be read.
        Failed: no server answers.
    """
    with _reading(url) as file:
        while chunk := file.read(size):
            yield chunk


def text_chunks(url: str, size: int, limit: int) -> Iterator[bytes]:
    """Read a text file in chunks of at most ``size`` bytes, decompressed if its name says so.

    A compressed file may have at most ``limit`` bytes, before and after.

    Raises:
        Refused: the file does not exist, cannot be read or decompressed, or is too large.
        Failed: no server answers.
    """
    if without_compression(url) == url:
        yield from chunks(url, size)
    else:
        yield from decompressed(url, read_whole(url, limit), limit, size)


def read_lines(url: str, start: int, end: int) -> bytes:
    """Read the lines of an input file that begin at the bytes start..end-1.

    Raises:
        Refused: the file does not exist, or cannot be read.
        Failed: no server answers.
    """
    with _reading(url) as file:
        if start:
            file.seek(start - 1)
            file.readline()  # the rest of a line that begins before
        begin = file.tell()
        if begin >= end:
            return b""
        content = file.read(end - begin)
        return content if content.endswith(b"\n") else content + file.readline()


def count_newlines(url: str, end: int) -> int:
    """Count the ends of lines in the first bytes of an input file.

    Raises:
        Refused: the file does not exist, or cannot be read.
        Failed: no server answers.
    """
    count = 0
    with _reading(url) as file:
        while end > 0 and (chunk := file.read(min(end, BUFFER))):
            count += chunk.count(b"\n")
            end -= len(chunk)
    return count


def read_whole(url: str, limit: int) -> bytes:
    """Read an input file of at most ``limit`` bytes whole.

    Raises:
        Refused: the file does not exist, cannot be read, or is larger than the limit.
        Failed: no server answers.
    """
    with _reading(url) as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise Refused(f"{url}: is larger than {readable_size(limit)}, too large to be read at once")
    return content


@contextmanager
def _reading(url: str) -> Iterator[io.BufferedIOBase]:
    """Open an input file; refuse one that does not exist or cannot be read."""
    place = resolve(url)
    try:
        with explained(place):
            source = io.FileIO(place.path) if place.local else RemoteFile(place)
        with io.BufferedReader(source, BUFFER) as file:
            yield file
    except FileNotFoundError as problem:
        raise Inaccessible(f"{url}: no such file") from problem
    except (PermissionError, IsADirectoryError) as problem:
        raise Inaccessible(f"{url}: cannot be read as a file ({problem.strerror})") from problem


def read_text(url: str) -> str | None:
    """Read a small text file whole; return None if it does not exist.

    Raises:
        Refused: the file cannot be read, or is not UTF-8.
        Failed: no server answers.
    """
    place = resolve(url)
    try:
        with explained(place):
            content = bytes(place.files.cat_file(place.path))
        return content.decode()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as problem:
        raise Refused(f"{url}: cannot be read as text ({reason_of(problem)})") from problem


def _write(url: str, content: bytes | memoryview, *, new: bool = False) -> None:
    """Write a file whole or not at all; with ``new``, fail if it exists already."""
    place = resolve(url)
    with explained(place):
        if place.local:
            _write_to_disk(place, content, new=new)
        else:
            put(place, bytes(content), new=new)
            note(url, iter([content]))


def _write_to_disk(place: Place, content: bytes | memoryview, *, new: bool) -> None:
    for tries_left in reversed(range(_TRIES)):
        path = temporary.path_beside(place)
        try:
            with open(path, "wb") as file:
                file.write(content)
            take_place(path, place, new=new)
            return
        except FileNotFoundError:  # another job removed the folder, which was empty, just now
            if not tries_left:
                raise
        except OSError as problem:
            problem.filename, problem.filename2 = place.path, None  # not the temporary name
            raise
        finally:
            drop(path)


def write_text(url: str, text: str) -> None:
    """Write a small text file whole or not at all.

    Raises:
        Refused: the bucket does not exist, or permission is missing.
        Failed: no space is left, or no server answers.
    """
    _write(url, text.encode())


def write_new_text(url: str, text: str) -> None:
    """Write a small text file that must not exist yet; only one of several writers succeeds.

    Raises:
        FileExistsError: another writer created the file.
        Refused: the bucket does not exist, or permission is missing.
        Failed: no space is left, or no server answers.
    """
    write_new_bytes(url, text.encode())


def write_new_bytes(url: str, content: bytes | memoryview) -> None:
    """Write a file that must not exist yet; the errors are those of ``write_new_text``."""
    _write(url, content, new=True)


def write_bytes(url: str, content: bytes | memoryview) -> None:
    """Write a file whole or not at all.

    Raises:
        Failed: the file cannot be written; never Refused, because work has begun by then.
    """
    with failing(resolve(url)):
        _write(url, content)


def file_size(url: str) -> int:
    """Return the size of a file in bytes.

    Raises:
        Failed: the file does not exist, is not a regular file, or cannot be queried.
    """
    place = resolve(url)
    try:
        with explained(place):
            info = place.files.info(place.path)
    except (OSError, Refused) as problem:
        raise Failed(f"{url}: cannot be read ({reason_of(problem)})") from problem
    if info["type"] != "file":
        raise Failed(f"{url}: cannot be read (not a regular file)")
    return int(info["size"])


def is_as_written(url: str, written: Written) -> bool:
    """Return whether a file has the size and the content that were noted when it was written."""
    try:
        return file_size(url) == written.size and described(chunks(url, BUFFER)) == written
    except (Failed, Refused):
        return False


def read_bytes(url: str) -> bytes:
    """Read a file whole.

    Raises:
        Failed: the file does not exist, or cannot be read.
    """
    place = resolve(url)
    try:
        with explained(place):
            return bytes(place.files.cat_file(place.path))
    except (OSError, Refused) as problem:
        raise Failed(f"{url}: cannot be read ({reason_of(problem)})") from problem


def read_ranges(ranges: Mapping[str, tuple[int, int]]) -> list[bytes]:
    """Read one range of each file, from its start to its end in bytes; all are in one store.

    Raises:
        FileNotFoundError: a file does not exist.
        Failed: a file is shorter, or cannot be read.
    """
    places = [resolve(url) for url in ranges]
    if not places:
        return []
    starts, ends = zip(*ranges.values(), strict=True)
    try:
        with explained(places[0]):
            paths = [place.path for place in places]
            contents = places[0].files.cat_ranges(paths, starts, ends, on_error="return")
            for url, content in zip(ranges, contents, strict=True):
                if isinstance(content, FileNotFoundError):
                    raise FileNotFoundError(url) from content
                if isinstance(content, Exception):
                    raise content
    except FileNotFoundError:
        raise
    except (OSError, Refused) as problem:
        raise Failed(f"{places[0].url}: cannot be read ({reason_of(problem)})") from problem
    for url, content, (start, end) in zip(ranges, contents, ranges.values(), strict=True):
        if len(content) != end - start:
            raise Failed(f"{url}: is not as it was written")
    return [*map(bytes, contents)]


@contextmanager
def failing(place: Place) -> Iterator[None]:
    """Turn errors of a write, except FileNotFoundError, into Failed with the URL of the file."""
    try:
        with explained(place):
            yield
    except Refused as problem:
        raise Failed(str(problem)) from problem
    except FileNotFoundError:
        raise
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise Failed(f"{place.url}: cannot be written ({reason})") from problem

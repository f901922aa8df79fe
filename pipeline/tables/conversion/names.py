"""Name the document, coder and role of a shape: from its file, options, or the file name."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import PurePosixPath

from segscore.pipeline.tables.formats.asked import Asked, InputFile
from segscore.pipeline.tables.formats.format_heads import without_compression
from segscore.pipeline.tables.formats.rows import is_given
from segscore.pipeline.tables.formats.shapes import Shape


@dataclass(frozen=True)
class NamedShape:
    """A shape with its document, coder and role."""

    shape: Shape
    file: InputFile
    document_id: str
    coder: str
    role: str


@dataclass(frozen=True)
class ReadFile:
    """A file, the shapes that its reader yielded, and the endings that its format may have."""

    file: InputFile
    shapes: Sequence[Shape]
    endings: Sequence[str]


def without_endings(name: str, endings: Sequence[str]) -> str:
    """Return the name of a file without its endings: one of those given, else the last."""
    plain = without_compression(name)
    fitting = [e for e in endings if plain.lower().endswith(e) and len(e) < len(plain)]
    ending = max(fitting, key=len, default=PurePosixPath(plain).suffix)
    return plain[: len(plain) - len(ending)]


def name_shapes(files: Sequence[ReadFile], asked: Asked) -> list[NamedShape]:
    """Name every shape; a file's folder is part of a document's name only where names collide.

    Raises:
        Refused: a shape has no coder, and none was given.
    """
    named = [one for read in files for one in _named(read, asked)]
    by_file = [one for one in named if one.shape.document_id is None and asked.document_id is None]
    if not by_file:
        return named
    sources = defaultdict(set)
    for one in by_file:
        sources[one.document_id, one.coder, one.role].add(one.file.url)
    colliding = {key[0] for key, urls in sources.items() if len(urls) > 1}
    shared = shared_folders([read.file.url for read in files])
    return [
        _in_folder(one, shared) if one in by_file and one.document_id in colliding else one
        for one in named
    ]


def shared_folders(urls: Sequence[str]) -> int:
    """Return how many folders the URLs have in common; os.path would not handle s3://."""
    levels = zip(*(url.split("/")[:-1] for url in urls), strict=False)
    return len([*takewhile(lambda names: len(set(names)) == 1, levels)])


def name_of_file(url: str, urls: Sequence[str]) -> str:
    """Return the document's name for a file, with its folder if another file has the same name."""
    name = without_endings(PurePosixPath(url).name, ())
    same = [u for u in urls if without_endings(PurePosixPath(u).name, ()) == name]
    folders = url.split("/")[shared_folders(urls) : -1] if len({*same}) > 1 else []
    return "/".join([*folders, name])


def _named(read: ReadFile, asked: Asked) -> Iterator[NamedShape]:
    own = asked.document_id or without_endings(read.file.name, read.endings)
    for shape in read.shapes:
        coder = is_given(shape.coder or asked.coder, "coder", shape.place)
        role = shape.role or asked.role
        yield NamedShape(shape, read.file, shape.document_id or own, coder, role)


def _in_folder(one: NamedShape, shared: int) -> NamedShape:
    folders = one.file.url.split("/")[shared:-1]
    name = "/".join([*folders, one.document_id])
    return NamedShape(one.shape, one.file, name, one.coder, one.role)

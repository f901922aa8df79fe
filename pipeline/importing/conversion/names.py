"""Name the document, coder and role of a shape: from its file, options, or the file name."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import PurePosixPath

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.folders import Folders, is_of_a_side
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Positions, Shape
from segscore.pipeline.storage.compression import without_compression
from segscore.schemas.input_columns import TABLE_ROLES


@dataclass(frozen=True)
class NamedShape:
    """A shape, with the attributes of its folders, and its document, coder and role.

    If it is named ``by_file``, neither the file, its folders nor an option names the document. If
    an option names its coder, ``folders`` are its folders that are no columns, with slashes.
    """

    shape: Shape
    file: OpenedFile
    document_id: str
    coder: str
    role: str
    by_file: bool
    folders: str | None = None


@dataclass(frozen=True)
class ReadFile:
    """A file, what its reader yielded, the endings that its format may have, and its name."""

    file: OpenedFile
    shapes: Sequence[Shape]
    endings: Sequence[str]
    positions: Sequence[Positions] = ()
    format_name: str = ""


def without_endings(name: str, endings: Sequence[str]) -> str:
    """Return the name of a file without its endings: one of those given, else the last."""
    plain = without_compression(name)
    fitting = [e for e in endings if plain.lower().endswith(e) and len(e) < len(plain)]
    ending = max(fitting, key=len, default=PurePosixPath(plain).suffix)
    return plain[: len(plain) - len(ending)]


def name_shapes(
    files: Iterable[ReadFile], settings: ImportSettings, folders: Folders
) -> list[NamedShape]:
    """Name every shape; a document that its file does not name gets the name of the file.

    Raises:
        Refused: a shape has no coder, and none was given; or the role of a file is not clear.
    """
    return [one for read in files for one in _named(read, settings, folders)]


def name_in_folder(name: str, url: str, shared: int, own: Container[str] = ()) -> str:
    """Return the name of a document with the folder of its file, below the shared folders.

    Folders that say role or coder, and those that are the coder's ``own``, are left out, because
    several files of a document differ in them.
    """
    folders = [
        folder
        for folder in url.split("/")[shared:-1]
        if not is_of_a_side(folder) and folder not in own
    ]
    return "/".join([*folders, name])


def shared_folders(urls: Sequence[str]) -> int:
    """Return how many folders the URLs have in common; os.path would not handle s3://."""
    levels = zip(*(url.split("/")[:-1] for url in urls), strict=False)
    return len([*takewhile(lambda names: len(set(names)) == 1, levels)])


def names_of_files(urls: Sequence[str]) -> dict[str, str]:
    """Return file -> name of its document, with its folder if others have the same name."""
    stems = {url: without_endings(PurePosixPath(url).name, ()) for url in urls}
    count = Counter(stems.values())
    shared = shared_folders(urls)
    return {
        url: name_in_folder(stem, url, shared) if count[stem] > 1 else stem
        for url, stem in stems.items()
    }


def new_name(coder: str, role: str | None, names: Mapping[str, str] | None) -> str:
    """Return the name that a coder gets by `--rename-coders`; systems may keep theirs.

    Raises:
        Refused: the names do not have a coder of references, so that a name that is to be hidden
            would stay.
    """
    if names is None or coder in names or coder in names.values():
        return coder if names is None else names.get(coder, coder)
    if role != TABLE_ROLES["hypotheses"]:
        raise Refused(
            f"--rename-coders: the file does not list {coder}; add a line {coder},NAME, or "
            f"{coder},{coder} to keep the name"
        )
    return coder


def _named(read: ReadFile, settings: ImportSettings, folders: Folders) -> Iterator[NamedShape]:
    told = folders.values(read.file.url)
    given = told.document_id or settings.document_id
    own = given or without_endings(read.file.name, read.endings)
    for shape in read.shapes:
        if shape.role is None and told.role is None and settings.role is None:
            folders.refuse_unknown_role(read.file.url)
        coder = shape.coder or told.coder or settings.coder
        if coder is None and read.file.names_coder:
            coder = without_endings(read.file.name, read.endings)
            read.file.notes.add("coder_of_file", coder)
        if coder is None:
            raise shape.place.refusal(
                "the file names no coder; name the coder with --coder, or by a folder coder=NAME"
            )
        role = shape.role or told.role or settings.default_role
        is_option = shape.coder is None and told.coder is None and not read.file.names_coder
        plain = folders.plain(read.file.url) if is_option else None
        coder = new_name(coder, role, settings.rename_coders)
        by_file = shape.document_id is None and given is None
        shape = replace(shape, attributes={**told.attributes, **shape.attributes})
        yield NamedShape(shape, read.file, shape.document_id or own, coder, role, by_file, plain)

"""Write the tracks of documents as files of a program."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.formats.format import Format
from segscore.pipeline.importing.formats.known import FORMATS
from segscore.pipeline.importing.text_around import read_texts
from segscore.pipeline.importing.tracks import EDIT_TRACKS, DocumentTracks
from segscore.pipeline.plain_text import CONTROLS
from segscore.pipeline.reports.export.read_tracks import read_tracks
from segscore.pipeline.reports.export.settings import ExportSettings
from segscore.pipeline.reports.export.texts import BRAT, MarkedText

_FOLDERS = {"reference": "references", "hypothesis": "hypotheses", EDIT_TRACKS: EDIT_TRACKS}
_NOT_IN_NAMES = re.compile(rf'{CONTROLS.pattern}|[/\\:*?"<>|%]|^\.|\.$')
"""Characters that not every file system allows in a name; and dots that mean folders."""

_LONGEST = 230
"""Bytes that a name on a disk may have, which are 255 with what temporary names add."""


@dataclass(frozen=True)
class Exported:
    """The files of an export.

    Attributes:
        files: location, relative to the output, and text.  The location of an only file of one
            document is empty: the output is the file.
        documents: number of documents.
        left_out: number of documents without a segmentation by the chosen coders.
    """

    files: Mapping[str, str]
    documents: int
    left_out: int


def export_tracks(settings: ExportSettings) -> Exported:
    """Make the files of an export.

    Raises:
        Refused: as ``read_tracks``; or there are several documents and no output.
    """
    documents, left_out = read_tracks(
        settings.source,
        settings.document,
        settings.coder,
        trust_inputs=settings.trust_inputs,
        in_units=settings.units is not None,
    )
    if settings.units is not None:
        files = _files_of_texts(settings.format_name, settings.units, documents)
        if settings.output is None and len(files) > 1:
            raise Refused(f"--format {settings.format_name}: name a folder with --output")
        return Exported(files, len(documents), left_out)
    known = FORMATS[settings.format_name]
    if len(documents) == 1 and settings.document is not None:
        return Exported(_files_of(known, documents[0]), 1, left_out)
    if settings.output is None:
        raise Refused(
            f"{settings.source}: has {len(documents)} documents; name a folder with --output, or "
            "one document with --document"
        )
    files = {}
    for document in documents:
        own = _file_name(document.document) + _ending(known)
        for name, text in _files_of(known, document, alone=False).items():
            files[name or own] = text
    return Exported(files, len(documents), left_out)


def _files_of(known: Format, document: DocumentTracks, *, alone: bool = True) -> dict[str, str]:
    """Return the files of a document; an only file has no name if it is alone."""
    if known.write is not None:
        return {"": known.write(document)}
    assert known.write_track is not None
    if alone and len(document.tracks) == 1:
        return {"": known.write_track(document, document.tracks[0])}
    name = _file_name(document.document) + _ending(known)
    return {
        f"{_FOLDERS[track.role]}/{_file_name(track.name)}/{name}": known.write_track(
            document, track
        )
        for track in document.tracks
    }


def _files_of_texts(
    format_name: str, units: str, documents: Sequence[DocumentTracks]
) -> dict[str, str]:
    """Return the files of documents with their texts: for brat, two for each track."""
    texts = read_texts(units, {each.document: each.n_units for each in documents})
    files: dict[str, str] = {}
    for document in documents:
        marked, name = MarkedText(document, texts[document.document]), _file_name(document.document)
        if format_name != BRAT:
            files["" if len(documents) == 1 else f"{name}.json"] = marked.label_studio()
            continue
        for track in document.tracks:
            place = f"{_FOLDERS[track.role]}/{_file_name(track.name)}/{name}"
            files |= {f"{place}.txt": marked.text + "\n", f"{place}.ann": marked.brat(track)}
    return files


def _ending(known: Format) -> str:
    return (*known.endings, *known.shared)[0]


def write_export(output: str, files: Mapping[str, str]) -> list[str]:
    """Write the files of an export, and return their locations.

    Raises:
        Refused: one of them exists already, or the output is in a store that cannot be written to.
    """
    storage.require_writable_store("--output", output)
    urls = [storage.join(output, name) if name else output for name in files]
    for name in files if storage.is_local(output) else ():
        _require_short(output, name)
    for url in urls:
        if storage.head(url, 0) is not None:
            raise _exists(url)
    for url, text in zip(urls, files.values(), strict=True):
        try:
            storage.write_new_text(url, text)
        except (FileExistsError, NotADirectoryError) as problem:
            raise _exists(url) from problem
    return urls


def _require_short(output: str, name: str) -> None:
    """Refuse a file or folder with a name that disks do not allow, before anything is written."""
    for part in name.split("/"):
        if len(part.encode()) > _LONGEST:
            raise Refused(
                f"--output {output}: {part[:40]}… would be a name of {len(part.encode())} "
                f"bytes, where {_LONGEST} are allowed; leave its document out, or export it alone "
                "with --document to a file that you name"
            )


def _exists(url: str) -> Refused:
    return Refused(f"--output {url}: exists already; choose another name, or remove it first")


def _file_name(name: str) -> str:
    """Return a name as a file may have it: other characters become %XX, as in URLs.

    So do those that a terminal would not show as they are.
    """
    return _NOT_IN_NAMES.sub(lambda one: _percent(one[0]), name)


def _percent(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))

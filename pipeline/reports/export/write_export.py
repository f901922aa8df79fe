"""Write the tracks of a document as files of a program."""

import re
from collections.abc import Mapping

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.formats.known import FORMATS
from segscore.pipeline.importing.tracks import EDIT_TRACKS
from segscore.pipeline.reports.export.read_tracks import read_tracks
from segscore.pipeline.reports.export.settings import ExportSettings

_FOLDERS = {"reference": "references", "hypothesis": "hypotheses", EDIT_TRACKS: EDIT_TRACKS}
_NOT_IN_NAMES = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|%]|^\.|\.$')
"""Characters that not every file system allows in a name; and dots that mean folders."""


def export_tracks(settings: ExportSettings) -> dict[str, str]:
    """Return the files of an export: location, relative to the output, and text.

    The location of an only file is empty: the output is the file.

    Raises:
        Refused: as ``read_tracks``.
    """
    document = read_tracks(settings.source, settings.document, settings.coder)
    known = FORMATS[settings.format_name]
    if known.write is not None:
        return {"": known.write(document)}
    assert known.write_track is not None
    if len(document.tracks) == 1:
        return {"": known.write_track(document, document.tracks[0])}
    name = _file_name(document.document) + (*known.endings, *known.shared)[0]
    return {
        f"{_FOLDERS[track.role]}/{_file_name(track.name)}/{name}": known.write_track(
            document, track
        )
        for track in document.tracks
    }


def write_export(output: str, files: Mapping[str, str]) -> list[str]:
    """Write the files of an export, and return their locations.

    Raises:
        Refused: one of them exists already, or the output is in a store that cannot be written to.
    """
    storage.require_writable_store("--output", output)
    urls = [storage.join(output, name) if name else output for name in files]
    for url in urls:
        if storage.head(url, 0) is not None:
            raise _exists(url)
    for url, text in zip(urls, files.values(), strict=True):
        try:
            storage.write_new_text(url, text)
        except (FileExistsError, NotADirectoryError) as problem:
            raise _exists(url) from problem
    return urls


def _exists(url: str) -> Refused:
    return Refused(f"--output {url}: exists already; choose another name, or remove it first")


def _file_name(name: str) -> str:
    """Return a name as a file may have it: other characters become %XX, as in URLs."""
    return _NOT_IN_NAMES.sub(lambda one: f"%{ord(one[0]):02X}", name)

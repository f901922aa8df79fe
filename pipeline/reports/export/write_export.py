"""Write the tracks of a document as files of a program."""

import re
from collections.abc import Callable, Mapping

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.reports.export.audacity import audacity_text
from segscore.pipeline.reports.export.label_studio import label_studio_text
from segscore.pipeline.reports.export.read_tracks import read_tracks
from segscore.pipeline.reports.export.settings import ExportSettings
from segscore.pipeline.reports.export.textgrid import textgrid_text
from segscore.pipeline.reports.export.tracks import EDIT_TRACKS, DocumentTracks, Track
from segscore.pipeline.reports.export.webvtt import webvtt_text

_ONE_TRACK: Mapping[str, tuple[str, Callable[[DocumentTracks, Track], str]]] = {
    "webvtt": (".vtt", webvtt_text),
    "audacity": (".txt", audacity_text),
}
"""Formats whose files have one track: ending, and function that makes the text."""

_ALL_TRACKS: Mapping[str, Callable[[DocumentTracks], str]] = {
    "textgrid": textgrid_text,
    "label-studio": label_studio_text,
}
"""Formats whose files have all tracks."""

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
    if settings.format_name in _ALL_TRACKS:
        return {"": _ALL_TRACKS[settings.format_name](document)}
    ending, text_of = _ONE_TRACK[settings.format_name]
    if len(document.tracks) == 1:
        return {"": text_of(document, document.tracks[0])}
    name = _file_name(document.document) + ending
    return {
        f"{_FOLDERS[track.role]}/{_file_name(track.name)}/{name}": text_of(document, track)
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

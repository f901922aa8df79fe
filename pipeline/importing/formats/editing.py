"""Labels and markers of editing programs: Audacity, EDL and Premiere."""

import re
from collections.abc import Iterator

from segscore.pipeline.importing.formats.format import (
    CSV_ENDINGS,
    FRAMES,
    TEXT_ENDINGS,
    Format,
    Head,
)
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Intervals, Mark, Marks, Moment, Segment
from segscore.pipeline.importing.tracks import DocumentTracks, Track, in_seconds
from segscore.pipeline.tables.rows import RowPlace, shown
from segscore.pipeline.tables.units import MILLISECOND


def read_audacity(file: OpenedFile, settings: ImportSettings) -> Iterator[Intervals]:
    r"""Yield one segmentation: a label track, in the order of the file.

    Cells have tabs or other white space between them, as in the .lab files of music. Lines of
    frequencies, which begin with \, and blank lines are skipped.

    Raises Refused for a line without two times.
    """
    segments, whole = [], True
    for place, line in file.lines_with_text():
        if line.startswith("\\"):
            continue
        cells = line.split("\t") if "\t" in line else line.split(maxsplit=2)
        if len(cells) < 2:
            raise place.refusal(
                f"{shown(line)} is not a label; expected start, end, text and tabs or spaces"
            )
        unit = settings.clock.unit or "s"
        start, end = (settings.clock.time(cell, place, unit=unit) for cell in cells[:2])
        whole = whole and all(map(_WHOLE.fullmatch, cells[:2]))
        segments.append(Segment(start, end, place.line, name="\t".join(cells[2:])))
    if not segments:
        raise file.refusal("the file contains no labels")
    if whole and settings.clock.unit is None:
        file.notes.doubts.append(
            "whole numbers of starts and ends were read as seconds; --time-unit frames, ms or s "
            "says what they are"
        )
    yield Intervals(place=file.place(1), unit=MILLISECOND, segments=segments, ordered=True)


_WHOLE = re.compile(r"[0-9]+")
_TIMECODE = re.compile(r"([0-9]{1,3})[:;]([0-9]{2})[:;]([0-9]{2})([:;])([0-9]{2,3})")


def timecode_mark(text: str, place: RowPlace, settings: ImportSettings) -> Mark:
    """Return the mark at HH:MM:SS:FF, or at HH:MM:SS;FF or HH;MM;SS;FF, which drop frames.

    Raises Refused for anything else, and if `--frame-rate` is not given.
    """
    timecode = _TIMECODE.fullmatch(text.strip())
    if not timecode:
        raise place.refusal(f"{shown(text)} is not timecode; expected HH:MM:SS:FF")
    hours, minutes, seconds, drop, frames = timecode.groups()
    moment = settings.clock.time(f"{hours}:{minutes}:{seconds}{drop}{frames}", place)
    return Mark(Moment(moment.exact, timecode[0]), place.line)


_LOCATOR = re.compile(r"\*\s*LOC:\s*(\S*)")
_RESOLVE = re.compile(r"\|C:\S* \|M:")
_EVENT = re.compile(r"[0-9]+")
_FEWEST = 8
"""Fields of an event: number, reel, track, transition and four timecodes."""


def read_edl(file: OpenedFile, settings: ImportSettings) -> Iterator[Marks]:
    """Yield one segmentation: each marker is a point.

    A locator states its record timecode; a marker of Resolve is at the record in of the event
    above it. Events without markers are cuts between shots and are not read.

    Raises Refused for a malformed timecode of a marker, or if there is no marker.
    """
    marks = []
    event: tuple[str, RowPlace] | None = None
    for place, line in file.lines_with_text():
        text = line.strip()
        if locator := _LOCATOR.match(text):
            marks.append(timecode_mark(locator[1], place, settings))
        elif _RESOLVE.match(text):
            if event is None:
                raise place.refusal("a marker without an event above it; expected its timecode")
            marks.append(timecode_mark(*event, settings))
        elif len(fields := text.split()) >= _FEWEST and _EVENT.fullmatch(fields[0]):
            event = (fields[-2], place)
    if not marks:
        raise file.refusal(
            "the file contains no markers; its cuts divide shots, not segments; export markers "
            "(* LOC: comments, or in Resolve Timeline Markers to EDL)"
        )
    yield Marks(place=file.place(marks[0].line), unit=MILLISECOND, marks=marks)


CELLS = 6
_IN = 2


def read_premiere(file: OpenedFile, settings: ImportSettings) -> Iterator[Marks]:
    """Yield one segmentation: each marker is a point, at the timecode in the third column.

    Raises Refused for a line without six cells, a malformed timecode, or no marker.
    """
    marks = []
    for place, line in file.lines_with_text():
        cells = line.split("\t")
        if len(cells) != CELLS:
            raise place.refusal(
                f"{len(cells)} cells; expected {CELLS} with tabs between them: name, "
                "description, in, out, duration, type"
            )
        if place.line > 1:
            marks.append(timecode_mark(cells[_IN], place, settings))
    if not marks:
        raise file.refusal("the file contains no markers after the header")
    yield Marks(place=file.place(marks[0].line), unit=MILLISECOND, marks=marks)


def write_audacity(_: DocumentTracks, track: Track) -> str:
    """Return the text of a label track; an edit at one position is a label without a length."""
    return "".join(
        f"{in_seconds(region.start)}\t{in_seconds(region.end)}\t{region.text}\n"
        for region in track.regions
    )


_PREMIERE_TIME = re.compile(r"[0-9]{2,3}[:;][0-9]{2}[:;][0-9]{2}[:;][0-9]{2,3}")
_LABEL = re.compile(r"[0-9]+(\.[0-9]+)?\t[0-9]+(\.[0-9]+)?(\t.*)?")
_MASK = re.compile(r"[0-9]+\t[0-9]+\t[01]+")
_SPACED = re.compile(r" *([0-9]+(?:\.[0-9]+)?) +([0-9]+(?:\.[0-9]+)?)( +[^0-9 ].*)? *")


def _is_audacity(head: Head) -> bool:
    """Return whether the first label has two times; names and a mask may be numbers, too."""
    labels = (line for line in head.lines if line.strip() and not line.startswith("\\"))
    first, second = next(labels, ""), next(labels, "")
    if spaced := _SPACED.fullmatch(first):
        follows = _SPACED.fullmatch(second) if second else spaced
        ends = float(spaced[1]) < float(spaced[2])
        return follows is not None and ends and float(spaced[1]) <= float(follows[1])
    return bool(_LABEL.fullmatch(first)) and not _MASK.fullmatch(first)


def _is_premiere(head: Head) -> bool:
    """Return whether the first marker has six cells with tabs, the third of them timecode."""
    markers = (line.split("\t") for line in head.lines[1:] if line.strip())
    first = next(markers, [])
    cells = len(head.lines[0].split("\t"))
    return cells == len(first) == CELLS and bool(_PREMIERE_TIME.fullmatch(first[2].strip()))


FORMATS = (
    Format(
        "audacity",
        read_audacity,
        shared=(*TEXT_ENDINGS, ".lab"),
        content=_is_audacity,
        options=FRAMES,
        write_track=write_audacity,
    ),
    Format("premiere", read_premiere, shared=CSV_ENDINGS, content=_is_premiere, options=FRAMES),
    Format("edl", read_edl, endings=(".edl",), options=FRAMES),
)
"""Formats that look like masks or interval tables; they are tried before these."""

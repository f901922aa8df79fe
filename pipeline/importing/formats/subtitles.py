"""WebVTT and SubRip: a cue is a chapter."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby

from segscore.pipeline.importing.formats.chapter_texts import chapter_list
from segscore.pipeline.importing.formats.format import Format
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Segment, Shape
from segscore.pipeline.importing.times import Clock
from segscore.pipeline.importing.tracks import DocumentTracks, Track, shown_end

ARROW = "-->"
CueBlock = Sequence[tuple[int, str]]
"""Lines that are not blank, with their numbers."""


def blocks_of(file: OpenedFile) -> Iterator[CueBlock]:
    """Yield the blocks of a file."""
    numbered = enumerate(file.lines(), start=1)
    for blank, lines in groupby(numbered, lambda line: not line[1].strip()):
        if not blank:
            yield list(lines)


def read_cues(
    blocks: Iterable[CueBlock], timing: re.Pattern[str], file: OpenedFile, clock: Clock
) -> Iterator[Segment]:
    """Yield the cues of some blocks; a line with an arrow starts one, wherever it is in a block.

    `timing` is what such a line must look like; its groups are start and end.

    Raises:
        Refused: a line with an arrow is malformed, or a block has none in its first two lines.
    """
    expected = "START --> END, with three digits after the seconds"
    for block in blocks:
        number, first = block[0]
        if not any(ARROW in line for _, line in block[:2]):
            raise file.place(number).wrong("a cue without a time line", first, expected)
        for number, line in block:
            if ARROW in line:
                place = file.place(number)
                times = timing.fullmatch(line.strip())
                if times is None:
                    raise place.wrong("a time line", line, expected)
                start, end = (clock.time(times[group], place) for group in (1, 2))
                yield Segment(start, end, number)


_VTT_TIME = r"(?:[0-9]{1,5}:)?[0-9]{2}:[0-9]{2}\.[0-9]{3}"
_VTT_TIMING = re.compile(rf"({_VTT_TIME})[ \t]*-->[ \t]*({_VTT_TIME})(?:[ \t].*)?")
_HEADER = re.compile(r"WEBVTT(?:[ \t].*)?")
_NO_CUE = re.compile(r"NOTE(?:[ \t].*)?|(?:STYLE|REGION)[ \t]*")


def read_webvtt(file: OpenedFile, settings: ImportSettings) -> Iterator[Shape]:
    """Yield the cues; the header and blocks of NOTE, STYLE and REGION are skipped.

    Raises Refused if the line WEBVTT is missing, for a malformed time line, a block without one, a
    time line inside a comment, or a file without a cue.
    """
    first = next(file.lines(), "")
    if not _HEADER.fullmatch(first):
        raise file.place(1).wrong("the first line", first, "WEBVTT, as WebVTT files begin")
    blocks = (part for block in blocks_of(file) if (part := _without_comments(block, file)))
    cues = list(read_cues(blocks, _VTT_TIMING, file, settings.clock))
    yield chapter_list(_with_levels(cues), file.place(1))


def _without_comments(block: CueBlock, file: OpenedFile) -> CueBlock:
    """Return the part of a block that has cues; it is empty in comments, styles and regions."""
    number, first = block[0]
    if number == 1:
        # Cues may follow the header without a blank line.
        arrows = [index for index, (_, line) in enumerate(block) if ARROW in line]
        return block[arrows[0] :] if arrows else []
    if not _NO_CUE.fullmatch(first):
        return block
    for number, line in block[1:]:
        if _VTT_TIMING.fullmatch(line.strip()):
            raise file.place(number).wrong(
                f"a line of a block {first[:6].strip()}",
                line,
                "no time line, which players take for a cue; remove it, or the line above it",
            )
    return []


def _with_levels(cues: Sequence[Segment]) -> list[Segment]:
    """Return the cues with their levels: 1, and one more for each cue that a cue is within."""
    levels = {}
    around: list[Fraction] = []
    spans = [(cue.start.exact, cue.end.exact) for cue in cues if cue.end is not None]
    for index in sorted(range(len(spans)), key=lambda index: (spans[index][0], -spans[index][1])):
        start, end = spans[index]
        while around and (end > around[-1] or start >= around[-1]):
            around.pop()
        around.append(end)
        levels[index] = len(around)
    return [replace(cue, level=levels[index]) for index, cue in enumerate(cues)]


# Programs differ on what ",5" is, so there must be three digits.
_SRT_TIME = r"[0-9]{1,5}:[0-9]{2}:[0-9]{2}[,.][0-9]{3}"
_SRT_TIMING = re.compile(rf"({_SRT_TIME})[ \t]*-->[ \t]*({_SRT_TIME})(?:[ \t].*)?")


def read_subrip(file: OpenedFile, settings: ImportSettings) -> Iterator[Shape]:
    """Yield the subtitles.

    Raises Refused for a malformed time line, a block without one, or a file without a subtitle.
    """
    cues = list(read_cues(blocks_of(file), _SRT_TIMING, file, settings.clock))
    yield chapter_list(cues, file.place(1))


def write_webvtt(document: DocumentTracks, track: Track) -> str:
    """Return the text of a WebVTT file with one track."""
    cues = []
    for region in track.regions:
        end = _clock_text(shown_end(region, track, document.n_units))
        cues.append(f"{_clock_text(region.start)} --> {end}\n{region.text}\n")
    return "\n".join(["WEBVTT\n", *cues])


def _clock_text(milliseconds: int) -> str:
    minutes, rest = divmod(milliseconds, 60_000)
    seconds, thousandths = divmod(rest, 1000)
    return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}.{thousandths:03}"


FORMATS = (
    Format("webvtt", read_webvtt, endings=(".vtt",), write_track=write_webvtt),
    Format("subrip", read_subrip, endings=(".srt",)),
)

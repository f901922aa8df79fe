"""Turns of speakers and transcripts: RTTM, STM, CTM and SegLST; regions in UEM."""

from collections.abc import Callable, Iterator

from segscore.pipeline.importing.formats.format import FRAMES, Format
from segscore.pipeline.importing.formats.values import named_id, required, whole_list
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Extent, Intervals, Moment, Segment
from segscore.pipeline.storage.compression import without_compression
from segscore.pipeline.tables.rows import RowPlace
from segscore.pipeline.tables.units import MILLISECOND

Turn = tuple[str, Segment]
"""The recording of a turn, and its start, end and speaker."""
ReadTurn = Callable[[list[str], RowPlace, ImportSettings], Turn | None]


def turns_of_lines(
    file: OpenedFile, settings: ImportSettings, read_turn: ReadTurn
) -> Iterator[Intervals]:
    """Yield one segmentation for each recording of a file with a turn in each line.

    `read_turn` gets the fields of a line, which white space separates; it returns None for a line
    that has no turn, which is counted. Blank lines are skipped.

    Raises Refused if no line has a turn; `read_turn` raises it for a malformed line.
    """
    turns = []
    for place, line in file.lines_with_text():
        turn = read_turn(line.split(), place, settings)
        if turn is None:
            file.notes.add("lines_not_taken", 1)
        else:
            turns.append(turn)
    return by_recording(file, turns)


def by_recording(file: OpenedFile, turns: list[Turn]) -> Iterator[Intervals]:
    """Yield one segmentation for each recording.

    Raises Refused if there is no turn.
    """
    recordings: dict[str, list[Segment]] = {}
    for recording, segment in turns:
        recordings.setdefault(recording, []).append(segment)
    if not recordings:
        raise file.refusal("the file contains no turns; check --format")
    for recording, segments in recordings.items():
        yield Intervals(
            place=file.place(segments[0].line),
            unit=MILLISECOND,
            document_id=recording,
            segments=segments,
            turns=True,
        )


def from_duration(
    fields: tuple[str, str, str], place: RowPlace, settings: ImportSettings
) -> Segment:
    """Return the turn with this start, duration and speaker; times are in seconds."""
    begin, duration, speaker = fields
    start = settings.clock.time(begin, place, unit="s")
    exact = start.exact + settings.clock.duration(duration, place, unit="s")
    return Segment(start, Moment(exact, f"{begin} + {duration}"), place.line, label=speaker)


def from_end(
    fields: tuple[object, object, str], place: RowPlace, settings: ImportSettings
) -> Segment:
    """Return the turn with this start, end and speaker; times are in seconds."""
    start, end = (settings.clock.time(value, place, unit="s") for value in fields[:2])
    return Segment(start, end, place.line, label=fields[2])


def require_fields(fields: list[str], fewest: int, what: str, place: RowPlace) -> None:
    """Raise Refused if a line has fewer fields; `what` names those it should have."""
    if len(fields) < fewest:
        raise place.refusal(f"{len(fields)} fields; expected at least {fewest}: {what}")


def read_rttm(file: OpenedFile, settings: ImportSettings) -> Iterator[Intervals]:
    """Yield one segmentation for each recording.

    Raises Refused for a line of SPEAKER without 9 or 10 fields, and for malformed times.
    """
    return turns_of_lines(file, settings, _rttm_turn)


def _rttm_turn(fields: list[str], place: RowPlace, settings: ImportSettings) -> Turn | None:
    if fields[0] != "SPEAKER":
        return None
    if len(fields) not in (9, 10):
        raise place.refusal(
            f"{len(fields)} fields; expected 9 or 10: SPEAKER, recording, channel, start, "
            "duration, <NA>, <NA>, speaker, <NA>, <NA>"
        )
    return fields[1], from_duration((fields[3], fields[4], fields[7]), place, settings)


_NOBODY = "inter_segment_gap"


def read_stm(file: OpenedFile, settings: ImportSettings) -> Iterator[Intervals]:
    """Yield one segmentation for each recording; comments and gaps between turns are counted.

    Raises Refused for a line of less than 5 fields, and for malformed times.
    """
    return turns_of_lines(file, settings, _stm_turn)


def _stm_turn(fields: list[str], place: RowPlace, settings: ImportSettings) -> Turn | None:
    if fields[0].startswith(";;"):
        return None
    require_fields(fields, 5, "recording, channel, speaker, start, end", place)
    recording, _, speaker, start, end = fields[:5]
    if speaker == _NOBODY:
        return None
    return recording, from_end((start, end, speaker), place, settings)


def read_ctm(file: OpenedFile, settings: ImportSettings) -> Iterator[Intervals]:
    """Yield one segmentation for each recording; the label of a word is its channel.

    A recording with one channel only is one segment, which is noted.

    Raises Refused for a line of less than 5 fields, and for malformed times.
    """
    for recording in turns_of_lines(file, settings, _word):
        if len({segment.label for segment in recording.segments}) == 1:
            file.notes.add("one_channel", str(recording.document_id))
        yield recording


def _word(fields: list[str], place: RowPlace, settings: ImportSettings) -> Turn | None:
    if fields[0].startswith(";;"):
        return None
    require_fields(fields, 5, "recording, channel, start, duration, word", place)
    recording, channel, start, duration = fields[:4]
    return recording, from_duration((start, duration, channel), place, settings)


def read_seglst(file: OpenedFile, settings: ImportSettings) -> Iterator[Intervals]:
    """Yield one segmentation for each session; times are seconds, as text or as numbers.

    Raises Refused for a turn without session_id, speaker, start_time or end_time.
    """
    place = file.place(1)
    turns = []
    for turn in whole_list(file, decimals=True):
        session, speaker = (
            named_id(required(turn, name, "a turn", place), name, place)
            for name in ("session_id", "speaker")
        )
        start, end = (required(turn, name, "a turn", place) for name in ("start_time", "end_time"))
        if not session:
            raise place.wrong("session_id", session, "a text of at least one character")
        turns.append((session, from_end((start, end, speaker or ""), place, settings)))
    return by_recording(file, turns)


def is_uem(file: OpenedFile) -> bool:
    """Return whether a file is of regions of recordings, by its name."""
    return without_compression(file.name).lower().endswith(".uem")


def read_regions(file: OpenedFile, settings: ImportSettings) -> list[tuple[str, Extent]]:
    """Return the recording and the region in each line of a UEM file.

    Raises:
        Refused: fewer than 4 fields, a malformed time, a region that ends before it starts or
            that has no length, or none at all.
    """
    regions: list[tuple[str, Extent]] = []
    for place, line in file.lines_with_text():
        fields = line.split()
        if fields[0].startswith(";;"):
            continue
        require_fields(fields, 4, "recording, channel, start, end", place)
        start, end = (settings.clock.time(text, place, unit="s").exact for text in fields[2:4])
        if end <= start:
            raise place.refusal(
                f"the region ends at {fields[3]}; expected an end after its start, {fields[2]}"
            )
        regions.append((fields[0], Extent(start, end, MILLISECOND, True, place)))
    if not regions:
        raise file.refusal("the file contains no regions; write recording, channel, start and end")
    return regions


FORMATS = (
    Format("rttm", read_rttm, endings=(".rttm",), options=FRAMES),
    Format("stm", read_stm, endings=(".stm",), options=FRAMES),
    Format("ctm", read_ctm, endings=(".ctm",), options=FRAMES),
    Format(
        "seglst",
        read_seglst,
        endings=(".seglst.json",),
        shared=(".json",),
        content=lambda head: "[].session_id" in head.keys,
        options=FRAMES,
    ),
)

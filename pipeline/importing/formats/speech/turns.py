"""Gather the turns of a file by recording, for RTTM, STM, CTM and SegLST."""

from collections.abc import Callable, Iterator

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.shapes import Intervals, Moment, Segment
from segscore.pipeline.tables.rows import RowPlace
from segscore.pipeline.tables.units import MILLISECOND

Turn = tuple[str, Segment]
"""The recording of a turn, and its start, end and speaker."""
ReadTurn = Callable[[list[str], RowPlace, Asked], Turn | None]


def turns_of_lines(file: OpenedFile, asked: Asked, read_turn: ReadTurn) -> Iterator[Intervals]:
    """Yield one segmentation for each recording of a file with a turn in each line.

    `read_turn` gets the fields of a line, which white space separates; it returns None for a line
    that has no turn, which is counted. Blank lines are skipped.

    Raises Refused if no line has a turn; `read_turn` raises it for a malformed line.
    """
    turns = []
    for number, line in enumerate(file.lines(), start=1):
        if fields := line.split():
            turn = read_turn(fields, file.place(number), asked)
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
        raise file.refusal("there is no turn in it; expected at least one; check --format")
    for recording, segments in recordings.items():
        yield Intervals(
            place=file.place(segments[0].line),
            unit=MILLISECOND,
            document_id=recording,
            segments=segments,
            turns=True,
        )


def from_duration(fields: tuple[str, str, str], place: RowPlace, asked: Asked) -> Segment:
    """Return the turn with this start, duration and speaker; times are in seconds."""
    begin, duration, speaker = fields
    start = asked.clock.time(begin, place, unit="s")
    exact = start.exact + asked.clock.duration(duration, place, unit="s")
    return Segment(start, Moment(exact, f"{begin} + {duration}"), place.line, label=speaker)


def from_end(fields: tuple[object, object, str], place: RowPlace, asked: Asked) -> Segment:
    """Return the turn with this start, end and speaker; times are in seconds."""
    start, end = (asked.clock.time(value, place, unit="s") for value in fields[:2])
    return Segment(start, end, place.line, label=fields[2])


def require_fields(fields: list[str], fewest: int, what: str, place: RowPlace) -> None:
    """Raise Refused if a line has fewer fields; `what` names those it should have."""
    if len(fields) < fewest:
        raise place.refusal(f"{len(fields)} fields; expected at least {fewest}: {what}")

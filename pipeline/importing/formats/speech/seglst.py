"""SegLST: a JSON list with one turn of a speaker per object."""

from collections.abc import Iterator

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.json_fields import named_id, required
from segscore.pipeline.importing.formats.json_values import json_objects
from segscore.pipeline.importing.formats.shapes import Intervals
from segscore.pipeline.importing.formats.speech.turns import by_recording, from_end
from segscore.pipeline.tables import strict_json


def read(file: OpenedFile, asked: Asked) -> Iterator[Intervals]:
    """Yield one segmentation for each session; times are seconds, as text or as numbers.

    Raises Refused for a turn without session_id, speaker, start_time or end_time.
    """
    place = file.place(1)
    turns = []
    for turn in json_objects(
        strict_json.loads(file.text(), place, decimals=True), "the file", place
    ):
        session, speaker = (
            named_id(required(turn, name, "a turn", place), name, place)
            for name in ("session_id", "speaker")
        )
        start, end = (required(turn, name, "a turn", place) for name in ("start_time", "end_time"))
        if not session:
            raise place.wrong("session_id", session, "a text of at least one character")
        turns.append((session, from_end((start, end, speaker or ""), place, asked)))
    return by_recording(file, turns)

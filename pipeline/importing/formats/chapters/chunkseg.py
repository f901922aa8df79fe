"""JSON Lines of chunkseg: reference and hypothesis of a recording in one line, in seconds."""

from collections.abc import Iterator, Mapping

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.json_fields import (
    array_of,
    json_duration,
    json_time,
    named_id,
    object_of,
    required,
)
from segscore.pipeline.importing.formats.shapes import Mark, Marks, Shape
from segscore.pipeline.importing.formats.times import Clock
from segscore.pipeline.tables import strict_json
from segscore.pipeline.tables.rows import RowPlace, stem
from segscore.pipeline.tables.units import MILLISECOND


def read(file: OpenedFile, asked: Asked) -> Iterator[Shape]:
    """Yield two lists of marks for each line: the reference, and the hypothesis of --system.

    A recording without id is named by the file and the line. A list without marks is one segment.
    Raises Refused for a transcript where times are expected, a field that is missing or has a wrong
    type, a missing --system, or a file without a line.
    """
    own = asked.document_id or stem(file.url)
    lines = [line for line in enumerate(file.lines(), start=1) if line[1].strip()]
    if not lines:
        raise file.place(1).refusal("no line in it; expected an object with reference, hypothesis")
    for number, text in lines:
        place = file.place(number)
        record = object_of(strict_json.loads(text, place, decimals=True), "the line", place)
        if asked.system is None:
            raise place.refusal("the hypothesis has no coder; name it with --system")
        name = named_id(record.get("id"), "id", place) or f"{own}/{number}"
        for role, coder in (("reference", asked.coder), ("hypothesis", asked.system)):
            yield Marks(
                place=place,
                unit=MILLISECOND,
                document_id=name,
                coder=coder,
                role=role,
                length=json_duration(record.get("duration"), "duration", asked.clock, place),
                marks=_marks(record, role, asked.clock, place),
                ordered=True,
            )


def _marks(record: Mapping[str, object], role: str, clock: Clock, place: RowPlace) -> list[Mark]:
    times = required(record, role, "the line", place)
    if isinstance(times, str):
        raise place.wrong(role, times, "a list of times in seconds, not a transcript")
    return [
        Mark(json_time(time, f"{role}[{index}]", clock, place), place.line)
        for index, time in enumerate(array_of(times, role, place))
    ]

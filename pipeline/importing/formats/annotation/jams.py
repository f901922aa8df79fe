"""JAMS: annotations of music and other recordings, each with a namespace and an annotator."""

from collections import Counter
from collections.abc import Iterator, Mapping

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.json_fields import (
    brief,
    named_id,
    object_of,
    required,
    whole_object,
)
from segscore.pipeline.importing.formats.json_values import json_objects
from segscore.pipeline.importing.formats.shapes import Intervals, Moment, Segment
from segscore.pipeline.tables.rows import RowPlace
from segscore.pipeline.tables.units import MILLISECOND


def read(file: OpenedFile, asked: Asked) -> Iterator[Intervals]:
    """Yield one segmentation for each annotation of the namespace that is read.

    Raises:
        Refused: not JAMS, no or several namespaces of segments, or malformed times or levels.
    """
    place = file.place(1)
    document = whole_object(file)
    annotations = json_objects(
        required(document, "annotations", "the file", place), "annotations", place
    )
    named = [
        (str(required(one, "namespace", "an annotation", place)), one)
        for one in json_objects(annotations, "annotations", place)
    ]
    namespace = _namespace([name for name, _ in named], file, asked)
    metadata = object_of(document.get("file_metadata") or {}, "file_metadata", place)
    duration = metadata.get("duration")
    length = None if duration is None else asked.clock.duration(duration, place, unit="s")
    numbers: Counter[str] = Counter()
    for annotation in (one for name, one in named if name == namespace):
        data = json_objects(required(annotation, "data", "an annotation", place), "data", place)
        yield Intervals(
            place=place,
            unit=MILLISECOND,
            coder=_coder(annotation, numbers, place),
            length=length,
            segments=[_segment(one, place, asked) for one in data],
        )


def _namespace(names: list[str], file: OpenedFile, asked: Asked) -> str:
    """Return `--namespace`, else the one namespace of segments; note the others."""
    segments = [name for name in names if name.startswith(("segment_", "multi_segment"))]
    wanted = {asked.namespace} if asked.namespace else set(segments)
    listed = ", ".join(map(brief, dict.fromkeys(names))) or "none"
    if asked.namespace and asked.namespace not in names:
        raise file.refusal(f"no annotation has the namespace {asked.namespace}; it has: {listed}")
    if len(wanted) != 1:
        number = "several namespaces" if wanted else "no namespace"
        raise file.refusal(f"{number} of segments; it has: {listed}; choose with --namespace")
    for name in names:
        if name not in wanted:
            file.notes.add("annotations_not_taken", name)
    return str(*wanted)


def _coder(annotation: Mapping[str, object], numbers: Counter[str], place: RowPlace) -> str | None:
    """Return the annotator's name, else the source of the data and a number."""
    about = object_of(annotation.get("annotation_metadata") or {}, "annotation_metadata", place)
    annotator = object_of(about.get("annotator") or {}, "annotator", place)
    source = named_id(about.get("data_source"), "data_source", place)
    if name := named_id(annotator.get("name"), "annotator.name", place):
        return name
    if source:
        numbers[source] += 1
        return f"{source}-{numbers[source]}"
    return None


def _segment(one: Mapping[str, object], place: RowPlace, asked: Asked) -> Segment:
    begin, duration = (required(one, name, "a segment", place) for name in ("time", "duration"))
    start = asked.clock.time(begin, place, unit="s")
    end = start.exact + asked.clock.duration(duration, place, unit="s")
    value = one.get("value")
    level = value.get("level", 0) if isinstance(value, dict) else 0
    if not isinstance(level, int) or isinstance(level, bool) or level < 0:
        raise place.wrong("level", level, "a whole number from 0 on")
    return Segment(start, Moment(end, f"{begin} + {duration}"), place.line, level + 1)

"""JAMS: annotations of music and other recordings, each with a namespace and an annotator."""

from collections import Counter
from collections.abc import Iterator, Mapping

from segscore.pipeline.importing.formats.format import FRAMES, Format
from segscore.pipeline.importing.formats.values import (
    brief,
    json_objects,
    named_id,
    object_of,
    required,
    whole_object,
)
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Intervals, Moment, Segment
from segscore.pipeline.tables.rows import RowPlace
from segscore.pipeline.tables.units import MILLISECOND


def read(file: OpenedFile, settings: ImportSettings) -> Iterator[Intervals]:
    """Yield one segmentation for each annotation of the namespace that is read.

    Raises:
        Refused: not JAMS, no or several namespaces of segments, or malformed times or levels.
    """
    place = file.place(1)
    document = whole_object(file)
    annotations = json_objects(
        required(document, "annotations", "the file", place), "annotations", place
    )
    named = [(str(required(one, "namespace", "an annotation", place)), one) for one in annotations]
    namespace = _namespace([name for name, _ in named], file, settings)
    metadata = object_of(document.get("file_metadata") or {}, "file_metadata", place)
    duration = metadata.get("duration")
    length = None if duration is None else settings.clock.duration(duration, place, unit="s")
    numbers: Counter[str] = Counter()
    for annotation in (one for name, one in named if name == namespace):
        data = json_objects(required(annotation, "data", "an annotation", place), "data", place)
        yield Intervals(
            place=place,
            unit=MILLISECOND,
            coder=_coder(annotation, numbers, place),
            length=length,
            segments=[_segment(one, place, settings) for one in data],
        )


def _namespace(names: list[str], file: OpenedFile, settings: ImportSettings) -> str:
    """Return `--namespace`, else the one namespace of segments; note the others."""
    segments = [name for name in names if name.startswith(("segment_", "multi_segment"))]
    wanted = {settings.namespace} if settings.namespace else set(segments)
    listed = ", ".join(map(brief, dict.fromkeys(names))) or "none"
    if settings.namespace and settings.namespace not in names:
        raise file.refusal(
            f"no annotation has the namespace {settings.namespace}; it has: {listed}"
        )
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


def _segment(one: Mapping[str, object], place: RowPlace, settings: ImportSettings) -> Segment:
    begin, duration = (required(one, name, "a segment", place) for name in ("time", "duration"))
    start = settings.clock.time(begin, place, unit="s")
    end = start.exact + settings.clock.duration(duration, place, unit="s")
    value = one.get("value")
    level = value.get("level", 0) if isinstance(value, dict) else 0
    if not isinstance(level, int) or isinstance(level, bool) or level < 0:
        raise place.wrong("level", level, "a non-negative integer")
    name = value.get("label") if isinstance(value, dict) else value
    return Segment(
        start,
        Moment(end, f"{begin} + {duration}"),
        place.line,
        level + 1,
        name=name if isinstance(name, str) else None,
    )


FORMATS = (Format("jams", read, endings=(".jams",), options=("namespace", *FRAMES)),)

"""Label Studio: the export "JSON", tasks with annotations and predictions."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from segscore.pipeline.importing.formats.format import FRAMES, Format
from segscore.pipeline.importing.formats.label_studio_regions import (
    LabelStudioWork,
    TextRegions,
    dialogue_regions,
    take_control,
    work_of_task,
)
from segscore.pipeline.importing.formats.text_units import TEXT_OPTIONS
from segscore.pipeline.importing.formats.values import (
    json_document,
    named_id,
    object_of,
    required,
    whole_list,
)
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Intervals, Segment
from segscore.pipeline.importing.tracks import DocumentTracks, Region, Track, shown_end
from segscore.pipeline.tables.rows import RowPlace, shown
from segscore.pipeline.tables.units import MILLISECOND

_DIALOGUE = "paragraphlabels"
_HYPERTEXT = "hypertextlabels"
_OTHERS = ("timeserieslabels", "timelinelabels")


def kind_of_regions(
    regions: Sequence[Mapping[str, object]], settings: ImportSettings, place: RowPlace
) -> str:
    """Return what the regions are in: audio, text or dialogue.

    Without regions, or if they do not say, `--text-units` says that it is text.

    Raises Refused for regions of anything else, such as pictures.
    """
    for region in regions:
        kind = region.get("type")
        value = object_of(region.get("value"), "value", place)
        if kind == _DIALOGUE:
            return "dialogue"
        ends = {"start", "end"} <= value.keys() or "globalOffsets" in value
        if kind in _OTHERS or not ends:
            raise place.refusal(
                f"a region is of the type {shown(kind)}; expected regions of audio, text or "
                "paragraphs, with start and end; choose another control with --from-name"
            )
        if "channel" in value or region.get("original_length") is not None:
            return "audio"
        if kind == _HYPERTEXT or isinstance(value.get("text"), str):
            return "text"
    return "text" if settings.text_units else "audio"


def _label(value: Mapping[str, object]) -> str | None:
    """Return the first label of a region of a recording."""
    labels = value.get("labels")
    first = labels[0] if isinstance(labels, list) and labels else None
    return first if isinstance(first, str) else None


def audio_regions(
    one: LabelStudioWork,
    of_task: Sequence[Mapping[str, object]],
    place: RowPlace,
    settings: ImportSettings,
) -> Intervals:
    """Return the segmentation of a recording; any region of the task may state its length."""
    lengths = [
        settings.clock.duration(region["original_length"], place, unit="s")
        for region in of_task
        if region.get("original_length") is not None
    ]
    segments = []
    for region in one.regions:
        value = object_of(region.get("value"), "value", place)
        start, end = (
            settings.clock.time(required(value, name, "a region", place), place, unit="s")
            for name in ("start", "end")
        )
        segments.append(Segment(start, end, place.line, name=_label(value)))
    length = max(lengths, default=None)
    return Intervals(place=place, unit=MILLISECOND, length=length, segments=segments)


def read(file: OpenedFile, settings: ImportSettings) -> Iterator[Intervals]:
    """Yield one segmentation for each annotation, and a hypothesis for each prediction.

    An annotation without regions has no boundary. Cancelled annotations, drafts, predictions that
    are only numbers, and regions of other controls are counted. A document is named by
    --document-field, else document_id in the data; if there are several tasks and no
    --document-id, by the file of the recording, else by the task's number.

    Raises:
        Refused: another export than "JSON", several controls without `--from-name`, a region that
            is malformed or outside its text, or whose text differs.
    """
    place = file.place(1)
    tasks = whole_list(file, decimals=True)
    work = [one for number, task in enumerate(tasks) for one in work_of_task(number, task, file)]
    take_control(work, file, settings)
    data = [object_of(required(task, "data", "a task", place), "data", place) for task in tasks]
    kind = kind_of_regions([region for one in work for region in one.regions], settings, place)
    of_task: defaultdict[int, list[Mapping[str, object]]] = defaultdict(list)
    for one in work:
        of_task[one.task] += one.regions
    media = names_of_media(data)
    if media and settings.document_field is None and settings.document_id is None:
        file.notes.add("named_by_media", f"data.{media.field}")
    texts = TextRegions(work, data, file) if kind == "text" else None
    for one in work:
        if texts is not None:
            segmentation = texts.segmentation(one, settings)
        elif kind == "dialogue":
            segmentation = dialogue_regions(one, data[one.task], place)
        else:
            segmentation = audio_regions(one, of_task[one.task], place, settings)
        document = json_document((data[one.task], tasks[one.task]), settings, place)
        if document is None and settings.document_id is None and len(tasks) > 1:
            task_id = named_id(tasks[one.task].get("id"), "id", place)
            document = media.names[one.task] if media else task_id
        yield replace(segmentation, document_id=document, coder=one.coder, role=one.role)


class MediaNames(NamedTuple):
    """The field of the data that names a file for each task, and the names without endings."""

    field: str
    names: list[str]


_UPLOADED = re.compile(r"[0-9a-f]{8}-(?=.)")
"""What Label Studio puts before the name of an uploaded file."""

_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}")


def names_of_media(data: Sequence[Mapping[str, object]]) -> MediaNames | None:
    """Return the names of the files that the tasks are about; None unless each has its own.

    They are in the first field that has a path or URL of a file in every task, such as `audio`.
    """
    if len(data) < 2 or any(task.get("document_id") for task in data):
        return None
    for field in data[0]:
        names = [_file_name(task.get(field)) for task in data]
        known = [name for name in names if name]
        if len({*known}) == len(data):
            return MediaNames(field, known)
    return None


def _file_name(value: object) -> str | None:
    """Return the name of a file without folders, ending and upload number; None if it is none."""
    if not isinstance(value, str) or len(value) > _LONGEST_PATH or "\n" in value:
        return None
    try:
        url = urlsplit(value)
        queried = [text for name, text in parse_qsl(url.query) if name in _FILE_PARAMETERS]
    except ValueError:
        return None
    for text in (unquote(url.path), *queried):
        path = PurePosixPath(text.replace("\\", "/"))
        if _ENDING.fullmatch(path.suffix):
            return _UPLOADED.sub("", path.stem, count=1) or None
    return None


_LONGEST_PATH = 1000

_FILE_PARAMETERS = ("d", "fileuri")
"""Parameters of URLs of Label Studio that are files: `/data/local-files/?d=audio/show-1.wav`."""

_SEGMENTS = ("segments", "Segment")
"""Name of the control of segments, and the label of all segments."""

_EDITS_CONTROL = "edits"
_NUMBER = re.compile(r"[1-9][0-9]{0,17}")


def write_label_studio(document: DocumentTracks) -> str:
    """Return the JSON of one task about a recording."""
    return json.dumps([label_studio_task(document)], ensure_ascii=False, indent=1) + "\n"


def label_studio_task(document: DocumentTracks, text: str | None = None) -> dict[str, Any]:
    """Return a task about a recording, or about a text that regions are offsets in.

    References are annotations, hypotheses are predictions.  Edits are regions of the hypothesis's
    prediction, of a control of their own.
    """
    annotations, predictions = [], []
    for track in document.tracks:
        segments = _results(document, track, text)
        if track.role == "reference":
            annotations.append({"completed_by": _person(track.coder), "result": segments})
        elif track.role == "hypothesis":
            edits = [t for t in document.tracks if t.against and t.coder == track.coder]
            result = [*segments, *(one for edit in edits for one in _results(document, edit, text))]
            predictions.append({"model_version": track.coder, "result": result})
    data = {"audio": document.document} if text is None else {"text": text}
    return {
        "data": {"document_id": document.document, **data},
        "annotations": annotations,
        "predictions": predictions,
    }


def _person(coder: str) -> int | dict[str, str]:
    """Return what Label Studio knows a person by: a number, or an email address."""
    return int(coder) if _NUMBER.fullmatch(coder) else {"email": coder}


def _results(document: DocumentTracks, track: Track, text: str | None) -> list[dict[str, Any]]:
    return [
        _result(document, track, region, number, text)
        for number, region in enumerate(track.regions, start=1)
    ]


def _result(
    document: DocumentTracks, track: Track, region: Region, number: int, text: str | None
) -> dict[str, Any]:
    control, label = (_EDITS_CONTROL, region.label) if track.against else _SEGMENTS
    note = ", ".join(filter(None, (f"against {track.against}", region.note)))
    if text is None:
        # A quotient of whole milliseconds has the digits of the exact decimal.
        start, end, length = (
            time / 1000
            for time in (region.start, shown_end(region, track, document.n_units), document.n_units)
        )
        of_kind: dict[str, Any] = {"to_name": "audio", "original_length": length}
        value: dict[str, Any] = {"start": start, "end": end, "channel": 0}
    else:
        of_kind = {"to_name": "text"}
        marked = text[region.start : region.end]
        value = {"start": region.start, "end": region.end, "text": marked}
    return {
        "id": f"{control}-{track.name}-{number}",
        "from_name": control,
        "type": "labels",
        **of_kind,
        "value": {**value, "labels": [label]},
        **({"meta": {"text": [note]}} if track.against else {}),
    }


FORMATS = (
    Format(
        "label-studio",
        read,
        shared=(".json",),
        content=lambda head: "[].annotations" in head.keys,
        options=("from_name", *TEXT_OPTIONS, *FRAMES),
        in_units=True,
        write=write_label_studio,
    ),
)

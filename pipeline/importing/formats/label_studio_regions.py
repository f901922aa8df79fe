"""The work in tasks of Label Studio, and its regions in texts and dialogues."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.formats.text_units import TextUnits, check_span, text_units
from segscore.pipeline.importing.formats.values import (
    brief,
    json_objects,
    json_offset,
    named_id,
    object_of,
)
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Intervals
from segscore.pipeline.tables.rows import RowPlace, shown

_LABELS = "labels"
"""What the types of controls that label regions end with."""


@dataclass
class LabelStudioWork:
    """An annotation, or a prediction.

    Attributes:
        task: number of its task in the file, from 0.
        coder: annotator, or version of the model; None if it is not stated.
        role: hypothesis for a prediction; None for an annotation.
        results: everything it has, labels of whole documents included.
        regions: the regions of the control that is read.
    """

    task: int
    coder: str | None
    role: str | None
    results: Sequence[Mapping[str, object]]
    regions: list[Mapping[str, object]] = field(default_factory=list)


def work_of_task(
    number: int, task: Mapping[str, object], file: OpenedFile
) -> Iterator[LabelStudioWork]:
    """Yield the annotations and the predictions of a task; note those that are left out.

    Raises Refused if the task has no annotations, as in another export.
    """
    place = file.place(1)
    if "annotations" not in task:
        raise file.refusal(
            f"task {number + 1} has no annotations, as in the export JSON-MIN; choose the export "
            "JSON in Label Studio"
        )
    drafts = task.get("drafts")
    if isinstance(drafts, list) and drafts:
        file.notes.add("drafts", len(drafts))
    for one in json_objects(task["annotations"], "annotations", place):
        if one.get("was_cancelled"):
            file.notes.add("cancelled", 1)
        else:
            coder = _person(one.get("completed_by"), place)
            yield LabelStudioWork(number, coder, None, _results(one, place))
    predictions = task.get("predictions") or []
    for prediction in predictions if isinstance(predictions, list) else [predictions]:
        if isinstance(prediction, dict) and "result" in prediction:
            coder = named_id(prediction.get("model_version"), "model_version", place)
            yield LabelStudioWork(number, coder, "hypothesis", _results(prediction, place))
        else:
            file.notes.add("predictions_without_regions", 1)


def take_control(
    work: Sequence[LabelStudioWork], file: OpenedFile, settings: ImportSettings
) -> None:
    """Fill in the regions of one control: `--from-name`, else the only one.

    Raises Refused if there are several and `--from-name` is not given, or it names none of them.
    """
    results = [(one, result) for one in work for result in one.results]
    labelled = [x for x in results if str(x[1].get("type")).endswith(_LABELS)]
    regions = labelled or [x for x in results if _has_ends(x[1])]
    names = list(dict.fromkeys(str(region.get("from_name")) for _, region in regions))
    listed = ", ".join(map(brief, names))
    if settings.from_name is None and len(names) > 1:
        raise file.refusal(f"there are several controls: {listed}; choose with --from-name")
    if settings.from_name is not None and settings.from_name not in names:
        raise file.refusal(
            f"no control is named {settings.from_name}; there are: {listed or 'none'}"
        )
    taken = settings.from_name or (names[0] if names else "")
    for one, region in regions:
        if str(region.get("from_name")) == taken:
            one.regions.append(region)
        else:
            file.notes.add("other_regions", 1)


def _results(one: Mapping[str, object], place: RowPlace) -> list[Mapping[str, object]]:
    return json_objects(one.get("result"), "result", place)


def _has_ends(result: Mapping[str, object]) -> bool:
    value = result.get("value")
    return isinstance(value, dict) and "start" in value and "end" in value


def _person(value: object, place: RowPlace) -> str | None:
    """Return an annotator's email, else the number."""
    if isinstance(value, dict):
        value = value.get("email") or value.get("id")
    return named_id(value, "completed_by", place)


StatedSpan = tuple[int, int, str | None]
"""Start, end and text of a region; the text is None if the file does not say."""


def stated_span(region: Mapping[str, object], place: RowPlace) -> StatedSpan:
    """Return the offsets and the text of a region as the file states them."""
    value = object_of(region.get("value"), "value", place)
    bounds = object_of(value.get("globalOffsets", value), "globalOffsets", place)
    start, end = (json_offset(bounds, name, place) for name in ("start", "end"))
    text = value.get("text")
    return start, end, text if isinstance(text, str) else None


def in_code_points(text: str, stated: Iterable[StatedSpan]) -> list[tuple[int, int]] | None:
    """Return the spans if the text has their texts there, otherwise None."""
    spans = []
    for start, end, expected in stated:
        if expected is not None and text[start:end] != expected:
            return None
        spans.append((start, end))
    return spans


def in_utf16(text: str, stated: Iterable[StatedSpan]) -> list[tuple[int, int]] | None:
    """Return the spans in code points if they fit as offsets in UTF-16, otherwise None."""
    wide = 0
    points = {}
    for point, character in enumerate(text):
        points[wide] = point
        wide += 1 + (ord(character) > 0xFFFF)
    points[wide] = len(text)
    converted = []
    for start, end, expected in stated:
        if start not in points or end not in points:
            return None
        converted.append((points[start], points[end], expected))
    return in_code_points(text, converted)


def misfit(text: str, stated: Sequence[StatedSpan], place: RowPlace) -> Refused:
    """Return the error to raise for the first span that does not fit in code points.

    Raises Refused for a span that is not inside the text at all.
    """
    for start, end, _ in stated:
        check_span(start, end, len(text), place)
    start, end, expected = next(one for one in stated if in_code_points(text, [one]) is None)
    return place.refusal(
        f"a region from {start} to {end} has the text {shown(expected)}, but the document has "
        f"{shown(text[start:end])} there; check that it is the text that was annotated"
    )


class TextRegions:
    """The texts of a file, and the regions in them.

    Raises Refused if the data has no text.
    """

    def __init__(
        self,
        work: Sequence[LabelStudioWork],
        data: Sequence[Mapping[str, object]],
        file: OpenedFile,
    ) -> None:
        self._data = data
        self._file = file
        self._place = file.place(1)
        self._field = self._text_field(work)

    def segmentation(self, one: LabelStudioWork, settings: ImportSettings) -> Intervals:
        """Return the segmentation of a text.

        Offsets are in code points, or in UTF-16 if only then the regions have their texts.

        Raises Refused for a region that is not inside the text, or whose text differs.
        """
        place = self._place
        text = self._data[one.task].get(self._field)
        if not isinstance(text, str):
            raise place.wrong(f"data.{self._field}", text, "the text that was annotated")
        units = text_units(text, settings, place)
        stated = [stated_span(region, place) for region in one.regions]
        spans = in_code_points(text, stated)
        if spans is None and (spans := in_utf16(text, stated)) is not None:
            self._file.notes.add("utf16_offsets", 1)
        if spans is None:
            raise misfit(text, stated, place)
        return units.segmentation(spans, place)

    def _text_field(self, work: Sequence[LabelStudioWork]) -> str:
        """Return the field of the data with the text, the first that the first regions fit."""
        one = next((one for one in work if one.regions), None)
        data = self._data[one.task] if one else next(iter(self._data), {})
        stated = [stated_span(region, self._place) for region in one.regions] if one else []
        first = str(one.regions[0].get("to_name")) if one else "text"
        names = dict.fromkeys((first, "text", *data))
        texts = {name: text for name in names if isinstance(text := data.get(name), str)}
        if not texts:
            raise self._place.refusal("the data of a task has no text; expected the text itself")
        fitting = (name for name, text in texts.items() if _fits(text, stated))
        return next(fitting, next(iter(texts)))


def _fits(text: str, stated: Sequence[StatedSpan]) -> bool:
    return any(spans(text, stated) is not None for spans in (in_code_points, in_utf16))


_BLANK = "-"
"""Stands for a paragraph without text, which is a unit as well."""


def dialogue_regions(
    one: LabelStudioWork, data: Mapping[str, object], place: RowPlace
) -> Intervals:
    """Return the segmentation of a dialogue.

    A region that begins or ends inside a paragraph goes to the nearest edge of one.

    Raises Refused if the data has no list of paragraphs, or a region is not in it.
    """
    paragraphs = _paragraphs(one, data, place)
    places: list[tuple[int, int]] = []
    for paragraph in paragraphs:
        start = places[-1][1] + 1 if places else 0
        places.append((start, start + len(paragraph)))
    units = TextUnits("\n".join(paragraphs), "turn", places)
    spans = [_span(region, paragraphs, places, place) for region in one.regions]
    return units.segmentation(spans, place)


def _paragraphs(one: LabelStudioWork, data: Mapping[str, object], place: RowPlace) -> list[str]:
    """Return the texts of the paragraphs: of their fields the one with the most text."""
    names = [str(region.get("to_name")) for region in one.regions[:1]]
    lists = (data.get(name) for name in (*names, *data))
    found = next((value for value in lists if isinstance(value, list) and value), None)
    paragraphs = json_objects(found, "the list of paragraphs in the data", place)
    lengths: dict[str, int] = {}
    for paragraph in paragraphs:
        for name, text in paragraph.items():
            if isinstance(text, str):
                lengths[name] = lengths.get(name, 0) + len(text)
    field = max(lengths, key=lambda name: lengths[name], default="")
    texts = (paragraph.get(field) for paragraph in paragraphs)
    return [text if isinstance(text, str) and text.strip() else _BLANK for text in texts]


def _span(
    region: Mapping[str, object],
    paragraphs: Sequence[str],
    places: Sequence[tuple[int, int]],
    place: RowPlace,
) -> tuple[int, int]:
    """Return the offsets of a region in the text of all paragraphs."""
    value = object_of(region.get("value"), "value", place)
    offsets = []
    for side in (0, 1):
        bound = ("start", "end")[side]
        number = json_offset(value, bound, place, may_be_text=True)
        if number >= len(paragraphs):
            raise place.wrong(bound, number, f"a paragraph from 0 to {len(paragraphs) - 1}")
        edge = places[number][side]
        if value.get(f"{bound}Offset") is not None and paragraphs[number] != _BLANK:
            inside = json_offset(value, f"{bound}Offset", place)
            edge = places[number][0] + _code_points(paragraphs[number], inside)
        offsets.append(edge)
    return offsets[0], offsets[1]


def _code_points(text: str, offset: int) -> int:
    """Return an offset in UTF-16 in code points, at most the length of the text."""
    return len(
        text.encode("utf-16-le", "surrogatepass")[: 2 * offset].decode("utf-16-le", "surrogatepass")
    )

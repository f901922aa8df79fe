"""Annotations and predictions of a Label Studio export, and the regions of one control."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.json_fields import brief, named_id
from segscore.pipeline.importing.formats.json_values import json_objects
from segscore.pipeline.tables.rows import RowPlace

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


def take_control(work: Sequence[LabelStudioWork], file: OpenedFile, asked: Asked) -> None:
    """Fill in the regions of one control: `--from-name`, else the only one.

    Raises Refused if there are several and `--from-name` is not given, or it names none of them.
    """
    results = [(one, result) for one in work for result in one.results]
    labelled = [x for x in results if str(x[1].get("type")).endswith(_LABELS)]
    regions = labelled or [x for x in results if _has_ends(x[1])]
    names = list(dict.fromkeys(str(region.get("from_name")) for _, region in regions))
    listed = ", ".join(map(brief, names))
    if asked.from_name is None and len(names) > 1:
        raise file.refusal(f"there are several controls: {listed}; choose with --from-name")
    if asked.from_name is not None and asked.from_name not in names:
        raise file.refusal(f"no control is named {asked.from_name}; there are: {listed or 'none'}")
    taken = asked.from_name or (names[0] if names else "")
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

"""Label Studio: the export "JSON", tasks with annotations and predictions."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

from segscore.pipeline.importing.formats.annotation.label_studio_dialogues import dialogue_regions
from segscore.pipeline.importing.formats.annotation.label_studio_regions import (
    audio_regions,
    kind_of_regions,
)
from segscore.pipeline.importing.formats.annotation.label_studio_texts import TextRegions
from segscore.pipeline.importing.formats.annotation.label_studio_work import (
    take_control,
    work_of_task,
)
from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.json_fields import named_id, object_of, required
from segscore.pipeline.importing.formats.json_values import json_document, json_objects
from segscore.pipeline.importing.formats.shapes import Intervals
from segscore.pipeline.tables import strict_json


def read(file: OpenedFile, asked: Asked) -> Iterator[Intervals]:
    """Yield one segmentation for each annotation, and a hypothesis for each prediction.

    An annotation without regions has no boundary. Cancelled annotations, drafts, predictions that
    are only numbers, and regions of other controls are counted. A document is named by
    --document-field, else document_id in the data; if there are several tasks and no
    --document-id, by the task's number.

    Raises:
        Refused: another export than "JSON", several controls without `--from-name`, a region that
            is malformed or outside its text, or whose text differs.
    """
    place = file.place(1)
    tasks = json_objects(strict_json.loads(file.text(), place, decimals=True), "the file", place)
    work = [one for number, task in enumerate(tasks) for one in work_of_task(number, task, file)]
    take_control(work, file, asked)
    data = [object_of(required(task, "data", "a task", place), "data", place) for task in tasks]
    kind = kind_of_regions([region for one in work for region in one.regions], asked, place)
    of_task: defaultdict[int, list[Mapping[str, object]]] = defaultdict(list)
    for one in work:
        of_task[one.task] += one.regions
    texts = TextRegions(work, data, file) if kind == "text" else None
    for one in work:
        if texts is not None:
            segmentation = texts.segmentation(one, asked)
        elif kind == "dialogue":
            segmentation = dialogue_regions(one, data[one.task], place)
        else:
            segmentation = audio_regions(one, of_task[one.task], place, asked)
        document = json_document((data[one.task], tasks[one.task]), asked, place)
        if document is None and asked.document_id is None and len(tasks) > 1:
            document = named_id(tasks[one.task].get("id"), "id", place)
        yield replace(segmentation, document_id=document, coder=one.coder, role=one.role)

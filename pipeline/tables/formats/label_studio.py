"""Label Studio: the export "JSON", tasks with annotations and predictions."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from segscore.pipeline.tables.formats import strict_json
from segscore.pipeline.tables.formats.asked import Asked, InputFile
from segscore.pipeline.tables.formats.json_values import (
    json_document,
    json_name,
    json_object,
    json_objects,
)
from segscore.pipeline.tables.formats.label_studio_regions import Regions, read_regions
from segscore.pipeline.tables.formats.rows import RowPlace, text_of
from segscore.pipeline.tables.formats.shapes import Intervals

def read(file: InputFile, asked: Asked) -> Iterator[Intervals]:
    """Yield one segmentation for each annotation, and a hypothesis for each prediction.

    Cancelled annotations, drafts, and predictions without regions are counted.

    Raises:
        Refused: another export than "JSON", several controls without `--from-name`, a span that is
            not inside its text, or whose text differs.
    """
    place = file.place(1)
    tasks = json_objects(strict_json.loads(file.text(), place, decimals=True), "the file", place)

"""All formats that are read, in one table: their readers, endings, and how content shows them."""

from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.importing.formats.annotation_formats import (
    ANNOTATION_FORMATS,
    EDITING_FORMATS,
)
from segscore.pipeline.importing.formats.column_names import has_start
from segscore.pipeline.importing.formats.format_heads import (
    CSV_ENDINGS,
    JSON_LINES_ENDINGS,
    PARQUET_ENDINGS,
    TEXT_ENDINGS,
    Format,
    Head,
)
from segscore.pipeline.importing.formats.intervals import interval_table
from segscore.pipeline.importing.formats.segmentations import csv_rows, nltk_strings, segeval_json
from segscore.pipeline.importing.formats.text_formats import CHAPTERS, LABELS, TEXT_FORMATS
from segscore.pipeline.tables import jsonl


def _is_nltk(head: Head) -> bool:
    """Return whether all lines are masks; the last of several may be cut, and is not tested."""
    masks = [line.strip(" ") for line in head.lines[:-1] or head.lines if line.strip()]
    return bool(masks) and all(_is_mask(line) for line in masks)


def _is_mask(line: str) -> bool:
    fields = line.split("\t")
    return len(fields) in (1, 3) and set(fields[-1]) <= {"0", "1"}


def _is_csv(head: Head) -> bool:
    """Return whether a table has columns of segmentations, or too few to have segments."""
    return bool({"n_units", "boundaries"} & {*head.header}) or (
        len(head.header) < 2 and not has_start(head.header)
    )


def _is_interval_table(head: Head) -> bool:
    return "start" in head.asked.columns or has_start(head.header)


FORMATS: dict[str, Format] = {
    one.name: one
    for one in (
        LABELS,
        *CHAPTERS,
        *TEXT_FORMATS,
        *EDITING_FORMATS,
        Format(
            "jsonl",
            rows=jsonl.read,
            shared=JSON_LINES_ENDINGS,
            content=lambda h: "boundaries" in h.keys,
        ),
        Format(
            "segeval",
            rows=segeval_json.read,
            shared=(".json",),
            content=lambda head: "segmentation_type" in head.keys or not head.keys,
        ),
        Format("nltk", rows=nltk_strings.read, shared=TEXT_ENDINGS, content=_is_nltk),
        Format("csv", rows=csv_rows.read, shared=CSV_ENDINGS, content=_is_csv),
        Format(
            "intervals",
            read=interval_table.read,
            shared=(*CSV_ENDINGS, *JSON_LINES_ENDINGS, *PARQUET_ENDINGS),
            content=_is_interval_table,
        ),
        *ANNOTATION_FORMATS,
    )
}
"""Format by name; of formats with one ending, the first whose content fits is taken."""

FALLBACK = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "intervals", ".tsv": "intervals"}
"""Ending -> the format whose reader says best what is wrong, if no content fits."""


def format_named(name: str) -> str:
    """Return the key in FORMATS of a name, which may lack hyphens, as in `labelstudio`.

    Raises:
        Refused: no format has this name.
    """
    keys = {key.replace("-", ""): key for key in FORMATS}
    if name.replace("-", "") not in keys:
        raise Refused(
            f"--format {name}: must be one of {', '.join(FORMATS)}{nearest(name, FORMATS)}"
        )
    return keys[name.replace("-", "")]

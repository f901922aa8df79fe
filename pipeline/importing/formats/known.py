"""All formats that are imported, in the order in which they are tried."""

from dataclasses import fields

from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.importing.formats import (
    annotated_texts,
    answers,
    chapter_json,
    chapter_texts,
    disrpt,
    editing,
    elan,
    intervals,
    jams,
    json_spans,
    label_studio,
    labels,
    probabilities,
    published_sets,
    segmentations,
    speech,
    subtitles,
    textgrid,
    texts,
)
from segscore.pipeline.importing.formats.format import Format
from segscore.pipeline.importing.settings import ImportSettings

FORMATS: dict[str, Format] = {
    one.name: one
    for formats in (
        labels.FORMATS,
        published_sets.FORMATS,
        subtitles.FORMATS,
        chapter_texts.FORMATS,
        chapter_json.FORMATS,
        texts.FORMATS,
        editing.FORMATS,
        segmentations.FORMATS,
        intervals.FORMATS,
        label_studio.FORMATS,
        annotated_texts.FORMATS,
        elan.FORMATS,
        textgrid.FORMATS,
        speech.FORMATS,
        disrpt.FORMATS,
        jams.FORMATS,
        json_spans.FORMATS,
        probabilities.FORMATS,
        answers.FORMATS,
    )
    for one in formats
}
"""Format by name; of formats with one ending, the first whose content fits is taken."""

FALLBACK = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "intervals", ".tsv": "intervals"}
"""Ending -> the format whose reader says best what is wrong, if no content fits."""

SPECIFIC_OPTIONS = tuple(
    field.name
    for field in fields(ImportSettings)
    if any(field.name in one.options for one in FORMATS.values())
)
"""Options, by their fields in the settings, that only some formats read."""


def format_key(name: str) -> str | None:
    """Return the key in FORMATS of a name, which may lack hyphens, as in `labelstudio`."""
    keys = {key.replace("-", ""): key for key in FORMATS}
    return keys.get(name.replace("-", ""))


def format_named(name: str) -> str:
    """Return the key in FORMATS of a name, which may lack hyphens, as in `labelstudio`.

    Raises:
        Refused: no format has this name.
    """
    key = format_key(name)
    if key is None:
        raise Refused(
            f"--format {name}: must be one of {', '.join(FORMATS)}{nearest(name, FORMATS)}"
        )
    return key

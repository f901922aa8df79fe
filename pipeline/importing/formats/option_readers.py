"""Which formats read the options of `segscore import` that are not for all of them."""

from collections.abc import Mapping

from segscore.pipeline.importing.answers.options import ANSWER_FORMATS
from segscore.pipeline.importing.formats.known import FORMATS

_LABELS = ("labels",)
_REWRITTEN, _NUMBERED = ("rewritten",), ("numbered",)
_ANNOTATED_TEXTS = ("doccano", "label-studio", "prodigy")
_WITHOUT_FRAMES = (
    *("choi", "csv", "disrpt", "doccano", "jsonl", "labels", "nltk", "paragraphs", "segeval"),
    *("subrip", "webvtt", "wiki727k"),
)

OPTION_READERS: Mapping[str, tuple[str, ...]] = {
    "system": ("chunkseg",),
    "frame_rate": tuple(name for name in FORMATS if name not in _WITHOUT_FRAMES),
    "columns": ("intervals",),
    "skip_lines": ("intervals",),
    "flags": _LABELS,
    "marks": _LABELS,
    "ids": _LABELS,
    "sizes": _LABELS,
    "records": _LABELS,
    "coder_field": (*_LABELS, *ANSWER_FORMATS),
    "units": _LABELS,
    "document_field": (*_LABELS, *_ANNOTATED_TEXTS, *ANSWER_FORMATS),
    "text_units": _ANNOTATED_TEXTS,
    "tier": ("elan", "textgrid"),
    "namespace": ("jams",),
    "from_name": ("label-studio",),
    "source": ANSWER_FORMATS,
    "text_field": ANSWER_FORMATS,
    "source_units": ANSWER_FORMATS,
    "answer_field": ANSWER_FORMATS,
    "breaks": _REWRITTEN,
    "headings": _REWRITTEN,
    "answer": ANSWER_FORMATS,
    "labels": ANSWER_FORMATS,
    "numbers": _NUMBERED,
    "first_number": _NUMBERED,
    "max_edits": _REWRITTEN,
    "max_unplaced": ("quoted",),
    "failed": ANSWER_FORMATS,
    "tokens": ("rewritten", "quoted"),
}
"""Option, by its field in the settings -> names of the formats whose readers use it."""

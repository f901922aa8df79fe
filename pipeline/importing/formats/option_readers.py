"""Which formats read the options of `segscore import` that are not for all of them."""

from collections.abc import Mapping

from segscore.pipeline.importing.formats.known import FORMATS

_LABELS = ("labels",)
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
    "coder_field": _LABELS,
    "units": _LABELS,
    "document_field": (*_LABELS, *_ANNOTATED_TEXTS),
    "text_units": _ANNOTATED_TEXTS,
    "tier": ("elan", "textgrid"),
    "namespace": ("jams",),
    "from_name": ("label-studio",),
}
"""Option, by its field in the settings -> names of the formats whose readers use it."""

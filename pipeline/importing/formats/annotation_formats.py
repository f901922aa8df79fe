"""Formats of annotation tools, tiers, speech, tokens and editing, and how content shows them."""

import re

from segscore.pipeline.importing.formats.annotation import doccano, jams, label_studio, prodigy
from segscore.pipeline.importing.formats.editing import audacity, edl, premiere
from segscore.pipeline.importing.formats.format_heads import (
    CSV_ENDINGS,
    JSON_LINES_ENDINGS,
    TEXT_ENDINGS,
    Format,
    Head,
)
from segscore.pipeline.importing.formats.speech import ctm, rttm, seglst, stm
from segscore.pipeline.importing.formats.texts import disrpt
from segscore.pipeline.importing.formats.tiers import elan, textgrid

_TIMECODE = re.compile(r"[0-9]{2,3}[:;][0-9]{2}[:;][0-9]{2}[:;][0-9]{2,3}")
_LABEL = re.compile(r"[0-9]+(\.[0-9]+)?\t[0-9]+(\.[0-9]+)?(\t.*)?")
_MASK = re.compile(r"[0-9]+\t[0-9]+\t[01]+")


def _is_doccano(head: Head) -> bool:
    return "text" in head.keys and bool({"label", "entities"} & head.keys)


def _is_audacity(head: Head) -> bool:
    """Return whether the first label has two times; names and a mask may be numbers, too."""
    labels = (line for line in head.lines if line.strip() and not line.startswith("\\"))
    first = next(labels, "")
    return bool(_LABEL.fullmatch(first)) and not _MASK.fullmatch(first)


def _is_premiere(head: Head) -> bool:
    """Return whether the first marker has six cells with tabs, the third of them timecode."""
    markers = (line.split("\t") for line in head.lines[1:] if line.strip())
    first = next(markers, [])
    cells = len(head.lines[0].split("\t"))
    return cells == len(first) == premiere.CELLS and bool(_TIMECODE.fullmatch(first[2].strip()))


EDITING_FORMATS = (
    Format("audacity", read=audacity.read, shared=TEXT_ENDINGS, content=_is_audacity),
    Format("premiere", read=premiere.read, shared=CSV_ENDINGS, content=_is_premiere),
    Format("edl", read=edl.read, endings=(".edl",)),
)
"""Formats that look like masks or interval tables, and are looked for before them."""

ANNOTATION_FORMATS = (
    Format(
        "label-studio",
        read=label_studio.read,
        shared=(".json",),
        content=lambda head: "[].annotations" in head.keys,
    ),
    Format(
        "prodigy",
        read=prodigy.read,
        shared=JSON_LINES_ENDINGS,
        content=lambda head: "answer" in head.keys,
    ),
    Format("doccano", read=doccano.read, shared=JSON_LINES_ENDINGS, content=_is_doccano),
    Format("elan", read=elan.read, endings=(".eaf",)),
    Format("textgrid", read=textgrid.read, endings=(".textgrid",)),
    Format("rttm", read=rttm.read, endings=(".rttm",)),
    Format("stm", read=stm.read, endings=(".stm",)),
    Format("ctm", read=ctm.read, endings=(".ctm",)),
    Format(
        "seglst",
        read=seglst.read,
        endings=(".seglst.json",),
        shared=(".json",),
        content=lambda head: "[].session_id" in head.keys,
    ),
    Format("disrpt", read=disrpt.read, endings=(".tok", ".conllu")),
    Format("jams", read=jams.read, endings=(".jams",)),
)
"""Formats of which an interval table may have the keys, and is looked for before them."""

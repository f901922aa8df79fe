"""Formats of labels, chapters and texts, and how their content shows them."""

import re

from segscore.pipeline.importing.formats.chapters import (
    chunkseg,
    ffmetadata,
    ffprobe,
    ogm,
    podcast_chapters,
    subrip,
    vidchapters,
    webvtt,
    youtube,
    yt_dlp,
)
from segscore.pipeline.importing.formats.format_heads import (
    CSV_ENDINGS,
    JSON_LINES_ENDINGS,
    PARQUET_ENDINGS,
    TEXT_ENDINGS,
    Format,
    Head,
)
from segscore.pipeline.importing.formats.labels import unit_labels
from segscore.pipeline.importing.formats.labels.label_records import DIALOGUES
from segscore.pipeline.importing.formats.texts import choi, paragraphs, wiki727k
from segscore.pipeline.importing.formats.texts.text_lines import CHOI_SEPARATOR, WIKI_SEPARATOR

_JSON = (".json",)
_OGM_LINE = re.compile(r"CHAPTER[0-9]+\s*=", re.IGNORECASE)


def _has_labels(head: Head) -> bool:
    """Return whether options say where labels are, or it is a file of SuperDialseg's form."""
    asked = (head.asked.flags, head.asked.ids, head.asked.sizes)
    return any(path is not None for path in asked) or DIALOGUES in head.keys


def _is_ffprobe(head: Head) -> bool:
    return "chapters[].time_base" in head.keys or {"chapters", "format.filename"} <= head.keys


def _is_vidchapters(head: Head) -> bool:
    """Return whether an object within the object has a duration, and chapters or timestamps."""
    videos = (key.removesuffix(".duration") for key in head.keys if key.endswith(".duration"))
    return any({f"{name}.chapters", f"{name}.timestamps"} & head.keys for name in videos)


def _is_chunkseg(head: Head) -> bool:
    return {"hypothesis", "duration"} <= head.keys and "boundaries" not in head.keys


LABELS = Format(
    "labels",
    read=unit_labels.read,
    shared=(*JSON_LINES_ENDINGS, *_JSON, *PARQUET_ENDINGS, *CSV_ENDINGS),
    content=_has_labels,
)
CHAPTERS = (
    Format("webvtt", read=webvtt.read, endings=(".vtt",)),
    Format("subrip", read=subrip.read, endings=(".srt",)),
    Format(
        "ffmetadata",
        read=ffmetadata.read,
        endings=(".ffmetadata",),
        shared=TEXT_ENDINGS,
        content=lambda head: head.lines[0].startswith(ffmetadata.HEADER),
    ),
    Format(
        "ffprobe",
        read=ffprobe.read,
        endings=(".ffprobe.json",),
        shared=_JSON,
        content=_is_ffprobe,
    ),
    Format("youtube", read=youtube.read),
    Format(
        "ogm",
        read=ogm.read,
        shared=TEXT_ENDINGS,
        content=lambda head: any(_OGM_LINE.match(line.strip()) for line in head.lines),
    ),
    Format(
        "podcasting",
        read=podcast_chapters.read,
        endings=(".chapters.json",),
        shared=_JSON,
        content=lambda head: "chapters[].startTime" in head.keys,
    ),
    Format("vidchapters", read=vidchapters.read, shared=_JSON, content=_is_vidchapters),
    Format("chunkseg", read=chunkseg.read, shared=JSON_LINES_ENDINGS, content=_is_chunkseg),
    Format(
        "yt-dlp",
        read=yt_dlp.read,
        endings=(".info.json",),
        shared=_JSON,
        content=lambda head: "chapters[].start_time" in head.keys,
    ),
)
TEXT_FORMATS = (
    Format(
        "wiki727k",
        read=wiki727k.read,
        shared=TEXT_ENDINGS,
        content=lambda head: any(line.strip().startswith(WIKI_SEPARATOR) for line in head.lines),
    ),
    Format(
        "choi",
        read=choi.read,
        shared=TEXT_ENDINGS,
        content=lambda head: any(line.strip() == CHOI_SEPARATOR for line in head.lines),
    ),
    Format("paragraphs", read=paragraphs.read),
)
"""Texts; paragraphs and YouTube's lines are only a guess, and must be asked for."""

"""Describe what was counted, in one line for each segmentation or one for the whole file."""

from collections import Counter
from collections.abc import Iterator, Sequence

from segscore.pipeline.importing.conversion.convert import Converted
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.tables.units import MILLISECOND

_LINES = 10
"""Largest number of segmentations of one file that each get a line."""

_LENGTHS = {"gaps": "gap_length", "overlaps": "overlap_length", "clipped": "clipped_length"}
_COUNTED = {
    "gaps": "gap{s}{length} joined to the segment before",
    "overlaps": "overlap{s}{length}",
    "empty": "segment{s} without a length left out",
    "same_start": "segment{s} with the start of another",
    "beyond_end": "segment{s} that start at or after the end left out",
    "clipped": "segment{s} cut at the end of the document{length}",
    "merged": "segment{s} joined to a neighbour with the same label",
    "deeper": "segment{s} below --max-level left out",
    "moved": "edge{s} moved to the nearest unit",
    "empty_sections": "section{s} without text left out",
    "outside_region": "time{s} outside the region left out",
}
_OWN_GAPS = "gap{s}{length} kept as segments"
_NOTED = {
    "columns_not_taken": "columns not read",
    "tiers_not_taken": "tiers not read",
    "annotations_not_taken": "annotations not read",
    "lines_not_taken": "lines not read",
    "not_in_contents": "chapters that are not in the table of contents left out",
    "named_by_media": "documents named by the file in",
    "cancelled": "cancelled annotations left out",
    "drafts": "drafts left out",
    "other_regions": "regions of other kinds left out",
    "predictions_without_regions": "predictions without regions left out",
    "not_accepted": "answers that are not accepted left out",
    "without_spans": "examples without spans left out",
    "one_channel": "words on one channel only, so that the whole recording is one segment",
    "utf16_offsets": "texts with offsets in UTF-16 units",
}


def describe_counts(
    file: OpenedFile, converted: Sequence[Converted], settings: ImportSettings
) -> Iterator[str]:
    """Yield lines that describe what was counted in a file, without the file's name."""
    counted = [one for one in converted if any(one.counts.numbers.values())]
    if len(counted) <= _LINES:
        for one in counted:
            said = _counted(one.counts.numbers, one.unit, settings)
            yield f"{one.row.document_id}, {one.row.coder}: {said}"
    else:
        total = sum((one.counts.numbers for one in counted), Counter[str]())
        said = _counted(total, counted[0].unit, settings)
        yield f"{len(counted):,} of {len(converted):,} segmentations: {said}"
    for name, names in file.notes.names.items():
        yield f"{_noted(name)}: {', '.join(names)}"
    for name, number in file.notes.numbers.items():
        if number:
            yield f"{_noted(name)}: {number:,}"


def _counted(numbers: Counter[str], unit: str, settings: ImportSettings) -> str:
    said = []
    for name, number in numbers.items():
        if not number or name in _LENGTHS.values():
            continue
        text = _COUNTED.get(name, name.replace("_", " "))
        if name == "gaps" and settings.gaps == "own":
            text = _OWN_GAPS
        length = numbers[_LENGTHS[name]] if name in _LENGTHS else 0
        shown = f" ({length:,} {_short(unit, length)})"
        said.append(f"{number:,} {text.format(s='' if number == 1 else 's', length=shown)}")
    return "; ".join(said)


def _short(unit: str, number: int) -> str:
    return "ms" if unit == MILLISECOND else unit + ("" if number == 1 else "s")


def _noted(name: str) -> str:
    return _NOTED.get(name, name.replace("_", " "))

"""Write tracks as a Praat TextGrid in the long text form (Praat manual, TextGrid file formats)."""

from collections import defaultdict
from collections.abc import Iterator

from segscore.pipeline.reports.export.tracks import (
    EDIT_TRACKS,
    DocumentTracks,
    Track,
    in_seconds,
)


def textgrid_text(document: DocumentTracks) -> str:
    """Return the text of a TextGrid: a tier of intervals or, for edits, of points for each track.

    A near miss has a point at each of its two positions.
    """
    lines = [
        'File type = "ooTextFile"',
        'Object class = "TextGrid"',
        "",
        *_extent("", document.n_units),
        "tiers? <exists>",
        f"size = {len(document.tracks)}",
        "item []:",
    ]
    for number, track in enumerate(document.tracks, start=1):
        lines.append(f"    item [{number}]:")
        lines += _tier(document, track)
    return "\n".join(lines) + "\n"


def _tier(document: DocumentTracks, track: Track) -> Iterator[str]:
    points = track.role == EDIT_TRACKS
    yield f"        class = {_quoted('TextTier' if points else 'IntervalTier')}"
    yield f"        name = {_quoted(_name(document, track))}"
    yield from _extent(" " * 8, document.n_units)
    yield from _points(track) if points else _intervals(track)


def _name(document: DocumentTracks, track: Track) -> str:
    """Return the name of a tier: that of the track, with its role if another has the same name."""
    same = [other for other in document.tracks if other.name == track.name]
    return f"{track.name} ({track.role})" if len(same) > 1 else track.name


def _intervals(track: Track) -> Iterator[str]:
    yield f"        intervals: size = {len(track.regions)}"
    for number, region in enumerate(track.regions, start=1):
        yield f"        intervals [{number}]:"
        yield f"            xmin = {in_seconds(region.start)}"
        yield f"            xmax = {in_seconds(region.end)}"
        yield f"            text = {_quoted(region.text)}"


def _points(track: Track) -> Iterator[str]:
    """Yield the points of a tier; several edits at one position share a point."""
    texts = defaultdict(list)
    for region in track.regions:
        for position in sorted({region.start, region.end}):
            texts[position].append(region.text)
    yield f"        points: size = {len(texts)}"
    for number, position in enumerate(sorted(texts), start=1):
        yield f"        points [{number}]:"
        yield f"            number = {in_seconds(position)}"
        yield f"            mark = {_quoted('; '.join(texts[position]))}"


def _extent(indent: str, n_units: int) -> list[str]:
    return [f"{indent}xmin = 0", f"{indent}xmax = {in_seconds(n_units)}"]


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'

"""Tracks: what an export writes, in whichever format."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from segscore.pipeline.measures.edit_list import Edit
from segscore.pipeline.statistics.formatted_numbers import counted

EDIT_TRACKS = "edits"
"""Role of a track that shows edits."""

_SHORTEST = 1000
"""Milliseconds that an edit is shown for in formats in which nothing is without a length."""


@dataclass(frozen=True)
class Region:
    """A stretch of a track, in milliseconds or units; an edit may have no length."""

    start: int
    end: int
    label: str
    note: str = ""

    @property
    def text(self) -> str:
        """The label and the note, in one line."""
        return f"{self.label}: {self.note}" if self.note else self.label


@dataclass(frozen=True)
class Track:
    """A segmentation, or the edits between a hypothesis and a reference.

    Attributes:
        coder: coder of the segmentation, or of the hypothesis.
        role: reference, hypothesis or edits.
        regions: segments that follow each other from 0 to the end; or edits in the order of time.
        against: coder of the reference that edits are counted against; empty for a segmentation.
    """

    coder: str
    role: str
    regions: Sequence[Region]
    against: str = ""

    @property
    def name(self) -> str:
        """The coder, for edits also that of the reference."""
        return f"{self.coder} against {self.against}" if self.against else self.coder


@dataclass(frozen=True)
class DocumentTracks:
    """The tracks of a document in the order in which they are shown, and its length."""

    document: str
    n_units: int
    tracks: Sequence[Track]


def segment_track(coder: str, role: str, boundaries: Iterable[int], n_units: int) -> Track:
    """Return a segmentation as a track of numbered segments."""
    edges = [0, *sorted(set(boundaries)), n_units]
    numbered = enumerate(pairwise(edges), start=1)
    return Track(
        coder, role, [Region(start, end, str(number)) for number, (start, end) in numbered]
    )


def edit_track(coder: str, reference: str, edits: Iterable[Edit], unit: str = "ms") -> Track:
    """Return the edits between a hypothesis and a reference as a track; notes name the unit."""
    regions = sorted((_region(edit, unit) for edit in edits), key=lambda region: region.start)
    return Track(coder, EDIT_TRACKS, regions, reference)


def _region(edit: Edit, unit: str) -> Region:
    positions = [p for p in (edit.position, edit.other_position) if p is not None]
    note = ""
    if edit.kind == "substitution":
        note = f"{edit.type}, hypothesis {edit.other_type}"
    elif edit.span:
        side = "early" if positions[1] < positions[0] else "late"
        far = f"{edit.span} ms" if unit == "ms" else counted(edit.span, unit)
        note = f"hypothesis {far} {side}"
    label = "other type" if edit.kind == "substitution" else edit.kind.replace("_", " ")
    return Region(min(positions), max(positions), label, note)


def name_of_tier(document: DocumentTracks, track: Track) -> str:
    """Return the name of a tier: that of the track, with its role if another has the same name."""
    same = [other for other in document.tracks if other.name == track.name]
    return f"{track.name} ({track.role})" if len(same) > 1 else track.name


def shown_end(region: Region, track: Track, n_units: int) -> int:
    """Return where a region ends in formats in which nothing is without a length.

    An edit is shown for a second at least, as far as the document has one left.
    """
    if track.role != EDIT_TRACKS:
        return region.end
    return min(max(region.end, region.start + _SHORTEST), n_units)


def in_seconds(milliseconds: int) -> str:
    """Write a time in seconds with three decimals, exactly."""
    return f"{milliseconds // 1000}.{milliseconds % 1000:03}"

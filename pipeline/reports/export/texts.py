"""Write the segmentations and edits of a text for programs in which people mark texts."""

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from segscore.pipeline.importing.formats.label_studio import label_studio_task
from segscore.pipeline.importing.tracks import EDIT_TRACKS, DocumentTracks, Region, Track

BRAT = "brat"
TEXT_FORMATS = ("label-studio", BRAT)
"""Formats of export that have texts."""

_BLANK = "-"
"""Stands for a unit without text, which programs would not count."""


class MarkedText:
    """A text with a unit in each line, and tracks in units of it."""

    def __init__(self, document: DocumentTracks, units: Sequence[str]) -> None:
        """Join the units, in each of which white space becomes one space."""
        self.document = document
        self.lines = [" ".join(unit.split()) or _BLANK for unit in units]
        self.text = "\n".join(self.lines)
        ends = [*accumulate(len(line) + 1 for line in self.lines)]
        self.places = [
            (end - len(line) - 1, end - 1) for end, line in zip(ends, self.lines, strict=True)
        ]

    def label_studio(self) -> str:
        """Return the JSON of one task of Label Studio."""
        in_characters = [
            replace(track, regions=[self._in_characters(one, track) for one in track.regions])
            for track in self.document.tracks
        ]
        task = label_studio_task(replace(self.document, tracks=in_characters), self.text)
        return json.dumps([task], ensure_ascii=False, indent=1) + "\n"

    def brat(self, track: Track) -> str:
        r"""Return a track as standoff annotations; a span has a fragment for each line.

        >>> track = Track("desk", "reference", [Region(0, 2, "1"), Region(2, 3, "2")])
        >>> MarkedText(DocumentTracks("d", 3, [track]), ["Ab.", "Cd.", "Ef."]).brat(track)
        'T1\tSegment 0 3;4 7\tAb. Cd.\nT2\tSegment 8 11\tEf.\n'
        """
        lines = []
        for number, region in enumerate(track.regions, start=1):
            first, end = self._units(region, track)
            label = region.label.replace(" ", "_") if track.role == EDIT_TRACKS else "Segment"
            places = ";".join(f"{start} {until}" for start, until in self.places[first:end])
            lines.append(f"T{number}\t{label} {places}\t{' '.join(self.lines[first:end])}\n")
            if region.note:
                lines.append(f"#{number}\tAnnotatorNotes T{number}\t{region.note}\n")
        return "".join(lines)

    @staticmethod
    def _units(region: Region, track: Track) -> tuple[int, int]:
        """Return the units of a region; an edit is shown on the units that its boundaries start."""
        return region.start, region.end + (track.role == EDIT_TRACKS)

    def _in_characters(self, region: Region, track: Track) -> Region:
        first, end = self._units(region, track)
        return replace(region, start=self.places[first][0], end=self.places[end - 1][1])

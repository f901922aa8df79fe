"""Praat TextGrids in text: tiers of intervals and of points."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.formats.format import FRAMES, Format
from segscore.pipeline.importing.formats.tiers import chosen_tiers, tier_coder
from segscore.pipeline.importing.formats.values import brief
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Intervals, Mark, Marks, Moment, Segment, Shape
from segscore.pipeline.importing.times import Clock, round_half_up
from segscore.pipeline.importing.tracks import (
    EDIT_TRACKS,
    DocumentTracks,
    Track,
    in_seconds,
    name_of_tier,
)
from segscore.pipeline.tables.rows import RowPlace, shown
from segscore.pipeline.tables.units import MILLISECOND

_WORD = re.compile(r'(?P<comment>![^\n]*)|(?P<text>"(?:[^"]|"")*+")|(?P<flag><[^\s>]*>)|\S+')
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")
_EXPECTED = {"number": "a number", "text": "a text in quotes", "flag": "<exists>"}


class Words:
    """The numbers, texts and flags of a file, one after the other.

    Only those that follow white space count, as in Praat; all other words are there for the human
    reader, as is what follows an exclamation mark.

    Attributes:
        line: line of the word that was read last.
    """

    def __init__(self, file: OpenedFile) -> None:
        self._file = file
        self._text = file.text()
        self._at = 0
        self._counted = 0
        self.line = 1
        self._next = self._find()

    @property
    def kind(self) -> str:
        """The kind of the next word: number, text or flag; empty at the end of the file."""
        return self._next[0]

    def take(self, kind: str, what: str) -> str:
        """Return the next number, text or flag; `what` says what it is for, for messages.

        Raises Refused if something else comes next, or nothing.
        """
        found, word, start = self._next
        self.line += self._text.count("\n", self._counted, start)
        self._counted = start
        if found != kind:
            raise self.refusal(
                f"{f'found {shown(word)}' if found else 'the file ends'} where {_EXPECTED[kind]} "
                f"is expected: {what}"
            )
        self._next = self._find()
        return word

    def refusal(self, message: str) -> Refused:
        """Return the error to raise for a problem with the word that was read last."""
        return self._file.place(self.line).refusal(message)

    def _find(self) -> tuple[str, str, int]:
        for word in iter(lambda: _WORD.search(self._text, self._at), None):
            self._at = word.end()
            kind, found = word.lastgroup, word[0]
            if kind == "text":
                return "text", found[1:-1].replace('""', '"'), word.start()
            if kind == "flag":
                return "flag", found, word.start()
            if kind is None and found.startswith('"'):
                return "", "", word.start()
            if kind is None and _NUMBER.fullmatch(found):
                return "number", found, word.start()
        return "", "", len(self._text)


_CHRONOLOGICAL = "Praat chronological TextGrid text file"
_POINTS = {"IntervalTier": False, "TextTier": True}
"""Class of a tier, and whether it has points."""

_DIGITS = 9
"""The most digits of a size."""


@dataclass
class TextGridTier:
    """A tier; its entries are start, end, text and line of each interval or point."""

    name: str
    points: bool
    place: RowPlace
    entries: list[tuple[Moment, Moment, str, int]] = field(default_factory=list)


class TextGrid:
    """The tiers of a TextGrid, with positions from its xmin, and its length in milliseconds.

    Raises Refused for a text that is cut or malformed, or a time before xmin.
    """

    def __init__(self, file: OpenedFile, clock: Clock) -> None:
        self.tiers: list[TextGridTier] = []
        self._file, self._clock = file, clock
        self._words = words = Words(file)
        form = words.take("text", "the type of the file")
        if form != _CHRONOLOGICAL and words.take("text", "the class of the object") != "TextGrid":
            raise words.refusal("the object is not a TextGrid; save the TextGrid as a text file")
        begin, end = (words.take("number", name) for name in ("xmin", "xmax"))
        self._from = clock.duration(begin, file.place(words.line), unit="s")
        self.length = clock.duration(end, file.place(words.line), unit="s") - self._from
        if self.length <= 0:
            raise words.refusal(f"xmax is {end}; expected more than xmin, {begin}")
        if form == _CHRONOLOGICAL:
            self._chronological()
        elif words.take("flag", "whether there are tiers") == "<exists>":
            self._by_tier()

    def _by_tier(self) -> None:
        for _ in range(self._number("the number of tiers")):
            tier = self._tier()
            for _ in range(self._number("the number of intervals or points of a tier")):
                self._entry(tier)
        if self._words.kind:
            raise self._words.refusal("after this, there is more than the sizes above say")

    def _chronological(self) -> None:
        tiers = [self._tier() for _ in range(self._number("the number of tiers"))]
        while self._words.kind:
            number = self._number("the number of a tier")
            if not 0 < number <= len(tiers):
                raise self._words.refusal(f"no tier {number}; the file has {len(tiers)}")
            self._entry(tiers[number - 1])

    def _tier(self) -> TextGridTier:
        kind = self._words.take("text", "the class of a tier")
        if kind not in _POINTS:
            raise self._words.refusal(
                f"the tier is {brief(kind)}; expected IntervalTier or TextTier"
            )
        name = self._words.take("text", "the name of a tier")
        self.tiers.append(TextGridTier(name, _POINTS[kind], self._file.place(self._words.line)))
        for bound in ("xmin", "xmax"):
            self._words.take("number", bound)
        return self.tiers[-1]

    def _entry(self, tier: TextGridTier) -> None:
        start = self._moment()
        line = self._words.line
        end = start if tier.points else self._moment()
        text = self._words.take("text", "the text of an interval or point")
        tier.entries.append((start, end, text.strip(), line))

    def _moment(self) -> Moment:
        text = self._words.take("number", "a time")
        place = self._file.place(self._words.line)
        exact = self._clock.time(text, place, unit="s").exact - self._from
        if exact < 0:
            raise place.refusal(f"{text} is before the TextGrid's xmin; correct one of them")
        return Moment(exact, text)

    def _number(self, what: str) -> int:
        text = self._words.take("number", what)
        if not text.isdecimal():
            raise self._words.refusal(f"{text} is not {what}; expected a whole number")
        if len(text) > _DIGITS:
            raise self._words.refusal(f"{brief(text)} is too large for {what}; correct it")
        return int(text)


def read(file: OpenedFile, settings: ImportSettings) -> Iterator[Shape]:
    """Yield one segmentation for each tier that is read.

    Intervals without text are gaps, unless no interval of the tier has text.

    Raises:
        Refused: the binary form, a text that is cut or malformed, a tier that is not there, or
            intervals that do not meet.
    """
    if file.content.startswith(b"ooBinaryFile"):
        raise file.refusal(
            "a TextGrid in binary form; save it in Praat with Save as text file (long or short)"
        )
    grid = TextGrid(file, settings.clock)
    places = chosen_tiers([tier.name for tier in grid.tiers], file, settings)
    for place, matched in places:
        tier = grid.tiers[place]
        coder = tier_coder("", tier.name, places, matched, settings)
        if tier.points:
            marks = [Mark(start, line, name=text) for start, _, text, line in tier.entries]
            yield Marks(
                place=tier.place, unit=MILLISECOND, coder=coder, length=grid.length, marks=marks
            )
        else:
            yield Intervals(
                place=tier.place,
                unit=MILLISECOND,
                coder=coder,
                length=grid.length,
                segments=_segments(tier),
            )


def _segments(tier: TextGridTier) -> list[Segment]:
    for (_, end, _, _), (start, _, _, line) in pairwise(tier.entries):
        if round_half_up(start.exact) != round_half_up(end.exact):
            raise RowPlace(tier.place.source, line).refusal(
                f"an interval of {brief(tier.name)} starts at {start.text}, but the one "
                f"before it ends at {end.text}; intervals of a TextGrid meet"
            )
    none = not any(text for _, _, text, _ in tier.entries)
    return [
        Segment(start, end, line, name=text)
        for start, end, text, line in tier.entries
        if text or none
    ]


def write_textgrid(document: DocumentTracks) -> str:
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
    yield f"        name = {_quoted(name_of_tier(document, track))}"
    yield from _extent(" " * 8, document.n_units)
    yield from _points(track) if points else _intervals(track)


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


FORMATS = (
    Format(
        "textgrid", read, endings=(".textgrid",), options=("tier", *FRAMES), write=write_textgrid
    ),
)

"""The tiers of a Praat TextGrid in text: the long, the short and the chronological form."""

from dataclasses import dataclass, field

from segscore.pipeline.importing.formats.asked import OpenedFile
from segscore.pipeline.importing.formats.json_fields import brief
from segscore.pipeline.importing.formats.shapes import Moment
from segscore.pipeline.importing.formats.tiers.textgrid_words import Words
from segscore.pipeline.importing.formats.times import Clock
from segscore.pipeline.tables.rows import RowPlace

_CHRONOLOGICAL = "Praat chronological TextGrid text file"
_POINTS = {"IntervalTier": False, "TextTier": True}
"""Class of a tier, and whether it has points."""


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
                raise self._words.refusal(f"there is no tier {number}; there are {len(tiers)}")
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
        if not text.isdecimal() or len(text) > 9:
            raise self._words.refusal(f"{text} is not {what}; expected a whole number")
        return int(text)

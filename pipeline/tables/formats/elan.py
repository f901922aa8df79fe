"""ELAN (.eaf): tiers of annotations whose starts and ends are time slots in milliseconds."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from segscore.pipeline.tables.formats.asked import Asked, InputFile
from segscore.pipeline.tables.formats.rows import RowPlace
from segscore.pipeline.tables.formats.shapes import MILLISECOND, Intervals, Moment, Segment
from segscore.pipeline.tables.formats.tiers import chosen_tiers, tier_coder

_ROOT = "ANNOTATION_DOCUMENT"


@dataclass
class _Tier:
    name: str
    coder: str
    line: int
    slots: list[tuple[str, str, int]] = field(default_factory=list)  # start, end, line
    refers: int = 0  # line of an annotation that refers to one of another tier


def read(file: InputFile, asked: Asked) -> Iterator[Intervals]:
    """Yield one segmentation for each coder of the tiers that are read.

    Several tiers of one coder are its levels, in the order of `--tier`.

    Raises:
        Refused: not XML, a DOCTYPE, units other than milliseconds, a tier that is not there, a
            tier of references, or an annotation without a time.
    """
    document = _Document(file)
    tiers = [document.tiers[i] for i in chosen_tiers([t.name for t in document.tiers], file, asked)]
    levels: dict[str | None, list[_Tier]] = {}
    for tier in tiers:
        levels.setdefault(tier_coder(tier.coder, tier.name, len(tiers), asked), []).append(tier)
    for coder, of_coder in levels.items():
        segments = [
            segment
            for level, tier in enumerate(of_coder, start=1)
            for segment in document.segments(tier, level, asked)
        ]
        place = file.place(of_coder[0].line)
        yield Intervals(place=place, unit=MILLISECOND, coder=coder, segments=segments)


class _Document:
    """The tiers and time slots of a file."""

    def __init__(self, file: InputFile) -> None:
        self.file = file
        self.tiers: list[_Tier] = []
        self.times: dict[str, str | None] = {}
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._element
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._root = False
        try:
            self._parser.Parse(file.text(), True)
        except expat.ExpatError as error:
            message = f"not XML that can be read: {expat.errors.messages[error.code]}"
            raise file.place(error.lineno).refusal(f"{message}; save it again from ELAN") from error

    def segments(self, tier: _Tier, level: int, asked: Asked) -> Iterator[Segment]:
        """Yield the segments of a tier."""
        if tier.refers:
            raise self.file.place(tier.refers).refusal(
                f"tier {tier.name} refers to annotations of another tier and has no times of its "
                "own; name that tier with --tier"
            )
        for first, last, line in tier.slots:
            start, end = (self._moment(slot, line, asked) for slot in (first, last))
            yield Segment(start, end, line, level)

    def _moment(self, slot: str, line: int, asked: Asked) -> Moment:
        place = self.file.place(line)
        if slot not in self.times:
            raise place.refusal(f"there is no time slot {slot}; expected one of TIME_ORDER")
        time = self.times[slot]
        if time is None:
            raise place.refusal(f"time slot {slot} has no time; align the annotation in ELAN")
        return asked.clock.time(time, place, unit="ms")

    def _doctype(self, name: str, *_: object) -> None:
        raise self._place().refusal(
            f"DOCTYPE {name}: XML with a document type is not read; an .eaf file has none"
        )

    def _element(self, name: str, given: dict[str, str]) -> None:
        place = self._place()
        if not self._root and name != _ROOT:
            raise place.refusal(f"the XML is {name}; an .eaf file is {_ROOT}")
        self._root = True
        if name == "HEADER" and given.get("TIME_UNITS", "milliseconds") != "milliseconds":
            raise place.refusal(f"TIME_UNITS is {given['TIME_UNITS']}; expected milliseconds")
        if name == "TIME_SLOT":
            self.times[given.get("TIME_SLOT_ID", "")] = given.get("TIME_VALUE")
        elif name == "TIER":
            coder = given.get("ANNOTATOR") or given.get("PARTICIPANT") or ""
            self.tiers.append(_Tier(given.get("TIER_ID", ""), coder, place.line))
        elif name == "ALIGNABLE_ANNOTATION" and self.tiers:
            first, last = (given.get(f"TIME_SLOT_REF{number}", "") for number in (1, 2))
            self.tiers[-1].slots.append((first, last, place.line))
        elif name == "REF_ANNOTATION" and self.tiers:
            self.tiers[-1].refers = self.tiers[-1].refers or place.line

    def _place(self) -> RowPlace:
        return self.file.place(self._parser.CurrentLineNumber)

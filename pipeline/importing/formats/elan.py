"""ELAN (.eaf): tiers of annotations between time slots."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from xml.parsers import expat
from xml.sax.saxutils import escape, quoteattr

from segscore.pipeline.importing.formats.format import FRAMES, Format
from segscore.pipeline.importing.formats.tiers import chosen_tiers, tier_coder
from segscore.pipeline.importing.formats.values import brief
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Intervals, Moment, Segment
from segscore.pipeline.importing.tracks import DocumentTracks, Track, name_of_tier, shown_end
from segscore.pipeline.plain_text import visible
from segscore.pipeline.tables.rows import RowPlace
from segscore.pipeline.tables.units import MILLISECOND

_ROOT = "ANNOTATION_DOCUMENT"


@dataclass
class ElanTier:
    """A tier.

    Attributes:
        name: its name.
        coder: annotator, else participant, else the empty text.
        line: line of the file.
        annotations: time slots of the start and the end of each annotation, its line, and the
            pieces of its text.
        reference: line of an annotation that refers to one of another tier; 0 if there is none.
    """

    name: str
    coder: str
    line: int
    annotations: list[tuple[str, str, int, list[str]]] = field(default_factory=list)
    reference: int = 0


class ElanDocument:
    """The tiers and time slots of a file.

    Attributes:
        tiers: the tiers in the order of the file.
        times: milliseconds of each time slot as written; None for a slot without a time.

    Raises:
        Refused: not XML, a DOCTYPE, another kind of XML, or units other than milliseconds.
    """

    def __init__(self, file: OpenedFile) -> None:
        self.tiers: list[ElanTier] = []
        self.times: dict[str, str | None] = {}
        self._file = file
        self._root = False
        self._text: list[str] | None = None
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._element
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.StartDoctypeDeclHandler = self._doctype
        try:
            self._parser.Parse(file.text(), True)
        except expat.ExpatError as error:
            message = f"not XML that can be read: {expat.errors.messages[error.code]}"
            raise file.place(error.lineno).refusal(f"{message}; save it again from ELAN") from error

    def _place(self) -> RowPlace:
        return self._file.place(self._parser.CurrentLineNumber)

    def _doctype(self, name: str, *_: object) -> None:
        raise self._place().refusal(
            f"DOCTYPE {brief(name)}: XML with a document type is not read; an .eaf file has none"
        )

    def _element(self, name: str, given: dict[str, str]) -> None:
        place = self._place()
        if not self._root and name != _ROOT:
            raise place.refusal(f"the XML is {brief(name)}; an .eaf file is {_ROOT}")
        self._root = True
        if name == "HEADER" and given.get("TIME_UNITS", "milliseconds") != "milliseconds":
            raise place.refusal(
                f"TIME_UNITS is {brief(given['TIME_UNITS'])}; expected milliseconds"
            )
        if name == "TIME_SLOT":
            self.times[given.get("TIME_SLOT_ID", "")] = given.get("TIME_VALUE")
        elif name == "TIER":
            coder = given.get("ANNOTATOR") or given.get("PARTICIPANT") or ""
            self.tiers.append(ElanTier(given.get("TIER_ID", ""), coder, place.line))
        elif name == "ALIGNABLE_ANNOTATION" and self.tiers:
            first, last = (given.get(f"TIME_SLOT_REF{number}", "") for number in (1, 2))
            self._text = []
            self.tiers[-1].annotations.append((first, last, place.line, self._text))
        elif name == "REF_ANNOTATION" and self.tiers:
            self.tiers[-1].reference = self.tiers[-1].reference or place.line

    def _characters(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def _end(self, name: str) -> None:
        if name == "ALIGNABLE_ANNOTATION":
            self._text = None


def read(file: OpenedFile, settings: ImportSettings) -> Iterator[Intervals]:
    """Yield one segmentation for each coder of the tiers that are read.

    With `--levels`, several tiers of one coder are levels, in the order of `--tier`.

    Raises:
        Refused: not XML, a DOCTYPE, units other than milliseconds, a tier that is not there, a
            tier of references, several tiers of one coder without `--levels`, or an annotation
            without a time.
    """
    document = ElanDocument(file)
    places = chosen_tiers([tier.name for tier in document.tiers], file, settings)
    levels: dict[str | None, list[ElanTier]] = {}
    for place, matched in places:
        tier = document.tiers[place]
        coder = tier_coder(tier.coder, tier.name, places, matched, settings)
        levels.setdefault(coder, []).append(tier)
    found = []
    for coder, tiers in levels.items():
        if len(tiers) > 1 and not settings.levels:
            names = ", ".join(brief(tier.name) for tier in tiers)
            raise file.place(tiers[1].line).refusal(
                f"the tiers {names} are all by {brief(coder or '')}: are they levels of one "
                "segmentation? If so, name them with --tier, the outermost first, and add "
                "--levels; if not, choose one with --tier"
            )
        segments: list[Segment] = []
        for level, tier in enumerate(tiers, start=1):
            if tier.reference:
                raise file.place(tier.reference).refusal(
                    f"tier {brief(tier.name)} refers to annotations of another tier and has no "
                    "times of its own; name that tier with --tier"
                )
            for first, last, line, text in tier.annotations:
                start, end = (
                    _moment(document.times, slot, file.place(line), settings)
                    for slot in (first, last)
                )
                segments.append(Segment(start, end, line, level, name="".join(text)))
        place_of = file.place(tiers[0].line)
        found.append(Intervals(place=place_of, unit=MILLISECOND, coder=coder, segments=segments))
    yield from _of_one_length(found)


def _of_one_length(found: Sequence[Intervals]) -> Iterator[Intervals]:
    """Give the segmentations of several coders one length: that of the longest.

    A coder may have stopped before the end, and the file does not say how long the recording is.
    """
    ends = [end for one in found for s in one.segments if (end := s.end) is not None]
    longest = max((end.exact for end in ends), default=None)
    for one in found:
        yield replace(one, length=longest) if len(found) > 1 else one


def _moment(
    times: dict[str, str | None], slot: str, place: RowPlace, settings: ImportSettings
) -> Moment:
    if slot not in times:
        raise place.refusal(
            f"no time slot {brief(slot)} in TIME_ORDER; save the file again from ELAN"
        )
    time = times[slot]
    if time is None:
        raise place.refusal(f"time slot {brief(slot)} has no time; align the annotation in ELAN")
    return settings.clock.time(time, place, unit="ms")


def write_elan(document: DocumentTracks) -> str:
    """Return the text of an ELAN file: a tier for each track, of the annotator who made it.

    Annotations of a tier do not overlap, so that an edit ends where the next one begins, and edits
    that begin together share an annotation.
    """
    slots: list[int] = []
    tiers = []
    for track in document.tracks:
        at_once = [[*each] for _, each in groupby(track.regions, key=lambda one: one.start)]
        starts = [regions[0].start for regions in at_once]
        annotations = []
        for regions, following in zip(at_once, [*starts, document.n_units][1:], strict=True):
            end = max(shown_end(region, track, document.n_units) for region in regions)
            slots += [regions[0].start, max(min(end, following), regions[0].start + 1)]
            text = "; ".join(region.text for region in regions)
            annotations.append((len(slots) - 1, len(slots), text))
        tiers.append((track, annotations))
    return "".join(f"{line}\n" for line in _eaf_lines(slots, tiers, document))


def _eaf_lines(
    slots: Sequence[int],
    tiers: Sequence[tuple[Track, Sequence[tuple[int, int, str]]]],
    document: DocumentTracks,
) -> Iterator[str]:
    """Yield the lines of an ELAN file; an annotation has the number of its first slot."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield (
        f'<{_ROOT} AUTHOR="segscore" DATE="1970-01-01T00:00:00+00:00" FORMAT="3.0" VERSION="3.0">'
    )
    yield '  <HEADER MEDIA_FILE="" TIME_UNITS="milliseconds"/>'
    yield "  <TIME_ORDER>"
    for number, time in enumerate(slots, start=1):
        yield f'    <TIME_SLOT TIME_SLOT_ID="ts{number}" TIME_VALUE="{time}"/>'
    yield "  </TIME_ORDER>"
    for track, annotations in tiers:
        name = _attribute(name_of_tier(document, track))
        coder = _attribute(track.coder)
        yield f'  <TIER ANNOTATOR={coder} LINGUISTIC_TYPE_REF="segments" TIER_ID={name}>'
        for first, last, text in annotations:
            yield "    <ANNOTATION>"
            yield (
                f'      <ALIGNABLE_ANNOTATION ANNOTATION_ID="a{first}" '
                f'TIME_SLOT_REF1="ts{first}" TIME_SLOT_REF2="ts{last}">'
            )
            yield f"        <ANNOTATION_VALUE>{escape(visible(text))}</ANNOTATION_VALUE>"
            yield "      </ALIGNABLE_ANNOTATION>"
            yield "    </ANNOTATION>"
        yield "  </TIER>"
    yield (
        '  <LINGUISTIC_TYPE GRAPHIC_REFERENCES="false" LINGUISTIC_TYPE_ID="segments" '
        'TIME_ALIGNABLE="true"/>'
    )
    yield f"</{_ROOT}>"


def _attribute(text: str) -> str:
    return quoteattr(visible(text))


FORMATS = (Format("elan", read, endings=(".eaf",), options=("tier", *FRAMES), write=write_elan),)

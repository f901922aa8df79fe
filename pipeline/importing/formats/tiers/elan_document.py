"""The tiers and time slots of an ELAN file (.eaf), which is XML."""

from dataclasses import dataclass, field
from xml.parsers import expat

from segscore.pipeline.importing.formats.asked import OpenedFile
from segscore.pipeline.importing.formats.json_fields import brief
from segscore.pipeline.tables.rows import RowPlace

_ROOT = "ANNOTATION_DOCUMENT"


@dataclass
class ElanTier:
    """A tier.

    Attributes:
        name: its name.
        coder: annotator, else participant, else the empty text.
        line: line of the file.
        annotations: time slots of the start and the end of each annotation, and its line.
        reference: line of an annotation that refers to one of another tier; 0 if there is none.
    """

    name: str
    coder: str
    line: int
    annotations: list[tuple[str, str, int]] = field(default_factory=list)
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
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._element
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
            self.tiers[-1].annotations.append((first, last, place.line))
        elif name == "REF_ANNOTATION" and self.tiers:
            self.tiers[-1].reference = self.tiers[-1].reference or place.line

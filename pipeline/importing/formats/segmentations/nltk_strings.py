"""NLTK's segmentation strings: a mask of 0 and 1 per line, a character per potential boundary."""

from collections.abc import Iterable, Iterator

from segscore.pipeline.tables.rows import (
    Defaults,
    ParsedRow,
    RowPlace,
    is_given,
    numbered,
    stem,
    text_of,
)


def read(lines: Iterable[str], source: str, defaults: Defaults) -> Iterator[ParsedRow]:
    """Parse masks into rows: each line is MASK or document_id<TAB>coder<TAB>MASK, or blank.

    A mask has n_units - 1 characters; a 1 at index p-1 is the boundary at position p (the strings
    that nltk.metrics.segmentation compares). A MASK alone is for the document
    <default or stem>/<line number> and needs a default coder; only in a line with three fields may
    the mask be empty, for one unit. Blank lines are skipped.
    Raises Refused for another number of fields, another character, or a missing name or coder.
    """
    for number, text in numbered(lines):
        place = RowPlace(source, number)
        fields = text.split("\t")
        if len(fields) == 3:
            document_id = text_of(fields[0], "document_id", place)
            yield _row(document_id, text_of(fields[1], "coder", place), fields[2], defaults, place)
        elif len(fields) > 1:
            raise place.refusal(
                f"{len(fields)} fields; expected MASK or document_id<TAB>coder<TAB>MASK"
            )
        elif text.strip():
            document_id = f"{defaults.document_id or stem(source)}/{number}"
            coder = is_given(defaults.coder, "coder", place)
            yield _row(document_id, coder, text, defaults, place)


def _row(document_id: str, coder: str, mask: str, defaults: Defaults, place: RowPlace) -> ParsedRow:
    for index, character in enumerate(mask):
        if character not in "01":
            raise place.wrong(f"character {index + 1} of the mask", character, "0 or 1")
    return ParsedRow(
        document_id=document_id,
        coder=coder,
        role=defaults.role,
        n_units=len(mask) + 1,
        boundaries=tuple(p for p, character in enumerate(mask, start=1) if character == "1"),
        source=place.source,
        line=place.line,
    )

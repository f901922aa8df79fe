"""The words around a boundary, from the units that the systems were given."""

from collections.abc import Mapping, Sequence

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.answers.inputs import read_units
from segscore.pipeline.importing.answers.options import AnswerOptions
from segscore.pipeline.importing.conversion.names import without_endings
from segscore.pipeline.importing.open_input import open_input
from segscore.pipeline.importing.settings import ImportSettings

WORDS = 5
"""Words that are shown on each side of a boundary."""

_NAMED = 3
"""Number of documents of a file that a message names."""


def read_texts(url: str, sizes: Mapping[str, int]) -> dict[str, list[str]]:
    """Return the text of each unit of some documents, by document.

    Args:
        url: a file as for `segscore answers --source`: JSON Lines with lists of texts, subtitles,
            or text with a unit in a line.
        sizes: number of units that the run has of each document, by its id.

    Raises:
        Refused: the file cannot be read, or does not have a document with so many units.
    """
    file = open_input(url, ImportSettings((url,), "unused"))
    texts: dict[str, list[str]] = {}
    others: list[str] = []
    for source in read_units(file, without_endings(file.name, ()), AnswerOptions("numbered")):
        document = source.document_id
        if document not in sizes:
            others.append(document)
            continue
        if len(source.units) != sizes[document]:
            raise source.place.refusal(
                f"{document} has {len(source.units):,} units, but {sizes[document]:,} in the run; "
                "name the texts from which the segmentations were made"
            )
        texts.setdefault(document, [*source.units])
        if len(texts) == len(sizes):
            return texts
    missing = next(document for document in sizes if document not in texts)
    has = f", only {', '.join(others[:_NAMED])}" if others else ""
    hint = "; a file of one text is named after its document" if len(others) == 1 else ""
    raise Refused(f"--units {url}: has no document {missing}{has}{hint}")


def text_around(units: Sequence[str], position: int) -> str:
    """Return the last words before a boundary and the first ones after it.

    >>> text_around(["That was the news.", "Now to the weather in the north."], 1)
    '… That was the news. | Now to the weather in …'
    """
    before = " ".join(units[max(0, position - WORDS) : position]).split()[-WORDS:]
    after = " ".join(units[position : position + WORDS]).split()[:WORDS]
    return f"… {' '.join(before)} | {' '.join(after)} …"

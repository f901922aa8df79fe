"""DISRPT (.tok, .conllu): one token per line; the last column marks where segments begin."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from segscore.pipeline.importing.formats.format import Format
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Sizes
from segscore.pipeline.tables.rows import RowPlace, shown

_DOCUMENT = ("newdoc id", "newdoc_id", "newdoc")
_BEGINS = {"BeginSeg=Yes", "Seg=B-seg", "Seg=B-Seg"}
_CONNECTIVES = {"Seg=B-Conn", "Seg=B-conn", "Conn=B-conn", "Conn=B-Conn"}
_COLUMNS = 10


@dataclass
class _Document:
    name: str | None
    place: RowPlace
    tokens: int = 0
    begins: list[int] = field(default_factory=list)
    """Tokens before each mark."""


def read(file: OpenedFile, _settings: ImportSettings) -> Iterator[Sizes]:
    """Yield one segmentation for each document; its units are tokens.

    Words of several tokens (1-2) and empty words (8.1) do not count as tokens. Blank lines end
    sentences, which are not segments.

    Raises:
        Refused: a line without ten columns, a document without a name or a token, marks of
            connectives, or no mark in the whole file.
    """
    documents = _documents(file)
    if not any(document.begins for document in documents):
        raise file.refusal(
            "no token begins a segment; expected BeginSeg=Yes, Seg=B-seg or Seg=B-Seg in column 10"
        )
    for document in documents:
        if document.name == "":
            raise document.place.refusal("a document without a name; expected newdoc id = NAME")
        if not document.tokens:
            raise document.place.refusal(
                f"{shown(document.name)} has no token; expected at least one"
            )
        edges = sorted({0, *document.begins, document.tokens})
        yield Sizes(
            place=document.place,
            unit="token",
            document_id=document.name,
            sizes=[end - start for start, end in pairwise(edges)],
        )


def _documents(file: OpenedFile) -> list[_Document]:
    documents = [_Document(None, file.place(1))]
    for place, line in file.lines_with_text():
        if line.startswith("#"):
            comment, _, name = line[1:].partition("=")
            if comment.strip() in _DOCUMENT:
                documents.append(_Document(name.strip(), place))
        else:
            _add_token(documents[-1], line, place)
    return documents if documents[0].tokens else documents[1:]


def _add_token(document: _Document, line: str, place: RowPlace) -> None:
    cells = line.split("\t")
    if len(cells) != _COLUMNS:
        raise place.refusal(
            f"{len(cells)} columns; expected {_COLUMNS}, with tabs between them, as in CoNLL-U"
        )
    if not re.fullmatch(r"[0-9]+(?:[-.][0-9]+)?", cells[0]):
        raise place.refusal(f"the number of the token is {shown(cells[0])}; expected 1, 2, ...")
    marks = cells[-1].strip().split("|")
    for mark in _CONNECTIVES.intersection(marks):
        raise place.refusal(
            f"{shown(mark)} marks a connective, not a segment; import the file of the segmentation "
            "task instead"
        )
    if cells[0].isdecimal():
        if not _BEGINS.isdisjoint(marks):
            document.begins.append(document.tokens)
        document.tokens += 1


FORMATS = (Format("disrpt", read, endings=(".tok", ".conllu"), in_units=True),)

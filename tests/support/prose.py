"""Sentences of pages in Markdown, without examples and code."""

import re
from collections.abc import Iterator

_FENCE = re.compile(r"^```.*?^```$|<!--.*?-->", re.DOTALL | re.MULTILINE)
_LINE = re.compile(r"^(?: {4}\S.*|#+ .*|\|[-| :]+\|)$", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_TAG = re.compile(r"</?[a-z]+>")
_CODE = re.compile(r"`[^`]*`(?:(?:,\s+|\s+and\s+|,\s+and\s+)`[^`]*`)*")
_BREAK = re.compile(r"\n\s*\n|^\s*[-*] |^\s*\d+\. |(?<!\\)\|", re.MULTILINE)
_END = re.compile(r"(?<=[.?!])[*)\"”]*\s+(?=\S)")
_NO_END = re.compile(r"\b(al|e\.g|i\.e|eq|p|vs|cf|St|J)\.\s")


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a page; a cell of a table and an entry of a list begin a new one.

    A link counts by its text, and a piece of code, or a list of pieces, as one word.
    """
    text = _LINE.sub("\n", _FENCE.sub("\n\n", text))
    text = _CODE.sub("code", _TAG.sub(" ", _LINK.sub(r"\1", text)))
    for block in _BREAK.split(text):
        yield from filter(None, _END.split(_NO_END.sub(r"\1 ", " ".join(block.split()))))

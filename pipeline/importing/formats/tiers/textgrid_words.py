"""Read the numbers, texts and flags of a Praat text file, in whichever form it is written."""

import re

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.formats.asked import OpenedFile
from segscore.pipeline.tables.rows import shown

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
        """What comes next: number, text or flag; the empty text at the end of the file."""
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

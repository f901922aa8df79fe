"""A finding, with which pages and the terminal begin: a headline, sentences and a few facts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from segscore.pipeline.plain_text import named_list
from segscore.pipeline.statistics.sentences import Sentence, Tone


class Fact(NamedTuple):
    """A number to be seen at once, and what it is."""

    value: str
    text: str


@dataclass(frozen=True)
class Finding:
    """What a run found.

    Attributes:
        rest: what the headline says of the names, or all that it says.
        tone: whether that is sure, unsure, or a failure.
        sentences: what was found, the most important first; a page folds those after the first.
        names: names that the headline begins with, which a page marks; empty for none.
        before: what the headline says before the names, such as a date; empty for nothing.
        facts: numbers to be seen at once, at most four.
        about: what was averaged over what, in a line; empty if the sentences say so.
        is_said: whether the first sentence says what the headline does, so that a terminal, which
            has little room, shows the sentence alone.
    """

    rest: str
    tone: Tone
    sentences: Sequence[Sentence] = ()
    names: Sequence[str] = ()
    before: str = ""
    facts: Sequence[Fact] = ()
    about: str = ""
    is_said: bool = False

    @property
    def headline(self) -> str:
        """The headline as a sentence."""
        return " ".join(filter(None, (self.before, named_list(self.names), self.rest))) + "."

    @property
    def lines(self) -> list[Sentence]:
        """The sentences that a terminal begins with."""
        headline = [] if self.is_said else [Sentence(self.headline, self.tone)]
        return [*headline, *self.sentences]

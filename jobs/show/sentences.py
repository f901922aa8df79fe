"""Print sentences about results, wrapped at words and in the color of what they say."""

import textwrap
from collections.abc import Iterable

from rich.text import Text

from segscore.jobs.show.fitted import out
from segscore.pipeline.plain_text import visible
from segscore.pipeline.statistics.sentences import Sentence, Tone

STYLES = {Tone.SURE: "green", Tone.UNSURE: "yellow", Tone.FAILED: "bold red", Tone.NOTE: ""}


def print_sentences(sentences: Iterable[Sentence]) -> None:
    """Print sentences one below the other; where output is piped, each is one line."""
    console = out()
    for text, tone in sentences:
        shown = visible(text, lines=True)
        width = console.width if console.is_terminal else len(shown) + 1
        lines = textwrap.wrap(shown, width, break_long_words=False, break_on_hyphens=False)
        for line in lines:
            console.print(Text(line, STYLES[tone]))

"""Carry the breaks of a text to the units of another: the same alignment as `segscore import`."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import inf

from segscore.api.wording import for_python
from segscore.pipeline.alignment.overlaps import TokenTexts, repeated_ends
from segscore.pipeline.alignment.resegment import resegment
from segscore.pipeline.alignment.tokens import TOKENS, WORDS, Vocabulary, tokenize
from segscore.pipeline.errors import Refused
from segscore.pipeline.settings.ranges import one_of
from segscore.pipeline.tables.rows import shown

Texts = Iterable[str | Sequence[str]]
"""Texts, each of which is a string or a sequence of tokens."""


@dataclass(frozen=True)
class Alignment:
    """Where the breaks of one text are in the units of another.

    >>> import segscore
    >>> aligned = segscore.align(["It rains.", "Now sport."], ["It rains", "sport"])
    >>> aligned.edits, aligned.source_tokens, aligned.uncertain
    (1, 4, ())

    Attributes:
        boundaries: positions, strictly ascending in 1..n_units-1.
        edits: insertions, deletions and substitutions between the texts, without regard to breaks.
        uncertain: the breaks that fit as well at an earlier unit, as numbers of units before them.
        n_units: number of units.
        source_tokens: number of tokens of the units; the edit rate is ``edits / source_tokens``.
        break_cost: further edits because breaks are inside units.
        collapsed: number of breaks at an end of the document, or where another break is.
    """

    boundaries: tuple[int, ...]
    edits: int
    uncertain: tuple[int, ...]
    n_units: int
    source_tokens: int
    break_cost: int
    collapsed: int


@for_python
def align(
    units: Texts, segments: Texts, *, tokens: str = WORDS, max_edits: float | None = 0.5
) -> Alignment:
    """Place the breaks between segments in the units of another text, by the fewest edits.

    >>> import segscore
    >>> segscore.align(["It rains.", "Now sport."], ["It rains", "sport"]).boundaries
    (1,)

    Args:
        units: the units of the document.
        segments: the segments of the system.
        tokens: what is compared in strings: `words` or `characters`.
        max_edits: largest edit rate; None for any.

    Raises:
        Refused: there is no unit or no segment, segments overlap, or there are more edits than
            ``max_edits``.
    """
    one_of("tokens", tokens, TOKENS)
    vocabulary = Vocabulary()
    sides = [
        [
            tokenize(text, tokens) if isinstance(text, str) else [*text]
            for text in _checked(name, texts)
        ]
        for name, texts in (("units", units), ("segments", segments))
    ]
    source, output = (vocabulary.number(side) for side in sides)
    for name, found in (("units", source), ("segments", output)):
        if not len(found.ends):
            raise Refused(f"{name} is empty; pass at least one text")
    _refuse_overlaps(*sides)
    most = inf if max_edits is None else max_edits * len(source)
    aligned = resegment(source, output, most)
    if aligned is None:
        raise Refused(
            f"the texts differ in more than {max_edits} of the {len(source)} tokens of the units; "
            "check that they are of one document, or raise max_edits"
        )
    return Alignment(
        boundaries=tuple(aligned.boundaries),
        edits=aligned.edits.total,
        uncertain=tuple(aligned.uncertain),
        n_units=len(source.ends),
        source_tokens=len(source),
        break_cost=aligned.cost - aligned.edits.total,
        collapsed=aligned.collapsed,
    )


def _refuse_overlaps(units: TokenTexts, segments: TokenTexts) -> None:
    if repeated := repeated_ends(units, segments):
        raise Refused(
            f"segments: {len(repeated)} of {len(segments)} begin with the end of the one before "
            "them; chunks that overlap are not a segmentation: make them with an overlap of 0"
        )


def _checked(name: str, texts: Texts) -> list[str | Sequence[str]]:
    """Return the texts of a side; refuse what is not a list of texts or of lists of tokens."""
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise Refused(f"{name}: must be a list of texts, not {type(texts).__name__}")
    checked = [*texts]
    for text in checked:
        tokens = () if isinstance(text, str) else text
        if not isinstance(text, Sequence) or not all(isinstance(each, Hashable) for each in tokens):
            raise Refused(f"{name}: {shown(text)} is neither a text nor a list of tokens")
    return checked

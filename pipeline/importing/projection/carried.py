"""Carry the boundaries of one segmentation to the units of another transcript."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.alignment.edits import Edits, count_edits
from segscore.pipeline.alignment.resegment import Resegmentation, place_breaks
from segscore.pipeline.alignment.tokens import WORDS, Tokens, Vocabulary, tokenize
from segscore.pipeline.importing.projection.settings import FROM, TO, ProjectSettings
from segscore.pipeline.tables.read import Rows, with_column
from segscore.schemas.input_columns import BOUNDARY_KINDS, BY_SEGMENT, BY_UNIT, INPUT_TYPES

LEAST_TOKENS = 20
"""Smallest number of tokens of a transcript."""


@dataclass(frozen=True)
class Transcripts:
    """Two transcripts of a document, numbered by the same vocabulary, and the edits between them.

    Boundaries are in units of the source, and are carried to those of the target.
    """

    source: Tokens
    target: Tokens
    edits: Edits
    text: str | None = None

    def fits(self, n_units: int) -> bool:
        """Return whether a segmentation is as long as the source, without white space at its end.

        The source of one in characters is a text.
        """
        if self.text is None:
            return n_units == len(self.source.ends)
        return n_units <= len(self.text) and not self.text[n_units:].strip()

    def place(self, positions: Sequence[int], kind: str = WORDS) -> Resegmentation:
        """Place boundaries of the source in the target.

        Args:
            positions: positions of boundaries, strictly ascending in 1..units of the source - 1.
            kind: what tokens are.

        Raises:
            Refused: the texts are too long to be aligned.
        """
        if self.text is not None:
            ends = np.array([*_ends(self.text, positions, kind), len(self.source)], np.int64)
        else:
            ends = self.source.ends[np.array([*positions, len(self.source.ends)], np.int64) - 1]
        return place_breaks(self.target, Tokens(self.source.ids, ends), self.edits)


def align_transcripts(
    texts: Mapping[str, Sequence[str]], settings: ProjectSettings, *, in_characters: bool = False
) -> Transcripts | str:
    """Align two transcripts of a document, or say why that cannot be done.

    The source of segmentations in characters is one text.
    """
    if in_characters and len(texts[FROM]) != 1:
        return f"it counts characters, so that --{FROM} must have one text, not a list of units"
    vocabulary = Vocabulary()
    found = {}
    for what in (FROM, TO):
        tokens = vocabulary.number(tokenize(text, settings.tokens) for text in texts[what])
        if len(tokens) < LEAST_TOKENS:
            return (
                f"{len(tokens)} {settings.tokens} in --{what}, where {LEAST_TOKENS} are needed to "
                "align it"
            )
        found[what] = tokens
    source, target = found[FROM], found[TO]
    most = settings.max_edits * len(target)
    edits = count_edits(target, source, most)
    if edits is None or edits.total > most:
        rate = "too many edits" if edits is None else f"edit rate {edits.total / len(target):.2f}"
        return f"{rate}, above --max-edits {settings.max_edits:g}"
    return Transcripts(source, target, edits, texts[FROM][0] if in_characters else None)


def _ends(text: str, positions: Sequence[int], kind: str) -> Iterator[int]:
    """Yield the number of tokens that begin before each position in a text.

    >>> [*_ends("Good evening.", [2, 5, 7], "words")]
    [1, 1, 2]
    """
    tokens = start = 0
    for position in positions:
        tokens += len(tokenize(text[start:position], kind))
        before, after = text[start - 1 : start], text[start : start + 1]
        parts = tokenize(before, kind), tokenize(after, kind)
        # A word that is divided at the start of this part was counted before.
        if all(parts) and len(tokenize(before + after, kind)) == 1:
            tokens -= 1
        start = position
        yield tokens


@dataclass(frozen=True)
class CarriedLists:
    """The lists of a segmentation in the units of the other transcript; None for absent ones.

    Boundaries ascend; with types a position may repeat.
    """

    boundaries: list[int]
    types: list[int] | None
    scores: list[float] | None


def carry_lists(
    boundaries: Sequence[int],
    types: Sequence[int] | None,
    scores: Sequence[float] | None,
    moved: Mapping[int, int],
) -> CarriedLists:
    """Move boundaries; of those that come to be the same, the highest score remains.

    >>> carry_lists([2, 2, 5], [1, 2, 1], None, {2: 3, 5: 3})
    CarriedLists(boundaries=[3, 3], types=[1, 2], scores=None)

    Args:
        boundaries: positions, ascending.
        types: type of each boundary; None if there are none.
        scores: score of each boundary; None if there are none.
        moved: position -> the new one, without boundaries that are now at an end of the document.
    """
    found: dict[tuple[int, int], float] = {}
    for number, position in enumerate(boundaries):
        if position in moved:
            key = moved[position], types[number] if types is not None else 0
            score = scores[number] if scores is not None else 0.0
            found[key] = max(score, found.get(key, score))
    keys = sorted(found)
    return CarriedLists(
        [position for position, _ in keys],
        None if types is None else [kind for _, kind in keys],
        None if scores is None else [found[key] for key in keys],
    )


@dataclass(frozen=True)
class Carried:
    """Where the boundaries of a segmentation come to be.

    Attributes:
        n_units: number of units of the document there.
        moved: position -> the new one, without boundaries that are now at an end of the document.
        unit_lengths: words of each unit there; None if they are not known.
    """

    n_units: int
    moved: Mapping[int, int]
    unit_lengths: Sequence[int] | None = None


_CHANGED = (
    *("n_units", "boundaries", "boundary_types", "boundary_scores", "collapsed_boundaries"),
    "unit_lengths",
)
"""Columns that get new values."""


def carry_rows(rows: Rows, carried: Sequence[Carried]) -> Rows:
    """Return rows whose boundaries have moved, each as is told for it, without other lists by unit.

    A list with an element for each boundary or segment is null where boundaries collapsed.
    """
    new: dict[str, list[object]] = {name: [] for name in _CHANGED}
    kept: list[bool] = []
    given = [name for name in rows.table.column_names if name in _CHANGED]
    for row, one in zip(rows.table.select(given).to_pylist(), carried, strict=True):
        positions = row["boundaries"]
        types, scores = row.get("boundary_types"), row.get("boundary_scores")
        lists = carry_lists(positions, types, scores, one.moved)
        collapsed = len({*positions}) - len({*lists.boundaries})
        total = (row.get("collapsed_boundaries") or 0) + collapsed
        values = (one.n_units, lists.boundaries, lists.types, lists.scores, total, one.unit_lengths)
        for name, value in zip(_CHANGED, values, strict=True):
            new[name].append(value)
        kept.append(not collapsed)
    table = rows.table.drop_columns([name for name in BY_UNIT if name in rows.table.column_names])
    for name, column in new.items():
        if name in table.column_names or any(value is not None for value in column):
            table = with_column(table, name, pa.array(column, INPUT_TYPES[name]))
    for name in {BY_SEGMENT, BOUNDARY_KINDS} & {*table.column_names}:
        whole = table.column(name)
        fitting = pc.if_else(pa.array(kept), whole, pa.scalar(None, whole.type))
        table = with_column(table, name, fitting.combine_chunks())
    return replace(rows, table=table)

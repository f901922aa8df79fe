"""Place one answer in the units of its document."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from segscore.pipeline.alignment.edits import Edits, count_edits
from segscore.pipeline.alignment.quotes import WORDS_OF_QUOTE, place_quotes
from segscore.pipeline.alignment.resegment import Resegmentation, place_breaks
from segscore.pipeline.alignment.tokens import Tokens, Vocabulary, tokenize
from segscore.pipeline.importing.answers.breaks import divide
from segscore.pipeline.importing.answers.cleaning import clean
from segscore.pipeline.importing.answers.forms import quotes_in
from segscore.pipeline.importing.answers.numbers import (
    UNREAD,
    boundaries_of,
    how_numbered,
    numbers_in,
)
from segscore.pipeline.importing.answers.options import NUMBERED, REWRITTEN, AnswerOptions
from segscore.pipeline.importing.answers.patterns import without_labels
from segscore.pipeline.tables.rows import RowPlace

MOST_CHARACTERS = 2**24
"""Length of the longest answer that is read."""

_LONG, _TIMES = 2**20, 4
"""Characters of a text whose tokens are counted first, and how many times too many are enough."""

TRUNCATED = "truncated"
_MASK = "[MASK]"


@dataclass
class Placed:
    """What became of an answer.

    Attributes:
        failure: why it cannot be used; None if it can be.
        boundaries: positions, ascending; with types a position may repeat.
        types: types of the boundaries; None if breaks have no types.
        titles: headings, in the order of the answer; None if there is none.
        source_tokens: number of tokens of the source; None if the text was not aligned, as with the
            numbers below.
        output_tokens: number of tokens of the answer.
        edits: edits without regard to breaks.
        break_cost: further edits because breaks are inside units.
        breaks: number of breaks.
        uncertain: number of breaks that fit elsewhere as well; None if words placed none.
        collapsed: number of breaks at an end of the document or where another break is.
        missing_tail: number of the last units that the answer lacks; None if it is not known.
        problems: how often something is wrong, by what is wrong.
        reasoned: whether reasoning before the answer was dropped.
        unread: whether lines had more numbers than were read.
    """

    failure: str | None = None
    boundaries: list[int] = field(default_factory=list)
    types: list[int] | None = None
    titles: list[str] | None = None
    source_tokens: int | None = None
    output_tokens: int | None = None
    edits: Edits | None = None
    break_cost: int | None = None
    breaks: int = 0
    uncertain: int | None = None
    collapsed: int | None = None
    missing_tail: int | None = None
    problems: Counter[str] = field(default_factory=Counter)
    reasoned: bool = False
    unread: bool = False


def place_answer(
    answer: object, units: Sequence[str], options: AnswerOptions, place: RowPlace
) -> Placed:
    """Place an answer, a text or what JSON has in its place, in the units of its document."""
    reasoned = False
    if isinstance(answer, str):
        if len(answer) > MOST_CHARACTERS:
            return Placed(f"longer than {MOST_CHARACTERS:,} characters")
        cleaned = clean(answer, options.answer)
        reasoned = cleaned.reasoned
        if cleaned.fault is not None:
            return Placed(cleaned.fault, reasoned=reasoned)
        answer = cleaned.text
        if options.labels is not None:
            answer = without_labels(answer, options.labels)
    if options.format_name == REWRITTEN:
        placed = _rewritten(_text_of(answer), units, options)
    elif options.format_name == NUMBERED:
        placed = _numbered(answer, len(units), options, place)
    else:
        placed = _quoted(answer, units, options)
    if placed.failure is None and options.strict and placed.problems:
        placed.failure = name_problems(placed.problems)
    placed.reasoned = reasoned
    return placed


def name_problems(problems: Counter[str]) -> str:
    """Return what is wrong, and how often if it can occur more than once."""
    return ", ".join(
        name if name == TRUNCATED else f"{name}: {number}" for name, number in problems.items()
    )


def _text_of(answer: object) -> str:
    """Return an answer as a text; a list of texts as its lines."""
    if isinstance(answer, list):
        return "\n".join(part for part in answer if isinstance(part, str))
    return answer if isinstance(answer, str) else ""


def source_tokens(units: Sequence[str], vocabulary: Vocabulary, tokens: str) -> Tokens:
    """Return the tokens of units."""
    return vocabulary.number(tokenize(unit, tokens) for unit in units)


def _rewritten(text: str, units: Sequence[str], options: AnswerOptions) -> Placed:
    vocabulary = Vocabulary()
    source = source_tokens(units, vocabulary, options.tokens)
    if len(text) > _LONG:
        number = len(tokenize(text, options.tokens))
        if number > _TIMES * (1 + options.max_edits) * len(source):
            return Placed(f"{number:,} tokens for {len(source):,}", source_tokens=len(source))
    divided = divide(
        text, options.breaks, drop_headings=options.drop_headings, levels=options.levels
    )
    segments: list[list[str]] = []
    types: list[set[int]] = []
    waiting: set[int] = set()
    for segment in divided.segments:
        waiting |= segment.types
        words = [token for line in segment.lines for token in tokenize(line, options.tokens)]
        if words:  # breaks without text between them are one break
            segments.append(words)
            types.append(waiting)
            waiting = set()
    output = vocabulary.number(segments)
    placed = Placed(
        source_tokens=len(source),
        output_tokens=len(output),
        breaks=max(0, len(segments) - 1),
        titles=divided.titles or None,
    )
    if not segments:
        placed.failure = "empty"
        placed.edits = Edits(0, 0, len(source), 0, len(source))
        placed.missing_tail = len(units)
        return placed
    _align(placed, source, output, options.max_edits)
    if placed.failure is None and placed.edits is not None:
        _put_breaks(placed, place_breaks(source, output, placed.edits), types[1:])
    return placed


def _align(placed: Placed, source: Tokens, output: Tokens, max_edits: float) -> None:
    """Count the edits, and find out whether there are too many."""
    most = max_edits * len(source)
    edits = placed.edits = count_edits(source, output, most)
    if 2 * len(output) < len(source) and _is_beginning(source, output):
        placed.problems[TRUNCATED] = 1
    if edits is None:
        placed.failure = f"edits above {_rate(max_edits)}"
    elif edits.total > most:
        rate = edits.total / len(source) if len(source) else None
        described_rate = "no word in the source" if rate is None else f"edits {_rate(rate)}"
        placed.failure = TRUNCATED if TRUNCATED in placed.problems else described_rate
    if edits is not None:
        placed.missing_tail = missing_units(source, len(source) - edits.missing_tail)


def missing_units(source: Tokens, present: int) -> int:
    """Return the number of units after those that have any of the first ``present`` tokens."""
    if present == len(source):
        return 0
    begun = int(source.ends.searchsorted(present)) + 1 if present else 0
    return len(source.ends) - max(begun, int(source.ends.searchsorted(present, "right")))


def _rate(value: float) -> str:
    return f"{value:.2f}".removeprefix("0")


def _is_beginning(source: Tokens, output: Tokens) -> bool:
    """Return whether the output is a beginning of the source."""
    return bool((source.ids[: len(output)] == output.ids).all())


def _put_breaks(placed: Placed, found: Resegmentation, types: Sequence[set[int]]) -> None:
    placed.boundaries = found.boundaries
    placed.break_cost = found.cost - found.edits.total
    placed.uncertain = len(found.uncertain)
    placed.collapsed = found.collapsed
    if any(types):
        inside = {*found.boundaries}
        pairs = sorted(
            {(cut, kind) for cut, kinds in zip(found.cuts, types, strict=True) for kind in kinds}
        )
        pairs = [pair for pair in pairs if pair[0] in inside]
        placed.boundaries = [position for position, _ in pairs]
        placed.types = [kind for _, kind in pairs]


def _numbered(answer: object, n_units: int, options: AnswerOptions, place: RowPlace) -> Placed:
    how = how_numbered(options.numbers)
    numbers = numbers_in(answer, how, place)
    if not numbers.spans:
        return Placed(failure_without_numbers(answer))
    assert options.first_number is not None
    found = boundaries_of(numbers, how.kind, options.first_number, n_units)
    if not numbers.clear:
        found.problems[UNREAD] = numbers.unread
    return Placed(
        boundaries=found.boundaries,
        breaks=len(found.boundaries),
        missing_tail=found.missing_tail,
        problems=found.problems,
        unread=numbers.unread > 0,
    )


def failure_without_numbers(answer: object) -> str:
    """Return why an answer without a number cannot be used."""
    empty = not answer or (isinstance(answer, str) and not answer.strip())
    return "empty" if empty else "no number"


def _quoted(answer: object, units: Sequence[str], options: AnswerOptions) -> Placed:
    vocabulary = Vocabulary()
    source = source_tokens(units, vocabulary, options.tokens)
    quotes = _quotes_of(answer, options.tokens)
    if not quotes:
        return Placed("empty")
    if len(quotes) > len(units) + options.max_unplaced:
        return Placed(f"{len(quotes)} quotes for {len(units)} units")
    found = place_quotes(source, vocabulary.number(quotes))
    boundaries = found.boundaries
    problems: Counter[str] = Counter()
    failure = None
    if found.unplaced:
        problems["unplaced"] = found.unplaced
        if found.unplaced > options.max_unplaced:
            failure = f"{found.unplaced} of {len(quotes)} quotes not found"
    return Placed(
        failure,
        boundaries=[] if failure else boundaries,
        breaks=len(boundaries),
        uncertain=found.uncertain,
        problems=problems,
    )


def _quotes_of(answer: object, tokens: str) -> list[list[str]]:
    """Return the tokens of the quotes in an answer, without those that have none."""
    texts = (quote.partition(_MASK)[0] for quote in quotes_in(answer))
    found = ([*islice(tokenize(text, tokens), WORDS_OF_QUOTE)] for text in texts)
    return [words for words in found if words]

"""Place one answer in the units of its document."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from segscore.pipeline.alignment.edits import Edits, count_edits
from segscore.pipeline.alignment.quotes import WORDS_OF_QUOTE, place_quotes
from segscore.pipeline.alignment.resegment import Resegmentation, place_breaks
from segscore.pipeline.alignment.tokens import Tokens, Vocabulary, tokenize
from segscore.pipeline.importing.answers.boundaries import boundaries_of
from segscore.pipeline.importing.answers.breaks import PATTERN, Divided, TextPart, divide, lines_of
from segscore.pipeline.importing.answers.cleaning import clean
from segscore.pipeline.importing.answers.deciding import Asked, Decision, Doubtful, NumberReading
from segscore.pipeline.importing.answers.forms import (
    QUOTES_OPTION,
    NoQuotes,
    quotes_at,
    quotes_in,
    texts_in,
)
from segscore.pipeline.importing.answers.numbers import (
    how_numbered,
    read_numbered,
    without_cut_number,
)
from segscore.pipeline.importing.answers.options import (
    DROP,
    KEEP,
    NUMBERED,
    QUOTED,
    REWRITTEN,
    AnswerOptions,
)
from segscore.pipeline.importing.answers.patterns import without_labels
from segscore.pipeline.importing.answers.truncation import (
    TRUNCATED,
    begins_as_texts,
    end_of_numbers,
    end_of_quotes,
)
from segscore.pipeline.importing.field_paths import field_path
from segscore.pipeline.tables.rows import RowPlace

MOST_CHARACTERS = {REWRITTEN: 2**24, NUMBERED: 2**20, QUOTED: 2**20}
"""Length of the longest answer that is read, by the format."""

_LONG, _TIMES = 2**20, 4
"""Characters of a text whose tokens are counted first, and how many times too many are enough."""

_NUMBER = re.compile("[0-9]++")
_NUMBERS, _MORE_NUMBERS = 8, 1000
"""How many numbers are too many: as many for each unit, and as many more."""

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
        read_as: what the answer was read as; None if it was not read.
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
    read_as: str | None = None


@dataclass(frozen=True)
class Prepared:
    """An answer without what surrounds it, and without what may have been cut.

    Attributes:
        answer: a text, or what JSON has in its place.
        failure: why it cannot be used; None if it can be.
        reasoned: whether reasoning before it was dropped.
        is_open: whether a code fence or a tag around it is not closed.
        truncated: whether its end is missing.
    """

    answer: object
    failure: str | None = None
    reasoned: bool = False
    is_open: bool = False
    truncated: bool = False


def failure_by_length(characters: int, options: AnswerOptions) -> str | None:
    """Return why an answer of some characters is not read; None if it is."""
    most = MOST_CHARACTERS[options.format_name]
    return f"{characters:,} characters, more than {most:,}" if characters > most else None


def prepare(answer: object, n_units: int, options: AnswerOptions) -> Prepared:
    """Take the answer itself out of what a model wrote, and find out whether its end is missing.

    Args:
        answer: a text, or what JSON has in its place.
        n_units: number of units of its document.
        options: the options.
    """
    if not isinstance(answer, str):
        return Prepared(answer)
    if (failure := failure_by_length(len(answer), options)) is not None:
        return Prepared("", failure)
    cleaned = clean(answer, options.answer)
    found = Prepared(cleaned.text, cleaned.fault, cleaned.reasoned, cleaned.is_open)
    if found.failure is not None:
        return found
    text = cleaned.text
    if options.labels is not None:
        text = without_labels(text, options.labels)
    if options.format_name == REWRITTEN and not begins_as_texts(text):
        return replace(found, answer=text)
    if options.format_name == NUMBERED:
        number = sum(1 for _ in _NUMBER.finditer(text))
        if number > _NUMBERS * n_units + _MORE_NUMBERS:
            return replace(found, failure=f"{number:,} numbers for {n_units:,} units")
    end_of = end_of_numbers if options.format_name == NUMBERED else end_of_quotes
    ended = end_of(text, is_open=cleaned.is_open)
    cut = ended.truncated and options.truncated != KEEP
    failure = TRUNCATED if cut else None
    return replace(found, answer=ended.text, failure=failure, truncated=ended.truncated)


def place_answer(
    answer: object, units: Sequence[str], options: AnswerOptions, place: RowPlace
) -> Placed:
    """Place an answer, a text or what JSON has in its place, in the units of its document."""
    prepared = prepare(answer, len(units), options)
    if prepared.failure is not None:
        placed = Placed(prepared.failure)
    elif options.format_name == REWRITTEN:
        placed = _rewritten(prepared, units, options)
    elif options.format_name == NUMBERED:
        placed = _numbered(prepared, len(units), options, place)
    else:
        placed = _quoted(prepared.answer, units, options, place)
    if prepared.truncated:
        placed.problems[TRUNCATED] = 1
    if placed.failure is None and options.strict and placed.problems:
        placed.failure = name_problems(placed.problems)
    placed.reasoned = prepared.reasoned
    return placed


def name_problems(problems: Counter[str]) -> str:
    """Return what is wrong, and how often if it can occur more than once."""
    return ", ".join(
        name if name == TRUNCATED else f"{name}: {number}" for name, number in problems.items()
    )


def source_tokens(units: Sequence[str], vocabulary: Vocabulary, tokens: str) -> Tokens:
    """Return the tokens of units."""
    return vocabulary.number(tokenize(unit, tokens) for unit in units)


def _divided(answer: object, options: AnswerOptions) -> tuple[Divided, str]:
    """Return the segments of a text that was written again, and what it was read as."""
    texts = texts_in(answer)
    if texts is not None:
        return Divided([TextPart(lines_of(text)) for text in texts], []), "a JSON list of texts"
    text = answer if isinstance(answer, str) else ""
    divided = divide(
        text, options.breaks, drop_headings=options.headings == DROP, levels=options.levels
    )
    return divided, _name_break(options.breaks)


def _rewritten(prepared: Prepared, units: Sequence[str], options: AnswerOptions) -> Placed:
    text = prepared.answer if isinstance(prepared.answer, str) else ""
    vocabulary = Vocabulary()
    source = source_tokens(units, vocabulary, options.tokens)
    if len(text) > _LONG:
        number = len(tokenize(text, options.tokens))
        if number > _TIMES * (1 + options.max_edits) * len(source):
            return Placed(f"{number:,} tokens for {len(source):,}", source_tokens=len(source))
    divided, read_as = _divided(prepared.answer, options)
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
        read_as=read_as,
    )
    if not segments:
        placed.failure = "empty"
        placed.edits = Edits(0, 0, len(source), 0, len(source))
        placed.missing_tail = len(units)
        return placed
    _align(placed, source, output, options)
    if prepared.is_open and placed.missing_tail:
        placed.problems[TRUNCATED] = 1
        placed.failure = placed.failure or (None if options.truncated == KEEP else TRUNCATED)
    if placed.failure is None and placed.edits is not None:
        _put_breaks(placed, place_breaks(source, output, placed.edits), types[1:])
    return placed


def _name_break(breaks: str) -> str:
    """Return what a text with breaks is read as."""
    if breaks.startswith(PATTERN):
        return "a text with breaks by a pattern"
    return f"a text with breaks {'with types' if '=' in breaks else breaks}"


def _align(placed: Placed, source: Tokens, output: Tokens, options: AnswerOptions) -> None:
    """Count the edits, and find out whether there are too many."""
    most = options.max_edits * len(source)
    if 2 * len(output) < len(source) and _is_beginning(source, output):
        placed.problems[TRUNCATED] = 1
        if options.truncated == KEEP:
            most = max(most, len(source) - len(output))
    edits = placed.edits = count_edits(source, output, most)
    if edits is None:
        placed.failure = f"edits above {_rate(options.max_edits)}"
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
    return f"{value:.2f}"


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


def decide_numbers(
    prepared: Prepared, n_units: int, first: int, options: AnswerOptions, place: RowPlace
) -> Decision:
    """Decide how the numbers of an answer are read, given the number of the first unit."""
    how = how_numbered(options.numbers)
    asked = Asked(how.kind, n_units, first, cut=prepared.truncated)
    return read_numbered(prepared.answer, how, asked, place)


def _numbered(prepared: Prepared, n_units: int, options: AnswerOptions, place: RowPlace) -> Placed:
    assert options.first_number is not None
    decision = decide_numbers(prepared, n_units, options.first_number, options, place)
    if not isinstance(decision, NumberReading):
        return Placed(failure_of_numbers(prepared, decision))
    asked = Asked(decision.kind, n_units, options.first_number)
    whole = without_cut_number(decision, prepared.answer, asked)
    found = boundaries_of(whole, options.first_number, n_units)
    if whole is not decision:
        found.problems[TRUNCATED] = 1
    return Placed(
        TRUNCATED if whole is not decision and options.truncated != KEEP else None,
        boundaries=found.boundaries,
        breaks=len(found.boundaries),
        missing_tail=found.missing_tail,
        problems=found.problems,
        read_as=decision.name,
    )


def failure_of_numbers(prepared: Prepared, decision: Decision) -> str | None:
    """Return why an answer of numbers cannot be used; None if it can be."""
    if prepared.failure is not None or isinstance(decision, NumberReading):
        return prepared.failure
    if isinstance(decision, Doubtful):
        return str(decision)
    answer = prepared.answer
    empty = not answer or (isinstance(answer, str) and not answer.strip())
    return "empty" if empty else "no number"


def _quoted(
    answer: object, units: Sequence[str], options: AnswerOptions, place: RowPlace
) -> Placed:
    texts = _quotes_of(answer, options.quotes, place)
    if isinstance(texts, NoQuotes):
        return Placed(texts.reason)
    vocabulary = Vocabulary()
    source = source_tokens(units, vocabulary, options.tokens)
    quotes = _words_of(texts, options.tokens)
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
        read_as="quotes",
    )


def _quotes_of(answer: object, path: str | None, place: RowPlace) -> list[str] | NoQuotes:
    """Return the quotes in an answer: at a path in its JSON, or those that it shows."""
    if path is None:
        return quotes_in(answer)
    return quotes_at(answer, field_path(QUOTES_OPTION, path), place)


def _words_of(quotes: Sequence[str], tokens: str) -> list[list[str]]:
    """Return the tokens of quotes, without those that have none."""
    texts = (quote.partition(_MASK)[0] for quote in quotes)
    found = ([*islice(tokenize(text, tokens), WORDS_OF_QUOTE)] for text in texts)
    return [words for words in found if words]

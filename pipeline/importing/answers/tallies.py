"""Add up what became of the answers of each system, and say so in a line."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from segscore.pipeline.importing.answers.deciding import IN_DOUBT
from segscore.pipeline.importing.answers.options import NUMBERED, REWRITTEN
from segscore.pipeline.importing.answers.placing import Placed
from segscore.pipeline.plain_text import first_named
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.pipeline.tables.answer_accounts import AnswerAccount

MOST_NAMED = 10
"""Number of failed answers that are named."""

_EDITS = ("deleted", "inserted", "changed")
"""Kinds of edits of words, by their names in tallies."""

_MOST_SHOWN = 60
"""Number of characters of an answer that are shown."""


@dataclass(frozen=True)
class FailedAnswer:
    """An answer that cannot be used: why, and what it begins with."""

    document_id: str
    coder: str
    reason: str
    begins: str

    @classmethod
    def of(cls, document: str, coder: str, reason: str, answer: str) -> "FailedAnswer":
        """Describe an answer by its first characters."""
        text = " ".join(answer[: 8 * _MOST_SHOWN].split())
        printable = "".join(letter for letter in text if letter.isprintable())
        more = len(printable) > _MOST_SHOWN or len(answer) > 8 * _MOST_SHOWN
        begins = printable[:_MOST_SHOWN] + ("..." if more else "")
        return cls(document, coder, reason, begins)


@dataclass(frozen=True)
class AnswerTally:
    """What became of the answers of a system; numbers of edits are those of usable answers.

    Attributes:
        answers: number of answers.
        counts: number of tokens, edits, breaks and the like, by name.
        problems: number of answers with each problem.
        failed: number of answers that cannot be used.
        first: the first of them.
        read_as: number of usable answers by what their numbers were read as.
        unbroken: the documents of the first texts without a break.
        absent: the first documents without an answer.
    """

    answers: int = 0
    counts: dict[str, int] = field(default_factory=dict)
    problems: dict[str, int] = field(default_factory=dict)
    failed: int = 0
    first: list[FailedAnswer] = field(default_factory=list)
    read_as: dict[str, int] = field(default_factory=dict)
    unbroken: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)


def tally_of(document: str, placed: Placed, failed: FailedAnswer | None) -> AnswerTally:
    """Return the tally of the answer for a document; `failed` describes one that is not used."""
    counts = {"reasoned": int(placed.reasoned)}
    problems = dict.fromkeys(placed.problems, 1)
    if failed is not None:
        return AnswerTally(1, counts, problems, 1, [failed])
    counts |= {"breaks": placed.breaks, "undivided": int(not placed.boundaries)}
    unbroken = [document] if placed.edits is not None and not placed.breaks else []
    counts["unbroken"] = len(unbroken)
    if placed.uncertain is not None:
        counts["uncertain"] = placed.uncertain
    if placed.edits is not None and placed.source_tokens is not None:
        counts |= {
            "source": placed.source_tokens,
            "deleted": placed.edits.deletions,
            "inserted": placed.edits.insertions,
            "changed": placed.edits.substitutions,
        }
    # Words place text and quotes; what numbers are is for each answer to show.
    read_as = {placed.read_as: 1} if placed.read_as and placed.uncertain is None else {}
    return AnswerTally(1, counts, problems, read_as=read_as, unbroken=unbroken)


def tally_of_absent(documents: Iterable[str], answered: Collection[str]) -> AnswerTally:
    """Return the tally of the documents of the source that a system did not answer."""
    absent = [document for document in documents if document not in answered]
    return AnswerTally(absent=absent[:MOST_NAMED])


def add_tallies(tallies: Iterable[Mapping[str, AnswerTally]]) -> dict[str, AnswerTally]:
    """Return coder -> the sum of tallies, in the order of the coders' names."""
    sums: dict[str, AnswerTally] = {}
    for by_coder in tallies:
        for coder, tally in by_coder.items():
            sums[coder] = _add(sums.get(coder, AnswerTally()), tally)
    return dict(sorted(sums.items()))


def _add(one: AnswerTally, other: AnswerTally) -> AnswerTally:
    return AnswerTally(
        one.answers + other.answers,
        _sum(one.counts, other.counts),
        _sum(one.problems, other.problems),
        one.failed + other.failed,
        [*one.first, *other.first][:MOST_NAMED],
        _sum(one.read_as, other.read_as),
        [*one.unbroken, *other.unbroken][:MOST_NAMED],
        [*one.absent, *other.absent][:MOST_NAMED],
    )


def _sum(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {name: one.get(name, 0) + other.get(name, 0) for name in {**one, **other}}


def accounts_of(tallies: Mapping[str, AnswerTally]) -> dict[str, AnswerAccount]:
    """Return what runs over the answers say of each system."""
    return {
        coder: AnswerAccount(
            tally.answers,
            tally.failed,
            tally.counts.get("source", 0),
            sum(tally.counts.get(kind, 0) for kind in _EDITS),
            tally.counts.get("unbroken", 0),
        )
        for coder, tally in tallies.items()
    }


def describe_absent(coder: str, tally: AnswerTally, documents: int) -> Iterator[str]:
    """Yield a line about the documents of the source that a system did not answer, if any."""
    if absent := documents - tally.answers:
        named = f": {first_named(tally.absent)}" if len(tally.absent) == absent else ""
        verb = "has" if absent == 1 else "have"
        number = counted(documents, "document")
        yield f"{coder}: {absent:,} of {number} of --source {verb} no answer{named}"


def describe_tally(coder: str, tally: AnswerTally) -> str:
    """Describe what became of the answers of a system, in one line."""
    counts = tally.counts
    parts = []
    if source := counts.get("source"):
        total = sum(counts[kind] for kind in _EDITS)
        shares = ", ".join(f"{percentage(counts[kind], source)} {kind}" for kind in _EDITS)
        parts.append(f"{percentage(total, source)} % of the words edited ({shares})")
    if breaks := counts.get("breaks"):
        number = counted(breaks, "break")
        placed = "uncertain" in counts
        parts.append(f"{counts['uncertain']:,} of {number} uncertain" if placed else number)
    if tally.problems:
        found = ", ".join(f"{name} in {number}" for name, number in sorted(tally.problems.items()))
        parts.append(f"problems in answers: {found}")
    if counts.get("reasoned"):
        parts.append(f"reasoning dropped from {counted(counts['reasoned'], 'answer')}")
    if tally.read_as:
        found = ", ".join(f"{name} in {number}" for name, number in sorted(tally.read_as.items()))
        parts.append(f"read as {found}")
    if unbroken := counts.get("unbroken"):
        named = first_named(tally.unbroken)
        parts.append(f"{counted(unbroken, 'answer')} without a break ({named})")
    parts.append(_failures(tally))
    return f"{coder}: {'; '.join(parts)}"


def _failures(tally: AnswerTally) -> str:
    answers = counted(tally.answers, "answer")
    if not tally.failed:
        return f"{tally.failed:,} of {answers} failed"
    named = ", ".join(f"{one.document_id} ({one.reason})" for one in tally.first)
    more = (
        f", and {tally.failed - len(tally.first):,} more" if tally.failed > len(tally.first) else ""
    )
    return f"{tally.failed:,} of {answers} failed: {named}{more}"


_ADVICE = {
    NUMBERED: "say what numbers are with --numbers starts, ends, ranges or sizes, or name where "
    "they are, such as 'starts:pattern:[0-9]+' or a path",
    REWRITTEN: "name what the answers have between segments with --break",
}
"""What makes answers of a format readable that were read in another way than they were meant."""


def describe_doubts(tallies: Mapping[str, AnswerTally], format_name: str) -> Iterator[str]:
    """Yield a warning about each system most of whose answers gave no boundaries."""
    for coder, tally in tallies.items():
        undivided = tally.counts.get("undivided", 0)
        if 2 * (tally.failed + undivided) <= tally.answers:
            continue
        found = {"failed": tally.failed, "without a boundary": undivided}
        listed = ", ".join(f"{number} {text}" for text, number in found.items() if number)
        advice = ["the tables have next to nothing of them"]
        if tally.failed:
            advice.append("look at the column failure of the table alignment")
        if format_name in _ADVICE and (undivided or _in_doubt(tally)):
            advice.append(_ADVICE[format_name])
        yield f"{coder}: of {counted(tally.answers, 'answer')}, {listed}; {'; '.join(advice)}"


def _in_doubt(tally: AnswerTally) -> bool:
    return any(one.reason.startswith(IN_DOUBT) for one in tally.first)


def describe_failures(tallies: Mapping[str, AnswerTally]) -> str:
    """Describe the answers that cannot be used, with what they begin with."""
    failed = sum(tally.failed for tally in tallies.values())
    answers = sum(tally.answers for tally in tallies.values())
    first = [one for tally in tallies.values() for one in tally.first][:MOST_NAMED]
    named = "; ".join(
        f"{one.document_id} of {one.coder} ({one.reason})"
        + (f" begins {one.begins!r}" if one.begins else "")
        for one in first
    )
    more = f"; and {failed - len(first):,} more" if failed > len(first) else ""
    doubt = f"{_ADVICE[NUMBERED]}; " if any(map(_in_doubt, tallies.values())) else ""
    return (
        f"{failed:,} of {counted(answers, 'answer')} cannot be used: {named}{more}; {doubt}"
        "import them as documents without boundaries with --failed none, or leave them out with "
        "--failed leave-out"
    )


def percentage(part: int, whole: int) -> str:
    """Return a percentage with one decimal: 1.3, 0.9, 0."""
    text = f"{100 * part / max(whole, 1):.1f}"
    return "0" if text == "0.0" else text

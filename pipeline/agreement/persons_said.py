"""Say how coders agree with themselves, and whether a candidate may replace one of them."""

from collections.abc import Iterator, Sequence

from segscore.pipeline.agreement.candidate import WINNING_RATE
from segscore.pipeline.agreement.sentences import copying_pairs
from segscore.pipeline.statistics.shown_numbers import (
    counted,
    number_in_words,
    percent,
    shown_number,
)
from segscore.schemas.rows import CoderRow, PeerRow

_MOST = 5
"""The most sentences about coders and themselves; the others are counted."""

_FEWEST_PEOPLE = 3
_FEWEST_DOCUMENTS = 30
"""The smallest numbers for which the test of a candidate was proposed."""


def with_themselves(coders: Sequence[CoderRow]) -> Iterator[str]:
    """Yield a sentence about each coder who coded documents again, the least reliable first."""
    known = [
        (own, row) for row in coders if (own := row.get("self_boundary_similarity")) is not None
    ]
    known.sort(key=lambda each: (each[0], each[1]["coder"]))
    for own, row in known[:_MOST]:
        ends = row.get("self_boundary_similarity_low"), row.get("self_boundary_similarity_high")
        others = row.get("peer_boundary_similarity")
        with_others = "" if others is None else f", and with the others by {shown_number(others)}"
        yield (
            f"{row['coder']} agrees with their own earlier codings by boundary similarity "
            f"{number_in_words(own, *ends)}{with_others}."
        )
    if len(known) > _MOST:
        yield f"{len(known) - _MOST} more coded documents again: self_pairs in the table coders."


def replacement(
    coders: Sequence[CoderRow], candidate: str, margin: float, peers: Sequence[PeerRow] = ()
) -> str:
    """Say whether a candidate may replace a coder, by the alternative annotator test.

    Args:
        coders: rows of the persons.
        candidate: name of the candidate.
        margin: of the test.
        peers: rows of pairs of persons, of whom some may have copied.
    """
    tested = [row for row in coders if row.get("candidate_p") is not None]
    if len(tested) < _FEWEST_PEOPLE:
        return (
            f"It cannot be said whether {candidate} may replace a person: at least "
            f"{_FEWEST_PEOPLE} people must each share 5 documents with {candidate} and another "
            f"person, and {len(tested)} do."
        )
    won = sum(row.get("candidate_wins") is True for row in tested)
    rate = won / len(tested)
    shares = [share for row in tested if (share := row.get("candidate_share")) is not None]
    fewest = min(int(row.get("candidate_documents") or 0) for row in tested)
    few = (
        f" Some share only {counted(fewest, 'document')} with {candidate}; the test was proposed "
        f"for {_FEWEST_DOCUMENTS} or more."
    ) * (fewest < _FEWEST_DOCUMENTS)
    may = f"{candidate} may replace a person" if rate >= WINNING_RATE else None
    undecided = (
        f" For {'the others' if won else 'all of them'} it is undecided: the test does not show "
        f"that {candidate} is worse."
    ) * (won < len(tested))
    return (
        f"{may or f'It is not shown that {candidate} may replace a person'}: that it agrees with "
        f"the others as well as a person does, within a margin of {margin:g}, is shown for {won} "
        f"of {len(tested)} people who are left out in turn (winning rate {rate:.2f}, "
        f"{WINNING_RATE} is needed; alternative annotator test, Calderon, Reichart & Dror 2025)."
        f"{undecided} In {percent(sum(shares) / len(shares))} of the documents, on average, it "
        f"agrees at least as well as the person.{few}"
        f"{''.join(_of_copying(tested, candidate, peers))}"
    )


def _of_copying(
    tested: Sequence[CoderRow], candidate: str, peers: Sequence[PeerRow]
) -> Iterator[str]:
    """Yield a sentence about each pair of whom one may have copied, if either was compared with."""
    names = {row["coder"] for row in tested}
    for one, other in copying_pairs(peers):
        if not names.isdisjoint((one, other)):
            yield (
                f" {one} and {other} may have worked together, or one copied from the other: each "
                f"agrees better with the others for having the other among them, which is to the "
                f"disadvantage of {candidate}; leave one of them out by --without."
            )

"""Published scores on test sets, as printed, each with the evidence for how it was computed."""

import csv
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("published.csv")

EVIDENCE = {
    "code": "read in the authors' program",
    "reconciled": "their outputs were scored and give it",
    "paper": "the text of the paper says so",
    "unknown": "the source does not say",
}
"""How it is known by which convention a score was computed."""


@dataclass(frozen=True)
class PublishedScore:
    """A score that was printed somewhere.

    Attributes:
        set: name of the test set.
        split: its split; `all` for the whole.
        system: the system that was scored.
        document_id: document that the score is about; empty for all.
        measure: measure, as in `segscore measures`.
        value: the score as printed.
        convention: name of a convention of `segscore reconcile`; empty if it is not known.
        evidence: how the convention is known; a key of ``EVIDENCE``.
        source: DOI, arXiv number or address.
        note: what else there is to know.
    """

    set: str
    split: str
    system: str
    document_id: str
    measure: str
    value: str
    convention: str
    evidence: str
    source: str
    note: str


PUBLISHED_COLUMNS = tuple(field.name for field in fields(PublishedScore))


@cache
def published_scores() -> tuple[PublishedScore, ...]:
    """Return all published scores that segscore knows."""
    text = _FILE.read_text(encoding="utf-8")
    return tuple(PublishedScore(**row) for row in csv.DictReader(text.splitlines()))


def scores_of(set_name: str, splits: Iterable[str] | None = None) -> list[PublishedScore]:
    """Return the published scores on a test set.

    Args:
        set_name: name of the set.
        splits: names of the splits; None for all.
    """
    chosen = None if splits is None else {*splits}
    return [
        score
        for score in published_scores()
        if score.set == set_name and (chosen is None or score.split in chosen)
    ]

"""Published scores on test sets, as printed, each with the evidence for how it was computed."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from segscore.pipeline.testsets.registry import KnownSet

_FILE = Path(__file__).with_name("published.csv")

EVIDENCE = {
    "code": "read in the authors' program",
    "reconciled": "their outputs were scored and give it",
    "paper": "the text of the paper says so",
    "unknown": "the source does not say",
}
"""How it is known by which convention a score was computed."""
_NOT_COMPARABLE = "not comparable"
"""In place of one's own values if the convention of a published score is not known."""

_NOT_KNOWN = "not known"


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
    """Return the published scores on the splits of a test set; by default on all."""
    chosen = None if splits is None else {*splits}
    return [
        score
        for score in published_scores()
        if score.set == set_name and (chosen is None or score.split in chosen)
    ]


def scores_on(test_set: KnownSet) -> list[PublishedScore]:
    """Return the published scores on a test set, or on the only split of it that was asked for."""
    return scores_of(test_set.name, [test_set.part] if test_set.part else None)


def heading_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the heading of the rows of the table `published`."""
    name = rows[0]["set"] if rows[0]["split"] == "all" else f"{rows[0]['set']} {rows[0]['split']}"
    return f"published on these references ({name}; as printed; no test is possible)"


def group_published(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Return a row for each published score, with the values of all systems in one cell."""
    groups: dict[tuple[Any, ...], list[str]] = {}
    for row in rows:
        document = row["document_id"] or ""
        convention = row["convention"] or _NOT_KNOWN
        key = (row["published_system"], document, row["measure"], row["printed"], row["evidence"])
        own = groups.setdefault((*key, convention), [])
        if row["system"] is not None and row["convention"] is not None:
            value = "undefined" if row["value"] is None else f"{row['value']:.4f}"
            own.append(f"{row['system']} {value}")
    names = ("system", "document", "measure", "printed", "evidence", "convention")
    return [
        dict(zip(names, key, strict=True)) | {"yours": ", ".join(own) or _NOT_COMPARABLE}
        for key, own in groups.items()
    ]

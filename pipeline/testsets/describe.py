"""Describe test sets as rows, for people and programs."""

from typing import Any

from segscore.pipeline.testsets.registry import SHOWN_DIGITS, WHOLE_SET, KnownSet, Registry

NOT_VERIFIED = "not verified"
"""In place of a fingerprint that is not known."""


def list_splits(registry: Registry) -> list[dict[str, Any]]:
    """Return a row for each split of each set; a set of which none is known has one row."""
    return [row for each in registry.sets for row in _rows(each)]


def _rows(test_set: KnownSet) -> list[dict[str, Any]]:
    described = {"set": test_set.name, "years": test_set.years, "licence": test_set.licence}
    nothing: dict[str, Any] = {
        "split": WHOLE_SET,
        "documents": None,
        "references": None,
        "boundaries": None,
    }
    rows = [
        {
            "split": split.name,
            "documents": split.documents,
            "references": split.references,
            "boundaries": split.boundaries,
            "fingerprint": (split.fingerprint or "")[:SHOWN_DIGITS] or NOT_VERIFIED,
        }
        for split in test_set.splits
    ]
    return [described | row for row in rows or [nothing | {"fingerprint": NOT_VERIFIED}]]

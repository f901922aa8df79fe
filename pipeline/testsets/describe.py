"""Describe test sets: as rows for people and programs, and as an entry of a registry."""

from typing import Any

from segscore.pipeline.arrays.document_ids import hash_names
from segscore.pipeline.arrays.ragged import ragged
from segscore.pipeline.testsets.registry import (
    SHOWN_DIGITS,
    WHOLE_SET,
    KnownSet,
    Registry,
    write_prefixes,
)
from segscore.pipeline.testsets.tables import digest_references, read_references

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


def describe_references(name: str, location: str) -> dict[str, Any]:
    """Return the entry of a registry for the references in a table.

    The entry contains no text and no boundaries, only digests.

    Raises:
        Refused: the table does not exist, has no references, or is not such a table.
    """
    rows = read_references(location)
    digests = digest_references(rows)
    documents = rows.numbered.documents
    ids = hash_names(documents.ids).hashes >> 32
    split = {
        "name": WHOLE_SET,
        "documents": len(documents),
        "references": len(rows),
        "boundaries": int(ragged(rows.table.column("boundaries").chunk(0)).lengths.sum()),
        "fingerprint": digests.fingerprint,
        "digests": write_prefixes(digests.words[:, 0]),
        "ids": write_prefixes(ids.astype("uint32")),
    }
    texts = dict.fromkeys(("years", "citation", "licence", "source", "note"), "")
    return {"name": name, **texts, "recipe": {"format": None, "options": {}}, "splits": [split]}

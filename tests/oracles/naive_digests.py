"""Digests of references again, slow and obvious, written from the definition in docs/tables.md."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any


def digest(row: Mapping[str, Any]) -> bytes:
    """SHA-256 of the line of a reference."""
    line = f"{row['n_units']} " + " ".join(str(position) for position in row["boundaries"])
    if row.get("boundary_types") is not None:
        line += " types " + " ".join(str(kind) for kind in row["boundary_types"])
    return sha256((line + "\n").encode("ascii")).digest()


def column(row: Mapping[str, Any]) -> int:
    """The number in the column reference_digest."""
    return int.from_bytes(digest(row)[:8], "big", signed=True)


def fingerprint(rows: Iterable[Mapping[str, Any]]) -> str:
    """The sum of the digests modulo 2^256."""
    total = sum(int.from_bytes(digest(row), "big") for row in rows)
    return format(total % 2**256, "x").zfill(64)

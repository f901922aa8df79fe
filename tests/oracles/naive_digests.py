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
    typed = row.get("boundary_types") is not None
    types = row["boundary_types"] if typed else [0] * len(row["boundaries"])
    total = 0
    for position, kind in zip(row["boundaries"], types, strict=True):
        total += spread((position + (kind << 32) + 1) * 0x9E3779B97F4A7C15)
    length = spread((row["n_units"] + (typed << 63)) * 0x9E3779B97F4A7C15)
    number = spread(total % 2**64 ^ length)
    return number - (number >> 63 << 64)


def spread(number: int) -> int:
    """The finaliser of splitmix64 (Steele, Lea & Flood 2014)."""
    number %= 2**64
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    number = (number ^ number >> 27) * 0x94D049BB133111EB % 2**64
    return number ^ number >> 31


def fingerprint(rows: Iterable[Mapping[str, Any]]) -> str:
    """The sum of the digests modulo 2^256."""
    total = sum(int.from_bytes(digest(row), "big") for row in rows)
    return format(total % 2**256, "x").zfill(64)

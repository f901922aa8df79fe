"""The conventions that were tried on published numbers, as text and as a table."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isnan
from typing import Any

import pyarrow as pa

from segscore.pipeline.conventions.describe import command_of, describe_search
from segscore.pipeline.conventions.search import Search

_TYPES = {
    "measure": pa.string(),
    "system": pa.string(),
    "document_id": pa.string(),
    "printed": pa.string(),
    "published": pa.float64(),
    "value": pa.float64(),
    "explained": pa.bool_(),
    "fits": pa.bool_(),
    "changes": pa.int64(),
    "convention": pa.string(),
    "answers": pa.string(),
    "command": pa.string(),
}


@dataclass(frozen=True, repr=False)
class Reconciliation:
    """The conventions that were tried on published numbers.

    Attributes:
        searches: one for each family of measures.
        command: the command that computes segscore's default.
        warnings: what was rejected or converted when the tables were read.
    """

    searches: tuple[Search, ...]
    command: str
    warnings: tuple[str, ...]

    @property
    def lines(self) -> list[str]:
        """What was found, in lines."""
        return [
            line
            for place, search in enumerate(self.searches)
            for line in ([""] * (place > 0) + describe_search(search, self.command))
        ]

    @property
    def fitting(self) -> list[str]:
        """Names of the conventions that give the numbers as printed, the simplest first."""
        return [tried.convention.name for search in self.searches for tried in search.fitting]

    @property
    def table(self) -> pa.Table:
        """All conventions, one row for each published number (docs/tables.md)."""
        rows = [row for search in self.searches for row in self._rows(search)]
        columns = {
            name: pa.array([row[name] for row in rows], kind) for name, kind in _TYPES.items()
        }
        return pa.table(columns)

    def _rows(self, search: Search) -> Iterator[dict[str, Any]]:
        for tried in search.tried:
            convention = tried.convention
            for number, value in zip(search.numbers, tried.values, strict=True):
                yield {
                    "measure": number.measure,
                    "system": number.system or None,
                    "document_id": number.document,
                    "printed": number.printed,
                    "published": number.value,
                    "value": None if isnan(value) else value,
                    "explained": number.explained_by(value),
                    "fits": tried.fits,
                    "changes": len(convention.changed),
                    "convention": convention.name,
                    "answers": "; ".join(f"{q} {a}" for q, a in convention.answers.items()),
                    "command": command_of(search.questions, convention, self.command),
                }

    def __repr__(self) -> str:
        return "\n".join(self.lines)

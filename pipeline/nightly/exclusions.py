"""Documents that a night leaves out, and why.

`exclude = [{document = "eins-20261025-06", date = 2026-10-25, reason = "broken recording"}]` in a
settings file: the rows of the document are rejected on that night, in every table.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from segscore.pipeline.errors import Refused
from segscore.pipeline.nightly.aliases import read_tables
from segscore.pipeline.nightly.dates import read_date

_FORM = '{document = "ID", date = 2026-01-31, reason = "TEXT"}'


class Exclusion(NamedTuple):
    """A document that a night leaves out."""

    document: str
    date: date
    reason: str

    @property
    def record(self) -> dict[str, str]:
        """The exclusion as a settings file has it."""
        return {"document": self.document, "date": self.date.isoformat(), "reason": self.reason}


def read_exclusions(option: str, text: str) -> tuple[Exclusion, ...]:
    """Read exclusions, which a settings file has as a list of tables, from JSON.

    Raises:
        Refused: one of them lacks the document, the date or a reason.
    """

    def read(one: dict[str, str]) -> Exclusion:
        if {*one} != {*Exclusion._fields} or not all(value.strip() for value in one.values()):
            raise Refused(f"{option} {json.dumps(one)}: must look like {_FORM}")
        return Exclusion(one["document"], read_date(option, one["date"]), one["reason"])

    return tuple(map(read, read_tables(option, text, _FORM)))


def exclusions_in_words(excluded: Sequence[Exclusion], rejected: Sequence[str]) -> Iterator[str]:
    """Say which documents are left out and why, and which are not there at all.

    Args:
        excluded: the exclusions of a night.
        rejected: the documents whose rows were rejected for it.
    """
    for one in excluded:
        if one.document in rejected:
            yield f"{one.document} is excluded: {one.reason}"
        else:
            yield f"{one.document}, which is to be excluded, is not in the input"

"""Print an audit on the terminal, and what to do next in the audited project."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from segscore.jobs.show.fitted import print_lines
from segscore.jobs.show.printing import print_record
from segscore.jobs.show.sentences import print_sentences
from segscore.jobs.show.shown import print_result
from segscore.pipeline.errors import Refused
from segscore.pipeline.settings.ranges import within

if TYPE_CHECKING:
    from segscore.pipeline.agreement.work_tables import Work
    from segscore.pipeline.runs.finished import FinishedRun

_MOST = 10_000

CHOICES = {"next": "codings", "adjudicate": "documents"}
"""Layout, and name of its rows in JSON -> what is chosen."""


@dataclass(frozen=True)
class AuditWork:
    """How many codings to make next, and documents to adjudicate, are to be chosen.

    Attributes:
        next: number of codings; None for none.
        adjudicate: number of documents; None for none.
        available: the coders who can code next; None: all.
    """

    next: int | None = None
    adjudicate: int | None = None
    available: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Refuse a number out of range."""
        for name, number in self.numbers.items():
            within(f"--{name}", number, 1, _MOST)
        if self.available is not None and self.next is None:
            raise Refused("--available: needs the number of codings, such as --next 100")

    @property
    def numbers(self) -> dict[str, int]:
        """The number of rows of each layout that has one."""
        given = {"next": self.next, "adjudicate": self.adjudicate}
        return {name: number for name, number in given.items() if number is not None}

    def require(self, layout: str) -> None:
        """Refuse a layout whose number is not given."""
        if layout in CHOICES and layout not in self.numbers:
            what = CHOICES[layout]
            raise Refused(f"--layout {layout}: needs the number of {what}, such as --{layout} 100")

    def choose(self, finished: "FinishedRun") -> "dict[str, Work]":
        """Choose the rows of each layout whose number is given."""
        from segscore.pipeline.agreement.work_tables import WORK

        return {
            name: WORK[name](finished, number, self.available)
            for name, number in self.numbers.items()
        }


def print_audit(output: str, finished: "FinishedRun", work: AuditWork, *, written: bool) -> None:
    """Print what an audit found, the tables that show it, what to do next, and the record.

    Args:
        output: folder of the audit, as the user named it.
        finished: the audit.
        work: how many codings to make next, and documents to adjudicate, are to be chosen.
        written: whether it was written just now.
    """
    from segscore.pipeline.agreement.audit_result import AuditResult

    result = AuditResult(finished)
    print_sentences(result.finding().lines)
    tables = [*result.tables(), *(chosen.table for chosen in work.choose(finished).values())]
    for table in tables:
        print_result(table, last=table is tables[-1])
    print_lines(result.contested_in_words, style="dim")
    print_record(output, finished.record, written=written)

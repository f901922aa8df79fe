"""Show what to do next in an audited project: which documents to code, and which to adjudicate."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from segscore.jobs.show.fitted import Column, print_fitted
from segscore.pipeline.errors import Refused
from segscore.pipeline.settings.ranges import within
from segscore.pipeline.statistics.shown_numbers import counted, shown_as
from segscore.pipeline.tables.units import PER_SECOND

if TYPE_CHECKING:
    from segscore.pipeline.agreement.run import FinishedAudit

_MOST = 10_000
_SHOWN = 20
_POSITIONS_SHOWN = 8

CHOICES = {"next": ["document_id", "coder", "others"]} | {
    "adjudicate": ["document_id", "gain", "positions", "coders"]
}
"""Layout, and name of the rows in JSON -> its columns."""


@dataclass(frozen=True)
class AuditWork:
    """How many codings to make next, and documents to adjudicate, are to be chosen.

    Attributes:
        next: number of codings; None for none.
        adjudicate: number of documents; None for none.
    """

    next: int | None = None
    adjudicate: int | None = None

    def __post_init__(self) -> None:
        """Refuse a number out of range."""
        for name, number in self.numbers.items():
            if number is not None:
                within(f"--{name}", number, 1, _MOST)

    @property
    def numbers(self) -> dict[str, int | None]:
        """The number of rows of each layout."""
        return {"next": self.next, "adjudicate": self.adjudicate}

    def require(self, layout: str) -> None:
        """Refuse a layout whose number is not given."""
        if layout in CHOICES and self.numbers[layout] is None:
            what = "codings" if layout == "next" else "documents"
            raise Refused(f"--layout {layout}: needs the number of {what}, such as --{layout} 100")

    def rows(self, finished: "FinishedAudit") -> dict[str, list[dict[str, Any]]]:
        """Return the rows of each layout whose number is given, as JSON values."""
        from segscore.pipeline.agreement.adjudication import adjudication
        from segscore.pipeline.agreement.next_codings import next_codings

        rows: dict[str, list[dict[str, Any]]] = {}
        if self.next is not None:
            rows["next"] = [
                {"document_id": each.document, "coder": each.coder, "others": list(each.others)}
                for each in next_codings(finished, self.next).codings
            ]
        if self.adjudicate is not None:
            rows["adjudicate"] = [
                {
                    "document_id": each.document,
                    "gain": each.gain,
                    "positions": list(each.positions),
                    "coders": list(each.coders),
                }
                for each in adjudication(finished, self.adjudicate).documents
            ]
        return rows

    def print(self, finished: "FinishedAudit") -> None:
        """Print the first of what was chosen on the terminal."""
        if self.next is not None:
            _print_next(finished, self.next)
        if self.adjudicate is not None:
            _print_adjudication(finished, self.adjudicate)


def _print_next(finished: "FinishedAudit", number: int) -> None:
    """Print the first codings to make next, and what they are expected to change."""
    from segscore.pipeline.agreement.next_codings import next_codings

    found = next_codings(finished, number)
    rows = found.codings[:_SHOWN]
    remarks = []
    if found.before is not None and found.after is not None:
        after, before = f"±{found.after:.3f}", f"±{found.before:.3f}"
        still = (
            f"hardly narrower than {before}" if after == before else f"{after} instead of {before}"
        )
        remarks.append(
            f"after {counted(len(found.codings), 'coding')}, the widest interval of a coder is "
            f"expected to be {still}"
        )
    if len(found.codings) < number:
        remarks.append("everybody has coded all other documents that somebody coded")
    if more := len(found.codings) - len(rows):
        remarks.append(f"{more} more with --layout next --format csv")
    print_fitted(
        [
            Column("document", [row.document for row in rows], is_name=True),
            Column("coder", [row.coder for row in rows], is_name=True),
            Column("coded by", [", ".join(row.others) for row in rows], is_name=True),
        ],
        title="to code next, so that the widest interval narrows",
        caption="; ".join(remarks),
    )


def _print_adjudication(finished: "FinishedAudit", number: int) -> None:
    """Print the first documents to adjudicate, and what share of all changes they make."""
    from segscore.pipeline.agreement.adjudication import adjudication

    found = adjudication(finished, number)
    rows = found.documents[:_SHOWN]
    chosen = counted(len(found.documents), "document")
    remarks = [
        f"adjudicating {chosen} is expected to change {found.gain:.0f} boundaries, adjudicating "
        f"all, {found.total:.0f}"
    ]
    if more := len(found.documents) - len(rows):
        remarks.append(f"{more} more with --layout adjudicate --format csv")
    print_fitted(
        [
            Column("document", [row.document for row in rows], is_name=True),
            Column("expected changes", [shown_as(row.gain, ".1f") for row in rows]),
            Column(
                "boundaries in doubt",
                [_places(row.positions, finished.unit) for row in rows],
                is_name=True,
            ),
        ],
        title="to adjudicate first, so that the consensus changes most",
        caption="; ".join(remarks),
    )


def _places(positions: tuple[int, ...], unit: str | None) -> str:
    """Write positions, times in seconds."""
    per_second = PER_SECOND.get(unit or "")
    places = [f"{at}" if per_second is None else f"{at / per_second:.1f} s" for at in positions]
    return ", ".join(places[:_POSITIONS_SHOWN]) + ", ..." * (len(places) > _POSITIONS_SHOWN)

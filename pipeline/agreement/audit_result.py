"""What an audit shows, as tables in reading order and sentences."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from segscore.pipeline.agreement import shown_audit, shown_coders
from segscore.pipeline.agreement.contested import contested_among_others
from segscore.pipeline.agreement.findings import findings_of
from segscore.pipeline.agreement.left_out import describe_without
from segscore.pipeline.agreement.sentences import SHOWN
from segscore.pipeline.agreement.type_rows import types_over_all
from segscore.pipeline.runs.finished import FinishedRun, rows_by_group, rows_over_all
from segscore.pipeline.statistics.shown_numbers import number_in_words
from segscore.pipeline.statistics.shown_tables import ShownTable
from segscore.schemas.rows import CoderRow, CoefficientRow, DocumentRow, PeerRow

_PAIRED = 60
"""The most coders whose pairs are shown: those with most documents."""


@dataclass(frozen=True)
class AuditResult:
    """What an audit shows.

    Attributes:
        run: the audit.
        most_contested: rows of its most contested documents.
    """

    run: FinishedRun
    most_contested: Sequence[DocumentRow]

    @property
    def by(self) -> Sequence[str]:
        """The group-by columns."""
        return list(self.run.settings["group_by"])

    @cached_property
    def coders(self) -> list[CoderRow]:
        """The rows of the coders over all documents."""
        return rows_over_all(self.run.table("coders"), self.by)

    @cached_property
    def _coefficients(self) -> list[CoefficientRow]:
        return rows_over_all(self.run.table("agreement"), self.by)

    def tables(self) -> Iterator[ShownTable]:
        """Yield the tables that a terminal shows, in reading order."""
        yield self.coefficients
        yield shown_coders.coders_shown(self.coders, self.run.unit)
        found = (
            self.candidate(),
            self.types,
            shown_audit.contested_shown(*self._contested),
            shown_coders.last_dates_shown(self.run.table("coders").to_pylist(), self.by),
            self.groups,
        )
        yield from (table for table in found if table is not None)

    @cached_property
    def _contested(self) -> tuple[list[DocumentRow], list[str]]:
        return contested_among_others(self.run, self.most_contested)

    @property
    def sentences(self) -> list[str]:
        """What the tables show, in sentences."""
        return findings_of(self.run)

    @property
    def agreement_in_words(self) -> str:
        """How much coders agree above chance, in a sentence that a page begins with."""
        rows = self._coefficients
        shown = [row for row in rows if (row["coefficient"], row["similarity"]) == ("pi", SHOWN)]
        row = shown[0] if shown else rows[0]
        what = f"{row['coefficient']} of {row['similarity']}"
        coders = f"{row['coders']:,} coders of {row['documents']:,} documents"
        if row["value"] is None:
            return f"Agreement above chance ({what}) is undefined for {coders}."
        known = number_in_words(row["value"], row["ci_low"], row["ci_high"])
        return (
            f"{coders} agree with {what} {known}; 1 is full agreement, 0 is what chance alone "
            "gives."
        )

    @property
    def coefficients(self) -> ShownTable:
        """The coefficients over all documents."""
        without = describe_without(self.run.record.get("left_out", {}))
        return shown_audit.coefficients_shown(self._coefficients, self.by, self.run.unit, without)

    @property
    def above_chance(self) -> ShownTable:
        """The coefficients of agreement above chance over all documents, one by one."""
        return shown_audit.above_chance(self._coefficients, self.run.unit)

    @property
    def groups(self) -> ShownTable | None:
        """A coefficient of each group, if there are groups."""
        rows: list[CoefficientRow] = rows_by_group(self.run.table("agreement"), self.by)
        return shown_audit.groups_shown(rows, self.by)

    def candidate(self, isolated: Callable[[str], str] = str) -> ShownTable | None:
        """Return how a candidate compares with each coder, if there is one."""
        candidate = self.run.settings.get("candidate")
        return shown_coders.candidate_shown(self.coders, candidate, isolated)

    @property
    def types(self) -> ShownTable | None:
        """The agreement on each boundary type, if there are types."""
        return shown_audit.types_shown(types_over_all(self.run))

    @property
    def by_group(self) -> ShownTable | None:
        """How each coder agrees with the peers in each group, if they are of one attribute."""
        rows: list[CoderRow] = rows_by_group(self.run.table("coders"), self.by)
        return shown_coders.dates_shown(rows, self.by, self.run.unit)

    @property
    def pairs(self) -> ShownTable:
        """The similarity of each pair of coders, of those with most documents."""
        rows: list[PeerRow] = rows_over_all(self.run.table("peers"), self.by)
        return shown_coders.pairs_shown(rows, self.most_documents(_PAIRED), len(self.coders))

    def most_documents(self, number: int) -> list[str]:
        """Return the names of coders with most documents, at most a number, in their order."""
        ordered = sorted(self.coders, key=lambda row: (-row["documents"], row["coder"]))
        return sorted(row["coder"] for row in ordered[:number])

    @property
    def prominence(self) -> Iterator[ShownTable]:
        """By how many coders positions are supported, and the quartiles of the shares."""
        columns = shown_audit.PROMINENCE_COLUMNS
        yield from shown_audit.prominence_shown(self.run.parts("prominence", columns))
        (corpus,) = rows_over_all(self.run.table("corpus"), self.by)
        yield shown_audit.quartiles_shown(corpus)

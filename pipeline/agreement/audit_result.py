"""The result of an audit: tables in reading order, and sentences."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from segscore.pipeline.agreement import audit_tables, coders_tables
from segscore.pipeline.agreement.contested import contested_documents
from segscore.pipeline.agreement.findings import findings_of, stands_out
from segscore.pipeline.agreement.left_out import describe_without
from segscore.pipeline.agreement.sentences import SHOWN
from segscore.pipeline.agreement.type_rows import types_over_all
from segscore.pipeline.plain_text import named_list
from segscore.pipeline.runs.finished import FinishedRun, rows_by_group, rows_over_all
from segscore.pipeline.statistics.finding import Fact, Finding
from segscore.pipeline.statistics.formatted_numbers import interval_in_words, short_number
from segscore.pipeline.statistics.result_table import ResultTable
from segscore.pipeline.statistics.sentences import Sentence, Tone
from segscore.schemas.rows import CoderRow, CoefficientRow, PeerRow

_NAMED = 3
"""Most coders that a headline names."""

_PAIRED = 60
"""The most coders whose pairs are shown: those with most documents."""


@dataclass(frozen=True)
class AuditResult:
    """What an audit shows.

    Attributes:
        run: the audit.
    """

    run: FinishedRun

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

    def tables(self) -> Iterator[ResultTable]:
        """Yield the tables that a terminal shows, in reading order."""
        yield self.coefficients
        yield coders_tables.coders_table(self.coders, self.run.unit)
        found = (self.candidate(), self.types, self.groups)
        yield from (table for table in found if table is not None)

    @cached_property
    def sentences(self) -> list[str]:
        """What the tables show, in sentences."""
        return findings_of(self.run)

    @cached_property
    def outstanding(self) -> list[str]:
        """The coders who stand out."""
        return [row["coder"] for row in self.coders if stands_out(row)]

    def finding(self, shown: Callable[[str], str] = str) -> Finding:
        """Return how much coders agree above chance, and who stands out.

        Args:
            shown: writes a name.
        """
        row, names = self._first, self.outstanding
        few = len(names) <= _NAMED
        who = named_list([*map(shown, names)]) if few else f"{len(names)} coders who stand out"
        is_judged = any(row.get("low_agreement") is not None for row in self.coders)
        nobody = "nobody stands out" if is_judged else "too few codings to say who stands out"
        look = f"look at {who}" if names else nobody
        sentences = [*map(Sentence, self.sentences)]
        if row["value"] is None:
            return Finding("Agreement above chance is undefined", Tone.UNSURE, sentences)
        return Finding(
            f"{row['coefficient']} {short_number(row['value'])}, "
            f"{short_number((row['actual'] or 0.0) - _chance_of(row))} beyond chance; "
            f"{look}",
            Tone.UNSURE if names else Tone.NOTE,
            sentences,
            facts=[*self._facts],
        )

    @property
    def _first(self) -> CoefficientRow:
        """The coefficient that the headline has: pi by boundary similarity, if it is there."""
        rows = self._coefficients
        pi = [row for row in rows if row["coefficient"] == "pi" and row["value"] is not None]
        return next((row for row in pi if row["similarity"] == SHOWN), (pi or rows)[0])

    @property
    def _facts(self) -> Iterator[Fact]:
        """Yield up to four numbers about the audit."""
        row = self._first
        about = interval_in_words(row["ci_low"], row["ci_high"]).strip(" ()")
        what = f"{row['coefficient']} of {row['similarity']}"
        yield Fact(short_number(row["value"]), "; ".join(filter(None, (what, about))))
        chance = f"two coders agree; {short_number(_chance_of(row))} by chance"
        yield Fact(short_number(row["actual"]), chance)
        low, high = row.get("coders_low"), row.get("coders_high")
        if low is not None and high is not None:
            yield Fact(f"{low:.2f} to {min(high, 1.0):.2f}", "with other coders like these")
        over = (f"{row['documents']:,} documents", self._without)
        yield Fact(f"{row['coders']:,} coders", ", ".join(filter(None, over)))

    @property
    def coefficients(self) -> ResultTable:
        """The coefficients over all documents."""
        rows = self._coefficients
        return audit_tables.coefficients_table(rows, self.by, self.run.unit, self._without)

    @property
    def _without(self) -> str:
        """Whose codings were left out by name, and how many; empty if nobody's."""
        return describe_without(self.run.record.get("left_out", {}))

    @property
    def contested_in_words(self) -> str:
        """The documents that are contested most, by name."""
        rows, left_out = contested_documents(self.run, audit_tables.CONTESTED_SHOWN)
        names = [row["document_id"] for row in rows]
        without = f", without {named_list(left_out)}" * bool(left_out)
        return f"most contested{without}: {', '.join(names)}" if names else ""

    @property
    def above_chance(self) -> ResultTable:
        """The coefficients of agreement above chance over all documents, one by one."""
        return audit_tables.above_chance(self._coefficients, self.run.unit)

    @property
    def groups(self) -> ResultTable | None:
        """A coefficient of each group, if there are groups."""
        rows: list[CoefficientRow] = rows_by_group(self.run.table("agreement"), self.by)
        return audit_tables.groups_table(rows, self.by)

    def candidate(self, isolated: Callable[[str], str] = str) -> ResultTable | None:
        """Return how a candidate compares with each coder, if there is one."""
        candidate = self.run.settings.get("candidate")
        return coders_tables.candidate_table(self.coders, candidate, isolated)

    @property
    def types(self) -> ResultTable | None:
        """The agreement on each boundary type, if there are types."""
        return audit_tables.boundary_types_table(types_over_all(self.run))

    @property
    def by_group(self) -> ResultTable | None:
        """How each coder agrees with the peers in each group, if they are of one attribute."""
        rows: list[CoderRow] = rows_by_group(self.run.table("coders"), self.by)
        return coders_tables.dates_table(rows, self.by, self.run.unit)

    @property
    def pairs(self) -> ResultTable:
        """The similarity of each pair of coders, of those with most documents."""
        rows: list[PeerRow] = rows_over_all(self.run.table("peers"), self.by)
        return coders_tables.system_pairs_table(
            rows, self.most_documents(_PAIRED), len(self.coders)
        )

    def most_documents(self, number: int) -> list[str]:
        """Return the names of coders with most documents, at most a number, in their order."""
        ordered = sorted(self.coders, key=lambda row: (-row["documents"], row["coder"]))
        return sorted(row["coder"] for row in ordered[:number])

    @property
    def prominence(self) -> ResultTable:
        """By how many coders positions are supported."""
        columns = audit_tables.PROMINENCE_COLUMNS
        return audit_tables.prominence_table(self.run.parts("prominence", columns))


def _chance_of(row: CoefficientRow) -> float:
    """Return what boundaries at random places agree by, or else what is expected by chance."""
    chance = row.get("chance")
    return (row["expected"] or 0.0) if chance is None else chance

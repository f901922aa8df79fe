"""Add up what a projection did, and say so."""

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass

from segscore.pipeline.alignment.edits import Edits
from segscore.pipeline.importing.answers.tallies import percentage
from segscore.pipeline.statistics.formatted_numbers import counted

MOST_PROBLEMS = 10
"""Number of documents that a message names."""

ADVICE = (
    "one unit is now below the noise of the projection: score with --n-t or --tolerance of 2 to 3 "
    "units"
)


@dataclass(frozen=True)
class ProjectionTally:
    """What a projection did to some documents.

    Attributes:
        documents: number of documents.
        tokens: number of tokens of the units of `--to`.
        deleted: number of these that only `--to` has.
        inserted: number of tokens that only `--from` has.
        changed: number of tokens with another token in their place.
        boundaries: number of different positions of boundaries, over all segmentations.
        uncertain: number of these that fit as well at another unit.
        collapsed: number of these that are now at an end of the document, or where another is.
        further: edits beyond those above, because boundaries were inside units.
    """

    documents: int = 0
    tokens: int = 0
    deleted: int = 0
    inserted: int = 0
    changed: int = 0
    boundaries: int = 0
    uncertain: int = 0
    collapsed: int = 0
    further: int = 0

    @classmethod
    def of_document(cls, tokens: int, edits: Edits) -> "ProjectionTally":
        """Return the tally of a document without its segmentations."""
        return cls(1, tokens, edits.deletions, edits.insertions, edits.substitutions)

    @property
    def edits(self) -> int:
        """Number of tokens that are edited."""
        return self.deleted + self.inserted + self.changed

    def describe(self, tokens: str) -> list[str]:
        """Return lines about edits and boundaries, and advice unless all places are exact."""
        shares = ", ".join(
            f"{percentage(number, self.tokens)} {name}"
            for number, name in (
                (self.deleted, "only in --to"),
                (self.inserted, "only in --from"),
                (self.changed, "changed"),
            )
        )
        edited = percentage(self.edits, self.tokens)
        lines = [
            f"{counted(self.documents, 'document')}: {edited} % of the {tokens} edited ({shares})"
        ]
        total = "1 boundary" if self.boundaries == 1 else f"{self.boundaries:,} boundaries"
        share = f" ({percentage(self.uncertain, self.boundaries)} %)" if self.boundaries else ""
        line = f"{self.uncertain:,} of {total} uncertain{share}"
        if self.collapsed:
            line += f"; {self.collapsed:,} dropped at an end of a document, or where another is"
        lines.append(line)
        if self.edits or self.uncertain or self.collapsed or self.further:
            lines.append(ADVICE)
        return lines


def add_projections(tallies: Iterable[ProjectionTally]) -> ProjectionTally:
    """Return the sum of tallies."""
    columns = zip(*(astuple(tally) for tally in tallies), strict=True)
    return ProjectionTally(*map(sum, columns))


def describe_problems(problems: Sequence[str], number: int, documents: int) -> str:
    """Say how many of all segmentations cannot be projected, and why the first cannot."""
    named = "; ".join(problems[:MOST_PROBLEMS])
    more = number - min(len(problems), MOST_PROBLEMS)
    return (
        f"{number:,} of {counted(documents, 'segmentation')} cannot be projected: {named}"
        + (f"; and {more:,} more" if more else "")
        + "; remove these rows, or mend what is said of them; nothing was written"
    )

"""Say how well coders agree with their own earlier codings."""

from collections.abc import Iterator

from segscore.pipeline.agreement.extra_tallies import COUNTS
from segscore.pipeline.agreement.group import Group
from segscore.pipeline.agreement.judging.step import (
    MOST,
    AuditRows,
    Kind,
    Part,
    Row,
    Step,
    StepColumn,
)
from segscore.pipeline.agreement.persons import by_coder, ends_of, pooled_estimates
from segscore.pipeline.agreement.sentences import SHOWN
from segscore.pipeline.statistics.formatted_numbers import number_in_words, short_number


class SelfAgreement(Step):
    """The similarity of codings by one coder of one document, of different rounds."""

    columns = (
        StepColumn(
            "self_pairs",
            Kind.WHOLE,
            "pairs of codings of one document by this coder, of different rounds",
        ),
        StepColumn(f"self_{SHOWN}", Kind.SHARE, "boundary similarity, pooled over these pairs"),
        *(
            StepColumn(
                f"self_{SHOWN}_{end}",
                Kind.SHARE,
                f"{side} end of its 95 % interval, by a jackknife",
            )
            for end, side in (("low", "lower"), ("high", "upper"))
        ),
    )
    part = Part.LAST

    def count(self, group: Group) -> Iterator[Row]:
        """Yield the similarity of each coder, with its interval."""
        for counts, units in by_coder(group, "again", COUNTS["again"]):
            own = pooled_estimates(counts, units, group.choices)[SHOWN]
            yield {
                "self_pairs": int(counts["pairs"].sum()),
                f"self_{SHOWN}": own.value,
                **{f"self_{SHOWN}_{end}": value for end, value in ends_of(own)},
            }

    def say(self, audit: AuditRows) -> Iterator[str]:
        """Yield a sentence about each coder who coded documents again, the least reliable first."""
        known = [
            (own, row)
            for row in audit.coders
            if (own := row.get("self_boundary_similarity")) is not None
        ]
        known.sort(key=lambda each: (each[0], each[1]["coder"]))
        for own, row in known[:MOST]:
            ends = row.get("self_boundary_similarity_low"), row.get("self_boundary_similarity_high")
            others = row.get("peer_boundary_similarity")
            with_others = (
                "" if others is None else f", and with the others by {short_number(others)}"
            )
            yield (
                f"{row['coder']} agrees with their own earlier codings by boundary similarity "
                f"{number_in_words(own, *ends)}{with_others}."
            )
        if len(known) > MOST:
            yield f"{len(known) - MOST} more coded documents again: self_pairs in the table coders."

"""Warn of inputs that may not be what they seem: swapped, misnamed, in other units."""

from collections.abc import Iterable

from segscore.pipeline.results.coverage import warn_of_fewer_documents
from segscore.pipeline.runs.record import warn_of_similar_names
from segscore.pipeline.scoring.aspects.aspect import Aspect, Outcome
from segscore.pipeline.scoring.input_stats import (
    collect_input_stats,
    warn_of_inputs,
    warn_of_large_limit,
    warn_of_long_segments,
    warn_of_panels,
)
from segscore.pipeline.scoring.records import PartSums
from segscore.pipeline.scoring.self_pairs import warn_of_self_pairs
from segscore.pipeline.scoring.view import Block
from segscore.pipeline.settings.measuring import settings_without_effect


class SelfPairs(Aspect):
    """Coders who are scored against their own segmentations."""

    def warnings(self, outcome: Outcome) -> Iterable[str]:
        """Warn of them."""
        return warn_of_self_pairs(outcome.sink, outcome.inputs)


class TestSet(Aspect):
    """The published references that those of the run were recognised as."""

    def warnings(self, outcome: Outcome) -> Iterable[str]:
        """Warn of references that differ from the published ones."""
        return outcome.results.test_set.warnings


class Groups(Aspect):
    """The groups that averages are made for."""

    def warnings(self, outcome: Outcome) -> Iterable[str]:
        """Warn if no document is in a group."""
        group_by, summary = outcome.settings.group_by, outcome.summary
        if not group_by or any(summary[name].null_count < len(summary) for name in group_by):
            return
        yield (
            f"no document has a value of {', '.join(group_by)}; if --documents has the values, "
            "check that its ids match those of the references"
        )


class Systems(Aspect):
    """The documents and the names of the systems."""

    def warnings(self, outcome: Outcome) -> Iterable[str]:
        """Warn of systems with other documents than the rest, and of similar names."""
        yield from warn_of_fewer_documents(outcome.summary)
        yield from warn_of_similar_names(outcome.systems)


class Positions(Aspect):
    """The positions of boundaries, the lengths of segments and documents, the values of groups."""

    def observe(self, block: Block) -> PartSums:
        """Count what may have to be warned of."""
        return PartSums(input_stats=collect_input_stats(block))

    def warnings(self, outcome: Outcome) -> Iterable[str]:
        """Warn of what was seen while the rows were scored."""
        settings, input_stats = outcome.settings, outcome.sums.input_stats
        yield from warn_of_panels(input_stats, settings, outcome.systems)
        yield from warn_of_inputs(input_stats, settings)
        if settings.units == "units" and "n_t" not in settings_without_effect(settings.selection):
            if outcome.is_unit_unknown:
                yield from warn_of_long_segments(input_stats)
            yield from warn_of_large_limit(input_stats, settings.near_limit)

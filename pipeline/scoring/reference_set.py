"""All references of a part: as they are given, by level, and consensus references."""

from dataclasses import dataclass

from segscore.pipeline.scoring.references import References, consensus_references
from segscore.pipeline.settings.measuring import MeasuringSettings


@dataclass(frozen=True)
class ReferenceSet:
    """The references that hypotheses are scored against.

    Attributes:
        references: the accepted references.
        consensus: for each consensus share, one consensus reference per document.
        has_panels: whether any document of the run has several references.
        levels: the references with the boundaries of each level; empty in a run without levels.
    """

    references: References
    consensus: tuple[References, ...]
    has_panels: bool = False
    levels: tuple[References, ...] = ()

    @property
    def by_level(self) -> tuple[References, ...]:
        """The references of each level, in the order of ``Rule.levels``."""
        return self.levels or (self.references,)

    @classmethod
    def build(
        cls, references: References, settings: MeasuringSettings, *, has_panels: bool
    ) -> "ReferenceSet":
        """Build the consensus references that the settings ask for."""
        consensus = [
            consensus_references(references, label, share, settings)
            for label, share in settings.shares.items()
        ]
        return cls(references, tuple(consensus), has_panels)

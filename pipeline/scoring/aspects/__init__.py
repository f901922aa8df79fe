"""Aspects of a scoring run: whatever it does besides scoring pairs, one or a few a file."""

from segscore.pipeline.scoring.aspects.answers import Answers
from segscore.pipeline.scoring.aspects.aspect import Aspect
from segscore.pipeline.scoring.aspects.baselines import Baselines
from segscore.pipeline.scoring.aspects.checks import (
    Groups,
    Positions,
    SelfPairs,
    Systems,
    TestSet,
)
from segscore.pipeline.scoring.aspects.labels import Confusion, SelectedLabels
from segscore.pipeline.scoring.aspects.missing import UnansweredDocuments, UnpairedRows
from segscore.pipeline.scoring.aspects.related_documents import RelatedDocuments
from segscore.pipeline.scoring.aspects.shared_averages import SharedAverages
from segscore.pipeline.scoring.aspects.threshold import Threshold
from segscore.pipeline.scoring.aspects.trials import Trials

ASPECTS: tuple[Aspect, ...] = (
    UnpairedRows(),
    UnansweredDocuments(),
    SelfPairs(),
    TestSet(),
    Groups(),
    Systems(),
    Trials(),
    Answers(),
    SharedAverages(),
    Positions(),
    SelectedLabels(),
    Baselines(),
    RelatedDocuments(),
    Confusion(),
    Threshold(),
)
"""All aspects, in the order of their columns, tables and warnings."""

"""Files that a comparison reads in addition to its runs: published scores and people's ratings."""

from collections.abc import Sequence
from dataclasses import dataclass

from segscore.pipeline.comparison.own_published import read_own_scores
from segscore.pipeline.comparison.read_ratings import Ratings, read_ratings
from segscore.pipeline.comparison.settings import CompareSettings
from segscore.pipeline.testsets.published import PublishedScore


@dataclass(frozen=True)
class FilesBeside:
    """What these files contain.

    Attributes:
        scores: published scores of the user's own file; empty without one.
        ratings: people's ratings; None without a file.
    """

    scores: Sequence[PublishedScore] = ()
    ratings: Ratings | None = None


def read_beside(settings: CompareSettings) -> FilesBeside:
    """Read the files that the settings name.

    Raises:
        Refused: a file cannot be read, or has wrong content.
    """
    own, ratings = settings.published_scores, settings.ratings
    return FilesBeside(
        () if own is None else read_own_scores(own),
        None if ratings is None else read_ratings(ratings),
    )

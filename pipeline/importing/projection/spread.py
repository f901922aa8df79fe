"""Tasks that write segmentations by document."""

from dataclasses import dataclass

from segscore.pipeline.importing.answers.gathering import bucket_of
from segscore.pipeline.importing.shards import Shard, spread_shard


@dataclass(frozen=True)
class SpreadJob:
    """What all tasks that write segmentations by document share.

    Attributes:
        folder: the folder that tasks write to.
        buckets: number of buckets of documents.
    """

    folder: str
    buckets: int


@dataclass(frozen=True)
class SpreadReceipt:
    """The bucket of each row group of a file."""

    buckets: list[int]


def spread_part(job: SpreadJob, part: Shard) -> SpreadReceipt:
    """Write the segmentations of a part by document."""
    return SpreadReceipt(
        spread_shard(job.folder, part, lambda document: bucket_of(document, job.buckets))
    )

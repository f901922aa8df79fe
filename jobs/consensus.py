"""`segscore consensus`: make one segmentation of each document out of those of its coders."""

from typing import Annotated

import typer

from segscore.jobs.cli.log import LOG
from segscore.pipeline.agreement.majority import ConsensusSettings


def consensus(
    codings: Annotated[
        str, typer.Argument(help="Segmentations by several coders: a file, folder or glob.")
    ],
    output: Annotated[str, typer.Option(help="Folder for references/ and consensus.json.")],
    chosen: ConsensusSettings,
) -> None:
    """Make one segmentation of each document: the boundaries that enough coders have."""
    from segscore.jobs.show.fitted import print_lines
    from segscore.pipeline.agreement.majority import AGREED, write_consensus
    from segscore.pipeline.statistics.formatted_numbers import counted

    record = write_consensus(codings, output, chosen)
    LOG.warn(record["warnings"])
    rows = counted(record["documents"], "row")
    print_lines(f"{output}/{AGREED}: {rows}, boundaries of {record['rule']}")

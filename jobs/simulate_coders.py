"""`segscore simulate coders`: generate coders with known probabilities of near and full misses."""

from typing import Annotated

import typer

from segscore.jobs.cli.log import LOG
from segscore.pipeline.agreement.settings import SimulateSettings


def simulate_coders(
    codings: Annotated[
        str, typer.Argument(help="Segmentations to imitate: a file, folder or glob.")
    ],
    output: Annotated[str, typer.Option(help="Folder for codings/ and simulation.json.")],
    chosen: SimulateSettings,
) -> None:
    """Generate coders with known errors, to see what values coefficients of agreement take.

    With --near-miss 0 --full-miss 0 every coding is the document's true segmentation.
    """
    from segscore.jobs.show.fitted import print_lines
    from segscore.pipeline.agreement import simulate
    from segscore.pipeline.statistics.formatted_numbers import counted

    record = simulate.run(codings, output, chosen)
    LOG.warn(record["warnings"])
    rows = counted(chosen.documents * chosen.coders, "row")
    print_lines(f"{output}/codings: {rows}")

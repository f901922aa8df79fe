"""`segscore simulate`: pseudo-coders with known chances of near and full misses."""

import sys
from typing import Annotated

import typer


def simulate(
    codings: Annotated[str, typer.Argument(help="Segmentations to be like: file, folder, glob.")],
    output: Annotated[str, typer.Option(help="Folder for codings/ and simulation.json.")],
    documents: Annotated[int, typer.Option(help="How many documents.")] = 100,
    coders: Annotated[int, typer.Option(help="How many coders each document has.")] = 10,
    near_miss: Annotated[
        float, typer.Option(help="Chance that a coder places a boundary beside its place.")
    ] = 0.1,
    full_miss: Annotated[
        float, typer.Option(help="Chance that a coder omits a boundary or adds one.")
    ] = 0.2,
    added: Annotated[
        float, typer.Option(help="Share of full misses that add a boundary; the others omit one.")
    ] = 0.5,
    n_t: Annotated[int, typer.Option(help="Near misses move 1..n_t-1 positions.")] = 2,
    units: Annotated[
        int | None,
        typer.Option(help="Units in each document; default: as many segments as a coding has."),
    ] = None,
    random: Annotated[
        bool,
        typer.Option("--random", help="Random coders: each draws a segmentation for itself."),
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of all draws.")] = 0,
) -> None:
    """Make pseudo-coders with a corpus's segment sizes, to see what a coefficient says of them.

    With --near-miss 0 --full-miss 0 every coding is the document's true segmentation.
    """
    from segscore.jobs.show.printing import out
    from segscore.pipeline.agreement import simulate as simulating

    settings = simulating.SimulateSettings(
        documents, coders, near_miss, full_miss, added, n_t, units, random, seed
    )
    record = simulating.run(codings, output, settings)
    for warning in record["warnings"]:
        print(f"warning: {warning}", file=sys.stderr)
    out().print(f"{output}/codings: {documents * coders} rows", markup=False)

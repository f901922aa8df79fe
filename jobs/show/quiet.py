"""`--quiet`: print the verdict alone."""

from typing import Annotated

import typer

from segscore.pipeline.settings.options import Panel


class Output:
    """What the commands of this process print.

    Attributes:
        verdict_only: whether tables, and all else that is not the verdict, are left out.
    """

    verdict_only = False


OUTPUT = Output()


def _choose(chosen: bool) -> bool:
    OUTPUT.verdict_only = chosen
    return chosen


Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        is_eager=True,
        callback=_choose,
        help="Print the verdict alone.",
        rich_help_panel=Panel.OUTPUT,
    ),
]

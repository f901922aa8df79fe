"""Options that several commands share, each said once."""

from typing import Annotated

import typer

References = Annotated[str, typer.Argument(help="Reference segmentations: file, folder, glob.")]
Output = Annotated[str, typer.Option(help="Folder of the run; must not hold one already.")]
Documents = Annotated[str | None, typer.Option(help="Table of unit lengths and attributes.")]
Window = Annotated[
    str, typer.Option(help="Window size: per-pair, per-document, per-run, or a number.")
]
Rounding = Annotated[str, typer.Option(help="Of half the mean segment size: half-even or half-up.")]
Units = Annotated[str, typer.Option(help="Measure in units, or in words (needs --documents).")]
PSeg = Annotated[
    float | None,
    typer.Option(help="Chance that a window holds a boundary; default: from the references."),
]
Cluster = Annotated[
    str, typer.Option(help="Where to run: local (threads), processes, or tcp://host:port.")
]
Workers = Annotated[
    int | None, typer.Option(help="Threads or processes; default: one a processor.", min=1)
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Replace a finished run.")]


def window_of(text: str) -> str | int:
    """Read ``--window``: a policy, or a fixed size."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else text


def numbers(option: str, text: str) -> tuple[float, ...]:
    """Read numbers separated by commas.

    Raises:
        Refused: naming the option, if it is not a list of numbers.
    """
    from pipeline.errors import Refused

    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError as problem:
        raise Refused(f"{option} {text}: must be numbers separated by commas") from problem


def whole_numbers(option: str, text: str | None) -> tuple[int, ...]:
    """Read whole numbers separated by commas; none where the option is not given.

    Raises:
        Refused: naming the option, if it is not a list of whole numbers.
    """
    from pipeline.errors import Refused

    try:
        return () if text is None else tuple(int(part) for part in text.split(","))
    except ValueError as problem:
        raise Refused(f"{option} {text}: must be whole numbers separated by commas") from problem

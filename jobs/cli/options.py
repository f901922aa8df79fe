"""Options that several commands share, each said once."""

from typing import Annotated

import typer

from segscore.jobs.cli.log import choose
from segscore.jobs.cli.settings_file import load_settings

Settings = Annotated[
    str | None,
    typer.Option(
        "--settings",
        is_eager=True,
        callback=load_settings,
        help="TOML file with options by command; what the command line says wins.",
    ),
]
LogFormat = Annotated[
    str,
    typer.Option(
        is_eager=True, callback=choose, help="Of what is told on standard error: text or json."
    ),
]
References = Annotated[str, typer.Argument(help="Reference segmentations: file, folder, glob.")]
Output = Annotated[
    str,
    typer.Option(
        help="Folder of the run; one of other settings or inputs is not replaced without --fresh."
    ),
]
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
NT = Annotated[int, typer.Option(help="Near misses lie 1..n_t-1 positions apart; 1 allows none.")]
GroupBy = Annotated[
    str | None, typer.Option(help="Attributes to summarise by, separated by commas.")
]
Replicates = Annotated[
    int, typer.Option(help="Bootstrap replicates for the intervals; 0 for none.")
]
Seed = Annotated[int, typer.Option(help="Seed of the bootstrap.")]
MaxRejects = Annotated[
    float, typer.Option(help="Publish only if at most this share of rows is rejected.")
]
Cluster = Annotated[
    str, typer.Option(help="Where to run: local (threads), processes, or tcp://host:port.")
]
Workers = Annotated[
    int | None, typer.Option(help="Threads or processes; default: one a processor.", min=1)
]
MemoryLimit = Annotated[
    str | None,
    typer.Option(help="Memory a worker may take, such as 2GB; default: planned for 4GiB."),
]
ExplainPlan = Annotated[
    bool,
    typer.Option("--explain-plan", help="Tell how rows would meet, and do nothing else."),
]
Fresh = Annotated[
    bool,
    typer.Option(
        "--fresh/--resume",
        help="Start over, replacing what is there; or go on where an attempt ended.",
    ),
]


Keep = Annotated[
    int | None,
    typer.Option(help="Remove nights this many days older than the newest, but the last good one."),
]


def window_of(text: str) -> str | int:
    """Read ``--window``: a policy, or a fixed size."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else text


def memory_of(text: str | None) -> int | None:
    """Read ``--memory-limit``: bytes, with or without a unit.

    Raises:
        Refused: it is not a size.
    """
    from segscore.pipeline.runs.cluster import bytes_of

    return None if text is None else bytes_of("--memory-limit", text)


def names(text: str | None) -> tuple[str, ...]:
    """Read names separated by commas; none where the option is not given."""
    return tuple(text.split(",")) if text else ()


def numbers(option: str, text: str) -> tuple[float, ...]:
    """Read numbers separated by commas.

    Raises:
        Refused: naming the option, if it is not a list of numbers.
    """
    from segscore.pipeline.errors import Refused

    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError as problem:
        raise Refused(f"{option} {text}: must be numbers separated by commas") from problem


def whole_numbers(option: str, text: str | None) -> tuple[int, ...]:
    """Read whole numbers separated by commas; none where the option is not given.

    Raises:
        Refused: naming the option, if it is not a list of whole numbers.
    """
    from segscore.pipeline.errors import Refused

    try:
        return () if text is None else tuple(int(part) for part in text.split(","))
    except ValueError as problem:
        raise Refused(f"{option} {text}: must be whole numbers separated by commas") from problem

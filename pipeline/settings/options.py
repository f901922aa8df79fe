"""Command-line options as plain data, with which settings classes annotate their fields.

A field annotated as ``Annotated[int, Option("Seed of the random numbers.")]`` becomes an option of
the command that takes these settings; `jobs/cli/signature.py` builds the command from the
annotations.  Options that several commands share are defined here as aliases.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from segscore.pipeline.settings.reading import read_memory, read_names, read_window


class Panel(StrEnum):
    """Headings of `--help`, in the order in which they appear."""

    INPUTS = "Inputs"
    TIMES = "Times"
    SEGMENTS = "Segments"
    TABLES = "Tables and labels"
    ANNOTATIONS = "Annotations"
    MEASURES = "Measures"
    AVERAGES = "Averages"
    POWER = "Power"
    GATE = "Gate"
    RUNNING = "Where to run"
    OUTPUT = "Output"


@dataclass(frozen=True)
class Option:
    """How a field is set by an option on the command line.

    Attributes:
        help: description of the option in `--help`.
        panel: heading of `--help` that lists the option; None for the general one.
        read: converts the option's name and text to the value; None for the conversion that the
            field's type implies.
        flags: names on the command line, such as ``--fresh/--resume``; by default ``--`` followed
            by the name of the field.
    """

    help: str
    panel: Panel | None = None
    read: Callable[[str, str], Any] | None = None
    flags: str = ""


@dataclass(frozen=True)
class Argument:
    """How a field is set by a positional argument on the command line.

    Attributes:
        help: description of the argument in `--help`.
    """

    help: str


ReferencesArgument = Annotated[str, Argument("Reference segmentations: a file, folder or glob.")]
OutputOption = Annotated[
    str,
    Option(
        "Folder for the run; a run with other settings or inputs is only replaced with --fresh.",
        Panel.OUTPUT,
    ),
]
DocumentsOption = Annotated[
    str | None, Option("Table of unit lengths and attributes of documents.", Panel.INPUTS)
]
GroupByOption = Annotated[
    tuple[str, ...],
    Option("Attributes to summarise by, separated by commas.", Panel.AVERAGES, read_names),
]
NTOption = Annotated[
    int,
    Option(
        "Limit n_t: near misses are 1 to n_t - 1 positions apart; 1 allows none.", Panel.MEASURES
    ),
]
WindowOption = Annotated[
    str | int,
    Option(
        "Window size: per-pair, per-document, per-run, or a number.", Panel.MEASURES, read_window
    ),
]
RoundingOption = Annotated[
    str, Option("Rounding of half the mean segment size: half-even or half-up.", Panel.MEASURES)
]
UnitsOption = Annotated[
    str, Option("Unit of measurement: units, or words (needs --documents).", Panel.MEASURES)
]
RegistryOption = Annotated[
    str | None,
    Option("JSON file of your own test sets, to recognise them too.", Panel.INPUTS),
]
LengthToleranceOption = Annotated[
    int,
    Option("Units by which the lengths of a document's segmentations may differ.", Panel.INPUTS),
]
BetaOption = Annotated[
    float, Option("Weight of recall in b_f1, f1 and every other F.", Panel.MEASURES)
]
EdgesOption = Annotated[
    int,
    Option(
        "Boundaries added to both sides in the tolerance measures: 0 none, 1 the start, "
        "2 start and end.",
        Panel.MEASURES,
    ),
]
PSegOption = Annotated[
    float | None,
    Option(
        "Probability of a boundary in a window; default: computed from the references.",
        Panel.MEASURES,
    ),
]
ReplicatesOption = Annotated[
    int, Option("Number of bootstrap replicates for the intervals; 0 for none.", Panel.AVERAGES)
]
SeedOption = Annotated[int, Option("Seed of the bootstrap.", Panel.AVERAGES)]
MaxRejectsOption = Annotated[
    float,
    Option("Largest share of rejected rows at which the run is published, 0 to 1.", Panel.OUTPUT),
]
MaxUnpairedOption = Annotated[
    float,
    Option(
        "Largest share of hypotheses without a reference at which the run is published, 0 to 1.",
        Panel.OUTPUT,
    ),
]
MemoryLimitOption = Annotated[
    int | None,
    Option(
        "Memory that a worker may use, such as 2GB; without it, as much as it needs, in parts "
        "sized for 4GiB.",
        Panel.RUNNING,
        read_memory,
    ),
]
FreshOption = Annotated[
    bool,
    Option(
        "Start over and replace an existing run, or resume an interrupted one.",
        Panel.OUTPUT,
        flags="--fresh/--resume",
    ),
]

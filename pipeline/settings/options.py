"""Command-line options as plain data, with which settings classes annotate their fields.

A field annotated as ``Annotated[int, Option("Seed of the random numbers.")]`` becomes an option of
the command that takes these settings; `jobs/cli/signature.py` builds the command from the
annotations.  Options that several commands share are defined here as aliases.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cache
from typing import Annotated, Any, get_args, get_type_hints

from segscore.pipeline.errors import Refused
from segscore.pipeline.settings.ranges import (
    MOST_UNITS,
    ValueCheck,
    among,
    between,
    check_seed,
    in_unit_interval,
    one_of,
    within,
)
from segscore.pipeline.settings.reading import (
    COUNTED_UNITS,
    is_time,
    parse_amount,
    parse_tolerance,
    read_memory,
    read_names,
    read_window,
    state_tolerance,
)


class Panel(StrEnum):
    """Headings of `--help`, in the order in which they appear."""

    INPUTS = "Inputs"
    TIMES = "Times"
    SEGMENTS = "Segments"
    TABLES = "Tables and labels"
    ANNOTATIONS = "Annotations"
    ANSWERS = "Answers of language models"
    MEASURES = "Measures"
    AVERAGES = "Averages"
    POWER = "Power"
    GATE = "Gate"
    RUNNING = "Where to run"
    OUTPUT = "Output"


@dataclass(frozen=True)
class Signed:
    """How a setting is stated in the signature of a run.

    Attributes:
        name: name of the field of the signature.
        meaning: description of the field in a few words.
        affects: families, counts and names in formulas that the setting affects; empty: all.
        text: writes the value; the field is omitted if this is empty.
        always: whether the field is stated if the setting has its default value.
    """

    name: str
    meaning: str
    affects: tuple[str, ...] = ()
    text: Callable[[Any], str] = str
    always: bool = False


@dataclass(frozen=True)
class Option:
    """How a field is set by an option on the command line, and all else that is known about it.

    Attributes:
        help: description of the option in `--help`.
        panel: heading of `--help` that lists the option; None for the general one.
        read: converts the option's name and text to the value; None for the conversion that the
            field's type implies.
        flags: names on the command line, such as ``--fresh/--resume``; by default ``--`` followed
            by the name of the field.
        check: refuses values that the option does not allow; not called with None.
        signed: how the signature of a run states it; None if it does not.
        optional: values of an option that may also be given without one, which means the first;
            empty if it needs a value.
        joined: types of the elements of a list that Python may give in place of text separated by
            commas; empty if it may not.
        rare: whether it is seldom needed: `--help-all` only names it, docs/options.md explains it,
            and `--set` sets it, too.
        ignored: whether it has no effect any more; it is accepted, and `--help` does not list it.
    """

    help: str
    panel: Panel | None = None
    read: Callable[[str, str], Any] | None = None
    flags: str = ""
    check: ValueCheck | None = None
    signed: Signed | None = None
    optional: tuple[str, ...] = ()
    joined: tuple[type, ...] = ()
    rare: bool = False
    ignored: bool = False


@dataclass(frozen=True)
class Shown:
    """The options of a settings class that `--help` lists; unlisted ones still work.

    Attributes:
        panels: headings whose options are shown.
        also: names of further fields whose options are shown.
    """

    panels: tuple[Panel, ...] = tuple(Panel)
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class Argument:
    """How a field is set by a positional argument on the command line.

    Attributes:
        help: description of the argument in `--help`.
        join: makes one value of the argument's name and several values; None if it has one value,
            or its field has several.
    """

    help: str
    join: Callable[[str, list[str]], str] | None = None


@cache
def options_of(settings: Any) -> dict[str, Option]:
    """Return the options of a settings class by the names of their fields, in their order."""
    hints = get_type_hints(settings, include_extras=True)
    return {
        field.name: item
        for field in fields(settings)
        for item in get_args(hints[field.name])
        if isinstance(item, Option)
    }


def name_of_option(field: str, option: Option) -> str:
    """Return the names of an option on the command line, such as ``--n-t``."""
    return option.flags or "--" + field.replace("_", "-")


def check_options(settings: Any) -> None:
    """Refuse values of settings that their options do not allow; the message names the option."""
    for field, option in options_of(settings.__class__).items():
        value = getattr(settings, field)
        if option.check is not None and value is not None:
            option.check(name_of_option(field, option), value)


def changed_fields(settings: Any) -> set[str]:
    """Return the fields of settings that differ from their defaults."""
    return {each.name for each in fields(settings) if getattr(settings, each.name) != each.default}


def stated_options(settings: Any) -> dict[str, str]:
    """Return what a signature states of the settings of any command: field -> value.

    A setting that has its default is left out, unless it is always stated.
    """
    changed = changed_fields(settings)
    stated = {
        option.signed.name: option.signed.text(getattr(settings, name))
        for name, option in options_of(settings.__class__).items()
        if option.signed is not None and (option.signed.always or name in changed)
    }
    return {name: text for name, text in stated.items() if text}


_MOST_WEIGHT = 1000
_LEAST_P_SEG = 1e-6
_WINDOWS = ("per-pair", "per-document", "per-run")


def _check_window(option: str, window: str | int) -> None:
    if isinstance(window, int):
        within(option, window, 1, MOST_UNITS)
    else:
        one_of(option, window, _WINDOWS, " or a number >= 1")


def _check_tolerance(option: str, tolerance: str | int) -> None:
    if isinstance(tolerance, int):
        within(option, tolerance, 0, MOST_UNITS)
    elif is_time(tolerance):
        parse_amount(option, tolerance)
    else:
        parse_tolerance(tolerance, option)


def _check_beta(option: str, beta: float) -> None:
    if not 1 / _MOST_WEIGHT <= beta <= _MOST_WEIGHT:
        raise Refused(f"{option} {beta}: must lie in [{1 / _MOST_WEIGHT}, {_MOST_WEIGHT}]")


def _check_p_seg(option: str, p_seg: float) -> None:
    in_unit_interval(option, p_seg)
    if p_seg not in (0, 1) and not _LEAST_P_SEG <= p_seg <= 1 - _LEAST_P_SEG:
        raise Refused(f"{option} {p_seg}: must be 0, 1 or at least 1e-6 from both")


ReferencesArgument = Annotated[str, Argument("Reference segmentations: a file, folder or glob.")]
OutputOption = Annotated[
    str,
    Option(
        "Folder for the run. A run with other settings or inputs is only replaced with --fresh.",
        Panel.OUTPUT,
    ),
]
DocumentsOption = Annotated[
    str | None, Option("Table of unit lengths and attributes of documents.", Panel.INPUTS)
]
GroupByOption = Annotated[
    tuple[str, ...],
    Option("Attributes to summarise by, such as genre,show.", Panel.AVERAGES, read_names),
]
ResampleByOption = Annotated[
    str | None,
    Option(
        "Attribute to resample by, such as show. "
        "Documents with one value are resampled together, in intervals and tests.",
        Panel.AVERAGES,
    ),
]
NTOption = Annotated[
    int | None,
    Option(
        "Near misses are 1 to n_t - 1 positions apart; default: 2, or 2 seconds. "
        "1 allows none; 2 seconds are the default where the unit is a time.",
        Panel.MEASURES,
        check=between(1, MOST_UNITS),
        signed=Signed(
            "n_t",
            "boundaries up to n_t - 1 positions apart are near misses",
            ("edit", "n_t"),
            always=True,
        ),
    ),
]
WindowOption = Annotated[
    str | int,
    Option(
        "Window size: per-pair, per-document, per-run or a number.",
        Panel.MEASURES,
        read_window,
        check=_check_window,
        signed=Signed(
            "window",
            "how the window size k is chosen, how halves are rounded, the smallest size",
            ("window", "panel", "winpr"),
            lambda window: f"fixed,{window}" if isinstance(window, int) else window,
            always=True,
        ),
    ),
]
RoundingOption = Annotated[
    str,
    Option(
        "Rounding of half the mean segment size: half-even or half-up.",
        Panel.MEASURES,
        check=among(("half-even", "half-up")),
        rare=True,
    ),
]
UnitsOption = Annotated[
    str,
    Option(
        "Unit of measurement: units, or words (needs --documents).",
        Panel.MEASURES,
        check=among(("units", "words")),
        signed=Signed("units", "what positions are counted in", always=True),
    ),
]
UnitOption = Annotated[
    str | None,
    Option(
        "Unit of tables that do not state one: second, word. "
        "One of millisecond, second, sentence, utterance, turn, line, word, "
        "token, character.",
        Panel.INPUTS,
        check=among(COUNTED_UNITS),
    ),
]
LengthToleranceOption = Annotated[
    int,
    Option(
        "Units by which lengths of a document may differ.",
        Panel.INPUTS,
        check=between(0, MOST_UNITS),
        signed=Signed(
            "length_tolerance",
            "units by which the lengths of a document's segmentations may differ",
        ),
    ),
]
BetaOption = Annotated[
    float,
    Option(
        "Beta of all F measures (weight of recall).",
        Panel.MEASURES,
        check=_check_beta,
        signed=Signed(
            "beta", "weight of recall in the F measures", ("beta",), text=lambda beta: f"{beta:g}"
        ),
    ),
]
ToleranceOption = Annotated[
    int | str,
    Option(
        "Distance in tolerance measures: units, a time (2s), or a share (1%). "
        "It is the largest between two boundaries; a share is of the units of "
        "each document.",
        Panel.MEASURES,
        read_window,
        check=_check_tolerance,
        signed=Signed(
            "tol",
            "tolerance (in a sweep: all): largest distance of boundaries that are paired",
            (
                *("tolerant_matches", "references_in_reach", "hypotheses_in_reach"),
                *("union_matches", "recall_sum", "start_matches", "end_matches"),
            ),
            state_tolerance,
        ),
    ),
]
EdgesOption = Annotated[
    int,
    Option(
        "Boundaries added for tolerance measures: 1 the start, 2 both ends.",
        Panel.MEASURES,
        check=between(0, 2),
        signed=Signed(
            "edges",
            "ends of documents that count as boundaries in tolerance measures",
            (
                *("edges", "tolerant_matches", "references_in_reach", "hypotheses_in_reach"),
                *("union_matches", "recall_sum", "panel_hypothesis_boundaries"),
            ),
        ),
    ),
]
PSegOption = Annotated[
    float | None,
    Option(
        "Probability of a boundary in a window; default: computed from the references.",
        Panel.MEASURES,
        check=_check_p_seg,
        signed=Signed(
            "p_seg",
            "chance that a window contains a boundary; run: as in the run's references",
            ("p_seg",),
            text=lambda p_seg: "run" if p_seg is None else str(p_seg),
            always=True,
        ),
        rare=True,
    ),
]
ReplicatesOption = Annotated[
    int | None,
    Option("Ignored: intervals need no replicates.", Panel.AVERAGES, ignored=True),
]
SeedOption = Annotated[
    int,
    Option(
        "Seed of random draws.", Panel.AVERAGES, check=lambda _, seed: check_seed(seed), rare=True
    ),
]
MaxRejectsOption = Annotated[
    float,
    Option(
        "Largest share of rejected rows, 0 to 1. With more, the run is not published.",
        Panel.OUTPUT,
        check=in_unit_interval,
    ),
]
MaxUnpairedOption = Annotated[
    float | None,
    Option(
        "Largest share without a counterpart; default: 0.5 of the hypotheses. "
        "It is that of hypotheses without a reference, and of documents without "
        "a hypothesis of a system; with more, the run is not published.",
        Panel.OUTPUT,
        check=in_unit_interval,
    ),
]
MemoryLimitOption = Annotated[
    int | None,
    Option(
        "Memory of a worker, such as 2GB; default: what it needs, in parts for 4GiB.",
        Panel.RUNNING,
        read_memory,
        rare=True,
    ),
]
TrustInputsOption = Annotated[
    bool,
    Option(
        "Read inputs where the run recorded them, also in buckets that you do not name.",
        flags="--trust-inputs",
        rare=True,
    ),
]
MOVED_INPUTS = "Folder in which the inputs of the run are now, if they were moved."
FreshOption = Annotated[
    bool,
    Option(
        "Replace an existing run; or resume an interrupted one. "
        "The existing run can be read until the new one is complete and takes "
        "its place.",
        Panel.OUTPUT,
        flags="--fresh/--resume",
    ),
]

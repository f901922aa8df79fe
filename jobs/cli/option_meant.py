"""Say which option is meant by one that a command does not have.

A proposal that does something else is worse than none: someone who follows it gets other results
and no message. So a typing error is a letter or two of a long name, and what people call an option
in other programs is a list.
"""

from collections.abc import Collection, Iterable, Mapping

from segscore.jobs.cli.help_texts import LINES
from segscore.pipeline.errors import count_edits

_OTHER_NAMES = {
    "--measures": ("--metric", "--metrics"),
    "--measure": ("--metric", "--metrics"),
    "--systems": ("--coder", "--coders"),
    "--hypothesis": ("--coder", "--system", "--systems"),
    "--reference-points": ("--baseline", "--baselines"),
    "--group-by": ("--by",),
    "--output": ("--out",),
    "--window": ("--k",),
    "--workers": ("--cpus", "--jobs", "--n-jobs", "--threads"),
}
"""Option -> what other programs call it."""

_ANOTHER = ("--id", "--limit", "--unit")
"""Options that mean something else than their plural does where there is one."""

_DELETING = ("--fresh", "--keep")
"""Options that remove earlier runs, which are never proposed."""

_FORMATS = ("text", "json", "csv", "markdown", "latex")
_LEAST_BEGINNING = 3
_LONG, _LONGER = 6, 9
"""Numbers of letters from which one edit makes a typing error, and from which two do."""


def option_meant(
    option: str,
    command: str,
    options: Mapping[str, Mapping[str, str]],
    arguments: Iterable[str] = (),
) -> str:
    """Return a remark that names what is meant, here or in another command; empty if nothing is.

    Args:
        option: such as --metrics.
        command: name of the command that does not have it.
        options: the options of each command, and what its help says of each.
        arguments: names of the command's arguments, such as references.
    """
    here = options[command]
    meant = [name for name, others in _OTHER_NAMES.items() if option in others]
    if named := [name for name in meant if name in here]:
        return f"; the option is {named[0]}"
    near = None if option in _ANOTHER else _plural(option, _proposable(here))
    return (
        _format_or_argument(option, here, arguments)
        or (_of_a_night((*meant, option), options) if command == "nightly" else "")
        or (f"; the nearest is {near}" if near else "")
        or ("" if meant or option in _DELETING else _elsewhere(option, options))
        or ("" if option in _ANOTHER else _mistyped(option, _proposable(here)))
    )


def _proposable(here: Iterable[str]) -> list[str]:
    return [name for name in here if name not in (*_DELETING, "--set")]


def _format_or_argument(option: str, here: Mapping[str, str], arguments: Iterable[str]) -> str:
    """Return a remark on what is no option, but a value or an argument."""
    value = option.removeprefix("--")
    if value in _FORMATS and value in here.get("--format", ""):
        return f"; write --format {value}"
    for argument in arguments:
        is_begun = len(value) >= _LEAST_BEGINNING and argument.startswith(value)
        if is_begun or _stem(argument) == _stem(value):
            return f"; write the {argument} without an option, as {argument.upper()}"
    return ""


def _of_a_night(names: Iterable[str], options: Mapping[str, Mapping[str, str]]) -> str:
    """Return a remark on an option of `score`, which nights have in the settings file."""
    for name in names:
        if name in options["score"] and name != "--output":  # a night has --runs
            return f"; set {name.removeprefix('--')} in the table [score] of --settings"
    return ""


def _elsewhere(option: str, options: Mapping[str, Mapping[str, str]]) -> str:
    """Return a remark on the first command that has an option."""
    for command, known in options.items():
        if option in known:
            return f"; `segscore {LINES.get(command, command)} {option}` has it"
    return ""


def _stem(name: str) -> str:
    """Return a name without the ending of its number: hypothesis and hypotheses are one."""
    return name.removesuffix("es").removesuffix("is").removesuffix("s")


def _plural(option: str, known: Collection[str]) -> str | None:
    """Return the option that differs in its number or its dashes alone, or None."""
    asked = _stem(option.replace("-", ""))
    return next((name for name in known if _stem(name.replace("-", "")) == asked), None)


def _mistyped(option: str, known: Collection[str]) -> str:
    """Return a remark on the one option of which this is the beginning, or a typing error."""
    asked = option.lstrip("-")
    begun = [name for name in known if name.lstrip("-").startswith(asked)]
    if len(asked) >= _LEAST_BEGINNING and len(begun) == 1:
        return f"; the nearest is {begun[0]}"
    if not known:
        return ""
    edits, name = min(
        (count_edits(asked, name.lstrip("-"), exchanges=True), name) for name in known
    )
    same_ends = (asked[:1], asked[-1:]) == (name.lstrip("-")[:1], name[-1:])
    most = 2 if len(asked) >= _LONGER else int(len(asked) >= _LONG or same_ends)
    return f"; the nearest is {name}" if edits <= most else ""

"""Show the help of commands: what people use first, with examples; `--help-all` shows the rest."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from typing import Any

from segscore.jobs.cli.format_help import introduction, options_of_format
from segscore.jobs.cli.help_texts import COMMON, EXAMPLES, FIRST, FURTHER, LINES

_NAMES = 24
"""Number of columns for the name of an option, beside what it does."""

OF_ALL = {"--settings", "--log-format"}
"""Options of every command, which `segscore --help` explains."""

_NO_BREAK = "\N{NO-BREAK SPACE}"

_SENTENCE = re.compile(r"(?<=[^.]\.) (?=[A-Za-z1])")
"""End of a sentence of the text about an option; `--help` shows the first sentence."""


def command_page(command: Any, context: Any, width: int, *, whole: bool) -> Iterator[str]:
    """Yield the lines of the help of a command.

    Args:
        command: the command, as Typer has it.
        context: its context.
        width: number of columns.
        whole: whether all options are shown, under their headings.
    """
    name = command.name
    arguments, options = records_of(command, context, whole=whole)
    common = COMMON.get(name, ())
    yield f"Usage: {_usage(command, context)}"
    yield ""
    yield from _paragraphs(command.help or "", width)
    if name in EXAMPLES:
        yield from ("", "Examples:")
        yield from (f"  segscore {command_line(name)} {example}" for example in EXAMPLES[name])
    if arguments:
        yield from ("", "Arguments:")
        for record in arguments:
            yield from _entry(record, width)
    listed = whole or not common
    panels: dict[str, list[Any]] = {}
    for panel, flags, record in options:
        if listed or flags & {*common}:
            heading = panel if listed and panel else "Options"
            panels.setdefault(heading, []).append((flags, record))
    for heading, records in panels.items():
        yield from ("", f"{heading}:")
        ordered = records if listed else sorted(records, key=lambda each: _place(each[0], common))
        for _, record in ordered:
            yield from _entry(record, width)
    if not listed:
        more = len(options) - sum(map(len, panels.values()))
        yield from ("", f"{more} more options: segscore {command_line(name)} --help-all")
    if whole and command.rare:
        yield from ("", "Seldom needed, as --NAME or in a settings file (docs/options.md):")
        yield from _listed((flag.removeprefix("--") for flag in command.rare.values()), width)
    yield from ("", "Every command also has --settings FILE and --log-format json.")


def format_page(command: Any, context: Any, width: int, name: str) -> Iterator[str]:
    """Yield the lines of the help of a command for one format: the options that its reader reads.

    Args:
        command: `import` or `answers`, as Typer has it.
        context: its context.
        width: number of columns.
        name: the format.
    """
    _, options = records_of(command, context, hidden=True, whole=False)
    by_flag = {flag: record for _, flags, record in options for flag in flags}
    for line in introduction(name, command):
        yield from textwrap.wrap(line, width) or [""]
    yield from ("", "Options:")
    for flag in options_of_format(name, [*by_flag], COMMON[command.name]):
        yield from _entry(by_flag[flag], width)


def group_page(context: Any, width: int) -> Iterator[str]:
    """Yield the lines of the help of segscore: its commands, the first with a line each."""
    group = context.command
    yield "Usage: segscore COMMAND [OPTIONS]"
    yield ""
    yield from _paragraphs(group.help or "", width)
    yield from ("", "Commands:")
    for name in FIRST:
        yield from _entry((name, group.commands[name].get_short_help_str(400)), width, names=8)
    yield from ("", "More commands:")
    yield from _listed(dict.fromkeys(command_line(name).split()[0] for name in FURTHER), width)
    yield from ("", "Options:")
    for _, _, record in records_of(group, context)[1]:
        yield from _entry(record, width)
    yield from ("", "Options of every command:")
    for _, flags, record in records_of(group.commands[FIRST[0]], context, hidden=True)[1]:
        if flags & OF_ALL:
            yield from _entry(record, width)
    yield from ("", "segscore COMMAND --help shows examples and the common options of a command.")


def family_page(context: Any, family: str, width: int) -> Iterator[str]:
    """Yield the lines of the help of commands of two words, the first of which they share."""
    yield f"Usage: segscore {family} COMMAND [OPTIONS]"
    yield from ("", "Commands:")
    for name, line in LINES.items():
        if line.startswith(f"{family} "):
            text = context.command.commands[name].get_short_help_str(400)
            yield from _entry((line, text), width)


def command_line(name: str) -> str:
    """Return how a command is called, such as `simulate power`."""
    return LINES.get(name, name)


def print_page(lines: Iterable[str]) -> None:
    """Print the lines of a page; headings are bold, and names of options are in color."""
    from rich.text import Text

    from segscore.jobs.show.fitted import out

    for line in lines:
        text = Text(line)
        if line.endswith(":") and not line.startswith(" "):
            text.stylize("bold")
        else:
            text.highlight_regex(r"(?<![\w-])--[a-z][a-z-]*", "cyan")
        out().print(text)


def _usage(command: Any, context: Any) -> str:
    """Return the usage line, with the options that are required."""
    arguments = [each for each in command.get_params(context) if each.param_type_name == "argument"]
    names = [(each.name or "").upper() + "..." * (each.nargs != 1) for each in arguments]
    required = [
        f"{each.opts[0]} TEXT"
        for each in command.get_params(context)
        if each.param_type_name == "option" and each.required
    ]
    called = f"segscore {command_line(command.name)}"
    return " ".join([called, *names, *required, "[OPTIONS]"])


def records_of(
    command: Any, context: Any, *, hidden: bool = False, whole: bool = True
) -> tuple[list[Any], list[tuple[str, set[str], Any]]]:
    """Return what is to be shown of arguments, and of options with their headings and flags.

    Args:
        command: the command, as Typer has it.
        context: its context.
        hidden: whether options are returned that `--help` does not list, too.
        whole: whether texts are whole; otherwise they end with their first sentence.
    """
    arguments: list[Any] = []
    options = []
    for each in command.get_params(context):
        shown = copy(each)
        shown.hidden = getattr(each, "hidden", False) and not hidden
        record = shown.get_help_record(context)
        if record is None:
            continue
        if each.param_type_name == "argument":
            arguments.append(((each.name or "").upper(), each.help or ""))
        else:
            panel = getattr(each, "rich_help_panel", None)
            text, default, values = record[1].partition("  [")
            said = text if whole else _SENTENCE.split(text)[0]
            text = f"{said}{default[1:]}{values}".replace("  [", " [").replace("\\[", "[")
            options.append((panel or "", {*each.opts}, (_name_of(each, record[0]), text)))
    return arguments, options


def _name_of(option: Any, text: str) -> str:
    """Return how an option is written: its name, and a word for its value."""
    short = [name for name in option.opts if not name.startswith("--")]
    name = next(name for name in option.opts if name.startswith("--"))
    flags = ", ".join(["/".join([name, *option.secondary_opts[:1]]), *short])
    if option.is_flag:
        return flags
    is_number = any(word in text.rpartition("<")[2] for word in ("int", "float"))
    return f"{flags} {option.metavar or ('NUMBER' if is_number else 'TEXT')}"


def _place(flags: set[str], common: Sequence[str]) -> int:
    return min(place for place, flag in enumerate(common) if flag in flags)


def _paragraphs(text: str, width: int) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        yield from textwrap.wrap(" ".join(paragraph.replace("\\[", "[").split()), width)


def _listed(names: Iterable[str], width: int) -> Iterator[str]:
    """Yield lines of names that are separated by commas; a name stays on one line."""
    whole = (name.replace(" ", _NO_BREAK) for name in names)
    lines = textwrap.wrap(", ".join(whole), width - 2, break_on_hyphens=False)
    yield from (f"  {line.replace(_NO_BREAK, ' ')}" for line in lines)


def _entry(record: tuple[str, str], width: int, names: int = _NAMES) -> Iterator[str]:
    """Yield a name and, beside it or below it, what it means."""
    name, text = record
    lines = textwrap.wrap(
        text, max(20, width - names - 4), break_long_words=False, break_on_hyphens=False
    ) or [""]
    if len(name) > names:
        yield f"  {name}"
    else:
        yield f"  {name:<{names}}  {lines.pop(0)}".rstrip()
    yield from (f"{'':{names + 4}}{line}" for line in lines)

"""The command `segscore`, whose commands are each imported only to run or to show their help."""

import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException

from segscore.jobs.cli import startup
from segscore.jobs.cli.encoding import replace_unprintable
from segscore.jobs.cli.failures import end_on_sigterm, explain_usage, in_one_line
from segscore.jobs.cli.format_help import asked_format
from segscore.jobs.cli.help_page import (
    command_line,
    command_page,
    family_page,
    format_page,
    group_page,
    print_page,
)
from segscore.jobs.cli.help_texts import FIRST, FURTHER, OLD_NAMES, UNLISTED
from segscore.jobs.cli.log import LOG, LOG_FORMATS
from segscore.jobs.cli.signature import build_command, optional_values, rare_options
from segscore.jobs.show.quiet import OUTPUT
from segscore.pipeline.errors import Refused, nearest

COMMANDS = (*FIRST, *FURTHER, *UNLISTED)
"""Names of the commands, in the order of the help text; each has a module of jobs/ of its own."""

_MODULES = {"import": "import_", "show": "show_run"}
"""Command -> its module, where a keyword or a package has the name."""

_OLD_NAME = "segscore.old-name"
"""Key of the old name by which a command was called, in the data that contexts share."""

_WHOLE = "--help-all"
"""Option of every command: show all its options, under headings."""

_OTHER_SPELLINGS = {
    "--measure": "--measures", "--measures": "--measure", "--nights": "--last", "--output": "-o",
}  # fmt: skip
"""Options that are also accepted under another name."""

_HELP = {"help_option_names": ["--help", "-h"]}
"""Setting of Click: the names of the option that shows help."""


class CommandGroup(TyperGroup):
    """The group of all commands."""

    def __init__(self, **settings: Any) -> None:
        """Create the group; ``settings`` are Typer's."""
        super().__init__(**settings)
        self.commands = _Commands()  # type: ignore[assignment]

    def invoke(self, ctx: Any) -> Any:
        """Run a command.

        Raises:
            Refused: the command line has a wrong option or argument.
        """
        try:
            return super().invoke(ctx)
        except TyperException as problem:
            raise Refused(explain_usage(problem, ctx)) from problem

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command by one word or two, such as `simulate power`, or by its old name."""
        name, *rest = args
        if name == "simulate":
            if rest[:1] in (["--help"], ["-h"]):
                print_page(family_page(ctx, name, ctx.make_formatter().width))
                ctx.exit()
            name, rest = _simulation(rest)
        elif name == "trend" and "--table" in rest:
            name = "trend-table"
            rest.remove("--table")
        if name in OLD_NAMES:
            ctx.meta[_OLD_NAME], name = name, OLD_NAMES[name]
        return super().resolve_command(ctx, [name, *rest])

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the commands, and the options of all of them."""
        print_page(group_page(ctx, formatter.width))


def _simulation(words: list[str]) -> tuple[str, list[str]]:
    """Return the command that `simulate` and the next word name, and the words after them.

    Raises:
        Refused: there is no further word.
    """
    if not words or words[0].startswith("-"):
        raise Refused(
            "simulate: what? `segscore simulate coders CODINGS`, `simulate power RUN` or "
            "`simulate values REFERENCES`, each of which has --help"
        )
    name = f"simulate-{words[0]}"
    if name not in FURTHER and words[0].isalpha() and not os.path.exists(words[0]):
        raise Refused(f"simulate {words[0]}: there are coders, power and values to simulate")
    return (name, words[1:]) if name in FURTHER else ("simulate", words)


class _Commands(Mapping[str, Any]):
    """Commands by name, each imported when it is looked up for the first time."""

    def __getitem__(self, name: str) -> Any:
        if name not in COMMANDS:
            raise KeyError(name)
        return _load(name)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class _Command(TyperCommand):
    """A command, some of whose options may be given without a value.

    Attributes:
        optional: these options, each with its values, the first of which is meant without one.
        rare: the options that are seldom needed, by name; `--set` sets them.
    """

    optional: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    rare: Mapping[str, str] = MappingProxyType({})

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read a command line, in which options have the values that they were not given."""
        if _WHOLE in args[: args.index("--") if "--" in args else None]:
            print_page(command_page(self, ctx, ctx.make_formatter().width, whole=True))
            ctx.exit()
        if (name := asked_format(self.name or "", args)) is not None:
            print_page(format_page(self, ctx, ctx.make_formatter().width, name))
            ctx.exit()
        args = [*self._with_rare(args)] if self.rare else args
        following = [*args[1:], ""]
        complete = [
            f"{arg}={self.optional[arg][0]}"
            if arg in self.optional and following[i] not in self.optional[arg]
            else arg
            for i, arg in enumerate(args)
        ]
        return super().parse_args(ctx, complete)

    def invoke(self, ctx: Any) -> Any:
        """Run the command, and say its name if it was called by an old one."""
        if (old := ctx.meta.get(_OLD_NAME)) is not None:
            LOG.remark(f"`segscore {old}` is now `segscore {command_line(self.name or '')}`")
        return super().invoke(ctx)

    def _with_rare(self, args: list[str]) -> Iterator[str]:
        """Yield the words of a command line, in which `--set NAME=VALUE` is `--name=VALUE`.

        Raises:
            Refused: there is no such name, or no value.
        """
        words = iter(args)
        for word in words:
            option, equals, text = word.partition("=")
            if option != "--set":
                yield word
                continue
            text = text if equals else next(words, "")
            name, equals, value = text.partition("=")
            flag = self.rare.get(name.strip().removeprefix("--").replace("-", "_"))
            if flag is None or not equals:
                raise Refused(
                    f"--set {text}: must be NAME=VALUE, with NAME one of {', '.join(self.rare)}"
                    f"{nearest(name, self.rare)}"
                )
            yield f"{flag}={value}"

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print examples and the options that people use most; of few options, all of them."""
        print_page(command_page(self, ctx, formatter.width, whole=False))

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Complete a word; of an option with two names, only the first is proposed."""
        others = {name for parameter in self.params for name in parameter.opts[1:]}
        found = super().shell_complete(ctx, incomplete)
        return [item for item in found if item.value not in others]


def function_of(name: str) -> Any:
    """Import the function of a command."""
    python_name = _MODULES.get(name, name.replace("-", "_"))
    return getattr(import_module(f"segscore.jobs.{python_name}"), python_name)


@cache
def _load(name: str) -> Any:
    function = function_of(name)
    alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
    alone.command(name, cls=_Command, context_settings=_HELP)(in_one_line(build_command(function)))
    command = typer.main.get_command(alone)
    assert isinstance(command, _Command)
    for parameter in command.params:
        parameter.opts += [_OTHER_SPELLINGS[n] for n in parameter.opts if n in _OTHER_SPELLINGS]
    command.optional, command.rare = optional_values(function), rare_options(function)
    return command


app = typer.Typer(
    name="segscore",
    cls=CommandGroup,
    no_args_is_help=True,
    context_settings=_HELP,
    pretty_exceptions_show_locals=False,
    rich_markup_mode="rich",
)


def show_version(requested: bool) -> None:
    """Print the installed version, with its commit if that is known, and exit."""
    if requested:
        from importlib.metadata import version

        from segscore.pipeline.runs.commit import find_commit

        commit = find_commit()
        of_commit = "" if commit is None else f" (commit {commit})"
        print(f"segscore {version('segscore')}{of_commit}")
        raise typer.Exit


def stay_offline(context: typer.Context, requested: bool) -> None:
    """Let the command, and the processes that it starts, use nothing but disks."""
    if requested:
        from segscore.pipeline.storage.object_stores import offline

        context.with_resource(offline())


@app.callback()
def segscore(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            "-V",
            is_eager=True,
            callback=show_version,
            help="Show the version and the commit, and exit.",
        ),
    ] = False,
    offline: Annotated[
        bool,
        typer.Option(
            "--offline",
            callback=stay_offline,
            help="Read and write nothing but disks of this machine, as with SEGSCORE_OFFLINE=1.",
        ),
    ] = False,
) -> None:
    """Score text segmentations: exact, cited, at any size."""


def _run() -> None:
    """Run the command of the command line.

    Raises:
        Refused: an argument has bytes that are no text in the encoding of the locale.
    """
    for argument in sys.argv[1:]:
        if any("\ud800" <= character <= "\udfff" for character in argument):
            raise Refused(
                f"{argument!a}: is not text in the encoding of this locale "
                f"({sys.getfilesystemencoding()}); set LC_ALL to a UTF-8 locale, such as C.UTF-8"
            )
    app()


def main() -> None:
    """Run the command line."""
    end_on_sigterm()
    startup.do_without_home()
    replace_unprintable()
    LOG.format, OUTPUT.verdict_only = LOG_FORMATS[0], False
    try:
        in_one_line(_run, begins_work=False)()
    finally:
        startup.leave()

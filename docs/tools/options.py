"""The reference page of options, from the declarations that make `--help`."""

from collections.abc import Iterator
from typing import Any

from segscore.jobs.cli.help_page import command_line, records_of

_HEAD = """\
<!-- Written by `make docs` from the commands; change it there. -->

# Options

Every option of every command, from the declarations that make `segscore COMMAND --help`. Options
that are seldom needed are explained only here; `--help-all` names them. Every command also has
`--settings FILE`, a [settings file](runs.md#settings-from-a-file) in which an option is a key
without its dashes, and `--log-format json`. [Runs](runs.md) explains `--output`, `--cluster`,
`--workers`, `--memory-limit`, `--explain-plan` and `--fresh`.
"""


def page() -> str:
    """Return the text of docs/options.md."""
    import typer

    from segscore.jobs.cli.app import app

    group: Any = typer.main.get_command(app)
    with typer.Context(group, **group.context_settings) as context:
        parts = (part for each in group.commands.values() for part in _command(each, context))
        return "\n".join([_HEAD, *parts])


def _command(command: Any, context: Any) -> Iterator[str]:
    """Yield the section of a command: a row for each option, and then for the seldom needed."""
    arguments, listed = records_of(command, context)
    rare = {*command.rare.values()}
    yield f"## segscore {command_line(command.name)}\n"
    yield "| option | meaning |\n|---|---|"
    yield from (_row(name, text) for name, text in arguments)
    yield from (_row(*row) for _, flags, row in listed if "--help" not in flags)
    yield ""
    if rare:
        yield "Seldom needed:\n\n| option | meaning |\n|---|---|"
        every = records_of(command, context, hidden=True)[1]
        yield from (_row(*row) for _, flags, row in every if flags & rare)
        yield ""


def _row(name: str, text: str) -> str:
    """Return a row of a table; a bar within a cell must not end it."""
    cells = f"`{name}`", text.replace("|", r"\|").replace("<", r"\<").replace("*", r"\*")
    return f"| {cells[0]} | {cells[1]} |"

"""The reference page of options, from the declarations that make `--help`."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, MutableMapping
from typing import Any

from segscore.jobs.cli.help_page import command_line, records_of

_HEAD = """\
<!-- Written by `make docs` from the commands; change it there. -->

# Options

Every option of every command, from the declarations that make `segscore COMMAND --help`. Options
that are seldom needed are explained only here; `--help-all` names them. Every command also has
`--settings FILE`, a [settings file](runs.md#settings-from-a-file) in which an option is a key
without its dashes, and `--log-format json`. An option that means the same in several commands is
explained at the first. [Runs](runs.md) explains `--output`, `--cluster`,
`--workers`, `--memory-limit`, `--explain-plan` and `--fresh`.
"""


def page() -> str:
    """Return the text of docs/options.md."""
    import typer

    from segscore.jobs.cli.app import app

    group: Any = typer.main.get_command(app)
    with typer.Context(group, **group.context_settings) as context:
        known: dict[tuple[str, str], str] = {}
        parts = (
            part for each in group.commands.values() for part in _command(each, context, known)
        )
        return "\n".join([_HEAD, *parts])


_Known = MutableMapping[tuple[str, str], str]
"""Option and its text -> the first command that has it."""


def _command(command: Any, context: Any, known: _Known) -> Iterator[str]:
    """Yield the section of a command: a row for each option, and then for the seldom needed."""
    arguments, listed = records_of(command, context)
    rare, name = {*command.rare.values()}, command_line(command.name)
    every = records_of(command, context, hidden=True)[1]
    yield f"## segscore {name}\n"
    rows = [row for _, flags, row in listed if "--help" not in flags]
    yield from _table([*arguments, *rows], name, known)
    if rare:
        yield "Seldom needed:\n"
        yield from _table([row for _, flags, row in every if flags & rare], name, known)


def _table(rows: Iterable[tuple[str, str]], command: str, known: _Known) -> Iterator[str]:
    """Yield a row for each option that no earlier command has, and say where the others are."""
    here, elsewhere = [], defaultdict(list)
    for row in rows:
        first = known.setdefault(row, command)
        if first == command:
            here.append(_row(*row))
        else:
            elsewhere[first].append(f"`{row[0].split()[0].rstrip(',')}`")
    if here:
        yield "\n".join(["| option | meaning |", "|---|---|", *here, ""])
    for first, names in elsewhere.items():
        yield f"As in [{first}](#segscore-{first.replace(' ', '-')}): {', '.join(names)}.\n"


def _row(name: str, text: str) -> str:
    """Return a row of a table; a bar within a cell must not end it."""
    cells = f"`{name}`", text.replace("|", r"\|").replace("<", r"\<").replace("*", r"\*")
    return f"| {cells[0]} | {cells[1]} |"

"""The commands of `segscore`, each imported only when it runs or its help is shown."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from segscore.jobs.cli.failures import in_one_line
from segscore.jobs.cli.signature import build_command
from segscore.jobs.cli.usage import explain_usage
from segscore.pipeline.errors import Refused

COMMANDS = (
    "import",
    "project",
    "validate",
    "score",
    "compare",
    "reconcile",
    "agree",
    "consensus",
    "sweep",
    "explain",
    "export",
    "nightly",
    "history",
    "trend",
    "report",
    "simulate",
    "calibrate",
    "measures",
    "testsets",
    "status",
)
"""Names of the commands, in the order of the help text; each has a module of jobs/ of its own."""


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


class _Commands(Mapping[str, Any]):
    """Commands by name, each imported when it is looked up for the first time."""

    def __init__(self) -> None:
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in COMMANDS:
            raise KeyError(name)
        if name not in self._loaded:
            self._loaded[name] = _load(name)
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


def _load(name: str) -> Any:
    python_name = name if name != "import" else "import_"  # a keyword cannot name a module
    function = getattr(import_module(f"segscore.jobs.{python_name}"), python_name)
    alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
    alone.command(name)(in_one_line(build_command(function)))
    return typer.main.get_command(alone)

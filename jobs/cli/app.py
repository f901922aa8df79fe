"""The command `segscore`."""

import sys
from typing import Annotated

import typer

from segscore.jobs.cli import startup
from segscore.jobs.cli.commands import CommandGroup
from segscore.jobs.cli.encoding import replace_unprintable
from segscore.jobs.cli.failures import end_on_sigterm, in_one_line
from segscore.jobs.cli.log import LOG, LOG_FORMATS
from segscore.pipeline.errors import Refused

app = typer.Typer(
    name="segscore",
    cls=CommandGroup,
    no_args_is_help=True,
    pretty_exceptions_show_locals=False,
    rich_markup_mode="rich",
)


def show_version(requested: bool) -> None:
    """Print the installed version and exit."""
    if requested:
        from importlib.metadata import version

        print(f"segscore {version('segscore')}")
        raise typer.Exit


@app.callback()
def segscore(
    version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=show_version, help="Show the version and exit."
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
    startup.rest()
    replace_unprintable()
    LOG.format = LOG_FORMATS[0]
    try:
        in_one_line(_run, begins_work=False)()
    finally:
        startup.leave()

"""The command `segscore`; heavy imports happen inside the command that needs them."""

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import Annotated

import typer

from segscore.jobs.agree import agree
from segscore.jobs.cli import garbage
from segscore.jobs.cli.log import LOG, LOG_FORMATS
from segscore.jobs.cli.signature import build_command
from segscore.jobs.compare import compare
from segscore.jobs.explain import explain
from segscore.jobs.history import history
from segscore.jobs.import_ import import_
from segscore.jobs.measures import measures
from segscore.jobs.nightly import nightly
from segscore.jobs.report import report
from segscore.jobs.score import score
from segscore.jobs.simulate import simulate
from segscore.jobs.status import status
from segscore.jobs.sweep import sweep
from segscore.jobs.validate import validate

app = typer.Typer(
    name="segscore",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
    rich_markup_mode="rich",
)


def show_version(asked: bool) -> None:
    """Print the installed version and exit."""
    if asked:
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


def told(command: Callable[..., object]) -> Callable[..., None]:
    """Turn every expected failure of a command into a one-line message and an exit code."""
    from segscore.pipeline.errors import Done, Failed, Refused

    @wraps(command)
    def run(*arguments: object, **options: object) -> None:
        try:
            outcome = command(*arguments, **options)
            if isinstance(outcome, Done):
                print(outcome.message)
        except Refused as problem:
            fail(str(problem), 2)
        except BrokenPipeError:
            # The reader of the output has closed it; all files have been written.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except (Failed, OSError) as problem:
            fail(str(problem), 1)
        except KeyboardInterrupt:
            fail("interrupted; nothing was published; the same command goes on", 130)

    return run


def fail(message: str, code: int) -> None:
    """Log a one-line error message and exit with a code."""
    LOG.say("error", message, exit_code=code)
    sys.exit(code)


app.command("import")(told(build_command(import_)))
for command in (
    validate,
    score,
    compare,
    agree,
    sweep,
    explain,
    nightly,
    history,
    report,
    simulate,
    measures,
    status,
):
    app.command()(told(build_command(command)))


def main() -> None:
    """Run the command line."""
    garbage.rest()
    LOG.format = LOG_FORMATS[0]
    try:
        told(app)()
    finally:
        garbage.leave()

"""The command `segscore`; heavy imports happen inside the command that needs them."""

import sys

import typer

from jobs import collector
from jobs.import_ import import_
from jobs.measures import measures
from jobs.score import score
from jobs.status import status
from jobs.validate import validate

app = typer.Typer(
    name="segscore",
    help="Score text segmentations: exact, cited, at any size.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
    rich_markup_mode="rich",
)
app.command("import")(import_)
for command in (validate, score, measures, status):
    app.command()(command)


def main() -> None:
    """Run the command line; every expected failure is one line and an exit code."""
    from pipeline.errors import Failed, Refused

    collector.rest()
    try:
        app(standalone_mode=True)
    except Refused as problem:
        fail(str(problem), 2)
    except Failed as problem:
        fail(str(problem), 1)
    except KeyboardInterrupt:
        fail("interrupted; nothing was published", 130)
    finally:
        collector.leave()


def fail(message: str, code: int) -> None:
    """Say in one line what went wrong, and leave with an exit code."""
    print(f"segscore: error: {message}", file=sys.stderr)
    sys.exit(code)

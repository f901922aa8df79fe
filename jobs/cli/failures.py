"""What the command line prints when a command fails, and its exit codes."""

import os
import sys
from collections.abc import Callable, Mapping
from functools import wraps
from types import MappingProxyType
from typing import Any

from segscore.jobs.cli.interruption import raise_again
from segscore.jobs.cli.log import LOG
from segscore.pipeline.errors import Done, Failed, Refused
from segscore.pipeline.plain_text import redacted, visible

NO_FIELDS: Mapping[str, Any] = MappingProxyType({})


def in_one_line(command: Callable[..., object], *, begins_work: bool = True) -> Callable[..., None]:
    """Turn every expected failure of a command into a one-line message and an exit code.

    Args:
        command: the command, or what finds it and runs it.
        begins_work: whether an interruption ends work in order from here on.
    """

    @wraps(command)
    def run(*arguments: object, **options: object) -> None:
        if begins_work:
            raise_again()
        try:
            outcome = command(*arguments, **options)
            if isinstance(outcome, Done):
                print(visible(redacted(outcome.message), lines=True))
        except Refused as problem:
            fail(str(problem), 2, problem.fields)
        except BrokenPipeError:
            # The reader of the output has closed it; all files have been written.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        except Failed as problem:
            fail(str(problem), problem.exit_code, problem.fields)
        except OSError as problem:
            fail(str(problem), 1)
        except KeyboardInterrupt:
            fail("interrupted; finished parts are kept: run the same command to resume", 130)

    return run


def fail(message: str, code: int, fields: Mapping[str, Any] = NO_FIELDS) -> None:
    """Log a one-line error message with data for programs, and exit with a code."""
    LOG.say("error", message, **{**fields, "exit_code": code})
    sys.exit(code)

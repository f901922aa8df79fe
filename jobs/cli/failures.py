"""Print failures and interruptions of commands, and choose exit codes."""

import os
import re
import select
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from functools import wraps
from types import MappingProxyType
from typing import Any

from segscore.jobs.cli.help_texts import LINES, SYNONYMS
from segscore.jobs.cli.interruption import raise_again
from segscore.jobs.cli.log import LOG, discard
from segscore.jobs.cli.option_meant import option_meant
from segscore.pipeline.errors import Done, Failed, NotYet, Refused, nearest, place_and_reason
from segscore.pipeline.plain_text import redacted, visible

NO_FIELDS: Mapping[str, Any] = MappingProxyType({})

TERMINATED = 128 + signal.SIGTERM
"""Exit code of a command that was stopped by SIGTERM, as shells define it."""

_MESSAGE = "stopped by SIGTERM; finished parts of a run are kept: run the same command to resume"

_RUNS = "segscore.pipeline.runs.finished"
"""Module of the runs that commands read, which is imported only if one does."""

_CONTRADICTIONS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What is raised if values do not fit together, by a mistake of segscore or a damaged table."""

_KINDS = {"int_parsing": "an integer", "float_parsing": "a number"}
"""Why pydantic refuses a value -> what the value must be."""

_UNKNOWN_COMMAND = re.compile(r"No such command '(.*?)'\.")

_EXTRA = re.compile(r"got unexpected extra argument\(s\) \((.*)\)", re.IGNORECASE)

_OTHER_NAME = re.compile(r"(?<=') / '--?[a-z-]+'")


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
        if finished := sys.modules.get(_RUNS):
            finished.OPENED.clear()
        try:
            outcome = command(*arguments, **options)
            if isinstance(outcome, Done):
                print(visible(redacted(outcome.message), lines=True))
        except BrokenPipeError as problem:
            if _is_read(sys.stdout.fileno()):
                fail(str(problem), 1)
            # The reader of the output has closed it; all files have been written.
            discard(sys.stdout)
        except (Failed, OSError, *_CONTRADICTIONS) as problem:
            _explain(problem)
            raise
        except KeyboardInterrupt:
            fail("interrupted; finished parts are kept: run the same command to resume", 130)

    return run


def _explain(problem: Exception) -> None:
    """End the command with the line of a failure, unless it is a mistake of segscore."""
    if isinstance(problem, Refused):
        fail(str(problem), 2, problem.fields)
    if isinstance(problem, NotYet):
        fail(str(problem), problem.exit_code, problem.fields, level="warning")
    if isinstance(problem, Failed):
        fail(str(problem), problem.exit_code, problem.fields)
    if isinstance(problem, OSError):
        fail(place_and_reason(problem), 1)
    if finished := sys.modules.get(_RUNS):
        from segscore.api.output_tables import TABLES

        schemas = {table.name: table.schema for table in TABLES if table.command}
        if damage := finished.describe_damage(schemas):
            fail(damage, 2)


def _is_read(file: int) -> bool:
    """Whether the other end of a pipe is still open; true of a file."""
    poll = select.poll()
    poll.register(file, 0)
    return not poll.poll(0)


def fail(
    message: str, code: int, fields: Mapping[str, Any] = NO_FIELDS, *, level: str = "error"
) -> None:
    """Log a one-line message with data for programs, and exit with a code."""
    LOG.say(level, message, **{**fields, "exit_code": code})
    sys.exit(code)


def end_on_sigterm() -> None:
    """End the process on SIGTERM, even if it is process 1 of a container.

    It ends without waiting for the parts that it works on, as if it were killed: what is complete
    is already on disk or in the store, and everything else is repeated.
    """
    signal.signal(signal.SIGTERM, lambda *_: threading.Thread(target=_stop, daemon=True).start())


def _stop() -> None:
    """Print the message and end the process; in a thread, because the main one may be printing."""
    try:
        LOG.say("error", _MESSAGE, exit_code=TERMINATED)
        sys.stderr.flush()
    finally:  # also if nobody reads standard error any more
        os._exit(TERMINATED)


def explain_usage(problem: Any, context: Any) -> str:
    """Say which option or argument is wrong, its value, and what is allowed."""
    command = context.invoked_subcommand or ""
    path = f"segscore {LINES.get(command, command)}".rstrip()
    cause = problem.__cause__
    if hasattr(problem, "possibilities"):
        explanation = _explain_unknown(problem.option_name, context.command.commands, command)
    elif hasattr(cause, "errors"):
        explanation = _explain_value(problem.param.opts[0], cause.errors()[0])
    else:
        text = problem.format_message()
        if unknown := _UNKNOWN_COMMAND.match(text):
            return _explain_unknown_command(unknown[1], context.command.commands)
        text = text.rstrip(".")
        extra = _EXTRA.fullmatch(text)
        explanation = _OTHER_NAME.sub("", text[:1].lower() + text[1:])
        if extra:
            explanation = _explain_extra(extra[1], context.command.commands[command], path)
        elif command == "nightly" and explanation.startswith("missing option"):
            explanation += "; give it, or a settings file that names it with --settings"
    return f"{explanation}; see `{path} --help`"


def _explain_extra(extra: str, command: Any, path: str) -> str:
    """Say that arguments are too many; if they are files, that a glob was not quoted."""
    names = [one.name.upper() for one in command.params if one.param_type_name == "argument"]
    if not names or not any(letter in extra for letter in "/."):
        return f"{extra}: unexpected argument"
    return (
        f"{extra}: unexpected argument; `{path}` takes one {' and one '.join(names)}: quote the "
        "glob, which the shell replaces by several files otherwise, or name the folder"
    )


def _explain_unknown_command(name: str, commands: Any) -> str:
    """Say that there is no such command, and which one is meant."""
    meant = SYNONYMS.get(name)
    near = f"; the command is {meant}" if meant else nearest(name, commands)
    return f"{name}: no such command{near}; see `segscore --help`"


def _explain_unknown(option: str, commands: Any, command: str) -> str:
    """Say that a command has no such option, and what there is instead, here or elsewhere."""
    options = {name: _options(commands[name]) for name in commands}
    arguments = [one.name for one in commands[command].params if one.param_type_name == "argument"]
    unknown = f"{option}: `segscore {LINES.get(command, command)}` has no such option"
    return unknown + option_meant(option, command, options, arguments)


def _options(command: Any) -> dict[str, str]:
    """Return the options of a command, such as --n-t, and what its help says of each."""
    return {
        name: one.help or ""
        for one in command.params
        if one.param_type_name == "option"
        for name in one.opts
        if name.startswith("--")
    }


def _explain_value(option: str, error: Any) -> str:
    """Say what a value must be that pydantic refuses."""
    expected = error["msg"]
    if error["type"] in _KINDS:
        expected = f"must be {_KINDS[error['type']]}"
    elif error["type"] == "greater_than_equal":
        expected = f"must be at least {error['ctx']['ge']}"
    return f"{option} {error['input']}: {expected}"

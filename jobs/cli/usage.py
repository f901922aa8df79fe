"""Explain in one line what is wrong with a command line."""

import re
from typing import Any

from segscore.pipeline.errors import nearest

_KINDS = {"int_parsing": "an integer", "float_parsing": "a number"}
"""Why pydantic refuses a value -> what the value must be."""

_EXTRA = re.compile(r"got unexpected extra argument\(s\) \((.*)\)", re.IGNORECASE)

_OTHER_NAME = re.compile(r"(?<=') / '--[a-z-]+'")


def explain_usage(problem: Any, context: Any) -> str:
    """Say which option or argument is wrong, its value, and what is allowed.

    Args:
        problem: the error of Typer.
        context: Typer's context of the group of all commands.
    """
    command = context.invoked_subcommand or ""
    path = f"segscore {command}".rstrip()
    cause = problem.__cause__
    if hasattr(problem, "possibilities"):
        explanation = _explain_unknown(problem.option_name, context.command.commands, command)
    elif hasattr(cause, "errors"):
        explanation = _explain_value(problem.param.opts[0], cause.errors()[0])
    else:
        text = problem.format_message().rstrip(".")
        if text.endswith("?"):
            return str(text)
        extra = _EXTRA.fullmatch(text)
        explanation = _OTHER_NAME.sub("", text[:1].lower() + text[1:])
        if extra:
            explanation = _explain_extra(extra[1], context.command.commands[command], path)
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


def _explain_unknown(option: str, commands: Any, command: str) -> str:
    """Say that a command has no such option, and what there is instead."""
    unknown = f"{option}: `segscore {command}` has no such option"
    if command == "nightly" and option in _options(commands["score"]):
        return f"{unknown}; set {option.removeprefix('--')} in the table [score] of --settings"
    return unknown + nearest(option, _options(commands[command]))


def _options(command: Any) -> list[str]:
    """Return the options of a command, such as --n-t."""
    return [text for one in command.params for text in one.opts if text.startswith("--")]


def _explain_value(option: str, error: Any) -> str:
    """Say what a value must be that pydantic refuses."""
    expected = error["msg"]
    if error["type"] in _KINDS:
        expected = f"must be {_KINDS[error['type']]}"
    elif error["type"] == "greater_than_equal":
        expected = f"must be at least {error['ctx']['ge']}"
    return f"{option} {error['input']}: {expected}"

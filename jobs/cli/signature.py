"""Build commands from settings: each field of a settings class becomes an argument or option."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, wraps
from keyword import iskeyword
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import typer

from segscore.jobs.cli.help_texts import WITH_VERDICT
from segscore.jobs.cli.options import LogFormat, SettingsFile
from segscore.jobs.show.quiet import Quiet
from segscore.pipeline.errors import Refused
from segscore.pipeline.settings.options import (
    Argument,
    Option,
    Panel,
    Shown,
    name_of_option,
    options_of,
)
from segscore.pipeline.settings.ranges import comma_separated

_T = TypeVar("_T")
_COMMON_OPTIONS = {"settings": (SettingsFile, None), "log_format": (LogFormat, "text")}
"""Options of every command, with their defaults; they take effect while they are parsed."""

_OF_VERDICTS = {"quiet": (Quiet, False)}
"""Options of the commands that end with a verdict."""


def build_command(command: Callable[..., _T]) -> Callable[..., _T]:
    """Make a command that Typer can read from a function whose parameters may be settings.

    A parameter whose type is a settings class is replaced by the arguments and options of its
    fields; ``Shown`` says which of them `--help` lists.  Every command gets `--settings` and
    `--log-format`, one with rare options `--set`, none of which its `--help` lists.
    """
    hints = get_type_hints(command, include_extras=True)
    signature = inspect.signature(command).parameters
    classes = settings_of(command)
    parameters: list[inspect.Parameter] = []
    for name, parameter in signature.items():
        if name in classes:
            parameters += _shown_parameters(*classes[name])
        else:
            parameters.append(_parameter(name, hints[name], parameter.default))
    if rare_options(command):
        parameters.append(_set_parameter())
    common = {**_COMMON_OPTIONS, **(_OF_VERDICTS if command.__name__ in WITH_VERDICT else {})}
    parameters += [_parameter(name, *option) for name, option in common.items()]
    parameters.sort(key=_panel)

    @wraps(command)
    def run(**options: Any) -> _T:
        return command(
            **{
                name: _build_settings(classes[name][0], options)
                if name in classes
                else options[name]
                for name in signature
            }
        )

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def _build_settings(settings: type, options: Mapping[str, Any]) -> Any:
    """Make the settings of a command.

    Raises:
        Refused: settings are wrong; the message names all that are, also those of other tables of
            the settings file that the command reads (``TABLES`` of the class).
    """
    try:
        return settings(**read_fields(settings, options))
    except Refused as first:
        found = [*problems_of(settings, options)]
        file = getattr(options.get("context"), "obj", None) or {}
        for name, other in getattr(settings, "TABLES", {}).items():
            found += [f"[{name}] {text}" for text in problems_of(other, file.get(name, {}))]
        raise Refused("; ".join(dict.fromkeys(found)) or str(first)) from first


def problems_of(settings: type, options: Mapping[str, Any]) -> Iterator[str]:
    """Yield a message about each wrong option of a command that was refused."""
    values: dict[str, Any] = {}
    for name in _parameters(settings):
        try:
            values |= read_fields(settings, options, only=name)
        except Refused as problem:
            yield str(problem)
    # Values for required settings that are missing or wrong, to find what else is.
    given = {
        each.name: f"given-{each.name}"
        for each in fields(settings)
        if each.default is MISSING and each.name in _parameters(settings)
    }
    values = {**given, **values}
    while (message := _problem(settings, values)) is not None:
        if not any(value in message for value in given.values()):
            yield message
        # Set aside the setting without which the message is another one, or none.
        for name in reversed(values):
            changed = {each: value for each, value in values.items() if each != name}
            changed |= {name: given[name]} if name in given else {}
            if changed != values and _problem(settings, changed) != message:
                values = changed
                break
        else:
            return


def _problem(settings: type, values: Mapping[str, Any]) -> str | None:
    try:
        settings(**values)
    except Refused as problem:
        return str(problem)
    return None


def read_fields(
    settings: type, options: Mapping[str, Any], only: str | None = None
) -> dict[str, Any]:
    """Return the fields of a settings class that the command line sets.

    Args:
        settings: the class.
        options: values by parameter, as Typer reads them; those of other classes are ignored.
        only: the only field to read; None for all.

    Raises:
        Refused: the text of an option cannot be read; the message names the option.
    """
    hints = _hints(settings)
    values = {
        field: (options[parameter.name], get_args(hints[field])[1])
        for field, parameter in _parameters(settings).items()
        if only in (None, field) and options.get(parameter.name) is not None
    }
    return {field: _read(field, value, option) for field, (value, option) in values.items()}


def optional_values(command: Callable[..., Any]) -> dict[str, tuple[str, ...]]:
    """Return the options of a command that may be given without a value, with their values."""
    return {
        name_of_option(field, option): option.optional
        for each, _ in settings_of(command).values()
        for field, option in options_of(each).items()
        if option.optional
    }


def rare_options(command: Callable[..., Any]) -> dict[str, str]:
    """Return the options of a command that are seldom needed: name -> flag, such as --tiou."""
    rare = {
        field: name_of_option(field, option)
        for settings, shown in settings_of(command).values()
        for field, option in options_of(settings).items()
        if option.rare and (field in shown.also or option.panel in (None, *shown.panels))
    }
    of_command = {
        name: name_of_option(name, item)
        for name, hint in get_type_hints(command, include_extras=True).items()
        for item in get_args(hint)
        if isinstance(item, Option) and item.rare
    }
    return rare | of_command


@cache
def settings_of(command: Callable[..., Any]) -> dict[str, tuple[type, Shown]]:
    """Return the settings classes of a command, by parameter, and which options it shows of each.

    If nothing is said, all are shown that are not rare.
    """
    found = {}
    for name, annotation in get_type_hints(command, include_extras=True).items():
        kind, *metadata = get_args(annotation) or [annotation]
        if name != "return" and isinstance(kind, type) and is_dataclass(kind):
            shown = next((item for item in metadata if isinstance(item, Shown)), Shown())
            found[name] = (kind, shown)
    return found


def _shown_parameters(settings: type, shown: Shown) -> Iterator[inspect.Parameter]:
    """Yield the parameters of a settings class; those that are not shown are hidden."""
    options = options_of(settings)
    for field, parameter in _parameters(settings).items():
        option = options.get(field)
        if option is None or field in shown.also:
            yield parameter
        elif option.panel not in (None, *shown.panels):
            yield parameter.replace(annotation=_hidden(parameter.annotation))
        else:
            yield parameter


def _hidden(annotation: Any) -> Any:
    """Return an annotation of Typer whose option `--help` does not list."""
    kind: Any
    kind, option = get_args(annotation)
    hidden = copy(option)
    hidden.hidden = True
    return Annotated[kind, hidden]


def _set_parameter() -> inspect.Parameter:
    """Make the option that sets rare options; the command line is rewritten before it is read."""
    option = typer.Option("--set", metavar="NAME=VALUE", hidden=True)
    return inspect.Parameter(
        "set",
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[list[str] | None, option],
    )


def _read(field: str, value: Any, option: Argument | Option) -> Any:
    if isinstance(option, Option) and option.read is not None:
        return option.read(name_of_option(field, option), value)
    if isinstance(option, Argument) and option.join is not None:
        return option.join(field.upper(), value)
    return tuple(value) if isinstance(value, list) else value


@cache
def _hints(settings: type) -> dict[str, Any]:
    return get_type_hints(settings, include_extras=True)


@cache
def _parameters(settings: type) -> dict[str, inspect.Parameter]:
    """Return the parameter for each field of a settings class that is an argument or option."""
    hints = _hints(settings)
    return {
        field.name: _parameter(
            field.name,
            hints[field.name],
            inspect.Parameter.empty if field.default is MISSING else field.default,
        )
        for field in fields(settings)
        if get_origin(hints[field.name]) is Annotated
    }


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    """Make a parameter that Typer can read; leave one unchanged that it can already read."""
    kind, *metadata = get_args(annotation) if get_origin(annotation) is Annotated else [annotation]
    for item in metadata:
        if isinstance(item, Argument):
            kind = list[str] if item.join or get_origin(kind) is tuple else kind
            annotation = Annotated[kind, typer.Argument(help=item.help)]
        elif isinstance(item, Option):
            flags = name_of_option(name, item)
            flag = flags.partition("/")[0].removeprefix("--").replace("-", "_")
            name = flag if not iskeyword(flag) else name
            if item.read is not None:
                default = _text(default)
                kind = str | None if default is None else str
            option = typer.Option(
                flags,
                help=item.help,
                rich_help_panel=item.panel,
                hidden=item.rare or item.ignored,
            )
            annotation = Annotated[kind, option]
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


def _panel(parameter: inspect.Parameter) -> int:
    """Return the index of a parameter's panel, by which `--help` orders the panels."""
    panels = [getattr(item, "rich_help_panel", None) for item in get_args(parameter.annotation)]
    return next((list(Panel).index(panel) for panel in panels if isinstance(panel, Panel)), -1)


def _text(default: Any) -> Any:
    """Write a default as on the command line; None for an empty list."""
    if isinstance(default, tuple):
        return comma_separated(default) or None
    return default

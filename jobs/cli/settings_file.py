"""`--settings FILE`: options of the commands from a TOML file; the command line has precedence.

The table of a command contains its options by name, with `-` or `_`, and its input tables by name
(references, hypotheses, codings…).  `[storage.s3]`, `[storage.gs]` and `[storage.abfs]` contain
options of fsspec for a store, which should not be on a command line that others can read.
`[cluster]` names the certificates of a cluster that uses TLS.  `${NAME}` in a value is the
environment variable of that name (``variables``).

The run.json of a run gives its options back: all but the folder that it is written to.

Without `--settings`, `segscore.toml` in the current folder is read, if it has a table of the
command.  As somebody else may have written it, it can name neither stores and certificates nor
environment variables, which it could send away.
"""

import json
import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from os.path import dirname
from typing import Any

import typer

from segscore.jobs.cli.help_texts import OLD_NAMES
from segscore.jobs.cli.log import LOG
from segscore.pipeline.errors import nearest
from segscore.pipeline.runs.certificates import Certificates, configure_certificates

STORAGE, CLUSTER = "storage", "cluster"
PROTOCOLS = ("s3", "gs", "gcs", "abfs", "az")
HERE = "segscore.toml"
"""File that is read where the command is called, if no other is named."""

UNSET = ("help", "settings", "set", "fresh", "date", "accept", "rejudge", "table")
"""Options that a file cannot set; for example, `--fresh` and `--date` must be given each time."""

_KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "int": ((int,), "an integer"),
    "float": ((int, float), "a number"),
    "bool": ((bool,), "true or false"),
    "str": ((str, int, float, list), "text, a number or a list"),
    "list[str]": ((str, list), "text or a list"),
}
"""Type of a parameter -> types of the TOML values that a file may give for it, and their names."""


_LARGEST = 2**64 - 1
_ALLOWED = "a whole number has at most 64 bits"
_LONG = re.compile("[0-9][0-9_]{4299}")
"""A number that Python may not read, because it takes long."""

_ALSO_READ = {"nightly": ("score",), "trend": ("nightly",), "trend-table": ("nightly",)}
"""Command -> further tables that it reads."""

_OF_NIGHTS = {"trend-table": ("runs", "calendar"), "trend": ("runs",)}
"""Commands about the nights of a folder, and the settings in [nightly] that they share."""


def load_settings(context: typer.Context, url: str | None) -> str | None:
    """Read a settings file and make its values the command's defaults.

    The values for all commands, as the command line would give them, are stored in ``context.obj``.

    Raises:
        Refused: the file is not readable, is not TOML, or has wrong keys or values; the message
            names all of these.
    """
    from segscore.pipeline import storage

    if context.resilient_parsing:
        return url
    configure_certificates({})  # an earlier command of this process may have had some
    given, url = url, url or HERE
    if given is None and not os.path.isfile(HERE):
        return given
    assert context.parent is not None
    assert context.info_name is not None
    group: Any = context.parent.command
    commands = {
        name: {parameter.name: parameter for parameter in command.params}
        for name, command in group.commands.items()
    }
    if given is not None:
        tables = _read(url, context.info_name, commands)
    elif (here := _of_here(context.info_name)) is None:
        return given
    else:
        tables = _checked(here, commands, url)
    context.obj = {
        section: {
            _parameter_name(key): _command_line_value(
                value, commands[section][_parameter_name(key)].bare_type()
            )
            for key, value in values.items()
        }
        for section, values in tables.items()
        if section not in (STORAGE, CLUSTER)
    }
    own = context.obj.get(context.info_name, {})
    if context.info_name in _OF_NIGHTS:
        nightly = context.obj.get("nightly", {})
        shared = _OF_NIGHTS[context.info_name]
        own = {key: value for key, value in nightly.items() if key in shared} | own
    context.default_map = own
    storage.configure(tables.get(STORAGE, {}))
    files = tables.get(CLUSTER, {})
    configure_certificates({_parameter_name(key): path for key, path in files.items()})
    return given


def _of_here(command: str) -> dict[str, Any] | None:
    """Return the tables of the file of the current folder, and say so; None without the command's.

    Raises:
        Refused: the file is not TOML.
    """
    with open(HERE, encoding="utf-8", errors="replace") as file:
        text = file.read()
    tables = {OLD_NAMES.get(name, name): table for name, table in _read_toml(HERE, text).items()}
    if not {command, *_ALSO_READ.get(command, ())} & {*tables}:
        return None
    if {STORAGE, CLUSTER} & {*tables} or "${" in text:
        LOG.remark(
            f"{HERE} is not read, as it names stores, certificates or environment variables: "
            f"--settings {HERE} reads it"
        )
        return None
    LOG.remark(f"settings are those of {HERE} in this folder")
    return tables


def _named(url: str) -> str:
    """Return how messages name a settings file."""
    return url if url == HERE else f"--settings {url}"


def _read(url: str, command: str, commands: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Read the tables of a settings file, or the options of a run from its run.json.

    Raises:
        Refused: as for ``load_settings``.
    """
    from segscore.pipeline import storage
    from segscore.pipeline.errors import Refused

    text = storage.read_text(url)
    if text is None:
        raise Refused(f"{_named(url)}: no such file")
    is_record = text.lstrip().startswith("{")
    if is_record:
        return _checked(_options_of_run(url, text, command, commands[command]), commands, url)
    tables = {OLD_NAMES.get(name, name): table for name, table in _read_toml(url, text).items()}
    # after the checks, whose messages say what the file says
    return _expand(_checked(tables, commands, url), url)


def _checked(
    tables: dict[str, Any], commands: Mapping[str, Mapping[str, Any]], url: str
) -> dict[str, Any]:
    """Return tables whose keys and values options can have.

    Raises:
        Refused: some cannot; the message names them all.
    """
    from segscore.pipeline.errors import Refused

    if wrong := list(_problems(tables, commands)):
        raise Refused(f"{_named(url)}: {'; '.join(wrong)}")
    return tables


def _options_of_run(
    url: str, text: str, command: str, parameters: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the options of the run of a run.json, as a settings file has them.

    Input tables are where the run found them.

    Raises:
        Refused: the file is not what segscore writes, or the run is of another command.
    """
    from segscore.pipeline.errors import Refused
    from segscore.pipeline.runs.finished import FinishedRun
    from segscore.pipeline.runs.recorded_inputs import recorded_location
    from segscore.pipeline.runs.run_folder import RECORD_SHAPE
    from segscore.pipeline.storage.json_records import read_record

    run = FinishedRun(url, read_record(url, text, RECORD_SHAPE))
    if run.command != command:
        other = f"has the options of `segscore {run.command}`" if run.command else "has no options"
        raise Refused(f"{_named(url)}: {other}, not of `segscore {command}`")
    chosen = {**run.settings, "average": run.record.get("average")}
    chosen["measures"] = [*run.measures_in_order] or run.settings.get("measures")
    options = {}
    for field, value in chosen.items():
        flag = f"--{field.replace('_', '-')}"
        name = next((n for n, one in parameters.items() if field == n or flag in one.opts), None)
        if name is None or name in (*UNSET, "output") or value in (None, []):
            continue
        files = run.recorded_inputs.get("hypotheses" if field == "scored" else field, ())
        if field == "runs" and isinstance(value, list):
            value = [dirname(file["url"]) for file in files][: len(value)]
        options[name] = recorded_location(value, files) if isinstance(value, str) else value
    return {command: options}


def _read_toml(url: str, text: str) -> dict[str, Any]:
    """Read the tables of a settings file.

    Raises:
        Refused: the file is not TOML.
    """
    from segscore.pipeline.errors import Refused

    try:
        return tomllib.loads(text + "\n")  # with it, problems of the last line have a number
    except tomllib.TOMLDecodeError as problem:
        raise Refused(f"{_named(url)}: {_explain_toml(text, str(problem))}") from problem
    except ValueError as problem:  # Python reads no number of more than 4,300 digits
        raise Refused(f"{_named(url)}: {_explain_number(text)}") from problem
    except RecursionError as problem:
        raise Refused(f"{_named(url)}: lists or tables are nested too deeply") from problem


def _expand(tables: Mapping[str, Any], url: str) -> dict[str, Any]:
    """Return the tables with the variables that they name.

    Raises:
        Refused: a variable is not set.
    """
    from segscore.pipeline.errors import Refused
    from segscore.pipeline.settings.variables import with_variables

    try:
        return {name: with_variables(table, name) for name, table in tables.items()}
    except Refused as problem:
        raise Refused(f"{_named(url)}: {problem}") from problem


def _explain_toml(text: str, problem: str) -> str:
    """Say where a text is not TOML, and why; of the line only the key, as values may be secret."""
    place = re.search(r"line (\d+)", problem)
    line = text.splitlines()[int(place[1]) - 1] if place else ""
    key = line.partition("=")[0].strip()
    if place and ("overwrite" in problem or "twice" in problem):
        return f"line {place[1]} sets {key} a second time; set it once"
    return f"not TOML ({problem})"


def _explain_number(text: str) -> str:
    """Say in which line a text has a number with too many digits."""
    numbers = (number for number, line in enumerate(text.splitlines(), 1) if _LONG.search(line))
    return f"line {next(numbers, '?')}: a number has too many digits; {_ALLOWED}"


def _is_too_large(value: Any) -> bool:
    """Return whether a value, or one in a list, is a whole number that no option can have."""
    if isinstance(value, list):
        return any(map(_is_too_large, value))
    return isinstance(value, int) and abs(value) > _LARGEST


def _parameter_name(key: str) -> str:
    return key.replace("-", "_")


def _command_line_value(value: Any, kind: str) -> Any:
    """Convert a value to what the command line gives; a list may become text: commas or JSON."""
    if kind == "list[str]":
        return [str(item) for item in (value if isinstance(value, list) else [value])]
    if kind != "str":
        return value
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return json.dumps(value, default=str)  # a list of tables
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _problems(
    tables: Mapping[str, Any], commands: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    for section, values in tables.items():
        if section not in (*commands, STORAGE, CLUSTER):
            yield _unknown("", section, [*commands, STORAGE, CLUSTER])
        elif not isinstance(values, dict):
            yield f"{section} must be a table, [{section}]"
        elif section == STORAGE:
            yield from _storage_problems(values)
        elif section == CLUSTER:
            yield from _certificate_problems(values)
        else:
            yield from _option_problems(section, values, commands[section])


def _storage_problems(values: Mapping[str, Any]) -> Iterator[str]:
    for protocol, options in values.items():
        if protocol not in PROTOCOLS:
            yield _unknown(STORAGE, protocol, PROTOCOLS)
        elif not isinstance(options, dict):
            yield f"{STORAGE}.{protocol} must be a table, [{STORAGE}.{protocol}]"


def _certificate_problems(values: Mapping[str, Any]) -> Iterator[str]:
    names = Certificates.__annotations__
    for key, value in values.items():
        if _parameter_name(key) not in names:
            yield _unknown(CLUSTER, key, [name.replace("_", "-") for name in names])
        elif not isinstance(value, str):
            yield f"{CLUSTER}.{key} is {value!r}, must be text"


def _option_problems(
    section: str, values: Mapping[str, Any], parameters: Mapping[str, Any]
) -> Iterator[str]:
    known = {name: item for name, item in parameters.items() if name not in UNSET}
    keys: dict[str, str] = {}
    for key, value in values.items():
        name = _parameter_name(key)
        if keys.setdefault(name, key) != key:
            yield f"{section}.{key} is set a second time, as {keys[name]}; set it once"
            continue
        if name in UNSET:
            yield f"{section}.{key} can only be set on the command line"
            continue
        if name not in known:
            yield _unknown(section, key, known)
            continue
        if _is_too_large(value):
            yield f"{section}.{key} is too large; {_ALLOWED}"
            continue
        kinds, expected = _KINDS[known[name].bare_type()]
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            yield f"{section}.{key} is {value!r}, must be {expected}"


def _unknown(section: str, key: str, known: Iterable[str]) -> str:
    inside = f"{section}." if section else ""
    near = nearest(key, known).replace(" is ", f" is {inside}", 1)
    return f"no such key {inside}{key}{near}"

"""The JSON Schema of settings files, with which editors complete and check them."""

import json
import re
from collections.abc import Mapping
from typing import Any

from segscore.jobs.cli.settings_file import CLUSTER, PROTOCOLS, STORAGE, UNSET
from segscore.pipeline.runs.certificates import Certificates

_LIST = {"type": "array", "items": {"type": ["string", "number", "boolean", "object"]}}
_TYPES: Mapping[str, dict[str, Any]] = {
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "str": {"anyOf": [{"type": ["string", "number"]}, _LIST]},
    "list[str]": {"anyOf": [{"type": "string"}, _LIST]},
}
"""Type of a parameter -> schema of the values that a file may give for it."""

_MARKUP = re.compile(r"\\(?=\[)")


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a settings file."""
    import typer

    from segscore.jobs.cli.app import app

    group: Any = typer.main.get_command(app)
    tables = {name: _table_of(command) for name, command in group.commands.items()}
    anything = {"type": "object", "description": "options of fsspec for this kind of store"}
    certificates = {
        name.replace("_", "-"): {"type": "string"} for name in Certificates.__annotations__
    }
    tables[STORAGE] = _table("access to object stores", dict.fromkeys(PROTOCOLS, anything))
    tables[CLUSTER] = _table("certificates for --cluster tls://", certificates)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of segscore",
        "description": "A table for each command, with its options by name (--settings FILE).",
        "type": "object",
        "properties": tables,
        "additionalProperties": False,
        "$defs": dict(_TYPES),
    }


def _table_of(command: Any) -> dict[str, Any]:
    """Return the schema of the table of a command."""
    keys = {}
    for parameter in command.params:
        if parameter.name in UNSET:
            continue
        key = parameter.name.replace("_", "-")
        text = _MARKUP.sub("", getattr(parameter, "help", None) or "")
        keys[key] = {"$ref": f"#/$defs/{parameter.bare_type()}", "description": text}
        if key != parameter.name:  # a key may also be written with _
            keys[parameter.name] = {"$ref": f"#/properties/{command.name}/properties/{key}"}
    return _table(f"options of segscore {command.name}", keys)


def _table(description: str, keys: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "description": description,
        "properties": dict(keys),
        "additionalProperties": False,
    }


def page() -> str:
    """Return the schema as the text of docs/settings.schema.json."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"

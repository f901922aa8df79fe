"""Check the columns of a table, and find the rows that break a rule of its schema."""

import os
import sys
from collections import Counter
from collections.abc import Mapping
from threading import Lock
from typing import Any

import pyarrow as pa

from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.storage import PARQUET
from segscore.pipeline.tables.columns import Contract
from segscore.schemas.input_columns import INPUT_TYPES

ONE_AT_A_TIME = Lock()
"""Each validation tries to import PySpark; unlocked, two threads may see a half-made module."""

SWITCHES = ("PANDERA_VALIDATION_ENABLED", "PANDERA_VALIDATION_DEPTH")

REJECT_COLUMNS = pa.schema(
    [
        ("table", pa.string()),
        ("source", pa.string()),
        ("row", pa.int64()),
        ("rule", pa.string()),
        ("detail", pa.string()),
        ("document_id", pa.string()),
        ("coder", pa.string()),
    ]
)


def place_of(reject: Mapping[str, Any]) -> str:
    """Return where a rejected row is: file and line, from 1, or file and number, from 0.

    Of a row without a number, only the file is known.
    """
    source, row = reject["source"], reject["row"]
    if row is None:
        return str(source)
    return f"{source} row {row}" if source.lower().endswith(PARQUET) else f"{source}:{row + 1}"


def owner_of(reject: Mapping[str, Any]) -> str:
    """Return whose row a rejected row is: its document and coder, which may be null."""
    names = [reject[column] for column in ("document_id", "coder")]
    return f"({', '.join('null' if name is None else name for name in names)})"


def schema_problems(schema: pa.Schema, model: Contract) -> list[str]:
    """List the columns that are missing, repeated or of a wrong type, as messages."""
    _require_all_checks()
    repeated = sorted(name for name, number in Counter(schema.names).items() if number > 1)
    if repeated:
        return [f"column {name} occurs more than once" for name in repeated]
    if _fits(schema, model):
        return []
    cases = _failures(schema.empty_table(), model)
    others = [name for name in schema.names if name not in INPUT_TYPES]
    missing = [
        f"column {case['failure_case']} is missing{nearest(case['failure_case'], others)}"
        for case in cases
        if case["check"] == "column_in_dataframe"
    ]
    mistyped = [
        f"column {case['column']} is {schema.field(case['column']).type}, "
        f"must be {model.schema.columns[case['column']].dtype}"
        for case in cases
        if case["check"].startswith("dtype(")
    ]
    return missing + mistyped


def _failures(table: pa.Table, model: Contract) -> list[dict[str, Any]]:
    """Return what Pandera finds wrong; its table is one of polars if that is installed."""
    from pandera.errors import SchemaErrors

    try:
        with ONE_AT_A_TIME:
            model.schema.validate(table, lazy=True)
    except SchemaErrors as problem:
        return pa.table(problem.failure_cases).to_pylist()
    return []


def _require_all_checks() -> None:
    """Refuse to work if Pandera is configured to skip some or all checks."""
    if "pandera" not in sys.modules and not os.environ.keys() & set(SWITCHES):
        return

    from pandera.config import CONFIG, ValidationDepth

    checks_everything = CONFIG.validation_depth in (None, ValidationDepth.SCHEMA_AND_DATA)
    if not CONFIG.validation_enabled or not checks_everything:
        raise Refused(
            f"Pandera is configured to skip checks; unset {' and '.join(SWITCHES)} and run again"
        )


def _fits(schema: pa.Schema, model: Contract) -> bool:
    """Check that required columns exist and all types match exactly; Pandera reports the rest."""
    types = dict(zip(schema.names, schema.types, strict=True))
    return all(
        types[column.name] == column.type if column.name in types else not column.required
        for column in model.columns
    )


def broken_rules(table: pa.Table, model: Contract) -> dict[int, str]:
    """Find the rows that break a rule: row number -> the first rule that it breaks.

    Rules are in the order in which the schema declares them.  Broken rows are reported as Python
    objects, so this is meant for batches of up to a few hundred thousand rows.

    The columns have the right types, each in one chunk, and the checks of the contract's schema
    apply row by row.
    """
    rank = {name: i for i, name in enumerate(descriptions(model))}
    broken: dict[int, str] = {}
    for case in _failures(table, model):
        if case["index"] is None:
            raise RuntimeError(f"the rule {case['check']} could not be checked: {case}")
        first_rule = broken.setdefault(case["index"], case["check"])
        if rank[case["check"]] < rank[first_rule]:
            broken[case["index"]] = case["check"]
    return broken


def descriptions(model: Contract) -> dict[str, str]:
    """Return rule -> description for all row rules of a schema, in the order of declaration."""
    return {
        rule.name: rule.description
        for column in model.schema.columns.values()
        for rule in column.checks
    }

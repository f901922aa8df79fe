"""The columns of the input tables, from schemas/input_columns.py, without importing Pandera.

The Pandera schemas, which determine which row breaks which rule, are imported when needed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pyarrow as pa

from segscore.pipeline.errors import Refused
from segscore.schemas.input_columns import (
    DOCUMENT_COLUMNS,
    INPUT_TYPES,
    ROLE,
    SEGMENTATION_COLUMNS,
    InputColumn,
)


@dataclass(frozen=True)
class Contract:
    """The columns of an input table.

    Attributes:
        name: name of the table, and of the module with its schema.
        columns: columns of the table; any other column of a file is ``foreign`` or an attribute.
        open_ended: whether rows adopt the length of their document, so that n_units may be null,
            and positions have no upper limit until that length is known.
    """

    name: str
    columns: tuple[InputColumn, ...]
    open_ended: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all its columns."""
        return tuple(column.name for column in self.columns)

    @property
    def required(self) -> tuple[str, ...]:
        """The names of the columns that every file must have."""
        return tuple(column.name for column in self.columns if column.required)

    @property
    def optional(self) -> tuple[str, ...]:
        """The names of the columns that a file may lack."""
        return tuple(column.name for column in self.columns if not column.required)

    @property
    def foreign(self) -> frozenset[str]:
        """The columns of other input tables, which are ignored in a file."""
        return frozenset(INPUT_TYPES) - {*self.names}

    @property
    def schema(self) -> Any:
        """The Pandera schema."""
        schema = "OPEN_ENDED" if self.open_ended else self.name.upper()
        return getattr(import_module(f"segscore.schemas.{self.name}"), schema)


SEGMENTATIONS = Contract("segmentations", SEGMENTATION_COLUMNS)
_OPEN_ENDED = Contract("segmentations", SEGMENTATION_COLUMNS, open_ended=True)
DOCUMENTS = Contract("documents", DOCUMENT_COLUMNS)


def contract_of(table: str) -> Contract:
    """Return the contract of an input table, given its name, such as references or documents."""
    return DOCUMENTS if table == DOCUMENTS.name else SEGMENTATIONS


def segmentations_contract(tolerance: int) -> Contract:
    """Return the contract of segmentations whose lengths may differ by so many units."""
    return _OPEN_ENDED if tolerance else SEGMENTATIONS


def extra_columns(
    name: str, sources: Sequence[str], schemas: Sequence[pa.Schema], model: Contract
) -> pa.Schema:
    """Return the columns of any file that are not required: optional columns and attributes.

    The name of the table and the sources, which are its files, are for messages.

    Raises:
        Refused: the types of an attribute in two files have no common type.
    """
    excluded = {*model.required, *model.foreign, ROLE}
    extra = [pa.schema([f for f in schema if f.name not in excluded]) for schema in schemas]
    try:
        return pa.unify_schemas(extra, promote_options="permissive").remove_metadata()
    except (pa.ArrowInvalid, pa.ArrowTypeError) as problem:
        reason = _type_conflict(sources, extra) or str(problem)
        raise Refused(f"{name}: {reason}; write it with the same type in all files") from None


def _type_conflict(sources: Sequence[str], schemas: Sequence[pa.Schema]) -> str | None:
    """Name an attribute whose types in two files have no common type, and the two files."""
    earlier: dict[str, tuple[pa.Field, str]] = {}
    for source, schema in zip(sources, schemas, strict=True):
        for field in schema:
            known, file = earlier.get(field.name, (field, source))
            try:
                pa.unify_schemas(
                    [pa.schema([known]), pa.schema([field])], promote_options="permissive"
                )
            except (pa.ArrowInvalid, pa.ArrowTypeError):
                return (
                    f"the attribute {field.name} is {known.type} in {file}, but {field.type} in "
                    f"{source}"
                )
            if field.name not in earlier or pa.types.is_null(known.type):
                earlier[field.name] = (field, source)
    return None

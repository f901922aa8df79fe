"""The columns of the input tables, from schemas/input_columns.py, without importing Pandera.

The Pandera schemas, which determine which row breaks which rule, are imported when needed.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from segscore.schemas.input_columns import (
    DOCUMENT_COLUMNS,
    INPUT_TYPES,
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

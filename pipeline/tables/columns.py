"""What the input tables must have, told without Pandera, whose import costs a third of a second.

The schemas themselves, which say what is wrong with which row, are in schemas/.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Contract:
    """The columns of an input table.

    Attributes:
        name: of the table, and of the module of its schema.
        required: columns that every file has.
        optional: columns that mean something where a file has them.
    """

    name: str
    required: tuple[str, ...]
    optional: tuple[str, ...]

    @property
    def schema(self) -> Any:
        """The Pandera schema."""
        return getattr(import_module(f"segscore.schemas.{self.name}"), self.name.upper())


SEGMENTATIONS = Contract(
    "segmentations",
    ("document_id", "coder", "n_units", "boundaries"),
    ("boundary_types", "boundary_scores"),
)
DOCUMENTS = Contract("documents", ("document_id", "n_units"), ("unit_lengths", "unit_weights"))

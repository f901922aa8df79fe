"""The tables of finished runs, whether in folders or in memory."""

from os import PathLike, fspath
from typing import Any

import pyarrow as pa

from segscore.api.wording import for_python
from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.storage.listed_files import INPUTS


class RunTables:
    """The tables of a run (docs/tables.md).

    >>> import segscore
    >>> codings = {"ann": {"d": segscore.Segmentation([2], 9)},
    ...            "bob": {"d": segscore.Segmentation([3], 9)}}
    >>> agreement = segscore.agree(codings)
    >>> agreement.table("corpus").num_rows
    1
    >>> agreement.corpus.num_rows
    1

    Attributes:
        run: the run; its tables are attributes, too, by their names.
    """

    def __init__(self, run: FinishedRun) -> None:
        """Wrap the tables of a run."""
        self.run = run

    @property
    def signature(self) -> str:
        """One line that states what was computed, and how."""
        return self.run.signature

    @property
    def record(self) -> dict[str, Any]:
        """The record of the run: settings, row counts, warnings (run.json)."""
        return self.run.record

    @property
    def warnings(self) -> list[str]:
        """The warnings that the command would have printed, such as those about rejected rows."""
        return list(self.record.get("warnings", []))

    @for_python
    def table(self, name: str) -> pa.Table:
        """Return a table by name.

        Raises:
            Refused: the run has no such table.
        """
        parts = [*self.run.parts(name)]
        if not parts:
            raise Refused(f"{self.run.url}: has no table {name}; it has {', '.join(self.names)}")
        return pa.concat_tables(parts, promote_options="permissive")

    @property
    def names(self) -> list[str]:
        """The names of the tables."""
        if self.run.tables is not None:
            return list(self.run.tables)
        return [name for name in self.run.record["files"] if name != INPUTS]

    def __getattr__(self, name: str) -> pa.Table:
        """Return a table by name, unless another attribute has the name."""
        # Copying and unpickling ask for attributes before there is a run.
        if "run" in vars(self) and name in self.names:
            return self.table(name)
        near = nearest(name, self.names) if "run" in vars(self) else ""
        raise AttributeError(f"{type(self).__name__} has no attribute {name}{near}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.names})

    @for_python
    def to_pandas(self, table: str) -> Any:
        """Return a table as a pandas data frame, with pandas' NA for missing values.

        Raises:
            Refused: pandas is not installed.
        """
        try:
            import pandas as pd
        except ModuleNotFoundError as problem:
            raise Refused("to_pandas: pandas is not installed; run pip install pandas") from problem

        return self.table(table).to_pandas(types_mapper=pd.ArrowDtype)

    @for_python
    def to_polars(self, table: str) -> Any:
        """Return a table as a polars data frame.

        Raises:
            Refused: polars is not installed.
        """
        try:
            import polars
        except ModuleNotFoundError as problem:
            raise Refused("to_polars: polars is not installed; run pip install polars") from problem
        return polars.from_arrow(self.table(table))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self.names)})\n{self.signature}"


def location_of_run(run: Any) -> str:
    """Return the folder or URL of a run.

    Raises:
        Refused: it is neither a path nor a URL.
    """
    if not isinstance(run, str | PathLike):
        raise Refused(
            f"{type(run).__name__} is not a run; give the folder or URL of a finished run, or what "
            "segscore.evaluate returns"
        )
    return fspath(run)

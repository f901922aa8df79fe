"""The destination of a part's rows and sums: files of the run's folder, or memory."""

from collections.abc import Iterable
from typing import Protocol

import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.runs import receipts
from segscore.pipeline.runs.run import Run
from segscore.pipeline.scoring.pairs import Scored
from segscore.pipeline.scoring.part import ScoredBlock
from segscore.pipeline.scoring.records import PartSums, add

_PLAIN = (
    "document_id",
    "reference_digest",
    "story_miss",
    "story_false_alarm",
    "story_miss_sum",
    "story_false_alarm_sum",
)
"""Columns of `scores` whose values rarely repeat."""


class PartTables(Protocol):
    """Takes the output of a part."""

    def write_scored(self, name: str, blocks: Iterable[ScoredBlock]) -> int:
        """Write blocks of scores under a name, and their sums; return the number of pairs."""

    def write_unscored(self, name: str, rejects: pa.Table, unpaired: pa.Table) -> None:
        """Write the rejected and the unpaired rows."""


class FolderTables:
    """Files of the folder that a run is prepared in; the first part writes all tables."""

    def __init__(self, folder: str, *, is_first: bool) -> None:
        self._folder, self._is_first = folder, is_first

    def write_scored(self, name: str, blocks: Iterable[ScoredBlock]) -> int:
        """Write the tables block by block, then save the sums; return the number of pairs."""
        sums: list[PartSums] = []
        written = 0
        folder = self._folder
        with (
            storage.TableFile(storage.join(folder, "scores", name), plain=_PLAIN) as scores,
            storage.TableFile(storage.join(folder, "panel_scores", name)) as panel_scores,
        ):
            for block in blocks:
                for file, tables in ((scores, block.pairs), (panel_scores, block.panels)):
                    for scored in tables:
                        if scored.table.num_rows:
                            file.write(scored.table)
                written += sum(scored.table.num_rows for scored in block.pairs)
                sums.append(block.sums)
        receipts.keep(folder, receipts.SUMS, name, add(sums))
        return written

    def write_unscored(self, name: str, rejects: pa.Table, unpaired: pa.Table) -> None:
        """Write the rejected and the unpaired rows, if there are any or it is the first part."""
        for table, rows in (("rejects", rejects), ("unpaired", unpaired)):
            if rows.num_rows or self._is_first:
                storage.write_table(storage.join(self._folder, table, name), rows)


class MemoryTables:
    """The tables of a run in memory, and its sums."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.sums = PartSums()

    def write_scored(self, _name: str, blocks: Iterable[ScoredBlock]) -> int:
        """Keep the rows by table, and add up their sums; return the number of pairs."""
        found: dict[str, list[Scored]] = {"scores": [], "panel_scores": []}
        sums = [self.sums]
        for block in blocks:
            found["scores"] += block.pairs
            found["panel_scores"] += block.panels
            sums.append(block.sums)
        for table, scored in found.items():
            if rows := [each.table for each in scored if each.table.num_rows]:
                self._run.write(table, pa.concat_tables(rows, promote_options="permissive"))
        self.sums = add(sums)
        return sum(each.table.num_rows for each in found["scores"])

    def write_unscored(self, _name: str, rejects: pa.Table, unpaired: pa.Table) -> None:
        """Keep the rejected and the unpaired rows."""
        self._run.write("rejects", rejects)
        self._run.write("unpaired", unpaired)

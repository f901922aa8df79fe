"""List the test sets that segscore recognises, and the scores published on them."""

from dataclasses import asdict

import pyarrow as pa

from segscore.api.runs import RunTables
from segscore.api.wording import for_python
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.testsets.describe import list_splits
from segscore.pipeline.testsets.published import PUBLISHED_COLUMNS, scores_on
from segscore.pipeline.testsets.registry import Registry, own_registry
from segscore.pipeline.testsets.shipped import shipped_tables

_NUMBERS = ("documents", "references", "boundaries")


@for_python
def testsets(name: str | None = None) -> RunTables:
    """List the known test sets and the scores published on them, as `segscore testsets` does.

    >>> import segscore
    >>> sets = segscore.testsets("TIAGE")
    >>> [(row["split"], row["documents"], row["boundaries"]) for row in sets.sets.to_pylist()]
    [('all', 500, 1513)]
    >>> segscore.testsets().published.column_names[:4]
    ['set', 'split', 'system', 'document_id']
    >>> news = segscore.testsets("Japanese news")
    >>> news.references.num_rows, news.hypotheses.num_rows
    (20, 200)

    Args:
        name: name of a set; None for all.

    Returns:
        The tables `sets`, a row for each split, and `published`; of a set that ships, also
        `references` and `hypotheses`.

    Raises:
        Refused: there is no such set.
    """
    known = own_registry()
    shipped = {}
    if name is not None:
        known = Registry((known.find(name),))
        shipped = shipped_tables(known.sets[0])
    scores = [asdict(score) for each in known.sets for score in scores_on(each)]
    listed = [("set", pa.string()), ("years", pa.string()), ("licence", pa.string())]
    listed += [("split", pa.string()), *((number, pa.int64()) for number in _NUMBERS)]
    tables = {
        "sets": pa.Table.from_pylist(
            list_splits(known), pa.schema([*listed, ("fingerprint", pa.string())])
        ),
        "published": pa.Table.from_pylist(
            scores, pa.schema([(column, pa.string()) for column in PUBLISHED_COLUMNS])
        ),
        **shipped,
    }
    record = {"signature": f"{len(known.sets)} test sets, {len(scores)} published scores"}
    return RunTables(FinishedRun("testsets", record, tables=tables))

"""Find the convention behind the numbers of a paper."""

from collections.abc import Iterable
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, overload

from segscore.api.inputs import Given, GivenTables
from segscore.api.settings import read_settings
from segscore.api.wording import for_python
from segscore.pipeline.conventions.apply import Applied
from segscore.pipeline.conventions.published import (
    Published,
    published_rows,
    read_published,
    read_published_table,
)
from segscore.pipeline.conventions.results import Reconciliation
from segscore.pipeline.conventions.run import apply_to_tables, reconcile_tables
from segscore.pipeline.conventions.settings import ReconcileSettings
from segscore.pipeline.errors import Refused

if TYPE_CHECKING:
    from typing import Unpack

    from segscore.api.typed import ReconcileKeywords


@overload
def reconcile(
    references: Given = None,
    hypotheses: Given = None,
    documents: Given = None,
    *,
    published: Any,
    apply: None = None,
    **settings: "Unpack[ReconcileKeywords]",
) -> Reconciliation: ...


@overload
def reconcile(
    references: Given = None,
    hypotheses: Given = None,
    documents: Given = None,
    *,
    published: None = None,
    apply: str,
    **settings: "Unpack[ReconcileKeywords]",
) -> Applied: ...


@for_python
def reconcile(
    references: Given = None,
    hypotheses: Given = None,
    documents: Given = None,
    *,
    published: Any = None,
    apply: str | None = None,
    **settings: "Unpack[ReconcileKeywords]",
) -> Reconciliation | Applied:
    """Find the conventions that give published numbers, as `segscore reconcile` does.

    >>> import segscore
    >>> reference = {"d": segscore.Segmentation([2, 5], 11)}
    >>> hypothesis = {"d": segscore.Segmentation([2, 4], 11)}
    >>> found = segscore.reconcile(reference, hypothesis, measure="pk", published="0.20")
    >>> [name for name in found.fitting if "but" not in name]
    ['NLTK, N flags, last one set', 'TinyRec', 'SuperDialseg', 'K&S']
    >>> applied = segscore.reconcile(reference, hypothesis, measure="pk", apply="tinyrec")
    >>> [(row["measure"], row["value"]) for row in applied.rows]
    [('pk', 0.2)]

    Args:
        references: the references, in any form that `segscore.evaluate` takes; so the others.
        hypotheses: the segmentations that the numbers are about.
        documents: table of unit lengths and attributes of documents, or None.
        published: a number, as a text if its last digits are zeros; dicts with system, measure and
            value; or the path of a CSV file with these columns.
        apply: instead, the name of a convention to compute by, such as ``nltk-n-flags-starts``.
        settings: options of `segscore reconcile`, as keywords.

    Raises:
        Refused: the input or the settings are invalid.
    """
    chosen = read_settings(ReconcileSettings, settings)
    if "output" in chosen:
        raise Refused("output: is an option of the command only; use the attribute table")
    if apply is None and published is None:
        raise Refused("published: give a published number, or the name of a convention to apply")
    numbers = _numbers(published, chosen) if apply is None else []
    tables = GivenTables(references=references, hypotheses=hypotheses, documents=documents)
    chosen |= tables.locations
    if apply is not None:
        chosen |= {} if published is None else {"published": str(published)}
        return apply_to_tables(ReconcileSettings(**chosen, apply=apply), tables.sources)
    chosen = {"published": "0", "measure": numbers[0].measure, **chosen}
    return reconcile_tables(ReconcileSettings(**chosen), tables.sources, numbers)


def _numbers(published: Any, settings: dict[str, Any]) -> list[Published]:
    """Return the published numbers, and remove what only they need from the settings."""
    width = settings.get("tolerance_of_print")
    if isinstance(published, PathLike) or (
        isinstance(published, str) and "measure" not in settings
    ):
        return read_published_table(fspath(published), width)
    if isinstance(published, Iterable) and not isinstance(published, str):
        return published_rows(published, width, "published")
    if "measure" not in settings:
        raise Refused("measure: name the measure of the published number")
    row = {name: settings.get(name) for name in ("measure", "system")}
    return [read_published({**row, "value": published}, width, "published")]

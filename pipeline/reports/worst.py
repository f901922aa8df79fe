"""The documents on which systems do worst, drawn segment by segment against their references."""

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.comparison.runs import ScoredRun
from segscore.pipeline.comparison.samples import Sample
from segscore.pipeline.errors import Failed, Refused
from segscore.pipeline.measures.edit_list import Edit
from segscore.pipeline.reports.page import Cell, Figure, PageTable, Section, isolated
from segscore.pipeline.reports.positions import shown_position
from segscore.pipeline.reports.ranking import Ranking
from segscore.pipeline.reports.strips import Drawing, boundary_strip, draw_strip, outcome_strip
from segscore.pipeline.scoring.explain import Explained, explain_pairs
from segscore.pipeline.scoring.part import is_point

_WORST, REFERENCES, _SYSTEMS = 5, 3, 8
"""Maximum numbers of documents, of references per document, of systems (the best) below each."""

_EDITS = 40
"""Maximum number of edits listed for a pair."""

_HEADINGS = (
    "system",
    "reference",
    "matches",
    "near misses",
    "other types",
    "misses",
    "false alarms",
    "edits",
)
_KINDS = ("match", "near_miss", "substitution", "miss", "false_alarm")


def worst_sections(run: ScoredRun, sample: Sample, ranking: Ranking) -> Section:
    """Draw the documents with the worst mean over systems."""
    title, documents = "The worst documents", hardest(sample, ranking)
    if not documents:
        return Section("worst", title, f"None: {ranking.measure.name} is perfect or undefined.", [])
    try:
        explained = explain_pairs(run.url, documents)
    except (Refused, Failed, OSError) as problem:
        why = f"Not drawn: {problem}."
        return Section("worst", title, why, [], missing=why)
    by_document = {
        name: [pair for pair in explained if pair.document == name] for name in documents
    }
    return Section(
        "worst",
        title,
        f"The documents with the worst mean {ranking.measure.name} over systems. Below each "
        "reference are the systems, best first, with the outcome of each boundary.",
        [_figure(name, pairs, sample, ranking) for name, pairs in by_document.items() if pairs],
    )


def hardest(sample: Sample, ranking: Ranking) -> list[str]:
    """Return the documents with the worst mean over systems, ties by id.

    Reference points are not averaged, and perfect documents are left out.
    """
    values = sample.values[ranking.measure.name]
    real = [i for i, system in enumerate(sample.systems) if not is_point(system.hypothesis)]
    means = _mean(values[real])
    lower = ranking.measure.better == "lower"
    perfect = 0.0 if lower else ranking.measure.upper
    known = np.flatnonzero(~np.isnan(means) & (means != perfect))
    sign = -1 if lower else 1
    order = known[np.argsort(sign * means[known], kind="stable")][:_WORST]
    return [sample.documents[int(i)].as_py() for i in order]


def _mean(values: Floats) -> Floats:
    """Return the mean over systems, leaving out NaN, shape (documents,)."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        means: Floats = np.where(known, values, 0).sum(axis=0) / known.sum(axis=0)
    return means


def _figure(document: str, pairs: Sequence[Explained], sample: Sample, ranking: Ranking) -> Figure:
    last = len(ranking.systems)
    ordered = sorted(
        pairs, key=lambda pair: (pair.reference, ranking.place.get(pair.hypothesis, last))
    )
    by_reference = [list(group) for _, group in groupby(ordered, key=lambda pair: pair.reference)]
    rows: list[list[Cell]] = [
        [pair.hypothesis, pair.reference, *_counts_and_edits(pair)] for pair in ordered
    ]
    values = sample.values[ranking.measure.name][:, sample.documents.index(document).as_py()]
    averages = ", ".join(
        f"{isolated(sample.systems[i].label)} {_format_value(values[i])}"
        for i in ranking.order(sample)[:_SYSTEMS]
    )
    more = ""
    if len(by_reference) > REFERENCES or any(len(group) > _SYSTEMS for group in by_reference):
        more = (
            f" At most {REFERENCES} references and {_SYSTEMS} systems are drawn; the table has all."
        )
    return Figure(
        document,
        f"{ranking.measure.name}: {averages}.{more}",
        PageTable(_HEADINGS, rows),
        drawings=[_drawing(group) for group in by_reference[:REFERENCES]],
        wide=True,
    )


def _format_value(value: float) -> str:
    return "undefined" if np.isnan(value) else f"{value:.3f}"


def _drawing(pairs: Sequence[Explained]) -> Drawing:
    """Draw a reference with systems below it."""
    first = pairs[0]
    marked = sorted({edit.position for edit in first.edits if edit.position is not None})
    systems = [outcome_strip(pair.hypothesis, pair.edits) for pair in pairs[:_SYSTEMS]]
    description = (
        f"{len(systems)} systems below the reference {first.reference}; the table lists edits"
    )
    strips = [boundary_strip(first.reference, marked), *systems]
    return draw_strip(
        f"Reference {first.reference}", description, first.n_units, strips, first.unit
    )


def _counts_and_edits(pair: Explained) -> list[Cell]:
    kinds = [edit.kind for edit in pair.edits]
    errors = [_describe(edit, pair.unit) for edit in pair.edits if edit.kind != "match"]
    more = [f"{len(errors) - _EDITS} more"] if len(errors) > _EDITS else []
    return [*(kinds.count(kind) for kind in _KINDS), ", ".join(errors[:_EDITS] + more)]


def _describe(edit: Edit, unit: str | None) -> str:
    """Describe one edit in a few words; `segscore explain` describes it in full."""
    ends = [end for end in (edit.position, edit.other_position) if end is not None]
    if edit.kind == "near_miss":
        return "near " + "→".join(shown_position(end, unit) for end in ends)
    return f"{edit.kind.replace('_', ' ')} {shown_position(ends[0], unit)}"

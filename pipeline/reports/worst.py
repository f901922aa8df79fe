"""Documents drawn segment by segment: those on which systems do worst, and others to open."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.comparison.runs import System
from segscore.pipeline.comparison.samples import Sample
from segscore.pipeline.errors import Failed, Refused, place_and_reason
from segscore.pipeline.importing.text_around import read_texts
from segscore.pipeline.measures.edit_list import Edit
from segscore.pipeline.reports.page import Cell, Figure, PageTable, Section, isolated
from segscore.pipeline.reports.ranking import Ranking
from segscore.pipeline.reports.strips import Drawing, boundary_strip, draw_strip, outcome_strip
from segscore.pipeline.reports.words_around import words_around
from segscore.pipeline.results.names import is_point
from segscore.pipeline.scoring.explain import Explained, explain_pairs
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.statistics.formatted_numbers import shown_position

_WORST, REFERENCES, _SYSTEMS = 3, 3, 8
"""Maximum numbers of documents, of references per document, of systems (the best) below each."""

OPENED, _CHARACTERS, _STRIP = 400, 1_500_000, 150
"""Maximum numbers of documents that can be opened, and of characters in their drawings; characters
of a strip without marks."""

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


def worst_sections(
    run: FinishedScoring,
    sample: Sample,
    ranking: Ranking,
    units: str | None = None,
    failed: Sequence[str] = (),
) -> Iterator[Section]:
    """Draw the worst documents of the best system, then others, each to be opened.

    On a night that failed, they are those of the first system that failed.

    Args:
        run: the scoring run.
        sample: the documents that all systems share.
        ranking: of the systems.
        units: file with the texts of the units, to show the words around errors; None for none.
        failed: the systems that failed on a night.

    Raises:
        Refused: the texts cannot be read, or are not those of the run.
    """
    chosen = _chosen(sample, ranking, failed)
    title, worst = "The worst documents", hardest(sample, ranking, chosen)
    others = [name for name in _worst_first(sample, ranking, chosen) if name not in worst][:OPENED]
    try:
        explained = explain_pairs(run, [*worst, *others]).pairs
    except (Refused, Failed, OSError) as problem:
        why = f"Not drawn: {place_and_reason(problem)}."
        yield Section("worst", title, why, [], missing=why)
        return
    by_document: dict[str, list[Explained]] = {name: [] for name in (*worst, *others)}
    for pair in explained:
        by_document[pair.document].append(pair)
    best = isolated(chosen.label)
    text = _introduced(best, ranking, worst=bool(worst), failed=chosen.hypothesis in failed)
    drawn = {name: by_document[name] for name in worst if by_document[name]}
    sizes = {name: pairs[0].n_units for name, pairs in drawn.items()}
    texts = read_texts(units, sizes) if units is not None and sizes else {}
    yield Section("worst", title, text, [*_figures(drawn, texts, sample, ranking)], open=True)
    openable = [*_openable({name: by_document[name] for name in others}, sample, ranking)]
    if openable:
        left = len(sample.documents) - len(worst) - len(openable)
        more = f" {left:,} more are not in this page: segscore explain shows them." if left else ""
        text = (
            f"{len(openable):,} documents, the worst of {best} first; open one to see it drawn."
            f"{more}"
        )
        yield Section("other", "Other documents", text, [], openable=openable)


def _introduced(best: str, ranking: Ranking, *, worst: bool, failed: bool) -> str:
    """Say which documents are drawn, and how to read them."""
    measure = ranking.measure.name
    if not worst:
        return f"There are none: {measure} of {best} is perfect or undefined."
    which = "which failed" if failed else "the best system"
    return (
        f"The documents on which {best}, {which}, has its worst {measure}. Below each reference "
        "are the systems, best first, with the outcome of each boundary."
    )


def _figures(
    drawn: Mapping[str, Sequence[Explained]],
    texts: Mapping[str, Sequence[str]],
    sample: Sample,
    ranking: Ranking,
) -> Iterator[Figure]:
    """Yield the drawing of each document and, if its texts are known, the words around errors."""
    for name, pairs in drawn.items():
        yield _figure(name, pairs, sample, ranking)
        if name in texts:
            yield words_around(name, pairs, texts[name])


def _openable(
    by_document: Mapping[str, Sequence[Explained]], sample: Sample, ranking: Ranking
) -> Iterator[Figure]:
    """Yield figures of documents, as many as fit the page."""
    size = 0
    for name, pairs in by_document.items():
        if pairs:
            figure = _figure(name, pairs, sample, ranking)
            strips = [strip for drawing in figure.drawings for strip in drawing.rows]
            size += sum(_STRIP + sum(map(len, strip.paths.values())) for strip in strips)
            if size > _CHARACTERS:
                return
            yield replace(figure, table=None)


def hardest(sample: Sample, ranking: Ranking, chosen: System) -> list[str]:
    """Return the worst documents of a system, ties by id, without perfect ones."""
    values = _values(sample, ranking, chosen)
    perfect = 0.0 if ranking.measure.better == "lower" else ranking.measure.upper
    known = int((~np.isnan(values) & (values != perfect)).sum())
    return _worst_first(sample, ranking, chosen)[: min(known, _WORST)]


def _worst_first(sample: Sample, ranking: Ranking, chosen: System) -> list[str]:
    """Return all documents by a system's value, ties by id, undefined ones last."""
    values = _values(sample, ranking, chosen)
    order = np.argsort(-values if ranking.measure.better == "lower" else values, kind="stable")
    return [sample.documents[int(i)].as_py() for i in order]


def _values(sample: Sample, ranking: Ranking, chosen: System) -> Floats:
    values: Floats = sample.values[ranking.measure.name][sample.systems.index(chosen)]
    return values


def _chosen(sample: Sample, ranking: Ranking, failed: Sequence[str]) -> System:
    """Return the first system that failed, else the best; a point only if there is no system."""
    ordered = [sample.systems[i] for i in ranking.order(sample)]

    def comes_first(system: System) -> tuple[bool, bool]:
        return system.hypothesis not in failed, is_point(system.hypothesis)

    return min(ordered, key=comes_first)


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
        drawings=[draw_reference(group) for group in by_reference[:REFERENCES]],
        wide=True,
    )


def _format_value(value: float) -> str:
    return "undefined" if np.isnan(value) else f"{value:.3f}"


def draw_reference(pairs: Sequence[Explained]) -> Drawing:
    """Draw a reference with systems below it; ``pairs`` are the first reference's, best first."""
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

"""Count where systems miss boundaries or raise false alarms: by story, position, kind and so on.

The tables of a run contain no boundaries, so its inputs are read again and must not have changed.
Each decision of boundary edit distance counts once per reference, so a boundary that many coders
marked counts many times: missing it costs more (Kazantseva & Szpakowicz 2012, 5).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import repeat

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.arrays.ragged import Flags, Ints, flags, numbers
from segscore.pipeline.comparison.boundary_classes import NO_CLASS, Places
from segscore.pipeline.comparison.boundary_distances import distance_ends, nearest_distance
from segscore.pipeline.comparison.boundary_outcomes import FALSE_ALARM, KINDS, find_outcomes
from segscore.pipeline.comparison.runs import System
from segscore.pipeline.errors import Refused
from segscore.pipeline.runs.planning import ROWS_AT_ONCE
from segscore.pipeline.scoring.boundaries import side_from_rows
from segscore.pipeline.scoring.counting import pair_up
from segscore.pipeline.scoring.finished_scoring import FinishedScoring
from segscore.pipeline.scoring.hypotheses import Accepted, accept_hypotheses, no_documents
from segscore.pipeline.scoring.missing import empty_hypotheses
from segscore.pipeline.scoring.reopen import Reopened, reopen
from segscore.pipeline.tables.read import Rows, join_rows, read_slices


def where(
    runs: Sequence[FinishedScoring], systems: Sequence[System], documents: pa.StringArray
) -> Iterator[dict[str, object]]:
    """Count the outcomes of the boundaries in each class (schemas/comparisons.py, WHERE).

    Args:
        runs: runs whose inputs are read again.
        systems: systems to include; reference points, which are in no input, are left out.
        documents: documents to include.

    Raises:
        Refused: an input has changed since it was scored, or is in a place that is not trusted.
    """
    for number, run in enumerate(runs):
        chosen = {system.hypothesis: system for system in systems if system.run == number}
        chosen = {name: system for name, system in chosen.items() if not system.is_point}
        if chosen:
            if run.tables is not None:
                raise Refused(f"--where: reads inputs again, and {run.name} is not in a folder")
            yield from _count_run(reopen(run), run.name, chosen, documents)


DISTANCE = "distance"
"""The analysis by distance from the nearest boundary of the other side."""

_Tally = dict[str, Ints]
"""Analysis -> counts by system, class and outcome."""


def _count_run(
    opened: Reopened, name: str, systems: Mapping[str, System], documents: pa.StringArray
) -> Iterator[dict[str, object]]:
    references = opened.references
    shared = np.zeros(len(references.documents), bool)
    indices = references.documents.find(documents)
    shared[indices[indices >= 0]] = True
    places = Places(opened.collected, shared)
    tally = _tally_run(opened, places, list(systems), shared)
    listed_classes = {
        analysis: [*zip(each.low, each.high, each.kinds or repeat(None), strict=False)]
        for analysis, each in places.classes.items()
    }
    ends = distance_ends(opened.inputs.unit, opened.settings.units)
    starts = [0, *(end + 1 for end in ends)]
    listed_classes[DISTANCE] = [*zip(starts, [*ends, None], repeat(None), strict=False)]
    for analysis, listed in listed_classes.items():
        for class_index, of_class in enumerate(listed):
            for s, system in enumerate(systems.values()):
                counts = dict(zip(KINDS, tally[analysis][s, class_index].tolist(), strict=True))
                if any(counts.values()):
                    yield _row(analysis, of_class, system, name, counts)


def _row(
    analysis: str,
    of_class: tuple[float | None, float | None, str | None],
    system: System,
    run: str,
    counts: Mapping[str, int],
) -> dict[str, object]:
    boundaries = sum(counts.values()) - counts["false_alarms"]
    marks = boundaries - counts["misses"] + counts["false_alarms"]
    low, high, kind = of_class
    of_references = {} if kind is None else {"false_alarms": None, "false_alarm_rate": None}
    return {
        "analysis": analysis,
        "low": low,
        "high": high,
        "kind": kind,
        "system": system.label,
        "run": run,
        "hypothesis": system.hypothesis,
        "reference_boundaries": boundaries,
        **counts,
        "miss_rate": counts["misses"] / boundaries if boundaries else None,
        "false_alarm_rate": counts["false_alarms"] / marks if marks else None,
        **of_references,
    }


def _tally_run(opened: Reopened, places: Places, systems: list[str], shared: Flags) -> _Tally:
    """Add up the counts of the hypotheses that the run scored, some at a time."""
    tallies = [
        _tally(opened, places, systems, shared, accepted)
        for accepted in scored_hypotheses(opened, systems, shared)
    ]
    return {name: np.sum([tally[name] for tally in tallies], axis=0) for name in tallies[0]}


def scored_hypotheses(
    opened: Reopened, systems: Sequence[str], shared: Flags
) -> Iterator[Accepted]:
    """Yield the hypotheses of systems that the run scored, then those that it added for missing.

    Only rows of shared documents are kept.
    """
    references, typed = opened.references, opened.inputs.typed
    rows = join_rows([*_read_shared(opened, systems, shared)])
    accepted = accept_hypotheses(rows, references, typed=typed, settings=opened.settings)
    for start in range(0, len(accepted.rows), ROWS_AT_ONCE):
        end = min(start + ROWS_AT_ONCE, len(accepted.rows))
        document = accepted.document[start:end]
        yield replace(accepted, rows=accepted.rows.part(start, end), document=document)
    if opened.missing.added:
        others, nothing = np.packbits(~shared), no_documents(references)
        given = {name: others | accepted.uncharged.get(name, nothing) for name in systems}
        yield from empty_hypotheses(given, references, ROWS_AT_ONCE, typed=typed)


def _read_shared(opened: Reopened, systems: Sequence[str], shared: Flags) -> Iterator[Rows]:
    """Yield the hypotheses of systems for shared documents, slice by slice of the table."""
    table, documents = opened.inputs.hypotheses, opened.references.documents
    names = pa.array(systems, pa.string())
    for rows in read_slices(table.slices, table.further):
        is_chosen = pc.is_in(rows.table.column("coder"), value_set=names)
        document = documents.find(rows.ids.fill_null(""))
        is_shared = (document >= 0) & shared[document]
        yield rows.keep(flags(is_chosen.combine_chunks()) & is_shared)


def _tally(
    opened: Reopened, places: Places, systems: list[str], shared: Flags, accepted: Accepted
) -> _Tally:
    coder = accepted.rows.table.column("coder").chunk(0).dictionary_encode()
    system_index = {name: i for i, name in enumerate(systems)}
    code = np.array([system_index.get(name, -1) for name in coder.dictionary.to_pylist()] + [-1])
    system = code[numbers(coder.indices)]
    chosen = (system >= 0) & shared[accepted.document]
    rows, document, system = accepted.rows.keep(chosen), accepted.document[chosen], system[chosen]
    references = opened.references
    hypotheses = side_from_rows(rows, document, references.words, typed=opened.inputs.typed)
    pairs = pair_up(document, references.first)
    outcomes = find_outcomes(opened, hypotheses, pairs)
    marked, alarmed = outcomes.pair, outcomes.alarm_pair
    alarms, kind = np.full(len(alarmed), FALSE_ALARM), outcomes.kind.astype(np.int64)
    by_pair = system[pairs.hyp_row]

    def add_up_classes(classes: int, of_boundaries: Ints, of_alarms: Ints) -> Ints:
        shape = (len(systems), classes, len(KINDS))
        counts = _count(by_pair[marked], of_boundaries, kind, shape)
        return counts + _count(by_pair[alarmed], of_alarms, alarms, shape)

    counts = {
        analysis: add_up_classes(
            len(classes.low),
            classes.boundary_class[outcomes.boundary],
            classes.class_of(pairs.ref_row[alarmed], outcomes.alarm_position),
        )
        for analysis, classes in places.classes.items()
    }
    ends = distance_ends(opened.inputs.unit, opened.settings.units)
    position = references.side.typed.values[outcomes.boundary].astype(np.int64)
    missed_by = nearest_distance(hypotheses.boundaries, pairs.hyp_row[marked], position)
    off_by = nearest_distance(
        references.side.boundaries, pairs.ref_row[alarmed], outcomes.alarm_position
    )
    counts[DISTANCE] = add_up_classes(
        len(ends) + 1, *(np.searchsorted(ends, each) for each in (missed_by, off_by))
    )
    return counts


def _count(system: Ints, class_index: Ints, kind: Ints, shape: tuple[int, int, int]) -> Ints:
    """Count boundaries by system, class and outcome, leaving out those without a class."""
    cell = (system * shape[1] + class_index) * shape[2] + kind
    counted = np.bincount(cell[class_index != NO_CLASS], minlength=shape[0] * shape[1] * shape[2])
    return counted.reshape(shape).astype(np.int64)

"""Results of segscore's compiled passes on the cases of the conformance set."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np

from segscore.api.counting import count_pair
from segscore.api.segmentation import Segmentation
from segscore.pipeline.arrays.ragged import Ints, Ragged, cumulative, from_lists
from segscore.pipeline.measures import (
    PAIRS,
    Table,
    content,
    edits,
    panel,
    panel_tolerance,
    windows,
)
from segscore.pipeline.measures.compared import PanelRows, UnitTotals
from segscore.pipeline.measures.edit_list import Edit, list_edits
from segscore.pipeline.measures.measure import evaluate
from segscore.pipeline.measures.segmentation_pairs import pair_rows
from segscore.pipeline.measures.type_confusion import class_confusion, no_decisions
from segscore.pipeline.scoring.boundaries import UnitLengths, side, typed_side
from segscore.pipeline.scoring.consensus import consensus
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.settings.reading import parse_iou
from segscore.pipeline.statistics import averages as summary
from segscore.pipeline.statistics import resampling, sums
from tests.conformance import make as make_conformance
from tests.conformance import ours_worth
from tests.conformance.cases import Expected, Given
from tests.oracles import naive
from tests.support import passes

ONE = passes.ONE


OF_PANEL = Table.of(panel.COUNTS, panel.MEASURES)
"""Windows of a hypothesis against all references of its document."""


def values_of(
    table: Table,
    counts: Mapping[str, int],
    parameters: Mapping[str, float] | None = None,
    *,
    rows: bool = True,
) -> dict[str, float | None]:
    """All values of one row's counts, 0 where not given; None where undefined."""
    arrays: dict[str, Ints] = {name: np.array([counts.get(name, 0)]) for name in table.counts}
    arrays_of_values = evaluate(
        table.measures.values(), arrays, parameters or run_parameters({}), rows=rows
    )
    return {
        name: None if np.isnan(value[0]) else float(value[0])
        for name, value in arrays_of_values.items()
    }


def run_parameters(given: Given) -> dict[str, float]:
    """Parameters of the formulas, as a run sets them."""
    changes: dict[str, Any] = {}
    for name in ("n_t", "edges"):
        if name in given:
            changes[name] = given[name]
    for name in ("beta", "cost_miss"):
        if name in given:
            changes[name] = float(Fraction(given[name]))
    for name in ("c_seg_costs", "content_weights"):
        if name in given:
            changes[name] = tuple(float(Fraction(text)) for text in given[name])
    p_seg = given.get("p_seg")
    prior = float("nan") if p_seg is None else float(Fraction(p_seg))
    constants = {f"constant_{kind}": 0.0 for kind in ("near_miss", "substitution")}
    constants |= {name: float(Fraction(given[name])) for name in constants if name in given}
    types = tuple(given.get("types", (1,)))
    return replace(passes.SETTINGS, **changes).parameters(prior, types) | constants


def positions(rows: Ragged) -> list[int]:
    """Return the only row of a ragged array."""
    only_row: list[int] = rows.values.tolist()
    return only_row


def ours_of_units(given: Given) -> Expected:
    words = UnitLengths.from_lengths(from_lists([given["unit_lengths"]]))
    measured: dict[str, Any] = {"n_units": int(words.whole(ONE)[0])}
    if "types" not in given:
        mapped = side(from_lists([given["boundaries"]]), ONE, words)
        measured["boundaries"] = positions(mapped.boundaries)
    else:
        places = from_lists([[position for position, _ in given["boundaries"]]])
        types = np.array([t for _, t in given["boundaries"]], np.int32)
        mapped = typed_side(places, types, ONE, words)
        assert mapped.types is not None
        both = zip(positions(mapped.typed), mapped.types.tolist(), strict=True)
        measured["boundaries"] = [list(boundary) for boundary in both]
    return measured | {"collapsed_boundaries": int(mapped.collapsed[0])}


def compiled_window_size(n_units: int, segments: int, rounding: str) -> int:
    return int(windows.window_size(np.array([n_units]), np.array([segments]), rounding)[0])


def ours_of_window_size(given: Given) -> Expected:
    k, m = window_sizes(given)
    return {"k": k, "m": m}


def window_sizes(given: Given) -> tuple[list[list[int]], list[int]]:
    """Windows of each reference (k) and of each document (m), by the compiled size of sums."""
    policy, rounding, documents = given["window"], given["rounding"], given["documents"]
    references = [document["references"] for document in documents]
    if isinstance(policy, int):
        return [[policy] * len(lists) for lists in references], [policy] * len(documents)
    units = [document["n_units"] * len(document["references"]) for document in documents]
    segments = [sum(len(r) + 1 for r in lists) for lists in references]
    if policy == "per-run":
        units, segments = [sum(units)] * len(units), [sum(segments)] * len(units)
    sums = zip(units, segments, strict=True)
    m = [compiled_window_size(n, s, rounding) for n, s in sums]
    if policy != "per-pair":
        return [[size] * len(lists) for size, lists in zip(m, references, strict=True)], m
    k = [
        [compiled_window_size(d["n_units"], len(r) + 1, rounding) for r in d["references"]]
        for d in documents
    ]
    return k, m


def ours_of_windows(given: Given) -> Expected:
    pair = given["n_units"], given["reference"], given["hypothesis"]
    counts = passes.window_counts(*pair, given["k"])
    return {"counts": counts, "values": values_of(PAIRS, counts)}


def typed_sides(given: Given) -> tuple[tuple[list[int], list[int]], tuple[list[int], list[int]]]:
    """(positions, types) of the reference and of the hypothesis."""
    reference, hypothesis = (
        ([position for position, _ in given[role]], [t for _, t in given[role]])
        for role in ("reference", "hypothesis")
    )
    return reference, hypothesis


def ours_of_edits(given: Given) -> Expected:
    sides = given["reference"], given["hypothesis"]
    n_t, pairing = given["n_t"], given["pairing"]
    units = np.array([given["n_units"]])
    both = pair_rows(from_lists([sides[0]]), from_lists([sides[1]]), ONE, ONE, units)
    counted = named(edits.COUNTS, edits.count(both, n_t, pairing=pairing))
    listed = make_conformance.plain_edits(twins(list_edits(*sides, n_t, pairing)))
    return {
        "edits": listed,
        "counts": counted,
        "values": values_of(PAIRS, counted, run_parameters(given)),
    }


def twins(edits: Sequence[Edit]) -> list[naive.Edit]:
    """Return the same edits by the slow twin."""
    return [naive.Edit(*edit[:5]) for edit in edits]


def typed_counts(given: Given, **options: Any) -> dict[str, int]:
    """The edit counts of one pair with types."""
    reference, hypothesis = typed_sides(given)
    sides = from_lists([reference[0]]), from_lists([hypothesis[0]])
    counted = edits.count(
        pair_rows(*sides, ONE, ONE, np.array([given["n_units"]])),
        given.get("n_t", 2),
        types=passes.typed_sides(given["types"], reference[1], hypothesis[1]),
        **options,
    )
    return named(edits.COUNTS, counted)


def ours_of_typed_edits(given: Given) -> Expected:
    if "types" not in given:
        return ours_of_edits(given)
    types, n_t, pairing = given["types"], given["n_t"], given["pairing"]
    decided = no_decisions(types)
    counted = typed_counts(given, pairing=pairing, decided=decided)
    reference, hypothesis = typed_sides(given)
    both = passes.typed_sides(types, reference[1], hypothesis[1])
    edits = list_edits(reference[0], hypothesis[0], n_t, pairing, both)
    return {
        "edits": make_conformance.ends_of_edits(twins(edits)),
        "counts": counted,
        "values": values_of(PAIRS, counted, run_parameters(given)),
        "classes": [[*row.values()] for row in class_confusion(decided, n_t).to_pylist()],
    }


def ours_of_ghd(given: Given) -> Expected:
    if "types" in given:
        return {"counts": typed_counts(given)}
    pair = given["n_units"], given["reference"], given["hypothesis"]
    return {"counts": passes.edit_counts(*pair, 2)}


def ours_of_content(given: Given) -> Expected:
    counted = named(content.COUNTS, content_pass(given))
    return {"counts": counted, "values": values_of(PAIRS, counted, run_parameters(given))}


def content_pass(given: Given) -> Ints:
    """The content counts of one pair, by the pass that a run would choose."""
    units = given["n_units"]
    both = [from_lists([given[role]]) for role in ("reference", "hypothesis")]
    lengths = given.get("unit_lengths")
    words = None if lengths is None else UnitLengths.from_lengths(from_lists([lengths]))
    if "unit_weights" in given:
        heard = cumulative(from_lists([lengths or [1] * units]))
        weights = cumulative(from_lists([given["unit_weights"]]))
        pair = pair_rows(both[0], both[1], ONE, ONE, np.array([units]))
        totals = UnitTotals(np.array([0, units]), heard, weights)
        return content.count_weighted(pair, ONE, totals)
    size = np.array([units]) if words is None else words.whole(ONE)
    reference, hypothesis = (side(boundaries, ONE, words).boundaries for boundaries in both)
    return content.count(pair_rows(reference, hypothesis, ONE, ONE, size))


def named(names: Iterable[str], counted: Ints) -> dict[str, int]:
    return dict(zip(names, counted[:, 0].tolist(), strict=True))


def panel_counts(given: Given, m: int) -> dict[str, int]:
    """The panel's counts of one hypothesis."""
    references, hypotheses = from_lists(given["references"]), from_lists([given["hypothesis"]])
    first = np.array([0, len(references)])
    sizes = np.array([given["n_units"]]), np.array([m])
    rows = PanelRows(first, ONE, ONE, *sizes)
    return named(panel.COUNTS, panel.count(references, hypotheses, rows))


def pair_of(given: Given) -> tuple[int, list[int], list[int]]:
    """The pair of a case."""
    return given["n_units"], given["reference"], given["hypothesis"]


def near_of(given: Given) -> passes.Near:
    """How near boundaries and segments must be."""
    iou, reached = parse_iou(given.get("tiou", "1/2"))
    return passes.Near(given.get("tolerance", 0), given.get("edges", 0), iou, reached)


def ours_of_tolerance(given: Given) -> Expected:
    counts = passes.tolerance_counts(*pair_of(given), near_of(given))
    return {"counts": counts, "values": values_of(PAIRS, counts, run_parameters(given))}


def ours_of_winpr(given: Given) -> Expected:
    counts = passes.winpr_counts(*pair_of(given), given["k"])
    return {"counts": counts, "values": values_of(PAIRS, counts, run_parameters(given))}


def ours_of_overlap(given: Given) -> Expected:
    pair = pair_of(given)
    counts = passes.overlap_counts(*pair, near_of(given))
    whole = counts | passes.tolerance_counts(*pair) | passes.content_counts(*pair)
    return {"counts": counts, "values": values_of(PAIRS, whole, run_parameters(given))}


def ours_of_selected(given: Given) -> Expected:
    ref, hyp = (
        Segmentation(given[role], given["n_units"], labels=given[f"{role}_labels"])
        for role in ("reference", "hypothesis")
    )
    settings = MeasuringSettings(
        measures=("selected",),
        select=tuple(given["select"]),
        join=given["join"],
        tiou=given["tiou"],
        tolerance=given.get("tolerance", 0),
        beta=float(Fraction(given.get("beta", "1"))),
    )
    counted = count_pair(ref, hyp, settings)
    counts = dict(zip(counted.table.counts, counted.counts.tolist(), strict=True))
    return {"counts": counts, "values": values_of(PAIRS, counts, run_parameters(given))}


def ours_of_dialogue(given: Given) -> Expected:
    counts = passes.counts(*pair_of(given), given["k"], given["n_t"])
    return {"values": values_of(PAIRS, counts, run_parameters(given))}


def ours_of_panel(given: Given) -> Expected:
    counts = panel_counts(given, given["k"])
    return {"counts": counts, "values": values_of(OF_PANEL, counts)}


def ours_of_panel_tolerance(given: Given) -> Expected:
    references, hypotheses = from_lists(given["references"]), from_lists([given["hypothesis"]])
    first = np.array([0, len(references)])
    rows = PanelRows(first, ONE, ONE, np.array([given["n_units"]]), np.array([1]))
    tolerance, edges = given["tolerance"], given["edges"]
    settings = MeasuringSettings(tolerance=tolerance, edges=edges)
    counted = panel_tolerance.count_panels(references, hypotheses, rows, settings)
    counts = named(panel_tolerance.COUNTS, counted)
    table = Table.of(panel_tolerance.COUNTS, panel_tolerance.MEASURES)
    return {"counts": counts, "values": values_of(table, counts, run_parameters(given))}


def ours_of_consensus(given: Given) -> Expected:
    references = from_lists(given["references"])
    first = np.array([0, len(references)])
    return {"boundaries": positions(consensus(references, first, Fraction(given["share"])))}


def ours_of_formulas(given: Given) -> Expected:
    parameters = run_parameters(given["parameters"])
    return {"values": values_of(PAIRS, given["counts"], parameters, rows=given["row"])}


def ours_of_pooled(given: Given) -> Expected:
    k, m = window_sizes(given)
    p_seg = pooled_p_seg(given, k)
    rows = [
        (d, passes.counts(document["n_units"], reference, document["hypothesis"], size, n_t))
        for n_t in [given["n_t"]]
        for d, document in enumerate(given["documents"])
        if document["hypothesis"] is not None
        for reference, size in zip(document["references"], k[d], strict=True)
    ]
    parameters = run_parameters({"n_t": given["n_t"], "p_seg": p_seg})
    with_hypothesis = [
        (d, panel_counts(document, m[d]))
        for d, document in enumerate(given["documents"])
        if document["hypothesis"] is not None
    ]
    averaged = averages(PAIRS, rows, parameters)
    return {
        "k": k,
        "p_seg": p_seg,
        "panel": {"m": m, **averages(OF_PANEL, with_hypothesis, {})},
        **averaged,
    }


def pooled_p_seg(given: Given, k: Sequence[Sequence[int]]) -> float | None:
    """P_seg over every reference, by the pass that looks at references alone."""
    documents = given["documents"]
    references = [reference for document in documents for reference in document["references"]]
    units = np.array([d["n_units"] for d in documents for _ in d["references"]])
    sizes = np.array([*chain(*k)])
    measured = int(np.maximum(0, units - sizes).sum())
    covered = int(windows.reference_windows(from_lists(references), units, sizes).sum())
    return covered / measured if measured else None


def averages(
    table: Table, rows: Sequence[tuple[int, dict[str, int]]], parameters: Mapping[str, float]
) -> Expected:
    """Sums and averages of one system, as a run computes them."""
    counts = np.array([[row[name] for name in table.counts] for _, row in rows]).T
    by_name = dict(zip(table.counts, counts, strict=True))
    values = evaluate(table.measures.values(), by_name, parameters, rows=True)
    document = np.array([d for d, _ in rows])
    nowhere = np.zeros(len(rows), np.int64)
    ids = np.arange(1 + document.max())
    units = resampling.Units(np.zeros_like(ids), np.zeros(1, np.uint64), ids.astype(np.uint64))
    valued = list(values.values())
    counted = sums.CountedRows(document, list(counts), valued, one_each=False)
    added = sums.sum_rows([("system",)], nowhere, units, counted)
    by_kind: dict[str, dict[str, float | None]] = {"micro": {}, "macro": {}}
    defined = {}
    found = summary.averages(table, sums.merge([added]), 0, summary.Parameters(parameters, None))
    for average in found.rows.values():
        value = None if np.isnan(average.value) else average.value
        by_kind[average.average][average.measure] = value
        defined[average.measure] = average.defined
    pooled = dict(zip(table.counts, counts.sum(axis=1).tolist(), strict=True))
    return {"counts": pooled, **by_kind, "defined": defined}


COMPILED: dict[str, Callable[[Given], Expected]] = {
    "units": ours_of_units,
    "window_size": ours_of_window_size,
    "windows": ours_of_windows,
    "edits": ours_of_edits,
    "typed_edits": ours_of_typed_edits,
    "optimal_edits": ours_of_typed_edits,
    "ghd": ours_of_ghd,
    "content": ours_of_content,
    "tolerance": ours_of_tolerance,
    "winpr": ours_of_winpr,
    "overlap": ours_of_overlap,
    "selected": ours_of_selected,
    "dialogue": ours_of_dialogue,
    "panel": ours_of_panel,
    "panel_tolerance": ours_of_panel_tolerance,
    "consensus": ours_of_consensus,
    "pooled": ours_of_pooled,
    "formulas": ours_of_formulas,
    **ours_worth.COMPILED,
}

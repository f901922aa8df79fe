"""Hypotheses that met their references: counted, valued, and added up."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from pipeline import summary
from pipeline.measures import COUNTS, MEASURES, PANELS, content, edits, panel, windows
from pipeline.measures.measure import evaluate
from pipeline.references import References
from pipeline.segmentations import Floats, Ints, column, numbers
from pipeline.settings import ScoreSettings
from pipeline.sides import Side
from pipeline.summary import Sums


@dataclass(frozen=True)
class Hypotheses:
    """Segmentations to judge, each of a document that has a reference.

    Attributes:
        coder: the name each stands under in scores, shape (rows,).
        system: the name it is averaged under, shape (rows,).
        document: of each, shape (rows,).
        side: their boundaries.
        attributes: one row each.
    """

    coder: pa.StringArray
    system: pa.StringArray
    document: Ints
    side: Side
    attributes: pa.Table


@dataclass(frozen=True)
class Pairs:
    """Which reference meets which hypothesis: rows of either, shape (pairs,)."""

    ref_row: Ints
    hyp_row: Ints


@dataclass(frozen=True)
class Rule:
    """How pairs are counted and added up.

    Attributes:
        settings: of the run.
        types: boundary types of the run, ascending; (1,) in a run without types.
        group_by: the group-by columns and their types.
    """

    settings: ScoreSettings
    types: tuple[int, ...]
    group_by: dict[str, pa.DataType]


@dataclass(frozen=True)
class Scored:
    """Rows of an output table and what they add up to."""

    table: pa.Table
    sums: list[Sums]


def meet(document: Ints, first: Ints) -> Pairs:
    """Pair each hypothesis with all references of its document.

    Args:
        document: of each hypothesis, shape (hypotheses,).
        first: document d's references are rows first[d]..first[d+1]-1, shape (documents + 1,).

    Returns:
        Pairs in the order of the hypotheses, then of the references.
    """
    start = first[document]
    partners = first[document + 1] - start
    hyp_row = np.repeat(np.arange(len(document)), partners)
    before = np.cumsum(partners) - partners
    return Pairs(np.arange(len(hyp_row)) + np.repeat(start - before, partners), hyp_row)


def score_pairs(
    hypotheses: Hypotheses, pairs: Pairs, references: References, rule: Rule, *, original: bool
) -> Scored:
    """Count and value every pair: rows of scores (schemas/scores.py).

    Args:
        hypotheses: of the task.
        pairs: who meets whom.
        references: the original ones, or consensus ones.
        rule: how to count.
        original: whether these are the original references, which alone make the averages over all
            references.
    """
    counts = count(hypotheses, pairs, references, rule)
    parameters = rule.settings.parameters(references.p_seg, rule.types)
    by_name = dict(zip(COUNTS, counts, strict=True))
    values = evaluate(MEASURES.values(), by_name, parameters, rows=True)
    ref, hyp = pairs.ref_row, pairs.hyp_row
    document = hypotheses.document[hyp]
    names = {
        "document_id": references.documents.ids.take(pa.array(document)),
        "reference": references.coder.take(pa.array(ref)),
        "hypothesis": hypotheses.coder.take(pa.array(hyp)),
        **_attributes(hypotheses, pairs, references),
    }
    collapsed = references.side.collapsed[ref] + hypotheses.side.collapsed[hyp]
    sizes = {
        "n_units": column(references.size[ref]),
        "window": column(references.window[ref]),
        "collapsed_boundaries": column(collapsed),
    }
    counted = {name: column(row) for name, row in by_name.items()}
    valued = {name: column(row) for name, row in values.items()}
    table = pa.table({**names, **sizes, **counted, **valued})
    system = hypotheses.system.take(pa.array(hyp))
    unit = references.resampling_unit[document]
    valued_rows = list(values.values())
    sums = _sums(table, system, rule, unit, document, counts, valued_rows, original=original)
    return Scored(table, sums)


def count(hypotheses: Hypotheses, pairs: Pairs, references: References, rule: Rule) -> list[Ints]:
    """Run every family's pass over the pairs: of each of COUNTS, shape (pairs,)."""
    settings = rule.settings
    ref, hyp = references.side, hypotheses.side
    rows = pairs.ref_row, pairs.hyp_row
    size = references.size[pairs.ref_row]
    return [
        *windows.count(
            ref.boundaries, hyp.boundaries, *rows, size, references.window[pairs.ref_row]
        ),
        *edits.count(
            ref.typed,
            hyp.typed,
            *rows,
            size,
            settings.n_t,
            pairing=settings.pairing,
            types=rule.types,
            reference_types=ref.types,
            hypothesis_types=hyp.types,
        ),
        *_content(hypotheses, pairs, references, size),
    ]


def _content(hypotheses: Hypotheses, pairs: Pairs, references: References, size: Ints) -> Ints:
    ref, hyp = references.side, hypotheses.side
    rows = pairs.ref_row, pairs.hyp_row
    if references.weights is None:
        return content.count(ref.boundaries, hyp.boundaries, *rows, size)
    weights = references.weights
    heard = weights.units if references.words is None else references.words.totals
    document = hypotheses.document[pairs.hyp_row]
    both = ref.in_units, hyp.in_units
    return content.count_weighted(
        *both, *rows, document, weights.lengths.offsets, heard, weights.totals
    )


def score_panels(
    hypotheses: Hypotheses, scored: pa.Table, pairs: Pairs, references: References, rule: Rule
) -> Scored:
    """Judge each hypothesis by all references at once: rows of panel_scores (docs/measures.md).

    Args:
        hypotheses: of the task, one row a document and coder.
        scored: their rows of scores against each reference, for the means over references.
        pairs: of ``scored``; each hypothesis has met all references of its document.
        references: the original ones.
        rule: how to count.
    """
    document = hypotheses.document
    first = references.first[document]
    size, window = references.size[first], references.panel_window[document]
    rows = np.arange(len(document))
    both = references.side.boundaries, hypotheses.side.boundaries
    counts = panel.count(*both, references.first, document, rows, size, window)
    by_name = dict(zip(PANELS.counts, counts, strict=True))
    values = evaluate(PANELS.measures.values(), by_name, {}, rows=True)
    names = {
        "document_id": references.documents.ids.take(pa.array(document)),
        "hypothesis": hypotheses.coder,
        **_attributes(hypotheses, Pairs(first, rows), references),
    }
    counted = {name: column(row) for name, row in by_name.items()}
    valued = {name: column(row) for name, row in values.items()}
    means = summary.mean_over_references(_values(scored), pairs.hyp_row)
    meant = {f"mean_{name}": column(row) for name, row in zip(MEASURES, means, strict=True)}
    sizes = {"references": counted.pop("references"), "window": column(window)}
    table = pa.table({**names, **sizes, **counted, **valued, **meant})
    unit, system = references.resampling_unit[document], hypotheses.system
    valued_rows = list(values.values())
    sums = _sums(table, system, rule, unit, document, list(counts), valued_rows, original=True)
    return Scored(table, sums)


def _values(scored: pa.Table) -> list[Floats]:
    """The measures of rows of scores, NaN where null, shape (rows,) each."""
    return [
        numbers(scored.column(name).combine_chunks().fill_null(float("nan"))) for name in MEASURES
    ]


def _attributes(
    hypotheses: Hypotheses, pairs: Pairs, references: References
) -> dict[str, pa.ChunkedArray]:
    """What the document or the reference has; where they are silent, what the hypothesis has."""
    from_references = references.attributes.take(pa.array(pairs.ref_row))
    columns = dict(zip(from_references.column_names, from_references.columns, strict=True))
    for name in hypotheses.attributes.column_names:
        if name not in columns:
            columns[name] = hypotheses.attributes.column(name).take(pa.array(pairs.hyp_row))
    return columns


def _sums(
    table: pa.Table,
    system: pa.StringArray,
    rule: Rule,
    unit: Ints,
    document: Ints,
    counts: list[Ints],
    values: list[Floats],
    *,
    original: bool,
) -> list[Sums]:
    """Add up over all documents of each system and, if asked for, over each of its groups."""
    by = [name for name in rule.group_by if name in table.column_names]
    named = pa.table({"system": system, **{name: table.column(name) for name in by}})
    sums = []
    if original:
        code, keys = number_groups(named.select(["system"]))
        whole = [(key[0], *[None] * len(rule.group_by)) for key in keys]
        sums.append(summary.gather(whole, code, unit, document, counts, values))
    if rule.group_by and len(by) == len(rule.group_by):
        code, keys = number_groups(named.select(["system", *rule.group_by]))
        # A document without a value for an attribute is in no group, only in the whole.
        held = code >= 0
        sums.append(
            summary.gather(
                keys,
                code[held],
                unit[held],
                document[held],
                [row[held] for row in counts],
                [row[held] for row in values],
            )
        )
    return sums


def number_groups(table: pa.Table) -> tuple[Ints, list[tuple[object, ...]]]:
    """Number the combinations of values that occur; -1 where a value is null."""
    code = np.zeros(table.num_rows, np.int64)
    for name in table.column_names:
        encoded = table.column(name).combine_chunks().dictionary_encode()
        index = numbers(encoded.indices.fill_null(-1)).astype(np.int64)
        code = np.where((code < 0) | (index < 0), -1, code * len(encoded.dictionary) + index)
    met, first, number = np.unique(code, return_index=True, return_inverse=True)
    nulls = int((met < 0).sum())
    found = table.take(pa.array(first[nulls:]))
    return number - nulls, list(zip(*(each.to_pylist() for each in found.columns), strict=True))

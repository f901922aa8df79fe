"""What a value of a measure is worth on a corpus: its value for known faults."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.arrays.document_ids import hash_names
from segscore.pipeline.arrays.ragged import Ints, Ragged, trimmed
from segscore.pipeline.conventions.calibrate_settings import CalibrateSettings
from segscore.pipeline.conventions.faults import (
    COPIES,
    MOVED,
    Fault,
    faults,
    mean_distance,
    with_fault,
)
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import ALL
from segscore.pipeline.scoring.boundaries import Side
from segscore.pipeline.scoring.inputs import Inputs, gather_inputs, require_references
from segscore.pipeline.scoring.pairs import Pairs, Rule, count_pairs
from segscore.pipeline.scoring.references import References
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.storage.placement import require_apart, require_free
from segscore.pipeline.tables.columns import DOCUMENTS, segmentations_contract
from segscore.pipeline.tables.read import validate_rows
from segscore.pipeline.tables.source import TableSource, find_source
from segscore.pipeline.tables.units import one_unit

_CALIBRATION = "calibration.parquet"
_PHRASES = {
    "missed": "misses {size:.0%} of the boundaries",
    "added": "adds {size:.0%} of the boundaries",
    "missed-or-added": "misses or adds {size:.0%} of the boundaries, as many of each",
    "mixed": "gets {size:.0%} of the boundaries wrong, half of them by 1 unit",
    MOVED: "moves every boundary by {size:.1f} units on average",
}


@dataclass(frozen=True)
class CurvePoint:
    """A fault and the value that it gives.

    Attributes:
        fault: the fault.
        size: share of boundaries; of ``moved``, mean distance in the unit of the run.
        micro: value over all pairs; None if undefined.
        macro: mean over documents of their values; None if undefined.
    """

    fault: Fault
    size: float
    micro: float | None
    macro: float | None


@dataclass(frozen=True, repr=False)
class Calibration:
    """The values that known faults give on a corpus.

    Attributes:
        measure: the measure.
        points: the faults and their values.
        references: number of references.
        warnings: what was rejected or converted when the tables were read.
    """

    measure: str
    points: tuple[CurvePoint, ...]
    references: int
    warnings: tuple[str, ...]

    @property
    def kinds(self) -> Mapping[str, list[CurvePoint]]:
        """The points of each kind of fault, in order of their level."""
        kinds: dict[str, list[CurvePoint]] = {}
        for point in self.points:
            kinds.setdefault(point.fault.kind, []).append(point)
        return kinds

    @property
    def table(self) -> pa.Table:
        """A row for each fault (docs/tables.md)."""
        points = self.points
        return pa.table(
            {
                "measure": pa.array([self.measure] * len(points), pa.string()),
                "fault": pa.array([point.fault.kind for point in points], pa.string()),
                "level": pa.array([float(point.fault.level) for point in points], pa.float64()),
                "size": pa.array([point.size for point in points], pa.float64()),
                "micro": pa.array([point.micro for point in points], pa.float64()),
                "macro": pa.array([point.macro for point in points], pa.float64()),
            }
        )

    def sizes(self, value: float, average: str = "micro") -> dict[str, float | None]:
        """Return the size of each kind of fault that gives a value; None if no size does.

        Args:
            value: the value.
            average: the average that it is, micro or macro.
        """
        return {
            kind: size_of([(point.size, getattr(point, average)) for point in points], value)
            for kind, points in self.kinds.items()
        }

    def describe(self, value: float, average: str = "micro") -> str:
        """Say in a sentence which faults give a value; the arguments are those of ``sizes``."""
        phrases = [
            _PHRASES[kind].format(size=size)
            for kind, size in self.sizes(value, average).items()
            if size is not None
        ]
        if not phrases:
            return f"{self.measure} {value:g} on this corpus is not what any of these faults gives."
        either = "; or ".join(phrases)
        return f"{self.measure} {value:g} on this corpus is what a system gets that {either}."

    def __repr__(self) -> str:
        return f"Calibration(measure={self.measure!r}, references={self.references})"


def size_of(curve: Sequence[tuple[float, float | None]], value: float) -> float | None:
    """Return the smallest size of a fault that gives a value, between points by a straight line.

    Args:
        curve: size of the fault and the value that it gives, in order of size.
        value: the value.

    Returns:
        None if no size gives the value.
    """
    defined = [(size, given) for size, given in curve if given is not None]
    for size, given in defined[:1]:
        if given == value:
            return size
    for (size, given), (next_size, next_given) in pairwise(defined):
        if given != next_given and min(given, next_given) <= value <= max(given, next_given):
            return size + (next_size - size) * (value - given) / (next_given - given)
    return None


def run_calibration(settings: CalibrateSettings) -> Calibration:
    """Read references, simulate faults, measure them, and write the curve if asked.

    Raises:
        Refused: the input or the settings are wrong.
        Failed: no reference was accepted.
    """
    if settings.output is not None:
        require_apart(settings.output, settings.inputs)
        require_free(settings.output, (_CALIBRATION,))
    documents = None
    if settings.documents is not None:
        documents = find_source("documents", settings.documents)
    references = find_source("references", settings.references)
    calibration = calibrate_tables(settings, references, documents)
    if settings.output is not None:
        storage.make_folder(settings.output)
        storage.write_table(storage.join(settings.output, _CALIBRATION), calibration.table)
    return calibration


def calibrate_tables(
    settings: CalibrateSettings, references: TableSource, documents: TableSource | None
) -> Calibration:
    """Simulate faults on references, and measure them.

    Args:
        settings: what to measure, and how; the locations in it are not read.
        references: the references.
        documents: the documents table, if there is one.

    Raises:
        Refused: the input or the settings are wrong.
        Failed: no reference was accepted.
    """
    accepted, warnings = _accept_references(settings.measuring, references, documents)
    return calibrate_references(settings.measure, settings.measuring, accepted, warnings)


def calibrate_references(
    measure: str, settings: MeasuringSettings, references: References, warnings: Sequence[str] = ()
) -> Calibration:
    """Simulate faults on references that were accepted, and measure them.

    Args:
        measure: the measure.
        settings: how it is measured, and the seed of the faults.
        references: the references, whose boundary types are ignored.
        warnings: what was rejected or converted when the references were read.

    Raises:
        Refused: no value of the measure is better than another, such as of a count.
    """
    if ALL[measure].better == "neither":
        raise Refused(
            f"{measure}: neither high nor low values are better, so that a value is not worth more "
            "than another; choose another --measure"
        )
    untyped = replace(references, side=_untyped(trimmed(references.side.boundaries)))
    points = tuple(_points(measure, replace(settings, measures=(measure,)), untyped))
    return Calibration(measure, points, len(references), tuple(warnings))


def _accept_references(
    settings: MeasuringSettings, references: TableSource, documents: TableSource | None
) -> tuple[References, list[str]]:
    """Return the accepted references, and the warnings about their tables."""
    table = references.table
    inputs = Inputs(table, table, documents.table if documents else None)
    one_unit({each.location: each.unit for each in inputs.tables})
    described = validate_rows(documents.read(), DOCUMENTS) if documents else None
    rows = validate_rows(references.read(), segmentations_contract(settings.length_tolerance))
    collected = gather_inputs(settings, rows, described, typed=inputs.typed)
    require_references(collected, inputs)
    warnings = list(table.warnings)
    if rejected := collected.rejects.num_rows:
        warnings.append(f"{rejected} rows rejected; `segscore validate` lists them")
    return collected.references, warnings


def _untyped(boundaries: Ragged) -> Side:
    return Side(boundaries, boundaries, boundaries, None, np.zeros(len(boundaries), np.int64))


@dataclass(frozen=True)
class _Versions:
    """Versions of references, as counting reads them."""

    document: Ints
    side: Side


def _points(
    measure: str, settings: MeasuringSettings, references: References
) -> Iterator[CurvePoint]:
    """Measure the references with each fault."""
    rule = Rule(settings, (1,), {})
    boundaries, copied = references.side.boundaries, np.repeat(np.arange(len(references)), COPIES)
    of_document = np.arange(len(references)) - references.first[references.document]
    numbers = hash_names(references.documents.ids).hashes[references.document]
    numbers = numbers + of_document.astype(np.uint64)
    pairs = Pairs(copied, np.arange(len(copied)))
    segments = len(boundaries.values) + len(references)
    for fault in faults(int(references.size.sum()) // segments):
        versions = with_fault(fault, settings.seed, numbers, references.size, boundaries)
        document = references.document[copied]
        counts = count_pairs(_Versions(document, _untyped(versions)), pairs, references, rule)
        size = fault.level
        if fault.kind == MOVED:
            size = mean_distance(boundaries, versions)
        yield CurvePoint(fault, size, *_averages(measure, rule, references, counts))


def _averages(
    measure: str, rule: Rule, references: References, counts: Mapping[str, Ints]
) -> tuple[float | None, float | None]:
    """Return the micro and the macro average of a measure, None if undefined."""
    parameters = rule.settings.parameters(references.p_seg)
    table = rule.selection.pairs
    total = {name: np.array([count.sum()]) for name, count in counts.items()}
    micro = table.values(total, parameters, rows=False)[measure]
    rows = table.values(counts, parameters, rows=True)[measure]
    defined = ~np.isnan(rows)
    document = np.repeat(references.document, COPIES)[defined]
    macro = [float("nan")]
    if defined.any():
        _, code = np.unique(document, return_inverse=True)
        macro = [float((np.bincount(code, rows[defined]) / np.bincount(code)).mean())]
    return _or_none(micro[0]), _or_none(macro[0])


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)

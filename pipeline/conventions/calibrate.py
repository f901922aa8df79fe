"""Calibrate a measure on a corpus: compute its value for known faults."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.arrays.document_ids import Hashes, hash_names
from segscore.pipeline.arrays.ragged import Ints, Ragged, trimmed
from segscore.pipeline.conventions.calibrate_settings import CalibrateSettings
from segscore.pipeline.conventions.document_sample import (
    DocumentSample,
    choose_documents,
    reference_rows_of,
    rows_taken,
)
from segscore.pipeline.conventions.faults import (
    COPIES,
    MOVED,
    RANDOM,
    Fault,
    faults,
    summed_distance,
    with_fault,
)
from segscore.pipeline.conventions.second_person import SecondPerson, second_person
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import ALL
from segscore.pipeline.scoring.boundaries import Side
from segscore.pipeline.scoring.counting import Pairs, Rule, count_pairs
from segscore.pipeline.scoring.inputs import Inputs, gather_inputs, require_references
from segscore.pipeline.scoring.references import References
from segscore.pipeline.settings.measuring import MeasuringSettings
from segscore.pipeline.statistics.formatted_numbers import counted, or_none, percent, shown_number
from segscore.pipeline.storage.placement import require_apart, require_free
from segscore.pipeline.tables.columns import DOCUMENTS, segmentations_contract
from segscore.pipeline.tables.find import tables_in_unit
from segscore.pipeline.tables.plain_attributes import require_lists
from segscore.pipeline.tables.read import validate_rows
from segscore.pipeline.tables.sources import TableSource, find_source

_CALIBRATION = "calibration.parquet"
_SEGMENTS_AT_ONCE = 8192
"""About how many segments of references are simulated at a time, each in ``COPIES`` versions."""

_PHRASES = {
    "missed": "misses {size} of the boundaries",
    "added": "adds {size} of the boundaries",
    "missed-or-added": "misses or adds {size} of the boundaries, as many of each",
    "mixed": "gets {size} of the boundaries wrong, half of them by 1 unit",
    MOVED: "moves every boundary by {size} units on average",
}


@dataclass(frozen=True)
class CurvePoint:
    """A fault and the value that it gives.

    Attributes:
        fault: the fault.
        size: share of boundaries; of ``moved``, mean distance in the unit of the run.
        micro: value over all versions; None if undefined.
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
        sample: the documents whose references were simulated.
        second_person: what a second person gets on them; None if no document has two coders.
    """

    measure: str
    points: tuple[CurvePoint, ...]
    references: int
    warnings: tuple[str, ...]
    sample: DocumentSample
    second_person: SecondPerson | None = None

    @property
    def kinds(self) -> Mapping[str, list[CurvePoint]]:
        """The points of each kind of fault that has several levels, in their order."""
        kinds: dict[str, list[CurvePoint]] = {}
        for point in self.points:
            if point.fault.kind != RANDOM:
                kinds.setdefault(point.fault.kind, []).append(point)
        return kinds

    def chance_in_words(self) -> str:
        """Say what systems get that find nothing: without boundaries, and with random ones."""
        nothing = self.kinds["missed"][-1]
        said = (
            f"By {self.measure} (micro average), a system without boundaries gets "
            f"{shown_number(nothing.micro)}"
        )
        for point in self.points:
            if point.fault.kind == RANDOM:
                said += ", and one with as many as the references, at random positions, "
                said += shown_number(point.micro)
        return f"{said}."

    def second_person_in_words(self) -> str | None:
        """Say what a second person gets; None if no document has two coders."""
        person = self.second_person
        if person is None:
            return None
        phrases = [] if person.value is None else self._phrases(person.value, "micro", person.ends)
        return person.in_words(self.measure, "; or ".join(phrases))

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
                "documents": pa.array([len(self.sample)] * len(points), pa.int64()),
                "all_documents": pa.array([self.sample.of] * len(points), pa.int64()),
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

    def describe(
        self,
        value: float,
        average: str = "micro",
        interval: tuple[float, float] | None = None,
    ) -> str:
        """Say in a sentence which faults give a value.

        Args:
            value: the value.
            average: the average that it is, micro or macro.
            interval: its interval, for the range of the size of each fault; None for the value
                alone.
        """
        phrases = self._phrases(value, average, interval)
        if not phrases:
            return f"{self.measure} {value:g} on this corpus is not what any of these faults gives."
        either = "; or ".join(phrases)
        return f"{self.measure} {value:g} on this corpus is what a system gets that {either}."

    def _phrases(
        self, value: float, average: str, interval: tuple[float, float] | None
    ) -> list[str]:
        """Say how large each fault is that gives a value, and its interval if both ends do."""
        phrases = []
        ends = [self.sizes(end, average) for end in interval or ()]
        for kind, size in self.sizes(value, average).items():
            of_ends = [each[kind] for each in ends]
            known = [each for each in of_ends if each is not None]
            if size is not None:
                shown = sorted(known) if known and len(known) == len(of_ends) else [size]
                texts = [f"{each:.1f}" if kind == MOVED else percent(each) for each in shown]
                phrases.append(_PHRASES[kind].format(size=" to ".join(dict.fromkeys(texts))))
        return phrases

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
    tables = [references.table, *([] if documents is None else [documents.table])]
    unit = tables_in_unit(tables, settings.unit)[0].unit
    measuring, sample = settings.measuring.in_unit(unit), settings.sample
    accepted, warnings = _accept_references(measuring, references, documents)
    return calibrate_references(settings.measure, measuring, accepted, warnings, sample)


def calibrate_references(
    measure: str,
    settings: MeasuringSettings,
    references: References,
    warnings: Sequence[str] = (),
    sample: int | str | None = None,
) -> Calibration:
    """Simulate faults on references that were accepted, and measure them.

    Args:
        measure: the measure.
        settings: how it is measured, and the seed of the faults.
        references: the references, whose boundary types are ignored.
        warnings: what was rejected or converted when the references were read.
        sample: number of documents, or ``all``; None for the default of the settings.

    Raises:
        Refused: no value of the measure is better than another, such as of a count.
    """
    if ALL[measure].better == "neither":
        raise Refused(
            f"{measure}: neither high nor low values are better, so that a value is not worth more "
            "than another; choose another --measure"
        )
    untyped = replace(references, side=_untyped(trimmed(references.side.boundaries)))
    chosen = choose_documents(untyped, sample)
    points = tuple(_points(measure, replace(settings, measures=(measure,)), untyped, chosen))
    rule = Rule(replace(settings, measures=(measure,)), (1,), {})
    person = second_person(measure, rule, untyped, _divide(untyped, chosen.chosen))
    return Calibration(measure, points, len(references), tuple(warnings), chosen, person)


def _accept_references(
    settings: MeasuringSettings, references: TableSource, documents: TableSource | None
) -> tuple[References, list[str]]:
    """Return the accepted references, and the warnings about their tables."""
    table = references.table
    inputs = Inputs(table, table, documents.table if documents else None)
    require_lists(inputs.tables, words=settings.units == "words", weights=settings.unit_weights)
    described = None
    if documents is not None and inputs.attributes is None:
        described = validate_rows(documents.read(), DOCUMENTS)
    rows = validate_rows(references.read(), segmentations_contract(settings.length_tolerance))
    collected = gather_inputs(
        settings, rows, described, typed=inputs.typed, attributes=inputs.attributes
    )
    require_references(collected, inputs)
    warnings = list(table.warnings)
    if rejected := collected.rejects.num_rows:
        warnings.append(f"{counted(rejected, 'row')} rejected; `segscore validate` lists all")
    return collected.references, warnings


def _untyped(boundaries: Ragged) -> Side:
    return Side(boundaries, boundaries, boundaries, None, np.zeros(len(boundaries), np.int64))


@dataclass(frozen=True)
class _Versions:
    """Versions of references, as counting reads them."""

    document: Ints
    side: Side


def _points(
    measure: str, settings: MeasuringSettings, references: References, sample: DocumentSample
) -> Iterator[CurvePoint]:
    """Measure the references of some documents with each fault."""
    rule = Rule(settings, (1,), {})
    blocks = [_Block.of(references, documents) for documents in _divide(references, sample.chosen)]
    segments = len(references.side.boundaries.values) + len(references)
    for fault in faults(int(references.size.sum()) // segments, int(references.units.max())):
        counts = [_count(block, fault, references, rule) for block in blocks]
        size = fault.level
        if fault.kind == MOVED:
            boundaries = COPIES * sum(len(block.boundaries.values) for block in blocks)
            size = sum(moved for _, moved in counts) / max(1, boundaries)
        document = [block.document for block in blocks]
        of_pairs = [each for each, _ in counts]
        yield CurvePoint(fault, size, *_averages(measure, rule, references, document, of_pairs))


@dataclass(frozen=True)
class _Block:
    """The references of some documents, which are simulated together.

    Attributes:
        rows: the rows of these references, shape (rows,).
        document: document number of each row, shape (rows,).
        numbers: what the random numbers of each row depend on, shape (rows,).
        boundaries: boundaries of each row.
    """

    rows: Ints
    document: Ints
    numbers: Hashes
    boundaries: Ragged

    @classmethod
    def of(cls, references: References, documents: Ints) -> "_Block":
        """Return the references of some documents, each with a number for its random numbers."""
        rows = reference_rows_of(references, documents)
        document = np.repeat(documents, np.diff(references.first)[documents])
        ids = references.documents.ids.take(pa.array(document))
        place = rows - references.first[document]
        numbers = hash_names(ids).hashes + place.astype(np.uint64)
        return cls(rows, document, numbers, rows_taken(references.side.boundaries, rows))


def _divide(references: References, documents: Ints) -> list[Ints]:
    """Divide documents into blocks of about so many segments that their versions fit the cache."""
    segments = references.side.boundaries.lengths + 1
    total = np.cumsum(np.add.reduceat(segments, references.first[:-1])[documents])
    return np.split(documents, np.flatnonzero(np.diff(total // _SEGMENTS_AT_ONCE)) + 1)


def _count(
    block: _Block, fault: Fault, references: References, rule: Rule
) -> tuple[Mapping[str, Ints], int]:
    """Count the versions of a block, and by how many units their boundaries were moved."""
    size = references.size[block.rows]
    versions = with_fault(fault, rule.settings.seed, block.numbers, size, block.boundaries)
    copied = np.repeat(block.rows, COPIES)
    pairs = Pairs(copied, np.arange(len(copied)))
    coded = _Versions(np.repeat(block.document, COPIES), _untyped(versions))
    counts = count_pairs(coded, pairs, references, rule)
    moved = summed_distance(block.boundaries, versions) if fault.kind == MOVED else 0
    return counts, moved


def _averages(
    measure: str,
    rule: Rule,
    references: References,
    document: Sequence[Ints],
    counts: Sequence[Mapping[str, Ints]],
) -> tuple[float | None, float | None]:
    """Return the micro and the macro average of a measure over blocks, None if undefined."""
    parameters = rule.settings.parameters(references.p_seg)
    table = rule.selection.pairs
    total = {name: np.array([sum(c[name].sum() for c in counts)]) for name in counts[0]}
    micro = table.values(total, parameters, rows=False)[measure]
    means = []
    for of_rows, of_pairs in zip(document, counts, strict=True):
        code = np.cumsum(np.diff(of_rows, prepend=of_rows[:1]) != 0)  # in the sample's order
        rows = table.values(of_pairs, parameters, rows=True)[measure]
        defined = ~np.isnan(rows)
        code = np.repeat(code, COPIES)[defined]
        versions = np.bincount(code)
        known = versions > 0
        means.append(np.bincount(code, rows[defined])[known] / versions[known])
    macro = np.concatenate(means)
    return or_none(micro[0]), or_none(macro.mean()) if len(macro) else None

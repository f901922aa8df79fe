"""What systems did on the documents they share, read from the tables of finished runs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline import storage
from pipeline.comparing.runs import ScoredRun, formula_names
from pipeline.counting import number_groups
from pipeline.document_ids import Documents, distinct, names
from pipeline.errors import Refused
from pipeline.measures import PAIRS, Table
from pipeline.measures.measure import Measure
from pipeline.resampling import Units, units
from pipeline.scoring import POINT
from pipeline.segmentations import Flags, Floats, Ints, numbers

HUMAN = POINT + "human"
REFERENCE = "reference"
OF_REFERENCE = ("n_units", "window", "reference_windows", "stories")
"""Counts that tell of a reference alone."""

ODD = np.uint64(0x9E3779B97F4A7C15)

GroupKey = tuple[object, ...]


@dataclass(frozen=True)
class System:
    """A hypothesis coder of one run.

    Attributes:
        label: what tells it from the others: its name, with the run's where several have it.
        run: index of its run.
        hypothesis: the name it is averaged under.
    """

    label: str
    run: int
    hypothesis: str

    @property
    def is_point(self) -> bool:
        """Whether it is a reference point, made by the run."""
        return self.hypothesis.startswith(POINT)


@dataclass(frozen=True)
class Sample:
    """What some systems did on the documents all of them share.

    Attributes:
        key: values of the group-by columns; all None for all documents.
        table: the kind of rows.
        measures: chosen ones.
        systems: who.
        documents: ids, ascending.
        counts: count name -> shape (systems, documents): sums over references.
        values: measure name -> shape (systems, documents): means over references, NaN undefined.
        parameters: of each system's run, as formulas use them.
    """

    key: GroupKey
    table: Table
    measures: list[Measure]
    systems: list[System]
    documents: pa.StringArray
    counts: Mapping[str, Ints]
    values: Mapping[str, Floats]
    parameters: list[Mapping[str, float]]

    @property
    def units(self) -> Units:
        """What is drawn together of the documents."""
        return units(names(self.documents).hashes)


@dataclass
class _Rows:
    """Rows of one table of all runs; each list has an entry a file, each shape (rows,)."""

    ids: list[pa.StringArray] = field(default_factory=list)
    system: list[Ints] = field(default_factory=list)
    original: list[Flags] = field(default_factory=list)
    groups: list[pa.Table] = field(default_factory=list)
    reference: list[pa.Array] = field(default_factory=list)
    run: list[int] = field(default_factory=list)
    numbers: dict[str, list[NDArray[Any]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Compared:
    """The samples of one kind of rows: over all documents first, then by group.

    Attributes:
        samples: those in which at least one document is shared.
        documents: run name -> how many documents each run has.
        other_references: documents left out because the runs have other references for them.
        empty: groups left out, without a shared document.
        absent: labels of the systems that have no rows of this kind.
        types: of the group-by columns.
    """

    samples: list[Sample]
    documents: dict[str, int]
    other_references: int
    empty: int
    absent: list[str]
    types: Mapping[str, pa.DataType]


def find_systems(runs: Sequence[ScoredRun], asked: Sequence[str]) -> list[System]:
    """List the systems of the runs: as they are asked for, or by run and name.

    Args:
        runs: to look in.
        asked: names, or labels as this makes them; empty: all.

    Raises:
        Refused: one asked for is not there.
    """
    found = [
        (number, name)
        for number, run in enumerate(runs)
        for name in sorted({_system_name(name) for name in _hypotheses(run)})
    ]
    held = [name for _, name in found]
    systems = [
        System(f"{name}@{runs[run].name}" if held.count(name) > 1 else name, run, name)
        for run, name in found
    ]
    for name in asked:
        if not any(name in (each.label, each.hypothesis) for each in systems):
            there = ", ".join(each.label for each in systems)
            raise Refused(f"--systems {name}: no such system; there are: {there}")
    if not asked:
        return systems
    wanted = [[name in (each.label, each.hypothesis) for name in asked] for each in systems]
    chosen = [(of.index(True), each) for of, each in zip(wanted, systems, strict=True) if any(of)]
    return [each for _, each in sorted(chosen, key=lambda pair: pair[0])]


def _hypotheses(run: ScoredRun) -> list[str]:
    parts = [storage.read_columns(url, ["hypothesis"]) for url in _files(run, "scores")]
    return [] if not parts else pc.unique(pa.concat_tables(parts).column("hypothesis")).to_pylist()


def _system_name(hypothesis: str) -> str:
    """Of a held-out human, whose name tells the coder, the system it is averaged under."""
    return HUMAN if hypothesis.startswith(HUMAN + ":") else hypothesis


def _files(run: ScoredRun, table: str) -> list[str]:
    listed = run.record.get("files", {}).get(table, [])
    return [storage.join(run.url, table, name) for name in listed]


def read_samples(
    runs: Sequence[ScoredRun],
    systems: Sequence[System],
    table: Table,
    measures: list[Measure],
    group_by: Sequence[str],
) -> Compared:
    """Read what the chosen measures need, and no more, of the systems' rows.

    Args:
        runs: all scored alike.
        systems: to compare.
        table: the kind of rows.
        measures: of that kind.
        group_by: attributes whose combinations are compared apart; or ``reference``.

    Raises:
        Refused: a run has no such rows or no such attribute, or no document is shared.
    """
    used = formula_names(table, measures)
    counts = [name for name in table.counts if name in used]
    values = [measure.name for measure in measures]
    alike = list(OF_REFERENCE) if table is PAIRS and len(runs) > 1 else []
    grouped = list(group_by)
    if table is not PAIRS and REFERENCE in grouped:
        grouped = []  # a panel is all references at once
    rows = _Rows()
    for number, run in enumerate(runs):
        columns = dict.fromkeys([*counts, *values, *alike])
        _read(rows, number, run, systems, table, list(columns), grouped)
    ids = pc.unique(pa.chunked_array(rows.ids, pa.string()))
    documents = distinct(ids.take(pc.sort_indices(ids)))
    document = np.concatenate([documents.find(part) for part in rows.ids])
    flat = {name: np.concatenate(parts) for name, parts in rows.numbers.items()}
    system, original = np.concatenate(rows.system), np.concatenate(rows.original)
    same = _same_references(rows, flat, document, original, len(documents), alike)
    chosen = (system >= 0) & same[document]
    parameters = [runs[each.run].parameters for each in systems]

    def sample(key: GroupKey, mask: Flags) -> Sample | None:
        picked = {name: flat[name][mask] for name in (*counts, *values)}
        made = _sample(picked, system[mask], document[mask], len(systems), len(documents), counts)
        if made is None:
            return None
        there, shared, count, value = made
        return Sample(
            key=key,
            table=table,
            measures=measures,
            systems=[systems[i] for i in there],
            documents=documents.ids.take(pa.array(shared)),
            counts=count,
            values=value,
            parameters=[parameters[i] for i in there],
        )

    whole = sample((None,) * len(group_by), chosen & original)
    if whole is None:
        raise Refused(_nothing_shared(runs, systems, int((~same).sum())))
    samples, empty, types = [whole], 0, {name: pa.string() for name in group_by}
    if grouped:
        joined = _joined(rows.groups)
        types = {name: joined.schema.field(name).type for name in grouped}
        code, keys = number_groups(joined)
        kept = chosen & (original | (REFERENCE in grouped))
        for number, key in sorted(enumerate(keys), key=lambda each: each[1]):
            made = sample(key, kept & (code == number))
            empty += made is None
            samples += [] if made is None else [made]
    return Compared(
        samples=samples,
        documents=_documents(runs, rows, documents),
        other_references=int((~same).sum()),
        empty=empty,
        absent=[each.label for each in systems if each not in whole.systems],
        types=types,
    )


def _nothing_shared(runs: Sequence[ScoredRun], systems: Sequence[System], other: int) -> str:
    why = f"; {other} documents have other references in each run" if other else ""
    named = ", ".join(system.label for system in systems)
    return f"{', '.join(run.url for run in runs)}: {named} share no document{why}"


def _read(
    rows: _Rows,
    number: int,
    run: ScoredRun,
    systems: Sequence[System],
    table: Table,
    columns: list[str],
    grouped: list[str],
) -> None:
    """Read the columns of one run."""
    kind = "scores" if table is PAIRS else "panel_scores"
    files = _files(run, kind)
    if not files:
        raise Refused(
            f"{run.url}: has no {kind}, as none of its documents has several references; choose "
            "measures of scores"
        )
    place = {each.hypothesis: i for i, each in enumerate(systems) if each.run == number}
    held = [storage.column_names(url) for url in files]
    there = {name for names in held for name in names}
    for name in grouped:
        if name not in there:
            attributes = sorted(there - known_columns()) or ["none"]
            raise Refused(
                f"--group-by {name}: {run.url} has no such attribute; there are: reference, "
                f"{', '.join(attributes)}"
            )
    consensus = pa.array(list(run.settings.shares), pa.string())
    named = ["document_id", "hypothesis", *([REFERENCE] if table is PAIRS else [])]
    for url, names_held in zip(files, held, strict=True):
        needed = dict.fromkeys([*named, *columns])
        if missing := [each for each in needed if each not in names_held]:
            raise Refused(f"{url}: has no column {', '.join(missing)}; score again")
        asked = [each for each in grouped if each in names_held and each not in needed]
        read = storage.read_columns(url, [*needed, *asked])
        rows.ids.append(_only(read, "document_id"))
        rows.system.append(_numbered(_only(read, "hypothesis"), place))
        reference = _only(read, REFERENCE) if table is PAIRS else None
        made = pc.is_in(reference, value_set=consensus) if reference is not None else None
        rows.original.append(
            np.ones(len(read), bool) if made is None else ~made.to_numpy(zero_copy_only=False)
        )
        rows.groups.append(_grouped(read, grouped))
        rows.run.append(number)
        if reference is not None:
            rows.reference.append(reference)
        for name in columns:
            rows.numbers.setdefault(name, []).append(_plain(_only(read, name)))


def known_columns() -> set[str]:
    """Columns of scores and panel_scores that are no attribute."""
    from schemas.panel_scores import PANEL_SCORES
    from schemas.scores import SCORES

    return set(SCORES.columns) | set(PANEL_SCORES.columns)


def _only(table: pa.Table, name: str) -> pa.Array:
    """A column as one array, also of a table without rows."""
    column = table.column(name)
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _plain(array: pa.Array) -> NDArray[Any]:
    if pa.types.is_floating(array.type):
        array = array.fill_null(float("nan"))
    return numbers(array)


def _grouped(read: pa.Table, grouped: list[str]) -> pa.Table:
    """The group-by columns; null throughout in a file that has none, as points may."""
    nothing = pa.nulls(len(read))
    held = read.column_names
    columns = {name: read.column(name) if name in held else nothing for name in grouped}
    return pa.table(columns or {"": nothing})


def _joined(groups: list[pa.Table]) -> pa.Table:
    try:
        return pa.concat_tables(groups, promote_options="permissive")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as problem:
        raise Refused(
            f"--group-by {','.join(groups[0].column_names)}: the runs have an attribute of other "
            f"types ({problem})"
        ) from problem


def _numbered(names_: pa.StringArray, place: Mapping[str, int]) -> Ints:
    """Number the system of each row, -1 where it is not compared."""
    encoded = names_.dictionary_encode()
    code = [place.get(_system_name(name), -1) for name in encoded.dictionary.to_pylist()]
    return np.array([*code, -1], np.int64)[numbers(encoded.indices)]


def _same_references(
    rows: _Rows,
    flat: Mapping[str, NDArray[Any]],
    document: Ints,
    original: Flags,
    documents: int,
    alike: Sequence[str],
) -> Flags:
    """Which documents have the same references in every run that has them, shape (documents,).

    Told by the references' names and by the counts that depend on them alone.
    """
    same = np.ones(documents, bool)
    if not alike:
        return same
    run = np.repeat(rows.run, [len(part) for part in rows.ids])
    encoded = pa.chunked_array(rows.reference, pa.string()).combine_chunks().dictionary_encode()
    hashes = names(encoded.dictionary).hashes[numbers(encoded.indices)]
    told = hashes.copy()
    for place, name in enumerate(alike):
        told += flat[name].astype(np.uint64) * (ODD + np.uint64(2 * place))
    key = run[original] * documents + document[original]
    told = told[original]
    # A reference stands once a run, however many hypotheses it met.
    _, once = np.unique(told ^ key.astype(np.uint64) * ODD, return_index=True)
    sums = np.zeros((max(rows.run) + 1) * documents, np.uint64)
    np.add.at(sums, key[once], told[once])
    by_run = sums.reshape(-1, documents)
    there = by_run != 0
    first = by_run[there.argmax(axis=0), np.arange(documents)]
    return np.asarray((~there | (by_run == first)).all(axis=0))


def _sample(
    picked: Mapping[str, NDArray[Any]],
    system: Ints,
    document: Ints,
    systems: int,
    documents: int,
    counts: Iterable[str],
) -> tuple[list[int], Ints, dict[str, Ints], dict[str, Floats]] | None:
    """Bring rows into a cell a system and document; None if no document is shared.

    Returns:
        Systems that there are, the documents they share, counts and values on these.
    """
    cell = system * documents + document
    held = np.bincount(cell, minlength=systems * documents).reshape(systems, documents) > 0
    there = np.flatnonzero(held.any(axis=1))
    shared = np.flatnonzero(held[there].all(axis=0))
    if not len(there) or not len(shared):
        return None
    at = np.ix_(there, shared)
    count, value = {}, {}
    for name, row in picked.items():
        if name in counts:
            total = np.zeros(systems * documents, np.int64)
            np.add.at(total, cell, row)
            count[name] = total.reshape(systems, documents)[at]
            continue
        defined = ~np.isnan(row)
        added = np.bincount(cell[defined], row[defined], systems * documents)
        number = np.bincount(cell[defined], minlength=systems * documents)
        with np.errstate(invalid="ignore"):
            value[name] = (added / number).reshape(systems, documents)[at]
    return there.tolist(), shared, count, value


def _documents(runs: Sequence[ScoredRun], rows: _Rows, documents: Documents) -> dict[str, int]:
    """How many documents each run has."""
    found = {run.name: np.zeros(len(documents), bool) for run in runs}
    for number, ids in zip(rows.run, rows.ids, strict=True):
        found[runs[number].name][documents.find(ids)] = True
    return {name: int(flags.sum()) for name, flags in found.items()}

"""Simulated annotation projects: coders with known faults, and what an audit says of them.

A project has documents of 12 months, each coded by two to four coders.  A coder omits, adds and
displaces some boundaries; one with a fault does something more:

- careless: omits and adds three times as many;
- copies: takes over what another coder marked in the documents that both coded;
- drifts: makes more errors every month;
- twice: marks twice as many boundaries;
- late: marks one or two units after the place;
- weak: omits and adds four times as many in one of two genres;
- old: keeps the old guidelines, when the others mean other places from the second half on.

At half strength, the fault is half as large.  Without faults, honest coders differ by the design:

- plain: not at all;
- natural: in their errors (standard deviation .25 on the log scale) and their rates (.05);
- readings: some mean other places in half of the cases, because they read the guidelines in another
  way: a quarter of the coders, at least two;
- fewer, later: a sixth of the coders, at least three, read so that they mean half of the places, or
  places one or two units later;
- genres: a third of the documents is hard, and mostly coded by a third of the coders;
- unbalanced: half of the coders code eight times as much as the others.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from segscore.api.inputs import GivenTables
from segscore.pipeline.agreement.group import Group
from segscore.pipeline.agreement.judging.judge import (
    add_comparisons,
    coder_columns,
    judge_coders,
    pair_columns,
)
from segscore.pipeline.agreement.part import AgreeJob, audit_codings, separate_codings
from segscore.pipeline.agreement.results import groups_of
from segscore.pipeline.agreement.settings import AgreeSettings
from segscore.pipeline.agreement.tallies import GROUP
from segscore.pipeline.arrays.kernel import kernel
from segscore.pipeline.arrays.ragged import Flags, Floats, Ints
from segscore.pipeline.runs.shuffle import NOWHERE
from segscore.pipeline.tables.units import with_unit
from segscore.pipeline.tables.validate import REJECT_COLUMNS

MONTHS = [f"2026-{month:02d}" for month in range(1, 13)]
FAULTS = ("careless", "careless", "copies", "drifts", "twice", "late")
KINDS = ("", "careless", "copies", "drifts", "twice", "late", "weak", "old")
READINGS = ("readings", "fewer", "later")
DESIGNS = ("plain", "natural", *READINGS, "genres", "unbalanced")
_ERROR, _NEAR, _MOST = 0.12, 0.15, 80


@dataclass(frozen=True)
class Project:
    """A project to simulate.

    Attributes:
        coders: number of coders.
        documents: number of documents.
        faults: fault of the first coders, one each.
        strength: of the faults; 1 is full.
        unit: units of time per unit of the model, for projects in milliseconds.
        design: how honest coders differ, one of ``DESIGNS``.
        otherwise: number of coders who read in another way, the last ones; None: by the design.
        by: attribute to group by: month, genre or guidelines.
        errors: times as many errors of everybody.
    """

    coders: int = 12
    documents: int = 900
    faults: tuple[str, ...] = FAULTS
    strength: float = 1.0
    unit: int = 1
    design: str = "plain"
    otherwise: int | None = None
    by: str = "month"
    errors: float = 1.0

    def faulty(self) -> dict[str, str]:
        """Return the fault of each coder who has one."""
        return dict(zip(names(self.coders), self.faults, strict=False))

    @property
    def others(self) -> int:
        """Number of coders who read in another way."""
        if self.otherwise is not None:
            return self.otherwise
        if self.design == "readings":
            return max(2, self.coders // 4)
        return max(3, self.coders // 6) if self.design in READINGS else 0


def names(coders: int) -> list[str]:
    """Return the names of the coders."""
    return [f"coder-{number:02d}" for number in range(coders)]


Row = dict[str, Any]


def table(project: Project, seed: int) -> pa.Table:
    """Return the codings of a project, with the attributes month, genre and guidelines."""
    draw = np.random.default_rng([seed, project.coders, project.documents])
    n, documents = project.coders, project.documents
    number = np.arange(documents)
    month = number * len(MONTHS) // documents
    genre = (draw.random(documents) < (1 / 3 if project.design == "genres" else 0.5)).astype(int)
    fault = np.zeros(n, np.int64)
    fault[: len(project.faults)] = [KINDS.index(kind) for kind in project.faults[:n]]
    natural = project.design == "natural"
    error = _ERROR * project.errors * np.exp(0.25 * natural * draw.standard_normal(n))
    rate = np.exp(0.05 * natural * draw.standard_normal(n)) - 1
    hard = 1.0 + (genre if project.design == "genres" else np.zeros(documents, int))
    way = 1 + READINGS.index(project.design) if project.design in READINGS else 0
    reading = np.where(np.arange(n) >= n - project.others, way, 0)
    coders = _Coders(fault, error, rate, reading, project.strength)
    chosen = _panels(project, genre, draw)
    size = draw.integers(60, 141, documents)
    coding, lengths, values = _draw(
        (size, month / (len(MONTHS) - 1), genre, number * 2 >= documents, hard),
        coders.arrays,
        chosen,
        int(draw.integers(1 << 31)),
    )
    document, coder = coding[:, 0], coding[:, 1]
    if project.unit > 1:
        values = values * project.unit + draw.integers(-300, 301, len(values))
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    boundaries = pa.ListArray.from_arrays(pa.array(offsets), pa.array(values.astype(np.int32)))
    ids = pa.array([f"interview-{i:04d}" for i in number])
    found = pa.table(
        {
            "document_id": ids.take(pa.array(document)),
            "coder": pa.array(names(n)).take(pa.array(coder)),
            "n_units": pa.array((size * project.unit)[document].astype(np.int32)),
            "boundaries": boundaries,
            "month": pa.array(MONTHS).take(pa.array(month[document])),
            "genre": pa.array(["interviews", "news"]).take(pa.array(genre[document])),
            "guidelines": pa.array(["v1", "v2"]).take(
                pa.array((2 * document >= documents).astype(np.int64))
            ),
        }
    )
    return with_unit(found, "millisecond") if project.unit > 1 else found


def codings(project: Project, seed: int) -> Iterator[Row]:
    """Yield the rows of the codings."""
    yield from table(project, seed).to_pylist()


@dataclass(frozen=True)
class _Coders:
    """What the coders do, shape (coders,) each.

    Attributes:
        fault: number of the fault in ``KINDS``.
        error: chance to omit a boundary, and to add one.
        rate: share of boundaries that are added without an error; negative: omitted.
        reading: in which other way the coder reads, counted from 1; 0 in none.
        strength: of the faults.
    """

    fault: Ints
    error: Floats
    rate: Floats
    reading: Ints
    strength: float

    @property
    def arrays(self) -> tuple[Ints, Floats, Floats, Ints, float]:
        """The fields, for a compiled loop."""
        return self.fault, self.error, self.rate, self.reading, self.strength


def _panels(project: Project, genre: Ints, draw: np.random.Generator) -> Flags:
    """Return who codes each document, shape (documents, coders)."""
    n, documents = project.coders, project.documents
    weight = np.ones((documents, n))
    if project.design == "unbalanced":
        weight[:, : n // 2] = 8.0
    if project.design == "genres":
        special = np.arange(n) < max(2, n // 3)
        weight = np.where(special[None] == (genre[:, None] == 1), 1.0, 0.1)
    # The largest keys are a sample without replacement (Efraimidis & Spirakis 2006).
    keys = draw.random((documents, n)) ** (1 / weight)
    number = np.minimum(n, draw.integers(2, 5, documents))
    place = np.argsort(np.argsort(-keys, axis=1), axis=1)
    return np.asarray(place < number[:, None])


@kernel
def _true_places(size: int, marks: int) -> Ints:
    """Return random places, at least three units apart."""
    free = size - 2 * marks - 3
    places = np.empty(marks, np.int64)
    kept = 0
    while kept < marks:
        place = np.random.randint(0, free) + 3
        fresh = True
        for k in range(kept):
            fresh &= places[k] != place
        if fresh:
            places[kept] = place
            kept += 1
    places.sort()
    return places + 2 * np.arange(marks)


@kernel
def _mean_another(places: Ints, size: int, way: int) -> Ints:
    """Return other places in half of the cases, half of the places, or places that are later."""
    other, kept = places.copy(), 0
    for place in places:
        same = np.random.random() < 0.5
        if way == 3:
            other[kept] = min(size - 1, place + (1 if same else 2))
        else:
            other[kept] = place if same else np.random.randint(3, size)
        kept += same or way != 2
    return other[:kept]


@kernel
def _code(places: Ints, size: int, how: tuple[float, float, float]) -> Ints:
    """Return the boundaries of one coding; ``how``: errors, share added, share late."""
    error, added, late = how
    marks = np.empty(_MOST, np.int64)
    kept = 0
    for place in places:
        if np.random.random() >= error and np.random.random() >= -added:
            near = np.random.random() < _NEAR
            marks[kept] = place + (2 * np.random.randint(0, 2) - 1 if near else 0)
            kept += 1
    for _ in places:
        for chance in (error, added):
            if np.random.random() < chance and kept < _MOST:
                marks[kept] = np.random.randint(1, size)
                kept += 1
    for k in range(kept):
        if np.random.random() < late:
            marks[k] = min(size - 1, marks[k] + np.random.randint(1, 3))
    return np.unique(marks[:kept])


@kernel
def _times(kind: int, strength: float, month: float, genre: int) -> float:
    """Return how many times as many errors a fault causes in a document."""
    if kind == 1:
        return 1 + 2 * strength
    if kind == 3:
        return 1 + 3 * strength * month
    if kind == 6 and genre == 1:
        return 1 + 3 * strength
    return 1.0


@kernel
def _draw(
    documents: tuple[Ints, Floats, Ints, Flags, Floats],
    coders: tuple[Ints, Floats, Floats, Ints, float],
    chosen: Flags,
    seed: int,
) -> tuple[Ints, Ints, Ints]:
    """Code all documents: document and coder of each coding, numbers of boundaries, boundaries."""
    np.random.seed(seed)
    size, month, genre, later, hard = documents
    fault, error, rate, reading, strength = coders
    faulty = np.count_nonzero(fault)
    copied = faulty % len(fault)
    total = np.count_nonzero(chosen)
    coding, lengths = np.empty((total, 2), np.int64), np.empty(total, np.int64)
    values = np.empty(total * _MOST, np.int64)
    row, end = 0, 0
    for d in range(len(size)):
        true = _true_places(size[d], size[d] // 10)
        another = _mean_another(true, size[d], max(reading))
        # With old guidelines about, the true places are those of the new ones from then on.
        old = np.any(fault == 7) and later[d]
        taken = np.zeros(0, np.int64)
        # The copied coder first, so that there is something to copy.
        for k in range(len(fault)):
            x = (copied + k) % len(fault)
            if not chosen[d, x]:
                continue
            kind = fault[x]
            errors = error[x] * hard[d] * _times(kind, strength, month[d], genre[d])
            added = rate[x] + (strength if kind == 4 else 0.0)
            places = another if reading[x] or (old and kind != 7) else true
            how = (min(0.95, errors), added, strength if kind == 5 else 0.0)
            marks = _code(places, size[d], how)
            if x == copied:
                taken = marks
            if kind == 2 and chosen[d, copied]:
                own = marks
                marks = taken.copy()
                for i in range(len(marks)):
                    if np.random.random() >= 0.95 * strength:
                        marks[i] = own[i % len(own)] if len(own) else 1
                marks = np.unique(marks)
            coding[row] = d, x
            lengths[row] = len(marks)
            values[end : end + len(marks)] = marks
            end += len(marks)
            row += 1
    return coding, lengths, values[:end]


@dataclass(frozen=True)
class Said:
    """What an audit says: the columns of `coders` over all documents, and pairs.

    Attributes:
        coders: the columns by coder.
        pairs: pairs who agree too well.
        copied: those of whom one may have copied.
        weaker: coders who agree less in a group, with the group.
    """

    coders: Mapping[str, Row]
    pairs: frozenset[tuple[str, str]]
    copied: frozenset[tuple[str, str]]
    weaker: frozenset[tuple[str, object]]


def audit(project: Project, seed: int) -> Said:
    """Simulate a project and judge its coders, as `segscore agree` does."""
    groups = _groups(table(project, seed), project.by)
    whole = groups[(None,)]
    view = judge_coders(whole)
    rows: list[dict[str, object]] = [
        {"coder": name, project.by: None, **columns}
        for name, columns in zip(whole.coders, coder_columns(whole, view), strict=True)
    ]
    of_groups: list[dict[str, object]] = [
        {"coder": name, project.by: key[0], "weaker_in_group": None}
        for key in groups
        for name in whole.coders
    ]
    add_comparisons([*rows, *of_groups], [project.by], groups, view)
    counts = whole.pair_counts
    named = [
        (whole.coders[i], whole.coders[j], row)
        for i, j, row in zip(counts.first, counts.second, pair_columns(whole, view), strict=True)
    ]
    pairs, copied = (
        frozenset((first, second) for first, second, row in named if row[mark])
        for mark in ("high_agreement", "copied")
    )
    weaker = {(str(row["coder"]), row[project.by]) for row in of_groups if row["weaker_in_group"]}
    return Said({str(row["coder"]): row for row in rows}, pairs, copied, frozenset(weaker))


def _groups(codings: pa.Table, by: str) -> dict[tuple[object, ...], Group]:
    """Count what an audit counts."""
    kinds = {GROUP + by: pa.string()}
    source = GivenTables(codings=codings).sources["codings"]
    settings = AgreeSettings("codings", "audit", group_by=(by,)).in_unit(source.table.unit)
    choices = settings.choices(source.table.unit)
    job = AgreeJob(NOWHERE, settings, choices, kinds, "")
    rows = source.read(), REJECT_COLUMNS.empty_table()
    accepted = separate_codings(job, rows, None)
    _, tallies = audit_codings(job, accepted, lambda *_: None)
    assert tallies is not None
    return groups_of(tallies, kinds, choices)

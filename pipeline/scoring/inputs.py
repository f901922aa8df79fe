"""Find the input tables of a run, and read and validate the references."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from segscore.pipeline import storage
from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.errors import Failed, Refused, nearest
from segscore.pipeline.measures.selection import Selection, select
from segscore.pipeline.scoring.counting import Rule
from segscore.pipeline.scoring.reference_points import DENSE, PER_UNIT
from segscore.pipeline.scoring.references import (
    References,
    accept_references,
    prepare_references,
)
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.scoring.swapped_inputs import (
    check_written_out,
    refuse_partly_shared,
    warn_of_swapped_inputs,
)
from segscore.pipeline.scoring.trials import NUMBER
from segscore.pipeline.settings.measuring import LEVEL, MeasuringSettings
from segscore.pipeline.settings.signature import ANSWERS, PROJECTED, REGIONS
from segscore.pipeline.statistics.averages import SUMMARY_COLUMNS
from segscore.pipeline.storage.memory import readable_size, row_group_limit
from segscore.pipeline.tables.boundary_types import COLUMN as BOUNDARY_TYPES
from segscore.pipeline.tables.boundary_types import have_boundary_types, require_types_in_both
from segscore.pipeline.tables.columns import DOCUMENTS, SEGMENTATIONS, segmentations_contract
from segscore.pipeline.tables.contradictions import Described, describe
from segscore.pipeline.tables.find import InputTable, find_table, tables_in_unit
from segscore.pipeline.tables.path_columns import TRIAL
from segscore.pipeline.tables.plain_attributes import (
    find_documents,
    plain_rows,
    require_lists,
    with_attributes,
    without_plain,
)
from segscore.pipeline.tables.read import Rows, no_rows_error, read_valid
from segscore.pipeline.tables.segment_labels import require_labels
from segscore.pipeline.tables.sources import Sources
from segscore.pipeline.tables.units import one_unit
from segscore.pipeline.tables.validate import place_of
from segscore.pipeline.testsets.content import MOST_RECOGNISED, Content
from segscore.pipeline.testsets.registry import own_registry
from segscore.pipeline.testsets.tables import content_of, digest_references

_SCORES_COLUMNS = (
    "document_id",
    "reference",
    "hypothesis",
    "n_units",
    "window",
    "collapsed_boundaries",
    "reference_digest",
)
"""Columns that `scores` has whatever is measured."""


_UNITS_OF_POINTS = 2**24
"""The most units of a piece whose reference points have boundaries in proportion to the units."""

_BYTES_OF_POINT = 12
"""Bytes of memory that a reference point takes for each unit, while it is made and scored."""


@dataclass(frozen=True)
class Inputs:
    """The input tables of a run, located and with their columns checked.

    Raises:
        Refused: only one of the two sides has boundary types.
    """

    references: InputTable
    hypotheses: InputTable
    documents: InputTable | None

    def __post_init__(self) -> None:
        """Check that boundary types are in both sides or in neither."""
        require_types_in_both(self.references, self.hypotheses)

    @property
    def typed(self) -> bool:
        """Whether the run distinguishes boundary types."""
        return have_boundary_types([self.references, self.hypotheses])

    @property
    def has_trials(self) -> bool:
        """Whether systems may have several hypotheses of a document."""
        return TRIAL in self.hypotheses.further.names

    @property
    def tables(self) -> list[InputTable]:
        """The tables that were given."""
        sides = [self.references, self.hypotheses]
        return sides if self.documents is None else [*sides, self.documents]

    @property
    def attributes(self) -> pa.Table | None:
        """The attributes of documents in a plain table; None without one."""
        return plain_rows(self.tables)

    @property
    def unit(self) -> str | None:
        """The unit of the tables; None if none of them states it.

        Raises:
            Refused: they are in different units.
        """
        return one_unit({table.location: table.unit for table in self.tables})

    @property
    def made(self) -> dict[str, str]:
        """How boundaries came from answers or another transcript: field of a signature -> text."""
        projected = [
            f"{table.name},{table.projected}"
            for table in (self.references, self.hypotheses)
            if table.projected is not None
        ]
        regions = sorted({table.regions or "" for table in (self.references, self.hypotheses)})
        stated = {
            ANSWERS: self.hypotheses.answers,
            PROJECTED: "+".join(projected),
            REGIONS: "+".join(filter(None, regions)),
        }
        return {field: text for field, text in stated.items() if text}

    def in_unit(self, unit: str | None) -> "Inputs":
        """Return the tables, in this unit where they state none; None leaves them without.

        Raises:
            Refused: they state another one.
        """
        references, hypotheses, *documents = tables_in_unit(self.tables, unit)
        return Inputs(references, hypotheses, documents[0] if documents else None)

    @property
    def shared_files(self) -> set[str]:
        """The files that are read both as references and as hypotheses."""
        return {file.url for file in self.references.files} & {
            file.url for file in self.hypotheses.files
        }


@dataclass(frozen=True)
class Collected:
    """References and documents that were read, and the rows that were rejected.

    Attributes:
        references: the accepted references, prepared for scoring.
        reference_rows: the rows that ``references`` was built from.
        described: the documents table, if there is one.
        rejects: rejected rows of both tables.
        read: number of rows read, by table.
    """

    references: References
    reference_rows: Rows
    described: Described | None
    rejects: pa.Table
    read: Mapping[str, int]

    @property
    def digests(self) -> Ints:
        """What each accepted reference says, as a number, shape (references,)."""
        return digest_references(self.reference_rows)

    def content(self, documents: int) -> Content:
        """Count the accepted references of a run of so many documents, to recognise them."""
        if documents > MOST_RECOGNISED:
            return Content(None, len(self.reference_rows.table), 0, {})
        return content_of(self.reference_rows, own_registry())


def find_inputs(settings: ScoreSettings) -> Inputs:
    """Find the input tables of a scoring run and check their columns, before any work."""
    _require_one_side(settings.references, storage.split_locations(settings.hypotheses))
    inputs = find_sides(
        settings.references,
        settings.hypotheses,
        settings.documents,
        settings.memory_limit,
        settings.left_out,
        trials=settings.trials,
    )
    return _require_scorable(settings, inputs)


def _require_one_side(references: str, hypotheses: Sequence[str]) -> None:
    """Refuse hypotheses some of which seem to be references, as with an unquoted glob.

    References in the current folder are no sign of a glob: files there are of any kind.

    Raises:
        Refused: some of the hypotheses, but not all, are in the folder of the file of references.
    """
    folder, slash, name = references.rpartition("/")
    beside = [location for location in hypotheses if location.rpartition("/")[0] == folder]
    if slash and "." in name and 0 < len(beside) < len(hypotheses):
        first = beside[0]
        raise Refused(
            f"HYPOTHESES {first}: is in the folder of the references, unlike others; only the "
            "first argument names references: name their folder, or quote the glob"
        )


def inputs_of(settings: ScoreSettings, sources: Sources) -> Inputs:
    """Return the input tables of a scoring run from their sources; see ``find_inputs``."""
    documents = sources["documents"].table if "documents" in sources else None
    references, hypotheses = (sources[name].table for name in ("references", "hypotheses"))
    return _require_scorable(settings, _with_sides(references, hypotheses, documents))


def _require_levels(settings: ScoreSettings, inputs: Inputs) -> None:
    """Refuse to score levels of segmentations without boundary types, which levels are made of."""
    if settings.by_level is not None and not inputs.typed:
        raise Refused(
            f"--by-level: the levels are boundary types, but {inputs.references.location} and "
            f"{inputs.hypotheses.location} have no column {BOUNDARY_TYPES}; give each boundary the "
            "number of its level there (1 is the coarsest), or omit --by-level"
        )


def _require_types(settings: ScoreSettings, inputs: Inputs) -> None:
    """Refuse to distinguish declared types of boundaries that have none."""
    declared = settings.boundary_types
    if len(declared) > 1 and not inputs.typed:
        raise Refused(
            f"--boundary-types {','.join(map(str, declared))}: {inputs.references.location} and "
            f"{inputs.hypotheses.location} have no column {BOUNDARY_TYPES}; give each boundary its "
            "type there, or omit --boundary-types"
        )


def _require_scorable(settings: ScoreSettings, inputs: Inputs) -> Inputs:
    """Return the tables in their unit; refuse what cannot be scored.

    Raises:
        Refused: an option needs lists that a plain table of attributes lacks; the tables have
            boundary types, and the settings ask for consensus references or
            reference points; or they have none, and the settings need them; or an attribute has the
            name of a column.
    """
    inputs = inputs.in_unit(settings.unit)
    require_lists(inputs.tables, words=settings.units == "words", weights=settings.unit_weights)
    refuse_columns(inputs, settings.selection, by_level=settings.by_level is not None)
    if inputs.has_trials:
        refuse_taken_names(inputs.tables, [NUMBER], "scores")
    _require_levels(settings, inputs)
    if settings.select:
        require_labels([inputs.references, inputs.hypotheses], "--select")
    _require_types(settings, inputs)
    if settings.confusion and inputs.has_trials:
        raise Refused(
            f"--confusion: counts one answer of a system for each document, and the column {TRIAL} "
            f"of {inputs.hypotheses.location} numbers several; omit --confusion, or score one trial"
        )
    if inputs.typed and (settings.shares or settings.points):
        raise Refused(
            "the tables have boundary_types, but --consensus and --reference-points make "
            "boundaries without types; omit these options, or the column"
        )
    return inputs


def find_sides(
    references: str,
    hypotheses: str,
    documents: str | None,
    memory: int | None = None,
    left_out: Collection[str] = (),
    *,
    trials: bool = False,
) -> Inputs:
    """Find the tables of references, hypotheses and documents, and check their columns.

    Args:
        references: a file, a directory or a glob; likewise the others.
        hypotheses: the segmentations to judge.
        documents: None for no table.
        memory: bytes that a worker may use; None for the default.
        left_out: URLs of files of segmentations that are not read.
        trials: whether each file or folder of the hypotheses is a trial.
    """
    inputs = _with_sides(
        find_table("references", references, SEGMENTATIONS, memory, left_out),
        find_table("hypotheses", hypotheses, SEGMENTATIONS, memory, left_out, trials=trials),
        find_documents(documents, memory) if documents else None,
    )
    refuse_columns(inputs, select(()))
    return inputs


def _with_sides(
    references: InputTable, hypotheses: InputTable, documents: InputTable | None
) -> Inputs:
    """Return the tables, with a warning if the two sides seem to have changed places."""
    inputs = Inputs(references, hypotheses, documents)
    refuse_partly_shared(references, hypotheses)
    several = storage.split_locations(hypotheses.location)
    warnings = [*check_written_out(references.location, several)]
    warnings = warnings or [*warn_of_swapped_inputs(references.location, hypotheses.location)]
    return replace(
        inputs, references=replace(references, warnings=(*references.warnings, *warnings))
    )


def rule_of(settings: ScoreSettings, inputs: Inputs) -> Rule:
    """Return how the pairs of a run are counted, before the types that occur are known.

    Raises:
        Refused: as ``group_types``.
    """
    return Rule(settings, settings.boundary_types or (1,), group_types(settings, inputs))


def refuse_columns(inputs: Inputs, selection: Selection, *, by_level: bool = False) -> None:
    """Refuse attributes that have the name of a column of `scores`."""
    table = selection.pairs
    reserved = {*_SCORES_COLUMNS, *table.counts, *table.measures, *([LEVEL] * by_level)}
    refuse_taken_names(inputs.tables, reserved, "scores")


def refuse_taken_names(
    tables: Iterable[InputTable], reserved: Collection[str], output: str
) -> None:
    """Refuse attributes that have the name of a column of an output table."""
    for table in tables:
        for name in table.attributes.names:
            if name in reserved:
                raise Refused(
                    f"{table.name}: the attribute column {name} has the same name as a column of "
                    f"{output}; rename it"
                )


def group_types(settings: ScoreSettings, inputs: Inputs) -> dict[str, pa.DataType]:
    """Return the type of each group-by column of a scoring run.

    Raises:
        Refused: an attribute does not exist, or its type cannot name a group.
    """
    tables = [inputs.hypotheses, inputs.references, inputs.documents]
    types = {"reference": pa.string(), **attribute_types(tables)}
    undescribed = inputs.references if inputs.documents is None else None
    chosen = choose_groups(settings.group_by, types, SUMMARY_COLUMNS, undescribed)
    require_units(settings.resample_by, inputs)
    if settings.shares:
        # A consensus gets its own group; it is never averaged with the coders behind it.
        chosen.setdefault("reference", types["reference"])
    return chosen


def attribute_types(tables: Iterable[InputTable | None]) -> dict[str, pa.DataType]:
    """Return the attributes of the tables with their types; if a name repeats, the last wins."""
    present = [table for table in tables if table is not None]
    return {attribute.name: attribute.type for table in present for attribute in table.attributes}


def choose_groups(
    group_by: tuple[str, ...],
    types: Mapping[str, pa.DataType],
    reserved: Iterable[str],
    undescribed: InputTable | None = None,
) -> dict[str, pa.DataType]:
    """Return the type of each group-by column.

    Args:
        group_by: the requested columns.
        types: types of the available attributes.
        reserved: columns that the output always has.
        undescribed: references or codings of a run without a documents table; None for others.

    Raises:
        Refused: an attribute does not exist, its type cannot name a group, or the output has a
            column of that name.
    """
    for name in group_by:
        if name in types and name in reserved:
            raise Refused(
                f"--group-by {name}: the output already has a column of that name; "
                "rename the attribute"
            )
        if name not in types:
            available = ", ".join(sorted(types)) or "none"
            near = nearest(name, sorted(types))
            unread = "" if undescribed is None else _unread_documents(undescribed)
            raise Refused(
                f"--group-by {name}: no such attribute{near}; available: {available}{unread}"
            )
        if not _names_a_group(types[name]):
            raise Refused(f"--group-by {name}: cannot group by values of type {types[name]}")
    return {name: types[name] for name in group_by}


def require_units(name: str | None, inputs: Inputs) -> None:
    """Refuse to resample by an attribute that the documents of a run do not have."""
    undescribed = inputs.references if inputs.documents is None else None
    of_documents = attribute_types([inputs.references, inputs.documents])
    require_resampled(name, of_documents, undescribed)


def require_resampled(
    name: str | None, types: Mapping[str, pa.DataType], undescribed: InputTable | None
) -> None:
    """Refuse to resample by an attribute that documents do not have.

    Args:
        name: the attribute; None for none.
        types: types of the attributes of documents.
        undescribed: as for ``choose_groups``.

    Raises:
        Refused: the attribute does not exist, or its values cannot name a set of documents.
    """
    if name is None:
        return
    if name not in types:
        available = ", ".join(sorted(types)) or "none"
        unread = "" if undescribed is None else _unread_documents(undescribed)
        raise Refused(
            f"--resample-by {name}: documents have no such attribute"
            f"{nearest(name, sorted(types))}; available: {available}{unread}"
        )
    if not _names_a_group(types[name]):
        raise Refused(f"--resample-by {name}: cannot resample by values of type {types[name]}")


def _unread_documents(table: InputTable) -> str:
    """Say where attributes of documents come from, given the references or codings of a run."""
    folder, separator, _ = table.location.rstrip("/").rpartition("/")
    documents = f"{folder}{separator}{DOCUMENTS.name}"
    if table.files and "*" not in folder and storage.is_folder(documents):
        return f"; {documents} is not read: pass --documents {documents}"
    return "; attributes of documents come from --documents"


def _names_a_group(kind: pa.DataType) -> bool:
    """Return whether values of a type are equal exactly when they print the same.

    Floats, for example, do not.
    """
    return bool(
        pa.types.is_string(kind)
        or pa.types.is_integer(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_date(kind)
        # pyarrow may shift a timestamp with a time zone by its offset when reading it from Python.
        or (pa.types.is_timestamp(kind) and kind.unit != "ns" and kind.tz is None)
    )


def cut_points(
    references: References, settings: MeasuringSettings, rows: int
) -> list[tuple[int, int]]:
    """Divide documents into pieces with about ``rows`` reference points each.

    Where reference points have boundaries in proportion to the units, a piece has a limited number
    of units, too, unless it is a single document.

    Returns:
        The number of the first document of each piece, and one past its last.

    Raises:
        Refused: a document's reference point would not fit into memory, also one that is drawn from
            a system's own segmentation.
    """
    documents = len(references.documents) if settings.points else 0
    step = max(1, rows // max(1, len(settings.points)))
    dense = any(name in DENSE for name in settings.points)
    large = [name for name in (*settings.points, *settings.own_points) if name in PER_UNIT]
    if large and len(references.documents):
        memory = settings.memory_limit if isinstance(settings, ScoreSettings) else None
        _require_room(references, large[0], memory)
    total = np.cumsum(references.units) if dense else np.zeros(documents, np.int64)
    pieces, start = list[tuple[int, int]](), 0
    while start < documents:
        before = total[start - 1] if start else 0
        within = int(np.searchsorted(total, before + _UNITS_OF_POINTS, "right"))
        end = min(start + step, max(start + 1, within), documents)
        pieces.append((start, end))
        start = end
    return pieces


def _require_room(references: References, name: str, memory: int | None) -> None:
    """Refuse to make a reference point for a document with more units than memory has room for."""
    document = int(references.units.argmax())
    units = int(references.units[document])
    limit = row_group_limit(memory)
    if units * _BYTES_OF_POINT > limit:
        raise Refused(
            f"--reference-points {name}: {references.documents.ids[document]} has {units:,} units, "
            f"which takes {readable_size(units * _BYTES_OF_POINT)}; the limit is "
            f"{readable_size(limit)}: raise --memory-limit, or omit {name}"
        )


def collect(settings: MeasuringSettings, inputs: Inputs) -> Collected:
    """Read and validate all documents and references.

    Raises:
        Failed: no reference was accepted.
    """
    described = without_plain(inputs.tables).get(DOCUMENTS.name)
    documents = None if described is None else read_valid(described, DOCUMENTS)
    contract = segmentations_contract(settings.length_tolerance)
    rows = read_valid(inputs.references, contract)
    collected = gather_inputs(
        settings, rows, documents, typed=inputs.typed, attributes=inputs.attributes
    )
    require_references(collected, inputs)
    return collected


def require_references(collected: Collected, inputs: Inputs) -> None:
    """Refuse to score without references.

    Raises:
        Absent: there is no reference.
        Failed: no reference was accepted; the message gives the first reject.
    """
    if not collected.read["references"]:
        raise no_rows_error(inputs.references)
    if not len(collected.reference_rows):
        first_reject = _first_reject(collected.rejects)
        raise Failed(f"{inputs.references.location}: no reference was accepted{first_reject}")


Checked = tuple[Rows, pa.Table]
"""Rows that are valid one by one, and the rejects."""


def gather_inputs(
    settings: MeasuringSettings,
    rows: Checked,
    documents: Checked | None,
    *,
    typed: bool,
    attributes: pa.Table | None = None,
) -> Collected:
    """Reject rows that contradict each other, and prepare the remaining references for scoring.

    The attributes are those of a plain table, if there is one.
    """
    described, rejects, counts = None, [], {}
    if documents is not None:
        counts["documents"] = len(documents[0]) + documents[1].num_rows
        described = describe(documents[0])
        rejects += [documents[1], described.rejects]
    counts["references"] = len(rows[0]) + rows[1].num_rows
    given = with_attributes(rows[0], attributes)
    accepted, contradicting = accept_references(given, described, settings, typed=typed)
    rejects += [rows[1], contradicting]
    references = prepare_references(accepted, described, settings, typed=typed)
    return Collected(references, accepted, described, pa.concat_tables(rejects), counts)


def _first_reject(rejects: pa.Table) -> str:
    """Describe the first rejected row, for a message."""
    if not rejects.num_rows:
        return ""
    row = rejects.slice(0, 1).to_pylist()[0]
    return f"; first reject: {place_of(row)}: {row['rule']} ({row['detail']})"

"""Segmentations as a value for each unit, or the sizes of segments: in lists, or in rows of CSV."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from itertools import chain, islice, pairwise
from typing import cast

from segscore.pipeline.importing.field_paths import FieldPath, field_path
from segscore.pipeline.importing.formats.flag_edges import BETWEEN, END, START, FlagEdges
from segscore.pipeline.importing.formats.format import (
    CSV_ENDINGS,
    JSON_LINES_ENDINGS,
    PARQUET_ENDINGS,
    Format,
    Head,
)
from segscore.pipeline.importing.formats.label_records import (
    CODER_FIELDS,
    DIALOGUES,
    DOCUMENT_FIELDS,
    LabelColumns,
    LabelRecord,
    attributes_of,
    is_csv,
    label_records,
    named_field,
    row_records,
)
from segscore.pipeline.importing.formats.values import array_of
from segscore.pipeline.importing.opened_file import Notes, OpenedFile
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.importing.shapes import Shape, Sizes
from segscore.pipeline.importing.times import Clock
from segscore.pipeline.importing.unit_times import OPTION, times_of_list
from segscore.pipeline.tables.label_changes import are_letters, changes_of
from segscore.pipeline.tables.rows import RowPlace, role_of, stem
from segscore.schemas.input_columns import ROLE


@dataclass(frozen=True, slots=True)
class LabelPaths:
    """The paths of the labels in a record, and of what belongs to them, if options name them.

    Without `labels`, only a file of SuperDialseg's form can be read. ``sizes_of`` makes sizes of
    segments of the labels, given their name and place. ``edges`` is None unless options say what
    flags mark.
    """

    labels: FieldPath | None
    sizes_of: Callable[..., list[int]]
    edges: FlagEdges | None
    records: FieldPath | None
    units: FieldPath | None
    document: FieldPath | None
    coder: FieldPath | None
    times: FieldPath | None
    clock: Clock


def label_paths(file: OpenedFile, settings: ImportSettings) -> LabelPaths:
    """Return where the options say the labels are.

    Raises Refused for --flags without --marks.
    """
    given = {"--flags": settings.flags, "--ids": settings.ids, "--sizes": settings.sizes}
    paths = [field_path(option, text) for option, text in given.items() if text is not None]
    if settings.flags is not None and settings.marks is None:
        raise file.refusal(
            "flags of 0 and 1 can be at the end of a segment, at its start or between units; say "
            f"which: --marks {END}, {START} or {BETWEEN}"
        )
    ids = partial(sizes_of_ids, notes=file.notes)
    readers: dict[str, Callable[..., list[int]]] = {"--ids": ids, "--sizes": stated_sizes}
    flags = partial(sizes_of_flags, marks=settings.marks or END)
    return LabelPaths(
        labels=paths[0] if paths else None,
        sizes_of=readers.get(paths[0].option, flags) if paths else flags,
        edges=None if settings.flags is None else FlagEdges(settings.marks or END, _REMEDIES),
        records=_path("--records", settings.records),
        units=_path("--units", settings.units),
        document=_path("--document-field", settings.document_field),
        coder=_path("--coder-field", settings.coder_field),
        times=_path(OPTION, settings.unit_times),
        clock=settings.clock,
    )


def _path(option: str, text: str | None) -> FieldPath | None:
    return None if text is None else field_path(option, text)


_REMEDIES = {marks: f"read them with --marks {marks}" for marks in (END, START)}
_IGNORED = -100
"""What data sets have for labels that say nothing."""
_LARGEST = 2**31


def sizes_of_flags(value: object, marks: str, name: str, place: RowPlace) -> list[int]:
    """Return the sizes of the segments that flags of 0 and 1 mark.

    Args:
        value: a list of flags, or a text such as 0100.
        marks: what a 1 marks: the last unit of a segment (`end`), the first one (`start`), or a
            place between two units (`between`, one flag less than units).
        name: what the list is called in messages.
        place: where it was read.

    Raises:
        Refused: it is not a list, is empty, or has another value. The last flag of `end` and the
            first one of `start` say nothing and may be -100.
    """
    flags = list(value) if isinstance(value, str) else _filled(value, name, place)
    if not flags:
        raise place.refusal(f"{name} is empty; expected a flag for each unit")
    silent = {END: len(flags) - 1, START: 0, BETWEEN: None}[marks]
    marked = [
        _is_marked(flag, f"{name}[{index}]", place, index == silent)
        for index, flag in enumerate(flags)
    ]
    if silent is not None:
        del marked[silent]
    return _sizes([p for p, mark in enumerate(marked, start=1) if mark], len(marked) + 1)


def sizes_of_ids(value: object, name: str, place: RowPlace, notes: Notes) -> list[int]:
    """Return the sizes of the segments that begin where the name of the segment changes.

    Tags such as B-SEG say themselves where one begins; `notes` counts documents of letters alone.
    Raises Refused for anything but a list of texts and numbers, or an empty list.
    """
    ids = _filled(value, name, place)
    for index, label in enumerate(ids):
        if not isinstance(label, str | int | float | Decimal) or label != label:
            raise place.wrong(f"{name}[{index}]", label, "a text or a number")
    if are_letters(ids):
        notes.add("letters_read_as_tags", 1)
    return _sizes(changes_of(ids), len(ids))


def stated_sizes(value: object, name: str, place: RowPlace) -> list[int]:
    """Return sizes of segments from a list of them, or from a list of lists of their units.

    Raises Refused for anything but a list of whole numbers from 1 or of lists, or an empty list.
    """
    return [
        _size(size, f"{name}[{index}]", place)
        for index, size in enumerate(_filled(value, name, place))
    ]


def _filled(value: object, name: str, place: RowPlace) -> Sequence[object]:
    items = array_of(value, name, place)
    if not items:
        raise place.refusal(f"{name} is an empty list; expected one unit at least")
    return items


def _is_marked(flag: object, name: str, place: RowPlace, silent: bool) -> bool:
    """Return whether a flag is 1; only a `silent` one may be -100."""
    if flag in ("0", "1"):
        return flag == "1"
    number = flag if isinstance(flag, int | float | Decimal) else None
    if number in (0, 1) or (silent and number == _IGNORED):
        return number == 1
    tag = isinstance(flag, str) and flag[:2] in ("B-", "I-")
    raise place.wrong(name, flag, f"0 or 1{'; tags are read with --ids' if tag else ''}")


def _size(size: object, name: str, place: RowPlace) -> int:
    if isinstance(size, list | tuple):
        size = len(size)
    number = size if isinstance(size, int | float | Decimal) else 0
    if isinstance(size, bool) or not 1 <= number < _LARGEST or number != int(number):
        raise place.wrong(name, size, "a whole number from 1, or a list of units")
    return int(number)


def _sizes(boundaries: Sequence[int], n_units: int) -> list[int]:
    return [end - start for start, end in pairwise([0, *boundaries, n_units])]


_TURN = "turn"
_DIALOGUE_FLAGS = field_path("the path", "turns[].segmentation_label")


def read(file: OpenedFile, settings: ImportSettings) -> Iterator[Shape]:
    """Yield a segmentation for each record.

    Fields with one value are attributes, lists and objects are not.
    Raises Refused unless one of --flags, --ids and --sizes is given (files of SuperDialseg's form
    need none), for flags without --marks, a path that leads nowhere, or a list that is empty, has
    other values, or another length than --units.
    """
    paths = label_paths(file, settings)
    records = _records(file, paths, settings)
    first = list(islice(records, 2))
    if not first:
        raise file.place(1).refusal(
            "the file contains no records; expected the labels of at least one document"
        )
    for number, record in enumerate(chain(first, records), start=1):
        # A record without a name has the file's, with a number if it is one of several.
        own_name = f"{settings.document_id or stem(file.url)}/{number}" if len(first) > 1 else None
        yield _segmentation(record, paths, own_name, settings)
    if paths.edges is not None:
        paths.edges.check()


def _records(
    file: OpenedFile, paths: LabelPaths, settings: ImportSettings
) -> Iterator[LabelRecord]:
    """Return the records of a file; of a CSV file, those that its rows make up.

    Raises Refused if options name no column of labels, or a list of records, in CSV.
    """
    if not is_csv(file):
        return label_records(file, paths.records)
    if paths.records is not None:
        raise file.refusal("--records names a list in JSON; in CSV, each row is a unit")
    if paths.labels is None:
        raise file.refusal(
            "nothing says where the labels are; name their column with --flags, --ids or --sizes"
        )
    columns = LabelColumns(
        document=paths.document,
        coder=paths.coder,
        flags=settings.flags is not None,
        numbers=settings.ids is None,
        read=[path for path in (paths.labels, paths.units, paths.times) if path is not None],
        one_document=settings.document_id is not None,
    )
    return row_records(file, columns, settings.skip_lines)


def _segmentation(
    record: LabelRecord, paths: LabelPaths, own_name: str | None, settings: ImportSettings
) -> Shape:
    """Return the segmentation of a record; `own_name` names a document without a name."""
    path = paths.labels or (_DIALOGUE_FLAGS if record.dialogue else None)
    if path is None:
        raise record.place.refusal(
            "nothing says where the labels are; name their field with --flags, --ids or --sizes"
        )
    name = f"{record.name}.{path.text}" if record.name else path.text
    labels = path.value(record.fields, record.name, record.place)
    sizes = paths.sizes_of(labels, name=name, place=record.place)
    if paths.units is not None:
        _check_length(record, paths.units, sum(sizes), name)
    document, document_field = named_field(record, paths.document, DOCUMENT_FIELDS)
    coder, coder_field = named_field(record, paths.coder, CODER_FIELDS)
    stated = record.fields.get(ROLE)
    role = None if stated is None else role_of(stated, ROLE, record.place)
    if paths.edges is not None:
        marked = [flag in (1, "1") for flag in cast("Sequence[object]", labels)]
        by = coder or settings.coder or "the flags"
        paths.edges.add(marked, by, role or settings.role, record.place)
    used = {path.steps[0], document_field, coder_field, ROLE}
    shape = Sizes(
        place=record.place,
        unit=_TURN,
        document_id=document or own_name,
        coder=coder,
        role=role,
        attributes=attributes_of(record, used),
        sizes=sizes,
    )
    if paths.times is None:
        return shape
    values = paths.times.value(record.fields, record.name, record.place)
    starts = array_of(values, paths.times.text, record.place)
    return times_of_list(starts, paths.times.text, paths.clock, record.place).apply(shape)


def _check_length(record: LabelRecord, units: FieldPath, labelled: int, name: str) -> None:
    value = units.value(record.fields, record.name, record.place)
    count = len(array_of(value, units.text, record.place))
    if count != labelled:
        raise record.place.refusal(
            f"{name} is for {labelled} units, and {units.text} has {count}; expected the same "
            "number; check --marks and --units"
        )


def _has_labels(head: Head) -> bool:
    """Return whether options say where labels are, or it is a file of SuperDialseg's form."""
    paths = (head.settings.flags, head.settings.ids, head.settings.sizes)
    return any(path is not None for path in paths) or DIALOGUES in head.keys


FORMATS = (
    Format(
        "labels",
        read,
        shared=(*JSON_LINES_ENDINGS, ".json", *PARQUET_ENDINGS, *CSV_ENDINGS),
        content=_has_labels,
        options=(
            *("flags", "marks", "ids", "sizes", "records", "document_field", "coder_field"),
            *("units", "unit_times", "skip_lines"),
        ),
    ),
)

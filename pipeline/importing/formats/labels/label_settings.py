"""Where the labels are in a record, as --flags, --ids, --sizes and the options beside them say."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.formats.asked import Asked, OpenedFile
from segscore.pipeline.importing.formats.labels.field_paths import FieldPath, field_path
from segscore.pipeline.importing.formats.labels.label_values import (
    BETWEEN,
    END,
    START,
    sizes_of_flags,
    sizes_of_ids,
    stated_sizes,
)


@dataclass(frozen=True, slots=True)
class LabelSettings:
    """Where the labels are in a record.

    Attributes:
        labels: path of the labels; None if only a file of SuperDialseg's form can be read.
        sizes_of: makes sizes of segments of the labels, given their name and place.
        records: path of the list of records, or None.
        units: path of the list of units, or None.
        document: path of the document's name, or None.
        coder: path of the coder's name, or None.
    """

    labels: FieldPath | None
    sizes_of: Callable[..., list[int]]
    records: FieldPath | None
    units: FieldPath | None
    document: FieldPath | None
    coder: FieldPath | None


def label_settings(file: OpenedFile, asked: Asked) -> LabelSettings:
    """Return where the options say the labels are.

    Raises Refused for two of --flags, --ids and --sizes, or --flags without --marks.
    """
    given = {"--flags": asked.flags, "--ids": asked.ids, "--sizes": asked.sizes}
    paths = [field_path(option, text) for option, text in given.items() if text is not None]
    if len(paths) > 1:
        raise Refused(f"{' and '.join(path.option for path in paths)} are given; name one of them")
    if asked.flags is not None and asked.marks is None:
        raise file.refusal(
            "flags of 0 and 1 can be at the end of a segment, at its start or between units; say "
            f"which: --marks {END}, {START} or {BETWEEN}"
        )
    readers: dict[str, Callable[..., list[int]]] = {"--ids": sizes_of_ids, "--sizes": stated_sizes}
    flags = partial(sizes_of_flags, marks=asked.marks or END)
    return LabelSettings(
        labels=paths[0] if paths else None,
        sizes_of=readers.get(paths[0].option, flags) if paths else flags,
        records=_path("--records", asked.records),
        units=_path("--units", asked.units),
        document=_path("--document-field", asked.document_field),
        coder=_path("--coder-field", asked.coder_field),
    )


def _path(option: str, text: str | None) -> FieldPath | None:
    return None if text is None else field_path(option, text)

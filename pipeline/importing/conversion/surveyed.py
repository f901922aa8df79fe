"""Survey all shapes of an import, before any of them is converted."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.conversion.boundaries import are_points
from segscore.pipeline.importing.conversion.names import NamedShape
from segscore.pipeline.importing.shapes import Intervals, Mark, Marks, Segment, Shape
from segscore.pipeline.tables.rows import RowPlace, shown


@dataclass(frozen=True)
class SurveyedShape:
    """A shape as the conversion of other shapes needs to know it, as plain values.

    The length of the document and the end of its last segment are fractions as text; None if the
    file does not state them. If an option names the coder, ``folders`` are those of the file that
    are no columns, with slashes.
    """

    url: str
    line: int
    document_id: str
    by_file: bool
    coder: str
    role: str
    unit: str
    length: str | None
    end: str | None
    folders: str | None = None


def survey_shapes(named: Iterable[NamedShape]) -> list[SurveyedShape]:
    """Return what other shapes need to know of each shape.

    Raises:
        Refused: times go back in a format whose times are in order.
    """
    surveyed = []
    for one in named:
        _require_order(one.shape)
        surveyed.append(surveyed_shape(one))
    return surveyed


def surveyed_shape(one: NamedShape) -> SurveyedShape:
    """Return what other shapes need to know of a shape."""
    return SurveyedShape(
        one.file.url,
        one.shape.place.line,
        one.document_id,
        one.by_file,
        one.coder,
        one.role,
        one.shape.unit,
        None if one.shape.length is None else str(one.shape.length),
        _last_end(one.shape),
        one.folders,
    )


def colliding_names(surveyed: Iterable[SurveyedShape]) -> frozenset[str]:
    """Return the names of documents that several files of one coder and role have."""
    urls = defaultdict(set)
    for one in surveyed:
        if one.by_file:
            urls[one.document_id, one.coder, one.role].add(one.url)
    return frozenset(key[0] for key, files in urls.items() if len(files) > 1)


def require_one_unit(surveyed: Sequence[SurveyedShape]) -> None:
    """Refuse shapes that count different units; the message names a file of each."""
    first: dict[str, SurveyedShape] = {}
    for one in surveyed:
        first.setdefault(one.unit, one)
    if len(first) > 1:
        this, other, *_ = first.values()
        raise Refused(
            f"{other.url}: counts {other.unit}s, and {this.url} counts {this.unit}s; import files "
            "of different units into different folders"
        )


def require_distinct(surveyed: Iterable[SurveyedShape]) -> None:
    """Refuse a second segmentation of a document by the same coder in the same role."""
    first: dict[tuple[str, str, str], SurveyedShape] = {}
    for one in surveyed:
        other = first.setdefault((one.document_id, one.coder, one.role), one)
        if other is not one:
            place = RowPlace(one.url, one.line)
            where = f"{other.url}:{other.line}"
            if (other.url, other.line) == (one.url, one.line):
                where = "in the same place"
            raise place.refusal(
                f"a second segmentation of {shown(one.document_id)} by {shown(one.coder)}; the "
                f"first is {where}; remove one, or give them different coders or documents"
            )


def _last_end(shape: Shape) -> str | None:
    """Return the last end of the segments; None if one of them has no end."""
    if not isinstance(shape, Intervals) or not shape.segments or are_points(shape.segments):
        return None
    last: dict[int, Fraction] = {}
    for segment in shape.segments:
        last[segment.level] = max(segment.start.exact, last.get(segment.level, Fraction(0)))
    if any(s.end is None and s.start.exact == last[s.level] for s in shape.segments):
        return None
    return str(max(s.end.exact for s in shape.segments if s.end is not None))


def _require_order(shape: Shape) -> None:
    """Refuse a segment that ends before it starts, and an ordered list whose times decrease."""
    if isinstance(shape, Intervals):
        for segment in shape.segments:
            if segment.end is not None and segment.end.exact < segment.start.exact:
                raise RowPlace(shape.place.source, segment.line).refusal(
                    f"the segment ends at {segment.end.text}, before it starts at "
                    f"{segment.start.text}"
                )
        if shape.ordered:
            _require_ascending(shape.segments, shape.place.source)
    elif isinstance(shape, Marks) and shape.ordered:
        _require_ascending(shape.marks, shape.place.source)


def _require_ascending(starts: Sequence[Mark | Segment], source: str) -> None:
    for above, below in pairwise(starts):
        if below.start.exact < above.start.exact:
            raise RowPlace(source, below.line).refusal(
                f"{below.start.text} comes after {above.start.text}, so times go back; expected "
                "ascending times: correct a typing error, or write a second track or list to a "
                "file of its own"
            )

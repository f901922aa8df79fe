"""Shapes of any format become segmentations by one set of rules."""

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.conversion.counts import Converted, describe_counts
from segscore.pipeline.importing.conversion.names import ReadFile
from segscore.pipeline.importing.opened_file import OpenedFile
from segscore.pipeline.importing.shapes import (
    Extent,
    Intervals,
    Mark,
    Marks,
    Moment,
    Segment,
    Shape,
    Sizes,
)
from segscore.pipeline.tables.rows import ParsedRow, RowPlace
from tests.oracles import naive_conversion as naive
from tests.support.reading import convert_files, import_settings

Ends = tuple[float | str, float | str | None]


def moment(value: float | str) -> Moment:
    return Moment(Fraction(str(value)), str(value))


def segments(*ends: Ends, **fields: Any) -> list[Segment]:
    """Segments on the lines 1, 2, 3 ..."""
    return [
        Segment(moment(start), None if end is None else moment(end), line, **fields)
        for line, (start, end) in enumerate(ends, start=1)
    ]


def intervals(found_segments: list[Segment], **stated: Any) -> Intervals:
    names = {"document_id": "d", "coder": "anna", **stated}
    return Intervals(place=RowPlace("f.x", 1), unit="millisecond", segments=found_segments, **names)


def marks(*starts: float | str, **stated: Any) -> Marks:
    names = {"document_id": "d", "coder": "anna", **stated}
    points = [Mark(moment(start), line) for line, start in enumerate(starts, start=1)]
    return Marks(place=RowPlace("f.x", 1), unit="millisecond", marks=points, **names)


def extent(start: float, end: float, *, region: bool = False) -> dict[str, Extent]:
    place = RowPlace("lengths.csv", 2)
    return {"d": Extent(Fraction(start), Fraction(end), None, region, place)}


def convert(
    *shapes: Shape,
    url: str = "f.x",
    extents: dict[str, Extent] | None = None,
    others: tuple[ParsedRow, ...] = (),
    **options: Any,
) -> list[Converted]:
    file = ReadFile(OpenedFile(url, b""), shapes, ())
    return convert_files([file], import_settings(**options), extents or {}, others)


def positions(*shapes: Shape, **options: Any) -> list[tuple[int | None, ...] | None]:
    return [one.row.boundaries for one in convert(*shapes, **options)]


def counted(*shapes: Shape, **options: Any) -> dict[str, int]:
    (one,) = convert(*shapes, **options)
    return {name: number for name, number in one.counts.numbers.items() if number}


halves = st.integers(0, 60).map(lambda n: Fraction(n, 2))
pieces = st.lists(
    st.builds(
        lambda start, length, level, label: naive.Piece(
            start, None if length is None else start + length, level, label
        ),
        halves,
        st.one_of(
            st.none(), st.just(Fraction(0)), st.integers(0, 40).map(lambda n: Fraction(n, 4))
        ),
        st.integers(1, 2),
        st.sampled_from([None, "a", "b"]),
    ),
    max_size=6,
)
rules = st.builds(
    naive.Rules,
    n_units=st.integers(1, 30),
    own_gaps=st.booleans(),
    smallest_gap=st.integers(0, 4),
    merge=st.booleans(),
    max_level=st.integers(1, 2),
)


@given(pieces, rules)
def test_intervals_equal_the_slow_twin(stated: list[naive.Piece], options: naive.Rules) -> None:
    shape = intervals(
        [
            Segment(
                Moment(piece.start, str(piece.start)),
                None if piece.end is None else Moment(piece.end, str(piece.end)),
                line,
                piece.level,
                piece.label,
            )
            for line, piece in enumerate(stated, start=1)
        ]
    )
    for levels in (False, True):
        (one,) = convert(
            shape,
            extents=extent(0, options.n_units),
            role="hypothesis",
            gaps="own" if options.own_gaps else "join",
            smallest_gap=options.smallest_gap,
            same_label="merge" if options.merge else "keep",
            max_level=options.max_level,
            levels=levels,
        )
        expected = naive.convert(stated, options)
        row = one.row
        assert one.counts.numbers - Counter() == expected.counted - Counter()
        if levels:
            assert row.boundaries is not None and row.boundary_types is not None
            boundaries = list(zip(row.boundaries, row.boundary_types, strict=True))
            assert boundaries == sorted(expected.boundaries)
        else:
            assert row.boundaries == tuple(sorted({p for p, _ in expected.boundaries}))


@given(st.lists(halves, max_size=6), st.integers(1, 30))
def test_marks_are_points(starts: list[Fraction], n_units: int) -> None:
    """Marks, segments without ends and segments without a length are the same."""
    pieces = [naive.Piece(start, None) for start in starts]
    expected = naive.convert(pieces, naive.Rules(n_units))
    options: dict[str, Any] = {"role": "hypothesis", "extents": extent(0, n_units)}
    shape = Marks(
        place=RowPlace("f.x", 1),
        unit="millisecond",
        document_id="d",
        coder="anna",
        marks=[Mark(Moment(start, str(start)), 1) for start in starts],
    )
    (one,) = convert(shape, **options)
    assert one.row.boundaries == tuple(sorted(p for p, _ in expected.boundaries))
    if starts:
        assert one.counts.numbers - Counter() == expected.counted - Counter()


class TestRounding:
    """Exact times become whole milliseconds once."""

    def test_a_half_is_rounded_up(self) -> None:
        assert positions(marks("1000.5", "2001.5", "2999.4999"), extents=extent(0, 9999)) == [
            (1001, 2002, 2999)
        ]

    def test_dropped_boundaries_are_counted_as_collapsed(self) -> None:
        (one,) = convert(marks("0", "0.4", "5", "5.2", "9.9"), extents=extent(0, 10))
        assert one.row.boundaries == (5,)
        assert one.row.collapsed_boundaries == 3
        assert one.counts.numbers["same_start"] == 1

    def test_one_segment_collapses_nothing(self) -> None:
        (one,) = convert(intervals(segments((0, 10))))
        assert (one.row.boundaries, one.row.collapsed_boundaries) == ((), 0)


class TestLength:
    """How long a document is."""

    def test_the_last_end_of_references(self) -> None:
        shapes = (
            intervals(segments((0, 5), (5, 9))),
            intervals(segments((0, 4), (4, 12)), coder="ben"),
            intervals(segments((0, 6), (6, 99)), coder="system", role="hypothesis"),
        )
        rows = [one.row for one in convert(*shapes)]
        assert [row.n_units for row in rows] == [12, 12, 12]

    def test_the_order_of_sources(self) -> None:
        reference = intervals(segments((0, 5), (5, 9)), length=Fraction(20))
        hypothesis = intervals(segments((0, 5)), role="hypothesis", length=Fraction(30))
        (first, second) = convert(reference, hypothesis)
        assert (first.row.n_units, second.row.n_units) == (20, 20)
        assert convert(reference, extents=extent(0, 40))[0].row.n_units == 40
        assert convert(hypothesis)[0].row.n_units == 30
        given = ParsedRow("d", "ben", "reference", 25, ())
        assert convert(hypothesis, others=(given,))[0].row.n_units == 25

    @pytest.mark.parametrize(
        "shape",
        [
            marks(1, 2),
            intervals(segments((0, 5), (5, None))),
            intervals(segments((0, 5)), role="hypothesis"),
            intervals([]),
        ],
    )
    def test_unknown(self, shape: Shape) -> None:
        with pytest.raises(Refused, match=r"f.x: the length of d is unknown, bec.*--documents"):
            convert(shape)

    def test_an_end_in_the_middle_may_be_open(self) -> None:
        (one,) = convert(intervals(segments((0, None), (5, 9))))
        assert (one.row.boundaries, one.row.n_units) == ((5,), 9)
        assert not +one.counts.numbers

    @pytest.mark.parametrize("end", [0, 0.4, 2**31])
    def test_out_of_range(self, end: float) -> None:
        with pytest.raises(Refused, match=r"lengths.csv:2: d is .* long"):
            convert(marks(), extents=extent(0, end))

    def test_other_units(self) -> None:
        place = RowPlace("lengths.csv", 2)
        extents = {"d": Extent(Fraction(0), Fraction(9), "sentence", False, place)}
        with pytest.raises(Refused, match=r"lengths.csv:2: d is sentences long here"):
            convert(marks(1), extents=extents)

    def test_a_text_has_the_length_of_its_units(self) -> None:
        shape = Sizes(
            place=RowPlace("f.x", 1), unit="line", document_id="d", coder="a", sizes=(2, 3)
        )
        assert convert(shape)[0].row.n_units == 5
        assert convert(shape)[0].row.collapsed_boundaries is None
        with pytest.raises(Refused, match=r"f.x:1: d has 5 lines here, but 6 at lengths.csv:2"):
            convert(shape, extents=extent(0, 6))


class TestEnd:
    """Segments at and beyond the end of the document."""

    def test_of_a_reference(self) -> None:
        message = "f.x:2: a segment of a reference starts at 11, after the end of d at 0.01 s"
        with pytest.raises(Refused, match=message):
            convert(intervals(segments((0, 5), (11, 12))), extents=extent(0, 10))
        with pytest.raises(Refused, match=r"f.x:1: .*starts at 11.*--start-timecode"):
            convert(marks(11), extents=extent(0, 10))

    def test_a_reference_may_start_or_continue_there(self) -> None:
        shape = intervals(segments((0, 5), (5, 12), (10, 11)))
        assert counted(shape, extents=extent(0, 10)) == {
            "beyond_end": 1,
            "clipped": 1,
            "clipped_length": 2,
        }

    def test_of_a_hypothesis(self) -> None:
        shape = marks(5, 11, 10, role="hypothesis")
        assert counted(shape, extents=extent(0, 10)) == {"beyond_end": 1}

    def test_before_the_start(self) -> None:
        with pytest.raises(Refused, match=r"f.x:2: the segment ends at 5, before it starts at 7"):
            convert(intervals(segments((0, 5), (7, 5))))


class TestRegion:
    """A UEM states which part of a recording is scored."""

    def test_positions_count_from_its_start(self) -> None:
        shape = intervals(segments((0, 20), (20, 40), (45, 60), (60, 80), (80, 90)))
        (one,) = convert(shape, extents=extent(30, 70, region=True))
        assert (one.row.n_units, one.row.boundaries) == (40, (15, 30))
        assert +one.counts.numbers == {
            "gaps": 1,
            "gap_length": 5,
            "outside_region": 2,
            "clipped": 1,
            "clipped_length": 10,
        }

    def test_marks(self) -> None:
        (one,) = convert(marks(10, 30, 50, 70, 90), extents=extent(30, 70, region=True))
        assert one.row.boundaries == (20,)
        assert +one.counts.numbers == {"outside_region": 2}


class TestOrder:
    """Chapter lists ascend."""

    def test_times_that_go_back(self) -> None:
        for shape in (
            marks(5, 9, 7, ordered=True),
            intervals(segments((5, 6), (9, 10), (7, 8)), ordered=True),
        ):
            with pytest.raises(Refused, match=r"f.x:3: 7 comes after 9.*track"):
                convert(shape, extents=extent(0, 10))

    def test_nested_segments_do_not(self) -> None:
        nested = [*segments((0, 10)), Segment(moment(0), moment(5), 2, 2)]
        assert positions(intervals(nested, ordered=True)) == [()]


class TestLevels:
    """Segments inside segments."""

    NESTED = (
        Segment(moment(0), moment(10), 1),
        Segment(moment(2), moment(6), 2, 2),
        Segment(moment(10), moment(20), 3),
        Segment(moment(10), moment(15), 4, 2),
    )

    def test_each_position_once(self) -> None:
        assert positions(intervals(list(self.NESTED))) == [(2, 10)]

    def test_as_types(self) -> None:
        (one,) = convert(intervals(list(self.NESTED)), levels=True)
        assert one.row.boundaries == (2, 10, 10)
        assert one.row.boundary_types == (2, 1, 2)
        assert not +one.counts.numbers

    def test_deeper_ones(self) -> None:
        (one,) = convert(intervals(list(self.NESTED)), max_level=1)
        assert one.row.boundaries == (10,)
        assert +one.counts.numbers == {"deeper": 2}

    def test_of_sizes(self) -> None:
        names: dict[str, Any] = {"document_id": "d", "coder": "a", "unit": "sentence"}
        shape = Sizes(place=RowPlace("f.x", 1), sizes=(2, 3, 1), levels=(1, 2, 3), **names)
        assert positions(shape) == [(2, 5)]
        assert convert(shape, levels=True)[0].row.boundary_types == (2, 3)
        assert positions(shape, max_level=2) == [(2,)]
        plain = Sizes(place=RowPlace("f.x", 1), sizes=(2, 3, 1), **names)
        assert convert(plain, levels=True)[0].row.boundary_types == (1, 1)


class TestStrict:
    """With --strict, anything that would be counted is refused."""

    @pytest.mark.parametrize(
        ("ends", "message"),
        [
            (((1, 5), (5, 9)), "f.x:1: a gap of 0.001 s before the segment that starts at 1"),
            (((0, 5), (6, 9), (20, 20)), "f.x:2: a gap"),
            (((0, 5), (4, 9)), "f.x:2: the segment at 4 starts before another ended"),
            (((0, 5), (5, 5), (5, 9)), "f.x:2: the segment at 5 is empty"),
        ],
    )
    def test_the_first_by_line_is_refused(self, ends: tuple[Ends, ...], message: str) -> None:
        with pytest.raises(Refused, match=message + ".*--strict"):
            convert(intervals(segments(*ends)), strict=True)

    def test_counts_of_a_reader_are_refused(self) -> None:
        shape = intervals(segments((0, 5)), counted=Counter(moved=2))
        assert counted(shape) == {"moved": 2}
        with pytest.raises(Refused, match=r"f.x:1: 2 moved.*--strict"):
            convert(shape, strict=True)

    def test_nothing_to_refuse(self) -> None:
        assert positions(intervals(segments((0, 5), (5, 9))), strict=True) == [(5,)]
        shape = intervals(list(TestLevels.NESTED))
        assert positions(shape, strict=True, max_level=1) == [(10,)]


class TestSameLabel:
    """Neighbours with one label."""

    TURNS = (*segments((0, 5), (6, 9), label="a"), Segment(moment(9), moment(12), 3, label="b"))

    def test_turns_are_merged(self) -> None:
        assert positions(intervals(list(self.TURNS), turns=True)) == [(9,)]
        assert positions(intervals(list(self.TURNS), turns=True), same_label="keep") == [(6, 9)]
        assert positions(intervals(list(self.TURNS))) == [(6, 9)]
        assert positions(intervals(list(self.TURNS)), same_label="merge") == [(9,)]

    def test_a_gap_separates_equal_labels(self) -> None:
        shape = intervals(list(self.TURNS), turns=True)
        assert positions(shape, gaps="own") == [(5, 6, 9)]
        assert positions(shape, gaps="own", smallest_gap=2) == [(9,)]


class TestNames:
    """Names for documents and coders that the file does not name."""

    def shape(self, url: str, coder: str | None = None) -> ReadFile:
        shape = marks(1, document_id=None, coder=coder, length=Fraction(9))
        return ReadFile(OpenedFile(url, b""), [shape], (".chapters.json",))

    def names(self, *files: ReadFile, **options: Any) -> list[tuple[str | None, str | None]]:
        rows = convert_files(files, import_settings(**options), {})
        return [(one.row.document_id, one.row.coder) for one in rows]

    def test_of_the_file(self) -> None:
        for url in ("a/show.1.vtt", "s3://x/show.1.vtt.gz", "show.1.chapters.json.zst"):
            assert self.names(self.shape(url), coder="c") == [("show.1", "c")]
        assert self.names(self.shape("a.vtt"), coder="c", document_id="d") == [("d", "c")]

    def test_folders_only_where_names_collide(self) -> None:
        files = [self.shape(url) for url in ("in/a/x.vtt", "in/b/x.vtt", "in/b/y.vtt")]
        assert self.names(*files, coder="c") == [("a/x", "c"), ("b/x", "c"), ("y", "c")]

    def test_two_coders_of_one_document(self) -> None:
        files = [self.shape("anna/x.eaf", "anna"), self.shape("ben/x.eaf", "ben")]
        assert self.names(*files) == [("x", "anna"), ("x", "ben")]

    def test_no_coder(self) -> None:
        with pytest.raises(Refused, match="the file names no coder; name the coder with --coder"):
            self.names(self.shape("f.x"))


def test_units_are_not_mixed() -> None:
    texts = Sizes(place=RowPlace("t.x", 1), unit="line", coder="a", sizes=(2, 3))
    files = [ReadFile(OpenedFile("t.x", b""), [texts], ())]
    files.append(ReadFile(OpenedFile("f.x", b""), [intervals(segments((0, 5)))], ()))
    with pytest.raises(Refused, match=r"f.x: counts milliseconds, and t.x counts lines"):
        convert_files(files, import_settings(), {})


class TestDescribed:
    """Messages about what was counted."""

    def test_a_line_for_each_segmentation(self) -> None:
        file = OpenedFile("f.x", b"")
        file.notes.add("columns_not_taken", "reporter")
        file.notes.add("drafts", 2)
        conversion = convert(intervals(segments((0, 5), (5, 5), (1005, 9001), (9000, 9010))))
        assert list(describe_counts(file, conversion, import_settings())) == [
            "d, anna: 1 segment without a length left out; 1 overlap (1 ms); 1 gap (1,000 ms) "
            "joined to the segment before",
            "columns not read: reporter",
            "drafts left out: 2",
        ]
        (message, *_) = describe_counts(file, conversion, import_settings(gaps="own"))
        assert message.endswith("1 gap (1,000 ms) kept as segments")

    def test_many_are_added_up(self) -> None:
        shapes = [
            intervals(segments((0, 5), (6, 9)), coder=f"c{i}", document_id=f"d{i}")
            for i in range(11)
        ]
        conversion = convert(*shapes, intervals(segments((0, 5))))
        assert list(describe_counts(OpenedFile("f.x", b""), conversion, import_settings())) == [
            "11 of 12 segmentations: 11 gaps (11 ms) joined to the segment before"
        ]

"""What the numbers in an answer are is read from the answer, or the answer fails."""

import json
from collections.abc import Callable, Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from segscore.pipeline.importing.answers.options import KEEP, NUMBERED, QUOTED, AnswerOptions
from segscore.pipeline.importing.answers.placing import Placed, place_answer
from segscore.pipeline.tables.rows import RowPlace

N_UNITS = 64
CUTS = [20, 40]
"""The boundaries that most answers below mean."""


def read(answer: object, n_units: int = N_UNITS, **options: object) -> Placed:
    chosen = AnswerOptions(NUMBERED, **{"first_number": 1, **options})  # type: ignore[arg-type]
    return place_answer(answer, ["x"] * n_units, chosen, RowPlace("answers", 1))


READ: list[tuple[object, list[int], str]] = [
    # Numbers and ranges alone
    ("1\n21\n41", CUTS, "starts in lines"),
    ("20\n40\n64", CUTS, "ends in lines"),
    ("1, 21, 41", CUTS, "starts in a list"),
    ("1 21 41", CUTS, "starts in a list"),
    ("20, 40 and 64", CUTS, "ends in a list"),
    ("20 20 24", CUTS, "sizes in a list"),
    ("1-20\n21-40\n41-64", CUTS, "ranges in lines"),
    ("1-20, 21-40, 41-64", CUTS, "ranges in lines"),
    ("1–20; 21–40; 41–64", CUTS, "ranges in lines"),
    ("(1, 20), (21, 40), (41, 64)", CUTS, "ranges in lines"),
    ("1-64", [], "ranges in lines"),
    # Labels of lists and of segments
    ("1. Sentences 1-64: topic", [], "ranges in lines"),
    ("1. Sentences 1-20: Rain\n2. Sentences 21-40: Sport\n3. Sentences 41-64: Art", CUTS,
     "ranges in lines"),
    ("1) 1-20\n2) 21-40\n3) 41-64", CUTS, "ranges in lines"),
    ("1. 1\n2. 21\n3. 41", CUTS, "starts in lines"),
    ("1. S1\n2. S21\n3. S41", CUTS, "starts in lines"),
    ("Segment 1: S1\nSegment 2: S21\nSegment 3: S41", CUTS, "starts in lines"),
    ("Segment 1: S1-S20\nSegment 2: S21-S40\nSegment 3: S41-S64", CUTS, "ranges in lines"),
    ("Segment 1: sentence 1\nSegment 2: sentence 21\nSegment 3: sentence 41", CUTS,
     "starts in lines"),
    ("**Segment 1** (1–20): Rain\n**Segment 2** (21–40): Sport\n**Segment 3** (41–64): Art", CUTS,
     "ranges in lines"),
    ("Topic 1 (sentences 1-20): Rain\nTopic 2 (sentences 21-64): Sport", [20], "ranges in lines"),
    ("Segments: 1-20, 21-40, 41-64", CUTS, "ranges in lines"),
    ("S1: Rain\nS21: Sport\nS41: Art", CUTS, "starts in lines"),
    ("[S1] Rain\n[S21] Sport\n[S41] Art", CUTS, "starts in lines"),
    ("[1] Rain\n[21] Sport\n[41] Art", CUTS, "starts in lines"),
    ("1. Rain\n21. Sport\n41. Art", CUTS, "starts in lines"),
    ("- Rain (1-20)\n- Sport (21-40)\n- Art (41-64)", CUTS, "ranges in lines"),
    ("Segment 1: 1, 2, 3\nSegment 2: " + ", ".join(map(str, range(4, 65))), [3],
     "ranges in lines"),
    ("20 sentences: Rain\n20 sentences: Sport\n24 sentences: Art", CUTS, "sizes in lines"),
    # Words around, and numbers that are something else
    ("Segments start at: 1, 21 and 41", CUTS, "starts in a list"),
    ("The segments start at sentences 1, 21 and 41.", CUTS, "starts in a list"),
    ("The text has 64 sentences. Segments: 1-20, 21-40, 41-64.", CUTS, "ranges in lines"),
    ("Sentences 1-20 are about rain, 21-40 about sport, and 41-64 about art.", CUTS,
     "ranges in lines"),
    ("Segment 1 starts at sentence 1 and ends at sentence 20.\n"
     "Segment 2 starts at sentence 21 and ends at sentence 64.", [20], "ranges in lines"),
    ("Here are 3 segments:\n\n1. Sentences 1-20\n2. Sentences 21-40\n3. Sentences 41-64\n\n"
     "Let me know if you want 4 segments.", CUTS, "ranges in lines"),
    ("Sentences 1 to 20: floods of 1953\nSentences 21 to 40: a 3-2 win\nSentences 41 to 64: 17 °C",
     CUTS, "ranges in lines"),
    ("1: Floods of 1953\n21: Sport\n41: Art", CUTS, "starts in lines"),
    ("2024-05-01\n1-20\n21-40\n41-64", CUTS, "ranges in lines"),
    ("1-20: 20 sentences\n21-40: 20 sentences\n41-64: 24 sentences", CUTS, "ranges in lines"),
    ("<think>Perhaps 1-10 and 11-64.</think>\n1-20\n21-64", [20], "ranges in lines"),
    ("Satz 1 bis 20: Hochwasser\nSatz 21 bis 64: Sport", [20], "ranges in lines"),
    ("Phrases 1 à 20 : inondations\nPhrases 21 à 64 : sport", [20], "ranges in lines"),
    ("New segments start at 1, start at 21, and start at 41.", CUTS, "starts in a list"),
    ("第1-20句：天气\n第21-40句：体育\n第41-64句：艺术", CUTS, "ranges in lines"),
    ("第1-20句是天气，第21句到第40句是体育，第41句至第64句是艺术。", CUTS, "ranges in lines"),
    ("第1段：第1-20句\n第2段：第21-64句", [20], "ranges in lines"),
    # JSON, also in fences
    ("[1, 21, 41]", CUTS, "starts in JSON"),
    ("[20, 40, 64]", CUTS, "ends in JSON"),
    ("[20, 20, 24]", CUTS, "sizes in JSON"),
    ("[[1, 20], [21, 40], [41, 64]]", CUTS, "ranges in JSON"),
    ('{"starts": [1, 21, 41]}', CUTS, "starts in JSON"),
    ({"ends": [20, 40, 64]}, CUTS, "ends in JSON"),
    ('```json\n{"starts": [1, 21, 41]}\n```', CUTS, "starts in JSON"),
    ("```json\n[1, 21, 41]\n```\nThese are 3 segments.", CUTS, "starts in JSON"),
    ("Here are the 3 segments:\n\n```\n1-20\n21-40\n41-64\n```", CUTS, "ranges in lines"),
    ({"segments": [{"start": 1, "end": 20, "title": "Floods of 1953"}, {"start": 21, "end": 64}]},
     [20], "ranges in JSON"),
    ([{"id": 1, "start_sentence": 1}, {"id": 2, "start_sentence": 21}], [20], "starts in JSON"),
    ([{"segment": 1, "sentences": [1, 20]}, {"segment": 2, "sentences": [21, 64]}], [20],
     "ranges in JSON"),
    ({"1": [1, 20], "2": [21, 64]}, [20], "ranges in JSON"),
    ({"Segment 1": "1-20", "Segment 2": "21-64"}, [20], "ranges in JSON"),
    ({"segment_1": 1, "segment_2": 21, "segment_3": 41}, CUTS, "starts in JSON"),
    ({"Floods of 1953": "1-20", "sport": "21-64"}, [20], "ranges in JSON"),
    ([{"topic": "a", "length": 20}, {"topic": "b", "length": 44}], [20], "sizes in JSON"),
    ({"S1": "Floods", "S21": "From 3 to 5", "S41": "Top 10"}, CUTS, "starts in JSON"),
    ([{"id": 1, "sentences": [1, 2], "title": "From 3 to 5", "confidence": 80},
      {"id": 2, "sentences": [*range(3, 64)], "confidence": 0.9},
      {"id": 3, "sentences": [64], "confidence": 80}], [2, 63], "ranges in JSON"),
    # Tables
    ("| # | start | end |\n|---|---|---|\n| 1 | 1 | 20 |\n| 2 | 21 | 64 |", [20],
     "ranges in a table"),
    ("| segment | sentences |\n|---|---|\n| 1 | 1-20 |\n| 2 | 21-64 |", [20], "ranges in a table"),
    ("start,end\n1,20\n21,64\n", [20], "ranges in a table"),
    ("segment\tstart\n1\t1\n2\t21\n3\t41", CUTS, "starts in a table"),
    # Units from 0, and ends that are not inside, where ranges show it
    ("0-19\n20-39\n40-63", CUTS, "ranges in lines, from 0"),
    ("Segment 0: 0-19\nSegment 1: 20-63", [20], "ranges in lines, from 0"),
    ("[0, 19], [20, 39], [40, 63]", CUTS, "ranges in lines, from 0"),
    ({"segments": [{"start": 0, "end": 20}, {"start": 20, "end": 64}]}, [20],
     "ranges in JSON, from 0"),
]  # fmt: skip

NOT_READ: list[tuple[object, str]] = [
    ("1. Rain\n2. Sport\n3. Art", "units 1, 2, 3 or numbers of a list"),
    ("[0, 20, 40]", "numbers 0, 20, 40 from 1 or from 0"),
    ("20, 40", "starts 20, 40 or ends 20, 40"),
    ({"boundaries": [20, 40]}, "starts 20, 40 or ends 20, 40"),
    ("1. Sentence 21\n2. Sentence 41", "starts 21, 41 or ends 21, 41"),
    ("Segment 2: S21\nSegment 3: S41", "starts 21, 41 or ends 21, 41"),
    ("1-21\n21-41\n41-64", "ranges 1-21, 21-41, 41-64 with ends inside or with ends outside"),
    ("Option A: 1, 21, 41\nOption B: 1, 31", "numbers 1, 21, 41 or numbers 1, 31"),
    ("1, 21, 41\n1, 21, 51", "2 lists or one list"),
    ({"a": [1, 21, 41], "b": [1, 31, 41]}, "numbers 1, 21, 41 or numbers 1, 31, 41"),
    ([{"end": 21}, {"end": 41}, {"end": 65}],
     "ends 21, 41, 65 with ends inside or with ends outside"),
    ([{"index": 21, "confidence": 80}, {"index": 41, "confidence": 90}],
     "units 21, 41 or units 80, 90"),
    (" ".join("01"[position in CUTS] for position in range(1, 65)),
     "numbers 0, 0, 0, 0, ... or a label for each unit"),
    ("3 segments", "numbers of units or numbers in sentences"),
    ("Segment 1: Rain\nSegment 2: Sport", "numbers of units or numbers in sentences"),
    ("There are 3 segments in the 64 sentences.", "numbers of units or numbers in sentences"),
    ("After sentence 20? No, better after sentence 21.", "units 20 or units 21"),
    ("I thought of after sentence 5 and after sentence 9, but take after sentence 20 and after "
     "sentence 40.", "numbers 5, 9 or numbers 20, 40"),
    ("边界在第20句和第40句。", "units 20 or other numbers"),
    ("In 1953, floods. In 2020, sport.", "units 1953 or a further number, 2020"),
    ("1953\n2020", "starts 1953, 2020 or ends 1953, 2020"),
]  # fmt: skip

TWO_LISTS: list[object] = [
    "[1, 2, 4]\nWait, let me correct that\n[1, 11, 14, 26]",
    "1, 2, 4\n1, 11",
    "Draft: 1, 2, 4\n\nFinal:\n[1, 11, 14, 26]",
    "```json\n[1, 21]\n```\nOn reflection, the segments should start at 1, 31 and 41.",
    "1-3, 4-64\n\nRevised:\n1-10, 11-64",
    "1-64\n\nRevised:\n1-20, 21-64",
    "Segments: 1-20, 21-64.\n\nCorrected segments start at: 1, 31",
    "1. Rain\n2. Sport\n\nOn reflection:\n1. Rain\n2. Sport\n3. Art",
    "1. 1\n2. 21\n\nRevised:\n1. 1\n2. 31",
    "20, 40, 64\n\n30, 64",
    "| start | title |\n|---|---|\n| 1 | a |\n| 21 | b |\n\nRevised: 1, 31",
    '[{"start": 1}, {"start": 21}]\nCorrected:\n[{"start": 1}, {"start": 31}]',
    {"draft": [{"start": 1}, {"start": 21}], "final": [{"start": 1}, {"start": 31}]},
    [1, 21, 1, 31],
]

ONE_LIST: list[tuple[str, list[int]]] = [
    ("1, 21\n31, 41, 51", [20, 30, 40, 50]),
    ("20, 20,\n24", CUTS),
    ("1\n21\n\n41", CUTS),
    ("The topic changes after sentence 20 and after sentence 40.", CUTS),
    ("Themengrenzen liegen nach Satz 20 und nach Satz 40.", CUTS),
    ("[1, 21, 41]\n\nSo the segments start at 1, 21 and 41.", CUTS),
    ("[1, 21, 41]\n\nSentences 1, 2 and 3 greet the listener.", CUTS),
    ("Final: 1, 21, 41", CUTS),
    ("1. [1, 2, 3]\n2. [4, 5]\n3. " + str([*range(6, 65)]), [3, 5]),
    ('{"segments": [{"start": 1}, {"start": 21}]}\n{"segments": [{"start": 41}]}', CUTS),
]

NO_BOUNDARY: list[tuple[object, str]] = [
    ("[]", "auto"),
    ("```json\n[]\n```", "ends"),
    ({"starts": []}, "sizes"),
    ('{"segments": []}', "starts:segments[].start"),
]

EMPTY = ["Sorry, I cannot segment this text.", "10:30 Rain\n11:45 Sport", "Floods, sport, art"]


@pytest.mark.parametrize(("answer", "boundaries", "read_as"), READ)
def test_an_answer_shows_what_its_numbers_are(
    answer: object, boundaries: list[int], read_as: str
) -> None:
    placed = read(answer)
    assert (placed.failure, placed.boundaries, placed.read_as) == (None, boundaries, read_as)
    assert not placed.problems


@pytest.mark.parametrize(("answer", "ways"), NOT_READ)
def test_shapes_that_disagree_are_both_told(answer: object, ways: str) -> None:
    placed = read(answer)
    assert (placed.failure, placed.read_as) == (f"in doubt: {ways}", None)


@pytest.mark.parametrize("answer", TWO_LISTS)
def test_two_lists_that_differ_are_not_merged(answer: object) -> None:
    assert read(answer).failure == "in doubt: 2 lists or one list"


@pytest.mark.parametrize("answer", ["21\n41\n11\n31", "4, 7\n2, 5, 9", *TWO_LISTS[:2]])
def test_what_numbers_are_does_not_merge_two_lists(answer: object) -> None:
    assert read(answer, numbers="starts").failure == "in doubt: 2 lists or one list"


@pytest.mark.parametrize(("answer", "boundaries"), ONE_LIST)
def test_a_list_that_goes_on_or_is_repeated_is_read(answer: str, boundaries: list[int]) -> None:
    placed = read(answer)
    assert (placed.failure, placed.boundaries) == (None, boundaries)


@pytest.mark.parametrize("numbers", ["starts:starts", r"starts:pattern:[0-9]+"])
def test_two_lists_at_a_path_are_not_merged(numbers: str) -> None:
    answer = '{"starts": [1, 21]}\n{"starts": [1, 31, 41]}'
    assert read(answer, numbers=numbers).failure == "in doubt: 2 lists or one list"


def test_paths_to_lists_of_unequal_length_are_not_paired() -> None:
    answer = '{"from": [1, 21, 41], "to": [20, 64]}'
    assert read(answer, numbers="ranges:from,to").failure == "in doubt: 3 starts or 2 ends"


@pytest.mark.parametrize(("answer", "numbers"), NO_BOUNDARY)
def test_an_empty_list_is_one_segment(answer: object, numbers: str) -> None:
    placed = read(answer, numbers=numbers)
    assert (placed.failure, placed.boundaries, placed.problems) == (None, [], {})


@pytest.mark.parametrize("answer", EMPTY)
def test_other_numbers_are_none(answer: str) -> None:
    assert read(answer).failure == "no number"


@pytest.mark.first
@pytest.mark.parametrize("dots", [20_000, 200_000])
@pytest.mark.parametrize("numbers", ["auto", "ranges"])
def test_an_answer_in_a_loop_is_read_in_linear_time(dots: int, numbers: str) -> None:
    """Quadratic patterns need minutes or hours for these."""
    for answer in ("1 " + ". " * dots + "x 5", "1-5" + "," * dots + "x", "1-" * dots + "x"):
        assert read(answer, numbers=numbers).failure is not None
    for part in ("[", '{"a":', "```\n", "- ", '"1', "(1,", "S1 to ", "1."):
        read(part * dots, numbers=numbers)


def test_an_answer_above_the_limits_is_named_with_its_length() -> None:
    assert read("x" * (2**20 + 1)).failure == "1,048,577 characters, more than 1,048,576"
    assert read("1 " * 1600).failure == "1,600 numbers for 64 units"


Masses = Sequence[int]
Write = Callable[[Masses], str]


def _spans(masses: Masses, first: int = 1) -> list[tuple[int, int]]:
    starts = [first + sum(masses[:i]) for i in range(len(masses))]
    return [(start, start + mass - 1) for start, mass in zip(starts, masses, strict=True)]


def _starts(masses: Masses) -> list[int]:
    return [start for start, _ in _spans(masses)]


def _ends(masses: Masses) -> list[int]:
    return [end for _, end in _spans(masses)]


def _boundaries(masses: Masses) -> list[int]:
    return _ends(masses)[:-1]


def _lines(template: str) -> Write:
    def write(masses: Masses) -> str:
        rows = zip(_spans(masses), masses, strict=True)
        return "\n".join(
            template.format(k=k, s=start, e=end, n=mass)
            for k, ((start, end), mass) in enumerate(rows, 1)
        )

    return write


def _objects(masses: Masses) -> list[dict[str, object]]:
    return [{"title": f"Part {k}", "start": s, "end": e} for k, (s, e) in enumerate(_spans(masses))]


CLOSED: dict[str, Write] = {
    "pairs": lambda masses: json.dumps(_spans(masses)),
    "objects": lambda masses: json.dumps({"segments": _objects(masses)}, indent=1),
    "objects in a fence": lambda masses: f"```json\n{json.dumps(_objects(masses))}\n```",
    "starts": lambda masses: json.dumps({"starts": _starts(masses)}),
    "ends": lambda masses: f"Here they are: {json.dumps({'ends': _ends(masses)})}",
    "sizes": lambda masses: json.dumps([{"length": mass} for mass in masses]),
    "lines in a fence": lambda masses: f"```\n{_lines('{s}-{e}')(masses)}\n```",
}
"""Shapes that say where they end."""

OPEN: dict[str, Write] = {
    "ranges": _lines("{s}-{e}"),
    "a list with ranges": _lines("{k}. Sentences {s}-{e}: news"),
    "segments with ranges": _lines("Segment {k}: S{s}-S{e}"),
    "titles with ranges": _lines("- The news ({s}–{e})"),
    "sentences": _lines("Segment {k} starts at sentence {s} and ends at sentence {e}."),
    "a table": lambda masses: f"| start | end |\n|---|---|\n{_lines('| {s} | {e} |')(masses)}",
    "a list of sizes": _lines("{n} sentences about the news"),
    "starts in lines": _lines("Segment {k}: starts at sentence {s}"),
}
"""Shapes that may go on after any line."""

BARE: dict[str, Write] = {
    "bare starts": lambda masses: json.dumps(_starts(masses)),
    "bare ends": lambda masses: json.dumps(_ends(masses)),
    "bare sizes": lambda masses: json.dumps([*masses]),
    "lines of starts": _lines("{s}"),
    "titles after starts": _lines("{s}. news"),
    "a list of starts": _lines("{k}. {s}"),
    "segments with starts": _lines("Segment {k}: S{s}"),
}
"""Shapes that do not say what their numbers are: 1, 2, 3 of 6 units are starts, or sizes."""

MASSES = st.lists(st.integers(1, 300), min_size=1, max_size=8).filter(lambda m: sum(m) > 2)


@given(MASSES, st.sampled_from([*CLOSED.items(), *OPEN.items()]))
def test_a_segmentation_is_read_as_it_was_written(
    masses: list[int], shape: tuple[str, Write]
) -> None:
    assume(len(masses) > 1 or "sizes" not in shape[0])
    answer = shape[1](masses)
    placed = read(answer, sum(masses))
    assert placed.failure is None, answer
    assert placed.boundaries == _boundaries(masses)
    assert not placed.problems


@given(MASSES, st.sampled_from([*BARE.items()]))
def test_numbers_that_say_nothing_are_read_rightly_or_not(
    masses: list[int], shape: tuple[str, Write]
) -> None:
    placed = read(shape[1](masses), sum(masses))
    if placed.failure is None:
        assert placed.boundaries == _boundaries(masses)
    else:
        assert placed.failure.startswith("in doubt: ")


@given(
    st.lists(st.integers(1, 9), min_size=2, max_size=6),
    st.data(),
    st.sampled_from([*CLOSED.items(), *OPEN.items()]),
    st.sampled_from(["\n\nRevised:\n", "\n\n", "\n", "\nOn reflection, this is better:\n\n"]),
)
def test_an_answer_and_its_revision_are_not_merged(
    masses: list[int], data: st.DataObject, shape: tuple[str, Write], between: str
) -> None:
    revised = data.draw(st.permutations(masses))
    assume(revised != masses and sum(masses) > 2)
    answer = shape[1](masses) + between + shape[1](revised)
    assert read(answer, sum(masses)).failure is not None, answer


BRACKETED = [*CLOSED.items(), *((name, BARE[name]) for name in BARE if name.startswith("bare"))]


@given(MASSES, st.sampled_from(BRACKETED), st.data())
def test_a_cut_answer_is_not_read_wrongly(
    masses: list[int], shape: tuple[str, Write], data: st.DataObject
) -> None:
    """No cut goes unnoticed in a shape that says where it ends."""
    answer = shape[1](masses)
    cut = answer[: data.draw(st.integers(0, len(answer)))]
    placed = read(cut, sum(masses))
    assert placed.failure is not None or placed.boundaries == _boundaries(masses), cut
    kept = read(cut, sum(masses), truncated=KEEP)
    if kept.failure is None and shape[0] in CLOSED:
        assert {*kept.boundaries} <= {*_boundaries(masses)}, cut
        assert kept.problems["truncated"] or placed.failure is None


@given(MASSES, st.sampled_from([*OPEN.items()]), st.data())
def test_only_a_cut_that_leaves_a_shorter_answer_is_not_noticed(
    masses: list[int], shape: tuple[str, Write], data: st.DataObject
) -> None:
    """What cannot be noticed: a cut after a line, in its words or numbers, or after a start.

    What is left is what a model may have written on purpose.  Then ranges, ends and sizes do not
    reach the end of the document, which is a problem that is counted, and all boundaries but the
    last are right.  Starts do not show it.
    """
    answer = shape[1](masses)
    cut = answer[: data.draw(st.integers(0, len(answer)))]
    placed = read(cut, sum(masses))
    if placed.failure is None and placed.boundaries != _boundaries(masses):
        begun = not placed.boundaries  # the first start alone
        starts = shape[0] in ("starts in lines", "sentences")
        assert starts or begun or placed.problems["missing tail"], cut
        assert {*placed.boundaries[:-1]} <= {*_boundaries(masses)}, cut


WORDS = [f"word{unit} of unit{unit}" for unit in range(12)]
QUOTES: list[Callable[[Sequence[str]], str]] = [
    lambda quotes: json.dumps(quotes),
    lambda quotes: json.dumps({"first_sentences": quotes}),
    lambda quotes: f"Here they are:\n```json\n{json.dumps(quotes, indent=1)}\n```\nIs that right?",
    lambda quotes: "```\n" + "\n".join(quotes) + "\n```",
    lambda quotes: "\n".join(f'{k}. "{quote}"' for k, quote in enumerate(quotes, 1)),
]


@given(
    st.lists(st.integers(1, 11), min_size=1, max_size=6, unique=True).map(sorted),
    st.sampled_from(QUOTES),
    st.data(),
)
def test_cut_quotes_are_not_read_wrongly(
    boundaries: list[int], write: Callable[[Sequence[str]], str], data: st.DataObject
) -> None:
    answer = write([WORDS[unit] for unit in (0, *boundaries)])
    cut = answer[: data.draw(st.integers(0, len(answer)))]
    options = AnswerOptions(QUOTED)
    assert place_answer(answer, WORDS, options, RowPlace("answers", 1)).boundaries == boundaries
    placed = place_answer(cut, WORDS, options, RowPlace("answers", 1))
    if cut.startswith("1.") and placed.failure is None:  # a cut after a line is not noticed
        assert placed.boundaries == boundaries[: len(placed.boundaries)], cut
        assert cut.count('"') % 2 == 0 or not placed.boundaries, cut
    else:
        assert placed.failure is not None or placed.boundaries == boundaries, cut

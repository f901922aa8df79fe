"""The breaks of a text in the units of another, compared with trying all cuts."""

from collections.abc import Sequence
from itertools import pairwise
from math import inf

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from segscore.pipeline.alignment.edits import count_edits
from segscore.pipeline.alignment.resegment import Resegmentation, resegment
from segscore.pipeline.alignment.tokens import Tokens, Vocabulary
from tests.oracles import naive_alignment as naive
from tests.support.examples import examples

Texts = Sequence[Sequence[str]]


def numbered(units: Texts, segments: Texts) -> tuple[Tokens, Tokens]:
    vocabulary = Vocabulary()
    return vocabulary.number(units), vocabulary.number(segments)


def placed(units: Texts, segments: Texts) -> Resegmentation:
    found = resegment(*numbered(units, segments), inf)
    assert found is not None
    return found


# The worked cases of the definition; a letter is a token.
@pytest.mark.parametrize(
    ("units", "segments", "cost", "cuts", "boundaries", "uncertain", "collapsed"),
    [
        ("ab|cd|ef", "abc|def", 2, [2], [2], [2], 0),
        ("ab|cd|ef", "xyz|ab|cdef", 3, [0, 1], [1], [], 1),
        ("ab|cd|ef", "ab|c", 3, [1], [1], [], 0),
        ("a|a|a|a", "aa|aa", 0, [2], [2], [], 0),
        ("a|a|a|a", "a|a", 2, [3], [3], [3], 0),
        # A unit without tokens belongs to the segment before it.
        ("ab||cd", "ab|cd", 0, [2], [2], [2], 0),
        # Text that is missing at a break belongs to the segment before it.
        ("ab|cd|ef", "ab|ef", 2, [2], [2], [2], 0),
        # Empty segments place a break where the next one begins.
        ("ab|cd", "|ab||cd|", 0, [0, 1, 1, 2], [1], [], 3),
    ],
)
def test_worked_cases(
    units: str,
    segments: str,
    cost: int,
    cuts: list[int],
    boundaries: list[int],
    uncertain: list[int],
    collapsed: int,
) -> None:
    found = placed(units.split("|"), segments.split("|"))
    assert (found.cost, found.cuts, found.boundaries) == (cost, cuts, boundaries)
    assert (found.uncertain, found.collapsed) == (uncertain, collapsed)


def test_another_order_has_as_many_edits_as_tokens() -> None:
    assert resegment(*numbered(["ab", "cd"], ["cd", "ab"]), 2) is None
    assert placed(["ab", "cd"], ["cd", "ab"]).edits.total == 4


texts = st.lists(st.text("abc", max_size=4), min_size=1, max_size=5)


@settings(max_examples=examples(1500), deadline=None)
@given(texts, texts)
@example(["", "a", ""], ["a", ""])
def test_every_cut_is_that_of_the_slow_twin(units: list[str], segments: list[str]) -> None:
    found = placed(units, segments)
    cost, latest, earliest = naive.cheapest(units, segments)
    assert (found.cost, tuple(found.cuts), tuple(found.earliest)) == (cost, latest, earliest)


@settings(max_examples=examples(1000), deadline=None)
@given(st.text("abc", max_size=9), st.text("abc", max_size=9))
def test_edits_are_those_of_the_slow_twin(source: str, output: str) -> None:
    edits = count_edits(*numbered([source], [output]), inf)
    assert edits is not None
    assert edits[:4] == naive.best_edits(source, output)
    assert edits.missing_tail == naive.missing_tail(source, output)


@st.composite
def altered(draw: st.DrawFn) -> tuple[list[list[str]], list[list[str]]]:
    """Draw a text of a few hundred words, and the same cut elsewhere and altered."""
    random = draw(st.randoms(use_true_random=False))
    words = [random.choice("abcdefgh") for _ in range(draw(st.integers(1, 300)))]
    ends = sorted(random.sample(range(len(words) + 1), min(len(words), draw(st.integers(0, 30)))))
    units = [words[a:b] for a, b in zip([0, *ends], [*ends, len(words)], strict=True)]
    rate = draw(st.sampled_from([0.0, 0.05, 0.4, 1.0]))
    output = [word if random.random() >= rate else random.choice("xyz") for word in words]
    if draw(st.booleans()):
        output = [word for word in output if random.random() >= rate] + ["z"] * random.randrange(70)
    breaks = sorted(
        random.sample(range(len(output) + 1), min(len(output), draw(st.integers(0, 9))))
    )
    segments = [output[a:b] for a, b in zip([0, *breaks], [*breaks, len(output)], strict=True)]
    return units, segments


@settings(max_examples=examples(100), deadline=None)
@given(altered())
def test_bands_do_not_change_the_result(texts: tuple[list[list[str]], list[list[str]]]) -> None:
    """Compare with the same dynamic programme over all cells, which needs no band."""
    found = placed(*texts)
    assert (found.cost, found.cuts) == over_all_cells(*texts)


def over_all_cells(units: Texts, segments: Texts) -> tuple[int, list[int]]:
    """Return the least cost and the latest cuts, a segment at a time from every start."""
    best: list[tuple[int, list[int]]] = [(0, []), *[(10**9, [])] * len(units)]
    for segment in segments:
        following: list[tuple[int, list[int]]] = [(10**9, [])] * (len(units) + 1)
        for start, (cost, cuts) in enumerate(best):
            if cost == 10**9:
                continue
            for end, more in distances(units[start:], segment):
                way = (cost + more, [start, *cuts])
                other = following[start + end]
                if way[0] < other[0] or (way[0] == other[0] and way[1] > other[1]):
                    following[start + end] = way
        best = following
    cost, cuts = best[-1]
    return cost, cuts[:-1][::-1]


def distances(units: Texts, segment: Sequence[str]) -> list[tuple[int, int]]:
    """Return the edit distance of a segment to the first 0, 1, 2, ... units."""
    row = [*range(len(segment) + 1)]
    found = [(0, row[-1])]
    for number, unit in enumerate(units, 1):
        for token in unit:
            above, row = row, [row[0] + 1]
            for j, other in enumerate(segment, 1):
                row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (token != other)))
        found.append((number, row[-1]))
    return found


words = st.lists(st.text("abc", min_size=1, max_size=5), min_size=1, max_size=5)


@settings(max_examples=examples(200), deadline=None)
@given(st.text("abc", min_size=6, max_size=16), words)
def test_cost_is_that_of_mweralign(source: str, segments: list[str]) -> None:
    """Where each unit is one token, the cost is that of another program's re-segmentation."""
    mweralign = pytest.importorskip("mweralign", reason="mweralign is not installed")
    _, trace = mweralign.align_texts_traced(
        "\n".join(" ".join(segment) for segment in segments), " ".join(source), is_tokenized=True
    )
    theirs = trace.boundary_cost[len(source)][len(segments)]
    found = placed([*source], segments)
    ends = [0, *found.cuts, len(source)]
    if all(a < b for a, b in pairwise(ends)):
        assert found.cost == theirs
    else:  # that program gives every segment a token
        assert found.cost <= theirs

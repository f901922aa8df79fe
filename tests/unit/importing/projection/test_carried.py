"""Boundaries in another transcript, compared with trying all cuts."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.alignment.edits import count_edits
from segscore.pipeline.alignment.tokens import Vocabulary, tokenize
from segscore.pipeline.importing.projection.carried import CarriedLists, Transcripts, carry_lists
from tests.oracles import naive_projection
from tests.support.transcripts import make_pair


def transcripts(source: list[str], target: list[str]) -> Transcripts:
    vocabulary = Vocabulary()
    old, new = (vocabulary.number(map(tokenize, units)) for units in (source, target))
    edits = count_edits(new, old, len(new) + len(old))
    assert edits is not None
    return Transcripts(old, new, edits)


def projected(
    pair: Transcripts,
    boundaries: list[int],
    types: list[int] | None,
    scores: list[float] | None,
    ties: str,
) -> naive_projection.NaiveProjection:
    positions = sorted(set(boundaries))
    placed = pair.place(positions)
    cuts = placed.cuts if ties == "latest" else placed.earliest
    inside = {*cuts} - {0, placed.n_units}
    moved = {p: cut for p, cut in zip(positions, cuts, strict=True) if cut in inside}
    lists = carry_lists(boundaries, types, scores, moved)
    return naive_projection.NaiveProjection(
        lists.boundaries,
        lists.types,
        lists.scores,
        len(placed.uncertain),
        len(positions) - len(inside),
    )


texts = st.lists(st.lists(st.sampled_from("abc"), max_size=3).map(" ".join), min_size=1, max_size=5)


@given(st.data(), texts, texts, st.sampled_from(["latest", "earliest"]))
def test_boundaries_are_those_of_trying_all_cuts(
    data: st.DataObject, source: list[str], target: list[str], ties: str
) -> None:
    pairs = sorted(
        data.draw(
            st.sets(
                st.tuples(st.integers(1, max(1, len(source) - 1)), st.integers(1, 2)), max_size=3
            )
            if len(source) > 1
            else st.just(set())
        )
    )
    typed = data.draw(st.booleans())
    pairs = pairs if typed else sorted({position: (position, 1) for position, _ in pairs}.values())
    boundaries, types = [p for p, _ in pairs], [kind for _, kind in pairs] if typed else None
    scores = data.draw(
        st.none() | st.lists(st.sampled_from([0.1, 0.5, 0.9]), min_size=len(pairs),
                             max_size=len(pairs))
    )  # fmt: skip
    found = projected(transcripts(source, target), boundaries, types, scores, ties)
    assert found == naive_projection.project(source, target, boundaries, types, scores, ties=ties)


def test_a_boundary_that_collapses_keeps_the_highest_score() -> None:
    moved = {1: 2, 3: 2, 4: 3}
    found = carry_lists([1, 3, 4], None, [0.2, 0.7, 0.4], moved)
    assert found == CarriedLists([2, 3], None, [0.7, 0.4])


def test_nearly_all_boundaries_are_exact_if_a_tenth_of_the_words_differs() -> None:
    random = Random(5)  # noqa: S311
    exact = total = 0
    for _ in range(40):
        pair = make_pair(random, segments=12, words=40, changed=0.1)
        placed = transcripts(pair.source, pair.target).place(pair.boundaries)
        exact += sum(a == b for a, b in zip(placed.cuts, pair.expected, strict=True))
        total += len(pair.expected)
    assert exact >= 0.95 * total
    assert exact > 0.99 * total

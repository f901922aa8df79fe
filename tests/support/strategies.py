"""Random segmentations for property tests: plausible ones, and all extreme cases."""

from collections.abc import Sequence

from hypothesis import strategies as st

Typed = list[tuple[int, int]]


def boundaries_of(n_units: int) -> st.SearchStrategy[list[int]]:
    """Boundaries for a document of n_units: none, one everywhere, or any subset of positions."""
    positions = list(range(1, n_units))
    some = (
        st.lists(st.sampled_from(positions), unique=True).map(sorted) if positions else st.just([])
    )
    return st.one_of(st.just([]), st.just(positions), some, some, some)


@st.composite
def segmentations(draw: st.DrawFn, max_units: int = 60) -> tuple[int, list[int]]:
    """(n_units, boundaries): from one unit without a position to a boundary at every one."""
    n_units = draw(st.integers(1, max_units))
    return n_units, draw(boundaries_of(n_units))


@st.composite
def jittered(draw: st.DrawFn, n_units: int, reference: Sequence[int]) -> list[int]:
    """The reference as another coder might mark it: boundaries moved, omitted and added."""
    reach = draw(st.integers(1, 5))
    shift = st.one_of(st.just(0), st.integers(-reach, reach))
    moved = {position + draw(shift) for position in reference if draw(st.integers(0, 4)) > 0}
    extra = draw(st.lists(st.integers(1, max(1, n_units - 1)), max_size=2))
    return sorted(position for position in moved | set(extra) if 1 <= position <= n_units - 1)


@st.composite
def pairs(draw: st.DrawFn, max_units: int = 60) -> tuple[int, list[int], list[int]]:
    """(n_units, reference, hypothesis): unrelated, equal, or the reference jittered."""
    n_units, reference = draw(segmentations(max_units))
    near = jittered(n_units, reference)
    hypothesis = draw(st.one_of(near, near, boundaries_of(n_units), st.just(list(reference))))
    return n_units, reference, hypothesis


@st.composite
def panels(
    draw: st.DrawFn, max_units: int = 40, max_references: int = 5
) -> tuple[int, list[list[int]], list[int]]:
    """(n_units, references, hypothesis): coders who jitter one segmentation or ignore it."""
    n_units, model = draw(segmentations(max_units))
    coding = st.one_of(jittered(n_units, model), jittered(n_units, model), boundaries_of(n_units))
    references = draw(st.lists(coding, min_size=1, max_size=max_references))
    return n_units, references, draw(coding)


@st.composite
def typed_pairs(
    draw: st.DrawFn, max_units: int = 14, max_type: int = 4
) -> tuple[int, Typed, Typed, tuple[int, ...]]:
    """(n_units, reference, hypothesis, types): boundaries with types, several at a position.

    The hypothesis is unrelated or made from the reference by moving boundaries and confusing
    types, so that near misses compete with substitutions. `types` are declared: every type in
    use, perhaps more.
    """
    n_units = draw(st.integers(1, max_units))
    declared = draw(st.sets(st.integers(1, max_type), min_size=1))
    types = tuple(sorted(declared))
    places = [(position, t) for position in range(1, n_units) for t in types]
    some = st.lists(st.sampled_from(places), unique=True, max_size=12) if places else st.just([])
    reference = draw(some)
    if draw(st.booleans()):
        hypothesis = draw(some)
    else:
        shift = st.sampled_from((0, 0, 0, 1, -1, 2, -2, 3))
        confused = st.sampled_from((None, None, *types))
        moved = {(position + draw(shift), draw(confused) or t) for position, t in reference}
        hypothesis = [(position, t) for position, t in moved if 1 <= position <= n_units - 1]
    return n_units, sorted(reference), sorted(hypothesis), types


def lengths(n_units: int, max_length: int = 6) -> st.SearchStrategy[list[int]]:
    """Words per unit, as many as units, zeros among them, at least one word in all."""
    word_counts = st.one_of(st.just(0), st.integers(0, max_length))
    return st.lists(word_counts, min_size=n_units, max_size=n_units).filter(any)

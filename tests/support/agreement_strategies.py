"""Random corpora for property tests of agreement: any coders, and all extreme cases."""

from hypothesis import strategies as st

from tests.oracles.naive_agreement import Corpus, Document
from tests.support.strategies import boundaries_of, jittered

POOL = ("ada", "ben", "cleo", "dan", "eve")


@st.composite
def corpora(
    draw: st.DrawFn,
    *,
    complete: bool = False,
    min_documents: int = 1,
    max_documents: int = 4,
    min_units: int = 1,
    max_units: int = 16,
    coders: tuple[int, int] = (1, 5),
) -> Corpus:
    """Documents x a pool of coders, who jitter one segmentation of a document or ignore it.

    At least one of them codes a document: one, some or all, or always all if `complete`. A coder
    of the pool may have coded nothing. One unit, no boundaries and boundaries everywhere occur.
    """
    pool = POOL[: draw(st.integers(*coders))]
    corpus: dict[str, Document] = {}
    for number in range(draw(st.integers(min_documents, max_documents))):
        n_units = draw(st.integers(min_units, max_units))
        model = draw(boundaries_of(n_units))
        near = jittered(n_units, model)
        coding = st.one_of(near, near, near, boundaries_of(n_units), st.just(list(model)))
        some = st.lists(st.sampled_from(pool), min_size=1, unique=True)
        readers = draw(st.just(list(pool)) if complete else st.one_of(some, st.just(list(pool))))
        corpus[f"document{number}"] = Document(n_units, {coder: draw(coding) for coder in readers})
    return corpus

"""Re-segmentation by least edits, in one thread, as a share of the seconds that it may take."""

from functools import partial
from statistics import median

import numpy as np

from benchmarks.agreement import seconds
from benchmarks.timing import Result, noise
from segscore.pipeline.alignment.resegment import resegment
from segscore.pipeline.alignment.tokens import Tokens, Vocabulary

UNIT, SEGMENT, WORDS = 10, 250, 5000
"""Words of a unit of the source, words of a segment of the answer, and different words."""

RUNS = 5
CASES = ((50_000, 0.02, 1.0), (10_000, 0.2, 0.5))
"""Words of the source, share of them that is edited, and most seconds."""


def texts(words: int, share: float) -> tuple[Tokens, Tokens]:
    """Return a source, and an answer in which words are left out, invented and changed alike."""
    rng = np.random.default_rng(1)
    source = rng.integers(0, WORDS, words)
    kind = rng.choice(4, words, p=(1 - share, share / 3, share / 3, share / 3))
    answer: list[list[str]] = [[] for _ in range(-(-words // SEGMENT))]
    for i, word in enumerate(source):
        new = str(rng.integers(0, WORDS))
        written = ([str(word)], [], [str(word), new], [new])[kind[i]]
        answer[i // SEGMENT] += written
    units = [[str(word) for word in source[i : i + UNIT]] for i in range(0, words, UNIT)]
    vocabulary = Vocabulary()
    return vocabulary.number(units), vocabulary.number(answer)


def measure() -> list[Result]:
    """Place the breaks of both answers."""
    results = []
    for words, share, most in CASES:
        source, answer = texts(words, share)
        # The first run compiles the loops.
        times = [seconds(partial(resegment, source, answer, words)) for _ in range(RUNS + 1)][1:]
        time = median(times)
        results.append(
            Result(
                f"breaks placed in {words:,} words of which {share:.0%} are edited, one thread, "
                f"against {most:g} s",
                f"{time / most:.2f} x ({time:.2f} s)",
                "at most 1 x",
                time <= most,
                noise(times),
            )
        )
    return results

"""When a worker that hangs is spoken of."""

import numpy as np

from segscore.pipeline.runs.watching import Silences


def spoken(silences: Silences, name: str, moments: np.ndarray) -> list[float]:
    """Return the seconds for which one is said to be silent, asked at some moments."""
    return [seconds for now in moments if (seconds := silences.due(name, float(now)))]


def test_a_silence_is_spoken_of_after_longer_and_longer_times() -> None:
    silences = Silences(60.0)
    silences.end("worker", 1000.0)
    assert spoken(silences, "worker", np.arange(1000, 2000, 5)) == [60, 120, 240, 480, 960]
    assert silences.lasts("worker")


def test_a_sign_of_life_ends_it() -> None:
    silences = Silences(60.0)
    silences.end("worker", 0.0)
    assert spoken(silences, "worker", np.arange(0, 100, 5)) == [60]
    silences.end("worker", 100.0)
    assert not silences.lasts("worker")
    assert spoken(silences, "worker", np.arange(100, 200, 5)) == [60]


def test_one_that_was_never_heard_of_is_silent_from_the_first_question_on() -> None:
    silences = Silences(60.0)
    assert spoken(silences, "new", np.arange(7, 100, 5)) == [60]

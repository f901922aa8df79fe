"""What is said of loops that are compiled, by numba itself."""

import re
from collections.abc import Callable
from typing import Any

import numba
import pytest
from numba.core import event

from segscore.pipeline.arrays import compiling
from segscore.pipeline.arrays.compiling import Compilation, announced_compilation


def loop(module: str, calls: Callable[[int], int] | None = None) -> Any:
    """Return a loop of a module, which may call another."""
    called = calls

    def alone(number: int) -> int:
        return number + 1

    def around(number: int) -> int:
        return called(number) + 1  # type: ignore[misc]

    chosen = alone if calls is None else around
    chosen.__module__ = module
    return numba.njit(chosen)


def test_the_first_loop_is_announced_and_the_time_reported_once() -> None:
    said: list[str] = []
    compilation = Compilation(said.append)
    with event.install_listener("numba:compile", compilation):
        compilation.report()
        loop("another.package")(1)
        assert said == []
        assert loop("segscore.outer", loop("segscore.inner"))(1) == 3
        assert len(said) == 1 and "compiling its loops" in said[0]
        assert (compilation.loops, compilation.underway) == (2, 0)
        before = compilation.seconds
        loop("segscore.third")(1)
        assert compilation.seconds > before
        compilation.report()
        compilation.report()
    assert len(said) == 2
    reported = re.fullmatch(r"segscore: compiled its loops in (\d+\.\d) s", said[1])
    assert reported and abs(float(reported[1]) - compilation.seconds) <= 0.05


def test_only_calls_announce_what_they_compile(capsys: pytest.CaptureFixture[str]) -> None:
    compiling._of_calls.cache_clear()
    loop("segscore.before")(1)
    with announced_compilation():
        with announced_compilation():
            pass
        loop("segscore.inside")(1)
    loop("segscore.after")(1)
    with announced_compilation():
        loop("segscore.again")(1)
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 2
    assert "compiling its loops" in said[0] and "compiled its loops in" in said[1]

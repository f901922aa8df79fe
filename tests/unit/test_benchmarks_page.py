"""`make bench` writes its results between two marks of docs/benchmarks.md."""

from pathlib import Path

from benchmarks.page import END, PAGE, START, write_results
from benchmarks.timing import Result, noise


def test_results_replace_those_of_the_page(tmp_path: Path) -> None:
    page = tmp_path / "benchmarks.md"
    page.write_text(PAGE.read_text())
    before, rest = page.read_text().split(START)
    after = rest.split(END)[1]
    results = [
        Result("loops, against arrays", "3 x", "at most 4 x", reached=True, noise=0.126),
        Result("memory", "5 MB", "at most 4 MB", reached=False),
        Result("start-up", "1 s"),
    ]
    for _ in range(2):
        write_results({"passes": results}, page)
    text = page.read_text()
    assert text.startswith(before)
    assert text.endswith(after)
    table = text[len(before) : -len(after)]
    assert [line for line in table.splitlines() if line.startswith("| ")][-3:] == [
        "| `passes` | loops, against arrays | 3 x | at most 4 x | reached | 13% |",
        "|  | memory | 5 MB | at most 4 MB | missed |  |",
        "|  | start-up | 1 s |  |  |  |",
    ]


def test_a_result_as_a_line() -> None:
    result = Result("loops, against arrays", "3 x", "at most 4 x", reached=True, noise=0.126)
    assert str(result) == "loops, against arrays: 3 x (aim at most 4 x, reached; noise 13%)"
    assert str(Result("start-up", "1 s")) == "start-up: 1 s"


def test_noise_is_the_slowest_beyond_the_fastest() -> None:
    assert noise([2.0, 3.0, 2.5]) == 0.5

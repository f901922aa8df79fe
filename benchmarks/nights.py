"""How often each rule of the gate fails without a reason, and how soon it notices a fall.

`make nights` simulates years of nights and writes the table of docs/operations.md.  A night draws
its documents from those of tests/data/nights, so that their spread, and how far systems err on the
same documents, are those of an archive.  Averages, standard errors and degrees of freedom are those
of means of documents.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import segscore
from segscore.pipeline.arrays.ragged import Floats
from segscore.pipeline.nightly.rules import GateRule, parse_rule
from segscore.pipeline.nightly.settings import NightSettings
from segscore.pipeline.nightly.trend_gate import TREND_ALPHA
from segscore.pipeline.statistics.changes import Change
from segscore.pipeline.statistics.multiple_tests import holm
from segscore.pipeline.statistics.trends import FEWEST_FOR_TREND, theil_sen

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "operations.md"
BEGIN, END = "<!-- simulated nights -->", "<!-- end of simulated nights -->"

NIGHTS = 365
YEARS = 6
SIZES = (60, 600)
FIRST_FALL = 100
"""The night from which on one system is worse, in years with a fall."""

LIMIT = "boundary_similarity>=-0.02"
FALLS: dict[str, Callable[[int], float]] = {
    "a step of .05": lambda night: 0.05 * (night >= FIRST_FALL),
    ".002 a night": lambda night: 0.002 * max(0, night - FIRST_FALL),
    ".004 a night": lambda night: 0.004 * max(0, night - FIRST_FALL),
}
_MEDIAN_ERROR = 0.4587
"""Standard error of the median of seven normal values, as a share of that of one."""


@dataclass(frozen=True)
class Average:
    """The averages of all systems on a night: values, standard errors, degrees of freedom."""

    values: Floats
    errors: Floats
    freedom: int


def pool() -> Floats:
    """Return the values of the documents of the first nights, shape (documents, systems)."""
    segmentation = segscore.Segmentation
    references, systems = {}, dict[str, dict[str, segscore.Segmentation]]()
    for path in sorted((ROOT / "tests" / "data" / "nights").glob("*.jsonl"))[:10]:
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            one = segmentation(row["boundaries"], row["n_units"])
            if row["role"] == "reference":
                references[row["document_id"]] = one
            else:
                systems.setdefault(row["coder"], {})[row["document_id"]] = one
    scores = segscore.evaluate(references, systems, measures=["boundary_similarity"])
    by_document: dict[str, dict[str, float]] = {}
    for row in scores.table("scores").to_pylist():
        by_document.setdefault(row["document_id"], {})[row["hypothesis"]] = row[
            "boundary_similarity"
        ]
    return np.array([[by_document[d][s] for s in sorted(systems)] for d in sorted(by_document)])


def year(
    draw: np.random.Generator, values: Floats, documents: int, fall: Callable[[int], float]
) -> list[Average]:
    """Simulate the nights of a year; the fall is that of the first system."""
    nights = []
    for night in range(NIGHTS):
        drawn = values[draw.integers(0, len(values), documents)]
        means = drawn.mean(axis=0)
        means[0] -= fall(night)
        errors = drawn.std(axis=0, ddof=1) / np.sqrt(documents)
        nights.append(Average(means, errors, documents - 1))
    return nights


def _fails(now: Average, before: Average, rule: GateRule, alpha: float) -> bool:
    """Check the systems against averages of other documents."""
    p = []
    for value, error, old, old_error in zip(
        now.values, now.errors, before.values, before.errors, strict=True
    ):
        variances = np.array([error**2, old_error**2])
        freedoms = np.array([now.freedom, before.freedom])
        freedom = float(variances.sum() ** 2 / (variances**2 / freedoms).sum())
        change = Change(value - old, float(np.sqrt(variances.sum())), freedom)
        p.append(change.p_beyond(rule.excess(change.change)))
    return bool(holm(p).min() <= alpha)


def last_good(nights: list[Average], alpha: float) -> Iterator[bool]:
    """Compare each night with the last one that did not fail."""
    (rule,) = parse_rule(LIMIT)
    before = nights[0]
    for now in nights[1:]:
        failed = _fails(now, before, rule, alpha)
        yield failed
        before = before if failed else now


def median_of_seven(nights: list[Average], alpha: float) -> Iterator[bool]:
    """Compare each night with the median of the last seven that did not fail."""
    (rule,) = parse_rule(LIMIT)
    good = nights[:1]
    for now in nights[1:]:
        recent = good[-7:]
        failed = False
        if len(recent) == 7:
            errors = np.mean([each.errors for each in recent], axis=0) * _MEDIAN_ERROR
            median = np.median([each.values for each in recent], axis=0)
            before = Average(median, errors, sum(each.freedom for each in recent))
            failed = _fails(now, before, rule, alpha)
        yield failed
        good += [] if failed else [now]


def trend_of_thirty(nights: list[Average], _alpha: float) -> Iterator[bool]:
    """Test the line through the last thirty nights."""
    (rule,) = parse_rule(f"trend:{LIMIT} per 30 nights")
    values = np.stack([each.values for each in nights])
    for last in range(1, len(nights)):
        window = values[max(0, last + 1 - rule.nights) : last + 1]
        if len(window) < FEWEST_FOR_TREND:
            yield False
            continue
        lines = [theil_sen(np.arange(len(window)), each) for each in window.T]
        adjusted = holm([max(line.p, line.p_independent) for line in lines])
        yield any(
            p <= TREND_ALPHA and rule.excess(line.slope * rule.nights) > 0
            for p, line in zip(adjusted, lines, strict=True)
        )


RULES: dict[str, Callable[[list[Average], float], Iterator[bool]]] = {
    f"`{LIMIT}`, last good night": last_good,
    f"`{LIMIT}`, median of 7 nights": median_of_seven,
    f"`trend:{LIMIT} per 30 nights`": trend_of_thirty,
}


def alarms(failed: list[bool]) -> int:
    """Count the alarms; nights that fail one after the other are one."""
    return sum(now and not before for before, now in zip([False, *failed], failed, strict=False))


def simulate() -> Iterator[tuple[str, ...]]:
    """Yield a row of the table for each rule and number of documents."""
    alpha = float(NightSettings.alpha)
    values = pool()
    for name, rule in RULES.items():
        for documents in SIZES:
            draw = np.random.Generator(np.random.PCG64(documents))
            quiet = [
                alarms([*rule(year(draw, values, documents, lambda _: 0.0), alpha)])
                for _ in range(YEARS)
            ]
            delays = []
            for fall in FALLS.values():
                noticed = [
                    _delay([*rule(year(draw, values, documents, fall), alpha)])
                    for _ in range(YEARS // 2)
                ]
                delays.append(_shown(noticed))
            yield name, str(documents), f"{np.mean(quiet):.2f}", *delays


def _delay(failed: list[bool]) -> float:
    """Return the number of nights with a fall until the first that fails; infinite if none."""
    late = [night for night, wrong in enumerate(failed, 1) if wrong and night >= FIRST_FALL]
    return late[0] - FIRST_FALL + 1 if late else float("inf")


def _shown(delays: list[float]) -> str:
    median = float(np.median(delays))
    return f"{median:.0f}" if np.isfinite(median) else "not in a year"


def table() -> str:
    """Return the table in Markdown."""
    heads = ["rule", "documents a night", "false alarms a year", *FALLS]
    lines = [heads, ["---"] * len(heads), *simulate()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    page = PAGE.read_text("utf-8")
    start, rest = page.split(BEGIN)
    _, end = rest.split(END)
    PAGE.write_text(f"{start}{BEGIN}\n{table()}\n{END}{end}", "utf-8")

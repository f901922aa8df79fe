"""A law: the star of a pair, its interval and the sentence about it never contradict each other."""

from collections.abc import Iterator
from itertools import combinations
from math import isnan

import numpy as np
import pytest

from segscore.pipeline.comparison.certainty import PairRows, describe_certainty
from segscore.pipeline.comparison.settings import CompareSettings
from segscore.pipeline.comparison.tables import (
    ComparedPair,
    ComparisonRow,
    adjusted_rows,
    as_in_table,
)
from segscore.pipeline.statistics.jackknife import Estimate, cautious, difference, rests_on_few
from tests.support.examples import examples

CORPORA = examples(2000)
MARGIN = 0.05
SETTINGS = CompareSettings(("run",), ("pk",), margin=MARGIN)


def systems(draw: np.random.Generator) -> list[tuple[Estimate, Estimate]]:
    """Micro and macro averages of 2 to 6 systems on 1 to 40 documents of very different lengths.

    Some systems are equal, a little better, always right or always wrong.
    """
    documents = int(draw.choice([1, 4, 5, 6, 8, 12, 20, 40]))
    windows = np.ceil(draw.lognormal(3, 1, documents)).astype(int)
    rates = draw.choice([0.0, 0.2, 0.2, 0.22, 0.3, 0.5, 1.0], draw.integers(2, 7))
    hard = draw.uniform(0.5, 1.5, documents)
    found = []
    for rate in rates:
        chances = np.clip(rate * hard, 0, 1) if 0 < rate < 1 else np.full(documents, rate)
        errors = draw.binomial(windows, chances)
        with np.errstate(invalid="ignore", divide="ignore"):
            without = (errors.sum() - errors) / (windows.sum() - windows)
        value = float(errors.sum() / windows.sum())
        units = np.arange(documents).astype(np.uint64)
        shares = errors / windows
        micro = Estimate(value, units, without, windows.astype(float), (0.0, 1.0))
        with np.errstate(invalid="ignore", divide="ignore"):
            without = (shares.sum() - shares) / np.float64(documents - 1)
        macro = Estimate(float(shares.mean()), units, without, np.ones(documents), (0.0, 1.0))
        found.append((micro, macro))
    return found


def rows_of(averages: list[tuple[Estimate, Estimate]]) -> list[ComparisonRow]:
    """Compare the micro averages of systems, of which a lower one is better."""
    pairs = []
    for a, b in combinations(range(len(averages)), 2):
        apart, of_means = map(difference, averages[a], averages[b])
        if rests_on_few(apart.effective, apart.number):
            apart = cautious(apart, of_means)
            same_side = apart.value * of_means.value >= 0
            if apart.error > 0 and not isnan(of_means.p):
                assert apart.p >= min(of_means.p, 0.5) * (1 - 1e-9) if same_side else apart.p > 0.49
        better = None if apart.value == 0 else f"s{a if apart.value < 0 else b}"
        row = {
            "measure": "pk", "average": "micro", "system": f"s{a}", "other": f"s{b}",
            "difference": apart.value, "p": apart.p,
            "better": better, "documents": len(apart.units), "units": apart.number,
            "effective": apart.effective,
        }  # fmt: skip
        pairs.append(ComparedPair(row, apart, of_points=False, directed=True))
    return adjusted_rows(pairs, SETTINGS, power=False)


def samples() -> Iterator[tuple[list[Estimate], list[ComparisonRow]]]:
    """Yield boards of random systems: their micro averages, and the rows of their pairs."""
    draw = np.random.default_rng(17)
    for _ in range(CORPORA):
        averages = systems(draw)
        yield [micro for micro, _ in averages], rows_of(averages)


def check_row(row: ComparisonRow) -> bool:
    """Check a pair; return whether it is significant."""
    if isnan(row["p"]):
        assert isnan(row["p_holm"]) and isnan(row["ci_low"]) and row["equal"] is None
        return False
    star = bool(row["p_holm"] < 0.05)
    if isnan(row["ci_low"]):
        alike = 2 ** (1 - row["effective"])
        assert row["p"] == (1 if row["difference"] == 0 else pytest.approx(alike)), row
        assert row["equal"] is None
        return star
    assert row["ci_low"] <= row["difference"] <= row["ci_high"]
    assert star == (not row["ci_low"] <= 0 <= row["ci_high"]), row
    if max(-row["ci_low"], row["ci_high"]) <= MARGIN:
        assert row["equal"]
    assert not row["equal"] or abs(row["difference"]) <= MARGIN
    return star


def check_sentence(best: str, stars: dict[str, bool], pairs: PairRows, units: int) -> None:
    """Check what is said of the best system against each other one alone, and all of them."""
    for others in ([name] for name in stars):
        sentence = describe_certainty(best, others, pairs).text
        (name,) = others
        row = pairs.get((best, name)) or pairs[name, best]
        is_better = stars[name] and row["better"] == best
        assert sentence.startswith("It is significantly better") == is_better
        if units < 5:
            assert "at least 5 are needed" in sentence and "significant" not in sentence
        elif row["p_holm"] is not None:
            assert ("is not significant" in sentence) == (not stars[name])
            within = describe_certainty(best, others, pairs, margin=MARGIN).text
            assert ("equal to it within" in within) == (row["equal"] is True and not stars[name])
            assert ("undecided" in within) == (not row["equal"] and not stars[name])
            of_best = stars[name] and row["better"] == best
            assert ("by less than" in within) == (row["equal"] is True and of_best)
    together = describe_certainty(best, [*stars], pairs).text
    rows = {name: pairs.get((best, name)) or pairs[name, best] for name in stars}
    known = [name for name, row in rows.items() if row["p"] is not None]
    all_are = bool(known and all(stars[name] for name in known))
    assert together.startswith("It is significantly better") == all_are


@pytest.mark.long
def test_star_interval_and_sentence_agree() -> None:
    seen = set()
    for averages, rows in samples():
        stars = {(row["system"], row["other"]): check_row(row) for row in rows}
        best = f"s{min(range(len(averages)), key=lambda s: averages[s].value)}"
        against = {a if b == best else b: star for (a, b), star in stars.items() if best in (a, b)}
        pairs = {(row["system"], row["other"]): row for row in as_in_table(rows)}
        check_sentence(best, against, pairs, len(averages[0].units))
        seen |= {*stars.values()}
    assert seen == {True, False}

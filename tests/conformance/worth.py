"""Cases of what a number is worth: chance, skill, power, and levels of a hierarchy."""

import importlib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from tests.conformance.cases import Case, Expected, Family, Given, case
from tests.oracles import naive, naive_chance, naive_levels
from tests.oracles.naive import Value

MEASURES = ("pk", "window_diff", "pk_prior", "boundary_similarity", "segmentation_similarity")
"""The measures of the cases of levels."""

COUNTS = (*naive.WINDOW_COUNTS, *naive.EDIT_COUNTS)

_COSTS = Fraction(1, 2), (Fraction(1), Fraction(3, 10))
_NEEDED = 10**6


def expect_chance(given: Given) -> Expected:
    """Expect the means over all choices of boundaries."""
    n_units, reference, drawn, k = (given[n] for n in ("n_units", "reference", "drawn", "k"))
    some = n_units > k
    return {
        "pk": naive_chance.expected_pk(reference, n_units, drawn, k) if some else None,
        "window_diff": naive_chance.expected_window_diff(reference, n_units, drawn, k)
        if some
        else None,
        "matches": naive_chance.expected_matches(reference, n_units, drawn),
    }


CHANCE = (
    case("four of 23", "Enumeration of 8,855.", n_units=24, reference=[5, 12, 13], drawn=4, k=3),
    case("as many as the reference", n_units=12, reference=[3, 8], drawn=2, k=2),
    case("none is drawn", n_units=12, reference=[3, 8], drawn=0, k=2),
    case("everywhere", n_units=9, reference=[4], drawn=8, k=2),
    case("a reference without a boundary", n_units=10, reference=[], drawn=3, k=3),
    case("a window of one position", n_units=10, reference=[2, 7], drawn=3, k=1),
    case("no window", n_units=4, reference=[2], drawn=1, k=4),
)


def expect_skill(given: Given) -> Expected:
    """Expect the share of the way from chance to the best value."""
    value, chance, best = (
        None if given[name] is None else Fraction(given[name])
        for name in ("value", "chance", "best")
    )
    if value is None or chance is None or best is None:
        return {"skill": None}
    return {"skill": naive.ratio(value - chance, best - chance)}


SKILL = (
    case("halfway, higher is better", value="3/5", chance="1/5", best="1"),
    case("halfway, lower is better", value="1/5", chance="2/5", best="0"),
    case("chance itself", value="2/7", chance="2/7", best="1"),
    case("perfect", value="0", chance="4/9", best="0"),
    case("worse than chance is negative", value="1/2", chance="1/4", best="0"),
    case("chance is the best value", value="1/3", chance="1", best="1"),
    case("an undefined value", value=None, chance="1/3", best="1"),
    case("chance is undefined", value="1/3", chance=None, best="0"),
)


def in_four_digits(number: float) -> str:
    """A number that is not rational, rounded to 4 significant digits."""
    return f"{number:.4g}"


def expect_power(given: Given) -> Expected:
    """Expect what a paired t test finds, by statsmodels."""
    test = importlib.import_module("statsmodels.stats.power").TTestPower()
    alpha, power, spread = (float(Fraction(given[n])) for n in ("alpha", "power", "spread"))
    smallest = spread * test.solve_power(None, given["documents"], alpha, power)
    effect = abs(float(Fraction(given["difference"]))) / spread
    needed = None
    if effect:
        needed = next(n for n in range(2, _NEEDED) if test.power(effect, n, alpha) >= power)
    return {"smallest_difference": in_four_digits(smallest), "documents_needed": needed}


def power_case(name: str, documents: int, spread: str, difference: str, **changed: str) -> Case:
    """Make a case of a paired t test."""
    given: dict[str, Any] = {"documents": documents, "spread": spread, "difference": difference}
    return case(name, **given | {"alpha": "1/20", "power": "4/5"} | changed)


POWER = (
    power_case("42 documents", 42, "39/400", "7/250"),
    power_case("ten documents", 10, "1/5", "1/10"),
    power_case("many documents", 711, "3/20", "1/50"),
    power_case("a negative difference", 42, "39/400", "-7/250"),
    power_case("no difference", 42, "39/400", "0"),
    power_case("a large difference", 20, "1/10", "1/2"),
    power_case("a strict test", 100, "1/10", "1/40", alpha="1/100", power="19/20"),
)


def level_rows(given: Given) -> list[dict[str, Any]]:
    """Count every hypothesis against every reference of its document, on every level."""
    rows = []
    for level in given["types"]:
        kept = naive_levels.types_of_level(level, given["types"], given["by_level"])
        for d, document in enumerate(given["documents"]):
            hypothesis = _at_level(document["hypothesis"], kept)
            rows += [
                _count(given, level, d, (_at_level(each, kept), hypothesis))
                for each in document["references"]
            ]
    return rows


def _at_level(boundaries: Sequence[Sequence[int]], kept: Sequence[int]) -> list[int]:
    return [p for p, _ in naive_levels.at_level([(p, kind) for p, kind in boundaries], kept, 1)]


def _count(
    given: Given,
    level: int,
    document: int,
    sides: tuple[list[int], list[int]],
) -> dict[str, Any]:
    """Count one pair on one level."""
    n_units = given["documents"][document]["n_units"]
    k = naive.window_size(n_units, len(sides[0]) + 1)
    counts = naive.window_counts(n_units, *sides, k)
    counts |= naive.edit_counts(n_units, *sides, given["n_t"])
    return {"document_id": document, "level": level, "k": k} | {n: counts[n] for n in COUNTS}


def _values(
    counts: Mapping[str, Any], given: Given, p_seg: Value, *, per_row: bool
) -> dict[str, Value]:
    windows = naive.window_values(counts, p_seg, *_COSTS)
    edits = naive.edit_values(counts, n_t=given["n_t"], types=(1,), per_row=per_row)
    return {name: (windows | edits)[name] for name in MEASURES}


def expect_levels(given: Given) -> Expected:
    """Expect each level as if scored alone, and the averages over levels."""
    types, rows = given["types"], level_rows(given)
    levels = []
    for level in types:
        chosen = [row for row in rows if row["level"] == level]
        p_seg = naive.p_seg(chosen)
        for row in chosen:
            row |= _values(row, given, p_seg, per_row=True)
        counts = {name: sum(row[name] for row in chosen) for name in COUNTS}
        micro = _values(counts, given, p_seg, per_row=False)
        levels.append({
            "level": level,
            "k": [row["k"] for row in chosen],
            "p_seg": p_seg,
            "counts": counts,
            "micro": micro,
            "macro": {name: naive_levels.macro(chosen, name)[0] for name in MEASURES},
        })  # fmt: skip
    sums = naive_levels.pooled(rows, COUNTS)
    p_seg = naive.p_seg(rows)
    whole = {name: int(count) for name, count in sums.items()}
    return {
        "levels": levels,
        "p_seg": p_seg,
        "micro": _values(whole, given, p_seg, per_row=False),
        "macro": {name: naive_levels.macro(rows, name)[0] for name in MEASURES},
    }


LECTURE = {
    "n_units": 40,
    "references": [[[10, 1], [20, 2], [30, 2]]],
    "hypothesis": [[10, 1], [30, 2]],
}
MIXED = {
    "n_units": 24,
    "references": [[[6, 1], [12, 2], [18, 3]], [[6, 1], [13, 3], [18, 2]]],
    "hypothesis": [[6, 2], [12, 3], [17, 1]],
}
SILENT = {"n_units": 15, "references": [[[5, 2]]], "hypothesis": []}


def levels_case(
    name: str, types: Sequence[int], *documents: Mapping[str, Any], only: bool = False, n_t: int = 2
) -> Case:
    """Make a case of a corpus by level."""
    by_level = "only" if only else "cumulative"
    return case(name, types=list(types), by_level=by_level, n_t=n_t, documents=list(documents))


LEVELS = (
    levels_case("two levels of one document", (1, 2), LECTURE),
    levels_case("the same, each level by itself", (1, 2), LECTURE, only=True),
    levels_case("boundaries with other types of the level are right", (1, 2, 3), MIXED),
    levels_case("several references and documents", (1, 2, 3), MIXED, LECTURE, SILENT, n_t=3),
    levels_case("each by itself", (1, 2, 3), MIXED, LECTURE, SILENT, only=True),
    levels_case("a level that neither side has", (1, 2, 4), LECTURE, SILENT),
    levels_case("types that are far apart", (1, 5), {**MIXED, "references": [[[6, 5], [12, 1]]],
                                                     "hypothesis": [[6, 1], [12, 5]]}),
)  # fmt: skip

FAMILIES = (
    Family("chance", "Random boundaries: means over all choices.", expect_chance, CHANCE),
    Family("skill", "A value between chance and the best.", expect_skill, SKILL),
    Family("power", "What a paired t test can find.", expect_power, POWER),
    Family("levels", "One system by levels of a hierarchy.", expect_levels, LEVELS),
)

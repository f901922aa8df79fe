"""The statements that segscore prints with certainty, measured: docs/claims.md.

`make claims` writes the tables of the page; `python -m benchmarks.claims NAME...` writes some of
them. Each row simulates corpora of a kind and counts how often a statement of a stated level is
true; the same command writes the same page.
"""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from benchmarks import boards
from benchmarks.simulated_coders import at_random, audits
from benchmarks.simulated_documents import Key, Kind
from benchmarks.statements import (
    APART,
    B_MACRO,
    CORPORA,
    COVERING,
    DENSITY,
    F1,
    IN_SHOWS,
    LEVEL,
    OF_GENRES,
    ONE_SKEWED,
    ORDINARY,
    PARETO,
    PERFECT,
    PK,
    SOMETIMES_FAILS,
    UNEQUAL,
    WITH_CHANCE,
    ZEROS,
    B,
    Corpus,
    called_equal,
    coverage,
    few_documents,
    gate_fails,
    level,
    needed,
    power,
    power_in_range,
    skill_coverage,
)
from benchmarks.timing import ROOT
from segscore.pipeline.comparison.certify import MeasuredShare

PAGE = ROOT / "docs" / "claims.md"
START, END = "<!-- measured: {} -->\n", "<!-- end of measured: {} -->\n"

_NAMES: dict[Key, str] = {
    B: "B",
    PK: "Pk",
    F1: "F1",
    COVERING: "covering",
    B_MACRO: "B, macro",
    ("pk", "macro"): "Pk, macro",
}


class Table(NamedTuple):
    """A table of the page."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]

    def __str__(self) -> str:
        """Write the table in Markdown."""
        lines = [self.head, ["---"] * len(self.head), *self.rows]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def _coverage() -> Table:
    kinds, sizes = (
        {"ordinary lengths": ORDINARY, "very unequal lengths": UNEQUAL},
        (5, 10, 20, 50, 200),
    )
    rows = [
        row
        for name, kind in kinds.items()
        for row in _by_size(name, (B, PK, F1, B_MACRO), sizes, partial(_covered, kind))
    ]
    return Table(_head("95 % interval contains the truth", sizes), rows)


def _level() -> Table:
    sizes, kinds = (
        (8, 10, 20, 50, 200),
        {
            "different density": DENSITY,
            "same density": ORDINARY,
            "many documents without an error": ZEROS,
            "one brilliant or useless by document": ONE_SKEWED,
        },
    )
    rows = [
        row
        for name, kind in kinds.items()
        for row in _by_size(name, (B, PK, B_MACRO), sizes, partial(_significant, kind))
    ]
    return Table(_head("p < .05 of equal systems", sizes), rows)


def _perfect() -> Table:
    sizes, keys = (10, 15, 30, 100), (PK, COVERING, B)
    rows = _by_size(
        "interval contains the truth",
        keys,
        sizes,
        partial(_covered, PERFECT),
    )
    rows += _by_size("p < .05 of equal", (PK, B), sizes, partial(_significant, PERFECT))
    return Table(_head("near-perfect systems, Pk .01", sizes), rows)


def _few_documents() -> Table:
    kinds, sizes = {"genres": OF_GENRES, "Pareto": PARETO, "very unequal": UNEQUAL}, (10, 30, 100)
    keys, rows = (B, PK, B_MACRO), list[list[str]]()
    for name, kind in kinds.items():
        rows += _by_size(
            f"{name}: interval contains the truth",
            keys,
            sizes,
            partial(_covered, kind),
        )
        rows += _by_size(
            f"{name}: p < .05 of equal",
            keys,
            sizes,
            partial(_significant, kind),
        )
        said = [_shown(few_documents(kind, Corpus(n))) for n in sizes]
        rows.append([f'{name}: "rest on about" is said', *said])
    return Table(_head("few long documents", sizes), rows)


def _skewed() -> Table:
    sizes, keys = (15, 40, 100), (B, PK, B_MACRO, ("pk", "macro"))
    rows = _by_size(
        "p < .05 of equal",
        keys,
        sizes,
        lambda n, keys: level(SOMETIMES_FAILS, Corpus(n), keys),
    )
    return Table(_head("one system fails on 5 % of the documents", sizes), rows)


def _shows() -> Table:
    equal = {
        f"{n} shows of {each} documents": (each,) * n
        for n, each in ((6, 10), (20, 10), (20, 5), (8, 4))
    }
    unequal = {
        "shows of 2, 3, 5, 10 and 30": (2, 3, 5, 10, 30),
        "shows of 1, 2, 4, 8, 15 and 40": (1, 2, 4, 8, 15, 40),
        "4 shows of 3, 4 of 10, 4 of 25": (3,) * 4 + (10,) * 4 + (25,) * 4,
    }
    rows = list[list[str]]()
    for name, shows in (equal | unequal).items():
        for by_show in (False, True):
            corpus = Corpus(sum(shows), shows, by_show)
            units = "`--resample-by show`" if by_show else "by documents"
            rows.append(
                [
                    name,
                    units,
                    _shown(coverage(IN_SHOWS, corpus)[B]),
                    _shown(level(IN_SHOWS, corpus)[B]),
                ]
            )
    return Table(
        ["documents of shows, B", "units", "interval contains the truth", "p < .05 of equal"], rows
    )


def _gate() -> Table:
    sizes, rows = (5, 10, 20, 60, 200), list[list[str]]()
    for name, same in (("other documents each night", False), ("the same documents", True)):
        rows += _by_size(
            name,
            (B, F1, B_MACRO),
            sizes,
            partial(_failing, same=same),
        )
    return Table(_head("a night fails without a change", sizes), rows)


def _skill() -> Table:
    sizes = 5, 10, 20, 50, 200
    rows, ends = list[list[str]](), list[list[str]]()
    for key in (B, B_MACRO):
        cells = [skill_coverage(WITH_CHANCE, Corpus(n), key) for n in sizes]
        rows.append(
            [f"interval contains the truth, {_NAMES[key]}", *(_shown(share) for share, _ in cells)]
        )
        ends.append([f"largest upper end, {_NAMES[key]}", *(f"{high:.3f}" for _, high in cells)])
    return Table(_head("skill (`random-own`)", sizes), [*rows, *ends])


def _boards() -> Table:
    found = boards.measured()
    stated = {
        "star": ("a star is at the worse of two systems, in any pair of a board", "at most .05"),
        "interval": ("an interval by Holm misses the truth, in any pair of a board", "at most .05"),
        "sure": (
            "the system that is significantly better than all others is not the best",
            "at most .05",
        ),
        "equal": ("systems that are equal within .05 differ by more", "at most .05"),
        "best": ("the system that has the best value is not the best", "–"),
        "contradiction": ("star, interval, letters and sentence contradict each other", "0"),
    }
    rows = list[list[str]]()
    for name, (statement, level_of) in stated.items():
        made, false = found[name]
        rows.append([statement, level_of, f"{false} of {made}"])
    return Table(["boards of 2 to 6 systems, B", "stated", "measured"], rows)


def _power() -> Table:
    rows = list[list[str]]()
    for systems, name in ((2, "two systems"), (5, "five systems, ten pairs")):
        alpha = LEVEL / (systems * (systems - 1) / 2)
        need = needed(APART, alpha)
        reached = _shown(power(APART, Corpus(need), alpha))
        rows.append(
            [f"difference found with the documents needed, {name} (n {need})", ".80", reached]
        )
    for kind_name, kind in (("ordinary lengths", ORDINARY), ("genres", OF_GENRES)):
        for n in (12, 42, 200):
            for key, share in power_in_range(kind, Corpus(n), CORPORA // 4).items():
                what = f"range of the smallest difference, {kind_name}, {_NAMES[key]}, n {n}"
                rows.append([what, ".80", _shown(share)])
    for n in (100, 1000):
        equal = _shown(called_equal(APART, Corpus(n)))
        rows.append([f"called equal within their true difference, n {n}", "at most .05", equal])
    return Table(["power and equality, B", "stated", "measured"], rows)


def _coders() -> Table:
    rows = list[list[str]]()
    for n in (10, 40):
        for name, share in audits(n).items():
            what = f"interval of {name} contains the value of these coders, n {n}"
            rows.append([what, ".95", _shown(share)])
    return Table(["coefficients of agreement, B", "stated", "measured"], rows)


def _random_coders() -> Table:
    printed = at_random(20)
    chance = f"{printed['chance']:.3f} (printed)"
    rows = [
        ["two coders agree by", chance, f"{printed['actual']:.3f}"],
        ["pi", "–", f"{printed['value']:.3f}"],
        ["corrected for chance", "0", f"{printed['corrected']:.3f}"],
    ]
    return Table(["three coders who mark random places, B, n 20", "stated", "measured"], rows)


TABLES: dict[str, Callable[[], Table]] = {
    "coverage": _coverage,
    "level": _level,
    "near-perfect": _perfect,
    "few documents": _few_documents,
    "skewed": _skewed,
    "shows": _shows,
    "nights": _gate,
    "skill": _skill,
    "boards": _boards,
    "power": _power,
    "coders": _coders,
    "random coders": _random_coders,
}
"""The tables of the page, by the names in its comments."""


def _by_size(
    name: str,
    keys: Sequence[Key],
    sizes: Sequence[int],
    measure: Callable[[int, Sequence[Key]], dict[Key, MeasuredShare]],
) -> list[list[str]]:
    """Return a row for each average, with a cell for each number of documents."""
    cells = [measure(n, keys) for n in sizes]
    return [[f"{name}, {_NAMES[key]}", *(_shown(cell[key]) for cell in cells)] for key in keys]


def _covered(kind: Kind, n: int, keys: Sequence[Key]) -> dict[Key, MeasuredShare]:
    return coverage(kind, Corpus(n), keys)


def _significant(kind: Kind, n: int, keys: Sequence[Key]) -> dict[Key, MeasuredShare]:
    return level(kind, Corpus(n), keys)


def _failing(n: int, keys: Sequence[Key], *, same: bool) -> dict[Key, MeasuredShare]:
    return gate_fails(ORDINARY, Corpus(n), keys, same=same)


def _head(what: str, sizes: Sequence[int]) -> list[str]:
    return [what, *(f"n {n}" for n in sizes)]


def _shown(share: MeasuredShare) -> str:
    return f"{share.share:.3f}".removeprefix("0")


def write(names: Sequence[str]) -> None:
    """Replace tables of the page, one after the other."""
    for name in names:
        table = TABLES[name]()
        before, rest = PAGE.read_text("utf-8").split(START.format(name))
        _, after = rest.split(END.format(name))
        text = f"{before}{START.format(name)}\n{table}\n{END.format(name)}{after}"
        PAGE.write_text(text, "utf-8")


if __name__ == "__main__":
    write(sys.argv[1:] or [*TABLES])

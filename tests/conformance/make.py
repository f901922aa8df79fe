"""Make the conformance set: small inputs, and what comes out of them, exactly.

    python -m tests.conformance.make

writes tests/conformance/*.json.  What is expected is worked out by the slow twin,
tests/oracles/naive.py; the cases are chosen here, by family.  tests/conformance/README.md says what
the files mean.

Names of papers: Kazantseva & Szpakowicz 2012; Fournier 2013; Georgescul, Clark & Armstrong 2006;
Franz, McCarley & Xu 2007.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from tests.conformance import fields, worth
from tests.conformance.cases import Case, Expected, Family, Given, case
from tests.oracles import families, naive

FOLDER = Path(__file__).parent
WIDTH = 100

Row = dict[str, Fraction | None]
Judged = tuple[int, Sequence[Sequence[int]], Sequence[int] | None]
"""(n_units, references, hypothesis) of a document; the hypothesis is None where there is none."""

WITH_A_PRIOR = ("pk_prior", "pk_prime", "c_seg", "c_seg_normalised")
"""Window values that need the collection's P_seg, which only formulas.json and pooled.json have."""

CONTENT_PARTS = (
    "content_leading_miss",
    "content_trailing_miss",
    "content_leading_false_alarm",
    "content_trailing_false_alarm",
)
PART_NAMES = tuple(part.removeprefix("content_") for part in CONTENT_PARTS)


# --- Units of measurement ------------------------------------------------------------------------


def expect_units(given: Given) -> Expected:
    """Expect positions in words; with types, those of each type."""
    if "types" not in given:
        total, boundaries, lost = naive.in_words(
            given["n_units"], given["boundaries"], given["unit_lengths"]
        )
        return {"n_units": total, "boundaries": boundaries, "collapsed_boundaries": lost}
    kept_pairs: list[list[int]] = []
    lost = total = 0
    for t in given["types"]:
        of_type = [position for position, other in given["boundaries"] if other == t]
        total, boundaries, dropped = naive.in_words(
            given["n_units"], of_type, given["unit_lengths"]
        )
        kept_pairs += [[position, t] for position in boundaries]
        lost += dropped
    return {"n_units": total, "boundaries": sorted(kept_pairs), "collapsed_boundaries": lost}


UNITS = (
    case(
        "one word in every unit changes nothing",
        n_units=5,
        boundaries=[2, 3],
        unit_lengths=[1, 1, 1, 1, 1],
    ),
    case(
        "a position becomes the words before it",
        "Georgescul, Clark & Armstrong 2006 and Franz, McCarley & Xu 2007 measure in words.",
        n_units=4,
        boundaries=[1, 3],
        unit_lengths=[7, 2, 10, 4],
    ),
    case("no boundary", n_units=3, boundaries=[], unit_lengths=[4, 1, 2]),
    case("one unit of many words", n_units=1, boundaries=[], unit_lengths=[12]),
    case(
        "a boundary that lands on 0 is dropped",
        n_units=3,
        boundaries=[1, 2],
        unit_lengths=[0, 3, 2],
    ),
    case(
        "a boundary that lands on the total is dropped",
        n_units=3,
        boundaries=[1, 2],
        unit_lengths=[3, 2, 0],
    ),
    case(
        "boundaries that land on one another are one",
        n_units=4,
        boundaries=[1, 2, 3],
        unit_lengths=[2, 0, 0, 5],
    ),
    case(
        "all of these at once",
        n_units=5,
        boundaries=[1, 2, 3, 4],
        unit_lengths=[0, 2, 0, 3, 0],
    ),
    case("all words in one unit", n_units=3, boundaries=[1, 2], unit_lengths=[0, 4, 0]),
    case(
        "types that land on one another stay apart while they differ",
        n_units=4,
        types=[1, 2, 3],
        boundaries=[[1, 1], [1, 2], [2, 2], [3, 3]],
        unit_lengths=[2, 0, 0, 5],
    ),
    case(
        "each type is lost by itself at the ends",
        n_units=4,
        types=[1, 2],
        boundaries=[[1, 1], [1, 2], [2, 2], [3, 1]],
        unit_lengths=[0, 3, 1, 0],
    ),
)


# --- Window size ---------------------------------------------------------------------------------


def window_sizes(
    policy: str | int, rounding: str, documents: Sequence[Given]
) -> tuple[list[list[int]], list[int]]:
    """Compute windows of each document's references (k), and of each document's panel (m)."""
    if isinstance(policy, int):
        return [[policy] * len(d["references"]) for d in documents], [policy] * len(documents)
    units = [d["n_units"] * len(d["references"]) for d in documents]
    segments = [sum(len(r) + 1 for r in d["references"]) for d in documents]
    if policy == "per-run":
        of_run = naive.window_size(sum(units), sum(segments), rounding)
        return window_sizes(of_run, rounding, documents)
    both = zip(units, segments, strict=True)
    of_document = [naive.window_size(n, s, rounding) for n, s in both]
    if policy == "per-document":
        of_each = zip(of_document, documents, strict=True)
        return [[k] * len(d["references"]) for k, d in of_each], of_document
    of_pair = [
        [naive.window_size(d["n_units"], len(r) + 1, rounding) for r in d["references"]]
        for d in documents
    ]
    return of_pair, of_document


def expect_window_size(given: Given) -> Expected:
    """Expect the window of each reference and of the panel of each document."""
    k, m = window_sizes(given["window"], given["rounding"], given["documents"])
    return {"k": k, "m": m}


def window_size_case(
    name: str,
    *documents: tuple[int, list[list[int]]],
    window: str | int = "per-pair",
    rounding: str = "half-even",
    note: str = "",
) -> Case:
    """Make a case of window size."""
    listed = [{"n_units": n_units, "references": references} for n_units, references in documents]
    return case(name, note, window=window, rounding=rounding, documents=listed)


EVEN_NOTE = "Half to even is what NLTK and segeval get from Python's round."
UP_NOTE = "Half up is what Choi 2000 published scores with."
TWO_DOCUMENTS = ((30, [[10, 20], [15]]), (12, [[2, 4, 6, 8, 10]]))
WINDOW_SIZE = (
    window_size_case("half the mean segment", (24, [[8, 16]])),
    window_size_case("a half goes to the even neighbour, here down", (5, [[]]), note=EVEN_NOTE),
    window_size_case("a half goes to the even neighbour, here up", (7, [[]]), note=EVEN_NOTE),
    window_size_case("9 units in one segment: 4.5 goes down", (9, [[]]), note=EVEN_NOTE),
    window_size_case("18 units in two segments: 4.5 goes down", (18, [[9]]), note=EVEN_NOTE),
    window_size_case("half up: 2.5 goes up", (5, [[]]), rounding="half-up", note=UP_NOTE),
    window_size_case("half up: 4.5 goes up", (18, [[9]]), rounding="half-up", note=UP_NOTE),
    window_size_case("half up: below a half still goes down", (11, [[2, 5]]), rounding="half-up"),
    window_size_case("no boundary is one segment", (16, [[]])),
    window_size_case(
        "never less than 2", (4, [[1, 2, 3]]), note="segeval has the same minimum; NLTK none."
    ),
    window_size_case("one unit", (1, [[]])),
    window_size_case("per pair: each reference has its own", *TWO_DOCUMENTS),
    window_size_case(
        "per document: sum of N over sum of S of its references",
        *TWO_DOCUMENTS,
        window="per-document",
        note="Kazantseva & Szpakowicz 2012, section 5: the panel's window m, under every policy "
        "but per-run and a fixed one.",
    ),
    window_size_case(
        "per run: sum of N over sum of S of all references, never a mean of means",
        *TWO_DOCUMENTS,
        window="per-run",
    ),
    window_size_case("fixed", *TWO_DOCUMENTS, window=7),
    window_size_case("fixed at 1, below the minimum of the others", (9, [[3]]), window=1),
)


# --- Window measures -----------------------------------------------------------------------------


def pair_of(given: Given) -> tuple[int, Any, Any]:
    """Return (n_units, reference, hypothesis)."""
    return given["n_units"], given["reference"], given["hypothesis"]


def expect_windows(given: Given) -> Expected:
    """Expect counts, and values that need no prior."""
    counts = naive.window_counts(*pair_of(given), given["k"])
    values = families.values(counts, per_row=True)
    return {"counts": counts, "values": {n: values[n] for n in values if n not in WITH_A_PRIOR}}


def window_case(
    name: str,
    n_units: int,
    reference: Sequence[int],
    hypothesis: Sequence[int],
    k: int,
    note: str = "",
) -> Case:
    """Make a case of a pair with a window."""
    sides: dict[str, Any] = {"reference": list(reference), "hypothesis": list(hypothesis)}
    return case(name, note, n_units=n_units, **sides, k=k)


KUBLA = "Fournier 2013, section 4: Kubla Khan, 11 lines, manual segments of 2, 3 and 6 lines."
WINDOWS = (
    window_case("the hypothesis is the reference", 11, [2, 5], [2, 5], 2),
    window_case("a miss", 11, [2, 5], [5], 2, f"{KUBLA} 1 - WindowDiff is printed .7778."),
    window_case("a near miss", 11, [2, 5], [2, 4], 2, f"{KUBLA} 1 - WindowDiff is printed .7778."),
    window_case(
        "a false alarm", 11, [2, 5], [2, 5, 8], 2, f"{KUBLA} 1 - WindowDiff is printed .7778."
    ),
    window_case(
        "clustered false alarms",
        *(11, [2, 5], [1, 2, 5, 6], 2),
        f"{KUBLA} 1 - WindowDiff is printed .6667: two false alarms cost three windows, where one "
        "in the open costs two.",
    ),
    window_case("every count at once", 8, [2, 3], [3, 5, 7], 2),
    window_case("the same with the sides changed", 8, [3, 5, 7], [2, 3], 2),
    window_case("the same read backwards", 8, [5, 6], [1, 3, 5], 2),
    window_case(
        "Pk is blind to a second boundary in the window",
        *(10, [4, 5], [4], 4),
        "Georgescul, Clark & Armstrong 2006, 4.1, example 1.",
    ),
    window_case(
        "Pk is blind to a second hypothesis boundary, and P'k calls it a miss",
        *(10, [4], [4, 5], 4),
        "Georgescul, Clark & Armstrong 2006, 4.1, example 2.",
    ),
    window_case(
        "a miss and a false alarm in one window cancel",
        *(10, [5], [6], 4),
        "Only the windows that hold one of the two differ, on either side.",
    ),
    window_case("two apart costs twice as much", 10, [5], [7], 4),
    window_case("k apart costs a miss and a false alarm whole", 13, [4], [8], 4),
    window_case(
        "no boundary in the hypothesis",
        *(12, [3, 6, 9], [], 3),
        "Georgescul, Clark & Armstrong 2006, 4.3: Pr_error is the cost of a miss, exactly.",
    ),
    window_case(
        "a boundary everywhere in the hypothesis",
        *(12, [3, 6, 9], range(1, 12), 3),
        "Georgescul, Clark & Armstrong 2006, 4.3: WindowDiff is 1, Pr_error the cost of a false "
        "alarm.",
    ),
    window_case(
        "a boundary everywhere, where a window is full of reference boundaries",
        *(12, [3, 4, 5, 9], range(1, 12), 3),
        "The exception: that window is right.",
    ),
    window_case(
        "the complement of the reference at k = 2",
        *(12, [3, 6, 9], [1, 2, 4, 5, 7, 8, 10, 11], 2),
        "Georgescul, Clark & Armstrong 2006, 4.3, call this the worst and say 100 %: a window of 2 "
        "with one boundary each is right, and false alarms are out of all windows.",
    ),
    window_case(
        "no boundary in the reference",
        *(8, [], [3, 5], 2),
        "Miss rates have nothing to divide by; Pr_error is undefined, whatever its costs.",
    ),
    window_case(
        "no boundary in either", 8, [], [], 4, "segeval 2.0.11 agrees: Pk and WindowDiff 0."
    ),
    window_case("a boundary everywhere in both", 6, range(1, 6), range(1, 6), 2),
    window_case(
        "every window holds a reference boundary",
        *(9, [2, 4, 6, 8], [4], 2),
        "False alarm rates of Pk and P'k have nothing to divide by.",
    ),
    window_case(
        "a boundary everywhere in the reference, none in the hypothesis", 6, range(1, 6), [], 3
    ),
    window_case(
        "weighted WindowDiff exceeds 1",
        *(9, [], range(1, 9), 3),
        "NLTK, windowdiff(weighted=True).",
    ),
    window_case(
        "a miss in the middle lies in k windows",
        *(12, [6], [], 4),
        "The edge-corrected value charges it k windows too.",
    ),
    window_case(
        "a miss at the start lies in one window",
        *(12, [1], [], 4),
        "Lamprier et al. 2007: k phantom units at both ends, and it costs as much as in the "
        "middle. segeval 2.0.11 divides by N + k + 1; there are N + k windows.",
    ),
    window_case("a miss at the end lies in one window", 12, [11], [], 4),
    window_case("a false alarm at the end, next to a right boundary", 10, [8], [8, 9], 3),
    window_case("windows of one position", 7, [2, 4], [2, 5], 1),
    window_case("one window: k is N - 1", 5, [2], [2, 4], 4),
    window_case(
        "no window: k is N",
        *(5, [2], [3], 5),
        "segeval 2.0.11: Pk 0 (perfect), WindowDiff an exception.",
    ),
    window_case("no window: k is beyond N", 5, [2], [2, 3], 9),
    window_case("one unit", 1, [], [], 2),
    window_case("two units", 2, [1], [], 2),
    window_case("three units, the first of one window", 3, [1], [2], 2),
    window_case("255 positions in a window", 600, [100, 300], [110, 299], 255),
    window_case(
        "256 positions in a window",
        *(600, [100, 300], [110, 299], 256),
        "segeval 2.0.11 stops with an AssertionError in WindowDiff.",
    ),
    window_case("300 boundaries in a window", 600, range(1, 600), range(2, 600, 2), 300),
)


# --- Edit measures -------------------------------------------------------------------------------


def plain_edits(edits: Sequence[naive.Edit]) -> list[list[Any]]:
    """List [kind, position in the reference, position in the hypothesis]; null for no position."""
    return [[edit.kind, edit.position, edit.other_position] for edit in edits]


def ends_of_edits(edits: Sequence[naive.Edit]) -> list[list[Any]]:
    """List [kind, [position, type] in the reference, [position, type] in the hypothesis]."""

    def end(position: int | None, boundary_type: int | None) -> list[int] | None:
        return None if position is None or boundary_type is None else [position, boundary_type]

    return [
        [edit.kind, end(edit.position, edit.type), end(edit.other_position, edit.other_type)]
        for edit in edits
    ]


def expect_edits(given: Given) -> Expected:
    """Expect edits, counts and values of a pair without types."""
    pairing = {"greedy": naive.edits, "optimal": naive.optimal_edits}[given["pairing"]]
    edits = pairing(*pair_of(given), given["n_t"])
    counts = naive.counts_of(edits, given["n_units"] - 1)
    values = naive.edit_values(counts, n_t=given["n_t"], per_row=True)
    return {"edits": plain_edits(edits), "counts": counts, "values": values}


def expect_typed_edits(given: Given) -> Expected:
    """Expect edits, counts and values of a pair with types."""
    pairings = {"greedy": naive.typed_edits, "optimal": naive.typed_optimal_edits}
    n_units, reference, hypothesis = pair_of(given)
    sides = [[(p, t) for p, t in side] for side in (reference, hypothesis)]
    types = given["types"]
    edits = pairings[given["pairing"]](n_units, sides[0], sides[1], types, given["n_t"])
    counts = naive.counts_of(edits, (n_units - 1) * len(types))
    values = naive.edit_values(counts, n_t=given["n_t"], types=types, per_row=True)
    classes = naive.class_confusion(edits, n_t=given["n_t"], types=types)
    ordered = sorted(classes, key=lambda cell: [t or 0 for t in cell])
    return {
        "edits": ends_of_edits(edits),
        "counts": counts,
        "values": values,
        "classes": [[*cell, classes[cell]] for cell in ordered],
    }


def expect_optimal_edits(given: Given) -> Expected:
    """Expect edits, counts and values of a pair with or without types."""
    return expect_typed_edits(given) if "types" in given else expect_edits(given)


def edit_case(
    name: str,
    n_units: int,
    reference: Sequence[int],
    hypothesis: Sequence[int],
    n_t: int = 2,
    note: str = "",
    pairing: str = "greedy",
) -> Case:
    """Make a case of a pair without types."""
    sides: dict[str, Any] = {"reference": list(reference), "hypothesis": list(hypothesis)}
    return case(name, note, n_units=n_units, **sides, n_t=n_t, pairing=pairing)


EDITS = (
    edit_case("the hypothesis is the reference", 11, [2, 5], [2, 5]),
    edit_case("a miss", 11, [2, 5], [5], 2, f"{KUBLA} S and B are printed .9 and .5."),
    edit_case("a near miss", 11, [2, 5], [2, 4], 2, f"{KUBLA} S and B are printed .95 and .75."),
    edit_case(
        "a false alarm", 11, [2, 5], [2, 5, 8], 2, f"{KUBLA} S and B are printed .9 and .6667."
    ),
    edit_case(
        "a cluster of false alarms",
        *(11, [2, 5], [1, 2, 5, 6], 2),
        f"{KUBLA} S and B are printed .8 and .5.",
    ),
    edit_case("n_t 1: nothing is a near miss", 11, [2, 5], [2, 4], 1),
    edit_case(
        "n_t 2: one apart costs a half",
        *(11, [5], [4], 2),
        "Fournier 2013, eq 5 as printed, d / (n_t - 1), would charge 1, as much as a full miss; "
        "Table 2 and segeval need d / n_t.",
    ),
    edit_case("n_t 2: two apart is a miss and a false alarm", 11, [5], [3], 2),
    edit_case("n_t 3: one apart costs a third", 11, [5], [4], 3),
    edit_case("n_t 3: two apart costs two thirds", 11, [5], [3], 3),
    edit_case("n_t 3: three apart is a miss and a false alarm", 11, [5], [2], 3),
    edit_case("n_t 4: one, two and three apart", 30, [5, 15, 25], [6, 13, 28], 4),
    edit_case("n_t 4: four apart is a miss and a false alarm", 11, [5], [9], 4),
    edit_case(
        "nearer comes first, and pairs may cross",
        *(9, [3, 4], [5, 6], 4),
        "4 and 5 meet first; 3 and 6 are left, at distance 3, and meet across them.",
    ),
    edit_case("the outer pair of a crossing is too far at n_t 3", 9, [3, 4], [5, 6], 3),
    edit_case("from left to right: a boundary between two goes to the left one", 9, [4], [3, 5], 2),
    edit_case("two boundaries about one: the left one is the near miss", 9, [3, 5], [4], 2),
    edit_case("a matched boundary is no end of a near miss", 9, [4], [3, 4], 2),
    edit_case(
        "matches lie between the ends of a near miss", 9, [3, 4], [4, 5], 3, "3 and 5 are 2 apart."
    ),
    edit_case(
        "a chain where greedy is not minimal at n_t 3",
        *(9, [1, 4], [3, 6], 3),
        "4 and 3 meet first, and 1 and 6 are left alone: 7/3. Pairing 1 with 3 and 4 with 6 would "
        "cost 4/3: see optimal_edits.json.",
    ),
    edit_case("before reversal", 10, [4, 7], [3, 5], 3, "4 takes 3, which leaves 5 to 7."),
    edit_case(
        "the same read backwards is something else",
        *(10, [3, 6], [5, 7], 3),
        "6 takes 5, which leaves 3 and 7 alone: the published order depends on the direction.",
    ),
    edit_case("a chain at n_t 2", 12, [2, 4, 6, 8], [3, 5, 7, 9], 2),
    edit_case("near misses at both ends of the text", 5, [1, 4], [2, 3], 2),
    edit_case("n_t beyond the text", 4, [1], [3], 9),
    edit_case(
        "no boundary in either",
        *(6, [], [], 2),
        "Agreement: B and S are 1, precision and recall have nothing to divide by. "
        "segeval 2.0.11: ValueError.",
    ),
    edit_case("no boundary in the hypothesis: precision is undefined", 9, [3, 6], [], 2),
    edit_case("no boundary in the reference: recall is undefined", 9, [], [3, 6], 2),
    edit_case("a boundary everywhere in both", 6, range(1, 6), range(1, 6), 2),
    edit_case("a boundary everywhere in the hypothesis", 8, [2, 5], range(1, 8), 3),
    edit_case(
        "one unit",
        *(1, [], [], 2),
        "No potential boundary: B and S are 1 for the row, and 0/0 in sums.",
    ),
    edit_case("two units, one boundary", 2, [1], [], 2),
)


def typed_edit_case(
    name: str,
    n_units: int,
    reference: list[list[int]],
    hypothesis: list[list[int]],
    types: list[int],
    n_t: int = 2,
    note: str = "",
    pairing: str = "greedy",
) -> Case:
    """Make a case of a pair with types."""
    sides: dict[str, Any] = {"reference": reference, "hypothesis": hypothesis}
    return case(name, note, n_units=n_units, types=types, **sides, n_t=n_t, pairing=pairing)


SEVERAL_TYPES = [[2, 1], [2, 2], [5, 1]]
TYPED_EDITS = (
    typed_edit_case("the hypothesis is the reference", 8, SEVERAL_TYPES, SEVERAL_TYPES, [1, 2]),
    typed_edit_case(
        "one type is the measure without types", 11, [[2, 1], [5, 1]], [[2, 1], [4, 1]], [1]
    ),
    typed_edit_case(
        "a potential boundary for every type",
        *(6, [[2, 1]], [[2, 1], [4, 2]], [1, 2]),
        note="segeval 2.0.11 divides S by (N - 1) t squared.",
    ),
    typed_edit_case(
        "the wrong type at the right place is a substitution",
        *(6, [[3, 1]], [[3, 2]], [1, 2]),
        note="Weight 1 / (max - min + 1); Fournier 2013, eq 6, prints 1 / (max - min), which would "
        "charge 1, as much as a full miss.",
    ),
    typed_edit_case(
        "the range of types is that declared, used or not",
        *(6, [[3, 1]], [[3, 2]], [1, 2, 5]),
        note="segeval 2.0.11 takes the range of the pair: 2 here, not 5.",
    ),
    typed_edit_case("farther types weigh more", 6, [[3, 1]], [[3, 4]], [1, 2, 3, 4]),
    typed_edit_case("types that do not begin at 1", 6, [[3, 7]], [[3, 9]], [7, 8, 9]),
    typed_edit_case(
        "several types at a place: each is a boundary", 6, [[3, 1], [3, 2]], [[3, 1]], [1, 2]
    ),
    typed_edit_case(
        "the place next door with another type is no near miss", 6, [[3, 1]], [[4, 2]], [1, 2]
    ),
    typed_edit_case(
        "substitutions differ as little as possible",
        *(6, [[3, 1], [3, 4]], [[3, 3]], [1, 2, 3, 4]),
        note="4 is taken for 3, and 1 is missed.",
    ),
    typed_edit_case(
        "of equal substitutions the smallest",
        *(6, [[3, 1], [3, 3]], [[3, 2]], [1, 2, 3]),
        note="1 is taken for 2, and 3 is missed.",
    ),
    typed_edit_case(
        "two substitutions at a place", 6, [[3, 1], [3, 2]], [[3, 3], [3, 4]], [1, 2, 3, 4]
    ),
    typed_edit_case(
        "two substitutions beat a near miss",
        *(6, [[3, 2], [4, 1]], [[3, 1], [4, 2]], [1, 2]),
        note="At 3 and at 4 one type is left on either side, so neither near miss is made.",
    ),
    typed_edit_case(
        "one substitution alone does not",
        *(6, [[3, 2]], [[3, 1], [4, 2]], [1, 2]),
        note="At 4 nothing is left in the reference: 2 moves from 3 to 4, and 1 is a false alarm.",
    ),
    typed_edit_case(
        "what a near miss has used makes no substitution",
        *(6, [[3, 1], [4, 2]], [[2, 1], [3, 2], [4, 3]], [1, 2, 3]),
        note="2-3 uses type 1 at 3, so type 2 may move from 4 to 3.",
    ),
    typed_edit_case(
        "types are tried one after the other at each place",
        *(7, [[3, 1], [3, 2]], [[4, 1], [4, 2]], [1, 2]),
    ),
    typed_edit_case("n_t 3 over two types", 9, [[2, 1], [6, 2]], [[4, 1], [5, 2]], [1, 2], 3),
    typed_edit_case("no boundary in either", 5, [], [], [1, 2]),
    typed_edit_case("one unit", 1, [], [], [1, 2]),
)

CROSSED = [[3, 3], [4, 1]], [[3, 1], [4, 3]]
OPTIMAL_EDITS = (
    edit_case("the hypothesis is the reference", 11, [2, 5], [2, 5], pairing="optimal"),
    edit_case("no boundary in either", 6, [], [], pairing="optimal"),
    edit_case("one unit", 1, [], [], pairing="optimal"),
    edit_case("n_t 1: nothing is a near miss", 11, [2, 5], [2, 4], 1, pairing="optimal"),
    edit_case(
        "at n_t 2 the published order is minimal",
        *(12, [2, 4, 6, 8], [3, 5, 7, 9], 2),
        pairing="optimal",
    ),
    edit_case(
        "the chain at n_t 3, minimal",
        *(9, [1, 4], [3, 6], 3),
        "4/3, where the published order pays 7/3.",
        "optimal",
    ),
    edit_case("before reversal", 10, [4, 7], [3, 5], 3, pairing="optimal"),
    edit_case("the same read backwards costs the same", 10, [3, 6], [5, 7], 3, pairing="optimal"),
    edit_case("uncrossed where that is cheaper", 9, [3, 4], [5, 6], 3, pairing="optimal"),
    edit_case(
        "of equal costs the leftmost pairs",
        *(9, [3, 4], [5, 6], 4),
        "3-5 with 4-6 costs as much as 3-6 with 4-5; the first pair ends further left.",
        "optimal",
    ),
    edit_case("a boundary between two goes to the left one", 9, [4], [3, 5], 2, pairing="optimal"),
    edit_case(
        "two full misses are cheaper than three far near misses",
        *(20, [1, 7, 13], [6, 12, 18], 6),
        "5/6 three times, or 1/6 twice and two boundaries alone.",
        "optimal",
    ),
    edit_case(
        "of equal costs the fewest near misses",
        *(20, [1, 5, 9, 14], [4, 8, 12, 17], 4),
        "3/4 four times, or 1/4, 1/4 and 2/4 and two boundaries alone.",
        "optimal",
    ),
    edit_case(
        "equal positions match first, whatever it costs",
        *(9, [4, 5, 6], [5, 6, 7], 3),
        "Two matches and two boundaries 3 apart, alone: 2. Three near misses would cost 1.",
        pairing="optimal",
    ),
    typed_edit_case(
        "one type is the optimum without types",
        *(9, [[1, 1], [4, 1]], [[3, 1], [6, 1]], [1], 3),
        pairing="optimal",
    ),
    typed_edit_case(
        "two near misses are cheaper than two far substitutions",
        *(6, *CROSSED, [1, 2, 3]),
        note="1/2 twice against 2/3 twice; the published order makes the substitutions.",
        pairing="optimal",
    ),
    typed_edit_case(
        "at equal cost substitutions, as they are no near misses",
        *(6, [[3, 2], [4, 1]], [[3, 1], [4, 2]], [1, 2]),
        pairing="optimal",
    ),
    typed_edit_case(
        "of several types at a place the nearest are taken for each other",
        *(6, [[3, 1], [3, 4]], [[3, 3]], [1, 2, 3, 4]),
        pairing="optimal",
    ),
    typed_edit_case(
        "a near miss and a false alarm, or a substitution and a near one alone",
        *(6, [[3, 2]], [[3, 1], [4, 2]], [1, 2]),
        note="Both cost 3/2; the substitution is no near miss, so it is taken.",
        pairing="optimal",
    ),
    typed_edit_case(
        "near misses at n_t 4 over two types",
        *(12, [[2, 1], [6, 2], [9, 1]], [[5, 1], [7, 2], [11, 1]], [1, 2], 4),
        pairing="optimal",
    ),
    typed_edit_case("no boundary in either, two types", 5, [], [], [1, 2], pairing="optimal"),
)


# --- Generalised Hamming distance ----------------------------------------------------------------


def expect_ghd(given: Given) -> Expected:
    """Expect the distance, with types ignored."""
    n_units, *sides = pair_of(given)
    if "types" in given:
        sides = [sorted({position for position, _ in side}) for side in sides]
    return {"counts": {"ghd": naive.ghd(n_units, sides[0], sides[1])}}


def distance_case(
    name: str, n_units: int, reference: Sequence[int], hypothesis: Sequence[int], note: str = ""
) -> Case:
    """Make a case of distance."""
    sides: dict[str, Any] = {"reference": list(reference), "hypothesis": list(hypothesis)}
    return case(name, note, n_units=n_units, **sides)


GHD = (
    distance_case("the hypothesis is the reference", 20, [5, 10], [5, 10]),
    distance_case("one unit", 1, [], []),
    distance_case("no boundary in either", 8, [], []),
    distance_case("a missing boundary is inserted", 20, [5, 10], [10]),
    distance_case("a spurious boundary is deleted", 20, [10], [5, 10]),
    distance_case("a shift costs its distance", 20, [5, 10], [6, 10]),
    distance_case("a shift over 3 is cheaper than to delete and insert", 20, [5], [8]),
    distance_case("a shift over 4 is as dear", 20, [5], [9]),
    distance_case("a shift over 10 is not made", 20, [5], [15]),
    distance_case("a shift and an insertion", 20, [5, 10], [9]),
    distance_case("boundaries shift in order", 20, [3, 6, 9], [4, 7, 10]),
    distance_case(
        "a match is given up where that is cheaper",
        *(20, [4, 5, 6], [5, 6, 7]),
        "Three shifts by 1 cost 3; two matches, a deletion and an insertion cost 4.",
    ),
    distance_case("none in the hypothesis, everywhere in the reference", 6, range(1, 6), []),
    distance_case("everywhere in the hypothesis, none in the reference", 6, [], range(1, 6)),
    case(
        "with types a position counts once",
        n_units=9,
        types=[1, 2],
        reference=[[3, 1], [3, 2], [5, 1]],
        hypothesis=[[3, 2], [6, 2]],
    ),
)


# --- Content measures ----------------------------------------------------------------------------


def parts_in_weights(
    pair: tuple[int, Any, Any], weights: Sequence[int], words: Sequence[int]
) -> dict[str, int]:
    """Content before and after the overlap, in unit weights, counted once for each word."""
    parts = dict.fromkeys(CONTENT_PARTS, 0)
    for w, (story, segment) in enumerate(naive.heard_segments(*pair)):
        heard = {
            "content_leading_miss": [u for u in story if u < segment.start],
            "content_trailing_miss": [u for u in story if u >= segment.stop],
            "content_leading_false_alarm": [u for u in segment if u < story.start],
            "content_trailing_false_alarm": [u for u in segment if u >= story.stop],
        }
        for part, units in heard.items():
            parts[part] += words[w] * sum(weights[u] for u in units)
    return parts


def stories_in_weights(
    pair: tuple[int, Any, Any], weights: Sequence[int], words: Sequence[int]
) -> list[tuple[Fraction, Fraction]]:
    """(miss, false alarm) of each story with words: mean shares of weight over its words."""

    def weigh(units: set[int]) -> int:
        return sum(weights[u] for u in units)

    n_units, reference, hypothesis = pair
    stories = []
    for story in naive.segments(n_units, reference):
        heard = sum(words[w] for w in story)
        if heard == 0:
            continue
        missed = spurious = Fraction(0)
        for w in story:
            segment = set(naive.segment_of(n_units, hypothesis, w))
            missed += words[w] * Fraction(weigh(set(story) - segment), weigh(set(story)) or 1)
            spurious += words[w] * Fraction(weigh(segment - set(story)), weigh(segment) or 1)
        stories.append((missed / heard, spurious / heard))
    return stories


def story_means(stories: Sequence[tuple[Fraction, Fraction]]) -> Row:
    """Means over stories."""
    sums = [sum(part, Fraction(0)) for part in zip(*stories, strict=True)]
    names = ("story_miss", "story_false_alarm")
    return {name: naive.ratio(s, len(stories)) for name, s in zip(names, sums, strict=True)}


def content_of(
    given: Given, pair: tuple[int, Any, Any]
) -> tuple[dict[str, int], list[tuple[Fraction, Fraction]]]:
    """Return the counts, and the fractions of each story."""
    n_units, reference, hypothesis = pair
    if "unit_weights" in given:
        weights = given["unit_weights"]
        words = given.get("unit_lengths", [1] * n_units)
        counts = naive.weighted_content_counts(n_units, reference, hypothesis, weights, words)
        parts = parts_in_weights(pair, weights, words)
        stories = stories_in_weights(pair, weights, words)
    else:
        counts, parts = naive.content_counts(*pair), naive.content_parts(*pair)
        stories = naive.story_fractions(*pair)
    return counts | parts | {"stories": len(stories)}, stories


def content_values(counts: Mapping[str, int], content_weights: Sequence[Fraction]) -> Row:
    """R_miss and R_fa, each part weighted."""
    by_part = dict(zip(PART_NAMES, content_weights, strict=True))
    weighted = naive.weighted_parts(counts, **by_part)
    return {
        "r_miss": naive.ratio(weighted["content_miss"], counts["content_size"]),
        "r_false_alarm": naive.ratio(weighted["content_false_alarm"], counts["content_size"]),
    }


def exact(numbers: Sequence[str | int]) -> list[Fraction]:
    """Write fractions as text."""
    return [Fraction(number) for number in numbers]


def expect_content(given: Given) -> Expected:
    """Expect content in units, in words, or in unit weights."""
    n_units, *sides = pair_of(given)
    if "unit_lengths" in given and "unit_weights" not in given:
        in_words = [naive.in_words(n_units, side, given["unit_lengths"]) for side in sides]
        n_units, sides = in_words[0][0], [boundaries for _, boundaries, _ in in_words]
    counts, stories = content_of(given, (n_units, *sides))
    values = content_values(counts, exact(given.get("content_weights", [1, 1, 1, 1])))
    return {"counts": counts, "values": values | story_means(stories)}


def content_case(
    name: str,
    n_units: int,
    reference: Sequence[int],
    hypothesis: Sequence[int],
    note: str = "",
    **options: Any,
) -> Case:
    """Make a case of content."""
    sides: dict[str, Any] = {"reference": list(reference), "hypothesis": list(hypothesis)}
    return case(name, note, n_units=n_units, **sides, **options)


FRANZ = "Franz, McCarley & Xu 2007, section 2"
CONTENT = (
    content_case("the hypothesis is the reference", 4, [2], [2]),
    content_case(
        "a boundary too early", 4, [2], [1], f"{FRANZ}, figure 1: both kinds of error at once."
    ),
    content_case("a boundary too late", 4, [2], [3]),
    content_case("the sides changed: misses are false alarms", 4, [1], [2]),
    content_case("stories of 4 and 6, shown as 2, 6 and 2", 10, [4], [2, 8]),
    content_case("a far boundary costs more than a near one", 10, [5], [9]),
    content_case("no boundary in the hypothesis: nothing is missed", 6, [2, 4], []),
    content_case("no boundary in the reference: nothing is heard in vain", 6, [], [2, 4]),
    content_case("no boundary in either", 6, [], []),
    content_case("a boundary everywhere in the hypothesis", 6, [3], range(1, 6)),
    content_case("a boundary everywhere in the reference", 6, range(1, 6), [3]),
    content_case("one unit", 1, [], []),
    content_case(
        "leading and trailing parts, read backwards they change places",
        *(10, [6], [2, 8]),
    ),
    content_case(
        "parts by weight",
        *(10, [4], [2, 8]),
        f"{FRANZ}, generalisation 3. Weights: leading miss, trailing miss, leading false alarm, "
        "trailing false alarm.",
        content_weights=["1/2", "2", "0", "5/4"],
    ),
    content_case(
        "only what comes too late counts", 10, [4], [2, 8], content_weights=["0", "1", "0", "1"]
    ),
    content_case(
        "per story every story counts the same",
        *(12, [2], [1]),
        f"{FRANZ}, generalisation 2: a story of 2 weighs as much as one of 10.",
    ),
    content_case("in words", 4, [2], [1], unit_lengths=[3, 5, 2, 4]),
    content_case(
        "in words, boundaries that fall together",
        *(5, [2], [3]),
        "No word lies between them: nothing is missed or heard in vain.",
        unit_lengths=[3, 5, 0, 2, 4],
    ),
    content_case(
        "in unit weights",
        *(4, [2], [1]),
        f"{FRANZ}, generalisation 1: idf-like weights; the listener is at a unit.",
        unit_weights=[1, 10, 100, 1000],
    ),
    content_case(
        "in unit weights, heard from words",
        *(4, [2], [1]),
        unit_weights=[1, 10, 100, 1000],
        unit_lengths=[5, 1, 0, 2],
    ),
    content_case(
        "unit weights that are the words are a run in words",
        *(4, [2], [1]),
        unit_weights=[3, 5, 2, 4],
        unit_lengths=[3, 5, 2, 4],
    ),
    content_case(
        "weight in a unit without words is content",
        *(3, [1], [2]),
        "In words both boundaries lie at 1, but the title between them is heard in vain by one "
        "listener and missed by the other.",
        unit_weights=[3, 5, 2],
        unit_lengths=[1, 0, 1],
    ),
    content_case(
        "a story without words is no story",
        *(4, [1, 2], [2]),
        unit_weights=[3, 5, 2, 1],
        unit_lengths=[1, 0, 1, 2],
    ),
    content_case(
        "a story that weighs nothing has nothing to miss", 4, [2], [1], unit_weights=[0, 0, 3, 1]
    ),
)


# --- Several references at once ------------------------------------------------------------------


def expect_panel(given: Given) -> Expected:
    """Expect counts and values of a hypothesis compared with all references."""
    counts = naive.panel_counts(
        given["n_units"], given["references"], given["hypothesis"], given["k"]
    )
    values = naive.panel_values(counts)
    del counts["window"]
    return {"counts": counts, "values": values}


def panel_case(
    name: str,
    n_units: int,
    references: Sequence[Sequence[int]],
    hypothesis: Sequence[int],
    k: int,
    note: str = "",
) -> Case:
    """Make a case of a panel."""
    given: dict[str, Any] = {"references": references, "hypothesis": list(hypothesis)}
    return case(name, note, n_units=n_units, **given, k=k)


PANEL = (
    panel_case("one reference is WindowDiff", 11, [[2, 5]], [2, 4], 2),
    panel_case(
        "the majority's opinion everywhere",
        *(6, [[3], [2, 4], [3]], [3], 2),
        "The best there is, so multWinDiff is 0 though winDiff' is not.",
    ),
    panel_case("nobody's opinion at some windows", 6, [[3], [2, 4], [3]], [], 2),
    panel_case("an opinion nobody holds everywhere is the worst", 6, [[], [], []], range(1, 6), 2),
    panel_case("missing what all marked", 30, [[10, 20], [10], [10]], [20], 4),
    panel_case(
        "missing what one marked",
        *(30, [[10, 20], [10], [10]], [10], 4),
        "Kazantseva & Szpakowicz 2012, section 5: the penalty follows the prominence.",
    ),
    panel_case("all agree with the hypothesis", 10, [[3, 6], [3, 6]], [3, 6], 2),
    panel_case(
        "every opinion has a supporter",
        *(4, [[1], [1], []], [1], 1),
        "The least popular opinion has a supporter too: worst is less than all opinions.",
    ),
    panel_case(
        "worst is best",
        *(2, [[1], []], [1], 1),
        "Half say 1 and half say 0 in the only window: multWinDiff is undefined, winDiff' is not.",
    ),
    panel_case("no window", 3, [[1], [2]], [], 3),
    panel_case("one unit", 1, [[], []], [], 2),
    panel_case("a hypothesis count no reference reaches", 8, [[3], [4], [5]], range(1, 8), 3),
    panel_case("references that are the same count as many", 8, [[3], [3], [6]], [6], 2),
    panel_case(
        "one reference without a boundary, a hypothesis with all",
        *(6, [[]], range(1, 6), 3),
        "The authors' program counts N - m + 1 windows over h (N - m) and gets 4/3.",
    ),
    panel_case("four coders, a window of 4", 12, [[3, 7], [3, 8], [6], [3, 7, 10]], [3, 6, 9], 4),
)


# --- Consensus -----------------------------------------------------------------------------------


def expect_consensus(given: Given) -> Expected:
    """Expect the positions that enough references mark."""
    return {"boundaries": naive.consensus(given["references"], Fraction(given["share"]))}


FIVE_CODERS = [[1, 4], [1, 5], [4], [1, 4], [7]]
CONSENSUS = (
    case("any: share 0 is the union", references=FIVE_CODERS, share="0"),
    case("at least 30 %", references=FIVE_CODERS, share="3/10"),
    case("at least 50 %", references=FIVE_CODERS, share="1/2"),
    case("a share that is just met", references=FIVE_CODERS, share="3/5"),
    case("a share that is just missed", references=FIVE_CODERS, share="61/100"),
    case("all", references=[[1, 4], [1], [1, 9]], share="1"),
    case(
        "3 of 10 is 30 %",
        "In floating point 0.1 * 3 is more than 3 / 10: compare exactly.",
        references=[[7], [7], [7], [8], [8], [8], [8], [8], [8], [8]],
        share="3/10",
    ),
    case("half of two", references=[[2], [5]], share="1/2"),
    case("a third of three", references=[[1, 4], [1, 5], [1]], share="1/3"),
    case("one coder agrees with themself", references=[[2, 9]], share="1"),
    case("nobody marks anything", references=[[], []], share="1/2"),
)


# --- Several rows --------------------------------------------------------------------------------


class ScoredRow(NamedTuple):
    """A reference and a hypothesis of a document.

    Attributes:
        document: which one.
        counts: of all families, without those of stories.
        stories: (miss, false alarm) of each reference segment.
    """

    document: int
    counts: dict[str, int]
    stories: list[tuple[Fraction, Fraction]]


def row_of(document: int, pair: tuple[int, Any, Any], k: int, n_t: int) -> ScoredRow:
    """Count one pair."""
    counted = families.counts(pair, families.Counting(k, n_t))
    counts = {n: count for n, count in counted.items() if not n.startswith("story_")}
    return ScoredRow(document, counts, naive.story_fractions(*pair))


def scored_rows(given: Given, windows: list[list[int]]) -> Iterator[ScoredRow]:
    """Pair every hypothesis with every reference of its document."""
    for d, document in enumerate(given["documents"]):
        if document["hypothesis"] is None:
            continue
        for reference, k in zip(document["references"], windows[d], strict=True):
            pair = document["n_units"], reference, document["hypothesis"]
            yield row_of(d, pair, k, given["n_t"])


def pooled_p_seg(given: Given, windows: list[list[int]]) -> Fraction | None:
    """P_seg over all references, whether they have a hypothesis or not."""
    return naive.p_seg(
        naive.window_counts(document["n_units"], reference, [], k)
        for document, of_document in zip(given["documents"], windows, strict=True)
        for reference, k in zip(document["references"], of_document, strict=True)
    )


def values_of(
    counts: Mapping[str, int],
    stories: Sequence[tuple[Fraction, Fraction]],
    p_seg: Fraction | None,
    n_t: int,
    *,
    per_row: bool,
) -> Row:
    """Return all values of a row's counts, or of sums."""
    plain = {name: count for name, count in counts.items() if name != "stories"}
    found = families.values(plain, n_t=n_t, p_seg=p_seg, per_row=per_row) | story_means(stories)
    del found["r_value"]  # not a fraction
    return found


def macro_average(rows: Sequence[tuple[int, Row]]) -> dict[str, tuple[Fraction | None, int]]:
    """Mean over documents of the mean over references, where defined; and the document count."""
    averages = {}
    for name in rows[0][1]:
        by_document: dict[int, list[Fraction]] = {}
        for document, values in rows:
            value = values[name]
            if value is not None:
                by_document.setdefault(document, []).append(value)
        means = [
            sum(of_document, Fraction(0)) / len(of_document) for of_document in by_document.values()
        ]
        averages[name] = naive.ratio(sum(means, Fraction(0)), len(means)), len(means)
    return averages


def sum_counts(rows: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Add counts up."""
    return {name: sum(row[name] for row in rows) for name in rows[0]}


def expect_pooled(given: Given) -> Expected:
    """Expect sums, and averages of both kinds."""
    windows, panel_windows = window_sizes(given["window"], given["rounding"], given["documents"])
    p_seg = pooled_p_seg(given, windows)
    rows = list(scored_rows(given, windows))
    counts = sum_counts([row.counts for row in rows])
    stories = [story for row in rows for story in row.stories]
    n_t = given["n_t"]
    macro = macro_average(
        [
            (row.document, values_of(row.counts, row.stories, p_seg, n_t, per_row=True))
            for row in rows
        ]
    )
    return {
        "k": windows,
        "p_seg": p_seg,
        "counts": counts,
        "micro": values_of(counts, stories, p_seg, n_t, per_row=False),
        "macro": {name: value for name, (value, _) in macro.items()},
        "defined": {name: documents for name, (_, documents) in macro.items()},
        "panel": pooled_panel(given, panel_windows),
    }


def pooled_panel(given: Given, windows: list[int]) -> Expected:
    """Return the panel's sums and averages."""
    rows = [
        naive.panel_counts(d["n_units"], d["references"], d["hypothesis"], m)
        for d, m in zip(given["documents"], windows, strict=True)
        if d["hypothesis"] is not None
    ]
    counts = sum_counts(rows)
    del counts["window"]
    macro = macro_average([(d, naive.panel_values(row)) for d, row in enumerate(rows)])
    return {
        "m": windows,
        "counts": counts,
        "micro": naive.panel_values(counts),
        "macro": {name: value for name, (value, _) in macro.items()},
        "defined": {name: documents for name, (_, documents) in macro.items()},
    }


def pooled_case(
    name: str,
    *documents: Judged,
    window: str | int = "per-pair",
    n_t: int = 2,
    note: str = "",
) -> Case:
    """Make a case of several documents and one system."""
    listed = [
        {"n_units": n_units, "references": references, "hypothesis": hypothesis}
        for n_units, references, hypothesis in documents
    ]
    return case(name, note, window=window, rounding="half-even", n_t=n_t, documents=listed)


LONG_AND_SHORT: tuple[Judged, ...] = (
    (24, [[6, 12, 18]], [6, 13]),
    (6, [[3]], [4]),
)
UNEVEN: tuple[Judged, ...] = (
    (12, [[4, 8], [4]], [5, 8]),
    (9, [[3], [], [3, 6]], [3]),
    (7, [[2]], []),
)
POOLED = (
    pooled_case("one row: the micro average is its value", (11, [[2, 5]], [2, 4])),
    pooled_case(
        "a long document weighs more in the micro average, the same in the macro", *LONG_AND_SHORT
    ),
    pooled_case("the same at n_t 3 and a fixed window", *LONG_AND_SHORT, window=2, n_t=3),
    pooled_case(
        "several references: their mean is a document's value",
        *UNEVEN,
        note="A value of a row that is undefined is left out, not 0; `defined` says how many "
        "documents have one.",
    ),
    pooled_case("the same by one window for each document", *UNEVEN, window="per-document"),
    pooled_case("the same by one window for the run", *UNEVEN, window="per-run"),
    pooled_case(
        "a reference that no hypothesis met counts for P_seg and for the run's window",
        *(*LONG_AND_SHORT, (40, [[10, 20, 30], [5]], None)),
        window="per-run",
    ),
    pooled_case(
        "agreement on nothing is 1 in the macro average and adds 0 to 0 in the micro",
        *((8, [[]], []), (10, [[5]], [8]), (1, [[]], [])),
        note="Fournier 2013, eq 4 is 0/0 without a boundary: the row is agreement by definition.",
    ),
    pooled_case(
        "a reference without a boundary: its false alarms stay in the pooled values",
        *((10, [[]], [5]), (10, [[5]], [])),
    ),
)


# --- Formulas with parameters --------------------------------------------------------------------


def expect_formulas(given: Given) -> Expected:
    """Expect values from counts and parameters."""
    parameters = {"n_t": 2, "types": [1], "beta": "1", **given.get("parameters", {})}
    counts, per_row = given["counts"], given["row"]
    values: Row = {}
    if "windows" in counts:
        values |= window_formulas(counts, parameters)
    if "matches" in counts:
        values |= edit_formulas(counts, parameters, per_row=per_row)
        values |= f_measures(values, counts, Fraction(parameters["beta"]))
    if "content_size" in counts:
        weights = parameters.get("content_weights", [1, 1, 1, 1])
        values |= content_values(counts, exact(weights))
    return {"values": values}


def window_formulas(counts: Mapping[str, int], parameters: Mapping[str, Any]) -> Row:
    """Window values with a prior and costs."""
    p_seg = parameters.get("p_seg")
    miss, false_alarm = exact(parameters.get("c_seg_costs", ["1", "3/10"]))
    return naive.window_values(
        counts,
        None if p_seg is None else Fraction(p_seg),
        Fraction(parameters.get("cost_miss", "1/2")),
        (miss, false_alarm),
    )


def edit_formulas(
    counts: Mapping[str, int], parameters: Mapping[str, Any], *, per_row: bool
) -> Row:
    """Edit values with the constants of near misses and substitutions."""
    return naive.edit_values(
        counts,
        n_t=parameters["n_t"],
        types=parameters["types"],
        per_row=per_row,
        w_t=Fraction(parameters.get("constant_near_miss", 0)),
        w_s=Fraction(parameters.get("constant_substitution", 0)),
    )


def f_measures(values: Row, counts: Mapping[str, int], beta: Fraction) -> Row:
    """b_f1 and f1 with recall by its weight."""
    tp, fp, fn = (values[name] or Fraction(0) for name in ("b_tp", "b_fp", "b_fn"))
    near = counts["near_misses"] + counts["substitutions"]
    exact_fp, exact_fn = (Fraction(counts[n] + near) for n in ("false_alarms", "misses"))
    exact_tp = Fraction(counts["matches"])
    return {
        "b_f1": naive.f_beta(tp, fp, fn, beta),
        "f1": naive.f_beta(exact_tp, exact_fp, exact_fn, beta),
    }


def of_windows(reference: Sequence[int], hypothesis: Sequence[int]) -> dict[str, int]:
    """Window counts as arguments of formulas."""
    return naive.window_counts(12, reference, hypothesis, 3)


def of_edits(**counts: int) -> dict[str, int]:
    """Edit counts as arguments of formulas; 0 unless given."""
    return dict.fromkeys(naive.EDIT_COUNTS, 0) | counts


def table_2(n: int, tp: str, fp: int, fn: int) -> dict[str, int]:
    """Counts of Fournier's printed confusion: TP is matches + near misses / 2."""
    near = int(2 * (n - fp - fn - Fraction(tp)))
    pairs = {"matches": n - fp - fn - near, "near_misses": near, "near_miss_span": near}
    return of_edits(**pairs, misses=fn, false_alarms=fp, potential_boundaries=5253)


SOME = of_windows([4, 5, 9], [4, 7])
RATES = ("pk_miss_rate", "pk_false_alarm_rate", "pk_prime_miss_rate", "pk_prime_false_alarm_rate")
PRIORS = (*RATES, "pk_prior", "pk_prime", "c_seg", "c_seg_normalised")
F_SHOWN = ("b_tp", "b_precision", "b_recall", "b_f1", "precision", "recall", "f1")
CREDIT = of_edits(
    matches=3, near_misses=2, near_miss_span=3, misses=4, false_alarms=1, potential_boundaries=40
)
CONFUSED = CREDIT | {"substitutions": 2, "substitution_span": 3}
PARTS_OF_CONTENT = dict(zip((*CONTENT_PARTS, "content_size"), (12, 7, 5, 20, 10), strict=True))


def formula_case(
    name: str,
    counts: Mapping[str, int],
    show: tuple[str, ...] = (),
    note: str = "",
    row: bool = True,
    **parameters: Any,
) -> Case:
    """Make a case of formulas."""
    return case(name, note, show, row=row, counts=counts, parameters=parameters)


def printed_by_fournier(segmenter: str, n: int, tp: str, fp: int, fn: int, remark: str) -> Case:
    """Make a case of a row of Fournier's Table 2."""
    note = f"Fournier 2013, Table 2, n = {n}; printed: {remark}."
    values = ("boundary_similarity", "b_tp", "b_fp", "b_fn", "b_tn", *F_SHOWN[1:4])
    return formula_case(f"Table 2, {segmenter}", table_2(n, tp, fp, fn), values, note, row=False)


FORMULAS = (
    formula_case("no P_seg: what needs it is undefined", SOME, PRIORS),
    formula_case(
        "P_seg of the collection",
        *(SOME, PRIORS, "Georgescul, Clark & Armstrong 2006, 4.1."),
        p_seg="2/5",
    ),
    formula_case(
        "P_seg of the same document gives Pk and WindowDiff",
        *(SOME, ("pk", "pk_prior", "window_diff", "pk_prime"), "So it is not the default."),
        p_seg="7/9",
    ),
    formula_case(
        "P_seg 0: a false alarm rate alone, and nothing to normalise by", SOME, PRIORS, p_seg="0"
    ),
    formula_case("P_seg 1: a miss rate alone", SOME, PRIORS, p_seg="1"),
    formula_case(
        "an undefined part makes it undefined, even at weight 0",
        of_windows([], [3, 8]),
        (*PRIORS, "pr_miss", "pr_false_alarm", "pr_error"),
        p_seg="0",
        cost_miss="0",
    ),
    formula_case(
        "C_seg at the costs 1 and 3/10 of TDT",
        *(SOME, PRIORS[-2:], "The blind system that says everything is the cheaper one here."),
        p_seg="2/5",
    ),
    formula_case("C_seg at other costs", SOME, PRIORS[-2:], p_seg="2/5", c_seg_costs=["1/10", "1"]),
    formula_case(
        "C_seg of the better blind system, normalised, is 1",
        *(of_windows([6], []), PRIORS[-2:]),
        p_seg="1/10",
    ),
    formula_case("Pr_error at the default costs", SOME, ("pr_miss", "pr_false_alarm", "pr_error")),
    formula_case(
        "Pr_error with dear misses",
        SOME,
        ("pr_miss", "pr_false_alarm", "pr_error"),
        cost_miss="3/4",
    ),
    formula_case("Pr_error without a cost of misses", SOME, ("pr_error",), cost_miss="0"),
    formula_case("beta 1", CREDIT, F_SHOWN, n_t=3),
    formula_case("beta 2 leans to recall", CREDIT, F_SHOWN, "Fournier 2013, 3.3.", n_t=3, beta="2"),
    formula_case("beta 1/2 leans to precision", CREDIT, F_SHOWN, n_t=3, beta="1/2"),
    formula_case("substitutions credited in part", CONFUSED, n_t=3, types=[1, 2, 3, 4]),
    formula_case("the same counts over fewer types", CONFUSED, n_t=3, types=[2, 3, 4]),
    formula_case(
        "a constant for every near miss and every substitution",
        *(CONFUSED, (), "Fournier 2013, eq 5 and 6, w_t and w_s; 0 by default."),
        n_t=3,
        types=[1, 2, 3, 4],
        constant_near_miss="1/10",
        constant_substitution="1/5",
    ),
    formula_case(
        "F is undefined only if all three are 0", of_edits(potential_boundaries=9), F_SHOWN
    ),
    formula_case(
        "F without a true positive is 0", of_edits(misses=1, potential_boundaries=9), F_SHOWN
    ),
    formula_case(
        "no decision: a row is agreement",
        of_edits(),
        ("boundary_similarity", "segmentation_similarity"),
    ),
    formula_case(
        "no decision: a sum is undefined",
        of_edits(),
        ("boundary_similarity", "segmentation_similarity"),
        row=False,
    ),
    printed_by_fournier(
        "Random", 1057, "279", 420, 318, "B .2640, P .3991, R .4673, F1 .4306, TN 4236"
    ),
    printed_by_fournier(
        "Human", 841, "889/2", 204, 153, "B .5285, P .6854, R .7439, F1 .7135, TN 4451.5"
    ),
    printed_by_fournier(
        "BayesSeg", 964, "361", 327, 219, "B .3745, P .5247, R .6224, F1 .5694, TN 4346"
    ),
    printed_by_fournier(
        "APS", 738, "212", 101, 411, "B .2873, P .6773, R .3403, F1 .4530, TN 4529"
    ),
    printed_by_fournier(
        "MinCut", 871, "215", 234, 400, "B .2468, P .4788, R .3496, F1 .4041, TN 4404"
    ),
    formula_case("content by equal weights", PARTS_OF_CONTENT),
    formula_case("content by weight", PARTS_OF_CONTENT, content_weights=["1/2", "2", "0", "5/4"]),
)


# --- Files ---------------------------------------------------------------------------------------

FAMILIES = (
    Family("units", "Words mapping and collapsing of boundaries.", expect_units, UNITS),
    Family("window_size", "Half the mean segment.", expect_window_size, WINDOW_SIZE),
    Family("windows", "Window measures of a pair.", expect_windows, WINDOWS),
    Family("edits", "Edit measures of a pair, published pairing.", expect_edits, EDITS),
    Family("typed_edits", "The same with boundary types.", expect_typed_edits, TYPED_EDITS),
    Family("optimal_edits", "Edit measures at least cost.", expect_optimal_edits, OPTIMAL_EDITS),
    Family("ghd", "Generalised Hamming distance.", expect_ghd, GHD),
    Family("content", "Content measures of a pair.", expect_content, CONTENT),
    *fields.FAMILIES,
    Family("panel", "A hypothesis before all references at once.", expect_panel, PANEL),
    Family("consensus", "Boundaries that enough references mark.", expect_consensus, CONSENSUS),
    Family("pooled", "One system over several documents.", expect_pooled, POOLED),
    Family("formulas", "Values from counts and parameters.", expect_formulas, FORMULAS),
    *worth.FAMILIES,
)


def json_value(value: Any) -> Any:
    """Write fractions as text, and all else as in JSON."""
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Mapping):
        return {name: json_value(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(element) for element in value]
    return value


def stored_form(family: Family, one: Case) -> dict[str, Any]:
    """Return a case in the form of its file."""
    expected = family.expect(one.given)
    if one.show:
        expected["values"] = {name: expected["values"][name] for name in one.show}
    note = {"note": one.note} if one.note else {}
    return {
        "name": one.name,
        **note,
        "input": json_value(one.given),
        "expected": json_value(expected),
    }


def one_line(value: Any) -> str:
    """Write JSON on one line."""
    return json.dumps(value, ensure_ascii=False)


def members(value: Any) -> list[tuple[str, Any]]:
    """(text before it, value) of each member of a list or an object."""
    if isinstance(value, dict):
        return [(f"{one_line(name)}: ", member) for name, member in value.items()]
    return [("", element) for element in value]


def render(value: Any, indent: int, room: int) -> str:
    """Write JSON on one line if it fits, else filled lines if members fit, else one a line."""
    if not isinstance(value, dict | list) or len(one_line(value)) <= room:
        return one_line(value)
    inner = indent + 1
    parts = [
        before + render(member, inner, WIDTH - inner - len(before) - 1)
        for before, member in members(value)
    ]
    lines = [parts[0]]
    together = all(len(part) <= 60 and "\n" not in part for part in parts)
    for part in parts[1:]:
        if together and inner + len(lines[-1]) + len(part) + 3 <= WIDTH:
            lines[-1] += f", {part}"
        else:
            lines.append(part)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    body = ",\n".join(" " * inner + line for line in lines)
    return f"{opening}\n{body}\n{' ' * indent}{closing}"


def text(family: Family) -> str:
    """Return the text of a file, the same bytes every time."""
    cases = [stored_form(family, one) for one in family.cases]
    listed = []
    for one in cases:
        lines = [
            f"  {one_line(name)}: {render(value, 2, WIDTH - 6 - len(name))}"
            for name, value in one.items()
        ]
        listed.append(" {\n" + ",\n".join(lines) + "\n }")
    about = f'{{"family": {one_line(family.name)}, "about": {one_line(family.about)}, "cases": [\n'
    return about + ",\n".join(listed) + "\n]}\n"


def main() -> None:
    """Write every file."""
    FOLDER.mkdir(exist_ok=True)
    for family in FAMILIES:
        (FOLDER / f"{family.name}.json").write_text(text(family), encoding="utf-8")


if __name__ == "__main__":
    main()

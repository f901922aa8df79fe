"""Cases of neighbouring fields' measures: tolerance, WinPR, overlap and the dialogue Score."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

from tests.conformance.cases import Case, Expected, Family, Given
from tests.oracles import naive, naive_fields
from tests.oracles.naive import Value

Pair = tuple[int, list[int], list[int]]

_DIGITS = 20


def pair_of(given: Given) -> Pair:
    """The pair of a case."""
    return given["n_units"], given["reference"], given["hypothesis"]


def in_digits(value: Value) -> str | None:
    """A value that is not rational, as a decimal number."""
    return None if value is None else str(Decimal(round(value * 10**_DIGITS)).scaleb(-_DIGITS))


def beta_of(given: Given) -> Fraction:
    """The weight of recall."""
    return Fraction(given.get("beta", 1))


def expect_tolerance(given: Given) -> Expected:
    """Counts and values of one pair."""
    edges = given["edges"]
    counts = naive_fields.tolerance_counts(*pair_of(given), given["tolerance"], edges)
    values = naive_fields.tolerance_values(counts, edges, beta_of(given))
    return {"counts": counts, "values": {**values, "r_value": in_digits(values["r_value"])}}


def expect_panel_tolerance(given: Given) -> Expected:
    """Counts and values of a hypothesis and the references of its document."""
    tolerance, n_units = given["tolerance"], given["n_units"]
    if isinstance(tolerance, str):
        tolerance = int(n_units * Fraction(tolerance.removesuffix("%")) / 100)
    counts = naive_fields.panel_tolerance_counts(
        n_units, given["references"], given["hypothesis"], tolerance, given["edges"]
    )
    values = naive_fields.panel_tolerance_values(counts, beta_of(given))
    return {"counts": counts, "values": values}


def expect_winpr(given: Given) -> Expected:
    """Counts and values of one pair."""
    counts = naive_fields.winpr_counts(*pair_of(given), given["k"])
    return {"counts": counts, "values": naive_fields.winpr_values(counts, beta_of(given))}


def expect_overlap(given: Given) -> Expected:
    """Counts and values of one pair."""
    pair = pair_of(given)
    tiou = given["tiou"]
    reached = tiou.startswith(">=")
    limit = Fraction(tiou.removeprefix(">="))
    counts = naive_fields.overlap_counts(*pair, limit, reached=reached)
    segments = {
        "rows": 1,
        "reference_boundaries": len(pair[1]),
        "hypothesis_boundaries": len(pair[2]),
        "content_size": pair[0],
    }
    values = naive_fields.overlap_values(counts | segments, beta=beta_of(given), per_row=True)
    return {"counts": counts, "values": values}


def expect_selected(given: Given) -> Expected:
    """Counts and values of the selected segments of one pair."""
    select, join = given["select"], Fraction(given["join"])
    references, hypotheses = (
        naive_fields.labelled_items(
            given["n_units"], given[role], given[f"{role}_labels"], select, join
        )
        for role in ("reference", "hypothesis")
    )
    tiou = given["tiou"]
    counts = naive_fields.selected_counts(
        references,
        hypotheses,
        Fraction(tiou.removeprefix(">=")),
        given.get("tolerance", 0),
        reached=tiou.startswith(">="),
    )
    return {"counts": counts, "values": naive_fields.selected_values(counts, beta_of(given))}


def expect_dialogue(given: Given) -> Expected:
    """The Score of one pair."""
    pair = pair_of(given)
    counts = naive.window_counts(*pair, given["k"]) | naive.edit_counts(*pair, given["n_t"])
    return {"values": {"dialseg_score": naive_fields.dialseg_score(counts)}}


def near(
    name: str, pair: Pair, tolerance: int, note: str = "", *, edges: int = 0, **options: Any
) -> Case:
    """Name a pair, a tolerance and the edges that are added."""
    return pair_case(name, pair, note, tolerance=tolerance, edges=edges, **options)


def pair_case(name: str, pair: Pair, note: str = "", **options: Any) -> Case:
    """Name a pair and its options."""
    n_units, reference, hypothesis = pair
    sides = {"n_units": n_units, "reference": reference, "hypothesis": hypothesis}
    return Case(name, sides | options, note, ())


_START: Pair = 30, [2], [15]
_KUBLA: Pair = 11, [2, 5], [2, 4]
_APART: Pair = 12, [4, 8], []

TOLERANCE = (
    near("the hypothesis is the reference", (11, [2, 5], [2, 5]), 0),
    near("no tolerance", _KUBLA, 0),
    near(
        "the largest number of pairs",
        (12, [5, 7], [7, 9]),
        2,
        "A program that pairs 7 with 7 first finds one pair.",
    ),
    near(
        "the closest pair first is not the most pairs",
        (60, [1, 30], [21, 59]),
        30,
        "pyannote.metrics and chunkseg pair 30 with 21 and find 1/2.",
    ),
    near("one boundary is paired once", (60, [30], list(range(26, 36))), 5),
    near("more weight to recall", (60, [30], list(range(26, 36))), 5, beta="2"),
    near("no edge", _START, 3),
    near("the start is a boundary", _START, 3, edges=1),
    near("both ends are boundaries", _START, 3, edges=2),
    near("a boundary in reach of the end", (30, [2, 28], [15]), 2, edges=2),
    near("a tolerance as long as the document", (9, [1, 2, 8], [4]), 9),
    near("no reference boundary", (9, [], [3, 4]), 1),
    near("no hypothesis boundary", (9, [3, 4], []), 1),
    near("no boundary", (9, [], []), 1),
    near("no boundary but the edges", (9, [], []), 1, edges=2),
    near("nothing is near", (20, [10], [3]), 2, "vqwordseg: an R-value of minus infinity."),
)

WINPR = (
    pair_case("next to each other", (12, [6], [5]), k=3),
    pair_case("a miss", (12, [6], []), k=3),
    pair_case("a match and a near miss", _KUBLA, "Ighina's WinPR: precision 5/6.", k=2),
    pair_case("more weight to precision", (12, [3, 6], [5]), k=3, beta="1/2"),
    pair_case("a window as long as the document", (5, [2], [3, 4]), k=5),
    pair_case("no boundary", (5, [], []), k=2),
)

OVERLAP = (
    pair_case("the hypothesis is the reference", (11, [2, 5], [2, 5]), tiou="1/2"),
    pair_case("a near miss", _KUBLA, tiou="1/2"),
    pair_case("more weight to recall", _KUBLA, tiou="1/2", beta="2"),
    pair_case("no hypothesis boundary", _APART, tiou="1/2"),
    pair_case("a threshold below one half", _APART, tiou="3/10"),
    pair_case("an IoU equal to the threshold is not above it", _APART, tiou="1/3"),
    pair_case("an IoU equal to a threshold that is to be reached", _APART, tiou=">=1/3"),
    pair_case("only equal segments reach 1", _KUBLA, tiou=">=1"),
    pair_case("any overlap counts at threshold 0", _KUBLA, tiou="0"),
    pair_case("of equal partners the leftmost", (6, [1, 3], [2, 4]), tiou="1/2"),
    pair_case(
        "the same read backwards", (6, [3, 5], [2, 4]), "The alignment is another one.", tiou="1/2"
    ),
    pair_case("no boundary on either side", (6, [], []), tiou="1/2"),
    pair_case("every boundary on both sides", (3, [1, 2], [1, 2]), tiou="1/2"),
    pair_case("one unit", (1, [], []), tiou="1/2"),
    pair_case("less agreement than by chance", (4, [2], [1, 3]), tiou="1/2"),
)

DIALOGUE = (
    pair_case("a near miss is an error", _KUBLA, "SuperDialseg: 13/20.", k=2, n_t=2),
    pair_case("the hypothesis is the reference", (11, [2, 5], [2, 5]), k=2, n_t=2),
    pair_case("no boundary on either side is F1 of 0", (11, [], []), k=2, n_t=2),
    pair_case("no window fits", (2, [1], [1]), k=2, n_t=2),
)


def panel_case(
    name: str, panel: tuple[int, list[list[int]], list[int]], note: str = "", **given: Any
) -> Case:
    """Make a case of several references."""
    n_units, references, hypothesis = panel
    sides = {"references": references, "hypothesis": hypothesis}
    return Case(name, {"n_units": n_units, **sides, **given}, note, ())


_TWO = (100, [[20, 50], [22, 80]], [21, 52, 90])

PANEL_TOLERANCE = (
    panel_case("a boundary of one reference is right", _TWO, tolerance=2, edges=0),
    panel_case("the start counts as found", _TWO, tolerance=2, edges=1),
    panel_case("both ends", _TWO, tolerance=2, edges=2),
    panel_case("a share of the units of the document", _TWO, tolerance="2%", edges=1),
    panel_case("more weight to recall", _TWO, tolerance=2, edges=1, beta="2"),
    panel_case("a reference without boundaries", (9, [[4], []], [4]), tolerance=0, edges=0),
    panel_case("no hypothesis boundary", (9, [[4], [5]], []), tolerance=1, edges=0),
    panel_case("no reference boundary", (9, [[], []], [5]), tolerance=1, edges=0),
    panel_case("no boundary", (9, [[], []], []), tolerance=1, edges=0),
    panel_case("two boundaries of the union near one", (9, [[4], [5]], [4]), tolerance=1, edges=0),
)


def selected_case(
    name: str,
    pair: Pair,
    labels: tuple[str, str],
    note: str = "",
    *,
    join: str = "0",
    **given: Any,
) -> Case:
    """Make a case of labelled segments; the labels of each side are letters, - for none."""
    n_units, reference, hypothesis = pair
    names = [[None if letter == "-" else letter for letter in each] for each in labels]
    sides = {
        "reference": reference,
        "reference_labels": names[0],
        "hypothesis": hypothesis,
        "hypothesis_labels": names[1],
    }
    return Case(name, {"n_units": n_units, **sides, "join": join, "tiou": "1/2", **given}, note, ())


_BREAKS: Pair = 100, [10, 20, 40, 50], [11, 21, 30, 35, 44, 52]
_NAMES = "cacac", "ca-acax"

SELECTED = (
    selected_case("one of two is found", _BREAKS, _NAMES, select=["a"]),
    selected_case("an IoU that is reached", _BREAKS, _NAMES, select=["a"], tiou=">=1/2"),
    selected_case("two labels", _BREAKS, _NAMES, select=["a", "x"]),
    selected_case("near ones are joined", _BREAKS, _NAMES, select=["a"], join="10"),
    selected_case("as far apart as that", _BREAKS, _NAMES, select=["a"], join="9"),
    selected_case("ends within a tolerance", _BREAKS, _NAMES, select=["a"], tolerance=2),
    selected_case("more weight to recall", _BREAKS, _NAMES, select=["a"], beta="2"),
    selected_case("neighbours stay two", (9, [3, 6], [6]), ("aac", "ac"), select=["a"]),
    selected_case(
        "of equal overlaps the earlier hypothesis",
        (12, [4, 8], [6]),
        ("cac", "aa"),
        select=["a"],
        tiou="0",
    ),
    selected_case("nothing is selected", (9, [3], [6]), ("cc", "cc"), select=["a"]),
    selected_case("only the reference has one", (9, [3], [6]), ("ac", "cc"), select=["a"]),
)

FAMILIES = (
    Family("selected", "Segments with some labels.", expect_selected, SELECTED),
    Family(
        "panel_tolerance",
        "Boundaries within a tolerance of those of several references.",
        expect_panel_tolerance,
        PANEL_TOLERANCE,
    ),
    Family("tolerance", "Boundaries within a tolerance.", expect_tolerance, TOLERANCE),
    Family("winpr", "Boundaries in windows.", expect_winpr, WINPR),
    Family("overlap", "Overlaps of segments.", expect_overlap, OVERLAP),
    Family("dialogue", "The Score of dialogue segmentation.", expect_dialogue, DIALOGUE),
)

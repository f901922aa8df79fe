"""docs/measures.md is right: its numbers are computed, and every measure is in it once.

A block of the page fenced as `case` is an input (JSON) and a table with a line for each measure and
a column for each program.  The tests compute the table again by the compiled passes, the slow
twin, segeval, NLTK, or the formulas that a paper prints.  Columns are separated by two or more
spaces.
"""

import importlib
import json
import re
import warnings
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from segscore.pipeline.measures import (
    ALL,
    PAIR_FAMILIES,
    PAIRS,
    dialogue,
    panel_tolerance,
    windows,
)
from tests.conformance.fields import expect_panel_tolerance
from tests.conformance.make import (
    expect_content,
    expect_formulas,
    expect_ghd,
    expect_panel,
    expect_typed_edits,
    expect_windows,
)
from tests.conformance.ours import (
    near_of,
    ours_of_content,
    ours_of_panel,
    ours_of_panel_tolerance,
    ours_of_typed_edits,
    pair_of,
    run_parameters,
    values_of,
)
from tests.docs.other_programs import (
    by_mir_eval,
    by_mir_eval_as_is,
    by_pyannote,
    by_superdialseg,
    by_tcpdbench,
    by_vidchapters,
    by_vqwordseg,
)
from tests.oracles import families, naive
from tests.support import passes
from tests.support.notations import mask, masses, type_sets

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    segeval: Any = importlib.import_module("segeval")
nltk: Any = importlib.import_module("nltk.metrics.segmentation")

PAGE = (Path(__file__).parents[2] / "docs" / "measures.md").read_text("utf-8")
ALL_TYPES = (1,)

Given = Mapping[str, Any]
Value = Fraction | float | int | None
Program = Callable[[Given, str], Value]


class Cell(NamedTuple):
    """A program's value of a measure, as printed on the page."""

    heading: str
    given: dict[str, Any]
    measure: str
    program: str
    says: str


def blocks() -> list[tuple[str, str]]:
    """(heading above it, text) of every fenced case."""
    result = []
    heading = ""
    for part in re.split(r"^(#+ .*|```case\n(?:.*\n)*?```)$", PAGE, flags=re.MULTILINE):
        if part.startswith("#"):
            heading = part.lstrip("# ")
        elif part.startswith("```case"):
            result.append((heading, part.removeprefix("```case\n").removesuffix("```")))
    return result


def cells() -> list[Cell]:
    """Every cell of every table."""
    result = []
    for heading, block in blocks():
        given, table = block.split("\n\n", 1)
        first, *lines = table.strip("\n").splitlines()
        programs = re.split(r"\s{2,}", first.strip())
        for line in lines:
            measure, *columns = re.split(r"\s{2,}", line.strip())
            assert len(columns) == len(programs), line
            both = zip(programs, columns, strict=True)
            result += [
                Cell(heading, json.loads(given), measure, *column_values) for column_values in both
            ]
    return result


# --- Results of programs -------------------------------------------------------------------------


def typed(given: Given) -> bool:
    """Return whether boundaries have types."""
    return "types" in given


def family_of(given: Given, measure: str) -> str:
    """Return the family of a measure."""
    if "references" in given:
        return "panel_tolerance" if measure in OF_PANEL_TOLERANCE else "panel"
    if measure in OF_FIELDS:
        return "fields"
    if measure in ("ghd", "window_size"):
        return measure
    if measure in naive.WINDOW_COUNTS or measure in WINDOW_VALUES:
        return "windows"
    return "content" if measure in CONTENT_NAMES else "edits"


OF_PANEL_TOLERANCE = {
    *panel_tolerance.COUNTS,
    *(measure.name for measure in panel_tolerance.MEASURES),
}
OLDER = ("window", "edit", "content")
OF_FIELDS = {measure.name for measure in dialogue.MEASURES} | {
    name
    for family, module in PAIR_FAMILIES.items()
    if family not in OLDER
    for name in (*module.COUNTS, *(measure.name for measure in module.MEASURES))
}
WINDOW_VALUES = {measure.name for measure in windows.MEASURES}
CONTENT_NAMES = {
    name for name in (*PAIRS.counts, *PAIRS.measures) if re.match(r"content|stor|r_(miss|f)", name)
}


def twin(given: Given, measure: str) -> Value:
    """Compute a value by the slow twin."""
    family = family_of(given, measure)
    if family == "window_size":
        rounding = given.get("rounding", "half-even")
        return naive.window_size(given["n_units"], len(given["reference"]) + 1, rounding)
    if family == "fields":
        result = fields_of_twin(given)
    elif family == "windows":
        result = windows_of_twin(given)
    elif family == "edits":
        result = edits_of_twin(given)
    else:
        expect = {"content": expect_content, "ghd": expect_ghd, "panel": expect_panel}
        expect["panel_tolerance"] = expect_panel_tolerance
        result = expect[family](given)
    both = {**result.get("counts", {}), **result.get("values", {})}
    return both[measure]


def windows_of_twin(given: Given) -> dict[str, Any]:
    result = expect_windows(given)
    counts = result["counts"]
    return result | expect_formulas({"counts": counts, "parameters": given, "row": True})


def fields_of_twin(given: Given) -> dict[str, Any]:
    pair, near, k = pair_of(given), near_of(given), given.get("k", 2)
    counts = families.counts(pair, families.Counting(k, **near._asdict()))
    values = families.values(counts, edges=near.edges, per_row=True)
    return {"counts": counts, "values": values}


def edits_of_twin(given: Given) -> dict[str, Any]:
    one = {"n_t": 2, "pairing": "greedy", **given}
    if not typed(given):
        sides = {role: [[p, 1] for p in given[role]] for role in ("reference", "hypothesis")}
        one |= {**sides, "types": ALL_TYPES}
    result = expect_typed_edits(one)
    parameters = {"n_t": one["n_t"], "types": one["types"], "beta": given.get("beta", "1")}
    valued = expect_formulas({"counts": result["counts"], "parameters": parameters, "row": True})
    return result | valued


OURS = {
    "content": ours_of_content,
    "panel": ours_of_panel,
    "panel_tolerance": ours_of_panel_tolerance,
}


def compiled(given: Given, measure: str) -> Value:
    """Compute a value by the compiled passes."""
    family = family_of(given, measure)
    pair = given["n_units"], given.get("reference", []), given["hypothesis"]
    if family == "window_size":
        sizes = np.array([given["n_units"]]), np.array([len(given["reference"]) + 1])
        return int(windows.window_size(*sizes, given.get("rounding", "half-even"))[0])
    if family == "fields":
        counts = passes.counts(*pair, given.get("k", 2), 2, near_of(given))
        return {**counts, **values_of(PAIRS, counts, run_parameters(given))}[measure]
    if family in OURS:
        result = OURS[family](given)
        return {**result["counts"], **result["values"]}[measure]
    if family == "windows":
        counts = passes.window_counts(*pair, given["k"])
        return {**values_of(PAIRS, counts, run_parameters(given)), **counts}[measure]
    result = ours_of_typed_edits({"n_t": 2, "pairing": "greedy", **given})
    return {**result["counts"], **result["values"]}[measure]


def ours(given: Given, measure: str) -> Value:
    """Compute a value by the twin, and check that the compiled passes agree."""
    exact, value = twin(given, measure), compiled(given, measure)
    exact_value = None if exact is None else Fraction(exact)
    assert passes.close(None if value is None else float(value), exact_value)
    return exact


def boundary_strings(given: Given) -> tuple[Any, Any, dict[str, Any]]:
    """Both sides as boundary strings of segeval, and the options that they need."""
    n_units, reference, hypothesis = given["n_units"], given["reference"], given["hypothesis"]
    if not typed(given):
        return masses(n_units, hypothesis), masses(n_units, reference), {}
    sides = [[(p, t) for p, t in side] for side in (hypothesis, reference)]
    strings = [type_sets(n_units, side) for side in sides]
    return strings[0], strings[1], {"boundary_format": segeval.BoundaryFormat.sets}


def by_segeval(given: Given, measure: str) -> Value:
    """Compute a value by segeval 2.0.11, the hypothesis first as in its documentation."""
    hypothesis, reference, options = boundary_strings(given)
    if measure == "window_size":
        return int(segeval.compute_window_size(reference))
    if measure in ("pk", "window_diff", "window_diff_edges"):
        measured = segeval.pk if measure == "pk" else segeval.window_diff
        edges = {"lamprier_et_al_2007_fix": True} if measure == "window_diff_edges" else {}
        value = measured(hypothesis, reference, window_size=given["k"], **edges)
        return Fraction(value)
    options |= {"n_t": given.get("n_t", 2)}
    if measure in ("boundary_similarity", "segmentation_similarity"):
        return Fraction(getattr(segeval, measure)(hypothesis, reference, **options))
    matrix = segeval.boundary_confusion_matrix(hypothesis, reference, **options)
    if measure in ("b_precision", "b_recall", "b_f1"):
        rates = {"b_precision": "precision", "b_recall": "recall", "b_f1": "fmeasure"}
        return Fraction(getattr(segeval, rates[measure])(matrix))
    predicted_actual = {"b_tp": (1, 1), "b_fp": (1, None), "b_fn": (None, 1)}
    predicted, actual = predicted_actual[measure]
    return Fraction(matrix[predicted][actual])


def by_nltk(given: Given, measure: str) -> Value:
    """Compute a value by NLTK on a mask of the N-1 potential boundaries."""
    n_units, reference, hypothesis = given["n_units"], given["reference"], given["hypothesis"]
    return on_masks(mask(n_units, reference), mask(n_units, hypothesis), given, measure)


def by_nltk_on_units(given: Given, measure: str) -> Value:
    """Compute a value by NLTK on a mask of the N units, marked at the first unit of a segment."""
    masks = [
        "".join("1" if unit in given[role] else "0" for unit in range(given["n_units"]))
        for role in ("reference", "hypothesis")
    ]
    return on_masks(masks[0], masks[1], given, measure)


def on_masks(reference: str, hypothesis: str, given: Given, measure: str) -> Value:
    """Return NLTK's value of two masks."""
    if measure == "window_size":
        return nltk_window_size(reference)
    if measure == "ghd":
        return int(nltk.ghd(reference, hypothesis))
    if measure == "pk":
        return float(nltk.pk(reference, hypothesis, given["k"]))
    weighted = measure == "window_diff_weighted"
    return float(nltk.windowdiff(reference, hypothesis, given["k"], weighted=weighted))


def nltk_window_size(reference: str) -> int:
    """The k with which NLTK's pk equals its pk without one, for a lone first boundary."""
    against = "1" + "0" * (len(reference) - 1)
    without = nltk.pk(reference, against)
    (size,) = [k for k in range(1, len(reference)) if nltk.pk(reference, against, k) == without]
    return int(size)


def as_printed(given: Given, measure: str) -> Value:
    """Fournier 2013, eq 5 and 6 exactly as printed, in eq 4 and 2."""
    counts = edits_of_twin(given)["counts"]
    types = given.get("types", ALL_TYPES)
    weight = Fraction(counts["near_miss_span"], max(1, given.get("n_t", 2) - 1))
    weight += Fraction(counts["substitution_span"], max(1, max(types) - min(types)))
    alone = counts["misses"] + counts["false_alarms"]
    pairs = alone + counts["near_misses"] + counts["substitutions"] + counts["matches"]
    denominators = {
        "boundary_similarity": pairs,
        "segmentation_similarity": counts["potential_boundaries"],
    }
    return 1 - Fraction(alone + weight) / denominators[measure]


def by_matrix_as_printed(given: Given, measure: str) -> Value:
    """Fournier 2013, eq 7 exactly as printed: near misses enter with w, not 1 - w."""
    counts = edits_of_twin(given)["counts"]
    tp = counts["matches"] + Fraction(counts["near_miss_span"], given.get("n_t", 2))
    result = {"b_tp": tp, "b_fp": counts["false_alarms"], "b_fn": counts["misses"]}
    return {
        **result,
        "b_precision": naive.ratio(tp, tp + counts["false_alarms"]),
        "b_recall": naive.ratio(tp, tp + counts["misses"]),
    }[measure]


def by_kazantseva(given: Given, measure: str) -> Value:
    """The program of Kazantseva & Szpakowicz 2012: N - m + 1 windows, penalties over h (N - m)."""
    n_units = given["n_units"]
    if measure == "window_size":
        return floor(Fraction(n_units, 2 * (len(given["reference"]) + 1)) + Fraction(1, 2))
    # A mask as long as the document has one more window, like a document with one more unit.
    counts = naive.panel_counts(n_units + 1, given["references"], given["hypothesis"], given["k"])
    h, size = counts["references"], counts["windows"]
    penalty = Fraction(counts["penalty"], h * (size - 1))
    best, worst = Fraction(counts["best"], h * size), Fraction(counts["worst"], h * size)
    return {
        "win_diff_prime": penalty,
        "best_case": best,
        "worst_case": worst,
        "mult_window_diff": naive.ratio(penalty - best, worst - best),
    }[measure]


def by_kazantseva_as_printed(given: Given, measure: str) -> Value:
    """Kazantseva & Szpakowicz 2012, eq 8-10 exactly as printed."""
    counts = expect_panel(given)["counts"]
    h, size = counts["references"], counts["windows"]
    best, worst = Fraction(counts["best"], size), Fraction(counts["worst"], size)
    return {
        "best_case": best,
        "worst_case": worst,
        "mult_window_diff": (counts["penalty"] - best) / (h * size * (worst - best)),
    }[measure]


PROGRAMS: dict[str, Program] = {
    "segscore": ours,
    "segeval": by_segeval,
    "mir_eval": by_mir_eval,
    "mir_eval, default": by_mir_eval_as_is,
    "pyannote": by_pyannote,
    "VidChapters, T + 1": by_vidchapters,
    "vqwordseg": by_vqwordseg,
    "TCPDBench": by_tcpdbench,
    "SuperDialseg": by_superdialseg,
    "NLTK": by_nltk,
    "NLTK, N flags": by_nltk_on_units,
    "F13 as printed": as_printed,
    "F13 eq 7 as printed": by_matrix_as_printed,
    "K&S's program": by_kazantseva,
    "K&S as printed": by_kazantseva_as_printed,
}


def result_or_error(program: str, given: Given, measure: str) -> Value | type[Exception]:
    """Return a program's result, or the kind of its error."""
    try:
        return PROGRAMS[program](given, measure)
    except Exception as error:
        if program == "segscore":
            raise
        return type(error)


# --- The tests -----------------------------------------------------------------------------------


def test_the_page_has_cases() -> None:
    assert len(blocks()) >= 20


@pytest.mark.parametrize(
    "cell", [pytest.param(c, id=f"{c.heading}: {c.measure}: {c.program}") for c in cells()]
)
def test_every_number_of_the_page_is_reproduced(cell: Cell) -> None:
    if cell.says == "-":
        return
    result = result_or_error(cell.program, cell.given, cell.measure)
    if isinstance(result, type):
        assert result.__name__ == cell.says
    elif cell.says == "undefined":
        assert result is None
    else:
        assert result is not None
        assert float(result) == pytest.approx(float(Fraction(cell.says)), abs=1e-12)
        irrational = cell.measure == "r_value"
        assert cell.program != "segscore" or irrational or result == Fraction(cell.says)


def test_every_section_describes_an_existing_measure() -> None:
    assert set(re.findall(r"^### `(\w+)`$", PAGE, flags=re.MULTILINE)) == set(ALL) | {"ghd"}


def test_sections_have_the_order_of_the_columns() -> None:
    order = re.findall(r"^### `(\w+)`$", PAGE, flags=re.MULTILINE)
    assert [name for name in order if name in ALL] == list(ALL)

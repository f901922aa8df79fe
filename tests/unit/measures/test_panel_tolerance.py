"""The panel of boundaries within a tolerance against the slow twin, its laws, and shares of N."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.arrays.ragged import from_lists
from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import panel_tolerance, tolerance
from segscore.pipeline.measures.compared import PanelRows
from segscore.pipeline.measures.measure import IDENTITY, evaluate
from segscore.pipeline.settings.measuring import MeasuringSettings
from tests.oracles import naive_fields
from tests.support import passes
from tests.support.strategies import panels

Panel = tuple[int, list[list[int]], list[int]]
PANELS = panels(max_references=5)


def counts(panel: Panel, **settings: int | str) -> dict[str, int]:
    """The counts of one hypothesis and its references."""
    n_units, references, hypothesis = panel
    first, one = np.array([0, len(references)]), np.ones(1, np.int64)
    rows = PanelRows(first, passes.ONE, passes.ONE, one * n_units, one)
    sides = from_lists(references), from_lists([hypothesis])
    measuring = MeasuringSettings(**settings)  # type: ignore[arg-type]
    counted = panel_tolerance.count_panels(*sides, rows, measuring)
    return dict(zip(panel_tolerance.COUNTS, counted[:, 0].tolist(), strict=True))


def values(counted: dict[str, int], beta: float = 1.0) -> dict[str, float | None]:
    """The values of one row's counts; None where undefined."""
    arrays = {name: np.array([count]) for name, count in counted.items()}
    found = evaluate(panel_tolerance.MEASURES, arrays, {"beta": beta}, rows=True)
    return {name: None if np.isnan(v[0]) else float(v[0]) for name, v in found.items()}


@given(PANELS, st.integers(0, 40), st.integers(0, 2), st.integers(1, 3))
def test_counts_and_values_are_those_of_the_twin(
    panel: Panel, reach: int, edges: int, beta: int
) -> None:
    twin = naive_fields.panel_tolerance_counts(*panel, reach, edges)
    counted = counts(panel, tolerance=reach, edges=edges)
    assert counted == twin
    exact = naive_fields.panel_tolerance_values(twin, Fraction(beta))
    ours = values(counted, beta)
    assert ours.keys() == exact.keys()
    assert all(passes.close(ours[name], exact[name]) for name in ours)


@given(PANELS, st.integers(0, 40), st.integers(0, 2))
def test_laws(panel: Panel, reach: int, edges: int) -> None:
    n_units, references, hypothesis = panel
    alike = counts((n_units, [hypothesis] * 3, hypothesis), tolerance=reach, edges=edges)
    best = values(alike)
    assert all(IDENTITY in measure.laws for measure in panel_tolerance.MEASURES)
    assert {*best.values()} <= {None, 1.0}
    if edges != 1:
        back = [[n_units - p for p in reversed(side)] for side in (*references, hypothesis)]
        other = counts((n_units, back[:-1], back[-1]), tolerance=reach, edges=edges)
        assert other == counts(panel, tolerance=reach, edges=edges)


@given(PANELS, st.integers(0, 40), st.integers(0, 2))
def test_one_reference_is_that_of_pairs(panel: Panel, reach: int, edges: int) -> None:
    n_units, references, hypothesis = panel
    pair = passes.tolerance_counts(n_units, references[0], hypothesis, passes.Near(reach, edges))
    one = counts((n_units, references[:1], hypothesis), tolerance=reach, edges=edges)
    assert one["union_matches"] == pair["tolerant_matches"]
    assert one["union_boundaries"] == pair["reference_boundaries"] + edges


def test_by_hand() -> None:
    """The union {20, 22, 50, 80}: 21 and 52 are near, 90 is not; the references find 2/2, 1/2."""
    found = values(counts((100, [[20, 50], [22, 80]], [21, 52, 90]), tolerance=2))
    assert found["panel_tolerant_precision"] == pytest.approx(2 / 3)
    assert found["panel_tolerant_recall"] == pytest.approx(3 / 4)
    assert found["panel_tolerant_f1"] == pytest.approx(12 / 17)


@given(st.integers(1, 2**31 - 1), st.integers(0, 10**8))
def test_a_share_of_the_units_is_rounded_down(n_units: int, millionths: int) -> None:
    text = f"{millionths // 10**6}.{millionths % 10**6:06}%"
    settings = MeasuringSettings(tolerance=text, measures=("tolerance",))
    (found,) = tolerance.tolerances(settings.reach, np.array([n_units]))
    assert found == n_units * millionths // 10**8
    stated = dict(part.partition(":")[::2] for part in settings.signature("none").split("|"))
    shown = MeasuringSettings(tolerance=stated.get("tol", "0%"))
    assert shown.reach == settings.reach


@pytest.mark.parametrize(
    ("text", "stated"), [("1%", "1%"), ("1.0%", "1%"), ("0.50%", "0.5%"), (".5%", "0.5%")]
)
def test_the_signature_states_a_share_in_one_way(text: str, stated: str) -> None:
    signature = MeasuringSettings(tolerance=text, measures=("tolerant_f1",)).signature("none")
    assert f"|tol:{stated}|" in signature


@pytest.mark.parametrize("text", ["%", "101%", "-1%", "1", "1 %", "one", "1e1%", "0.0000001%"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(Refused, match=f"--tolerance {text}: must be a whole number"):
        MeasuringSettings(tolerance=text)

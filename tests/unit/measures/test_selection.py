"""Choices of measures: one way to write each, and exactly the counts that its formulas use."""

import re
from collections.abc import Iterable
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from segscore.pipeline.errors import Refused
from segscore.pipeline.measures import (
    ALL,
    FAMILIES,
    PAIR_FAMILIES,
    PAIRS,
    PANEL_FAMILIES,
    PANELS,
)
from segscore.pipeline.measures.selection import EVERYTHING, normal_form, select
from segscore.pipeline.settings.measuring import MeasuringSettings, settings_without_effect

CHOICES = [*FAMILIES, EVERYTHING, *ALL]
choices = st.lists(st.sampled_from(CHOICES), min_size=1, max_size=6)


def named(names: Iterable[str]) -> set[str]:
    """The measures of a choice, spelled out."""
    found = set()
    for name in names:
        if name == EVERYTHING:
            found |= {*ALL}
        elif name in FAMILIES:
            found |= {measure.name for measure in FAMILIES[name].MEASURES}
        else:
            found.add(name)
    return found


def words(name: str) -> set[str]:
    """Every name in the formula of a measure, and in the formulas of the measures in it."""
    found = set(re.findall(r"[a-z_]\w*", ALL[name].formula))
    return found.union(*(words(inner) for inner in found if inner in ALL))


def counts_of(names: set[str], family: str) -> set[str]:
    """The counts of a family that a choice has columns for."""
    module = FAMILIES[family]
    if {measure.name for measure in module.MEASURES} <= names:
        return {*module.COUNTS}
    # The counts of panels have names of their own, apart from `windows`.
    own = {name for name in names if (name in PANELS.measures) == (family in PANEL_FAMILIES)}
    return {*module.COUNTS} & set[str]().union(*map(words, own))


@given(choices)
def test_a_choice_has_its_measures_and_the_counts_in_their_formulas(names: list[str]) -> None:
    selection, chosen = select(normal_form(names)), named(names)
    assert selection.names == tuple(name for name in ALL if name in chosen)
    expected = set[str]().union(*(counts_of(chosen, family) for family in PAIR_FAMILIES))
    assert list(selection.pairs.counts) == [name for name in PAIRS.counts if name in expected]
    of_panels = set[str]().union(*(counts_of(chosen, family) for family in PANEL_FAMILIES))
    assert set(selection.panels.counts) == of_panels
    assert set(selection.families) == {family for family in FAMILIES if counts_of(chosen, family)}


@given(choices, st.randoms())
def test_equal_choices_are_written_alike(names: list[str], draw: Random) -> None:
    text = normal_form(names)
    assert normal_form(text) == text
    spelled = sorted(named(names))
    draw.shuffle(spelled)
    assert normal_form(spelled) == text
    assert len(text) <= len(set(names)) or EVERYTHING in names
    assert MeasuringSettings(measures=tuple(names)) == MeasuringSettings(measures=text)


def test_the_default_is_written_as_nothing() -> None:
    default = [*named(["panel"]), "pk", "window_diff", "f1", "recall", "precision", "b_f1"]
    default += ["b_precision", "b_recall", "segmentation_similarity", "boundary_similarity"]
    assert normal_form(default) == normal_form(["default"]) == normal_form([]) == ()
    assert normal_form([*default, "r_miss"]) == ("default", "r_miss")
    assert normal_form(["content", "tolerance", "default"]) == ("default", "content", "tolerance")
    assert normal_form([*FAMILIES, "dialseg_score"]) == (EVERYTHING,)
    families = (name for name in FAMILIES if name != "panel")
    assert normal_form(FAMILIES) == ("default", *families)
    assert normal_form(["window_diff", "pk", "pk"]) == ("pk", "window_diff")
    assert normal_form([*named(["content"]), "pk"]) == ("content", "pk")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("windows", "nearest is window"),
        ("pkk", "nearest is pk"),
        ("", ""),
        ("B", "it is named boundary_similarity"),
        ("S", "it is named segmentation_similarity"),
        ("P_k", "it is named pk"),
        ("WD", "it is named window_diff"),
        ("WindowDiff", "it is named window_diff"),
    ],
)
def test_a_name_that_does_not_exist_is_refused(name: str, near: str) -> None:
    with pytest.raises(Refused, match=f"--measures {name}: no such measure or family; .*{near}"):
        MeasuringSettings(measures=("pk", name))


def test_sizes_in_weights_are_not_sizes_in_units() -> None:
    assert MeasuringSettings(measures=("tiou_f1", "content"), unit_weights=True).unit_weights
    for names in (("purity", "pk"), ("all",)):
        with pytest.raises(
            Refused, match=r"--unit-weights: purity.* cannot be measured in weights"
        ):
            MeasuringSettings(measures=names, unit_weights=True)


@given(choices, st.integers(0, 2**32))
def test_values_do_not_depend_on_what_else_is_chosen(names: list[str], seed: int) -> None:
    draw = np.random.default_rng(seed)
    selection = select(normal_form(names))
    parameters = MeasuringSettings().parameters(draw.choice([0.3, np.nan]))
    for whole, part in ((PAIRS, selection.pairs), (PANELS, selection.panels)):
        counts = {name: draw.integers(0, 3, 5) for name in whole.counts}
        everything = whole.values(counts, parameters, rows=True)
        own = {name: counts[name] for name in part.counts}
        chosen = part.values(own, parameters, rows=True)
        assert list(chosen) == list(part.measures)
        for name, values in chosen.items():
            np.testing.assert_array_equal(values, everything[name])


@given(choices)
def test_settings_that_formulas_use_have_an_effect(names: list[str]) -> None:
    """Each parameter that a formula uses is set by a setting that the signature has."""
    selection = select(normal_form(names))
    used = set[str]().union(*map(words, selection.names))
    without_effect = settings_without_effect(selection)
    changed: dict[str, dict[str, Any]] = {
        "p_seg": {"p_seg": 0.25},
        "cost_miss": {"cost_miss": 0.25},
        "c_seg_costs": {"c_seg_costs": (0.5, 0.5)},
        "beta": {"beta": 2.0},
        "edit_constants": {"edit_constants": (0.25, 0.25)},
        "content_weights": {"content_weights": (2.0, 3.0, 4.0, 5.0)},
        "edges": {"edges": 2},
        "n_t": {"n_t": 3},
    }
    plain = MeasuringSettings().parameters(0.5)
    for field, settings in changed.items():
        other = MeasuringSettings(**settings)
        now = other.parameters(0.5 if other.p_seg is None else other.p_seg)
        moved = {name for name, value in now.items() if value != plain[name]}
        assert moved
        if used & moved:
            assert field not in without_effect
        elif field not in ("n_t", "edges"):  # which also change what is counted
            assert field in without_effect
    counted = {
        ("n_t", "pairing", "types"): {"matches", "misses", "near_miss_span"},
        ("unit_weights",): {"content_miss", "content_size", "story_miss_sum"},
        ("tol", "edges"): {"tolerant_matches", "hypotheses_in_reach"},
        ("tiou",): {"tiou_references", "tiou_hypotheses"},
        ("window",): {"pk_misses", "windows", "edge_errors", "winpr_tp", "penalty", "worst"},
    }
    present = {*selection.pairs.counts, *selection.panels.counts}
    for fields, counts in counted.items():
        for field in fields:
            assert (field in without_effect) <= counts.isdisjoint(present)
    if select(normal_form(["perfect_share", "tiou_mean_f1"])) == selection:
        assert {"tol", "edges", "tiou", "window", "n_t"} <= without_effect
    assert not {"units", "ci", "v", "measures"} & without_effect

"""The conformance set equals what its script writes, and the compiled passes agree with it."""

import json
from fractions import Fraction
from itertools import chain
from typing import Any

import pytest

from segscore.pipeline.measures import ALL, PAIRS, PANELS
from tests.conformance import make as make_conformance
from tests.conformance.cases import Family
from tests.conformance.make import FAMILIES, FOLDER
from tests.conformance.ours import COMPILED
from tests.support import passes

STORED = {path.stem: json.loads(path.read_text("utf-8")) for path in FOLDER.glob("*.json")}
BY_NAME = {family.name: family for family in FAMILIES}


# --- Stored files --------------------------------------------------------------------------------


@pytest.mark.first
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_each_stored_file_equals_the_scripts_output(family: Family) -> None:
    stored = (FOLDER / f"{family.name}.json").read_text("utf-8")
    assert stored == make_conformance.text(family), "run: python -m tests.conformance.make"


def test_no_file_is_obsolete_and_no_name_is_used_twice() -> None:
    assert set(STORED) == set(BY_NAME)
    for stored in STORED.values():
        names = [case["name"] for case in stored["cases"]]
        assert len(set(names)) == len(names)


def test_every_measure_and_count_has_a_case() -> None:
    named = {
        name
        for stored in STORED.values()
        for case in stored["cases"]
        for part in ("counts", "values", "micro")
        for name in case["expected"].get(part, {})
    }
    rounded = {"story_miss_sum", "story_false_alarm_sum"}
    assert {*PAIRS.counts, *PANELS.counts, *ALL} - rounded <= named


def test_the_readme_names_every_file_and_input() -> None:
    readme = (FOLDER / "README.md").read_text("utf-8")
    for name, stored in STORED.items():
        assert f"`{name}.json`" in readme
        for case in stored["cases"]:
            for part in chain(case["input"], case["expected"], case["input"].get("parameters", [])):
                assert f"`{part}`" in readme, part


# --- Compiled passes -----------------------------------------------------------------------------


def differences(ours: Any, expected: Any, where: str = "") -> list[str]:
    """List where the compiled passes differ: counts exactly, values by more than 1e-12."""
    if isinstance(expected, dict):
        return [d for name in expected for d in differences(ours[name], expected[name], name)]
    if isinstance(expected, list) and isinstance(ours, list) and len(ours) == len(expected):
        pairs = zip(ours, expected, strict=True)
        return [d for one, other in pairs for d in differences(one, other, where)]
    if isinstance(expected, str) and not isinstance(ours, str):
        same = passes.close(ours, Fraction(expected))
    else:
        same = type(ours) is type(expected) and ours == expected
    return [] if same else [f"{where}: {ours}, expected {expected}"]


@pytest.mark.first
@pytest.mark.parametrize(
    ("family", "case"),
    [
        pytest.param(family, case, id=f"{family}: {case['name']}")
        for family in COMPILED
        for case in STORED[family]["cases"]
    ],
)
def test_the_compiled_passes_agree(family: str, case: dict[str, Any]) -> None:
    assert differences(COMPILED[family](case["input"]), case["expected"]) == []

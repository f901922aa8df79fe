"""--tolerance, --edges and --tiou: ranges, the signature, and what the formulas get of them."""

from fractions import Fraction
from typing import Any

import pytest

from segscore.pipeline.errors import Refused
from segscore.pipeline.settings.measuring import MeasuringSettings

DEFAULT = MeasuringSettings()


@pytest.mark.parametrize(
    ("settings", "option"),
    [
        ({"tolerance": -1}, "--tolerance -1"),
        ({"tolerance": 2**31}, "--tolerance 2147483648"),
        ({"edges": 3}, "--edges 3"),
        ({"edges": -1}, "--edges -1"),
        *(
            ({"tiou": text}, f"--tiou {text}:")
            for text in (
                ">=0",
                ">=3/2",
                ">=",
                ">1/2",
                "=>0.5",
                "1",
                "3/2",
                "-1/2",
                "1/0",
                "half",
                "",
                ".",
                "1e-3",
                "nan",
                "1" * 200,
            )
        ),
    ],
)
def test_values_out_of_range_are_refused(settings: dict[str, Any], option: str) -> None:
    with pytest.raises(Refused, match=option.replace(".", r"\.")):
        MeasuringSettings(**settings)


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"tolerance": 3000}, "tol:3000"),
        ({"edges": 2}, "edges:2"),
        ({"tiou": "3/10"}, "tiou:3/10"),
        ({"tiou": "0.30"}, "tiou:3/10"),
        ({"tiou": "0"}, "tiou:0"),
        ({"tiou": ">=0.5"}, "tiou:>=1/2"),
        ({"tiou": ">=1"}, "tiou:>=1"),
    ],
)
def test_what_is_not_default_is_in_the_signature(settings: dict[str, Any], field: str) -> None:
    everything = MeasuringSettings(measures=("all",)).signature("none").split("|")
    signed = MeasuringSettings(**settings, measures=("all",)).signature("none").split("|")
    assert [part for part in signed if part not in everything] == [field]


@pytest.mark.parametrize("tiou", ["1/2", "0.5", ".50", "2/4"])
def test_the_default_is_not_in_the_signature_however_it_is_written(tiou: str) -> None:
    same = MeasuringSettings(tolerance=0, edges=0, tiou=tiou)
    assert same.signature("none") == DEFAULT.signature("none")
    assert same.iou == Fraction(1, 2)


def test_formulas_get_the_edges() -> None:
    assert MeasuringSettings(edges=2).parameters(0.5)["edges"] == 2

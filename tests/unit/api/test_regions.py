"""`segscore.evaluate` with regions, against the command that imports them."""

from pathlib import Path
from typing import Any

import pytest

from segscore import Refused, Segmentation, evaluate
from segscore.api.scored_regions import cut_sides
from tests.support.command_line import Segscore
from tests.support.rows import write_rows

N_UNITS = {"a": 12, "b": 9, "c": 8}
REFERENCES = {"a": [2, 5, 9], "b": [4], "c": [1]}
HYPOTHESES = {"a": [2, 4, 9], "b": [5], "c": [7]}
REGIONS = {"a": [(6, 12), (0, 4), (2, 5)], "b": (1, 9), "c": [0, 8]}


def rows(role: str, boundaries: dict[str, list[int]]) -> list[dict[str, Any]]:
    """The rows of a table."""
    return [
        {
            "document_id": document,
            "coder": "c",
            "role": role,
            "n_units": N_UNITS[document],
            "boundaries": marked,
        }
        for document, marked in boundaries.items()
    ]


def test_regions_are_those_of_the_command(segscore: Segscore, tmp_path: Path) -> None:
    both = [*rows("reference", REFERENCES), *rows("hypothesis", HYPOTHESES)]
    table = write_rows(tmp_path / "both.jsonl", both)
    coded = "document_id,start,end\na,6,12\na,0,4\na,2,5\nb,1,9\nc,0,8\n"
    (tmp_path / "coded.csv").write_text(coded)
    regions = ("--regions", tmp_path / "coded.csv")
    assert segscore("import", table, *regions, "--output", tmp_path / "cut").code == 0
    sides = (tmp_path / "cut" / "references", tmp_path / "cut" / "hypotheses")
    expected = evaluate(*sides)
    found = evaluate(REFERENCES, HYPOTHESES, n_units=N_UNITS, regions=REGIONS)
    assert found.signature == expected.signature and "|regions:" in found.signature
    shown = ["document_id", "n_units", "pk", "boundary_similarity", "matches", "cut_from"]
    by_id = [("document_id", "ascending")]
    of_both = [each.scores.select(shown).sort_by(by_id) for each in (found, expected)]
    assert of_both[0].equals(of_both[1])
    files = evaluate(table, table, regions=REGIONS)
    assert files.scores.select(shown).sort_by(by_id).equals(of_both[0])


def test_documents_without_a_region_are_named() -> None:
    sides = {
        name: {document: Segmentation(marked, N_UNITS[document]) for document, marked in of.items()}
        for name, of in (("references", REFERENCES), ("hypotheses", HYPOTHESES))
    }
    with pytest.warns(UserWarning, match="2 segmentations without a region left out, such as of c"):
        cut = cut_sides({"a": (0, 4), "b": (0, 9)}, **sides)
    assert cut["references"].column("boundaries").to_pylist() == [[2], [4]]


@pytest.mark.parametrize(
    ("regions", "message"),
    [
        (
            {"a": (0, 40)},
            "references:0: a has 12 units, and regions names a region that ends at 40",
        ),
        ({"z": (0, 4)}, "regions: no document of the references has a region; they name z"),
        ({}, "regions: is {}; must be a mapping, such as"),
        ([(0, 3)], "must be a mapping, such as"),
        ({"a": "0-4"}, 'regions: a: is "0-4"; must be a start and an end in whole units'),
        ({"a": [1.5, 3]}, "must be a start and an end in whole units"),
        ({"a": (0, True)}, "must be a start and an end in whole units"),
        ({"a": []}, "must be a start and an end in whole units"),
        ({"a": (4, 2)}, "regions: a: 4 to 2; must start at 0 or later, and end later"),
    ],
)
def test_wrong_regions_are_refused(regions: Any, message: str) -> None:
    with pytest.raises(Refused) as refused:
        evaluate(REFERENCES, HYPOTHESES, n_units=N_UNITS, regions=regions)
    assert message in str(refused.value)


def test_rows_that_break_a_rule_are_not_cut() -> None:
    broken = [{"document_id": "a", "n_units": 12, "boundaries": [5, 2]}]
    with pytest.raises(Refused, match=r"row 0 breaks the rule .*; mend it, then"):
        evaluate(broken, broken, regions={"a": (0, 6)})

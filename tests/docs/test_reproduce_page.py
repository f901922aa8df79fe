"""docs/reproduce.md: options of `segscore score` give the fields of a signature beside them."""

import json
import re
from pathlib import Path

import pytest

from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.settings.options import options_of
from segscore.pipeline.settings.signature import MEANINGS, fields
from tests.support.command_line import Segscore
from tests.support.pages import DOCS

PAGE = (DOCS / "reproduce.md").read_text("utf-8")
SECTION = PAGE.partition("## From a signature to a command\n")[2].partition("\n## ")[0]
OF_OTHERS = {"agree", "sweep", "operating_point", "p", "permutation"}
"""Fields of the signatures of other commands than `segscore score`."""

ROWS = [
    {"document_id": name, "coder": coder, "role": role, "n_units": 11, "boundaries": [2, end]}
    for name in ("a", "b")
    for coder, role, end in (("desk", "reference", 5), ("news", "hypothesis", 6))
]


def test_every_field_has_a_row() -> None:
    first = "".join(line.split(" | ")[0] for line in SECTION.splitlines())
    named = {*re.findall(r"`([a-z_]+)(?::[^`]*)?`", first)}
    of_score = {
        option.signed.name
        for option in options_of(ScoreSettings).values()
        if option.signed is not None
    }
    assert {*MEANINGS} | of_score <= named | OF_OTHERS
    assert named.isdisjoint(OF_OTHERS)


GIVEN = re.findall(r"^\| `([a-z_]+):([\w,]+)` \| `(--[^`]+)`", SECTION, re.MULTILINE)
"""Name and value of a field, and the options that give it, in rows about one field."""


@pytest.mark.parametrize(
    ("name", "value", "options"),
    [case for case in GIVEN if not case[0].startswith(("ci", "units", "measures", "by_level"))],
)
def test_the_options_give_the_field(
    segscore: Segscore, tmp_path: Path, name: str, value: str, options: str
) -> None:
    table = tmp_path / "rows.jsonl"
    table.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    segscore("score", table, table, "--output", tmp_path / "run", *options.split())
    signature = json.loads((tmp_path / "run" / "run.json").read_text())["signature"]
    assert fields(signature)[name] == value

"""`segscore agree --same-tool`: who edit the suggestions of one tool are not judged by them."""

import json
from pathlib import Path

from segscore.pipeline.storage import read_table
from tests.support.command_line import Segscore
from tests.support.projects import Project, codings

_BOTH = ("coder-00", "coder-01")


def test_codings_of_one_tool_are_not_called_copies(segscore: Segscore, tmp_path: Path) -> None:
    rows = [*codings(Project(8, 160, ()), 5)]
    of_first = {row["document_id"]: row for row in rows if row["coder"] == _BOTH[0]}
    shared = 0
    for number, row in enumerate(rows):
        row["tool"] = "suggestions" if row["coder"] in _BOTH else None
        if row["coder"] == _BOTH[1] and row["document_id"] in of_first:
            suggested = of_first[row["document_id"]]["boundaries"]
            row["boundaries"] = suggested[number % 2 :]
            shared += 1
    path = tmp_path / "codings.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = "coder-00 and coder-01 mark the same places to the unit"
    plain = segscore("agree", path, "--output", tmp_path / "plain")
    assert plain.code == 0 and said in plain.out, plain.err
    result = segscore("agree", path, "--same-tool", "tool", "--output", tmp_path / "run")
    assert result.code == 0 and "coder-00 and coder-01" not in result.out, result.err
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["of_one_tool"] == shared > 10
    warning = f"{shared} of {record['pairs']:,} pairs of codings have one tool, and judge nobody"
    assert warning in record["warnings"]
    assert "|same_tool:tool|" in record["signature"]
    peers = read_table(f"{tmp_path / 'run' / 'peers'}").to_pylist()
    (pair,) = (row for row in peers if (row["coder"], row["peer"]) == _BOTH)
    # Their agreement is counted, and nothing follows from it.
    assert (pair["documents"], pair["residual"], pair["copied"]) == (shared, None, None)
    for name in ("agreement", "pairs"):
        one, other = (read_table(f"{tmp_path / run / name}") for run in ("plain", "run"))
        assert one.equals(other), name
    wrong = segscore("agree", path, "--same-tool", "tol", "--output", tmp_path / "wrong")
    assert (wrong.code, "--same-tool tol: codings have no such attribute" in wrong.err) == (2, True)
    assert "tool" in wrong.err

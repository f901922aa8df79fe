"""A projection that is killed, on a real cluster, and the same command again."""

import json
import shutil
from pathlib import Path
from random import Random

from tests.support.driven import FaultPlan, Gate
from tests.support.killing import Command, cluster
from tests.support.run_files import everything
from tests.support.transcripts import make_pair

ROWS = 10


def write_inputs(folder: Path) -> None:
    """Write segmentations of 30 recordings by two coders, and both transcripts of each."""
    random = Random(2)  # noqa: S311
    lines: dict[str, list[object]] = {"rows": [], "hand": [], "heard": []}
    for number in range(30):
        pair = make_pair(random, segments=4, words=20, changed=0.1)
        name = f"show-{number:02}"
        for coder, role in (("anna", "reference"), ("system", "hypothesis")):
            lines["rows"].append(
                {
                    "document_id": name,
                    "coder": coder,
                    "role": role,
                    "n_units": len(pair.source),
                    "boundaries": pair.boundaries,
                }
            )
        lines["hand"].append({"document_id": name, "units": pair.source})
        lines["heard"].append({"document_id": name, "units": pair.target})
    for file, records in lines.items():
        text = "".join(f"{json.dumps(record)}\n" for record in records)
        (folder / f"{file}.jsonl").write_text(text)


GATES = {
    "while segmentations are projected": Gate("importing.projection.run.add_projections", "kill"),
    "between two moves": Gate("storage.copy", "kill", "hypotheses"),
}


def test_a_killed_projection_is_resumed(tmp_path: Path) -> None:
    write_inputs(tmp_path)
    output = tmp_path / "out"
    with cluster(FaultPlan(str(tmp_path), ROWS, {})) as workers:

        def run(gates: dict[str, Gate]) -> Command:
            folder = tmp_path / f"plan{len(list(tmp_path.glob('plan*')))}"
            folder.mkdir()
            units = ("--from", tmp_path / "hand.jsonl", "--to", tmp_path / "heard.jsonl")
            where = ("--cluster", workers.address, "--output", output)
            plan = FaultPlan(str(folder), ROWS, gates)
            return Command(plan, "project", tmp_path / "rows.jsonl", *units, *where)

        assert run({}).result().code == 0
        expected = everything(output)
        assert {name.partition("/")[0] for name in expected} == {
            *("references", "hypotheses", "documents", "alignment")
        }
        shutil.rmtree(output)
        for gate in GATES.values():
            assert run({"killed": gate}).result().code == -9
        ended = run({}).result()
        assert ended.code == 0, ended.err
        assert everything(output) == expected


def test_a_projection_that_is_refused_leaves_nothing(tmp_path: Path) -> None:
    write_inputs(tmp_path)
    (tmp_path / "heard.jsonl").write_text('{"document_id": "x", "units": ["a"]}\n')
    with cluster(FaultPlan(str(tmp_path), ROWS, {})) as workers:
        plan = FaultPlan(str(tmp_path), ROWS, {})
        ended = Command(
            plan,
            *("project", tmp_path / "rows.jsonl", "--from", tmp_path / "hand.jsonl"),
            *("--to", tmp_path / "heard.jsonl", "--cluster", workers.address),
            *("--output", tmp_path / "out"),
        ).result()
    assert ended.code == 2
    assert "60 of 60 segmentations cannot be projected: " in ended.err
    assert not (tmp_path / "out").exists()

"""Tables in memory of a published run: it keeps them in its folder, and overwrites nothing."""

import json
import os
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import segscore as api
from segscore.api.typed import MeasureChoice
from segscore.pipeline.storage.listed_files import INPUTS
from tests.support.command_line import Segscore
from tests.support.rows import write_rows

REFERENCES = {f"d{i}": api.Segmentation([2, 5], 11) for i in range(3)}
OTHERS = {f"d{i}": api.Segmentation([3, 6], 11) for i in range(3)}
HYPOTHESES = {f"d{i}": api.Segmentation([2, 4], 11) for i in range(3)}
MEASURES: list[MeasureChoice] = ["boundary_similarity"]


def files(folder: Path) -> dict[str, tuple[int, bytes]]:
    """All files of a folder, with the time of their last change and their content."""
    return {
        str(path): (path.stat().st_mtime_ns, path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run of tables in memory, beside files of somebody else."""
    theirs = tmp_path / "run-inputs" / "references"
    theirs.mkdir(parents=True)
    (theirs / "references.parquet").write_text("mine")
    api.evaluate(REFERENCES, HYPOTHESES, measures=MEASURES, output=str(tmp_path / "run"))
    return tmp_path / "run"


def test_a_refused_call_changes_nothing_on_disk(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = files(run.parent)
    monkeypatch.chdir(run.parent)
    for output in (str(run), "run", f"file://{run}"):
        with pytest.raises(
            api.Refused, match=r"contains a finished run with other .* another table"
        ):
            api.evaluate(OTHERS, HYPOTHESES, measures=MEASURES, output=output)
        with pytest.raises(api.Refused, match="no such attribute"):
            api.evaluate(OTHERS, HYPOTHESES, group_by=["genre"], output=output, fresh=True)
        with pytest.raises((api.Refused, api.Failed)):
            api.evaluate(REFERENCES, {"x": HYPOTHESES["d0"]}, output=output, fresh=True)
        assert files(run.parent) == before
    evaluation = api.read_run(run)
    assert isinstance(evaluation, api.Evaluation)
    assert len(evaluation.explain("d1")) == 1
    assert INPUTS not in evaluation.names


def test_a_call_that_is_refused_after_its_claim_leaves_no_trace(tmp_path: Path) -> None:
    rows = [{"document_id": "a", "coder": "desk", "n_units": 3, "boundaries": [1]}]
    with pytest.raises(api.Failed, match="no document id of the hypotheses is in the references"):
        api.evaluate(rows, {"b": HYPOTHESES["d0"]}, output=str(tmp_path / "run"))
    assert [*tmp_path.iterdir()] == []


def test_the_same_call_finds_its_run(run: Path) -> None:
    before = files(run.parent)
    again = api.evaluate(REFERENCES, HYPOTHESES, measures=MEASURES, output=str(run))
    assert files(run.parent) == before
    assert again["boundary_similarity"].documents == 3


def test_a_run_that_starts_over_keeps_its_own_inputs_alone(run: Path) -> None:
    first = {path.name for path in (run / INPUTS).iterdir()}
    again = api.evaluate(OTHERS, HYPOTHESES, measures=MEASURES, output=str(run), fresh=True)
    second = {path.name for path in (run / INPUTS).iterdir()}
    assert len(first) == len(second) == 2 and len(first & second) == 1
    assert sorted(second) == json.loads((run / "run.json").read_text())["files"][INPUTS]
    assert {edit.position for edit in again.explain("d0")[0].edits} == {3, 6, None}
    assert (run.parent / "run-inputs" / "references" / "references.parquet").read_text() == "mine"


def test_a_command_that_replaces_the_run_removes_the_inputs_it_kept(
    run: Path, segscore: Segscore
) -> None:
    rows = [
        {"document_id": "d0", "coder": "c", "n_units": 11, "boundaries": [2]},
    ]
    table = run.parent / "in.jsonl"
    write_rows(table, rows)
    (run / INPUTS / "notes.txt").write_text("mine")
    assert segscore("score", table, table, "--output", run, "--fresh").code == 0
    assert [path.name for path in (run / INPUTS).iterdir()] == ["notes.txt"]


def test_a_moved_run_is_explained_from_the_inputs_it_kept(run: Path, segscore: Segscore) -> None:
    moved = run.parent / "elsewhere" / "sent"
    shutil.move(run, moved)
    ended = segscore("explain", moved, "--document", "d1")
    assert ended.code == 0, ended.err
    assert "d1: hypothesis against reference" in ended.out
    page = segscore("report", moved, "--output", run.parent / "page.html")
    assert (page.code, page.err) == (0, "")


def test_an_input_that_was_changed_in_its_place_is_noticed(run: Path, segscore: Segscore) -> None:
    references, other = (
        next((run / INPUTS).glob(f"{name}-*")) for name in ("references", "hypotheses")
    )
    content = references.read_bytes()
    for changed in (other.read_bytes(), content[:-1] + b"x", content + b"x"):
        references.write_bytes(changed)
        ended = segscore("explain", run, "--document", "d1")
        assert ended.code == 2
        assert "references-blake2b-" in ended.err
    with pytest.raises(api.Failed, match="is not the file that its name says"):
        api.evaluate(REFERENCES, HYPOTHESES, output=str(run), fresh=True)
    assert references.read_bytes() == changed


def test_concurrent_calls_leave_one_whole_run(tmp_path: Path) -> None:
    output = tmp_path / "run"

    def call(number: int) -> str:
        references = OTHERS if number % 2 else REFERENCES
        try:
            api.evaluate(references, HYPOTHESES, measures=MEASURES, output=str(output))
        except (api.Refused, api.Failed) as problem:
            return str(problem)
        return "published"

    with ThreadPoolExecutor(4) as pool:
        outcomes = [*pool.map(call, range(8))]
    assert "published" in outcomes, outcomes
    record = json.loads((output / "run.json").read_text())
    listed = {f"{table}/{name}" for table, names in record["files"].items() for name in names}
    found = {str(path.relative_to(output)) for path in output.rglob("*") if path.is_file()}
    assert found == {"run.json", *listed}
    evaluation = api.read_run(output)
    assert isinstance(evaluation, api.Evaluation)
    assert len(evaluation.explain("d0")) == 1


def test_an_output_that_overlaps_with_another_table_is_refused(run: Path) -> None:
    kept = next((run / INPUTS).glob("references-*"))
    with pytest.raises(api.Refused, match="lies inside it"):
        api.evaluate(str(kept), HYPOTHESES, output=str(run), fresh=True)
    assert kept.is_file()


def test_no_temporary_folder_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    evaluation = api.evaluate(REFERENCES, HYPOTHESES, output=str(tmp_path / "run"))
    assert os.listdir(folder) == []
    in_memory = api.evaluate(REFERENCES, HYPOTHESES)
    assert len(in_memory.explain("d0")) == len(evaluation.explain("d0")) == 1
    assert len(os.listdir(folder)) == 1  # while the evaluation exists
    del in_memory
    assert os.listdir(folder) == []

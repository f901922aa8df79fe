"""A relative --output is relative to the client's folder, whatever the workers' folder is."""

import json
from pathlib import Path

import pytest

from segscore.pipeline.runs.planning import Limits
from tests.support.command_line import Segscore
from tests.support.corpora import corpus
from tests.support.promises import require_same
from tests.support.run_files import files
from tests.support.scored import scored_corpus, write

SIDES = ("references", "hypotheses")
TABLES = {"score": SIDES, "agree": ("references",), "sweep": SIDES}


@pytest.mark.parametrize("command", TABLES)
def test_a_relative_output_is_relative_to_the_clients_folder(
    segscore: Segscore,
    tmp_path: Path,
    scheduler: str,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
) -> None:
    if command == "sweep":
        generated = scored_corpus(seed=4)
        generated.hypotheses.append(dict(generated.hypotheses[0]))  # workers list rejected rows
        write(generated, tmp_path)
    else:
        corpus(seed=4).write(tmp_path)
    monkeypatch.chdir(tmp_path)  # the workers have another one (``conftest.dask_cluster``)
    limits = Limits(rows_per_part=20, read_again=0.0)  # rows are shuffled
    segscore.cut(limits)
    for output, where in (("run", scheduler), ("here", "local")):
        options = ("--output", output, "--cluster", where)
        result = segscore(command, *TABLES[command], *options)
        assert result.code == 0, result.err
    require_same(Path("run"), files(Path("here")))
    record = json.loads(Path("run/run.json").read_text())
    assert record["settings"]["output"] == "run"

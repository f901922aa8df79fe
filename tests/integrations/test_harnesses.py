"""The tasks of docs/harnesses.md run in the real harnesses, with the values of `segscore score`."""

import json
from pathlib import Path

import pytest

from segscore import read_run
from tests.support.command_line import Segscore
from tests.support.harness import RunFile, write_files
from tests.support.pages import same
from tests.support.rows import write_rows

MEASURES = ("boundary_similarity", "pk", "window_diff", "f1")


@pytest.mark.parametrize("program", ["inspect", "lm"])
def test_the_task_prints_what_the_page_shows(
    program: str, harness: RunFile, tmp_path: Path
) -> None:
    shown = write_files("harnesses.md", tmp_path)[f"{program}_mock.txt"]
    printed = harness(f"{program}_mock.py")
    assert same(shown, printed), printed


INSPECT = """
import json, sys
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from segscore.integrations.inspect import boundaries, failed, macro, micro

options = json.loads(open("options.json").read())
rows = [json.loads(line) for line in open("stories.jsonl")]
replies = [json.loads(line) for line in open("answers.jsonl")]
answers = {row["document_id"]: row["output"] for row in replies}

def answer(messages, *_):
    output = ModelOutput.from_content("mockllm/model", answers[messages[-1].text])
    output.usage = ModelUsage()
    return output

samples = [
    Sample(id=name, input=name, target=row["target"], metadata=row)
    for row in rows for name in [row["document_id"]]
]
samples[2].target = ["1", "3"]
averages = [micro(), macro(*options["measures"]), failed()]
task = Task(dataset=samples, scorer=boundaries(**options), metrics=averages)
model = get_model("mockllm/model", custom_outputs=answer)
(log,) = eval(task, model=model, epochs=2, display="none", log_dir="logs")
assert log.status == "success", log.error
print(json.dumps({key: each.value for key, each in log.results.scores[0].metrics.items()}))
"""

LM = """
import json
import lm_eval
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

answers = [json.loads(line)["output"] for line in open("answers.jsonl")]

class Mock(LM):
    def generate_until(self, requests, disable_tqdm=False):
        return [answers[request.doc_id] for request in requests]
    def loglikelihood(self, requests, disable_tqdm=False):
        raise NotImplementedError
    loglikelihood_rolling = loglikelihood

tasks = TaskManager(include_path=".", include_defaults=False)
found = lm_eval.simple_evaluate(model=Mock(), tasks=["any"], task_manager=tasks)
print(json.dumps(found["results"]["any"]))
"""

LM_TASK = """
import json
from segscore.integrations.lm_eval import macro_average, micro_average, results_of

options = json.loads(open("options.json").read())
process_results = results_of(**options, target="target")
"""

REWRITTEN = [
    "# a\nIt rains today. It snows.\n# b\nA draw. A win in the north.",
    "# a\nIt rained today. It snows\n# b\nand a draw. A win in north. # c",
    "I cannot help with that, I am afraid, because it is against my rules.",
    "",
]
NUMBERED = ["1\n3", "1. a\n2. b\n4. c", "I cannot help with that.", ""]
QUOTED = ['["It rains", "A draw"]', "It rains today\nIt snow\nA win", "Sorry, no\nI refuse", ""]
CASES: dict[str, tuple[list[str], dict[str, object], list[str]]] = {
    "rewritten": (REWRITTEN, {"breaks": "heading"}, ["--break", "heading"]),
    "numbered": (NUMBERED, {"first_number": 1}, ["--first-number", "1", "--numbers", "starts"]),
    "quoted": (QUOTED, {"max_unplaced": 1}, ["--max-unplaced", "1"]),
}
UNITS = ["It rains today.", "It snows.", "A draw.", "A win in the north."]
TARGETS = [
    "[2]",
    "# a\nIt rains today. It snows. A draw.\n# b\nA win in the north.",
    "[1, 3]",
    "[]",
]
REFERENCES = [[2], [3], [1, 3], []]
"""The third target is that of a refusal, the last that of an empty answer."""


def write_case(folder: Path, name: str) -> None:
    """Write the documents, the answers to them, and the options of a case."""
    answers, options, _ = CASES[name]
    rows, replies = [], []
    for number, answer in enumerate(answers):
        document = f"show-{number}"
        target = TARGETS[number] if name == "rewritten" or number != 1 else "[3]"
        rows.append(
            {
                "document_id": document,
                "coder": "desk",
                "n_units": 4,
                "units": UNITS,
                "boundaries": REFERENCES[number],
                "target": target,
            }
        )
        replies.append({"document_id": document, "output": answer})
    for file, lines in (("stories.jsonl", rows), ("answers.jsonl", replies)):
        write_rows(folder / file, lines)
    (folder / "options.json").write_text(
        json.dumps({"format": name, "measures": MEASURES, "n_t": 3, **options})
    )


def averages(run: Segscore, folder: Path, name: str) -> dict[str, float]:
    """Return the averages of the commands: micro by measure, macro with the prefix macro_."""
    common = ("--format", name, "--source", "stories.jsonl", "--coder", "x", "--failed", "none")
    done = run("import", "answers.jsonl", *common, *CASES[name][2], "--output", "tables")
    assert done.code == 0, done.err
    assert "2 of 4 answers failed" in done.out + done.err
    done = run("score", "stories.jsonl", "tables/hypotheses", "--n-t", "3", "--output", "run")
    assert done.code == 0, done.err
    found = {}
    for row in read_run(str(folder / "run")).summary.to_pylist():
        if row["measure"] in MEASURES:
            prefix = {"micro": "", "macro": "macro_"}[row["average"]]
            found[prefix + row["measure"]] = row["value"]
    return found


@pytest.mark.parametrize("name", CASES)
def test_values_are_those_of_the_commands(
    name: str,
    harness: RunFile,
    segscore: Segscore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of answers that are good, altered, refused and empty."""
    monkeypatch.chdir(tmp_path)
    write_case(tmp_path, name)
    expected = averages(segscore, tmp_path, name)
    (tmp_path / "run.py").write_text(INSPECT)
    found = json.loads(harness("run.py"))
    assert found.pop("failed") == 0.5
    assert len(expected) == 2 * len(MEASURES)
    assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-12)

    aggregations = [(m, "micro", "") for m in MEASURES]
    metrics = "".join(
        f"  - metric: {m}\n    aggregation: !function any_task.{m}\n    higher_is_better: false\n"
        for m, *_ in aggregations
    )
    (tmp_path / "any.yaml").write_text(
        "task: any\ndataset_path: json\ndataset_kwargs:\n  data_files: stories.jsonl\n"
        "test_split: train\noutput_type: generate_until\ndoc_to_text: x\n"
        'doc_to_target: "{{target}}"\ngeneration_kwargs:\n  until: []\n'
        "process_results: !function any_task.process_results\nmetric_list:\n"
        + metrics
        + "  - metric: failed\n    aggregation: mean\n    higher_is_better: false\n"
    )
    functions = "".join(f"{m} = micro_average({m!r})\n" for m in MEASURES)
    (tmp_path / "any_task.py").write_text(LM_TASK + functions)
    (tmp_path / "run.py").write_text(LM)
    found = json.loads(harness("run.py"))
    assert found["failed,none"] == 0.5
    for measure in MEASURES:
        assert found[f"{measure},none"] == expected[measure]


def test_a_sample_without_units_is_named(harness: RunFile, tmp_path: Path) -> None:
    write_case(tmp_path, "quoted")
    (tmp_path / "options.json").write_text(
        '{"format": "quoted", "source": "sentences", "measures": ["pk"]}'
    )
    script = INSPECT.replace(
        'assert log.status == "success", log.error', "print(log.error.message); sys.exit()"
    )
    (tmp_path / "run.py").write_text(script)
    printed = harness("run.py")
    assert "sample show-0: source sentences: the metadata have no field of this name" in printed

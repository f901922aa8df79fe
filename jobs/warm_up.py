"""`segscore warm-up`: compile the kernels that commands use, so that none of them does so later."""

import io
import json
import shlex
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from segscore.jobs.cli.log import LOG
from segscore.jobs.show.fitted import print_lines
from segscore.pipeline.errors import Failed, Refused

_COMMANDS = """
import sample.jsonl --output tables
score tables/references tables/hypotheses --output plain
score tables/references tables/hypotheses --output all --documents tables/documents --units words
  --pairing optimal --consensus 0.5,any
  --reference-points none,all,regular,random-known,random-mean,random-own,human
score typed.jsonl typed.jsonl --output typed
score tables/references tables/hypotheses --output near --n-t 3
compare plain --measure pk,boundary_similarity
explain plain --document a
sweep tables/references tables/hypotheses --output curves
agree tables/references --output agreement
agree typed.jsonl --output types
nightly --references tables/references --hypotheses tables/hypotheses --runs nights
  --date 2026-01-01
nightly --references tables/references --hypotheses tables/hypotheses --runs nights
  --date 2026-01-02
simulate values tables/references --measure pk
simulate coders tables/references --output simulated
project carried.jsonl --from units.jsonl --to split.jsonl --output projected
import answers.jsonl --format rewritten --source units.jsonl --coder model --failed none
  --output answers
"""
"""Calls that together use the kernels of the common commands; indented lines continue one."""

_CODERS: dict[tuple[str, str], dict[str, Any]] = {
    ("reference", "one"): {"boundaries": [2, 4, 6]},
    ("reference", "two"): {"boundaries": [2, 5]},
    ("reference", "three"): {"boundaries": [2, 6]},
    ("hypothesis", "system"): {"boundaries": [3, 6], "boundary_scores": [0.4, 0.9]},
    ("hypothesis", "other"): {"boundaries": [2, 6], "boundary_scores": [0.3, 0.8]},
}


def warm_up() -> None:
    """Compile the kernels of the common commands now, so that no later call waits for that."""
    from segscore.pipeline.arrays.compiling import cache_folder
    from segscore.pipeline.arrays.kernel import compile_always

    compile_always()
    folder = cache_folder()
    if folder is None:
        raise Refused("compiled kernels cannot be kept; see the warning")
    LOG.say(
        "info",
        "scoring a small sample, which compiles what is not compiled yet: half a minute or more at "
        "first, some seconds later",
    )
    before = _count_kernels(folder)
    _run_sample()
    print_lines(f"compiled {_count_kernels(folder) - before} kernels, which are in {folder}")


def _count_kernels(folder: Path) -> int:
    return sum(1 for _ in folder.rglob("*.nbc"))


def _run_sample() -> None:
    """Run the commands in a folder of their own, and print nothing."""
    log_format = LOG.format
    with TemporaryDirectory() as folder, chdir(folder):
        _write_sample(Path())
        for command in _COMMANDS.strip().replace("\n  ", " ").splitlines():
            _run_quietly(command)
            LOG.format = log_format


def _write_sample(folder: Path) -> None:
    segmentations = list(_segmentations())
    typed = [
        {**row, "boundary_types": [1, 2, 1][: len(row["boundaries"])]} for row in segmentations
    ]
    texts = [f"this is line {i} of the text" for i in range(6)]
    units = [{"document_id": "a", "units": texts}]
    split = [{"document_id": "a", "units": [*texts[:1], *" ".join(texts[1:]).split()]}]
    answers = [{"document_id": "a", "output": "the first one\n\n" + " ".join(texts[2:])}]
    carried = [{**next(_segmentations()), "n_units": 6, "boundaries": [2, 4]}]
    del carried[0]["unit_lengths"]
    for name, rows in {
        "sample": segmentations,
        "typed": typed,
        "units": units,
        "split": split,
        "answers": answers,
        "carried": carried,
    }.items():
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def _segmentations() -> Iterator[dict[str, Any]]:
    for (role, coder), segmentation in _CODERS.items():
        for document in "abcd":
            row = {"document_id": document, "role": role, "coder": coder, "n_units": 8}
            yield {**row, "unit_lengths": [3, 1, 2, 2, 1, 4, 1, 2], **segmentation}


def _run_quietly(command: str) -> None:
    """Run a command of segscore in this process.

    Raises:
        Failed: it failed; what it said is in the message.
        KeyboardInterrupt: it was interrupted.
    """
    from segscore.jobs.cli.app import app

    said = io.StringIO()
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(said):
            app(shlex.split(command), standalone_mode=False)
    except SystemExit as ended:
        if ended.code == 130:
            raise KeyboardInterrupt from ended
        if ended.code:
            last = said.getvalue().strip().rpartition("\n")[2]
            raise Failed(f"`segscore {command}` failed in a folder of its own: {last}") from ended

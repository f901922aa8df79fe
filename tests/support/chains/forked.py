"""Run commands in processes that are forked from one which has imported everything."""

import os
import resource
import shlex
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from segscore.jobs.cli import app
from tests.support.chains.plans import Chain, draw_chain
from tests.support.chains.verdicts import NightResult, faults_in_files, faults_of

_PATIENCE = 60
"""Seconds of a processor after which a command is ended by a signal; ten times as many seconds by
the clock, for one that waits for ever on a busy machine."""

PYTHON = "python"
"""First word of a program, in place of the name of a command."""


@dataclass(frozen=True)
class Fault:
    """A fault of a command.

    Attributes:
        seed: of the chain.
        commands: the commands of the chain up to this one.
        problems: what is wrong.
    """

    seed: int
    commands: Sequence[Sequence[str]]
    problems: Sequence[str]

    def __str__(self) -> str:
        """Say how to repeat it, and what is wrong."""
        repeat = f"python -m tests.faults.chains --seed {self.seed} --keep FOLDER"
        lines = [f"  {as_typed(words)}" for words in self.commands]
        lines += [f"  FAULT {problem}" for problem in self.problems]
        return "\n".join([f"seed {self.seed}: {repeat}", *lines])


def as_typed(words: Sequence[str]) -> str:
    """Write a command as a person would type it."""
    return shlex.join([PYTHON, "-c", words[1]] if words[0] == PYTHON else ["segscore", *words])


def run_forked(words: Sequence[str], folder: Path, columns: int) -> NightResult:
    """Run a command or program in a folder."""
    logs = [folder.parent / f"{folder.name}.{stream}" for stream in ("out", "err")]
    sys.stdout.flush()
    sys.stderr.flush()
    if (child := os.fork()) == 0:
        code = 70
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (_PATIENCE, _PATIENCE))
            signal.alarm(10 * _PATIENCE)
            os.chdir(folder)
            for number, log in enumerate(logs, start=1):
                os.dup2(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
            os.environ["COLUMNS"] = str(columns)
            code = _run(words)
        finally:
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
            os._exit(code & 0xFF)
    _, status = os.waitpid(child, 0)
    out, err = (log.read_text("utf-8", errors="backslashreplace") for log in logs)
    return NightResult(words, os.waitstatus_to_exitcode(status), out, err)


def _run(words: Sequence[str]) -> int:
    """Run a command or program in this process and return its exit code."""
    try:
        if words[0] == PYTHON:
            return _run_program(words[1])
        sys.argv = ["segscore", *words]
        app.main()
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:
        traceback.print_exc()
        return 70
    return 0


def _run_program(text: str) -> int:
    """Run a program, which may end with an error that is an answer."""
    import segscore

    try:
        exec(text, {})  # noqa: S102
    except (segscore.Refused, segscore.Failed) as problem:
        print(f"segscore: error: {problem}", file=sys.stderr)
        return 2
    return 0


def run_chain(seed: int, folder: Path, codes: Counter[int]) -> Iterator[Fault]:
    """Run a chain in an empty folder, count its exit codes, and yield its faults."""
    chain, typed = draw_chain(seed, folder), list[Sequence[str]]()
    for ended, problems in steps_of(chain, folder):
        codes[ended.code] += 1
        typed.append(ended.words)
        if problems:
            yield Fault(chain.seed, [*typed], problems)


def steps_of(chain: Chain, folder: Path) -> Iterator[tuple[NightResult, list[str]]]:
    """Run the commands of a chain, and yield how each ended and what its faults are."""
    for step in chain.steps:
        for words in (step.words, step.otherwise):
            if words is None:
                continue
            began = time.time() - 0.01
            ended = run_forked(words, folder, chain.columns)
            yield ended, [*faults_of(ended), *faults_in_files(folder, began)]
            if ended.code not in (1, 2):
                break

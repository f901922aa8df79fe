"""Jobs started at the same moment into one folder, in processes of their own, again and again.

`python -m tests.faults.races --two N --three M` runs N races of two processes and M of three.  Each
process is forked when everything is imported, and waits until all exist, so that they collide at
their first steps.  A broken promise ends it with exit code 1.
"""

import argparse
import gc
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

from segscore.jobs.cli import app
from tests.support.corpora import corpus
from tests.support.promises import Broken, message_lines, require_one_line, require_same
from tests.support.run_files import files

KINDS = ("same", "other settings", "fresh", "fresh over a run", "fresh and not")
"""Kinds of races."""


def commands(kind: str, jobs: int) -> list[tuple[str, ...]]:
    """Return the options of each job of a race."""
    n_t = [("--n-t", str(2 + number % 2)) for number in range(jobs)]
    options: dict[str, list[tuple[str, ...]]] = {
        "same": [()] * jobs,
        "other settings": [*n_t],
        "fresh": [("--fresh",)] * jobs,
        "fresh over a run": [("--fresh", *setting) for setting in n_t],
        "fresh and not": [("--fresh", *n_t[1]) if number else () for number in range(jobs)],
    }
    return options[kind]


class Races:
    """A corpus, the files of its undisturbed runs, and counts of the outcomes of races."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        corpus(seed=4, documents=12).write(folder, files=1)
        self.expected: dict[tuple[str, ...], dict[str, bytes]] = {}
        self.endings: Counter[str] = Counter()

    def arguments(self, output: Path, options: Sequence[str]) -> list[str]:
        """Return the arguments of the command line."""
        tables = [str(self.folder / name) for name in ("references", "hypotheses")]
        common_options = ["--workers", "1", "--output", str(output)]
        return ["segscore", "score", *tables, *common_options, *options]

    def undisturbed(self, options: Sequence[str]) -> dict[str, bytes]:
        """Return the files of an undisturbed run."""
        key = tuple(option for option in options if option != "--fresh")
        if key not in self.expected:
            output = self.folder / "undisturbed"
            started = time.time()
            (code, err), *_ = self.run(output, [key], started)
            if code:
                raise Broken(err)
            self.expected[key] = files(output)
            shutil.rmtree(output)
        return self.expected[key]

    def run(
        self, output: Path, options: Sequence[Sequence[str]], start: float
    ) -> list[tuple[int, str]]:
        """Run jobs at the same moment; return exit code and standard error of each."""
        children = [
            self._fork(number, output, job_options, start)
            for number, job_options in enumerate(options)
        ]
        result = []
        for number, child in enumerate(children):
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            result.append((code, (self.folder / f"{number}.err").read_text()))
        return result

    def _fork(self, number: int, output: Path, options: Sequence[str], start: float) -> int:
        child = os.fork()
        if child:
            return child
        code = 1
        try:
            for stream, ending in ((1, "out"), (2, "err")):
                name = self.folder / f"{number}.{ending}"
                os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
            sys.argv = self.arguments(output, options)
            while time.time() < start:
                pass
            app.main()
            code = 0
        except SystemExit as left:
            code = int(left.code or 0)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def race(self, kind: str, jobs: int) -> None:
        """Run one race and check its outcome.

        Raises:
            Broken: a promise was not kept.
        """
        output = self.folder / "run"
        shutil.rmtree(output, ignore_errors=True)
        options = commands(kind, jobs)
        wanted = [self.undisturbed(job_options) for job_options in options]
        if kind == "fresh over a run":
            self.run(output, [("--n-t", "4")], 0.0)
        result = self.run(output, options, time.time() + 0.05)
        for code, err in result:
            line = require_one_line(err, code) if code else "".join(message_lines(err))
            self.endings[self._plain(line)] += 1
        won = [number for number, (code, _) in enumerate(result) if code == 0]
        if not won:
            raise Broken(f"{kind}: nobody published: {result}")
        published = files(output)
        if not any(published == wanted[number] for number in won):
            raise Broken(f"{kind}: the published run is not that of a job that succeeded: {result}")
        require_same(output, published)

    def _plain(self, line: str) -> str:
        words = line.replace(str(self.folder), "").split()
        return " ".join("N" if word.strip("();").isdigit() else word for word in words)


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.races", description=__doc__)
    parser.add_argument("--two", type=int, default=200)
    parser.add_argument("--three", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    draw = Random(chosen.seed)  # noqa: S311
    gc.freeze()
    with tempfile.TemporaryDirectory() as temporary:
        races = Races(Path(temporary))
        todo = [2] * chosen.two + [3] * chosen.three
        races_done = 0
        try:
            for jobs in draw.sample(todo, len(todo)):
                races.race(draw.choice(KINDS), jobs)
                races_done += 1
        except Broken as problem:
            print(f"BROKEN: {problem}", file=sys.stderr)
            return 1
        finally:
            print(f"{races_done} races")
            for line, times in races.endings.most_common():
                print(f"{times} x {line or 'published'}")
    return 0


if __name__ == "__main__":
    # Imported before the first fork: the race is about storage, not about imports.
    import segscore.pipeline.runs.executors
    import segscore.pipeline.scoring.run  # noqa: F401

    sys.exit(main())

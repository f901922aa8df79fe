"""Run random chains of commands and look for faults: `python -m tests.faults.chains --chains 1000`.

Single commands are tried with many inputs elsewhere; here, it is their combinations.  A fault is
a traceback, a signal, a word of Python or a number that is none in anything that is printed or
written, an exit code that no page has, or the advice to resume a command whose input is wrong.
"""

import argparse
import io
import json
import os
import pkgutil
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path

from tests.support import kernels

kernels.share()

import segscore.api  # noqa: E402
import segscore.jobs  # noqa: E402
import segscore.pipeline  # noqa: E402
from tests.support.chains.forked import as_typed, run_chain, steps_of  # noqa: E402
from tests.support.chains.plans import draw_chain  # noqa: E402


def warm_up(folder: Path) -> None:
    """Import what commands import, load their compiled loops, and read what pages contain.

    What draws figures starts threads, which would be missing in a forked process, so another
    process reads what it has for pages.
    """
    import pandas
    import vl_convert

    from segscore.jobs.cli.app import app

    assert pandas  # commands leave it out of a process that has not imported it
    bundle = folder / "bundle.js"
    code = "import sys, vl_convert; print(vl_convert.javascript_bundle(sys.argv[1]))"
    with bundle.open("w") as output:
        subprocess.run(
            [sys.executable, "-c", code, "window.vegaEmbed = vegaEmbed;"], stdout=output, check=True
        )
    text = bundle.read_text("utf-8")
    vl_convert.javascript_bundle = lambda *_, **__: text
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        app(["warm-up"], standalone_mode=False)
    for package in (segscore.jobs, segscore.pipeline, segscore.api):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)


def run_chains(seeds: Sequence[int], folder: Path) -> tuple[int, Counter[int]]:
    """Run chains one after the other, and print their faults.

    Returns:
        The number of commands with faults, and how many commands ended with each exit code.
    """
    faults, codes = 0, Counter[int]()
    for seed in seeds:
        own = folder / str(seed)
        own.mkdir()
        for fault in run_chain(seed, own, codes):
            faults += 1
            print(fault, flush=True)
        shutil.rmtree(own)
    return faults, codes


def _in_processes(seeds: Sequence[int], processes: int, folder: Path) -> tuple[int, Counter[int]]:
    """Share chains among processes; the arguments and results are those of ``run_chains``."""
    children = {}
    for number in range(processes):
        results = folder / f"{number}.json"
        sys.stdout.flush()
        if (child := os.fork()) == 0:
            try:
                results.write_text(json.dumps(run_chains(seeds[number::processes], folder)))
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                os._exit(0)
        children[child] = results
    faults, codes = 0, Counter[int]()
    for child, results in children.items():
        os.waitpid(child, 0)
        own, counted = json.loads(results.read_text())
        faults += own
        codes.update({int(code): number for code, number in counted.items()})
    return faults, codes


def _keep(seed: int, folder: Path) -> int:
    """Run a chain in a folder that stays, and print what its commands print."""
    folder.mkdir(parents=True)
    chain = draw_chain(seed, folder)
    for ended, problems in steps_of(chain, folder):
        shown = f"$ {as_typed(ended.words)}\n{ended.out}{ended.err}[{ended.code}]"
        print(shown, *(f"FAULT {problem}" for problem in problems), sep="\n", flush=True)
    return 0


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.chains", description=__doc__)
    parser.add_argument("--chains", type=int, default=60, help="number of chains")
    parser.add_argument("--first", type=int, default=0, help="seed of the first chain")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, help="repeat the chain of this seed")
    parser.add_argument("--keep", type=Path, help="folder for its files, which stay there")
    chosen = parser.parse_args()
    seeds = range(chosen.first, chosen.first + chosen.chains)
    if chosen.seed is not None:
        seeds = range(chosen.seed, chosen.seed + 1)
    with tempfile.TemporaryDirectory() as folder:
        warm_up(Path(folder))
        if chosen.keep is not None:
            return _keep(chosen.seed, chosen.keep)
        faults, codes = _in_processes(seeds, min(chosen.processes, len(seeds)), Path(folder))
    ended = ", ".join(f"{number} with {code}" for code, number in sorted(codes.items()))
    print(f"{len(seeds)} chains of {codes.total()} commands, which ended {ended}: {faults} faults")
    return int(faults > 0)


if __name__ == "__main__":
    sys.exit(main())

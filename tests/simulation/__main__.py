"""Simulate many nights, or replay one; `make simulate` runs it."""

import argparse
import gc
import logging
import os
import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from itertools import count

from tests.support import kernels

_BATCH = 20
"""Nights of a task."""

_REMEMBERED = 10_000
"""Nights of a worker after which it forgets what it knows of steps, as memory is limited."""

_BATCHES = count(1)

Failures = list[tuple[int, str]]
"""Seeds of nights that failed, each with what was broken."""


def quiet() -> None:
    """Prepare this process, and print nothing of those that it simulates."""
    kernels.share()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    gc.disable()  # what is known of steps is large, and would be searched again and again


def simulate_batch(first: int) -> Failures:
    """Simulate the nights of some seeds."""
    from tests.simulation import nights

    with nights.prepared():
        seeds = range(first, first + _BATCH)
        found = [nights.simulate(nights.planned(seed)) for seed in seeds]
    nights.tidy_memory(forgetting=next(_BATCHES) % (_REMEMBERED // _BATCH) == 0)
    return [(night.plan.seed, night.problem) for night in found if night.problem is not None]


def simulate_many(first: int, number: int, workers: int, seconds: float) -> int:
    """Simulate nights for at most some seconds, and print those that fail; return their number."""
    begin, done, failed = time.monotonic(), 0, 0
    with ProcessPoolExecutor(workers, initializer=quiet) as pool:
        batches = range(first, first + number, _BATCH)
        for start in range(0, len(batches), 8 * workers):
            if time.monotonic() - begin > seconds:
                break
            for failures in pool.map(simulate_batch, batches[start : start + 8 * workers]):
                done += _BATCH
                failed += len(failures)
                for seed, problem in failures:
                    print(f"SEED={seed}: {problem}", flush=True)
    print(f"{done} nights in {time.monotonic() - begin:.0f} s, {failed} failed")
    return failed


def replay(seed: int) -> int:
    """Replay the night of a seed, with the fewest events if it fails; return how many failed."""
    from tests.simulation import nights

    quiet()
    with nights.prepared():
        plan = nights.planned(seed)
        if nights.simulate(plan).problem is not None:
            plan = nights.shrink(plan)
        night = nights.simulate(plan, telling=True)
    print("\n".join([*plan.lines(), "", *night.lines, "", night.problem or "all promises kept"]))
    return int(night.problem is not None)


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--seed", type=int, help="replay this night")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--nights", type=int, default=100_000)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--mutations", nargs="?", const="", help="without each guard in turn, by a pattern"
    )
    chosen = parser.parse_args()
    if chosen.mutations is not None:
        from tests.simulation.mutations import find_mutations

        quiet()
        return find_mutations(chosen.first, chosen.nights, chosen.mutations)
    if chosen.seed is not None:
        return replay(chosen.seed)
    seconds = 60.0 * chosen.minutes
    return int(simulate_many(chosen.first, chosen.nights, chosen.workers, seconds) > 0)


if __name__ == "__main__":
    sys.exit(main())

"""Importing JSON Lines: processor time against `pyarrow.json`, and peak memory."""

import json
import sys
import tempfile
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.timing import SEGSCORE, Result, run_timed

LINES = 1_000_000
MANY_LINES = 5_000_000
RUNS = 3
RATIO = 3
"""Most times the processor time of pyarrow.json that an import may take, besides its start."""

MEGABYTES = 2048
"""Most memory of an import of ``MANY_LINES`` lines."""

CODERS = 5
READ = "from pyarrow import json; json.read_json({!r})"


def write_lines(path: Path, lines: int) -> None:
    """Write segmentations of shows, each by five coders, one of whom is the reference."""
    rng = np.random.default_rng(1)
    shares = rng.uniform(0.01, 0.06, 10_000)
    boundaries = [(1 + np.flatnonzero(rng.random(199) < share)).tolist() for share in shares]
    with path.open("w") as file:
        for i in range(lines):
            show, coder = divmod(i, CODERS)
            row = {
                "document_id": f"show-{show:07}",
                "coder": f"system-{coder}" if coder else "desk",
                "role": "hypothesis" if coder else "reference",
                "n_units": 200,
                "boundaries": boundaries[i % len(boundaries)],
                "genre": ("news", "talk")[show % 2],
            }
            file.write(json.dumps(row) + "\n")


def measure() -> list[Result]:
    """Import alternately a few lines and many, and read the many with pyarrow.json alone."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        few, some, many = (folder / f"{name}.jsonl" for name in ("few", "some", "many"))
        write_lines(few, CODERS)
        write_lines(some, LINES)
        write_lines(many, MANY_LINES)
        ratios = [_ratio(folder / str(run), few, some) for run in range(RUNS + 1)][1:]
        usage = run_timed([SEGSCORE, "import", str(many), "--output", f"{folder}/tables"])
    return [
        Result(
            f"processor time of {LINES:,} JSON lines besides the start, against pyarrow.json",
            f"{median(ratios):.2f} x (median of {RUNS}; {min(ratios):.2f} to {max(ratios):.2f})",
            f"at most {RATIO} x",
            median(ratios) <= RATIO,
        ),
        Result(
            f"memory of {MANY_LINES:,} JSON lines",
            f"{usage.megabytes:,.0f} MB ({usage.cpu:.0f} s of processor time)",
            f"at most {MEGABYTES:,} MB",
            usage.megabytes <= MEGABYTES,
        ),
    ]


def _ratio(folder: Path, few: Path, some: Path) -> float:
    start, whole = (
        run_timed([SEGSCORE, "import", str(file), "--output", str(folder / file.stem)]).cpu
        for file in (few, some)
    )
    python = [sys.executable, "-c"]
    arrow = run_timed([*python, READ.format(str(some))]).cpu
    arrow_start = run_timed([*python, READ.format(str(few))]).cpu
    return (whole - start) / (arrow - arrow_start)

"""Digests of the tables and texts of many runs, to show that a change leaves them as they were.

`python -m benchmarks.digests write SEGSCORE FILE` runs the commands below with an installed
program and writes the digests; `python -m benchmarks.digests compare BEFORE AFTER` names each
output that differs.  Times, versions, places and the record of the process do not count.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from tests.support.paths import DATA

SCORED = {
    "plain": ["choi.jsonl", "choi.jsonl"],
    "grouped": ["choi.jsonl", "choi.jsonl", "--group-by", "series"],
    "clustered": ["choi.jsonl", "choi.jsonl", "--resample-by", "series"],
    "all measures": ["choi.jsonl", "choi.jsonl", "--measures", "all"],
    "three measures": ["choi.jsonl", "choi.jsonl", "--measures", "pk,b_f1,window_diff"],
    "baselines": ["choi.jsonl", "choi.jsonl", "--reference-points", "none,all,random-own"],
    "missing as none": ["choi.jsonl", "choi.jsonl", "--missing", "none"],
    "near misses": ["tinyrec.jsonl", "tinyrec.jsonl", "--n-t", "3", "--window", "per-run"],
    "words": [
        "tinyrec.jsonl",
        "tinyrec.jsonl",
        "--units",
        "words",
        "--documents",
        "data/tinyrec.jsonl",
    ],
    "tolerance": ["tinyrec.jsonl", "tinyrec.jsonl", "--tolerance", "2", "--measures", "all"],
    "typed": ["lecture.jsonl", "lecture.jsonl", "--measures", "all", "--confusion"],
    "by level": ["lecture.jsonl", "lecture.jsonl", "--by-level"],
    "several references": ["stargazer.jsonl", "stargazer.jsonl", "--measures", "all"],
    "consensus": ["stargazer.jsonl", "stargazer.jsonl", "--consensus", "0.5,0.3,any"],
    "coders against each other": ["moonstone.jsonl", "moonstone.jsonl", "--measures", "all"],
    "processes": ["choi.jsonl", "choi.jsonl", "--cluster", "processes", "--workers", "2"],
}
"""Arguments of `score`; every run is also compared and reported."""

AUDITED = {
    "moonstone": ["moonstone.jsonl", "--group-by", "group"],
    "stargazer": ["stargazer.jsonl", "--measures", "all"],
    "salami": ["salami.jsonl"],
}
NIGHTS = [f"2026-10-{day:02}" for day in range(1, 21)]
GATE = "level:boundary_similarity>=-0.02,boundary_similarity>=-0.01,pk<=+0.02"
_PASSING = re.compile(
    r"[0-9T:.+-]*[0-9]+ ?(?:ms|s|min|kB|MB)\b"
    r"|\d{4}-\d\d-\d\dT[\d:.+Z-]+|v:[\w.+-]+|segscore [\w.+-]+"
)


class Program:
    """An installed segscore that is run in a folder of its own."""

    def __init__(self, segscore: str, folder: Path) -> None:
        self.segscore, self.folder = segscore, folder
        self.digests: dict[str, str] = {}

    def run(self, name: str, *arguments: str, keep: bool = True) -> None:
        """Run a command, and digest its exit code and what it printed."""
        environment = {**os.environ, "COLUMNS": "120", "NO_COLOR": "1", "SEGSCORE_OFFLINE": "1"}
        done = subprocess.run(
            [self.segscore, *arguments],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
        )
        if keep:
            errors = "\n".join(
                line
                for line in done.stderr.splitlines()
                if "compil" not in line and "progress" not in line
            )
            text = f"{done.returncode}\n{done.stdout}\n{errors}"
            self.digests[f"{name}: text"] = _PASSING.sub("-", text)

    def add_tables(self, name: str, folder: str) -> None:
        """Digest all tables of a folder, column by column."""
        for table, columns in tables_of(self.folder / folder):
            for column, digest in columns.items():
                self.digests[f"{name}: {table}.{column}"] = digest

    def add_night(self, name: str, path: Path) -> None:
        """Keep the verdict of a night, without its times."""
        verdict = json.loads(path.read_text())
        self.digests[f"{name}: night.json"] = json.dumps(_lasting(verdict), sort_keys=True)


def _lasting(value: Any) -> Any:
    """Return JSON without what differs from run to run."""
    if isinstance(value, Mapping):
        return {
            key: _lasting(inner)
            for key, inner in value.items()
            if not key.endswith("_at") and key not in ("run", "history", "seconds", "version")
        }
    return [_lasting(inner) for inner in value] if isinstance(value, list) else value


def tables_of(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the name of each table, and the digest of each column, in order of its rows."""
    for path in sorted(folder.glob("*")):
        if path.is_dir() and any(path.rglob("*.parquet")):
            table = ds.dataset(path, format="parquet").to_table()
            yield path.name, {name: _digest(table[name]) for name in table.column_names}


def _digest(column: pa.ChunkedArray) -> str:
    return hashlib.blake2b(repr(column.to_pylist()).encode(), digest_size=12).hexdigest()


def run_all(program: Program) -> None:
    """Score, compare, report, sweep, audit and judge nights."""
    (program.folder / "data").symlink_to(DATA)
    _score(program)
    _audit(program)
    _judge_nights(program)


def _score(program: Program) -> None:
    for name, (references, hypotheses, *options) in SCORED.items():
        run = name.replace(" ", "-")
        tables = f"data/{references}", f"data/{hypotheses}"
        program.run(name, "score", *tables, *options, "--output", run)
        program.add_tables(name, run)
        for layout in ("markdown", "csv", "json", "latex"):
            program.run(
                f"{name}, {layout}", "score", *tables, *options, "--output", run, "--format", layout
            )
        program.run(f"compare {name}", "compare", run)
    program.run("explain", "explain", "plain", "--document", "choi/1/3-11/0")
    program.run("suspects", "suspects", "grouped")
    program.run("cite", "cite", "plain")
    swept = ["sweep", "data/choi.jsonl", "data/choi.jsonl", "--n-t", "1,2,3"]
    program.run("sweep", *swept, "--output", "swept")
    program.add_tables("sweep", "swept")


def _audit(program: Program) -> None:
    for name, (codings, *options) in AUDITED.items():
        audit = f"audit-{name}"
        program.run(f"agree {name}", "agree", f"data/{codings}", *options, "--output", audit)
        program.add_tables(f"agree {name}", audit)
    for seed in range(12):
        codings = f"simulated-{seed}"
        options = ["--coders", "8", "--seed", str(seed), "--output", codings]
        program.run("", "simulate", "coders", "data/qmsum.jsonl", *options, keep=False)
        name = f"agree simulated {seed}"
        program.run(name, "agree", f"{codings}/codings", "--output", f"{codings}-audit")
        program.add_tables(name, f"{codings}-audit")


def _judge_nights(program: Program) -> None:
    night = [
        "nightly",
        "--references",
        "data/nights/{date}.jsonl",
        "--hypotheses",
        "data/nights/{date}.jsonl",
        "--runs",
        "nights",
        "--gate",
        GATE,
    ]
    for date in NIGHTS:
        program.run(f"night {date}", *night, "--date", date)
        for path in sorted((program.folder / "nights").glob(f"*{date}*/night.json")):
            program.add_night(f"night {date}", path)
    program.run("trend", "trend", "nights", "--measure", "boundary_similarity")
    program.run("replay", *night, "--date", NIGHTS[-1], "--replay")
    program.run("history", "trend", "--table", "nights")


def write(segscore: str, path: Path) -> None:
    """Run everything with a program and write the digests."""
    with tempfile.TemporaryDirectory() as folder:
        program = Program(segscore, Path(folder))
        run_all(program)
        path.write_text(json.dumps(program.digests, indent=1, sort_keys=True))


def compare(before: Path, after: Path) -> int:
    """Print the names of the outputs that differ, and return how many there are."""
    old, new = json.loads(before.read_text()), json.loads(after.read_text())
    differing = sorted(name for name in old.keys() | new.keys() if old.get(name) != new.get(name))
    for name in differing:
        state = "only before" if name not in new else "only after" if name not in old else "differs"
        print(f"{state}: {name}")
    print(f"{len(old)} outputs before, {len(new)} after, {len(differing)} differ")
    return len(differing)


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2], Path(sys.argv[3]))
    else:
        sys.exit(compare(Path(sys.argv[2]), Path(sys.argv[3])) > 0)

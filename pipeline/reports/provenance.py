"""The section on what a run computed, from which input, and which rows were scored or rejected."""

from collections import Counter
from collections.abc import Iterator

from segscore.pipeline.reports.page import Cell, Figure, PageTable, Section
from segscore.pipeline.reports.run_tables import BECAME
from segscore.pipeline.runs import signature
from segscore.pipeline.runs.finished import FinishedRun

FILES = 50
"""Maximum number of input files listed for each table."""


def settings_in_words(run: FinishedRun) -> str:
    """Describe in one sentence how many rows of each input table were scored or rejected."""
    told = [
        f"{name}: {became['in']:,} in, {became['scored']:,} scored, {became['rejected']:,} "
        f"rejected, {became['unpaired']:,} unpaired"
        for name, became in run.record["rows"].items()
    ]
    return "; ".join(told) + "."


def section(run: FinishedRun) -> Section:
    """Make the section on what was computed."""
    return Section(
        "computed",
        "What was computed",
        "Two results compare if their signatures are the same, intervals aside.",
        [*_figures(run)],
    )


def _figures(run: FinishedRun) -> Iterator[Figure]:
    if run.record["warnings"]:
        told: list[list[Cell]] = [[warning] for warning in run.record["warnings"]]
        yield Figure("Warnings", table=PageTable(["the run said"], told), folded=False, wide=True)
    said = signature.fields(run.signature)
    fields: list[list[Cell]] = [
        [name, value, signature.MEANINGS.get(name, "")] for name, value in said.items()
    ]
    heads = ["part", "is", "and tells"]
    yield Figure(
        "The signature, part by part", table=PageTable(heads, fields), folded=False, wide=True
    )
    account: list[list[Cell]] = [
        [name, *(became[each] for each in BECAME)] for name, became in run.record["rows"].items()
    ]
    yield Figure(
        "What became of the rows of the input",
        "Every row is scored, rejected by the name of a rule, or has no partner.",
        PageTable(["table", *BECAME], account),
        folded=False,
    )
    if rejected := _rejected(run):
        yield Figure(
            "Rejected rows, by rule",
            "Each row is listed, with its file and what is wrong with it, in the table rejects.",
            PageTable(["rule", "table", "rows"], rejected),
            folded=False,
        )
    yield Figure("Input files", table=_inputs(run))
    versions: list[list[Cell]] = [[*each] for each in run.record["versions"].items()]
    yield Figure("Versions", table=PageTable(["library", "version"], versions))
    seconds: list[list[Cell]] = [
        [stage, f"{taken:.2f}"] for stage, taken in run.record["seconds"].items()
    ]
    yield Figure("Seconds each stage took", table=PageTable(["stage", "seconds"], seconds))


def _rejected(run: FinishedRun) -> list[list[Cell]]:
    counted: Counter[tuple[str, str]] = Counter()
    for part in run.parts("rejects", ["rule", "table"]):
        rules, tables = (part.column(name).to_pylist() for name in ("rule", "table"))
        counted.update(zip(rules, tables, strict=True))
    return [[rule, table, rows] for (rule, table), rows in sorted(counted.items())]


def _inputs(run: FinishedRun) -> PageTable:
    rows: list[list[Cell]] = []
    left = 0
    for name, files in run.record["inputs"].items():
        rows += [[name, file["url"], file["size"], file["version"]] for file in files[:FILES]]
        left += max(0, len(files) - FILES)
    more = f"{left} more files are in run.json" if left else ""
    return PageTable(["table", "file", "bytes", "version"], rows, more)

"""The section on what a run computed, from which input, and which rows were scored or rejected."""

from collections import Counter
from collections.abc import Iterator

from segscore.pipeline.agreement.settings import AgreeSettings
from segscore.pipeline.reports.page import Cell, Figure, PageTable, Section
from segscore.pipeline.reports.run_tables import ROW_COUNTS
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.runs.record import describe_losses
from segscore.pipeline.scoring.missing import Missing
from segscore.pipeline.scoring.settings import ScoreSettings
from segscore.pipeline.scoring.sweep.settings import SweepSettings
from segscore.pipeline.settings import signature
from segscore.pipeline.settings.options import options_of
from segscore.pipeline.statistics.formatted_numbers import counted

FILES = 50
"""Maximum number of input files listed for each table."""

_MEANINGS = signature.MEANINGS | {
    option.signed.name: option.signed.meaning
    for settings in (ScoreSettings, AgreeSettings, SweepSettings)
    for option in options_of(settings).values()
    if option.signed is not None
}
"""Field of a signature -> what it means."""


def left_out_in_words(run: FinishedRun) -> str:
    """Say which input rows were not scored, and how many warnings there are; empty if none."""
    parts = describe_losses(run.record["rows"])
    if warnings := len(run.record["warnings"]):
        parts.append(counted(warnings, "warning"))
    return f"{'; '.join(parts)}; see What was computed." if parts else ""


def section(run: FinishedRun) -> Section:
    """Make the section on what was computed."""
    return Section(
        "computed",
        "What was computed",
        "Two results are comparable if their signatures differ at most in the fields ci and "
        "measures. If a paper prints another number, segscore reconcile finds out how it may have "
        "been computed.",
        [*_figures(run)],
    )


def _figures(run: FinishedRun) -> Iterator[Figure]:
    if run.record["warnings"]:
        warnings = [[warning] for warning in run.record["warnings"]]
        yield Figure("Warnings", table=PageTable(["warning"], warnings), folded=False, wide=True)
    fields = [
        [name, value, _MEANINGS.get(name, "")]
        for name, value in signature.fields(run.signature).items()
    ]
    heads = ["field", "value", "meaning"]
    yield Figure("The signature, field by field", table=PageTable(heads, fields), wide=True)
    by_table = run.record["rows"]
    has_copies = any("copies" in counts for counts in by_table.values())
    outcomes = [*ROW_COUNTS, *["copies"] * has_copies]
    rows = [[name, *(counts.get(key, 0) for key in outcomes)] for name, counts in by_table.items()]
    added = Missing.of_record(run.record.get("missing")).added
    besides = (
        f" {added:,} hypotheses without boundaries were added, for documents of which a system has "
        "none."
    )
    yield Figure(
        "Input rows",
        "Every row is scored, rejected because it breaks a rule, or unpaired."
        + " Exact copies of rows are left out." * has_copies
        + besides * bool(added),
        PageTable(["table", *outcomes], rows),
        folded=False,
    )
    if rejected := _rejected(run):
        yield Figure(
            "Rejected rows, by rule",
            "The table rejects lists each row, with its file and what is wrong with it.",
            PageTable(["rule", "table", "rows"], rejected),
            folded=False,
        )
    yield Figure("Input files", table=_inputs(run))
    versions = [*run.record["versions"].items()]
    yield Figure("Versions", table=PageTable(["library", "version"], versions))
    seconds = [[stage, f"{value:.2f}"] for stage, value in run.record["seconds"].items()]
    yield Figure("Seconds per stage", table=PageTable(["stage", "seconds"], seconds))


def _rejected(run: FinishedRun) -> list[list[Cell]]:
    counts: Counter[tuple[str, str]] = Counter()
    for part in run.parts("rejects", ["rule", "table"]):
        rules, tables = (part.column(name).to_pylist() for name in ("rule", "table"))
        counts.update(zip(rules, tables, strict=True))
    return [[rule, table, rows] for (rule, table), rows in sorted(counts.items())]


def _inputs(run: FinishedRun) -> PageTable:
    rows: list[list[Cell]] = []
    left = 0
    for name, files in run.recorded_inputs.items():
        rows += [[name, file["url"], file["size"], file["version"]] for file in files[:FILES]]
        left += max(0, len(files) - FILES)
    more = f"run.json lists {left} more files." if left else ""
    return PageTable(["table", "file", "bytes", "version"], rows, more)

"""The first page of `--help`: the commands in groups, common options, and examples."""

FIRST = (
    "score", "compare", "report", "explain", "import", "answers", "agree", "nightly", "trend",
    "show",
)  # fmt: skip
"""The commands that people need, which `segscore --help` describes."""

FURTHER = (
    "validate", "project", "export", "sweep", "suspects", "reconcile", "consensus",
    "simulate-coders", "simulate-power", "simulate-values", "measures", "testsets", "cite",
)  # fmt: skip
"""The commands that `segscore --help` only names."""

UNLISTED = ("trend-table", "warm-up")
"""Commands that `segscore --help` does not name."""

WITH_VERDICT = ("score", "compare", "agree", "sweep", "nightly", "trend", "suspects", "show_run")
"""Functions of the commands that say a verdict, which have `--quiet`."""

LINES = {
    "simulate-coders": "simulate coders",
    "simulate-power": "simulate power",
    "simulate-values": "simulate values",
    "trend-table": "trend --table",
}
"""Command of two words -> how it is written on the command line."""

OLD_NAMES = {
    "calibrate": "simulate-values", "certify": "simulate-power", "doctor": "suspects",
    "history": "trend-table", "simulate": "simulate-coders", "status": "show",
}  # fmt: skip
"""Name before 0.3, which is accepted until 1.0 -> the command."""

SYNONYMS = {
    "convert": "import", "diff": "compare", "eval": "score", "evaluate": "score",
    "plot": "report",
}  # fmt: skip
"""What people call a command -> its name."""

COMMON = {
    "score": (
        "--output", "--measures", "--reference-points", "--group-by", "--resample-by",
        "--documents", "--trials", "--consensus", "--missing", "--n-t", "--window", "--layout",
        "--format", "--quiet", "--workers", "--fresh", "--help",
    ),
    "compare": (
        "--measure", "--systems", "--group-by", "--resample-by", "--average", "--margin",
        "--difference", "--where", "--changes", "--gate", "--layout", "--format", "--quiet",
        "--figure", "--output", "--help",
    ),
    "sweep": (
        "--output", "--measure", "--thresholds", "--tolerances", "--n-t", "--tolerance",
        "--documents", "--format", "--figure", "--workers", "--fresh", "--help",
    ),
    "agree": (
        "--output", "--documents", "--similarity", "--group-by", "--without", "--candidate",
        "--next", "--n-t", "--layout", "--format", "--figure", "--workers", "--fresh", "--help",
    ),
    "nightly": (
        "--date", "--from", "--to", "--gate", "--accept", "--system",
        "--rule", "--rejudge", "--dry-run", "--runs", "--keep", "--message", "--format", "--help",
    ),
    "import": (
        "--output", "--format", "--role", "--coder", "--document-id", "--unit", "--time-unit",
        "--documents", "--columns", "--tier", "--testset", "--max-rejects", "--help",
    ),
    "answers": (
        "--output", "--format", "--source", "--coder", "--labels", "--numbers", "--quotes",
        "--answer", "--truncated", "--failed", "--unit", "--max-rejects", "--help",
    ),
}  # fmt: skip
"""Command with many options -> those that `--help` lists, in this order."""

EXAMPLES = {
    "score": (
        "references.parquet hypotheses.parquet --output run",
        "references systems --reference-points random-own --output run",
        "references systems --group-by corpus --measures pk --output run",
    ),
    "compare": (
        "run",
        "run --measure window_diff --systems a,b",
        "new old --gate 'boundary_similarity>=-0.01'",
    ),
    "sweep": (
        "references scored --measure pk,f1 --output run",
        "references hypotheses --tolerances 0,500,1000 --output run",
    ),
    "agree": (
        "codings.parquet --output audit",
        "codings.parquet --group-by month --output audit",
        "codings.parquet --candidate model --output audit",
    ),
    "nightly": (
        "--settings segscore.toml --date 2026-03-14",
        "--settings segscore.toml --from 2026-03-01 --to 2026-03-14",
        "--settings segscore.toml --date today --accept 'new model'",
    ),
    "import": (
        "episodes/*.vtt --output tables",
        "labels.csv --format labels --output tables",
        "systems/*.jsonl --role hypothesis --output tables",
    ),
    "answers": (
        "a.jsonl --format numbered --source texts.jsonl --output out",
        "a.jsonl --format rewritten --source texts.jsonl --output out",
    ),
    "report": ("run --output report.html", "audit"),
}
"""Command -> what stands behind its name in examples."""

"""What `--help` shows first: the commands in groups, common options, and examples."""

GROUPS = {
    "Score and compare systems": (
        "score", "compare", "report", "explain", "doctor", "sweep", "reconcile", "certify",
    ),
    "Audit coders": ("agree", "consensus", "calibrate", "simulate"),
    "Bring data in and out": ("import", "answers", "project", "validate", "export"),
    "Every night": ("nightly", "trend", "history", "status"),
    "Look up": ("measures", "testsets", "cite", "warm-up"),
}  # fmt: skip
"""Heading -> the commands below it; every command is in one group."""

SYNONYMS = {
    "convert": "import", "diff": "compare", "eval": "score", "evaluate": "score",
    "plot": "report", "show": "report",
}  # fmt: skip
"""What people call a command -> its name."""

COMMON = {
    "score": (
        "--output", "--measures", "--reference-points", "--group-by", "--resample-by",
        "--documents", "--trials", "--consensus", "--missing", "--n-t", "--window", "--layout",
        "--format", "--workers", "--fresh", "--help",
    ),
    "compare": (
        "--measure", "--systems", "--group-by", "--resample-by", "--average", "--margin",
        "--difference", "--where", "--changes", "--gate", "--layout", "--format", "--figure",
        "--output", "--help",
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
        "--settings", "--date", "--from", "--to", "--gate", "--accept", "--system",
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
        "systems/*.jsonl --role hypotheses --output tables",
    ),
    "answers": (
        "a.jsonl --format numbered --source texts.jsonl --output out",
        "a.jsonl --format rewritten --source texts.jsonl --output out",
    ),
    "report": ("run --output report.html", "audit"),
}
"""Command -> what stands behind its name in examples."""

"""A check of a gate that failed, and a night with it."""

from segscore.pipeline.nightly.verdict import (
    FAILED,
    PASSED,
    Check,
    Moved,
    Verdict,
)

RULE = "boundary_similarity>=-0.01"
CHECK = Check(
    RULE, "delta", "boundary_similarity", "micro", -0.01, "2026-11-04", 0.413, 0.469, 40, 40, 0,
    change=-0.056, p_adjusted=0.0008, result=FAILED,
    moved=tuple(Moved(name, 0.1, 0.4, shared=False) for name in "abcd"),
)  # fmt: skip
NIGHT = Verdict("2026-11-05", "", {}, {}, (), ("delta",), (), (), {}, PASSED, "", ())

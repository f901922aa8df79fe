"""Commands that are called one after the other in a process of somebody else leave it as it was."""

import gc
import os
from pathlib import Path

from segscore.pipeline.storage.object_stores import OFFLINE
from tests.support.command_line import Segscore
from tests.support.paths import DATA

STARGAZER = DATA / "stargazer.jsonl"


def test_nothing_is_exempted_from_garbage_collection(segscore: Segscore, tmp_path: Path) -> None:
    exempted, state = gc.get_freeze_count(), (gc.isenabled(), gc.get_threshold())
    run = tmp_path / "run"
    for arguments in (
        ("score", STARGAZER, STARGAZER, "--output", run),
        ("compare", run, "--replicates", "0", "--permutations", "0"),
        ("measures", "pk"),
        ("score", STARGAZER, "missing.jsonl", "--output", run),
        ("--offline", "explain", run, "--document", "stargazer"),
    ):
        segscore(*arguments)
        assert gc.get_freeze_count() <= exempted, arguments
        assert (gc.isenabled(), gc.get_threshold()) == state
        assert not os.environ.get(OFFLINE)

"""A worker that hangs is named after a while, with its part, and again after longer times."""

import logging
import os
import re
import signal
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest

from segscore.pipeline.runs import executors, watching
from segscore.pipeline.runs.executor import key_of
from tests.support.driven import wait

_HELD = r"has part-00003 since \d\d:\d\d:\d\d; "
_WORKER = r"worker tls://127\.0\.0\.1:\d+ "
SILENT = re.compile(
    rf"{_WORKER}has not been heard of for (\d+) s, since \d\d:\d\d:\d\d, and {_HELD}it hangs"
)
STALLED = re.compile(
    rf"no part has ended for (\d+) s, though all workers answer; {_WORKER}{_HELD}a part may be long"
)


class Listener(logging.Handler):
    """Keeps the seconds of warnings of a kind; at the second of a silence, a part may go on."""

    def __init__(self, kind: re.Pattern[str], go_on: Callable[[], object]) -> None:
        super().__init__(logging.WARNING)
        self.kind, self.go_on = kind, go_on
        self.seconds: list[int] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a warning."""
        if found := self.kind.match(record.getMessage()):
            self.seconds.append(int(found[1]))
            if self.seconds[-1] >= 2:  # a busy machine may deliver a late sign of life before
                self.go_on()


def stop(folder: str) -> str:
    """Stop this process, as if its machine hung, until it is told to go on."""
    (Path(folder) / "pid").write_text(str(os.getpid()))
    os.kill(os.getpid(), signal.SIGSTOP)
    return "done"


def hold(folder: str) -> str:
    """Wait for a file, as if a disk hung, in a process that gives signs of life."""
    wait((Path(folder) / "file").exists, "the file is there")
    return "done"


@pytest.mark.parametrize(
    ("task", "constant", "kind"),
    [(stop, "HANGING_SECONDS", SILENT), (hold, "STALLED_SECONDS", STALLED)],
    ids=["a stopped worker", "a part without an end"],
)
def test_a_worker_that_hangs_is_named(
    task: Callable[[str], str],
    constant: str,
    kind: re.Pattern[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def go_on() -> None:
        if task is hold:
            (tmp_path / "file").touch()
        else:
            os.kill(int((tmp_path / "pid").read_text()), signal.SIGCONT)

    monkeypatch.setattr(watching, constant, 1.0)
    monkeypatch.setattr(watching, "LOOK_SECONDS", 0.1)
    listener, logger = Listener(kind, go_on), logging.getLogger("segscore")
    logger.addHandler(listener)
    key = key_of("part-00003", uuid4().hex)
    try:
        with executors.connect("processes", 1) as executor:
            (outcome,) = executor.run_calls(task, {key: ()}, str(tmp_path))
    finally:
        logger.removeHandler(listener)
    assert (outcome.key, outcome.receipt) == (key, "done")
    assert len(listener.seconds) > 1
    assert listener.seconds[-1] >= 2

"""The message about a failed part advises to resume only if the same command may then succeed."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest

from segscore.pipeline.errors import (
    Absent,
    Failed,
    Inaccessible,
    NoResult,
    Refused,
    StartOver,
    Unreadable,
    Unsuitable,
)
from segscore.pipeline.runs.executors import Threads
from segscore.pipeline.runs.tasks import TaskRun, ignore_progress
from segscore.pipeline.scoring.settings import ScoreSettings

RESUME = "run the same command to resume"


@dataclass(frozen=True)
class Piece:
    """A part of nothing."""

    name: str


@dataclass(frozen=True)
class Everything:
    """What its tasks share: only the folder."""

    folder: str


def fail(_job: Everything, _part: Piece, error: BaseException) -> None:
    raise error


def message_of(folder: Path, error: BaseException) -> tuple[type[BaseException], str]:
    """Return the class and the message of what a run raises whose only part fails with an error."""
    settings = ScoreSettings("references", "hypotheses", str(folder / "run"))
    with Threads(1) as threads:
        run = TaskRun("score", settings, threads, ignore_progress)
        with pytest.raises((Refused, Failed)) as raised:
            run.tasks(fail, [Piece("part-0")], Everything(str(folder)), error, stage="scored")
    return raised.type, str(raised.value)


@pytest.mark.parametrize(
    "error",
    [
        Failed("no space left"),
        Inaccessible("the credentials have expired"),
        OSError(5, "Input/output error"),
        ConnectionResetError("a server hung up"),
    ],
)
def test_what_may_pass_is_resumed(tmp_path: Path, error: BaseException) -> None:
    raised, message = message_of(tmp_path, error)
    assert raised is Failed
    assert message.startswith("1 of 1 parts failed and nothing was published; the first, part-0: ")
    assert message.endswith(f"; finished parts are kept: {RESUME}")


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (Refused("too many types"), Unsuitable),
        (Absent("no rows"), Unsuitable),
        (Unsuitable("too long to be counted"), Unsuitable),
        (Unreadable("not UTF-8"), Unreadable),
    ],
)
def test_what_is_wrong_in_the_input_is_refused(
    tmp_path: Path, error: BaseException, expected: type[BaseException]
) -> None:
    assert message_of(tmp_path, error) == (expected, str(error))


@pytest.mark.parametrize("error", [StartOver("run again with --fresh"), NoResult("nothing there")])
def test_what_resuming_would_not_mend_is_said_alone(tmp_path: Path, error: BaseException) -> None:
    raised, message = message_of(tmp_path, error)
    assert (raised, message.endswith(f": {error}")) == (Failed, True)


@pytest.mark.parametrize(
    "error", [MemoryError("Unable to allocate 37.3 GiB"), pa.ArrowMemoryError("malloc failed")]
)
def test_what_needs_more_memory_would_need_it_again(tmp_path: Path, error: BaseException) -> None:
    raised, message = message_of(tmp_path, error)
    assert raised is Failed
    assert RESUME not in message
    assert f"{error}; the same command will need as much again: run it where" in message

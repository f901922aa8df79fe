"""What a command tells while it works, on standard error: for people, or one JSON object a line."""

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

LOG_FORMATS = ("text", "json")
PREFIXES = {"info": "", "warning": "warning: ", "error": "segscore: error: "}


class Log:
    """Where what is told goes to; one for the process, as standard error is."""

    def __init__(self) -> None:
        """Tell it to people until told otherwise."""
        self.format = "text"

    @property
    def structured(self) -> bool:
        """Whether lines are JSON objects."""
        return self.format == "json"

    def say(self, level: str, message: str, **fields: Any) -> None:
        """Tell something.

        Args:
            level: info, warning or error.
            message: a line for people.
            fields: what it says, for programs; in JSON beside time, level and message.
        """
        if not self.structured:
            print(PREFIXES[level] + message, file=sys.stderr)
            return
        time = datetime.now(UTC).isoformat(timespec="milliseconds")
        line = {"time": time, "level": level, "message": message, **fields}
        print(json.dumps(line, ensure_ascii=False, default=str), file=sys.stderr, flush=True)


LOG = Log()


class Passing(logging.Handler):
    """Pass on the warnings of modules that cannot import this one."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a warning as any other line."""
        LOG.say("warning", record.getMessage())


logging.getLogger("segscore").addHandler(Passing(logging.WARNING))


def choose(format_: str) -> str:
    """Take up ``--log-format``, before anything is told.

    Raises:
        Refused: no such format.
    """
    from segscore.pipeline.errors import Refused

    if format_ not in LOG_FORMATS:
        raise Refused(f"--log-format {format_}: must be one of {', '.join(LOG_FORMATS)}")
    LOG.format = format_
    return format_

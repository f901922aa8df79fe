"""Show the help of one format: the options of `import` or `answers` that its reader reads."""

import os
from collections.abc import Iterator, Sequence
from typing import Any

from segscore.pipeline.errors import Refused, nearest

_HELP, _FORMAT = ("--help", "-h"), "--format"


def asked_format(command: str, args: Sequence[str]) -> str | None:
    """Return the format whose help a command line asks for, or None.

    Args:
        command: name of the command.
        args: its words, such as `textgrid --help` or `--format textgrid --help`; the ending of the
            names of files will do, such as `srt`.

    Raises:
        Refused: the word is neither a format nor the name of a file.
    """
    if command not in ("import", "answers") or not {*_HELP} & {*args}:
        return None
    words = [word for word in args if word not in (*_HELP, _FORMAT)]
    if len(words) != 1:
        return None
    from segscore.pipeline.importing.answers.options import ANSWER_FORMATS
    from segscore.pipeline.importing.formats.known import FORMATS, format_key

    name = words[0].removeprefix(f"{_FORMAT}=")
    if name.startswith("-") or os.path.splitext(name)[1] or os.path.exists(name):
        return None
    plain = name.lower()
    of_ending = (key for key, known in FORMATS.items() if f".{plain}" in known.endings)
    if (key := format_key(plain) or next(of_ending, None)) is not None:
        return key
    known_here = ANSWER_FORMATS if command == "answers" else sorted(FORMATS)
    raise Refused(
        f"{name}: no such format{nearest(name, known_here)}; known are {', '.join(known_here)}"
    )


def options_of_format(name: str, every: Sequence[str], common: Sequence[str]) -> list[str]:
    """Return the flags of the options that a format reads, its own before those of all formats.

    Args:
        name: of the format.
        every: flags of all options of the command.
        common: flags that the help of the command lists, in their order; the first is required.
    """
    from segscore.pipeline.importing.formats.known import FORMATS, SPECIFIC_OPTIONS

    own = {_flag(option) for option in FORMATS[name].options}
    specific = {_flag(option) for option in SPECIFIC_OPTIONS}
    shared = [flag for flag in common if flag not in specific and flag != _FORMAT]
    return [shared[0], *(flag for flag in every if flag in own), *shared[1:]]


def introduction(name: str, command: Any) -> Iterator[str]:
    """Yield the usage of a command for one format, and what it reads."""
    from segscore.pipeline.importing.formats.known import FORMATS

    known = FORMATS[name]
    yield f"Usage: segscore {command.name} FILES... --format {name} --output TEXT [OPTIONS]"
    yield ""
    endings = ", ".join(known.endings)
    how = f"Files that end in {endings} need no --format." if endings else ""
    yield " ".join(filter(None, (f"Import files of the format {name}.", how)))
    yield f"What it reads: docs/jobs/import.md; all options: segscore {command.name} --help-all."


def _flag(option: str) -> str:
    return "--" + option.replace("_", "-")

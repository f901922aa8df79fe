"""Detect the format of a file from its name and its first characters."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath

from segscore.pipeline.errors import Refused
from segscore.pipeline.tables.formats import choi, csv_rows, jsonl, nltk_strings, segeval_json
from segscore.pipeline.tables.formats.rows import Defaults, ParsedRow

Reader = Callable[[Iterable[str], str, Defaults], Iterator[ParsedRow]]

FORMATS: dict[str, Reader] = {
    "jsonl": jsonl.read,
    "segeval": segeval_json.read,
    "choi": choi.read,
    "nltk": nltk_strings.read,
    "csv": csv_rows.read,
}
EXTENSIONS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "segeval",
    ".csv": "csv",
    ".tsv": "csv",
}
TEXT_EXTENSIONS = (".txt", ".ref")


def detect(name: str, head: str) -> str:
    """Return a file's key in FORMATS, from its extension or, for plain text, its first characters.

    `head` may end in the middle of a line, so the last of several lines is not tested for a mask.
    Raises Refused, naming the choices, if the format cannot be determined.
    """
    extension = PurePosixPath(name).suffix.lower()
    if extension in EXTENSIONS:
        return EXTENSIONS[extension]
    if extension in TEXT_EXTENSIONS:
        lines = [line.strip(" \r") for line in head.removeprefix("\ufeff").split("\n")]
        if choi.SEPARATOR in lines:
            return "choi"
        masks = [line for line in lines[:-1] or lines if line]
        if masks and all(_is_mask(line) for line in masks):
            return "nltk"
    choices = ", ".join(FORMATS)
    raise Refused(
        f"{name}: cannot tell its format from its name or content; name it with --format: {choices}"
    )


def _is_mask(line: str) -> bool:
    fields = line.split("\t")
    return len(fields) in (1, 3) and set(fields[-1]) <= {"0", "1"}

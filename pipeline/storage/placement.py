"""Check where a command may write: not over its inputs, around them, or inside them.

Places are compared by their canonical names (``storage.canonical``), so links, `..`, `file://`,
trailing slashes and the other protocols of a store make no difference.  A disk and a store, or two
stores, never overlap.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from segscore.pipeline import storage
from segscore.pipeline.errors import Absent, Refused
from segscore.pipeline.storage import Pattern
from segscore.pipeline.storage.listed_files import RUN_TABLES

RECORDS = ("run.json", "night.json", "simulation.json", "history.parquet")
_IMPORTED = ("references", "hypotheses", "documents", "codings")
DIGEST = "00000000"

_Inputs = Mapping[str, str | Sequence[str] | None]
"""Option or argument -> its value: one URL, several, or None if it was not given."""


def require_apart(
    output: str, inputs: _Inputs, *, option: str = "--output", is_file: bool = False
) -> None:
    """Refuse an output that overlaps with an input, before anything is written.

    A file next to the output is no overlap, nor is a glob that matches nothing a command writes:
    `data/*.parquet` may be the input of a run in `data/run`, but `data/**` may not.

    The option is the one that names the output, which is a folder unless ``is_file``.

    Raises:
        Refused: the output overlaps with an input, or is in a store that cannot be written to; the
            message says which one and how.
        Failed: no server answers.
    """
    storage.require_writable_store(option, output)
    target = storage.canonical(output)
    for name, url in _input_urls(inputs):
        if storage.is_local(url) != storage.is_local(output):
            continue
        glob = storage.pattern(url)
        if glob is None:
            overlap = _overlap(target, storage.canonical(url), f"the input {name} {url}")
        else:
            matches = _matching_files(output, url, is_file)
            overlap = _overlap_of_glob(target, glob, matches, f"the input {name} {url}", is_file)
        if overlap:
            kind = "file" if is_file else "new folder"
            raise Refused(f"{option} {output}: {overlap}; choose a {kind} outside the inputs")


def _input_urls(inputs: _Inputs) -> Iterator[tuple[str, str]]:
    for name, urls in inputs.items():
        for location in [urls] if isinstance(urls, str) else urls or ():
            for url in storage.split_locations(location):
                yield name, url


def is_inside(place: str, folder: str) -> bool:
    """Return whether a place is in a folder, at any depth; both are canonical names."""
    return place.startswith(folder.rstrip("/") + "/")


def _overlap(target: str, source: str, label: str) -> str:
    """Describe how an output and an input overlap; empty if they do not."""
    if target == source:
        return f"is {label} itself"
    if is_inside(target, source):
        return f"lies inside {label}"
    if is_inside(source, target):
        return f"{label} lies inside it"
    return ""


def _matching_files(output: str, url: str, is_file: bool) -> list[str]:
    """List the files that a glob matches now; none if the output folder is empty or missing."""
    if not is_file and not storage.names(output):
        return []
    try:
        return [file.url for file in storage.find(url)]
    except Absent:
        return []


def _overlap_of_glob(
    target: str, glob: Pattern, matched: Sequence[str], label: str, is_file: bool
) -> str:
    """Describe how an output and a glob overlap; empty if they do not."""
    for file in matched:
        source = storage.canonical(file)
        if target == source:
            return f"is {file}, which {label} matches"
        if is_inside(source, target):
            return f"{file}, which {label} matches, lies inside it"
    if is_file:
        return f"{label} would match it" if glob.matches(target) else ""
    names = (name for name in _output_names() if glob.matches(storage.join(target, name)))
    return "".join(f"{label} would match its file {name}" for name in islice(names, 1))


def _output_names() -> Iterator[str]:
    """Yield an example of every kind of file name that commands write to their output folder."""
    yield from RECORDS
    for table in (*RUN_TABLES, *_IMPORTED):
        for stem in (table, "inputs", f"part-00000-{DIGEST}"):
            yield f"{table}/{stem}-{DIGEST}.parquet"
            yield f"{table}/{stem}.parquet"
            yield f"_unfinished/{DIGEST}/{table}/{stem}.parquet"


def require_free(output: str, names: Sequence[str], *, option: str = "--output") -> None:
    """Refuse an output folder that contains a file or table to be written; the message names it."""
    existing = storage.names(output)
    for name in names:
        if name in existing:
            more = (
                "; to add a coder, import it into a folder beside this one, and name the tables of "
                f"both with a pattern, such as '{storage.join(_parent(output), '*', name, '*')}'"
                if name in ("references", "hypotheses") and option == "--output"
                else ""
            )
            raise Refused(
                f"{option} {output}: already contains {name}; choose another folder{more}"
            )


def _parent(url: str) -> str:
    return url.rstrip("/").rpartition("/")[0] or "."

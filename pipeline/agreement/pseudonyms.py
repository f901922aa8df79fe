"""Replace the names of coders by pseudonyms, whose key is in a file of its own.

They are replaced as rows are read, so that nothing that is written or printed has a name: neither
tables, warnings and sentences nor the settings in run.json.
"""

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from secrets import SystemRandom

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline import storage
from segscore.pipeline.agreement.settings import AgreeSettings
from segscore.pipeline.errors import Failed
from segscore.pipeline.settings.reading import read_renames
from segscore.pipeline.storage.placement import require_apart
from segscore.pipeline.tables.find import InputTable
from segscore.pipeline.tables.read import Rows, read_slices
from segscore.pipeline.tables.sources import Sources

Pseudonyms = Mapping[str, str]
"""The pseudonym of each coder."""

_OPTION = "--pseudonyms"


def with_pseudonyms(
    settings: AgreeSettings, codings: Iterable[Rows]
) -> tuple[AgreeSettings, Pseudonyms | None]:
    """Return the settings with pseudonyms for the coders that they name, and the key.

    Coders whom the file does not list are added to it; without a file, it is made.

    Args:
        settings: settings of an audit; if they name no file, nothing is read.
        codings: all codings, in blocks.

    Raises:
        Refused: the file cannot be read or written, or is where the run is written.
    """
    if settings.pseudonyms is None:
        return settings, None
    require_apart(settings.output, {_OPTION: settings.pseudonyms})
    key = _extended(settings.pseudonyms, _coders(codings))
    without = tuple(key.get(coder, coder) for coder in settings.without)
    candidate = settings.candidate
    if candidate is not None:
        candidate = key.get(candidate, candidate)
    return replace(settings, without=without, candidate=candidate), key


def codings_of(table: InputTable, sources: Sources | None) -> Iterator[Rows]:
    """Yield all codings as they are given, in a table or in memory."""
    if sources is not None:
        yield sources["codings"].read()
    else:
        yield from read_slices(table.slices, table.further)


def renamed(rows: Rows, key: Pseudonyms | None) -> Rows:
    """Return codings with pseudonyms instead of names.

    Raises:
        Failed: a coder has none, because the input has changed since the key was made.
    """
    if key is None:
        return rows
    at = rows.table.column_names.index("coder")
    kind = rows.table.schema.field(at).type
    encoded = rows.table.column(at).combine_chunks().cast(pa.string()).dictionary_encode()
    names = encoded.dictionary.to_pylist()
    if any(name not in key for name in names):
        raise Failed(f"{_OPTION}: the codings have changed since the run began; run again")
    values = pa.array([key[name] for name in names], pa.string())
    column = pa.DictionaryArray.from_arrays(encoded.indices, values).cast(pa.string()).cast(kind)
    return replace(rows, table=rows.table.set_column(at, rows.table.schema.field(at), column))


def _coders(codings: Iterable[Rows]) -> set[str]:
    names: set[str] = set()
    for rows in codings:
        names.update(pc.unique(rows.table.column("coder").cast(pa.string())).to_pylist())
    return {name for name in names if name is not None}


def _extended(path: str, coders: Collection[str]) -> Pseudonyms:
    """Read the key, and add the coders that it lacks to the file."""
    text = storage.read_text(path)
    known = {} if text is None else read_renames(_OPTION, path)
    new = sorted({*coders} - known.keys())
    if not new:
        return known
    # Numbers in the order of names would tell who is who.
    SystemRandom().shuffle(new)
    taken = {*known.values(), *known, *coders}
    free = (name for number in count(1) if (name := f"coder-{number:02d}") not in taken)
    key = known | dict(zip(new, free, strict=False))
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows([("coder", "name"), *key.items()])
    storage.write_text(path, written.getvalue())
    return key

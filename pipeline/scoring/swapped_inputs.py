"""Notice that references and hypotheses seem to have changed places, or to be mixed.

A shell replaces a glob without quotes by the names of its files.  The first of them is then read as
references, and the others as hypotheses, whatever is in them.
"""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from segscore.pipeline import storage
from segscore.pipeline.errors import Refused
from segscore.pipeline.storage.memory import row_group_limit
from segscore.pipeline.tables.find import InputTable, read_json_lines
from segscore.schemas.input_columns import ROLE

_OF_REFERENCES = {"reference", "references", "ref", "refs", "gold", "truth"}
_OF_HYPOTHESES = {"hypothesis", "hypotheses", "hyp", "hyps", "system", "systems"}
_SIDES = (_OF_REFERENCES, _OF_HYPOTHESES)


def warn_of_swapped_inputs(references: str, hypotheses: str) -> Iterator[str]:
    """Yield a warning if hypotheses have the references' name, and not their own.

    References without a name of either side are warned of, too.

    Names of folders that both locations are in do not count.
    """
    first, second = _words(references), _words(hypotheses)
    sides = [[bool(side & words) for side in _SIDES] for words in (first - second, second - first)]
    if not sides[0][0] and sides[1] == [True, False]:
        yield (
            f"references are read from {references}, and hypotheses from {hypotheses}; if they "
            "have changed places, exchange the two"
        )


def names_references(location: str) -> bool:
    """Return whether the last part of a location is named as references are."""
    return bool(_words(location.rstrip("/").rpartition("/")[2]) & _OF_REFERENCES)


def check_written_out(references: str, hypotheses: Sequence[str]) -> Iterator[str]:
    """Yield a warning if references may be the first file of a glob that the shell wrote out.

    Raises:
        Refused: one of several hypotheses is named as references are, and the first file is not.
    """
    folder, _, name = references.rpartition("/")
    if "." not in name or len(hypotheses) < 2 or _words(name) & _OF_REFERENCES:
        return
    if any(location.rpartition("/")[0] != folder for location in hypotheses):
        return
    for location in hypotheses:
        stem = _words(location.rpartition("/")[2].partition(".")[0])
        if stem and stem <= _OF_REFERENCES:
            raise Refused(
                f"HYPOTHESES {location}: is named as references are, but references are read from "
                f"{references}, the first of {len(hypotheses) + 1} files (a shell writes out a "
                "glob without quotes); name the file of references first, then those of systems"
            )
    if references < min(hypotheses):
        yield (
            f"references are read from {references}, the first of {len(hypotheses) + 1} files of "
            "one folder (a shell writes out a glob without quotes); if they are in another one, "
            "name it first"
        )


def refuse_partly_shared(references: InputTable, hypotheses: InputTable) -> None:
    """Refuse files whose rows are read on both sides, if one side has other files, too."""
    sides = [{file.url for file in table.files} for table in (references, hypotheses)]
    if sides[0] == sides[1]:
        return
    for url in sorted(sides[0] & sides[1]):
        if _has_rows_of_both_sides(url):
            raise Refused(
                f"{url}: is read both as references and as hypotheses, unlike other files; name "
                "only the files of the systems as HYPOTHESES, or put them in a folder of their own"
            )


def _has_rows_of_both_sides(url: str) -> bool:
    """Return whether a file has rows that do not state their role."""
    if not storage.is_json_lines(url):
        return ROLE not in storage.open_parquet(url).schema_arrow.names
    limit = row_group_limit(None)
    first, second = (read_json_lines(name, url, limit)[1] for name in ("references", "hypotheses"))
    return bool(np.isin(first, second).any())


def _words(location: str) -> set[str]:
    return {*re.findall("[a-z]+", location.lower())}

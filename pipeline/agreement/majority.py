"""One segmentation for each document out of several: `segscore consensus`.

Boundaries of different coders are one boundary if they lie within a distance; it is kept if enough
coders have it, at the middle of their positions.  Kazantseva & Szpakowicz 2012, section 6, do so
without a distance.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from importlib.metadata import version
from typing import Annotated, Any

import pyarrow as pa

from segscore.pipeline.agreement.confidence import confidence_table
from segscore.pipeline.agreement.extra_codings import Kind, kinds_of
from segscore.pipeline.agreement.left_out import WithoutOption, require_coders
from segscore.pipeline.agreement.preparation import Preparation, preparing
from segscore.pipeline.agreement.settings import ROUND
from segscore.pipeline.errors import Refused
from segscore.pipeline.runs.record import copies_left_out
from segscore.pipeline.settings.options import Option
from segscore.pipeline.settings.ranges import MOST_UNITS, in_unit_interval, within
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.pipeline.tables.columns import SEGMENTATIONS
from segscore.pipeline.tables.read import read_valid
from segscore.pipeline.tables.units import PER_SECOND, with_unit

AGREED, CONFIDENCE = "references", "confidence"
_RECORD = "consensus.json"
_CODER = "consensus"


@dataclass(frozen=True)
class ConsensusSettings:
    """Settings of `segscore consensus`.

    Attributes:
        share: least share of the coders of a document who have a boundary, in [0, 1]; 0: any. None:
            more than half of them.
        within: largest distance of positions that are one boundary, in units, at least 0.
        without: coders whose codings do not count.
    """

    share: Annotated[
        float | None,
        Option("At least this share of a document's coders; 0: any; default: more than half."),
    ] = None
    within: Annotated[int, Option("Largest distance of positions that are one boundary.")] = 0
    without: WithoutOption = ()

    def __post_init__(self) -> None:
        """Refuse a value that an option cannot have; the message names the option."""
        if self.share is not None:
            in_unit_interval("--share", self.share)
        within("--within", self.within, 0, MOST_UNITS)

    @property
    def rule(self) -> str:
        """Which boundaries are kept, in words."""
        if self.share is None:
            return "more than half of a document's coders"
        return f"at least {self.share} of a document's coders" if self.share else "any coder"

    def least(self, coders: int) -> int:
        """Return how many of a document's coders must have a boundary."""
        if self.share is None:
            return coders // 2 + 1
        share = Fraction(str(self.share))
        return max(1, -(-share.numerator * coders // share.denominator))


def write_consensus(codings: str, output: str, settings: ConsensusSettings) -> dict[str, Any]:
    """Read codings, and write ``references/`` and then ``consensus.json``.

    Returns:
        The contents of consensus.json: settings, rule, input files, numbers of rows, warnings.

    Raises:
        Refused: the input cannot be read or has no valid row, or the folder already contains a
            consensus.
    """
    written = (AGREED, CONFIDENCE, _RECORD)
    with preparing("consensus", codings, output, settings, written) as preparation:
        return _agree(codings, settings, preparation)


def _agree(codings: str, settings: ConsensusSettings, preparation: Preparation) -> dict[str, Any]:
    """Read codings, write what they agree on, and return the record."""
    table = preparation.table
    rows, rejects = read_valid(table, SEGMENTATIONS)
    first = rows.keep(kinds_of(rows, ROUND, None).kind == Kind.CODER)
    of_one_length, unequal, twice, copies = _by_document(first.table, settings.without)
    warnings = [*table.warnings]
    if later := len(rows) - len(first):
        warnings.append(f"{counted(later, 'coding')} of a later round left out")
    if twice:
        warnings.append(
            f"{counted(twice, 'coding')} left out, as a coder has several of one document and no "
            "column round says which is the first"
        )
    if copies:
        warnings.append(copies_left_out(copies))
    if rejects.num_rows:
        warnings.append(f"{rejects.num_rows} invalid rows left out; `segscore validate` lists them")
    if unequal:
        noun = "document" if unequal == 1 else "documents"
        warnings.append(f"{unequal} {noun} whose codings differ in length left out")
    if not of_one_length:
        raise Refused(f"{codings}: no document is left; {'; '.join(warnings)}")
    warnings += _warn_of_unions(of_one_length, settings)
    agreed = with_unit(_table(of_one_length, settings), table.unit)
    coded = {document: codings for document, (_, codings) in of_one_length.items()}
    positions = dict(zip(of_one_length, agreed.column("boundaries").to_pylist(), strict=True))
    near = 2 * PER_SECOND[table.unit] - 1 if table.unit in PER_SECOND else 1
    confidence = confidence_table(coded, positions, max(near, settings.within))
    record = {
        "settings": asdict(settings),
        "rule": settings.rule,
        "inputs": {"codings": [asdict(file) for file in table.files]},
        "rows": {"in": len(rows) + rejects.num_rows, "rejected": rejects.num_rows},
        "documents": len(agreed),
        "warnings": warnings,
        "versions": {"segscore": version("segscore")},
    }
    preparation.write(AGREED, "part-00000.parquet", agreed)
    preparation.write(CONFIDENCE, "part-00000.parquet", confidence)
    preparation.show(_RECORD, json.dumps(record, indent=2) + "\n")
    return record


_READ = ("document_id", "coder", "n_units", "boundaries")
CodedDocument = tuple[int, dict[str, list[int]]]
"""The number of units of a document, and its boundaries by coder."""


def _by_document(
    rows: pa.Table, without: Sequence[str]
) -> tuple[dict[str, CodedDocument], int, int, int]:
    """Return the codings of each document, and what was left out.

    Returns:
        The codings; the number of documents whose codings differ in length; the number of codings
        by a coder who has several of a document; the number of copies of other codings.

    Raises:
        Refused: a coder to leave out has no coding.
    """
    columns = [rows.column(name).to_pylist() for name in _READ]
    require_coders("--without", without, {*columns[1]})
    found: dict[str, list[tuple[str, int, list[int]]]] = {}
    for document, coder, n_units, boundaries in zip(*columns, strict=True):
        if coder not in without:
            found.setdefault(document, []).append((coder, n_units, sorted({*boundaries})))
    twice = copies = 0
    for document, codings in found.items():
        coded = [each for at, each in enumerate(codings) if each not in codings[:at]]
        copies += len(codings) - len(coded)
        number = Counter(coder for coder, _, _ in coded)
        found[document] = [each for each in coded if number[each[0]] == 1]
        twice += len(coded) - len(found[document])
    found = {document: coded for document, coded in found.items() if coded}
    of_one_length = {
        document: (coded[0][1], {coder: boundaries for coder, _, boundaries in coded})
        for document, coded in sorted(found.items())
        if len({n_units for _, n_units, _ in coded}) == 1
    }
    return of_one_length, len(found) - len(of_one_length), twice, copies


def _warn_of_unions(codings: Mapping[str, CodedDocument], settings: ConsensusSettings) -> list[str]:
    """Warn if a share that sounds like several coders is one coder, who then decides alone."""
    if not settings.share:
        return []
    unions = sum(
        len(coded) > 1 and settings.least(len(coded)) == 1 for _, coded in codings.values()
    )
    if not unions:
        return []
    return [
        f"--share {settings.share}: in {counted(unions, 'document')} with several coders, one of "
        "them is enough, so that every boundary is kept; without --share, more than half of the "
        "coders must have it"
    ]


def _table(codings: Mapping[str, CodedDocument], settings: ConsensusSettings) -> pa.Table:
    rows = [
        agreed_boundaries([*coded.values()], settings.least(len(coded)), settings.within)
        for _, coded in codings.values()
    ]
    return pa.table(
        {
            "document_id": pa.array([*codings], pa.string()),
            "coder": pa.array([_CODER] * len(rows), pa.string()),
            "n_units": pa.array([n_units for n_units, _ in codings.values()], pa.int32()),
            "boundaries": pa.array(rows, pa.list_(pa.int32())),
        }
    )


def agreed_boundaries(codings: Sequence[Sequence[int]], least: int, within: int) -> list[int]:
    """Return the boundaries that enough coders have, ascending.

    The position that most coders have within the distance comes first, of several the one to which
    they are nearest, then the leftmost.  Their boundaries become one, at the lower median of their
    positions, and are used up.

    >>> agreed_boundaries([[3, 9], [4], [5, 9]], 2, within=1)
    [4, 9]

    Args:
        codings: positions of each coder, ascending and distinct.
        least: how many coders must have a boundary, at least 1.
        within: largest distance of a coder's boundary from the position.
    """
    agreed = [
        position
        for together in _apart(codings, within)
        for position in _agreed_together(together, least, within)
    ]
    return sorted({*agreed})


def _apart(codings: Sequence[Sequence[int]], within: int) -> Iterator[list[list[int]]]:
    """Divide the boundaries where none is within the distance of the next."""
    marks = sorted((at, coder) for coder, coding in enumerate(codings) for at in coding)
    together: list[list[int]] = [[] for _ in codings]
    last = None
    for position, coder in marks:
        if last is not None and position - last > within:
            yield together
            together = [[] for _ in codings]
        together[coder].append(position)
        last = position
    yield together


def _agreed_together(left: list[list[int]], least: int, within: int) -> list[int]:
    """Return the agreed boundaries, each at the cost of those that it is made of."""
    agreed: list[int] = []
    while centres := sorted({position for coding in left for position in coding}):
        members, _, centre = max(
            (len(near), -sum(abs(p - centre) for p in near.values()), -centre)
            for centre in centres
            if (near := _near(left, centre, within))
        )
        if members < least:
            break
        chosen = _near(left, -centre, within)
        for coder, position in chosen.items():
            left[coder].remove(position)
        ordered = sorted(chosen.values())
        agreed.append(ordered[(len(ordered) - 1) // 2])
    return agreed


def _near(codings: Sequence[Sequence[int]], centre: int, within: int) -> dict[int, int]:
    """Return the boundary of each coder that is nearest to a position, if it is near."""
    nearest = {
        coder: min(coding, key=lambda position: (abs(position - centre), position))
        for coder, coding in enumerate(codings)
        if coding
    }
    return {coder: at for coder, at in nearest.items() if abs(at - centre) <= within}

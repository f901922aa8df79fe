"""Rows that were left out of a run, told in a line: of the tables in which its tasks list them."""

from collections import Counter
from collections.abc import Collection, Iterable

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline import storage
from segscore.pipeline.runs.run_folder import Attempt, prepared_files
from segscore.pipeline.scoring.hypotheses import Became

_NAMED = 5
_RULES = 3
IDS = 2
_REJECTS, _UNPAIRED = "rejects", "unpaired"
_JUDGED = ("hypotheses", "codings")
"""Input tables whose coders are what a run has results of."""


def warnings(found: Attempt, account: Became, scored: Collection[str]) -> list[str]:
    """Say which rules rejected rows, and which coders have no result at all for it.

    Args:
        found: where the run is prepared.
        account: what became of its rows.
        scored: the coders that have a result.
    """
    if not any(rows["rejected"] for rows in account.values()):
        return []
    rules, coders = Counter[str](), set[str]()
    for url in prepared_files(found, _REJECTS):
        rows = storage.read_columns(url, ["table", "rule", "coder"])
        rules += Counter(
            {each["values"]: each["counts"] for each in pc.value_counts(rows["rule"]).to_pylist()}
        )
        judged = rows.filter(pc.is_in(rows["table"], pa.array(_JUDGED)))
        coders.update(pc.unique(judged["coder"].drop_null()).to_pylist())
    where = storage.join(found.output, _REJECTS)
    gone = sorted(coders - {"", *scored})
    missing = [f"{name}: none of its rows could be scored" for name in gone[:_NAMED]]
    if len(gone) > _NAMED:
        missing.append(f"nor could any row of {len(gone) - _NAMED} more")
    return [f"rows were rejected: {_counted(rules)}; each is listed in {where}", *missing]


def _counted(rules: Counter[str]) -> str:
    most = sorted(rules.items(), key=lambda each: (-each[1], each[0]))
    told = ", ".join(f"{rows} {rule}" for rule, rows in most[:_RULES])
    more = sum(rows for _, rows in most[_RULES:])
    return f"{told}, {more} by other rules" if more else told


def reason(found: Attempt, sides: Iterable[str]) -> str:
    """Say why nothing could be scored: a row that was rejected, or ids that met no partner.

    Args:
        found: where the run is prepared.
        sides: the input tables whose rows were to meet.
    """
    rejected = _first_rejected(found)
    if rejected:
        where = storage.join(found.folder, _REJECTS)
        return f"; the first rejected: {rejected}; each is listed in {where}"
    ids: dict[str, set[str]] = {side: set() for side in sides}
    for url in prepared_files(found, _UNPAIRED):
        rows = storage.read_columns(url, ["table", "document_id"])
        for side, least in ids.items():
            own = rows.filter(pc.equal(rows["table"], side))["document_id"]
            ids[side] = {*sorted({*least, *pc.unique(own).to_pylist()})[:IDS]}
    told = [f"{side} have {', '.join(sorted(few))}" for side, few in ids.items() if few]
    return f": {'; '.join(told)}" if told else ""


def _first_rejected(found: Attempt) -> str:
    order = [("table", "ascending"), ("source", "ascending"), ("row", "ascending")]
    first: list[dict[str, object]] = []
    for url in prepared_files(found, _REJECTS):
        rows = storage.read_columns(url, [*dict(order), "rule", "detail"])
        first += rows.take(pc.select_k_unstable(rows, 1, order)).to_pylist()
    if not first:
        return ""
    row = min(first, key=lambda row: [row[name] for name in dict(order)])
    return f"{row['source']} row {row['row']}: {row['rule']} ({row['detail']})"

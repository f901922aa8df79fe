"""Entries of run.json about the input rows of a run, and warnings and errors about lost rows."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable
from importlib.metadata import PackageNotFoundError, distribution

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.errors import Failed
from segscore.pipeline.plain_text import first_named
from segscore.pipeline.runs.run_folder import REJECTS, UNPAIRED
from segscore.pipeline.runs.sink import Sink
from segscore.pipeline.tables.faults import EXACT_COPY
from segscore.pipeline.tables.validate import place_of

RowCounts = dict[str, dict[str, int]]
"""Input table -> numbers of rows: `in`, which is the sum of `scored`, `rejected`, `unpaired` and,
if there are any, `copies`: rows that are the same as others in every column."""

_TWICE = "unique_document_coder"
_NUMBER_TRIALS = (
    "if a system answered several times, number its answers in a column trial, or name the file of "
    "each run with --trials"
)
"""What to do about several hypotheses of one document by one coder, if they are meant."""

_BETWEEN_ROWS = {
    _TWICE: "two rows of one document by one coder",
    "unique_document": "two rows of one document",
    "n_units_agree": "other lengths than other rows of the document",
}
"""Rules that compare several rows, in words for a message."""

SCHEMA = 3
"""Version of the tables and of run.json; runs of 0.1 and 0.2 have none."""

_LIBRARIES = ("segscore", "numpy", "pyarrow", "pandera", "numba", "dask", "distributed")
_MAX_CODERS = 5
_MAX_RULES = 3
_MAX_IDS = 2
_CODER_TABLES = ("hypotheses", "codings")
"""Input tables whose coders are those that a run has results for."""


_MOST_ALIKE = 3
"""Number of groups of similar names that a warning lists."""

_TABLES = {"references", "hypotheses", "documents", "codings"}
_OUTCOMES, _COPIES = ("scored", "rejected", "unpaired"), "copies"


def warn_of_similar_names(coders: Collection[str]) -> list[str]:
    """Return a warning that lists a few names of coders that a reader would take for the same."""
    alike: dict[str, list[str]] = {}
    for coder in sorted(coders):
        plain = " ".join(unicodedata.normalize("NFC", coder).split()).casefold()
        alike.setdefault(plain, []).append(coder)
    groups = [names for names in alike.values() if len(names) > 1]
    more = f" (and {len(groups) - _MOST_ALIKE} more)" if len(groups) > _MOST_ALIKE else ""
    listed = "; ".join(", ".join(map(ascii, names)) for names in groups[:_MOST_ALIKE])
    return [
        f"the names {listed}{more} differ only in capitals, blanks or the form of their Unicode, "
        "and are different coders; if they are one, give them one name in the input"
    ] * bool(groups)


_TRIAL_NAME = re.compile(r"(.+?)[ _.@#-]*(?:trial|run|seed|attempt|sample|answer)[ _-]?\d+", re.I)


def warn_of_trial_names(systems: Collection[str]) -> list[str]:
    """Return a warning of systems that are named as a trial of another system."""
    named = {name: found[1] for name in sorted(systems) if (found := _TRIAL_NAME.fullmatch(name))}
    trials = [f"{name} of {system}" for name, system in named.items() if system in systems]
    return [
        f"scored as systems of their own, but named as trials: {first_named(trials)}; if they are "
        "answers of one system, give them its name, and number them in a column trial"
    ] * bool(trials)


def require_row_counts(rows: RowCounts) -> None:
    """Check the row counts of a receipt, which may be forged.

    Raises:
        ValueError: a table or a count is unknown or missing, or the counts do not add up.
    """
    for table, counts in rows.items():
        if table not in _TABLES or counts.keys() - {_COPIES} != {"in", *_OUTCOMES}:
            raise ValueError(f"it does not have the row counts of {table}")
        if min(counts.values()) < 0 or rest_of(counts):
            raise ValueError(f"the row counts of {table} do not add up")


def rest_of(counts: dict[str, int]) -> int:
    """Return how many rows of a table are not counted yet among those that had some outcome."""
    return counts["in"] - sum(rows for name, rows in counts.items() if name != "in")


def count_rejected(rejects: pa.Table, table: str) -> dict[str, int]:
    """Count the rows of an input table that were rejected, and the copies if there are any."""
    rules = rejects["rule"].filter(pc.equal(rejects["table"], table))
    copies = pc.sum(pc.equal(rules, EXACT_COPY)).as_py() or 0
    return {"rejected": len(rules) - copies, **({_COPIES: copies} if copies else {})}


def name_of_rows(table: str, rows: int) -> str:
    """Return what to call rows of an input table, such as `hypothesis` for one of `hypotheses`."""
    one = {"hypotheses": "hypothesis"}.get(table, table.removesuffix("s"))
    return one if rows == 1 else table


def describe_losses(rows: RowCounts) -> list[str]:
    """Say of each input table how many of its rows were not scored, and why."""
    outcomes = {"rejected": "rejected", _COPIES: "left out as copies", "unpaired": "unpaired"}
    return [
        f"{table}: {counts[outcome]:,} of {counts['in']:,} rows {said}"
        for table, counts in rows.items()
        for outcome, said in outcomes.items()
        if counts.get(outcome)
    ]


def add_rows(parts: Iterable[RowCounts]) -> RowCounts:
    """Add up the row counts of disjoint parts of the input."""
    total: RowCounts = {}
    for part in parts:
        for table, counts in part.items():
            so_far = total.setdefault(table, {})
            for name, rows in counts.items():
                so_far[name] = so_far.get(name, 0) + rows
    return total


def versions(further: Iterable[str]) -> dict[str, str]:
    """Return the versions of segscore, the libraries that runs use, and further ones.

    Those that are not installed, such as Dask without the extra `cluster`, are left out.
    """
    found = {name: _version(name) for name in (*_LIBRARIES, *further)}
    return {name: version for name, version in found.items() if version is not None}


def _version(library: str) -> str | None:
    """Return the version of an installed library, without parsing all of its metadata."""
    try:
        installed = distribution(library)
    except PackageNotFoundError:
        return None
    metadata = installed.read_text("METADATA") or installed.read_text("PKG-INFO") or ""
    return metadata.partition("\nVersion: ")[2].partition("\n")[0]


def require_few_rejects(sink: Sink, account: RowCounts, max_rejects: float) -> None:
    """Check that a run did not reject too large a share of its input rows to be published.

    The largest share is in [0, 1].

    Raises:
        Failed: the share is larger; the message gives the numbers, and where the rejects are.
    """
    rejected = sum(table["rejected"] for table in account.values())
    rows = sum(table["in"] for table in account.values())
    if rejected > max_rejects * rows:
        published = "the run stays" if sink.done else "nothing was"
        raise Failed(
            f"{_describe_rejects(sink, rejected)}; --max-rejects {max_rejects} allows "
            f"{int(max_rejects * rows)} of {rows} input rows; {published} published; the rejects "
            f"are listed in {sink.written_to(REJECTS)}"
        )


def _describe_rejects(sink: Sink, rejected: int) -> str:
    """Say what was rejected, why most of it was, and where: a coder and a document."""
    rules, documents = Counter[tuple[str, str]](), dict[tuple[str, str], set[tuple[str, str]]]()
    for rows in sink.read(REJECTS, ["table", "rule", "coder", "document_id"]):
        for row in _without_copies(rows).to_pylist():
            key = row["table"], row["rule"]
            rules[key] += 1
            places = documents.setdefault(key, set())
            places.add((row["coder"] or "", row["document_id"] or ""))
    if not rules:
        return f"{rejected} input rows were rejected"
    (table, rule), number = min(rules.items(), key=lambda item: (-item[1], item[0]))
    coder, document = min(documents[table, rule])
    others = len({name for _, name in documents[table, rule]}) - 1
    where = document + (f" and {others} other document{'s' * (others > 1)}" if others else "")
    if rule == _TWICE:
        why = f"{coder} has two rows for {where}"
    else:
        meaning = _BETWEEN_ROWS.get(rule)
        why = f"{'it breaks' if number == 1 else 'they break'} {rule}" + (
            f" ({meaning})" if meaning else ""
        )
        why += f", such as {coder} for {where}" if coder else f", such as {where}"
    if number < rejected:
        return f"{rejected} input rows were rejected, {number} of them {table}: {why}"
    what = f"{number} {name_of_rows(table, number)}"
    return f"{what} {'was' if number == 1 else 'were'} rejected: {why}"


def warn_of_rejects(
    rejects: Iterable[pa.Table], scored: Collection[str], listed_in: str
) -> list[str]:
    """Return warnings: copies, which rules rejected rows, and which coders have no result.

    The tables of rejects have the columns table, rule, coder and document_id; the scored coders
    have a result.
    """
    rules, coders, repeated = Counter[str](), set[str](), 0
    owners: list[tuple[str, str]] = []
    for rows in rejects:
        owners = sorted([*owners, *_first_owner(rows)])[:1]
        repeated += _count_repeated(rows)
        counts = pc.value_counts(rows["rule"]).to_pylist()
        rules += Counter({count["values"]: count["counts"] for count in counts})
        with_coder = rows.filter(pc.is_in(rows["table"], pa.array(_CODER_TABLES)))
        coders.update(pc.unique(with_coder["coder"].drop_null()).to_pylist())
    copies = rules.pop(EXACT_COPY, 0)
    without_result = sorted(coders - {"", *scored})
    warnings = [
        f"{name}: none of its rows could be scored" for name in without_result[:_MAX_CODERS]
    ]
    if len(without_result) > _MAX_CODERS:
        more = len(without_result) - _MAX_CODERS
        warnings.append(f"no row of {more} further coder{'s' * (more > 1)} could be scored")
    listed = f"all are listed in {listed_in}"
    such_as = "".join(f", such as {coder} for {document}" for coder, document in owners)
    return [
        *([f"{copies_left_out(copies)}; {listed}"] if copies else []),
        *([f"rows were rejected: {format_counts(rules)}{such_as}; {listed}"] if rules else []),
        *([_NUMBER_TRIALS] if 2 * repeated > rules.total() else []),
        *warnings,
    ]


def copies_left_out(copies: int) -> str:
    """Say how many rows were left out because they are the same as others."""
    if copies == 1:
        return "1 row is an exact copy of another one and was left out"
    return f"{copies:,} rows are exact copies of others and were left out"


def _first_owner(rejects: pa.Table) -> list[tuple[str, str]]:
    """Return the coder and the document of the first row that is no copy, if they are known."""
    rows = _without_copies(rejects).select(["coder", "document_id"]).drop_null()
    rows = rows.filter(pc.not_equal(rows["coder"], ""))
    if not len(rows):
        return []
    order = [(name, "ascending") for name in rows.column_names]
    first = rows.take(pc.select_k_unstable(rows, 1, order)).to_pylist()
    return [(row["coder"], row["document_id"]) for row in first]


def _without_copies(rejects: pa.Table) -> pa.Table:
    return rejects.filter(pc.not_equal(rejects["rule"], EXACT_COPY))


def _count_repeated(rejects: pa.Table) -> int:
    """Count the rejected hypotheses that are not the only one of their coder."""
    of_systems = pc.equal(rejects["table"], "hypotheses")
    return pc.sum(pc.and_(of_systems, pc.equal(rejects["rule"], _TWICE))).as_py() or 0


def format_counts(rules: Counter[str]) -> str:
    """Write how many rows broke each rule, most first; some rules are counted together."""
    by_count = sorted(rules.items(), key=lambda rule: (-rule[1], rule[0]))
    listed = ", ".join(f"{rows} {rule}" for rule, rows in by_count[:_MAX_RULES])
    more = sum(rows for _, rows in by_count[_MAX_RULES:])
    return f"{listed}, {more} by other rules" if more else listed


def why_nothing_scored(sink: Sink, sides: Iterable[str]) -> str:
    """Return the end of a message that explains why nothing could be scored.

    It gives the first rejected row or, if no row was rejected, examples of unpaired ids.

    The sides are the input tables whose rows should have been paired.
    """
    rejects = [*sink.read(REJECTS, [*REJECT_ORDER, "rule", "detail"])]
    unpaired = sink.read(UNPAIRED, ["table", "document_id"])
    return explain_losses(rejects, unpaired, sides, count_broken_rules(rejects))


def count_broken_rules(rejects: Iterable[pa.Table]) -> str:
    """Say how many rows broke each rule, and what to do about several answers of a system.

    The tables of rejects have the columns table and rule.
    """
    rules: Counter[str] = Counter()
    for rows in (rejects := [*rejects]):
        rules.update(rows["rule"].to_pylist())
    listed = f"in all: {format_counts(rules)}"
    return f"{listed}; {_NUMBER_TRIALS}" if any(map(_count_repeated, rejects)) else listed


def explain_losses(
    rejects: Iterable[pa.Table], unpaired: Iterable[pa.Table], sides: Iterable[str], listed_in: str
) -> str:
    """Return the first rejected row or, if no row was rejected, examples of unpaired ids.

    The sides are the input tables whose rows should have been paired.
    """
    rejected = _first_rejected(map(_without_copies, rejects))
    if rejected:
        return f"; the first reject: {rejected}; {listed_in}"
    ids: dict[str, set[str]] = {side: set() for side in sides}
    for rows in unpaired:
        for side, first_ids in ids.items():
            side_ids = rows.filter(pc.equal(rows["table"], side))["document_id"]
            ids[side] = {*sorted({*first_ids, *pc.unique(side_ids).to_pylist()})[:_MAX_IDS]}
    listed = [
        f"{side} have {', '.join(sorted(examples))}" for side, examples in ids.items() if examples
    ]
    return f": {'; '.join(listed)}" if listed else ""


REJECT_ORDER = {"table": "ascending", "source": "ascending", "row": "ascending"}
"""Columns in whose order rejected rows are named."""


def _first_rejected(rejects: Iterable[pa.Table]) -> str:
    first: list[dict[str, object]] = []
    for rows in filter(len, rejects):  # Arrow 18 selects nothing from an empty table
        first += rows.take(pc.select_k_unstable(rows, 1, [*REJECT_ORDER.items()])).to_pylist()
    if not first:
        return ""
    row = min(first, key=lambda row: [row[name] for name in REJECT_ORDER])
    return f"{place_of(row)}: {row['rule']} ({row['detail']})"

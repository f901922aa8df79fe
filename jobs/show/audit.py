"""Print an audit on the terminal: coefficients, coders, contested documents, what they show."""

import textwrap
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from segscore.jobs.show.audit_work import AuditWork
from segscore.jobs.show.fitted import Column, print_fitted
from segscore.jobs.show.sentences import print_sentences
from segscore.pipeline.agreement.left_out import describe_without
from segscore.pipeline.statistics.sentences import Sentence
from segscore.pipeline.statistics.shown_numbers import (
    counted,
    shown_as,
    shown_attribute,
    shown_group,
    shown_interval,
    shown_number,
    shown_p,
)
from segscore.schemas.rows import CoderRow, CoefficientRow, DocumentRow, group_of

if TYPE_CHECKING:
    from segscore.pipeline.agreement.run import FinishedAudit

_Group = tuple[tuple[Any, ...], list[CoefficientRow]]
CODERS_SHOWN = 20
AUDITED_GROUPS = 3
"""Number of groups that Markdown shows."""

_DATES_SHOWN = 24
_SEVERAL = 2
_LONGEST_HEADING = 16
_GROUPS_SHOWN = 20
_CONTESTED_SHOWN = 5
_SMALL_BIAS = 0.005
"""The largest bias that is not shown."""


def print_audit(finished: "FinishedAudit", work: AuditWork) -> None:
    """Print coefficients, coders, contested documents and some groups, then what they show.

    Args:
        finished: the audit.
        work: how many codings to make next, and documents to adjudicate, are to be chosen.
    """
    from segscore.pipeline.agreement.findings import findings_of
    from segscore.pipeline.runs.finished import grouped, measured_unit, rows_over_all

    by, unit = list(finished.record["settings"]["group_by"]), measured_unit(finished.record)
    coefficients: list[CoefficientRow] = finished.by_group["agreement"].to_pylist()
    coders: list[CoderRow] = finished.by_group["coders"].to_pylist()
    whole, *parts = grouped(coefficients, by).items()
    left_out = describe_without(finished.record.get("left_out", {}))
    _print_coefficients(by, whole, unit, left_out)
    over_all = [row for row in coders if group_of(row, by) == whole[0]]
    _print_coders(over_all, unit)
    _print_candidate(over_all, finished.record["settings"].get("candidate"))
    _print_types(rows_over_all(finished.by_group["types"], by))
    _print_contested(finished.contested)
    _print_by_date(coders, by)
    _print_groups(by, parts)
    work.print(finished)
    print_sentences(map(Sentence, findings_of(finished, finished.contested)))


def _print_coefficients(
    by: list[str], rows_of_group: _Group, unit: str | None, left_out: str = ""
) -> None:
    """Print the coefficients of a group, without those that mean nothing where units are times."""
    from segscore.pipeline.agreement.sentences import meaningful

    group, of_group = rows_of_group
    first, kept = of_group[0], meaningful(of_group, unit)
    rows = _merged(kept)
    is_time = len(kept) < len(of_group)
    similarities = [row["similarity"] for row in rows]
    repeated = [one == before for one, before in pairwise([None, *similarities])]
    without = f", {left_out}" if left_out else ""
    more = f"; coefficients that count every {unit} are in the table agreement" * is_time
    print_fitted(
        [
            Column(
                "similarity",
                ["" if again else name for name, again in zip(similarities, repeated, strict=True)],
                is_name=True,
            ),
            Column("coefficient", [row["coefficient"] for row in rows], is_name=True),
            *_value_columns(rows),
        ],
        title=shown_group(by, group) or "all documents",
        caption=f"{counted(first['codings'], 'coding')} by {counted(first['coders'], 'coder')} of "
        f"{counted(first['documents'], 'document')}, {counted(first['pairs'], 'pair')}{without}"
        f"{more}",
    )


def _value_columns(rows: Sequence[CoefficientRow]) -> list[Column]:
    return [
        Column("value", [shown_number(row["value"]) for row in rows]),
        Column("95 % interval", [shown_interval(row["ci_low"], row["ci_high"]) for row in rows]),
        Column("actual", [shown_number(row["actual"]) for row in rows]),
        Column("expected", [shown_number(row["expected"]) for row in rows]),
    ]


def _merged(rows: Sequence[CoefficientRow]) -> list[CoefficientRow]:
    """Return a row for pi and kappa where both look the same, and bias where it is large."""
    merged: list[CoefficientRow] = []
    for row in rows:
        before = merged[-1] if merged else None
        if row["coefficient"] == "bias" and abs(row["value"] or 0) <= _SMALL_BIAS:
            continue
        if (
            before is not None
            and (before["coefficient"], row["coefficient"]) == ("pi", "kappa")
            and before["similarity"] == row["similarity"]
            and shown_number(before["value"]) == shown_number(row["value"])
        ):
            merged[-1] = before | {"coefficient": "pi, kappa"}
        else:
            merged.append(row)
    return merged


def _print_groups(by: list[str], groups: Sequence[_Group]) -> None:
    """Print pi of the first similarity in each group."""
    rows = [
        (group, row) for group, of_group in groups for row in of_group if row["coefficient"] == "pi"
    ]
    first = [(group, row) for group, row in rows if row["similarity"] == rows[0][1]["similarity"]]
    if not first:
        return
    shown = first[:_GROUPS_SHOWN]
    more = len(first) - len(shown)
    print_fitted(
        [
            Column(", ".join(by), [_values(group) for group, _ in shown], is_name=True),
            *_value_columns([row for _, row in shown]),
            Column("documents", [f"{row['documents']:,}" for _, row in shown]),
        ],
        title=f"pi by {first[0][1]['similarity']} in each group",
        caption=f"{more} more {'are' if more > 1 else 'is'} in the table agreement" * (more > 0),
    )


def _values(group: Sequence[object]) -> str:
    return ", ".join("–" if part is None else shown_attribute(part) for part in group)


def _print_coders(rows: list[CoderRow], unit: str | None) -> None:
    """Print coders, those whose rates are furthest from the mean first."""
    from segscore.pipeline.agreement.findings import stands_out
    from segscore.pipeline.agreement.sentences import a_minute, peer_ends

    rows = sorted(rows, key=lambda row: (-abs(row["deviation"] or 0), row["coder"]))
    more = len(rows) - CODERS_SHOWN
    marked = {row["coder"] for row in rows if stands_out(row)}
    remarks = ["* stands out, as described below"] * bool(marked)
    remarks += [f"{more} more {'are' if more > 1 else 'is'} in the table coders"] * (more > 0)
    rows = rows[:CODERS_SHOWN]
    names = [row["coder"] + " *" * (row["coder"] in marked) for row in rows]
    deviations = [shown_as(row["deviation"], "+.2f") for row in rows]
    if (minute := a_minute(unit)) is None:
        rates = Column("rate", [shown_number(row["rate"]) for row in rows])
    else:
        per_minute = [None if row["rate"] is None else minute * row["rate"] for row in rows]
        rates = Column("boundaries a minute", [shown_as(rate, ".2f") for rate in per_minute])
    print_fitted(
        [
            Column("coder", names, is_name=True),
            rates,
            Column("deviation", deviations),
            Column("B with peers", [shown_number(row["peer_boundary_similarity"]) for row in rows]),
            Column("95 % interval", [shown_interval(*peer_ends(row)) for row in rows]),
            Column(
                "pi without",
                [shown_number(row["without_pi_boundary_similarity"]) for row in rows],
            ),
            Column("documents", [str(row["documents"]) for row in rows]),
        ],
        title="coders, furthest from the mean rate first",
        caption="; ".join(remarks),
    )


def _print_candidate(rows: list[CoderRow], candidate: str | None) -> None:
    """Print how a candidate compares with each coder who is left out, if there is a candidate."""
    rows = [row for row in rows if row.get("candidate_documents")][:CODERS_SHOWN]
    if candidate is None or not rows:
        return
    wins = [{True: "yes", False: "no", None: "–"}[row["candidate_wins"]] for row in rows]
    print_fitted(
        [
            Column("coder left out", [row["coder"] for row in rows], is_name=True),
            Column("candidate as good", [shown_number(row["candidate_share"]) for row in rows]),
            Column("coder as good", [shown_number(row["coder_share"]) for row in rows]),
            Column("p", [shown_p(row["candidate_p"]) for row in rows]),
            Column("candidate wins", wins),
            Column("documents", [str(row["candidate_documents"]) for row in rows]),
        ],
        title=f"{candidate} in the place of each coder: shares of documents",
    )


def _print_types(rows: list[dict[str, Any]]) -> None:
    """Print how well coders agree on each boundary type, if there are several."""
    own = [row for row in rows if row["type"] == row["other_type"]]
    if len(own) < _SEVERAL:
        return
    print_fitted(
        [
            Column("boundary type", [str(row["type"]) for row in own], is_name=True),
            Column("B", [shown_number(row["boundary_similarity"]) for row in own]),
            Column("95 % interval", [shown_interval(row["ci_low"], row["ci_high"]) for row in own]),
            Column("pi (B)", [shown_number(row["pi"]) for row in own]),
            Column("same type if paired", [shown_number(row["share"]) for row in own]),
            Column("boundaries", [f"{row['boundaries']:,}" for row in own]),
        ],
        title="boundary types",
    )


def _print_contested(rows: list[DocumentRow]) -> None:
    rows = rows[:_CONTESTED_SHOWN]
    print_fitted(
        [
            Column("document", [row["document_id"] for row in rows], is_name=True),
            Column("contested", [shown_number(row["contested"]) for row in rows]),
            Column("mean B", [shown_number(row["boundary_similarity"]) for row in rows]),
            Column("mean WindowDiff", [shown_number(row["window_diff_mean"]) for row in rows]),
            Column("coders", [str(row["codings"]) for row in rows]),
            Column("mean segments", [shown_as(row["segments_mean"], ".1f") for row in rows]),
        ],
        title=f"the {len(rows)} most contested documents"
        if len(rows) > 1
        else "the most contested document",
    )


def _print_by_date(coders: list[CoderRow], by: list[str]) -> None:
    """Print how coders agree with their peers on each of the last dates, if groups are dates."""
    from segscore.pipeline.agreement.findings import by_date

    series = by_date(coders, by)
    if series is None:
        return
    last = slice(-_DATES_SHOWN, None)
    earlier = len(series.dates) - _DATES_SHOWN
    values = {"median\nof all": series.median} | {
        textwrap.fill(name, _LONGEST_HEADING): column for name, column in series.coders.items()
    }
    print_fitted(
        [
            Column(by[0], series.dates[last], is_name=True),
            *(Column(name, [*map(shown_number, column[last])]) for name, column in values.items()),
        ],
        title="B with peers by date, coders who stand out first",
        caption=f"{earlier} earlier dates are in the table coders" if earlier > 0 else "",
        whole=False,
    )

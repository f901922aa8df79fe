"""Tables of coders: boundary rates, agreement with others and with themselves, a candidate."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from segscore.pipeline.agreement.findings import stands_out
from segscore.pipeline.agreement.sentences import (
    PEER_SHOWN,
    SHOWN,
    WITHOUT_SHOWN,
    a_minute,
    peer_ends,
)
from segscore.pipeline.statistics.formatted_numbers import (
    format_p,
    shown_as,
    shown_change,
    shown_group_values,
)
from segscore.pipeline.statistics.result_table import Column, ResultTable, more_in
from segscore.schemas.rows import CoderRow, PeerRow, group_of

CODER_COLUMNS = (
    "coder",
    "documents",
    "peers",
    "rate",
    PEER_SHOWN,
    f"{PEER_SHOWN}_low",
    f"{PEER_SHOWN}_high",
    WITHOUT_SHOWN,
    "self_boundary_similarity",
    "self_boundary_similarity_low",
    "self_boundary_similarity_high",
    "candidate_share",
    "coder_share",
    "candidate_p",
    "candidate_wins",
)
"""Columns of `coders` that people read, after those of groups."""

NAMED = "named"
"""Heading of whether a coder is named for the rate."""

_FIRST = 20
_FEW, _LEAST = 8, 5
"""Up to so many coders, a terminal shows all; else so many, who agree least with the others."""

_CROWD = 20
"""From so many coders on, of whom none can be judged, they are ranked by shrunk effects."""


def _coder(rows: Sequence[CoderRow]) -> Column:
    return Column("coder", [row["coder"] for row in rows], is_name=True)


def _documents(rows: Sequence[CoderRow | PeerRow]) -> Column:
    return Column("documents", [row["documents"] for row in rows])


def _boundaries(rows: Sequence[CoderRow]) -> Column:
    return Column("boundaries", [row["boundaries"] for row in rows])


def _rate(rows: Sequence[CoderRow], unit: str | None) -> Column:
    """Return boundaries by potential boundary, or a minute if the unit is a time."""
    rates = [row["rate"] for row in rows]
    if (minute := a_minute(unit)) is None:
        return Column("rate", rates)
    scaled = [None if rate is None else minute * rate for rate in rates]
    return Column("boundaries a minute", scaled, write=partial(shown_as, form=".2f"))


def _effects(rows: Sequence[CoderRow]) -> Iterator[Column]:
    """Yield the effects of coders, unless nobody is judged."""
    effects = [row.get("agreement_effect") for row in rows]
    if any(effect is not None for effect in effects):
        yield Column("effect", effects, write=shown_change)
    elif len(rows) >= _CROWD:
        shrunk = [row.get("shrunk_effect") for row in rows]
        yield Column("shrunk effect", shrunk, write=shown_change)


def _with_peers(rows: Sequence[CoderRow]) -> Column:
    return Column("B with peers", [row[PEER_SHOWN] for row in rows], ends=[*map(peer_ends, rows)])


def _without(rows: Sequence[CoderRow]) -> Column:
    return Column("pi without", [row[WITHOUT_SHOWN] for row in rows])


def coders_table(rows: Sequence[CoderRow], unit: str | None) -> ResultTable:
    """Show all coders, those who agree least with the others first."""
    rows = sorted(rows, key=_least_first)
    marked = [stands_out(row) for row in rows]
    named = [row["coder"] + " *" * is_marked for row, is_marked in zip(rows, marked, strict=True)]
    return ResultTable(
        [
            Column("coder", named, is_name=True),
            _rate(rows, unit),
            *_effects(rows),
            _with_peers(rows),
            _without(rows),
            _documents(rows),
        ],
        title="coders, lowest agreement with the others first",
        caption="* stands out" * any(marked),
        first=None if len(rows) <= _FEW else _LEAST,
        rest=partial(more_in, "coders"),
    )


def _least_first(row: CoderRow) -> tuple[bool, float, bool, float, str]:
    """Return a key that sorts coders by effect, then those who are not judged by similarity."""
    effect, similar = row.get("agreement_effect"), row[PEER_SHOWN]
    if effect is None and (shrunk := row.get("shrunk_effect")) is not None:
        return True, shrunk, similar is None, similar or 0.0, row["coder"]
    return effect is None, effect or 0.0, similar is None, similar or 0.0, row["coder"]


def rates_table(
    rows: Sequence[CoderRow], unit: str | None, isolated: Callable[[str], str] = str
) -> ResultTable | None:
    """Show the rate of each coder, the highest first; None if none is known.

    Args:
        rows: the rows of `coders` over all documents.
        unit: what positions are counted in.
        isolated: makes a name safe in the sentences of a page.
    """
    known = sorted(
        (row for row in rows if row["rate"] is not None), key=lambda row: -(row["rate"] or 0)
    )
    if not known:
        return None
    named = ["yes" if row.get("outlying_rate") else "no" for row in known]
    far = ", ".join(isolated(row["coder"]) for row in known if row.get("outlying_rate"))
    minute = a_minute(unit)
    return ResultTable(
        [
            _coder(known),
            _rate(known, unit),
            Column(NAMED, named),
            _documents(known),
            _boundaries(known),
        ],
        title="Boundaries a minute" if minute else "Boundary rate",
        guide=f"{'Boundaries a minute' if minute else 'Boundaries per potential boundary'}. "
        f"Marks far more or far fewer than the others: {far or 'nobody'}.",
    )


def peers_table(rows: Sequence[CoderRow]) -> ResultTable:
    """Show how each coder agrees with the others, the most similar first."""
    rows = sorted(rows, key=lambda row: (row[PEER_SHOWN] is None, -(row[PEER_SHOWN] or 0)))
    peers = Column("peers", [row["peers"] for row in rows])
    return ResultTable(
        [_coder(rows), _with_peers(rows), _without(rows), peers],
        title=f"{SHOWN} to peers",
        guide="Pooled over all pairs that include the coder, with 95 % intervals. The table lists "
        "pi without the coder.",
    )


def themselves_table(rows: Sequence[CoderRow]) -> ResultTable | None:
    """Show how coders agree with their own earlier codings; None if none coded a document again."""
    again = [row for row in rows if row.get("self_pairs")]
    if not again:
        return None
    ends = [
        (row["self_boundary_similarity_low"], row["self_boundary_similarity_high"]) for row in again
    ]
    own = Column("B", [row["self_boundary_similarity"] for row in again], ends=ends)
    pairs = Column("pairs of codings", [row["self_pairs"] for row in again])
    columns = [_coder(again), own, _with_peers(again), pairs]
    return ResultTable(columns, title=f"{SHOWN} of coders to themselves")


def candidate_table(
    rows: Sequence[CoderRow], candidate: str | None, isolated: Callable[[str], str] = str
) -> ResultTable | None:
    """Show how a candidate compares with each coder who is left out; None without a candidate.

    Args:
        rows: the rows of `coders` over all documents.
        candidate: the candidate.
        isolated: makes a name safe in the sentences of a page.
    """
    rows = [row for row in rows if row.get("candidate_documents")]
    if candidate is None or not rows:
        return None
    wins = [{True: "yes", False: "no", None: None}[row["candidate_wins"]] for row in rows]
    return ResultTable(
        [
            Column("coder left out", [row["coder"] for row in rows], is_name=True),
            Column("candidate as good", [row["candidate_share"] for row in rows]),
            Column("coder as good", [row["coder_share"] for row in rows]),
            Column("p", [row["candidate_p"] for row in rows], write=format_p),
            Column("candidate wins", wins),
            Column("documents", [row["candidate_documents"] for row in rows]),
        ],
        title=f"{isolated(candidate)} in the place of each coder: shares of documents",
        guide="Shares of the documents in which the candidate agrees with the other coders at "
        "least as well as the coder who is left out, and the reverse; p is of the difference "
        "being as large as the margin.",
        first=_FIRST,
        rest=partial(more_in, "coders"),
    )


def system_pairs_table(rows: Sequence[PeerRow], names: Sequence[str], coders: int) -> ResultTable:
    """Show the similarity of each pair of the named coders; ``coders`` is the number of all."""
    rows = [row for row in rows if {row["coder"], row["peer"]} <= set(names)]
    left_out = coders - len(names)
    return ResultTable(
        [
            Column("coder", [row["coder"] for row in rows], is_name=True),
            Column("peer", [row["peer"] for row in rows], is_name=True),
            Column("B", [row[SHOWN] for row in rows]),
            Column("S", [row["segmentation_similarity"] for row in rows]),
            _documents(rows),
        ],
        title=f"{SHOWN} of each pair of coders",
        caption=f"{left_out} coders with fewer documents are only in the table peers."
        * (left_out > 0),
        guide="B is boundary similarity and S segmentation similarity, pooled over the documents "
        "that both coded; empty if there are none.",
    )


def dates_table(
    rows: Sequence[CoderRow], by: Sequence[str], unit: str | None
) -> ResultTable | None:
    """Show how each coder agrees with the peers in each group of one attribute, coder by coder.

    None if the groups are not those of one attribute.
    """
    if len(by) != 1:
        return None
    rows = sorted(rows, key=lambda row: (row["coder"], shown_group_values(group_of(row, by))))
    named = [shown_group_values(group_of(row, by)) for row in rows]
    return ResultTable(
        [
            _coder(rows),
            Column(by[0], named, is_name=True),
            Column("B with peers", [row[PEER_SHOWN] for row in rows]),
            _rate(rows, unit),
            _documents(rows),
        ],
        title=f"{SHOWN} to peers by {by[0]}",
        guide="Each line is a coder. A line that falls shows a coder who drifts away from others.",
    )


def coders_for_papers(rows: Sequence[CoderRow]) -> ResultTable:
    """Show all coders as a paper does."""
    columns = [_coder(rows), _documents(rows), _boundaries(rows), _with_peers(rows), _without(rows)]
    caption = "Coders; B is boundary similarity, 95 % intervals in brackets."
    return ResultTable(columns, caption=caption)

"""Tables of an audit's report: boundary types, coders compared with themselves, a candidate."""

from collections.abc import Iterator, Sequence

from segscore.pipeline.agreement.sentences import PEER_SHOWN, SHOWN
from segscore.pipeline.agreement.type_rows import types_over_all
from segscore.pipeline.reports.page import Cell, Figure, PageTable, Section, isolated
from segscore.pipeline.runs.finished import FinishedRun
from segscore.schemas.rows import CoderRow


def types(run: FinishedRun) -> Iterator[Section]:
    """List how well coders agree on each boundary type, and which they confuse, if any."""
    rows = types_over_all(run)
    if not rows:
        return
    names = ("boundaries", "paired", "share", SHOWN, "ci_low", "ci_high", "pi")
    cells: list[list[Cell]] = [
        [
            " and ".join(map(str, dict.fromkeys((row["type"], row["other_type"])))),
            *(row[name] for name in names),
        ]
        for row in rows
    ]
    table = PageTable(["type", *names[:3], SHOWN, "95 % from", "to", "pi"], cells)
    caption = (
        "Of one type, share is that of paired boundaries to which both coders gave it; of two "
        "types, that to which they gave different ones."
    )
    yield Section("types", "Boundary types", "", [Figure("By type", caption, table)])


def agreement_with_themselves(rows: Sequence[CoderRow]) -> Iterator[Figure]:
    """List how coders agree with their own earlier codings, if any coded a document again."""
    again = [row for row in rows if row.get("self_pairs")]
    cells: list[list[Cell]] = [
        [
            row["coder"],
            row["self_pairs"],
            row["self_boundary_similarity"],
            row["self_boundary_similarity_low"],
            row["self_boundary_similarity_high"],
            row[PEER_SHOWN],
        ]
        for row in again
    ]
    if again:
        heads = ["coder", "pairs of codings", SHOWN, "95 % from", "to", "to peers"]
        yield Figure(f"{SHOWN} of coders to themselves", table=PageTable(heads, cells))


def with_candidate(rows: Sequence[CoderRow], candidate: str | None) -> Iterator[Figure]:
    """List how a candidate compares with each coder, if there is one."""
    compared = [row for row in rows if row.get("candidate_documents")]
    cells: list[list[Cell]] = [
        [
            row["coder"],
            row["candidate_documents"],
            row["candidate_share"],
            row["coder_share"],
            row["candidate_p"],
            {True: "yes", False: "no", None: None}[row["candidate_wins"]],
        ]
        for row in compared
    ]
    if candidate is not None and compared:
        yield Figure(
            f"{isolated(candidate)} in the place of each coder",
            "Shares of the documents in which the candidate agrees with the other coders at least "
            "as well as the coder who is left out, and the reverse; p is of the difference being "
            "as large as the margin.",
            PageTable(
                ["coder", "documents", "candidate as good", "coder as good", "p", "wins"], cells
            ),
        )

"""The leaderboard: one order of systems, and columns that are shown wherever it is."""

from typing import Any

import pytest

import segscore
from segscore.jobs.show.leaderboard import print_scores
from segscore.pipeline.measures import ALL, FAMILIES, HEADLINES, PAIRS
from segscore.pipeline.measures.selection import select
from segscore.pipeline.reports.leaderboard import leaderboard as page_leaderboard
from segscore.pipeline.reports.ranking import Ranking
from segscore.pipeline.results import leaderboard
from segscore.pipeline.results.coverage import Coverage
from segscore.pipeline.results.crossed import summary_table
from segscore.pipeline.results.leaderboard import BoardColumn, as_named, measures_to_show, rank

REFERENCES = {f"d{i}": segscore.Segmentation([4], 9) for i in range(4)}
SYSTEMS = {
    "far": dict.fromkeys(REFERENCES, segscore.Segmentation([7], 9)),
    "exact": dict(REFERENCES),
    "absent": {"d0": segscore.Segmentation([4], 9)},
}


SAME = {name: SYSTEMS[name] for name in ("far", "exact")}


def test_a_column_is_written_once_and_shown_everywhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    column = BoardColumn("average", lambda values: len(values) > 1)
    monkeypatch.setattr(leaderboard, "COLUMNS", (*leaderboard.COLUMNS, column))
    evaluation = segscore.evaluate(REFERENCES, SYSTEMS, measures=["pk"])
    print_scores(evaluation.summary, "systems")
    heading = capsys.readouterr().out.splitlines()[0].split()
    assert heading == ["system", "pk", "↓", "documents", "average"]
    numbers = summary_table(evaluation.summary, "systems", ())
    values = numbers.for_programs
    assert [*values][:4] == ["hypothesis", "documents", "average", "pk"]
    assert [each.name for each in numbers.for_people] == ["system", "documents", "average", "pk"]
    assert [values[name][2] for name in [*values][:3]] == ["far", 4, "micro"]
    table = page_leaderboard(Ranking(evaluation.run, ALL["pk"], "macro"), {}).table
    assert table is not None
    assert list(table.headings) == ["rank", "system", "pk ↓", "to best", "documents", "average"]
    assert table.rows[0][-1] == "macro"
    assert "<th>average</th>" in evaluation._repr_html_()
    assert "average" in repr(evaluation).splitlines()[0]


def test_reference_points_come_last() -> None:
    points = ("all", "none")
    evaluation = segscore.evaluate(
        REFERENCES, SAME, measures=["pk", "b_f1"], reference_points=",".join(points)
    )
    rows = evaluation.summary.to_pylist()
    for measure in ("pk", "b_f1"):
        (board,) = rank((row for row in rows if row["average"] == "micro"), measure=measure)
        assert board.systems == ["exact", "far"]
        assert board.names[:2] == board.systems
        assert sorted(board.points) == [f"point:{name}" for name in points]
        assert board.contenders == ["exact", "far"]
        assert board.places == {"exact": 1, "far": 2}
        assert board.best(measure) == {"exact"}
        assert board.behind("exact") == 0
        far, exact = (board.average(measure, name)["value"] for name in ("far", "exact"))
        assert far is not None
        assert exact is not None
        assert board.behind("far") == far - exact
        assert board.measures[0] == measure
    assert rank([]) == []


def test_systems_with_too_few_shared_documents_are_not_ranked() -> None:
    evaluation = segscore.evaluate(REFERENCES, SYSTEMS, measures=["pk"], reference_points="none")
    board = evaluation.board
    assert board.names == ["absent", "exact", "far", "point:none"]
    assert (board.contenders, board.places, board.best("pk")) == ([], {}, set())
    assert board.behind("far") is None
    assert board.heading == "system"


@pytest.mark.parametrize(
    ("documents", "shared", "ranks"),
    [
        ((10, 12), 10, True),
        ((9, 12), 9, False),
        ((20, 24), 10, True),
        ((21, 24), 10, False),
        ((100, 12), 6, False),
        ((100, 100), None, False),
    ],
)
def test_ten_documents_and_half_of_the_fewest_are_enough(
    documents: tuple[int, ...], shared: int | None, ranks: bool
) -> None:
    assert Coverage(documents, same=False, shared=shared).ranks == ranks
    assert Coverage(documents, same=True).ranks


def test_equal_systems_have_the_same_rank_and_one_system_alone_is_not_best() -> None:
    same = dict.fromkeys(("a", "b"), SYSTEMS["far"]) | {"exact": SYSTEMS["exact"]}
    rows = segscore.evaluate(REFERENCES, same, measures=["pk"]).summary.to_pylist()
    (board,) = rank((row for row in rows if row["average"] == "micro"), measure="pk")
    assert board.places == {"exact": 1, "a": 2, "b": 2}
    one = segscore.evaluate(REFERENCES, {"exact": same["exact"]}, measures=["pk"])
    (board,) = rank((r for r in one.summary.to_pylist() if r["average"] == "micro"), measure="pk")
    assert board.places == {"exact": 1}
    assert board.best("pk") == set()


def test_the_measure_that_is_named_first_leads_and_ranks() -> None:
    """Near misses: `near` wins by boundary similarity, `few` by WindowDiff, whatever the order."""
    references = {"d": segscore.Segmentation([5, 12, 20, 31], 40)}
    systems = {
        "few": {"d": segscore.Segmentation([5, 12], 40)},
        "near": {"d": segscore.Segmentation([4, 11, 21, 30, 35], 40)},
    }
    found = {}
    orders: list[list[Any]] = [
        ["boundary_similarity", "window_diff"],
        ["window_diff", "boundary_similarity"],
    ]
    for names in orders:
        evaluation = segscore.evaluate(references, systems, measures=names)
        found[names[0]] = evaluation
        assert evaluation.board.measures == names
        assert evaluation.run.measures_in_order == tuple(names)
        table = summary_table(evaluation.summary, "systems", evaluation.run.measures_in_order)
        assert [column.name for column in table.for_people][-2:] == names
    assert len({each.signature for each in found.values()}) == 1
    assert found["window_diff"].summary.equals(found["boundary_similarity"].summary)


def test_families_expand_with_the_headlines_first() -> None:
    columns = [*ALL]
    window = {each.name for each in FAMILIES["window"].MEASURES}
    ordered = [*HEADLINES, *(name for name in columns if name not in HEADLINES)]
    of_family = [name for name in ordered if name in window]
    assert as_named(columns, ["b_f1", "window"])[: 1 + len(window)] == ["b_f1", *of_family]
    assert as_named(columns, ["all"]) == as_named(columns, []) == ordered
    default = as_named(columns, ["default", "r_miss"])
    assert default[:3] == ["boundary_similarity", "r_miss", "pk"]
    assert as_named(["pk", "recall"], ["recall", "b_f1", "pk", "recall"]) == ["recall", "pk"]
    assert measures_to_show(columns, ["recall", "window"])[0] == "recall"
    assert measures_to_show(columns, []) == measures_to_show(columns, ["all"])
    assert measures_to_show(columns, [])[0] == "boundary_similarity"


def test_measures_that_an_option_added_follow_the_first() -> None:
    of_run = [*select(()).pairs.measures, "tolerant_precision", "tolerant_recall", "tolerant_f1"]
    assert measures_to_show(of_run, [])[:3] == ["boundary_similarity", "tolerant_f1", "pk"]
    content = [*select(()).pairs.measures, "r_miss", "r_false_alarm", "story_miss"]
    first = ["boundary_similarity", "r_miss", "r_false_alarm", "pk"]
    assert measures_to_show(content, [])[:4] == first
    # An earlier version computed many by default, of which nobody asked for one.
    assert measures_to_show([*PAIRS.measures], [])[:2] == ["boundary_similarity", "pk"]

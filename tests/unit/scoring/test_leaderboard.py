"""The leaderboard: one order of systems, and columns that are shown wherever it is."""

import pytest

import segscore
from segscore.jobs.show.by_system import summary_layout
from segscore.jobs.show.leaderboard import print_scores
from segscore.pipeline.measures import ALL
from segscore.pipeline.reports.leaderboard import leaderboard as page_leaderboard
from segscore.pipeline.reports.ranking import Ranking
from segscore.pipeline.scoring import leaderboard
from segscore.pipeline.scoring.leaderboard import BoardColumn, rank

REFERENCES = {f"d{i}": segscore.Segmentation([4], 9) for i in range(4)}
SYSTEMS = {
    "far": dict.fromkeys(REFERENCES, segscore.Segmentation([7], 9)),
    "exact": dict(REFERENCES),
    "absent": {"d0": segscore.Segmentation([4], 9)},
}


def test_a_column_is_written_once_and_shown_everywhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    column = BoardColumn("average", lambda values: len(values) > 1)
    monkeypatch.setattr(leaderboard, "COLUMNS", (*leaderboard.COLUMNS, column))
    evaluation = segscore.evaluate(REFERENCES, SYSTEMS, measures=["pk"], replicates=0)
    print_scores(evaluation.summary, "systems")
    assert capsys.readouterr().out.splitlines()[1].split()[3:6] == ["documents", "average", "pk"]
    layout = summary_layout(evaluation.summary, "systems", evaluation.signature)
    assert layout.names[:4] == ["hypothesis", "documents", "average", "pk"]
    assert layout.headings == ["system", "documents", "average", "pk"]
    assert [row[:3] for row in layout.numbers][1] == ["far", 4, "micro"]
    table = page_leaderboard(Ranking(evaluation.run, ALL["pk"], "macro"), {}).table
    assert table is not None
    assert list(table.headings) == ["rank", "system", "pk ↓", "to best", "documents", "average"]
    assert table.rows[0][-1] == "macro"
    assert "<th>average</th>" in evaluation._repr_html_()
    assert "average" in repr(evaluation).splitlines()[0]


def test_systems_with_fewer_documents_and_reference_points_come_last() -> None:
    points = ("all", "none")
    evaluation = segscore.evaluate(
        REFERENCES, SYSTEMS, measures=["pk", "b_f1"], reference_points=",".join(points)
    )
    rows = evaluation.summary.to_pylist()
    for measure in ("pk", "b_f1"):
        (board,) = rank((row for row in rows if row["average"] == "micro"), measure=measure)
        assert board.systems == ["exact", "far", "absent"]
        assert board.names[:3] == board.systems
        assert sorted(board.points) == [f"point:{name}" for name in points]
        assert board.fewer == {"absent": 1}
        assert board.contenders == ["exact", "far"]
        assert board.places == {"exact": 1, "far": 2}
        assert board.best(measure) == {"exact"}
        assert board.behind("exact") == 0
        assert (
            board.behind("far")
            == board.average(measure, "far")["value"] - board.average(measure, "exact")["value"]
        )
        assert board.measures[0] == measure
    assert rank([]) == []


def test_equal_systems_have_the_same_rank_and_one_system_alone_is_not_best() -> None:
    same = dict.fromkeys(("a", "b"), SYSTEMS["far"]) | {"exact": SYSTEMS["exact"]}
    rows = segscore.evaluate(REFERENCES, same, measures=["pk"]).summary.to_pylist()
    (board,) = rank((row for row in rows if row["average"] == "micro"), measure="pk")
    assert board.places == {"exact": 1, "a": 2, "b": 2}
    one = segscore.evaluate(REFERENCES, {"exact": same["exact"]}, measures=["pk"])
    (board,) = rank((r for r in one.summary.to_pylist() if r["average"] == "micro"), measure="pk")
    assert board.places == {"exact": 1}
    assert board.best("pk") == set()

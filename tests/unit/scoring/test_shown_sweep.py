"""Tables of sweeps: ranks, best thresholds and operating points, on a terminal and on a page."""

from typing import Any

import pytest

from segscore.jobs.show.shown import print_result
from segscore.pipeline.reports.page import NumberCell, shown_figure
from segscore.pipeline.scoring.sweep.curves_tables import (
    points_table,
    thresholds_in_words,
    tolerances_in_words,
)
from segscore.pipeline.scoring.sweep.measures_tables import measures_table, threshold_in_words
from segscore.pipeline.scoring.sweep.ranks_tables import ranks_in_words, ranks_tables
from segscore.pipeline.statistics.result_table import ResultTable

Row = dict[str, Any]


def printed(table: ResultTable, capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    """The words of each line of a table on a terminal, without the line below its headings."""
    print_result(table)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    return [words for words in lines if not words or not words[0].startswith("─")]


def ranked(
    setting: str, choice: str, values: dict[str, float | None], tau: float | None
) -> list[Row]:
    known = sorted(value for value in values.values() if value is not None)
    return [
        {
            "measure": "pk",
            "setting": setting,
            "choice": choice,
            "own": choice in ("per-pair", "units"),
            "hypothesis": name,
            "value": value,
            "rank": None if value is None else 1.0 + known.index(value),
            "tau": tau,
        }
        for name, value in values.items()
    ]


def test_ranks_stand_beside_values_and_tau_below(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        *ranked("window", "per-pair", {"a": 0.5, "b": 0.25, "c": None}, 1.0),
        *ranked("window", "4", {"a": 0.3, "b": 0.4, "c": None}, -1.0),
        *ranked("units", "units", {"a": 0.5, "b": 0.25, "c": None}, 1.0),
        *ranked("units", "words", {"a": None, "b": None, "c": None}, None),
    ]
    (table,) = ranks_tables(rows)
    assert printed(table, capsys)[:7] == [
        ["pk", "↓:", "value", "and", "rank"],
        ["system", "window", "per-pair*", "window", "4", "units*", "words"],
        ["b", "0.2500", "(1)", "0.4000", "(2)", "0.2500", "(1)", "–"],
        ["a", "0.5000", "(2)", "0.3000", "(1)", "0.5000", "(2)", "–"],
        ["c", "–", "–", "–", "–"],
        [],
        ["Kendall's", "tau", "1.00", "-1.00", "1.00", "–"],
    ]
    page = shown_figure(table).table
    assert page is not None
    assert page.rows[0][:2] == ("b", NumberCell("0.2500", 0.25, "1"))
    assert page.apart[0][2] == NumberCell("-1.00", -1.0)
    assert page.numeric == {1, 2, 3, 4}


def test_a_table_of_ranks_is_of_one_measure() -> None:
    rows = ranked("window", "per-pair", {"a": 0.5}, None)
    tables = [*ranks_tables([*rows, *({**row, "measure": "f1"} for row in rows)])]
    assert [table.title for table in tables] == ["pk ↓: value and rank", "f1 ↑: value and rank"]


def measured(ends: tuple[float | None, float | None]) -> list[Row]:
    return [
        {
            "hypothesis": "a",
            "measure": "f1",
            "threshold": threshold,
            "value": 0.5 + threshold / 10,
            "best": threshold == 0.3,
            "near_best": threshold >= 0.2,
            "ci_low": ends[0] if threshold == 0.3 else None,
            "ci_high": ends[1] if threshold == 0.3 else None,
        }
        for threshold in (0.1, 0.2, 0.3, 0.4)
    ]


def test_an_interval_of_the_best_value_has_a_column(capsys: pytest.CaptureFixture[str]) -> None:
    heads, row, *_ = printed(measures_table(measured((0.4, 0.625))), capsys)
    assert " ".join(heads).endswith("value 95 % interval about as good")
    assert row == ["a", "f1", "0.3", "0.5300", *("0.4000", "to", "0.6250", "0.2", "to", "0.4")]
    heads, row, caption, _ = printed(measures_table(measured((None, None))), capsys)
    assert " ".join(heads) == "system measure best threshold value as good"
    assert row == ["a", "f1", "0.3", "0.5300", "0.2", "to", "0.4"]
    assert " ".join(caption) == "micro averages; the table measured has all thresholds"


def test_a_threshold_above_all_scores_is_a_dash_on_a_page() -> None:
    rates = dict.fromkeys(("pk_miss_rate", "pk_false_alarm_rate", "r_miss", "r_false_alarm"), 0.5)
    lengths = {"mean_segment_length": 3.0, "reference_mean_segment_length": 4.0}
    page = shown_figure(
        points_table(
            [
                {"hypothesis": "a", "threshold": None, **rates, **lengths},
                {"hypothesis": "b", "threshold": 0.123456, **rates, **lengths},
            ]
        )
    ).table
    assert page is not None
    assert [row[1] for row in page.rows] == [None, NumberCell("0.123456", 0.123456)]
    assert page.numeric == {*range(1, 8)}


def test_systems_of_other_documents_are_not_ranked_by_tolerance() -> None:
    row = {"tolerance": 2, "tolerant_f1": 0.5, "reference_boundaries": 7}
    rows = [{**row, "hypothesis": "a", "rows": 3}, {**row, "hypothesis": "b", "rows": 4}]
    assert "different documents" in next(tolerances_in_words(rows))
    rows[1]["rows"] = 3
    said = [*tolerances_in_words(rows, str.upper)]
    assert said == ["At a tolerance of 2, A and B have the highest F, 0.5000."]


def test_an_order_that_is_not_defined_somewhere_is_not_the_same_everywhere() -> None:
    rows = [
        *ranked("window", "per-pair", {"a": 0.5, "b": 0.25}, 1.0),
        *ranked("window", "2", {"a": 0.5, "b": 0.5}, None),
    ]
    assert [*ranks_in_words(rows)] == [
        "pk: the order of the systems is the same wherever there is one here; at window 2, all "
        "that have a value are equally good."
    ]
    rows[2]["tau"] = rows[3]["tau"] = 0.999
    (sentence,) = ranks_in_words(rows)
    assert "depends on window; Kendall's tau is 0.99 at window 2." in sentence


@pytest.mark.parametrize(
    ("length", "words"),
    [
        (10.5, "are about as long as the references'; there"),
        (15.0, "are longer than the references', 15 against 10, but nearest to them; there"),
        (5.0, "are shorter than the references', 5 against 10, but nearest to them; there"),
    ],
)
def test_segments_are_as_long_as_others_only_if_they_are(length: float, words: str) -> None:
    row = {
        "hypothesis": "a",
        "threshold": 0.5,
        "mean_segment_length": length,
        "reference_mean_segment_length": 10.0,
        "pk_miss_rate": 0.5,
        "pk_false_alarm_rate": 0.5,
    }
    (sentence,) = thresholds_in_words([row])
    assert words in sentence
    assert [*thresholds_in_words([row] * 4)][-1].startswith("1 more system is in the table")


def test_the_command_of_the_best_thresholds_can_be_pasted() -> None:
    row = {"hypothesis": "a b", "measure": "f1", "best": True, "threshold": 0.5}
    assert "--threshold 'a b=0.5' --measures" in threshold_in_words([row], ["f1"])
    named = threshold_in_words([row, {**row, "hypothesis": "x,y"}], ["f1"])
    assert "--threshold cannot name x,y, because of the comma." in named

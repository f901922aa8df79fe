"""The table `where`: every class of boundaries counted again from the edits of each pair."""

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from segscore.pipeline.measures.edit_list import list_edits
from segscore.pipeline.storage import read_table
from tests.oracles import naive
from tests.support import passes
from tests.support.command_line import Segscore
from tests.support.comparisons import Row, compare, line, refusal_line, scored
from tests.support.corpora import Corpus, corpus, run

KINDS = {
    "match": "matches",
    "near_miss": "near_misses",
    "substitution": "substitutions",
    "miss": "misses",
    "false_alarm": "false_alarms",
}
Tally = Counter[tuple[str, str, Any, str]]
"""(system, analysis, class, kind) -> count."""


def story(boundaries: list[int], n_units: int, position: int) -> int:
    """Length of the story that starts at a position, or that contains it."""
    ends = [0, *boundaries, n_units]
    before = max(end for end in ends if end <= position)
    return min(end for end in ends if end > position) - before


def distance(position: int, others: list[int]) -> int:
    """Distance to the nearest of some boundaries; far where there is none."""
    return min((abs(position - other) for other in others), default=10**9)


def kinds_of(row: Row, lengths: dict[str, list[int]] | None) -> dict[int, str]:
    """Kind of each boundary by its position, in words if lengths of units are given."""
    found: dict[int, str] = {}
    for position, kind in zip(row["boundaries"], row.get("boundary_kinds", ()), strict=False):
        place = sum(lengths[row["document_id"]][:position]) if lengths else position
        found.setdefault(place, kind)
    return found


def tally(generated: Corpus, words: bool = False) -> tuple[Tally, list[int]]:
    """Count the edits of all pairs of documents that every system has; return all story lengths."""
    lengths = {
        document["document_id"]: document["unit_lengths"] for document in generated.documents
    }
    systems = sorted({row["coder"] for row in generated.hypotheses})
    documents_of = [
        {r["document_id"] for r in generated.hypotheses if r["coder"] == s} for s in systems
    ]
    shared = set.intersection(*documents_of)

    def measured(row: Row) -> tuple[int, list[int]]:
        if not words:
            return row["n_units"], row["boundaries"]
        rows = naive.in_words(row["n_units"], row["boundaries"], lengths[row["document_id"]])
        return rows[0], list(rows[1])

    counted: Tally = Counter()
    stories: list[int] = []
    for document in shared:
        of_document = [r for r in generated.references if r["document_id"] == document]
        references = [measured(r) for r in of_document]
        kinds = [kinds_of(r, lengths if words else None) for r in of_document]
        for n_units, boundaries in references:
            ends = [0, *boundaries, n_units]
            stories += [b - a for a, b in pairwise(ends)]
        for row in (r for r in generated.hypotheses if r["document_id"] == document):
            for (n_units, boundaries), kind_at in zip(references, kinds, strict=True):
                for edit in naive.edits(n_units, boundaries, measured(row)[1]):
                    position = edit.other_position if edit.position is None else edit.position
                    assert position is not None
                    marks = sum(position in other for _, other in references)
                    kind = KINDS[edit.kind]
                    counted[
                        row["coder"], "story_length", story(boundaries, n_units, position), kind
                    ] += 1
                    counted[row["coder"], "position", 10 * position // n_units, kind] += 1
                    far = distance(
                        position, boundaries if edit.position is None else measured(row)[1]
                    )
                    counted[row["coder"], "distance", far, kind] += 1
                    if edit.position in kind_at:
                        counted[row["coder"], "kind", kind_at[edit.position], kind] += 1
                    if len(references) > 1:
                        quarter = -(-4 * marks // len(references))
                        counted[row["coder"], "prominence", quarter, kind] += 1
    return counted, sorted(stories)


def check(rows: list[Row], generated: Corpus, words: bool = False) -> None:
    """Compare the table `where` with the twin, class by class."""
    counted, stories = tally(generated, words)
    checked = 0
    for row in rows:
        low, high = row["low"], row["high"]
        if row["analysis"] == "story_length":
            keys = [key for key in counted if key[1] == "story_length" and low <= key[2] <= high]
        elif row["analysis"] == "position":
            keys = [key for key in counted if key[1] == "position" and key[2] == round(10 * low)]
        elif row["analysis"] == "distance":
            last = 10**9 if high is None else high
            keys = [key for key in counted if key[1] == "distance" and low <= key[2] <= last]
        elif row["analysis"] == "kind":
            keys = [key for key in counted if key[1:3] == ("kind", row["kind"])]
            assert row["false_alarms"] is row["false_alarm_rate"] is low is high is None
            row = {**row, "false_alarms": 0}
        else:
            keys = [key for key in counted if key[1] == "prominence" and key[2] == round(4 * high)]
        for name in KINDS.values():
            expected = sum(counted[k] for k in keys if (k[0], k[3]) == (row["hypothesis"], name))
            assert row[name] == expected, (row, name)
            checked += expected
        boundaries = sum(row[name] for name in KINDS.values()) - row["false_alarms"]
        assert row["reference_boundaries"] == boundaries
        marks = boundaries - row["misses"] + row["false_alarms"]
        assert row["miss_rate"] == (row["misses"] / boundaries if boundaries else None)
        if row["analysis"] != "kind":
            assert row["false_alarm_rate"] == (row["false_alarms"] / marks if marks else None)
    assert checked == sum(counted.values()) > 100
    quarters = [(row["low"], row["high"]) for row in rows if row["analysis"] == "story_length"]
    for low, high in dict.fromkeys(quarters):
        assert low <= high and {low, high} <= set(stories)


@pytest.mark.first
@pytest.mark.parametrize("words", [False, True])
def test_every_class_equals_the_twin(segscore: Segscore, tmp_path: Path, words: bool) -> None:
    generated = corpus(seed=31, documents=30)
    for row in generated.references[1:]:
        row["boundary_kinds"] = ["abc"[position % 3] for position in row["boundaries"]]
    generated.write(tmp_path)
    units = ("--units", "words") if words else ()
    run(segscore, tmp_path, tmp_path / "run", *units, "--reference-points", "none")
    rows = compare(segscore, tmp_path, tmp_path / "run", "--measure", "pk", "--where",
                    "--systems", "h0,h1,h2")  # fmt: skip
    check(rows["where"], generated, words)
    assert {row["kind"] for row in rows["where"]} == {"a", "b", "c", None}


def test_kinds_must_be_as_many_as_boundaries(segscore: Segscore, tmp_path: Path) -> None:
    rows = [{**line("d", "desk", "reference", [5, 9]), "boundary_kinds": ["cut"]}]
    rows.append(line("d", "a", "hypothesis", [6]))
    run = scored(segscore, tmp_path / "x", rows)
    refused = refusal_line(segscore("compare", run, "--measure", "pk", "--where"))
    assert "boundary_kinds of d by desk has 1 kinds for 2 boundaries; expected one for" in refused


def test_the_page_says_where(segscore: Segscore, tmp_path: Path) -> None:
    rows = [{**line("d", "desk", "reference", [5, 9]), "boundary_kinds": ["studio", "film"]}]
    rows += [line("d", "a", "hypothesis", [5, 12]), line("d", "b", "hypothesis", [])]
    run = scored(segscore, tmp_path / "x", rows)
    output, page = tmp_path / "comparison", tmp_path / "page.html"
    printed = segscore("compare", run, "--measure", "pk", "--where", "--output", output).out
    assert segscore("report", output, "--output", page).code == 0
    for text in ("recall, by kind", "studio", "by distance to the nearest", "1 (50 %)"):
        assert text in printed and text in page.read_text()


def test_each_length_class_has_a_quarter_of_the_stories(segscore: Segscore, tmp_path: Path) -> None:
    """Lengths are 1 to 8, one story each; the boundary that starts a story is in its class."""
    rows = [line("d", "desk", "reference", [1, 3, 6, 10, 15, 21, 28], n_units=36)]
    rows.append(line("d", "a", "hypothesis", [1, 3], n_units=36))
    run = scored(segscore, tmp_path / "x", rows)
    where = compare(segscore, tmp_path, run, "--measure", "pk", "--where")["where"]
    classes = [row for row in where if row["analysis"] == "story_length"]
    assert [(row["low"], row["high"]) for row in classes] == [(1, 2), (3, 4), (5, 6), (7, 8)]
    assert [row["reference_boundaries"] for row in classes] == [1, 2, 2, 2]
    assert [row["misses"] for row in classes] == [0, 1, 2, 2]
    # A document with one coder has no prominence.
    assert not any(row["analysis"] == "prominence" for row in where)


def test_boundaries_are_counted_by_prominence(segscore: Segscore, tmp_path: Path) -> None:
    coders = {"x": [5, 10], "y": [5, 10], "z": [5, 10], "w": [5]}
    rows = [line("d", coder, "reference", marks) for coder, marks in coders.items()]
    rows += [line("d", "a", "hypothesis", [5, 15]), line("d", "b", "hypothesis", [10])]
    run = scored(segscore, tmp_path / "x", rows)
    where = compare(segscore, tmp_path, run, "--measure", "pk", "--where")["where"]
    by = {
        (row["hypothesis"], row["low"], row["high"]): (row["misses"], row["false_alarms"])
        for row in where
        if row["analysis"] == "prominence"
    }
    assert by["a", 0.75, 1.0] == (0, 0) and by["b", 0.75, 1.0] == (4, 0)
    assert by["a", 0.5, 0.75] == (3, 0) and by["b", 0.5, 0.75] == (0, 1)
    assert by["a", 0.0, 0.0] == (0, 4) and ("b", 0.0, 0.0) not in by


def test_types_are_counted_separately(segscore: Segscore, tmp_path: Path) -> None:
    references = {"r1": ([5, 5, 9, 14], [1, 2, 1, 1]), "r2": ([5, 9], [2, 2])}
    hypothesis = [5, 9, 15], [2, 3, 1]
    rows = [
        {**line("d", coder, "reference", marks), "boundary_types": types}
        for coder, (marks, types) in references.items()
    ]
    rows.append({**line("d", "a", "hypothesis", hypothesis[0]), "boundary_types": hypothesis[1]})
    run = scored(segscore, tmp_path / "x", rows)
    where = compare(segscore, tmp_path, run, "--measure", "pk", "--where")["where"]
    expected: Counter[str] = Counter()
    for marks, types in references.values():
        both = passes.typed_sides((1, 2, 3), types, hypothesis[1])
        edits = list_edits(marks, hypothesis[0], types=both)
        expected.update(KINDS[edit.kind] for edit in edits)
    assert expected["substitutions"] and expected["near_misses"] and expected["misses"]
    for analysis in ("story_length", "position", "prominence"):
        rows = [row for row in where if row["analysis"] == analysis]
        assert {name: sum(row[name] for row in rows) for name in KINDS.values()} == {
            name: expected[name] for name in KINDS.values()
        }


@pytest.mark.long
def test_duplicates_across_parts_are_not_counted(segscore: Segscore, tmp_path: Path) -> None:
    """A coder has two rows for a document, in two parts; the run rejected both."""
    segscore.cut(10)
    generated = corpus(seed=33, documents=30)
    twice = next(row for row in generated.hypotheses if row["coder"] == "h1")
    generated.hypotheses.append({**twice, "boundaries": []})
    generated.write(tmp_path, files=3)
    run(segscore, tmp_path, tmp_path / "run")
    rows = compare(segscore, tmp_path, tmp_path / "run", "--measure", "pk", "--where")
    rest = [
        row for row in generated.hypotheses if row != twice and row is not generated.hypotheses[-1]
    ]
    check(rows["where"], Corpus(generated.references, rest, generated.documents))


def test_inputs_that_changed_are_refused(segscore: Segscore, tmp_path: Path) -> None:
    rows = [line("d", "desk", "reference", [5]), line("d", "a", "hypothesis", [6])]
    run = scored(segscore, tmp_path / "x", rows)
    table = tmp_path / "x" / "table.jsonl"
    table.write_text(table.read_text() + "\n")
    output = tmp_path / "comparison"
    result = segscore("compare", run, "--measure", "pk", "--where", "--output", output)
    assert "has changed since the run" in refusal_line(result)
    assert not output.exists()
    assert segscore("compare", run, "--measure", "pk").code == 0


def test_results_are_printed(segscore: Segscore, tmp_path: Path) -> None:
    rows = [line("d", c, "reference", [5, 10]) for c in ("x", "y")]
    rows += [line("d", "a", "hypothesis", [6, 16]), line("d", "b", "hypothesis", [])]
    run = scored(segscore, tmp_path / "x", rows)
    result = segscore("compare", run, "--measure", "pk", "--where")
    assert result.code == 0, result.err
    for text in ("by length of the story", "by position in the document", "75 % to 100 %"):
        assert text in result.out
    assert read_table(str(run / "scores")).num_rows == 4

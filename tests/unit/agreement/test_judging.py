"""Who stands out: against the slow twin, and on simulated projects with known faults."""

from datetime import date
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import segscore
from segscore.pipeline.agreement.example import example_of, find_example
from segscore.pipeline.agreement.findings import audit_findings, describe_audit, findings_of
from segscore.pipeline.agreement.judging.step import AuditRows
from segscore.pipeline.agreement.judging.steps import LIMITS, read_limits
from segscore.pipeline.agreement.nearest import pair_nearest
from segscore.pipeline.agreement.tallies import folds
from segscore.pipeline.arrays.document_ids import hash_names
from segscore.pipeline.arrays.ragged import Ragged
from segscore.pipeline.errors import Refused
from tests.oracles import naive_judging
from tests.oracles.naive_agreement import Document
from tests.support.projects import FAULTS, Project, audit, codings, names, table


def test_nearest_boundaries_equal_the_twin() -> None:
    draw = Random(3)  # noqa: S311
    for _ in range(300):
        within, top = draw.randint(0, 6), draw.choice((8, 30, 60))
        sides = [sorted(draw.sample(range(1, top + 1), draw.randint(0, 8))) for _ in range(2)]
        offsets = np.cumsum([0, *map(len, sides)])
        rows = Ragged(offsets, np.array([p for side in sides for p in side], np.int32))
        found = pair_nearest(rows, np.array([0]), np.array([1]), within)
        expected = naive_judging.nearest_distances(tuple(sides[0]), tuple(sides[1]), within)
        assert (found.pairs.tolist(), found.offset_sum.tolist()) == (
            [len(expected)],
            [sum(expected)],
        )
        near = [b - a for a in sides[0] for b in sides[1] if abs(b - a) <= within]
        assert found.distance.tolist() == near


@pytest.mark.long
@pytest.mark.parametrize(
    ("seed", "faults"),
    [(1, FAULTS), (2, ()), (3, ("late", "twice")), (4, ("copies", "drifts"))],
)
def test_judgements_equal_the_twin(seed: int, faults: tuple[str, ...]) -> None:
    rows = [*codings(Project(9 if len(faults) > 2 else 6, 60, faults), seed)]
    corpus: dict[str, Document] = {}
    for row in rows:
        document = corpus.get(row["document_id"], Document(row["n_units"], {}))
        coded = {**document.codings, row["coder"]: tuple(row["boundaries"])}
        corpus[row["document_id"]] = document._replace(codings=coded)
    names = pa.array([*corpus])
    fold = dict(zip(corpus, folds(hash_names(names).hashes).tolist(), strict=True))
    found = segscore.agree(rows, group_by=("month",))
    coders = {row["coder"]: row for row in found.coders.to_pylist() if row["month"] is None}
    peers = [row for row in found.table("peers").to_pylist() if row["month"] is None]
    pairs = [(row["coder"], row["peer"]) for row in peers if row["high_agreement"]]
    month = {row["document_id"]: row["month"] for row in rows}
    twin = naive_judging.judge(naive_judging.Given(corpus, fold, month, pairs))
    day = {name: date.fromisoformat(f"{month[name]}-01").toordinal() for name in corpus}
    for name, row in coders.items():
        assert row["agreement_effect"] == pytest.approx(twin.effects[name], rel=1e-4, abs=1e-4)
        assert row["agreement_error"] == pytest.approx(twin.errors[name], rel=1e-4, abs=1e-4)
        assert row["boundary_offset"] == pytest.approx(twin.offsets[name], rel=1e-4, abs=1e-4)
        assert row["rate_ratio"] == pytest.approx(twin.ratios[name], rel=1e-4, abs=1e-4)
        change = naive_judging.relative_change(corpus, day, twin, name)
        assert row["peer_drift"] == pytest.approx(change, rel=1e-4, abs=1e-4)
        assert row["low_agreement"] == (name in twin.less)
        assert row["shifted"] == (name in twin.shifted)
        assert row["outlying_rate"] == (name in twin.far)
    for row in peers:
        pair = row["coder"], row["peer"]
        if pair in twin.residuals:
            assert row["residual"] == pytest.approx(twin.residuals[pair], rel=1e-4, abs=1e-4)
        assert bool(row["copied"]) == (pair in twin.copied)
        if pair in twin.exact:
            found_exact = row["exact_share"], row["exact_share_deviation"]
            assert found_exact == pytest.approx(twin.exact[pair], nan_ok=True)


@pytest.mark.first
@pytest.mark.parametrize("unit", [1, 1000])
def test_each_of_six_faults_is_named_and_nobody_else(unit: int) -> None:
    said = audit(Project(unit=unit), 1)
    marks = {
        mark: {name for name, row in said.coders.items() if row[mark]}
        for mark in ("low_agreement", "shifted", "outlying_rate", "drifting")
    }
    assert {"coder-00", "coder-01"} <= marks["low_agreement"] <= {f"coder-0{i}" for i in range(5)}
    assert said.pairs == {("coder-02", "coder-06")}
    # In milliseconds, the copies are moved by some, too, so that nothing shows that they are any.
    assert said.copied == (said.pairs if unit == 1 else set())
    assert marks["drifting"] == {"coder-03"}
    assert marks["outlying_rate"] == {"coder-04"}
    assert marks["shifted"] == {"coder-05"}


@pytest.mark.first
@pytest.mark.parametrize("coders", [4, 6, 12])
def test_two_ways_of_reading_are_found_and_nobody_is_accused(coders: int) -> None:
    project = Project(coders, 25 * coders, (), design="readings")
    for seed in (2, 3):
        said = audit(project, seed)
        others = {name for name, row in said.coders.items() if row["reading"] == "other"}
        assert others == set(names(coders)[-project.others :])
        assert not any(row["low_agreement"] for row in said.coders.values())
        assert not said.copied
        assert all(set(pair) == others for pair in said.pairs)


@pytest.mark.first
@pytest.mark.parametrize("design", ["plain", "natural", "genres", "unbalanced"])
def test_nobody_is_named_without_a_fault(design: str) -> None:
    for seed in range(4):
        said = audit(Project(6, 150, (), design=design), seed)
        assert not said.pairs
        assert not any(row["reading"] for row in said.coders.values())
        for mark in ("low_agreement", "shifted", "outlying_rate", "drifting"):
            assert not any(row[mark] for row in said.coders.values())


def test_two_ways_of_reading_are_said_in_one_sentence() -> None:
    rows = [*codings(Project(12, 300, (), design="readings"), 1)]
    found = segscore.agree(rows)
    coders = found.coders.to_pylist()
    sentences = describe_audit([], AuditRows(coders, found.table("peers").to_pylist()))
    other = next(row for row in coders if row["reading"] == "other")
    ways = [
        {row["coder"] for row in coders if row["reading"] == way} for way in ("common", "other")
    ]
    place = find_example(found.run, ways, 1)
    assert place is not None
    document, position = place
    of_document = {row["coder"]: row for row in rows if row["document_id"] == document}
    near = {
        reading: {
            any(abs(at - position) <= 1 for at in of_document[row["coder"]]["boundaries"])
            for row in coders
            if row["reading"] == reading and row["coder"] in of_document
        }
        for reading in ("common", "other")
    }
    assert near in ({"common": {True}, "other": {False}}, {"common": {False}, "other": {True}})
    same, others = other["same_reading_similarity"], other["other_reading_similarity"]
    assert len(sentences) == 3 and "Nobody is named for low agreement" in sentences[2]
    assert sentences[1] == (
        "The guidelines are read in two ways, and neither is wrong: A (coder-09, coder-10 and "
        "coder-11) marks other boundaries than B (coder-00, coder-01, coder-02, coder-03, "
        "coder-04, coder-05, coder-06, coder-07 and coder-08). Boundary similarity is "
        f"{same:.2f} within A and {others:.2f} between A and B. Decide which is meant."
    )
    example = example_of(found.run, coders)
    assert example.startswith(f"In {document}, ") and f" a boundary at {position}" in example
    assert any(example in sentence for sentence in findings_of(found.run))


def test_a_pair_that_reads_in_its_own_way_is_not_told_that_one_copied() -> None:
    rows = [*codings(Project(6, 150, (), design="readings"), 1)]
    found = segscore.agree(rows)
    peers = found.table("peers").to_pylist()
    pair = next(row for row in peers if row["high_agreement"])
    sentences = describe_audit([], AuditRows(found.coders.to_pylist(), peers))
    assert [sentence for sentence in sentences if " predicts" in sentence] == [
        f"{pair['coder']} and {pair['peer']} agree {pair['residual']:.2f} more than their "
        "agreement with the others predicts: they may read the guidelines in a way of their own, "
        "have worked together, or have had the same tool."
    ]


@pytest.mark.parametrize(
    ("fault", "by", "group"), [("weak", "genre", "news"), ("old", "guidelines", "v2")]
)
def test_who_agrees_less_in_one_group_is_named_for_it(fault: str, by: str, group: str) -> None:
    said = audit(Project(8, 300, (fault,), by=by), 1)
    assert said.weaker == {("coder-00", group)}


def test_the_change_among_the_same_coders_is_as_sure_as_there_are_shows() -> None:
    every = table(Project(5, 200, (), by="guidelines"), 1)
    shows = pa.array([f"show-{name[-2]}" for name in every.column("document_id").to_pylist()])
    every = every.append_column("show", shows)
    versions = every.column("guidelines").to_pylist()
    chosen = [
        name != "coder-04" or version == "v2"
        for name, version in zip(every.column("coder").to_pylist(), versions, strict=True)
    ]
    changes = [
        segscore.agree(every.filter(pa.array(chosen)), group_by=("guidelines",), resample_by=unit)
        .agreement.filter(pc.field("guidelines") == "v2")
        .to_pylist()[0]
        for unit in (None, "show")
    ]
    alone, by_show = ([row[f"same_coders_{end}"] for end in ("low", "high")] for row in changes)
    assert changes[0]["same_coders_change"] == changes[1]["same_coders_change"]
    assert alone != by_show and None not in (*alone, *by_show)


def test_the_same_coders_are_compared_if_others_join() -> None:
    whole = table(Project(6, 150, ("old",), by="guidelines"), 1)
    columns = (whole.column(name).to_pylist() for name in ("coder", "guidelines"))
    kept = [coder != "coder-05" or version == "v2" for coder, version in zip(*columns, strict=True)]
    found = segscore.agree(whole.filter(pa.array(kept)), group_by=("guidelines",))
    tables = {name: found.table(name) for name in ("agreement", "coders", "peers")}
    sentences = audit_findings(tables, ["guidelines"], None)
    row = found.agreement.filter(pc.field("guidelines") == "v2").to_pylist()[0]
    assert (row["same_coders"], row["joined_coders"], row["left_coders"]) == (5, 1, 0)
    assert sentences[-1] == (
        "With v2, 1 coder joined and 0 left; the similarity of the 5 who coded under both changed "
        f"by {row['same_coders_change']:.4f} ({row['same_coders_low']:.4f} to "
        f"{row['same_coders_high']:.4f})."
    )
    assert any(
        sentence.startswith("coder-00 agrees less in guidelines v2: boundary similarity 0.")
        and ", in v1 0." in sentence
        for sentence in sentences
    )
    assert not any("stands out" in sentence for sentence in sentences)


def test_offsets_are_not_pulled_to_0_by_chance() -> None:
    """The interval contains the true offset, 1.5 units; means within five units are 1.3."""
    for seed in range(6):
        row = audit(Project(6, 150, ("late",)), seed).coders["coder-00"]
        offset, error = row["boundary_offset"], row["boundary_offset_error"]
        assert offset == pytest.approx(1.5, abs=0.12)
        assert abs(offset - 1.5) <= 2.6 * error


def test_who_copies_seven_in_ten_boundaries_is_told_so() -> None:
    copied = [audit(Project(6, 150, ("copies",), 0.7 / 0.95), seed).copied for seed in range(2)]
    assert copied == [{("coder-00", "coder-01")}] * 2


def test_what_lifts_everybody_is_no_drift() -> None:
    """New guidelines in July halve everybody's errors."""
    rows = [
        row
        for seed, error, months in ((1, 1.0, slice(0, 6)), (2, 0.4, slice(6, 12)))
        for row in codings(Project(8, 600, (), errors=error), seed)
        if row["month"] in [f"2026-{month:02d}" for month in range(1, 13)][months]
    ]
    found = segscore.agree(rows, group_by=("month",))
    assert not any(row["drifting"] for row in found.coders.to_pylist())


def test_who_is_not_judged_is_not_said_to_drift() -> None:
    """One coder has five documents, and marks less and less of what a peer marks there."""
    rows = [*codings(Project(6, 150, ()), 3)]
    whole = {(row["document_id"], row["coder"]): row["boundaries"] for row in rows}
    first = {row["month"]: row for row in reversed(rows) if row["coder"] == "coder-00"}
    kept = [row for row in rows if row["coder"] != "coder-00"]
    for share, month in enumerate(("2026-01", "2026-04", "2026-07", "2026-10", "2026-12")):
        row = first[month]
        of_peer = next(
            boundaries
            for (document, coder), boundaries in whole.items()
            if document == row["document_id"] and coder != "coder-00"
        )
        few = max(1, round(len(of_peer) * (1 - 0.15 * share)))
        kept.append({**row, "boundaries": of_peer[:few]})
    found = segscore.agree(kept, group_by=("month",)).coders.to_pylist()
    whole_rows = {row["coder"]: row for row in found if row["month"] is None}
    of_coder = whole_rows.pop("coder-00")
    assert of_coder["low_agreement"] is None
    assert (of_coder["drifting"], of_coder["peer_drift"]) == (None, None)
    assert not any(row["drifting"] for row in whole_rows.values())


def test_with_few_coders_or_documents_nobody_is_judged() -> None:
    for project in (Project(3, 60, ("careless",)), Project(8, 10, ("careless",))):
        said = audit(project, 1)
        assert all(row["low_agreement"] is None for row in said.coders.values())
        assert not said.pairs


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("effects=1", "the names are offset, offset_errors, within,"),
        ("effect", "must be a number above 0"),
        ("rate=0", "must be a number above 0"),
        ("copies=8", "the nearest is copies_residual"),
    ],
)
def test_wrong_limits_are_refused(text: str, message: str) -> None:
    with pytest.raises(Refused, match=message):
        read_limits([text])


def test_limits_are_in_seconds_if_the_unit_is_a_time() -> None:
    assert read_limits([], 1000)["offset"] == 500
    assert read_limits(["offset=0.2", "within=3"], 1000)["within"] == 3000
    assert read_limits([])["within"] == 5


def test_a_pair_is_named_only_by_what_its_sentence_says() -> None:
    """Three pairs of equal coders: what one pair agrees too well is little without the others."""
    rows = [
        {
            "document_id": f"d{number}",
            "coder": coder,
            "n_units": 30,
            "boundaries": boundaries,
        }
        for number in range(30)
        for coder, boundaries in [
            *((f"c{k}", sorted({5 + number % 3, 15, 25 - k % 3 * (number % 2)})) for k in range(6)),
            ("bad", [3, 8, 12, 17, 21, 28]),
        ]
    ]
    peers = segscore.agree(rows).table("peers").to_pylist()
    found = [row["residual"] for row in peers if row["high_agreement"]]
    assert all(residual >= LIMITS["copies_residual"] for residual in found)

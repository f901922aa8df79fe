"""Test sets are recognised whole, in part, and by their names."""

import json
from random import Random
from typing import Any

import numpy as np
import pytest

from segscore.pipeline.arrays.ragged import from_lists
from segscore.pipeline.testsets.content import Content, add_contents, count_content
from segscore.pipeline.testsets.digests import digest_rows
from segscore.pipeline.testsets.published import EVIDENCE, published_scores
from segscore.pipeline.testsets.recognise import describe_record, recognise
from segscore.pipeline.testsets.registry import (
    KnownSet,
    Registry,
    Split,
    own_registry,
)
from tests.oracles import naive_digests
from tests.support.paths import DATA

Row = dict[str, Any]


def drawn(documents: int, seed: int = 1) -> list[Row]:
    draw = Random(seed)  # noqa: S311
    return [
        {"document_id": f"d{d}", "n_units": 90, "boundaries": sorted(draw.sample(range(1, 90), 7))}
        for d in range(documents)
    ]


def split(
    rows: list[Row],
    name: str = "Talks",
    *,
    digits: int = 64,
    digests: bool = True,
) -> Split:
    words = [int(naive_digests.digest(row).hex()[:8], 16) for row in rows]
    nothing = np.zeros(0, np.uint32)
    return Split(
        name,
        "all",
        len(rows),
        len(rows),
        sum(len(row["boundaries"]) for row in rows),
        naive_digests.fingerprint(rows)[:digits],
        np.sort(np.array(words, np.uint32)) if digests else nothing,
    )


def registry(*splits: Split) -> Registry:
    return Registry((KnownSet("Talks", "", "", "", "", None, {}, "", splits),))


def counted(rows: list[Row], known: Registry) -> Content:
    lists = from_lists([row["boundaries"] for row in rows])
    digests = digest_rows(np.array([row["n_units"] for row in rows], np.int64), lists)
    return count_content(digests, len(lists.values), known)


def test_a_whole_set_is_known_by_24_digits() -> None:
    rows = drawn(711)
    known = registry(split(rows, digits=24, digests=False))
    shuffled = Random(2).sample(rows, len(rows))  # noqa: S311
    found = recognise(counted(shuffled, known), 711, known)
    assert found.sentence == "references: Talks, all 711 documents"
    assert found.record["name"] == "Talks"
    assert found.record["recognised"] == 711
    rows[5]["boundaries"] = rows[5]["boundaries"][1:]
    other = recognise(counted(rows, known), 711, known)
    assert (other.sentence, other.record["name"], other.record["recognised"]) == ("", None, 0)
    assert other.warnings == (
        "references: 711 documents, as many as in Talks, but other boundaries: 4,976, where it has "
        "4,977",
    )


def test_a_part_and_a_changed_set_are_counted() -> None:
    rows = drawn(500)
    known = registry(split(rows))
    part = recognise(counted(rows[:100], known), 100, known)
    assert part.sentence == "references: Talks: 100 of 500 documents"
    changed = [row | {"boundaries": row["boundaries"][1:]} for row in rows[:3]] + rows[3:]
    found = recognise(counted(changed, known), 500, known)
    assert found.sentence == "references: Talks: 497 of 500 documents; 3 other references"
    assert not found.is_whole
    more = recognise(counted([*rows, *drawn(40, seed=5)], known), 540, known)
    assert more.sentence == "references: Talks: 500 of 500 documents; 40 other references"
    assert recognise(counted(drawn(40, seed=5), known), 40, known).sentence == ""


@pytest.mark.parametrize("parts", [1, 3])
def test_a_registered_document_counts_once(parts: int) -> None:
    """Documents of two sets, or two documents of one set, may have equal boundaries."""
    rows = drawn(200)
    rows[7] = rows[8] = rows[9]
    known = registry(split(rows))
    more = [*rows, rows[0], rows[7]]
    contents = [counted(more[start::parts], known) for start in range(parts)]
    found = recognise(add_contents(contents), 202, known)
    assert found.sentence == "references: Talks: 200 of 200 documents; 2 other references"
    assert found.record["recognised"] == 200
    part = recognise(counted([*rows[:8], *[rows[0]] * 300], known), 308, known)
    assert part.sentence == ""


def test_every_whole_set_is_named() -> None:
    talks, clinic, lectures, news = (drawn(n, seed) for seed, n in enumerate((71, 22, 9, 40)))
    known = registry(
        split(clinic, "Clinic", digits=24, digests=False),
        split(talks),
        split(lectures, "Lectures", digits=24, digests=False),
        split(news, "News"),
        split(news[:12], "Short news"),
    )

    def said(*rows: list[Row]) -> str:
        every = [row for some in rows for row in some]
        found = recognise(counted(every, known), len(every), known)
        assert describe_record(found.record, known) == found.sentence
        return found.sentence.removeprefix("references: ")

    talk = "Talks: 71 of 71 documents"
    assert said(talks, clinic) == f"{talk}; Clinic: 22 of 22 documents"
    assert said(talks, clinic, lectures) == (
        f"{talk}; Clinic: 22 of 22 documents; Lectures: 9 of 9 documents"
    )
    assert said(clinic, lectures) == "Clinic: 22 of 22 documents; Lectures: 9 of 9 documents"
    unknown = drawn(3, seed=9)
    assert said(talks, news, unknown) == f"{talk}; News: 40 of 40 documents; 3 other references"
    assert said(talks[1:], news, unknown) == (
        "Talks: 70 of 71 documents; News: 40 of 40 documents; 3 other references"
    )
    assert said(talks, news[:12]) == f"{talk}; Short news: 12 of 12 documents"
    assert said(news, news[:12]) == "News: 40 of 40 documents; Short news: 12 of 12 documents"


def test_as_many_documents_with_other_boundaries_are_told() -> None:
    known = registry(split(drawn(711)))
    rows = [row | {"boundaries": row["boundaries"][1:]} for row in drawn(711, seed=3)]
    found = recognise(counted(rows, known), 711, known)
    assert found.record["name"] is None
    assert found.warnings == (
        "references: 711 documents, as many as in Talks, but other boundaries: 4,266, where it has "
        "4,977",
    )


def test_counts_of_any_parts_add_up() -> None:
    rows = drawn(60)
    known = registry(split(rows[:50]), split(rows[50:]))
    parts = [rows[start::7] for start in range(7)] + [[]]
    added = add_contents([counted(part, known) for part in parts])
    assert added == counted(rows, known)


@pytest.mark.parametrize(
    ("file", "title", "size"),
    [
        ("tinyrec", "TinyRec", "42 documents"),
        ("qmsum", "QMSum", "232 documents"),
        ("stargazer", "Stargazer", "7 references of 1 document"),
        ("moonstone", "Moonstone", "40 references of 8 documents"),
    ],
)
def test_the_data_of_the_repository_is_known(file: str, title: str, size: str) -> None:
    lines = (DATA / f"{file}.jsonl").read_text().splitlines()
    rows = [row for row in map(json.loads, lines) if row.get("role") == "reference"]
    documents = len({row["document_id"] for row in rows})
    found = recognise(counted(rows, own_registry()), documents, own_registry())
    assert found.sentence == f"references: {title}, all {size}"


def test_the_registry_agrees_with_itself() -> None:
    for each in own_registry().sets:
        assert each.citation
        assert each.source.startswith("http")
        whole = each.whole
        others = [one for one in each.splits if one is not whole]
        if whole is not None and others:
            fingerprints = [one.fingerprint or "" for one in others]
            total = sum(int(fingerprint, 16) for fingerprint in fingerprints) % 2**256
            assert f"{total:064x}" == whole.fingerprint
            assert whole.boundaries == sum(one.boundaries or 0 for one in others)
        for one in each.splits:
            assert len(one.digests) in (0, one.references)


def test_published_scores_name_their_evidence() -> None:
    sets = {each.name for each in own_registry().sets}
    for score in published_scores():
        assert score.set in sets
        assert score.evidence in EVIDENCE
        assert score.source
        assert float(score.value) >= 0
        assert bool(score.convention) <= (score.evidence != "unknown")

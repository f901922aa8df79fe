"""Published numbers, each with the page or table it is printed on."""

import json
from typing import Any

import pytest

from tests.support import passes
from tests.support.paths import DATA

TINYREC = [json.loads(line) for line in (DATA / "tinyrec.jsonl").read_text().splitlines()]
SESSIONS = [row for row in TINYREC if row["role"] == "hypothesis"]


def test_tinyrec_has_its_42_sessions() -> None:
    assert len(SESSIONS) == 42


@pytest.mark.parametrize("session", SESSIONS, ids=lambda row: row["document_id"][-20:])
def test_tinyrec_published_pk_and_window_diff(session: dict[str, Any]) -> None:
    """TreeSeg (Gklezakos et al. 2024), the authors' per-session output.

    They ran NLTK on masks as long as the document with the mark on the first unit of a new
    segment: in our terms N + 1 units and every position one later.
    """
    (reference,) = (
        row
        for row in TINYREC
        if row["document_id"] == session["document_id"] and row["role"] == "reference"
    )
    published = session["published"]
    one, other = ([p + 1 for p in row["boundaries"]] for row in (reference, session))
    counted = passes.counts(reference["n_units"] + 1, one, other, published["k"], 2)
    ours = passes.values(counted)
    assert ours["pk"] == pytest.approx(published["pk_nltk"], abs=1e-12)
    assert ours["window_diff"] == pytest.approx(published["windowdiff_nltk"], abs=1e-12)


KUBLA_KHAN = {
    "false negative": ([5], 0.9, 0.5, 0.7778),
    "near miss": ([2, 4], 0.95, 0.75, 0.7778),
    "false positive": ([2, 5, 8], 0.9, 0.6667, 0.7778),
    "cluster of false positives": ([1, 2, 5, 6], 0.8, 0.5, 0.6667),
}


@pytest.mark.parametrize("figure", KUBLA_KHAN)
def test_kubla_khan_excerpt(figure: str) -> None:
    """Fournier 2013, figures 5-8: 11 lines, reference masses 2, 3, 6, window 2."""
    hypothesis, s, b, one_minus_wd = KUBLA_KHAN[figure]
    ours = passes.values(passes.counts(11, [2, 5], hypothesis, 2, 2))
    assert ours["segmentation_similarity"] == pytest.approx(s, abs=5e-5)
    assert ours["boundary_similarity"] == pytest.approx(b, abs=5e-5)
    window_diff = ours["window_diff"]
    assert window_diff is not None
    assert 1 - window_diff == pytest.approx(one_minus_wd, abs=5e-5)


TABLE_2 = {
    # segmenter: B, pairs n, B-precision, B-recall, B-F1, TP, FP, FN, TN
    "Random": (0.2640, 1057, 0.3991, 0.4673, 0.4306, 279.0, 420, 318, 4236.0),
    "Human": (0.5285, 841, 0.6854, 0.7439, 0.7135, 444.5, 204, 153, 4451.5),
    "BayesSeg": (0.3745, 964, 0.5247, 0.6224, 0.5694, 361.0, 327, 219, 4346.0),
    "APS": (0.2873, 738, 0.6773, 0.3403, 0.4530, 212.0, 101, 411, 4529.0),
    "MinCut": (0.2468, 871, 0.4788, 0.3496, 0.4041, 215.0, 234, 400, 4404.0),
}


@pytest.mark.parametrize("segmenter", TABLE_2)
def test_fournier_table_2(segmenter: str) -> None:
    """Fournier 2013, Table 2: the printed confusion gives the printed B, P, R, F1 and TN.

    Pairs are matches, near misses and full misses; at n_t 2 a near miss is half a true positive.
    """
    b, pairs, precision, recall, f1, tp, fp, fn, tn = TABLE_2[segmenter]
    near_misses = round(2 * (pairs - fp - fn - tp))
    counted = dict.fromkeys(passes.counts(2, [], [], 2, 2), 0) | {
        "matches": pairs - fp - fn - near_misses,
        "near_misses": near_misses,
        "near_miss_span": near_misses,
        "misses": fn,
        "false_alarms": fp,
        "potential_boundaries": 5253,
    }
    ours = passes.values(counted, rows=False)
    printed = {
        "boundary_similarity": b,
        "b_precision": precision,
        "b_recall": recall,
        "b_f1": f1,
    }
    assert ours["b_tp"] == tp
    assert ours["b_tn"] == tn
    for name, value in printed.items():
        assert ours[name] == pytest.approx(value, abs=5.1e-5), name

"""Is the slow twin of agreement right? Against papers, other code, hand calculations and laws."""

import importlib
import json
import statistics
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from itertools import combinations, permutations
from math import nan
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.oracles import naive
from tests.oracles.naive_agreement import (
    BOUNDARY_ONLY,
    UNDEFINED,
    CoderRow,
    Coefficients,
    Corpus,
    Document,
    Expected,
    Spread,
    coder_rows,
    coders_of,
    coefficients,
    decisions,
    prominence,
    segment_statistics,
    window_pairs,
    without,
)
from tests.support.agreement_strategies import corpora
from tests.support.paths import DATA

# None of them is annotated, all are needed: if one is missing, this must fail, not skip.
segeval: Any = importlib.import_module("segeval")
inter_rater: Any = importlib.import_module("statsmodels.stats.inter_rater")
nltk: Any = importlib.import_module("nltk.metrics.agreement")
krippendorff: Any = importlib.import_module("krippendorff")

COMPLETE = corpora(complete=True, min_units=2, coders=(2, 5))
N_T = st.integers(1, 4)
ALL_KEYS = {
    *(
        (name, what)
        for name in ("pi", "kappa", "bias")
        for what in (*BOUNDARY_ONLY, "two_category")
    ),
    ("alpha", "two_category"),
    ("ac1", "two_category"),
}


def corpus_of(name: str, group: str | None = None) -> Corpus:
    """Human codings of one of our files, or of one group of coders in it.

    Rows with the same document and coder contradict each other, so none of them is used.
    """
    rows = [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text().splitlines()]
    times = Counter((row["document_id"], row["coder"]) for row in rows)
    corpus: dict[str, dict[str, list[int]]] = {}
    sizes: dict[str, int] = {}
    for row in rows:
        document, coder = row["document_id"], row["coder"]
        if row["role"] == "reference" and group in (None, row.get("group")):
            assert sizes.setdefault(document, row["n_units"]) == row["n_units"]
            if times[document, coder] == 1:
                corpus.setdefault(document, {})[coder] = row["boundaries"]
    return {document: Document(sizes[document], codings) for document, codings in corpus.items()}


def values(by_key: Coefficients, coefficient: str) -> dict[str, Fraction | None]:
    """Values of one coefficient, by similarity."""
    return {
        what: by_key[key].value for key in by_key for name, what in [key] if name == coefficient
    }


def of(number: Fraction | None) -> float:
    """Return a number that must be defined."""
    assert number is not None
    return float(number)


def masses(n_units: int, boundaries: Iterable[int]) -> tuple[int, ...]:
    """Segment sizes, segeval's form."""
    return tuple(len(segment) for segment in naive.segments(n_units, list(boundaries)))


def in_masses(corpus: Corpus) -> dict[str, dict[str, tuple[int, ...]]]:
    """Return a corpus in segeval's form."""
    return {
        name: {coder: masses(n_units, boundaries) for coder, boundaries in codings.items()}
        for name, (n_units, codings) in corpus.items()
    }


def labels(corpus: Corpus) -> list[dict[str, bool]]:
    """Return every position's labels, for oracles of categories."""
    return list(decisions(corpus))


def spoken(corpus: Corpus) -> Corpus:
    """At most one coder of a document has no boundaries: segeval cannot compare two of these."""
    result: dict[str, Document] = {}
    for name, (n_units, codings) in corpus.items():
        silent = [coder for coder in codings if not codings[coder]][1:]
        result[name] = Document(n_units, {**codings, **{coder: [1] for coder in silent}})
    return result


def test_our_codings_equal_those_of_segeval() -> None:
    theirs = segeval.HEARST_1997_STARGAZER, segeval.KAZANTSEVA2012_G2, segeval.KAZANTSEVA2012_G5
    ours = corpus_of("stargazer"), corpus_of("moonstone", "G2"), corpus_of("moonstone", "G5")
    for corpus, dataset in zip(ours, theirs, strict=True):
        by_key = {
            name.removeprefix("moonstone/"): coded for name, coded in in_masses(corpus).items()
        }
        assert by_key == dict(dataset)


# --- Published numbers ---------------------------------------------------------------------------


def test_stargazer() -> None:
    corpus = corpus_of("stargazer")
    (n_units, codings) = corpus["stargazer"]
    assert (n_units, len(codings)) == (21, 7)
    pairs = [naive.edit_counts(n_units, x, y) for x, y in combinations(codings.values(), 2)]
    sums = {name: sum(pair[name] for pair in pairs) for name in pairs[0]}
    assert len(pairs) == 21
    assert (sums["misses"] + sums["false_alarms"], sums["near_misses"]) == (72, 28)
    assert sums["matches"] == 83
    by_key = coefficients(corpus)
    assert by_key["pi", "boundary_similarity"].actual == Fraction(97, 183)
    for key, expected in {
        ("pi", "boundary_similarity"): 0.464450,
        ("pi", "segmentation_similarity"): 0.766653,
        ("kappa", "boundary_similarity"): 0.465320,
        ("kappa", "segmentation_similarity"): 0.767032,
    }.items():
        assert round(of(by_key[key].value), 6) == expected


def test_stargazer_as_fournier_2013_printed_it() -> None:
    by_key = coefficients(corpus_of("stargazer"), segments=True)
    assert round(of(by_key["pi", "boundary_similarity"].value), 4) == 0.4405
    assert round(of(by_key["pi", "segmentation_similarity"].value), 4) == 0.7562


@pytest.mark.parametrize(
    ("group", "documents", "coders", "b", "s", "printed_b", "printed_s"),
    [("G2", 4, 6, 0.4083, 0.8983, 0.40, 0.90), ("G5", 4, 4, 0.2400, 0.8317, 0.23, 0.83)],
)
def test_moonstone(
    group: str,
    documents: int,
    coders: int,
    b: float,
    s: float,
    printed_b: float,
    printed_s: float,
) -> None:
    corpus = corpus_of("moonstone", group)
    assert (len(corpus), len(coders_of(corpus))) == (documents, coders)
    pi_values = values(coefficients(corpus, expected="item"), "pi")
    assert round(of(pi_values["boundary_similarity"]), 4) == b
    assert round(of(pi_values["segmentation_similarity"]), 4) == s
    # F13 3.4 prints two digits, of segments and a mean over documents.
    pi_values = values(coefficients(corpus, expected="item", segments=True), "pi")
    assert round(of(pi_values["boundary_similarity"]), 2) == printed_b
    assert round(of(pi_values["segmentation_similarity"]), 2) == printed_s


def test_chapter_1_of_the_moonstone_closed_and_open() -> None:
    """K&S 4.2 print .28, which counts the closing boundary as a decision; without it .0427."""
    n_units, codings = corpus_of("moonstone", "G5")["moonstone/ch1"]
    ours = coefficients({"ch1": Document(n_units, codings)})
    assert round(of(ours["pi", "two_category"].value), 4) == 0.0427
    closed = {coder: [*boundaries, n_units] for coder, boundaries in codings.items()}
    theirs = coefficients({"ch1": Document(n_units + 1, closed)})
    assert round(of(theirs["pi", "two_category"].value), 2) == 0.28


# --- Other code ----------------------------------------------------------------------------------


def assert_as_segeval(corpus: Corpus, n_t: int) -> None:
    """Segeval's pi averages documents, its kappa pools, its bias is the difference of the two."""
    dataset = in_masses(corpus)
    by_key = coefficients(corpus, n_t, expected="item")
    for what, compare in (
        ("boundary_similarity", segeval.boundary_similarity),
        ("segmentation_similarity", segeval.segmentation_similarity),
    ):
        for name, oracle in (
            ("pi", segeval.fleiss_pi_linear),
            ("kappa", segeval.fleiss_kappa_linear),
        ):
            ours = by_key[name, what]
            if ours.value is not None:
                theirs = oracle(dataset, fnc_compare=compare, n_t=n_t)
                assert of(ours.value) == pytest.approx(float(theirs), rel=1e-12, abs=1e-12)
        if 1 not in (by_key["pi", what].expected, by_key["kappa", what].expected):
            bias = by_key["bias", what].value
            theirs = segeval.artstein_poesio_bias_linear(dataset, fnc_compare=compare, n_t=n_t)
            assert of(bias) == pytest.approx(float(theirs), rel=1e-12, abs=1e-12)


@given(COMPLETE, N_T)
def test_item_averaged_coefficients_equal_segeval(corpus: Corpus, n_t: int) -> None:
    assert_as_segeval(spoken(corpus), n_t)


@pytest.mark.first
@pytest.mark.parametrize("n_t", [1, 2, 3, 5])
@pytest.mark.parametrize("group", [None, "G2", "G5"])
def test_real_coefficients_equal_segeval(group: str | None, n_t: int) -> None:
    assert_as_segeval(corpus_of("moonstone" if group else "stargazer", group), n_t)


def assert_two_category_as_others(corpus: Corpus) -> None:
    """Multi-pi equals statsmodels and NLTK, Davies & Fleiss NLTK, Cohen's kappa statsmodels."""
    by_key = coefficients(corpus)
    pi, kappa = by_key["pi", "two_category"].value, by_key["kappa", "two_category"].value
    positions = labels(corpus)
    triples = [(rater, i, mark) for i, row in enumerate(positions) for rater, mark in row.items()]
    task = nltk.AnnotationTask(triples)
    if pi is not None:
        table = [[list(row.values()).count(mark) for mark in (False, True)] for row in positions]
        assert of(pi) == pytest.approx(float(inter_rater.fleiss_kappa(table)), abs=1e-12)
        assert of(pi) == pytest.approx(task.pi(), abs=1e-12)
    if kappa is not None:
        assert of(kappa) == pytest.approx(task.multi_kappa(), abs=1e-12)
        if len(coders_of(corpus)) == 2:
            both = [tuple(row[coder] for coder in coders_of(corpus)) for row in positions]
            square = [[both.count((x, y)) for y in (False, True)] for x in (False, True)]
            cohen = inter_rater.cohens_kappa(square, return_results=False)
            assert of(kappa) == pytest.approx(float(cohen), abs=1e-12)


@given(COMPLETE)
def test_two_category_coefficients_equal_statsmodels_and_nltk(corpus: Corpus) -> None:
    assert_two_category_as_others(corpus)


@given(corpora(complete=True, min_units=2, coders=(2, 2)))
def test_two_coders_have_cohens_kappa(corpus: Corpus) -> None:
    assert_two_category_as_others(corpus)


def test_two_category_coefficients_of_stargazer() -> None:
    assert_two_category_as_others(corpus_of("stargazer"))


def krippendorff_alpha(corpus: Corpus) -> float:
    """Compute nominal alpha with the package; missing codings are not a number."""
    rows = labels(corpus)
    matrix = [
        [float(row[coder]) if coder in row else nan for row in rows] for coder in coders_of(corpus)
    ]
    return float(
        krippendorff.alpha(matrix, level_of_measurement="nominal", value_domain=[0.0, 1.0])
    )


@given(st.one_of(COMPLETE, corpora()))
def test_alpha_equals_krippendorff_for_any_design(corpus: Corpus) -> None:
    alpha = coefficients(corpus)["alpha", "two_category"]
    assume(alpha.value is not None)
    assert of(alpha.value) == pytest.approx(krippendorff_alpha(corpus), abs=1e-12)


def test_alpha_of_a_real_incomplete_design() -> None:
    salami = corpus_of("salami")
    # 2,244 codings of 1,356 documents; in eight, two codings contradict each other.
    assert sum(len(document.codings) for document in salami.values()) == 2244 - 8
    assert (len(salami), len(coders_of(salami))) == (1355, 18)
    some = dict(list(salami.items())[::20])
    assert {len(document.codings) for document in some.values()} == {1, 2}
    alpha = coefficients(some)["alpha", "two_category"]
    assert of(alpha.value) == pytest.approx(krippendorff_alpha(some), abs=1e-12)


@pytest.mark.parametrize("group", [None, "G2", "G5"])
def test_window_pairs_equal_segeval(group: str | None) -> None:
    for document in corpus_of("moonstone" if group else "stargazer", group).values():
        ours = window_pairs(document)
        coded = [masses(document.n_units, coding) for coding in document.codings.values()]
        for name, oracle in (("pk", segeval.pk), ("window_diff", segeval.window_diff)):
            # segeval takes the reference second, and computes the window from it.
            theirs = [float(oracle(y, x)) for x, y in permutations(coded, 2)]
            assert ours[name].n == len(theirs)
            assert of(ours[name].mean) == pytest.approx(statistics.mean(theirs), rel=1e-12)
            assert ours[name].sd == pytest.approx(statistics.stdev(theirs), rel=1e-12)


# --- By hand -------------------------------------------------------------------------------------

# b is a unit away from a in one document; the other document is a's alone, with all boundaries.
TINY: Corpus = {
    "met": Document(5, {"a": [2], "b": [3]}),
    "alone": Document(3, {"a": [1, 2]}),
}


def three(by_key: Coefficients, name: str, what: str) -> tuple[object, object, object]:
    """Actual, expected and value; fractions are given as text."""
    actual, expected, value = (None if x is None else str(x) for x in by_key[name, what])
    return actual, expected, value


@pytest.mark.parametrize(
    ("name", "what", "actual", "expected", "value"),
    [
        ("pi", "boundary_similarity", "1/2", "4/25", "17/42"),
        ("pi", "segmentation_similarity", "7/8", "4/25", "143/168"),
        ("pi", "exact", "0", "4/25", "-4/21"),
        ("kappa", "boundary_similarity", "1/2", "1/8", "3/7"),
        ("kappa", "segmentation_similarity", "7/8", "1/8", "6/7"),
        ("kappa", "exact", "0", "1/8", "-1/7"),
        ("bias", "boundary_similarity", None, None, "7/200"),
        ("bias", "exact", None, None, "7/200"),
        ("pi", "two_category", "1/2", "13/25", "-1/24"),
        ("kappa", "two_category", "1/2", "1/2", "0"),
        ("bias", "two_category", None, None, "1/50"),
        ("alpha", "two_category", "1/2", "4/7", "-1/6"),
        ("ac1", "two_category", "1/2", "12/25", "1/26"),
    ],
)
def test_a_document_with_one_coder(
    name: str, what: str, actual: str | None, expected: str | None, value: str
) -> None:
    """Its marks count in expected agreement (not in alpha), not in observed agreement."""
    assert three(coefficients(TINY), name, what) == (actual, expected, value)


@pytest.mark.parametrize(
    ("expected", "segments", "pi", "kappa", "bias"),
    [
        ("item", False, ("1/2", "25/64", "7/39"), ("1/2", "1/8", "3/7"), "17/64"),
        ("pooled", True, ("1/2", "49/100", "1/51"), ("1/2", "5/12", "1/7"), "11/150"),
        # Three segments at two positions: a mean share of 1, which leaves nothing beyond chance.
        ("item", True, ("1/2", "1", None), ("1/2", "5/12", "1/7"), "7/12"),
    ],
)
def test_other_expectations(
    expected: Expected, segments: bool, pi: object, kappa: object, bias: str
) -> None:
    by_key = coefficients(TINY, expected=expected, segments=segments)
    assert three(by_key, "pi", "boundary_similarity") == pi
    assert three(by_key, "kappa", "boundary_similarity") == kappa
    assert three(by_key, "bias", "boundary_similarity") == (None, None, bias)
    plain = coefficients(TINY)
    assert {key: by_key[key] for key in by_key if key[1] == "two_category"} == {
        key: plain[key] for key in plain if key[1] == "two_category"
    }


def test_a_coder_who_coded_one_document() -> None:
    """Pairs weigh by what both coded: a with b 2 + 6, with c 6, b with c 6; rates 2/8, 3/8, 2/6."""
    corpus = {
        "short": Document(3, {"a": [1], "b": [1]}),
        "long": Document(7, {"a": [3], "b": [3, 5], "c": [2, 3]}),
    }
    by_key = coefficients(corpus, n_t=1)
    # Matches 1; 1, 1, 1 of 1; 2, 2, 3 decisions.
    assert by_key["pi", "exact"].actual == Fraction(1 + 1 + 1 + 1, 1 + 2 + 2 + 3)
    assert by_key["pi", "exact"].expected == Fraction(2 + 3 + 2, 8 + 8 + 6) ** 2
    p_a, p_b, p_c = Fraction(2, 8), Fraction(3, 8), Fraction(2, 6)
    chance = (8 * p_a * p_b + 6 * p_a * p_c + 6 * p_b * p_c) / 20
    assert by_key["kappa", "exact"].expected == chance
    # Position by position: 2 places of 2 agreements of 2; 2, 3: 2 and 6, 5: 2, the others 6 of 6.
    assert by_key["pi", "two_category"].actual == Fraction(2 + 2 + 6 + 2 + 6 + 2 + 6 + 6, 4 + 36)
    assert by_key["kappa", "two_category"].actual == by_key["pi", "two_category"].actual
    both = chance + (8 * (1 - p_a) * (1 - p_b) + 6 * (1 - p_c) * (2 - p_a - p_b)) / 20
    assert by_key["kappa", "two_category"].expected == both
    assert by_key["pi", "two_category"].expected == (Fraction(7) ** 2 + 15**2) / 22**2
    # c had one document, alpha all positions: o = 1/2 of 2 (at 2) and 2 (at 5), n_1 7, n_0 15.
    assert by_key["alpha", "two_category"].value == 1 - Fraction(21 * 2, 7 * 15)
    remaining = without(corpus, "c", n_t=1)
    assert remaining == coefficients(
        {name: Document(n, {coder: c[coder] for coder in "ab"}) for name, (n, c) in corpus.items()},
        1,
    )
    assert remaining["pi", "exact"].actual == Fraction(2, 3)
    assert without(corpus, "nobody") == coefficients(corpus)
    rows, rates = coder_rows(corpus, n_t=1)
    assert rows == {
        "a": CoderRow(2, 8, p_a, Fraction(3, 5)),
        "b": CoderRow(3, 8, p_b, Fraction(3, 6)),
        "c": CoderRow(2, 6, p_c, Fraction(2, 5)),
    }
    assert (rates.n, rates.mean) == (3, Fraction(23, 72))
    assert rates.sd == pytest.approx(statistics.stdev(map(float, (p_a, p_b, p_c))))


@pytest.mark.parametrize("n_units", [1, 2, 6])
def test_no_boundary_anywhere(n_units: int) -> None:
    by_key = coefficients({"d": Document(n_units, {"a": [], "b": [], "c": []})})
    assert set(by_key) == ALL_KEYS
    some = None if n_units == 1 else "0"
    one = None if n_units == 1 else "1"
    for name in ("pi", "kappa"):
        for what in ("boundary_similarity", "exact"):
            assert three(by_key, name, what) == (one, some, one)
        assert three(by_key, name, "segmentation_similarity") == (one, some, one)
        assert three(by_key, name, "two_category") == (one, one, None)
    assert three(by_key, "alpha", "two_category") == (one, one, None)
    assert three(by_key, "ac1", "two_category") == (one, some, one)
    assert three(by_key, "bias", "exact") == (None, None, some)
    assert three(by_key, "bias", "two_category") == (None, None, some)


def test_boundaries_everywhere_by_all_coders() -> None:
    by_key = coefficients({"d": Document(4, {"a": [1, 2, 3], "b": [1, 2, 3]})})
    for name, what in ALL_KEYS:
        all_of_it = {"bias": (None, None, "0"), "ac1": ("1", "0", "1")}
        assert three(by_key, name, what) == all_of_it.get(name, ("1", "1", None))


def test_boundaries_everywhere_and_nowhere() -> None:
    by_key = coefficients({"d": Document(3, {"a": [1, 2], "b": []})})
    for what in BOUNDARY_ONLY:
        assert three(by_key, "pi", what) == ("0", "1/4", "-1/3")
        assert three(by_key, "kappa", what) == ("0", "0", "0")
        assert three(by_key, "bias", what) == (None, None, "1/4")
    assert three(by_key, "pi", "two_category") == ("0", "1/2", "-1")
    assert three(by_key, "kappa", "two_category") == ("0", "0", "0")
    assert three(by_key, "alpha", "two_category") == ("0", "1/3", "-1/2")
    assert three(by_key, "ac1", "two_category") == ("0", "1/2", "-1")


def test_gwets_ac1_by_hand() -> None:
    by_key = coefficients({"d": Document(11, {"a": [2, 5], "b": [2, 4]})})
    assert three(by_key, "pi", "two_category") == ("4/5", "17/25", "3/8")
    assert three(by_key, "ac1", "two_category") == ("4/5", "8/25", "12/17")


def test_coders_without_a_common_document() -> None:
    corpus = {"d": Document(4, {"a": [1]}), "e": Document(3, {"b": [1]})}
    by_key = coefficients(corpus)
    for what in (*BOUNDARY_ONLY, "two_category"):
        chance = "4/25" if what != "two_category" else "13/25"
        assert three(by_key, "pi", what) == (None, chance, None)
        assert by_key["kappa", what] == by_key["bias", what] == UNDEFINED
    assert by_key["alpha", "two_category"] == UNDEFINED
    assert three(by_key, "ac1", "two_category") == (None, "12/25", None)
    assert coder_rows(corpus)[0]["a"] == CoderRow(1, 3, Fraction(1, 3), None)


def test_fewer_than_two_coders_remain() -> None:
    remaining = without(TINY, "b")
    assert set(remaining) == ALL_KEYS
    assert set(remaining.values()) == set(without(TINY, "a").values()) == {UNDEFINED}
    assert set(coefficients({}).values()) == {UNDEFINED}


def test_one_unit_only_changes_segments() -> None:
    """It has no potential boundary; F13's count of segments still finds one segment in it."""
    longer = {**TINY, "word": Document(1, {"a": [], "b": [], "c": []})}
    for expected in ("pooled", "item"):
        assert coefficients(longer, expected=expected) == coefficients(TINY, expected=expected)
    by_key = coefficients(longer, segments=True)
    assert by_key["pi", "exact"].expected == Fraction(4 + 6, 10) ** 2
    assert coder_rows(longer)[0]["c"] == CoderRow(0, 0, None, None)
    assert coder_rows(longer)[1] == coder_rows(TINY)[1]


def test_window_pairs_by_hand() -> None:
    """Position 2 is in windows 1 and 2, of the 6 of size 2 (by a) and of the 4 of size 4 (by b)."""
    means = window_pairs(Document(8, {"a": [2], "b": []}))
    for name in ("pk", "window_diff"):
        assert means[name].n == 2
        assert means[name].mean == (Fraction(2, 6) + Fraction(2, 4)) / 2
        assert means[name].sd == pytest.approx(statistics.stdev([2 / 6, 2 / 4]))
    # Half of 5 units is 2.5: 2 to even, and 1 window of 3 holds position 4; 3 up, and 1 of 2 does.
    five = Document(5, {"a": [], "b": [4]})
    assert window_pairs(five)["pk"].mean == Fraction(1, 3)
    assert window_pairs(five, "half-up")["pk"].mean == (Fraction(1, 2) + Fraction(1, 3)) / 2


@pytest.mark.parametrize(
    ("document", "count"),
    [
        (Document(9, {"a": [4]}), 0),
        (Document(2, {"a": [], "b": [1]}), 0),
        (Document(1, {"a": [], "b": []}), 0),
        # Half of 3 is 2, and 2 is the least: two pairs of one window each.
        (Document(3, {"a": [], "b": [1]}), 2),
    ],
)
def test_window_pairs_undefined(document: Document, count: int) -> None:
    for mean in window_pairs(document).values():
        assert mean.n == count
        assert (mean.mean, mean.sd) == ((None, None) if count == 0 else (1, 0.0))


def test_prominence_by_hand() -> None:
    rows = prominence(Document(12, {"a": [3, 11], "b": [4], "c": [8], "d": []}), 5)
    near = [(row["position"], row["coders_exact"], row["coders_half"]) for row in rows]
    assert near == [(3, 1, 2), (4, 1, 2), (8, 1, 1), (11, 1, 1)]
    assert [row["coders_full"] for row in rows] == [3, 3, 3, 2]
    assert rows[0] == {
        "position": 3,
        "coders_exact": 1,
        "support_exact": Fraction(1, 4),
        "peer_support_exact": 0,
        "coders_half": 2,
        "support_half": Fraction(2, 4),
        "peer_support_half": Fraction(1, 3),
        "coders_full": 3,
        "support_full": Fraction(3, 4),
        "peer_support_full": Fraction(2, 3),
    }
    (alone,) = prominence(Document(12, {"a": [3]}), 5)
    assert (alone["support_full"], alone["peer_support_full"]) == (1, None)
    assert prominence(Document(1, {"a": [], "b": []}), 2) == []


def test_segment_statistics_by_hand() -> None:
    by_key = segment_statistics(TINY)
    sizes = [2, 3, 3, 2, 1, 1, 1]
    assert (by_key["segments"].n, by_key["segments"].mean) == (3, Fraction(7, 3))
    assert by_key["segments"].sd == pytest.approx(statistics.stdev([2, 2, 3]))
    assert (by_key["sizes"].n, by_key["sizes"].mean) == (7, Fraction(13, 7))
    assert by_key["sizes"].sd == pytest.approx(statistics.stdev(sizes))
    one = segment_statistics({"d": Document(4, {"a": []})})
    assert one == {"segments": Spread(1, Fraction(1), None), "sizes": Spread(1, Fraction(4), None)}
    assert {s.mean for s in segment_statistics({}).values()} == {None}


# --- Laws ----------------------------------------------------------------------------------------


@given(corpora(), N_T, st.sampled_from(("pooled", "item")), st.booleans())
def test_names_and_order_do_not_matter(
    corpus: Corpus, n_t: int, expected: Expected, segments: bool
) -> None:
    turned = {
        f"renamed {name}": Document(
            n_units, {f"not {coder}": codings[coder] for coder in reversed(list(codings))}
        )
        for name, (n_units, codings) in reversed(list(corpus.items()))
    }
    ours = coefficients(corpus, n_t, expected, segments)
    assert set(ours) == ALL_KEYS
    assert coefficients(turned, n_t, expected, segments) == ours


@given(COMPLETE)
def test_two_coders_differ_by_the_square_of_half_their_rates_difference(corpus: Corpus) -> None:
    two = {
        name: Document(n_units, dict(list(codings.items())[:2]))
        for name, (n_units, codings) in corpus.items()
    }
    rows, rates = coder_rows(two)
    x, y = (row.rate for row in rows.values())
    assert x is not None and y is not None
    by_key = values(coefficients(two), "bias")
    assert by_key["exact"] == (x - y) ** 2 / 4
    assert by_key["two_category"] == (x - y) ** 2 / 2
    assert rates.mean == (x + y) / 2


@given(corpora())
def test_coefficients_are_at_most_1_and_pairs_of_peers_add_up(corpus: Corpus) -> None:
    by_key = coefficients(corpus)
    assert all(c.value <= 1 for c in by_key.values() if c.value is not None)
    for coder, row in coder_rows(corpus)[0].items():
        read = [document for document in corpus.values() if coder in document.codings]
        assert row.boundaries == sum(len(document.codings[coder]) for document in read)
        assert row.boundaries <= row.potential
        if len(coders_of(corpus)) == 2 and row.peer_similarity is not None:
            assert row.peer_similarity == by_key["pi", "boundary_similarity"].actual


@given(corpora())
def test_support_grows_with_reach(corpus: Corpus) -> None:
    for document in corpus.values():
        for k in (1, 2, 5):
            for row in prominence(document, k):
                counts = [row[f"coders_{reach}"] for reach in ("exact", "half", "full")]
                assert all(isinstance(n, int) and 1 <= n <= len(document.codings) for n in counts)
                assert counts == sorted(counts, key=lambda n: n or 0)

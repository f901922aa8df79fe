"""Which measure prefers the better coder?  Write docs/evidence.md and its picture.

A measure is good if it prefers a second person's segmentation of a document to the same
segmentation damaged.  No public human judgements of segmentations exist, but double codings do.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
import pyarrow as pa

import segscore
from benchmarks.timing import ROOT
from segscore.pipeline.agreement.pseudo_coders import Errors, code, streams
from segscore.pipeline.arrays.document_ids import hash_names
from segscore.pipeline.arrays.ragged import from_lists
from segscore.pipeline.measures import ALL, HEADLINES, PAIRS

PAGE = ROOT / "docs" / "evidence.md"
PICTURE = ROOT / "docs" / "evidence.svg"
START, END = "<!-- results -->\n", "<!-- end of results -->\n"
CORPORA = ("salami",)
KINDS = ("missed", "added", "moved", "missed-or-added")
LEVELS = (0.1, 0.2, 0.3)
REACH = 3
"""Largest distance in units that a moved boundary moves."""

NEAR, FAR = "moved 20% by 2 to 3", "moved 20% by 6 to 10"
DISTANCES = {NEAR: (2, 3), FAR: (6, 10)}
"""Two systems that move the same boundaries in the same directions: by how many units."""

MOVED = 0.2
"""Share of the boundaries that they move."""

PAIRED = "boundary_similarity"
"""The measure that each other one is compared with, document by document."""

UNDAMAGED, RANDOM = "undamaged", "random"
SEED = 0
SIZES = (50, 200)
"""Numbers of documents on which pairs of systems are tested."""

SHOWN = 0.05
HALVES = 20


@dataclass(frozen=True)
class Coding:
    """A document with two segmentations by people."""

    document: str
    n_units: int
    reference: list[int]
    second: list[int]


def double_codings(corpus: str) -> list[Coding]:
    """Return the documents that two people coded, with the first two coders by name."""
    rows = defaultdict(list)
    for line in (ROOT / "tests" / "data" / f"{corpus}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row.get("role", "reference") == "reference":
            rows[row["document_id"]].append(row)
    found = []
    for document, codings in sorted(rows.items()):
        if len(codings) > 1:
            one, other = sorted(codings, key=lambda row: str(row["coder"]))[:2]
            found.append(Coding(document, one["n_units"], one["boundaries"], other["boundaries"]))
    return found


def damages() -> dict[str, Errors]:
    """Return what each kind and level of damage does to a boundary, by its name."""
    kinds = {"missed": 0.0, "added": 1.0, "missed-or-added": 0.5}
    damage = {
        f"{kind} {level:.0%}": Errors(0.0, level, added, 1)
        for kind, added in kinds.items()
        for level in LEVELS
    }
    return damage | {f"moved {level:.0%}": Errors(level, 0.0, 0.0, REACH) for level in LEVELS}


def systems(codings: Sequence[Coding]) -> dict[str, list[list[int]]]:
    """Return the second coder's segmentations as they are and damaged, by system."""
    made = {UNDAMAGED: [coding.second for coding in codings]}
    hashes = hash_names(pa.array([coding.document for coding in codings])).hashes
    n_units = np.array([coding.n_units for coding in codings], np.int32)
    truth = from_lists(made[UNDAMAGED])
    for number, (name, errors) in enumerate(damages().items()):
        starts = streams(SEED, hashes, np.array([number], np.uint64))
        rows = code(starts, n_units, truth, errors)
        ends = zip(rows.offsets[:-1], rows.offsets[1:], strict=True)
        made[name] = [rows.values[a:b].tolist() for a, b in ends]
    return made


def moved(codings: Sequence[Coding]) -> dict[str, list[list[int]]]:
    """Return the second coder's segmentations with the same boundaries moved near or far.

    A boundary stays where it is, in both, if it would not stay apart from its neighbours in one.
    """
    made: dict[str, list[list[int]]] = {NEAR: [], FAR: []}
    for number, coding in enumerate(codings):
        draw = np.random.default_rng([SEED, number])
        limits = [0, *coding.second, coding.n_units]
        places: dict[str, list[int]] = {NEAR: [*coding.second], FAR: [*coding.second]}
        for i, boundary in enumerate(coding.second):
            chosen, step = draw.random() < MOVED, draw.choice((-1, 1))
            ends = {
                name: boundary + step * draw.integers(*reach, endpoint=True)
                for name, reach in DISTANCES.items()
            }
            if chosen and all(limits[i] < end < limits[i + 2] for end in ends.values()):
                for name, end in ends.items():
                    places[name][i] = int(end)
        for name, listed in places.items():
            made[name].append(sorted({*listed}))
    return made


def evaluate(codings: Sequence[Coding]) -> segscore.Evaluation:
    """Score the second coder, undamaged, damaged and at random, against the first."""
    references = [_row(coding, "first", coding.reference) for coding in codings]
    hypotheses = [
        _row(coding, name, boundaries)
        for name, rows in (systems(codings) | moved(codings)).items()
        for coding, boundaries in zip(codings, rows, strict=True)
    ]
    return segscore.evaluate(
        references,
        hypotheses,
        measures="all",
        tolerance=REACH,
        reference_points="random-own",
    )


def _row(coding: Coding, coder: str, boundaries: list[int]) -> dict[str, Any]:
    common = {"document_id": coding.document, "n_units": coding.n_units}
    return common | {"coder": coder, "boundaries": boundaries}


@dataclass(frozen=True)
class Preference:
    """How often a measure prefers the undamaged segmentation.

    Attributes:
        share: share of the documents on which it does, ties counted half.
        half_width: half-width of the 95 % interval of the share, by documents.
        documents: number of documents on which the measure is defined for both.
    """

    share: float
    half_width: float
    documents: int

    def __str__(self) -> str:
        """Return the share, such as `.88`."""
        return _short(self.share)


def _short(number: float) -> str:
    return f"{number:.2f}".removeprefix("0") if abs(number) < 1 else f"{number:.2f}"


def directed() -> list[Any]:
    """Return the measures of single pairs that have a better direction."""
    return [name for name, measure in PAIRS.measures.items() if measure.better != "neither"]


def values_of(scores: pa.Table) -> dict[str, dict[str, np.ndarray[Any, Any]]]:
    """Return each measure's values by system and measure, NaN where undefined, by document."""
    documents = sorted(scores.column("document_id").unique().to_pylist())
    place = {name: i for i, name in enumerate(documents)}
    at = np.array([place[name] for name in scores.column("document_id").to_pylist()])
    hypotheses = np.array(scores.column("hypothesis").to_pylist())
    found: dict[str, dict[str, np.ndarray[Any, Any]]] = {}
    for system in dict.fromkeys(hypotheses.tolist()):
        of_system = hypotheses == system
        name = RANDOM if system == f"point:random-own:{UNDAMAGED}" else system
        found[name] = {}
        for measure in directed():
            column = scores.column(measure).fill_null(float("nan")).to_numpy()
            values = np.full(len(documents), np.nan)
            values[at[of_system]] = column[of_system]
            found[name][measure] = values
    return found


def preference(measure: str, better: Any, worse: Any) -> Preference:
    """Compare the values of a measure document by document.

    Args:
        measure: name of the measure.
        better: values of the undamaged segmentations, NaN where undefined, shape (documents,).
        worse: values of the damaged ones.
    """
    sign = 1 if ALL[measure].better == "higher" else -1
    gain = sign * np.round(better - worse, 12)
    gain = gain[~np.isnan(gain)]
    wins = (np.sign(gain) + 1) / 2
    if len(wins) < 2:
        return Preference(float("nan"), float("nan"), len(wins))
    return Preference(
        float(wins.mean()), float(1.96 * wins.std(ddof=1) / sqrt(len(wins))), len(wins)
    )


def separated(evaluation: segscore.Evaluation, names: Sequence[str]) -> dict[str, float]:
    """Return the share of pairs of systems that each measure separates at p < .05 (Sakai 2006)."""
    tables = segscore.compare(evaluation, measure=directed(), systems=",".join(names))
    found = defaultdict(list)
    for row in tables.comparisons.to_pylist():
        if row["average"] == "macro" and row["p"] is not None:
            found[row["measure"]].append(row["p"] < SHOWN)
    return {measure: float(np.mean(each)) for measure, each in found.items()}


def split_half(values: Mapping[str, Mapping[str, Any]], measure: str) -> float:
    """Return the mean Kendall tau of the ranks of systems on two random halves of the documents."""
    from scipy.stats import kendalltau

    rows = np.stack([of_system[measure] for of_system in values.values()])
    taus = []
    for half in range(HALVES):
        order = np.random.default_rng([SEED, half]).permutation(rows.shape[1])
        parts = order[: len(order) // 2], order[len(order) // 2 :]
        with np.errstate(invalid="ignore"):
            one, other = (np.nanmean(rows[:, part], axis=1) for part in parts)
        taus.append(kendalltau(one, other).statistic)
    return float(np.mean(taus))


def report() -> Iterator[str]:
    """Yield the lines of the results."""
    for corpus in CORPORA:
        codings = double_codings(corpus)
        evaluation = evaluate(codings)
        values = values_of(evaluation.scores)
        yield f"## {corpus.capitalize()}: {len(codings)} documents\n"
        head = [f"{kind} {LEVELS[1]:.0%}" for kind in KINDS]
        yield _line(["measure", *head, RANDOM, "mean of all", f"less `{PAIRED}`", "near, not far"])
        yield _line(["---"] * (len(head) + 5))
        for measure in _by_preference(values):
            chosen = [values[name][measure] for name in (*head, RANDOM)]
            cells = [str(preference(measure, values[UNDAMAGED][measure], one)) for one in chosen]
            cells += [_short(_mean(values, measure)), _paired(values, measure)]
            near = preference(measure, values[NEAR][measure], values[FAR][measure])
            yield _line([f"`{measure}`", *cells, str(near)])
        yield ""
        if len(codings) >= max(SIZES):
            yield from _power(codings, values)


def _power(codings: Sequence[Coding], values: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield how well each measure tells systems apart."""
    names = [UNDAMAGED, *damages()]
    shares = [separated(evaluate(codings[:: len(codings) // size][:size]), names) for size in SIZES]
    head = [f"separated on {size} documents" for size in SIZES]
    yield _line(["measure", *head, "agreement of halves (Kendall's tau)"])
    yield _line(["---"] * (len(head) + 2))
    damaged = {name: values[name] for name in names}
    for measure in sorted(shares[-1], key=lambda name: (-shares[-1][name], name)):
        cells = [_short(share.get(measure, float("nan"))) for share in shares]
        yield _line([f"`{measure}`", *cells, _short(split_half(damaged, measure))])
    yield ""


def _mean(values: Mapping[str, Mapping[str, Any]], measure: str) -> float:
    """Return the mean share over all kinds and levels of damage, random placement apart."""
    own = values[UNDAMAGED][measure]
    return float(
        np.mean([preference(measure, own, values[name][measure]).share for name in damages()])
    )


def _paired(values: Mapping[str, Mapping[str, Any]], measure: str) -> str:
    """Return the mean share less that of ``PAIRED``, document by document, and its half-width."""
    difference = wins(values, measure) - wins(values, PAIRED)
    difference = difference[~np.isnan(difference)]
    half_width = 1.96 * difference.std(ddof=1) / sqrt(len(difference))
    mean = float(difference.mean())
    sign = "-" if round(mean, 2) < 0 else "+" if round(mean, 2) > 0 else ""
    return f"{sign}{_short(abs(mean))} ± {_short(float(half_width))}"


def wins(values: Mapping[str, Mapping[str, Any]], measure: str) -> Any:
    """Return the share of all damage that a measure recognises in each document, NaN without any.

    Ties count half, and damage for which the measure is undefined does not count.
    """
    sign = 1 if ALL[measure].better == "higher" else -1
    own = values[UNDAMAGED][measure]
    gains = [sign * np.round(own - values[name][measure], 12) for name in damages()]
    known = ~np.isnan(gains)
    with np.errstate(invalid="ignore"):
        return np.where(known, (np.sign(gains) + 1) / 2, 0).sum(axis=0) / known.sum(axis=0)


def _by_preference(values: Mapping[str, Mapping[str, Any]]) -> list[str]:
    return sorted(directed(), key=lambda name: (-_mean(values, name), name))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _chart(rows: list[dict[str, Any]]) -> Any:
    import altair

    return altair.Chart(altair.Data(values=rows))  # type: ignore[no-untyped-call]


def draw(corpus: str) -> str:
    """Return a picture of the shares for the headline measures, as SVG."""
    import altair
    import vl_convert

    values = values_of(evaluate(double_codings(corpus)).scores)
    points = [
        {
            "measure": measure,
            "damage": name,
            "share": (found := preference(measure, own, values[name][measure])).share,
            "low": found.share - found.half_width,
            "high": found.share + found.half_width,
        }
        for measure in HEADLINES
        if measure in directed()
        for own in [values[UNDAMAGED][measure]]
        for name in (f"{kind} {LEVELS[1]:.0%}" for kind in KINDS)
    ]
    base = _chart(points).encode(
        y=altair.Y("measure:N", sort=None, title=None),
        color=altair.Color("damage:N", sort=None, title="damage"),
        yOffset=altair.YOffset("damage:N", sort=None),
    )
    axis = altair.X("share:Q", title="share of documents on which the undamaged one is better")
    layers = altair.layer(
        base.mark_rule().encode(x=altair.X("low:Q"), x2="high:Q"),
        base.mark_point(filled=True, size=40).encode(x=axis),
        _chart([{"share": 0.5}]).mark_rule(strokeDash=[4, 4]).encode(x="share:Q"),
    ).properties(width=420, height=altair.Step(9))
    return str(vl_convert.vegalite_to_svg(layers.to_json()))


if __name__ == "__main__":
    PICTURE.write_text(draw(CORPORA[0]), "utf-8")
    before, rest = PAGE.read_text("utf-8").split(START)
    _, after = rest.split(END)
    results = "\n".join(report())
    PAGE.write_text(f"{before}{START}\n{results}\n{END}{after}", "utf-8")

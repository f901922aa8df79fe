"""A sentence for a paper about how an audit measured agreement."""

from collections.abc import Sequence

from segscore.pipeline.agreement.chance import DRAWS
from segscore.pipeline.agreement.sentences import meaningful
from segscore.pipeline.errors import Refused, nearest
from segscore.pipeline.measures.agreement_bibliography import CALDERON, SOURCES
from segscore.pipeline.measures.bibliography import INTERVAL_METHOD, Publication
from segscore.pipeline.plain_text import latex_name, named_list
from segscore.pipeline.reports.method_material import describe_near_misses
from segscore.pipeline.runs.finished import FinishedRun, rows_over_all
from segscore.pipeline.settings.signature import fields, resampled_attribute
from segscore.pipeline.statistics.formatted_numbers import counted, number_in_words
from segscore.schemas.rows import CoefficientRow

_NAMES = {"pi": r"$\pi$", "kappa": r"$\kappa$", "alpha": r"$\alpha$", "ac1": "AC1"}
_SIMILARITIES = {
    "boundary_similarity": "boundary similarity",
    "segmentation_similarity": "segmentation similarity",
    "exact": "boundary similarity without near misses",
    "two_category": "the categories boundary and none",
}
_WITH_NEAR_MISSES = ("boundary_similarity", "segmentation_similarity")
Coefficient = tuple[str, str]


def reported(run: FinishedRun, asked: Sequence[str]) -> list[Coefficient]:
    """Return the coefficients of an audit that are reported, with their similarities.

    By default, these are pi and kappa of the first similarity.

    Args:
        run: the audit.
        asked: names of coefficients, such as ``pi`` and ``alpha``.

    Raises:
        Refused: the audit does not have one of them.
    """
    rows: list[CoefficientRow] = rows_over_all(run.table("agreement"), run.settings["group_by"])
    every = [(row["coefficient"], row["similarity"]) for row in rows]
    known = dict.fromkeys(name for name, _ in every if name in _NAMES)
    for name in asked:
        if name not in known:
            raise Refused(
                f"--measures {name}: the audit has no such coefficient{nearest(name, known)}; it "
                f"has {', '.join(known)}"
            )
    chosen = asked or ("pi", "kappa")
    told = {(row["coefficient"], row["similarity"]) for row in meaningful(rows, run.unit)}
    for name in asked:
        if not any(key[0] == name for key in told):
            raise Refused(
                f"--measures {name}: counts every {run.unit}, of which hardly any is a boundary; "
                f"report {', '.join(dict.fromkeys(key[0] for key in every if key in told))}"
            )
    return [next(key for key in every if key[0] == name) for name in chosen]


def agreement_sources(run: FinishedRun, keys: Sequence[Coefficient]) -> list[Publication]:
    """Return the publications of coefficients, intervals and the test of a candidate."""
    works = {work.key: work for key in keys for work in SOURCES[key]}
    tests = [CALDERON] if run.settings.get("candidate") is not None else []
    return [*works.values(), INTERVAL_METHOD, *tests]


def describe_agreement_method(run: FinishedRun, keys: Sequence[Coefficient]) -> str:
    """Describe in LaTeX how an audit measured agreement."""
    first = _first_row(run)
    names = named_list([_cited(key, keys) for key in keys])
    texts = [
        f"We measure the agreement of {counted(first['coders'], 'coder')} over "
        f"{counted(first['documents'], 'document')} by {names} with segscore "
        rf"{run.record['versions']['segscore']}~\cite{{segscore}}"
    ]
    if any(similarity in _WITH_NEAR_MISSES for _, similarity in keys):
        texts.append(describe_near_misses(run, int(fields(run.signature)["n_t"])))
    if any(name == "pi" for name, _ in keys) and run.settings["expected"] == "item":
        texts.append("the chance of a boundary is the mean of the documents' rates")
    texts.append(rf"95\,\% intervals are by the jackknife~\cite{{{INTERVAL_METHOD.key}}}")
    if (attribute := resampled_attribute(run.signature)) is not None:
        texts[-1] += f", which leaves out all documents of one {latex_name(attribute)} together"
    if run.settings.get("candidate") is not None:
        texts.append(
            f"whether {latex_name(run.settings['candidate'])} may replace a coder is decided by "
            rf"the alternative annotator test~\cite{{{CALDERON.key}}} with a margin of "
            f"{run.settings['margin']:g}"
        )
    return f"{'; '.join(texts)}.{_numbers(run, keys)}"


def _numbers(run: FinishedRun, keys: Sequence[Coefficient]) -> str:
    """Return a sentence with the values of the coefficients."""
    rows: list[CoefficientRow] = rows_over_all(run.table("agreement"), run.settings["group_by"])
    found = {(row["coefficient"], row["similarity"]): row for row in rows}
    values = [
        f"{_NAMES[key[0]]} is {number_in_words(row['value'], row['ci_low'], row['ci_high'])}"
        for key in keys
        if (row := found[key])["value"] is not None
    ]
    chance = found[keys[0]].get("chance")
    by_chance = (
        f"; as many boundaries at random places agree by {chance:.4f} ({DRAWS} draws)"
        if chance is not None
        else ""
    )
    return f" {named_list(values)}{by_chance}.".replace(" %", r"\,\%") if values else ""


def _first_row(run: FinishedRun) -> CoefficientRow:
    rows: list[CoefficientRow] = rows_over_all(run.table("agreement"), run.settings["group_by"])
    return rows[0]


def _cited(key: Coefficient, keys: Sequence[Coefficient]) -> str:
    """Name a coefficient with its sources; its similarity where that changes."""
    name, similarity = key
    works = ",".join(work.key for work in SOURCES[key] if work.fields)
    place = keys.index(key)
    following = keys[place + 1][1] if place + 1 < len(keys) else None
    of = "" if following == similarity else f" of {_SIMILARITIES[similarity]}"
    return f"{_NAMES[name]}{of}" + (rf"~\cite{{{works}}}" if works else "")

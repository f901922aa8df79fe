"""The part of a method sentence about systems: their answers, their trials, and chance."""

from collections.abc import Iterator, Mapping
from typing import Any

from segscore.pipeline.plain_text import latex_name, named_list
from segscore.pipeline.runs.finished import FinishedRun
from segscore.pipeline.settings.signature import DRAWS, TRIALS, fields
from segscore.pipeline.statistics.formatted_numbers import counted

_FORMS = {
    "rewritten": "the text with breaks, aligned with the units by the fewest edits of words",
    "numbered": "numbers of units",
    "quoted": "the first words of segments, placed by the fewest edits of words",
}
"""Format of answers, as a signature states it -> what is read as boundaries."""

_FAILED = {
    "none": "failed ones count as documents without boundaries",
    "leave-out": "failed ones are left out",
}
"""What is done about answers that failed, as a signature states it -> words."""

_CHANCE = "random-own"


def describe_systems(run: FinishedRun) -> Iterator[str]:
    """Yield what is to be said of answers, trials and chance; compared runs may differ in them."""
    stated = {name: "" if "/" in text else text for name, text in fields(run.signature).items()}
    rows = _rows(run)
    if answers := stated.get("answers"):
        yield f"answers of language models are read as {named_list(_forms(answers))}"
    yield from _failures(rows)
    if TRIALS in stated:
        numbers = {row["trials"] for row in rows.values() if row.get("trials")}
        number = f"{numbers.pop()} " if len(numbers) == 1 else ""
        yield f"a document counts with the mean over the {number}trials of a system"
    if _CHANCE in (run.settings.get("reference_points") or "").split(","):
        draws = counted(int(stated.get(DRAWS) or 1), "draw")
        yield (
            "skill is $(v-c)/(b-c)$ of a value $v$ and the best possible value $b$, where chance "
            f"$c$ is the mean of {draws} of as many boundaries as the system placed, at random "
            "positions"
        )


def _rows(run: FinishedRun) -> Mapping[str, Mapping[str, Any]]:
    """Return a row of each system, over all documents."""
    name, system = ("systems", "system") if run.command == "compare" else ("summary", "hypothesis")
    found: dict[str, Mapping[str, Any]] = {}
    for row in run.rows(name):
        known = found.get(row[system])
        if known is None or (known.get("answers") is None and row.get("answers") is not None):
            found[row[system]] = row
    return found


def _forms(answers: str) -> list[str]:
    """Say how each kind of answers was read, and what a failed one counts as."""
    forms = []
    for stated in answers.split("+"):
        form, *_ = stated.split(",")
        failed = _FAILED.get(stated.rpartition("failed:")[2])
        kept = "truncated ones as far as they go" if "truncated:keep" in stated else None
        said = "; ".join(filter(None, (kept, failed)))
        forms.append(_FORMS.get(form, latex_name(form)) + (f" ({said})" if said else ""))
    return list(dict.fromkeys(forms))


def _failures(rows: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Say how many answers of each system failed, and how many words the others changed."""
    told = []
    for name, row in rows.items():
        if row.get("answers") is None:
            continue
        edited = row["edit_rate"]
        words = "" if edited is None else rf" ({100 * edited:.1f}\,\% of the words edited)"
        answers = counted(row["answers"], "answer")
        told.append(f"{row['failed_answers']:,} of {answers} of {latex_name(name)}{words}")
    if told:
        yield f"{named_list(told)} failed"

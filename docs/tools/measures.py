"""The page of measures, from the table of measures and the notes beside this file.

Formula, range, direction, source and counts are those of the code, and an example's values are
computed.  Only what they do not say is in `measure_notes.toml`.
"""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import segscore
from segscore.pipeline.measures import FAMILIES, dialogue
from segscore.pipeline.measures.measure import Measure

NOTES = Path(__file__).parent / "measure_notes.toml"

N_UNITS, REFERENCE, HYPOTHESIS = 30, (5, 15, 25), (5, 16)
PANEL = (REFERENCE, (6, 15), (15, 25))
"""The example: a document, its first reference, a hypothesis, and all of its references."""

_EXAMPLE = {
    "@n_units@": str(N_UNITS),
    "@reference@": ", ".join(map(str, REFERENCE)),
    "@hypothesis@": " and ".join(map(str, HYPOTHESIS)),
    "@others@": " and ".join(str(list(each)) for each in PANEL[1:]),
}
"""Word in the head of the page -> what stands for it."""


def page() -> str:
    """Return the text of docs/measures.md."""
    notes = tomllib.loads(NOTES.read_text("utf-8"))
    values, texts = examples(), notes["notes"]
    head = notes["head"]
    for word, text in _EXAMPLE.items():
        head = head.replace(word, text)
    parts = [head]
    for name, about in notes["families"].items():
        family = dialogue if name == "dialogue" else FAMILIES[name]
        parts += [f"## {about['title']}\n", about["text"], *_counts(family)]
        for measure in family.MEASURES:
            parts += _section(measure, values[measure.name], texts.pop(measure.name, ""))
        if "ghd" in getattr(family, "COUNTS", ()):
            parts += ["### `ghd`\n", texts.pop("ghd")]
    if texts:
        raise SystemExit(f"{NOTES}: no such measure: {', '.join(texts)}")
    return "\n".join(parts).rstrip() + "\n"


def _counts(family: Any) -> Iterator[str]:
    """Yield the table of a family's counts."""
    counts: Mapping[str, str] = getattr(family, "COUNTS", {})
    if counts:
        yield "| count | meaning |\n|---|---|"
        yield from (f"| `{name}` | {meaning} |" for name, meaning in counts.items())
        yield ""


def _section(measure: Measure, example: float | None, note: str) -> Iterator[str]:
    """Yield the section of a measure."""
    first = measure.description[0].upper() + measure.description[1:]
    value = "undefined" if example is None else f"{example:.4f}"
    yield f"### `{measure.name}`\n"
    yield f"{first}.\n"
    yield f"    {measure.formula}\n"
    facts = f"{measure.range}; better: {measure.better}. Source: {measure.source}."
    yield f"{facts} Example: {value}.\n"
    if note:
        yield note


def examples() -> dict[str, float | None]:
    """Compute every measure of the example."""
    pair = segscore.score(
        reference=REFERENCE, hypothesis=HYPOTHESIS, n_units=N_UNITS, measures="all"
    )
    panel = [_row(f"coder-{number}", each) for number, each in enumerate(PANEL)]
    run = segscore.evaluate(panel, [_row("system", HYPOTHESIS)], measures="all")
    assert run.panel_scores is not None
    return {**run.panel_scores.to_pylist()[0], **pair.values}


def _row(coder: str, boundaries: tuple[int, ...]) -> dict[str, Any]:
    return {
        "document_id": "example",
        "coder": coder,
        "n_units": N_UNITS,
        "boundaries": list(boundaries),
    }

"""Say what a night would do, without doing any of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from segscore.pipeline import storage
from segscore.pipeline.errors import Absent, Refused, nearest
from segscore.pipeline.nightly.gate.chosen import expected_systems
from segscore.pipeline.nightly.nights import Nights
from segscore.pipeline.nightly.retention import preview_removal
from segscore.pipeline.nightly.scoring import usable
from segscore.pipeline.nightly.settings import NightSettings
from segscore.pipeline.plain_text import named_list
from segscore.pipeline.runs import run_folder
from segscore.pipeline.runs.fingerprint import Fingerprint
from segscore.pipeline.runs.planning import LIMITS, Plan
from segscore.pipeline.scoring.inputs import Inputs, attribute_types, find_inputs, group_types
from segscore.pipeline.scoring.run import scoring_plan
from segscore.pipeline.storage.memory import readable_size


@dataclass(frozen=True)
class Preview:
    """What a night would do, in lines; without a plan, it would not be scored."""

    lines: Sequence[str]
    plan: Plan | None = None


def preview_night(settings: NightSettings) -> Preview:
    """Check the settings and the input of a night, and say what it would do.

    Raises:
        Refused: the input or the settings are wrong.
        Failed: the server does not answer.
    """
    fixed = settings.fixed_input
    storage.require_resolvable([settings.metrics, settings.runs, *settings.inputs.values()])
    try:
        scoring, unusable = usable(settings)
        inputs = find_inputs(scoring)
        scoring = scoring.in_unit(inputs.unit)
        _require_attributes(settings, inputs)
    except Absent as problem:
        return Preview([f"would wait for input: {problem}"])
    lines = [_describe_inputs(inputs)]
    if fixed is not None:
        lines.append(f"--hypotheses {fixed} has no {{date}}: every night reads the same files")
    lines += [f"would leave out a file that cannot be read: {each.problem}" for each in unusable]
    known = run_folder.known_digests(settings.score.output)
    fingerprint = Fingerprint.of("score", scoring, inputs.tables, known)
    try:
        attempt = run_folder.examine(settings.score.output, fingerprint, fresh=settings.fresh)
        done = attempt.state.done
        state = "is scored already, with this input" if done else "would be scored"
    except run_folder.OtherRun as other:
        done = False
        reason = "; ".join(other.differences) or "settings or inputs differ"
        state = f"would be scored again: {reason}"
    lines.append(f"{state}; {_describe_comparison(settings)}")
    if settings.keep is not None:
        lines += preview_removal(Nights(settings.runs), settings.keep, settings.night)
    plan = None if done else scoring_plan(scoring, inputs, LIMITS)
    return Preview(lines, plan)


def _require_attributes(settings: NightSettings, inputs: Inputs) -> None:
    """Refuse input that lacks an attribute to group or to judge by."""
    group_types(settings.score, inputs)
    known = attribute_types([inputs.hypotheses, inputs.references, inputs.documents])
    for name in settings.gate_by:
        if name not in known:
            raise Refused(
                f"--gate-by {name}: the documents have no such attribute{nearest(name, known)}"
            )


def _describe_inputs(inputs: Inputs) -> str:
    """Say how many files each table has, and their size."""
    texts = [
        f"{table.name}: {len(table.files)} file{'s' * (len(table.files) != 1)}, "
        f"{readable_size(sum(file.size for file in table.files))}"
        for table in inputs.tables
    ]
    return "; ".join(texts)


def _describe_comparison(settings: NightSettings) -> str:
    """Say which night it would be compared with, as far as that does not depend on its systems."""
    if not settings.rules:
        return "there is no gate"
    folder = Nights(settings.runs, aliases=settings.aliases, seen_from=settings.night)
    last = next(iter(folder.good(settings.night)), None)
    if last is None:
        return "there is no earlier good night to compare with"
    expected = expected_systems(settings.night, folder)
    return f"compared with {last.name}; expected: {named_list(expected or ('any system',))}"

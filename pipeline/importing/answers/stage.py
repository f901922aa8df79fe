"""Read the units and the answers of an import, and place the answers: the stages of tasks."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.answers.alignment_rows import ALIGNMENT_FOLDER
from segscore.pipeline.importing.answers.breaks import BREAK_KINDS, NEWLINE
from segscore.pipeline.importing.answers.gathering import (
    ANSWERS,
    SOURCE,
    GatheredPart,
    GatherJob,
    cut_parts,
    gather_part,
    number_of_buckets,
)
from segscore.pipeline.importing.answers.numbers import how_numbered, infer_first
from segscore.pipeline.importing.answers.options import (
    AUTO,
    NUMBERED,
    REFUSE,
    REWRITTEN,
    SIZES,
    AnswerOptions,
)
from segscore.pipeline.importing.answers.part import (
    TITLES,
    Bucket,
    PlaceJob,
    chosen_buckets,
    place_part,
    survey_numbers,
)
from segscore.pipeline.importing.answers.tallies import (
    AnswerTally,
    accounts_of,
    add_tallies,
    describe_absent,
    describe_doubts,
    describe_failures,
    describe_tally,
)
from segscore.pipeline.importing.answers.timing import Timing
from segscore.pipeline.importing.parts import FilePart, accepted, lines_before
from segscore.pipeline.importing.read_files import ImportedRows
from segscore.pipeline.importing.settings import ImportSettings
from segscore.pipeline.runs.tasks import TaskRun
from segscore.pipeline.statistics.formatted_numbers import counted
from segscore.pipeline.storage import InputFile
from segscore.pipeline.tables.answer_accounts import ACCOUNTS_KEY, write_accounts
from segscore.pipeline.tables.units import ANSWERS_KEY, MILLISECOND


def read_answers(
    run: TaskRun,
    files: Mapping[str, Sequence[InputFile]],
    settings: ImportSettings,
    options: AnswerOptions,
    timing: Timing | None,
) -> ImportedRows:
    """Read all files, and place all answers.

    Args:
        run: the run.
        files: the files of ``SOURCE`` and of ``ANSWERS``.
        settings: the settings of the import.
        options: the options of answers.
        timing: what gives boundaries times; None if they remain in units.

    Raises:
        Refused: a part is refused, answers cannot be used and `--failed` is `refuse`, or there is
            no break of the kind that was asked for.
    """
    size = run.limits.bytes_per_part
    parts = {what: cut_parts(found, options, size) for what, found in files.items()}
    buckets = number_of_buckets(sum(f.size for found in files.values() for f in found), size)
    run.claim(parts)
    gathered = gather_files(run, parts, options, settings, buckets)
    options, lines = _with_break(options, gathered[ANSWERS].values())
    job = PlaceJob(run.folder, options, gathered, timing)
    chosen = chosen_buckets((part.edges for part in gathered[ANSWERS].values()), buckets)
    job, about_first = _with_first_number(run, chosen, job)
    lines += about_first
    placed = accepted(run.tasks(place_part, chosen, job, stage="placed")).values()
    tallies = add_tallies(receipt.tallies for receipt in placed)
    _require_usable(tallies, options)
    documents = sum(receipt.rows for receipt in gathered[SOURCE].values())
    for coder, tally in tallies.items():
        lines += [describe_tally(coder, tally), *describe_absent(coder, tally, documents)]
    return ImportedRows(
        shards=[receipt.shard for receipt in placed if receipt.shard is not None],
        rejects=sum(receipt.rejects for receipt in placed),
        counted=lines,
        left_out=sum(receipt.left_out for receipt in placed),
        tables={ALIGNMENT_FOLDER: sum(receipt.aligned for receipt in placed)},
        stated={ANSWERS_KEY: options.signature, ACCOUNTS_KEY: write_accounts(accounts_of(tallies))},
        own=(TITLES,),
        unit=None if timing is None else MILLISECOND,
        doubts=(*describe_doubts(tallies, options.format_name),),
        formats={options.format_name: files[ANSWERS][0].url},
    )


def gather_files(
    run: TaskRun,
    parts: Mapping[str, Sequence[FilePart]],
    options: AnswerOptions,
    settings: ImportSettings,
    buckets: int,
) -> dict[str, dict[str, GatheredPart]]:
    """Write files of each kind by document; return what the task of each part has read.

    Raises:
        Refused: a part is refused.
    """
    gathered = {}
    for what, cut in parts.items():
        job = GatherJob(run.folder, what, options, settings, buckets)
        receipts = accepted(run.tasks(gather_part, cut, job, stage=what))
        before = lines_before(cut, {name: each.lines for name, each in receipts.items()})
        gathered[what] = {n: replace(each, before=before[n]) for n, each in receipts.items()}
    return gathered


def _with_first_number(
    run: TaskRun, chosen: Sequence[Bucket], job: PlaceJob
) -> tuple[PlaceJob, list[str]]:
    """Return the job with the number of the first unit, if answers are numbers; and say so."""
    options = job.options
    if options.format_name != NUMBERED or options.first_number is not None:
        return job, []
    kind = how_numbered(options.numbers).kind
    first, lines = (1, []) if kind == SIZES else _first(run, chosen, job)
    return replace(job, options=replace(options, first_number=first)), lines


def _first(run: TaskRun, chosen: Sequence[Bucket], job: PlaceJob) -> tuple[int, list[str]]:
    surveyed = accepted(run.tasks(survey_numbers, chosen, job, stage="surveyed")).values()
    zeros, lasts, ones = (
        sum(getattr(one, name) for one in surveyed) for name in ("zeros", "lasts", "ones")
    )
    tallies = add_tallies(one.tallies for one in surveyed)
    answers, failed = (
        sum(getattr(tally, name) for tally in tallies.values()) for name in ("answers", "failed")
    )
    if not zeros and not lasts and ones and ones == answers - failed:
        return 1, [f"--first-number 1: every answer with numbers begins with 1 ({ones})"]
    try:
        return infer_first(zeros, lasts), []
    except Refused as unclear:
        if failed and job.options.failed == REFUSE:
            raise Refused(f"{unclear}; besides, {describe_failures(tallies)}") from unclear
        raise


def _with_break(
    options: AnswerOptions, receipts: Iterable[GatheredPart]
) -> tuple[AnswerOptions, list[str]]:
    """Return options with the kind of break that `auto` stands for, if it is asked for; and say so.

    Raises:
        Refused: no answer has a break of any kind.
    """
    if options.format_name != REWRITTEN or options.breaks != AUTO:
        return options, []
    kind, line = _choose_break(receipts)
    return replace(options, breaks=kind), [line]


def _choose_break(receipts: Iterable[GatheredPart]) -> tuple[str, str]:
    """Return the kind of break that `auto` stands for, and a line about it."""
    kinds: Counter[int] = Counter()
    breaks: Counter[str] = Counter()
    for receipt in receipts:
        kinds.update(receipt.kinds)
        breaks.update(receipt.breaks)
    lists = sum(receipt.lists for receipt in receipts)
    found = [kind for kind in BREAK_KINDS if breaks[kind]]
    if not found and lists:
        of = counted(kinds.total() + lists, "answer")
        return BREAK_KINDS[0], f"JSON lists of texts: {lists} of {of}"
    if not found:
        raise Refused(
            "no answer contains a break (a line of = - * or _, a heading, a blank line or a line "
            "end); name what marks a break with --break"
        )
    bit = 1 << BREAK_KINDS.index(found[0])
    having = sum(number for mask, number in kinds.items() if mask & bit)
    others = sum(number for mask, number in kinds.items() if mask and not mask & bit)
    total = kinds.total() + lists
    line = f"--break {found[0]}: {breaks[found[0]]} in {having} of {total} answers"
    if lists:
        line += f"; {counted(lists, 'JSON list')} of texts"
    if others:
        line += f"; {others} without one contain another kind of break; {_advice(kinds, found[0])}"
    return found[0], line


def _advice(kinds: Counter[int], chosen: str) -> str:
    """Say how to divide the answers without the chosen kind of break, too.

    Line ends are no advice: nearly every text has some, also within segments.
    """
    named = {chosen}
    for mask in kinds:
        contained = [kind for bit, kind in enumerate(BREAK_KINDS) if mask >> bit & 1]
        if contained and chosen not in contained and contained[0] != NEWLINE:
            named.add(contained[0])
    if named == {chosen}:
        return "name it with --break"
    both = ",".join(kind for kind in BREAK_KINDS if kind in named)
    return f"divide at either with --break {both}"


def _require_usable(tallies: Mapping[str, AnswerTally], options: AnswerOptions) -> None:
    failed = sum(tally.failed for tally in tallies.values())
    refused = [describe_failures(tallies)] if failed and options.failed == REFUSE else []
    breaks = sum(tally.counts.get("breaks", 0) for tally in tallies.values())
    answers = sum(tally.answers for tally in tallies.values())
    if options.format_name == REWRITTEN and not breaks and failed < answers:
        refused.append(
            f"--break {options.breaks}: no answer contains such a break; check what the answers "
            "have between segments"
        )
    if refused:
        raise Refused("; besides, ".join(refused))

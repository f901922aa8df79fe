"""The keys of the JSON files that runs and nights write beside their tables."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple


class Key(NamedTuple):
    """A key of a record.

    Attributes:
        name: path of the key; `*` is any name, `[]` is each element of a list.
        kind: type of the value.
        meaning: meaning of the value.
        commands: commands that write the key; empty for all that write the record.
    """

    name: str
    kind: str
    meaning: str
    commands: tuple[str, ...] = ()


_COMMANDS = {
    "boundary_types": ("score", "sweep"),
    "p_seg": ("score", "sweep"),
    "levels": ("score",),
    "trials": ("score",),
    "answers": ("score",),
    "test_set": ("score",),
    "missing": ("score",),
    "left_out": ("agree",),
    "average": ("compare",),
    "plan": ("score", "agree"),
}
"""Key of run.json -> the commands that write it and what is below it, if not all do."""

_RUN = {
    "schema: int": "version of the tables and of run.json",
    "signature: string": "what was computed, in one line; runs with equal signatures are "
    "comparable",
    "settings: object": "every setting of the command by name, including defaults",
    "boundary_types: list<int> or null": "types that boundaries may have; null if the tables have "
    "no types",
    "p_seg: float or null": "probability of a boundary in a window, as used; in [0, 1]; null "
    "without a window",
    "trials: int or null": "number of trials that the counts of each hypothesis are extended to; "
    "null in runs of hypotheses without the column `trial`",
    "answers.*.answers: int": "answers of a language model, of a system whose answers "
    "`segscore answers` read",
    "answers.*.failed: int": "answers that could not be used",
    "answers.*.words: int": "words that the other answers were to repeat; 0 if they were not",
    "answers.*.edits: int": "words that they deleted, inserted or changed",
    "levels[].level: int or null": "level of the hierarchy, null for all levels; the list is empty "
    "in runs without levels",
    "levels[].type_range: int": "1, as the boundaries of a level have no types",
    "levels[].p_seg: float or null": "p_seg of the level",
    "test_set.fingerprint: string or null": "sum of the digests of all accepted references (64 "
    "hexadecimal digits), which depends on their lengths, boundaries and types alone; null in runs "
    "of more than 100,000 documents",
    "test_set.name: string or null": "test set that the references are, or are a part of; null if "
    "none is known",
    "test_set.split: string or null": "its split, `all` for the whole; null if no test set is "
    "known",
    "test_set.documents: int": "documents with an accepted reference",
    "test_set.recognised: int": "accepted references that the split contains; each of its "
    "references counts once",
    "test_set.also[].name: string": "another test set that is whole among the other references; "
    "the list is empty if there is none",
    "test_set.also[].split: string": "its split, `all` for the whole",
    "unit: string or null": "unit of the positions in the input tables, such as millisecond; null "
    "if they state none",
    "average: string": "the average that the comparison showed",
    "pairs: int": "rows of the table scores, pairs or comparisons; for sweep, pairs swept",
    "left_out.*: int": "codings of each coder of `--without`, which are not among the rows",
    "inputs.*[].url: string": "a file of the input table; for compare, run.json of a run",
    "inputs.*[].size: int": "size of the file in bytes",
    "inputs.*[].version: string": "modification time of the file, or ETag in a store; digest of a "
    "table that the run keeps",
    "inputs.*[].name: string": "its path as the run was told it; only with its digest",
    "inputs.*[].sha256: string": "SHA-256 of the file, if all inputs on a disk have at most 1 GiB",
    "rows.*.in: int": "rows of the input table; for compare, documents of the run",
    "rows.*.scored: int": "rows scored; for compare, documents that all systems share",
    "rows.*.rejected: int": "rows listed in rejects, without copies",
    "rows.*.copies: int": "rows listed in rejects as exact copies of others; absent without any",
    "rows.*.unpaired: int": "rows listed in unpaired; for compare, documents not shared",
    "missing.documents: int": "documents with an accepted reference",
    "missing.systems.*: int": "how many of them have no scored hypothesis of the system; without "
    "systems that lack none",
    "missing.rejected.*: int": "of how many of these the system has rejected rows alone",
    "missing.contradicting.*: int": "of how many of these a row contradicts other rows; "
    "`--missing none` leaves them out",
    "missing.added: int": "hypotheses without boundaries that were scored in their place, besides "
    "the rows of the input",
    "warnings[]: string": "warnings about the numbers",
    "commit: string or null": "commit of segscore that computed the numbers; null if it is not "
    "known",
    "versions.*: string": "version of segscore and of each library that computed the numbers",
    "seconds.*: float": "duration of each stage of the last attempt",
    "plan[]: string": "how rows were matched, and why",
    "fingerprint: string": "hash of settings, inputs and version; part of the file names",
    "files.*[]: string": "files of each table; no other files belong to the run. `inputs` are the "
    "tables that were in memory, which the run keeps",
}
"""`name: type` of each key of run.json -> its meaning."""

_NIGHT_RECORD = {
    "date: string": "date of the night, such as 2026-01-31",
    "run: string": "fingerprint of the run that was judged; night.json is not valid for any other "
    "run",
    "asked.gate[]: string": "rules, as given",
    "asked.not_comparable: string": "`fail` or `pass`",
    "asked.gate_by[]: string": "attributes in each value of which the rules also hold",
    "asked.require_groups: bool": "whether a night without an expected group is incomplete",
    "asked.exclude[].*: string": "documents that the night leaves out, if there are any",
    "asked.aliases[].*: string": "new names by which earlier nights are read, if there are any",
    "against.*.date: string": "date of the night that the system is compared with",
    "against.*.run: string": "fingerprint of that night's run",
    "checks[].rule: string": "rule, as given",
    "checks[].system: string": "coder of the hypotheses",
    "checks[].measure: string": "measure of the rule",
    "checks[].average: string": "`micro` or `macro`",
    "checks[].limit: float": "change that the rule allows, in the unit of the measure",
    "checks[].against: string": "date of the night that the system is compared with; of several "
    "nights, the newest; of a level, the first",
    "checks[].value: float or null": "average tonight; null if undefined",
    "checks[].before: float or null": "average on the other night; null if undefined",
    "checks[].documents: int": "documents on which the measure is defined tonight",
    "checks[].documents_before: int": "documents on which the measure is defined on the other "
    "night",
    "checks[].shared: int": "documents that both nights scored",
    "checks[].change: float or null": "value minus before; null if either is undefined",
    "checks[].standard_error: float or null": "standard error of the change",
    "checks[].p: float or null": "probability of a change this far beyond the limit if the true "
    "change is at the limit",
    "checks[].p_adjusted: float or null": "p, adjusted by Holm for all checks of the night",
    "checks[].nights: int": "nights whose median is compared with; 1 for a single night; of a rule "
    "about levels, those of the baseline",
    "checks[].group: string or null": "values of the attributes of gate_by; null in checks",
    "checks[].between: float or null": "standard deviation between nights that the standard "
    "error allows for, or of a level's baseline; null if it is not known",
    "checks[].calibrated: int or null": "good nights from which that is known; null if the check "
    "is not about nights",
    "checks[].ends[]: float or null": "ends of the 95 % interval of an average that is compared "
    "with a floor",
    "checks[].since: string or null": "date of the night on which a level that is off probably "
    "changed; null for other rules",
    "checks[].until: string or null": "date of the last night on which it was off; null if it is "
    "tonight, and for other rules",
    "checks[].is_raw: bool": "whether a level is that of the average itself, for want of three "
    "systems",
    "checks[].result: string": "`passed`, `failed`, `undefined` (fails), `undecided`, `warned` (of "
    "what all systems share, or an interval around a floor), `with_all` (worse, but as all) or "
    "`on_trial` (would fail, but the system is on trial)",
    "checks[].moved[].document_id: string": "id of a document that worsened, if the check failed",
    "checks[].moved[].value: float": "value of the measure tonight, mean over references",
    "checks[].moved[].before: float": "value on the other night; its average if the document is "
    "not shared",
    "checks[].moved[].shared: bool": "whether both nights scored the document",
    "systems[]: string": "systems scored tonight, without reference points",
    "missing[]: string": "systems that were expected but are missing tonight",
    "unpaired[].system: string": "missing system whose documents all lack a reference",
    "unpaired[].rows: int": "number of its rows",
    "unpaired[].document_id: string": "id of a document of the system",
    "unpaired[].scored_document_id: string": "id of a document that has a reference",
    "rejected[].system: string": "missing system of which rows or all references were rejected",
    "rejected[].rows: int": "number of its rows",
    "rejected[].rejected: int": "number of those rejected; the others have no reference; 0 if all "
    "references of its documents were rejected",
    "rejected[].rule: string": "rule that most of them break; see rejects",
    "new[]: string": "systems that no earlier good night has",
    "differences.*[]: string": "differences between the signatures, by the date of the other night",
    "outcome: string": "`passed`, `failed`, `incomplete`, `partial`, `not_comparable` or "
    "`accepted`",
    "finished_at: string": "time of the verdict: ISO 8601, UTC",
    "first_published_at: string": "time of the first verdict on the night, which stays when it is "
    "scored or judged again: ISO 8601, UTC; empty in one by an earlier version",
    "expected[]: string": "systems that later nights must have, or they are incomplete",
    "warnings[]: string": "signs that the input is not what it should be, or that a system "
    "declines slowly",
    "standing[].text: string": "warning that the night before had, too, and that is only counted",
    "standing[].since: string": "date of the first of the nights that had it",
    "causes[]: string": "warnings that say why systems probably failed or are missing",
    "group_checks[].*: as in checks": "results of each rule by system and group, and for the mean "
    "of all systems",
    "common[]: string": "what got worse in a group for all systems, in sentences",
    "missing_groups[]: string": "groups that are required but missing tonight",
    "unusable[].url: string": "file of hypotheses that could not be read and was left out",
    "unusable[].size: int": "its size in bytes",
    "unusable[].version: string": "its modification time, or ETag in a store",
    "unusable[].problem: string": "why it could not be read",
    "reused_ids: int": "ids that the nights compared with use for other documents",
    "acceptances[].reason: string": "reason given with --accept",
    "acceptances[].system: string or null": "system that it is about; null for all",
    "acceptances[].rule: string or null": "rule that it is about; null for all",
    "past: string": "digest of the averages of earlier nights that the verdict depends on",
    "densities[].system: string or null": "system; null for the references",
    "densities[].group: string or null": "values of the attributes of gate_by; null over all "
    "documents",
    "densities[].boundaries: int": "boundaries of the references, or of the system",
    "densities[].units: int": "units of text that they are in",
    "good_systems[]: string": "systems of which later nights are compared with this one",
    "accepted: string or null": "reason for which the whole night was accepted; null if it was not",
    "good: bool": "whether later nights of all systems are compared with this one",
    "exit_code: int": "exit code of the command",
}
"""The same of night.json."""


def _keys(meanings: Mapping[str, str], commands: Mapping[str, tuple[str, ...]]) -> Iterator[Key]:
    for declared, meaning in meanings.items():
        name, kind = declared.split(": ")
        yield Key(name, kind, meaning, commands.get(re.split(r"[.[]", name)[0], ()))


SETTINGS = (
    ("settings.by_level", "string or null"),
    ("settings.candidate", "string or null"),
    ("settings.codings", "string"),
    ("settings.difference", "float or null"),
    ("settings.expected", "string"),
    ("settings.group_by[]", "string"),
    ("settings.length_tolerance", "int"),
    ("settings.margin", "float or null"),
    ("settings.measures[]", "string"),
    ("settings.measures_in_order[]", "string"),
    ("settings.output", "string or null"),
    ("settings.reference_points", "string or null"),
    ("settings.units", "string"),
)
"""Path and kind of the settings in run.json by which a run is shown, whatever its command."""

RUN = tuple(_keys(_RUN, _COMMANDS))
NIGHT_RECORD = tuple(_keys(_NIGHT_RECORD, {}))

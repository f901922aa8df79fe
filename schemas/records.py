"""The keys of the JSON files that runs and nights write beside their tables."""

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


RUN = (
    Key(
        "signature",
        "string",
        "what was computed, in one line; runs with equal signatures are comparable",
    ),
    Key("settings", "object", "every setting of the command by name, including defaults"),
    Key(
        "boundary_types",
        "list<int> or null",
        "types that boundaries may have; null if the tables have no types",
        ("score", "sweep"),
    ),
    Key(
        "p_seg",
        "float or null",
        "probability of a boundary in a window, as used; in [0, 1]; null without a window",
        ("score", "sweep"),
    ),
    Key(
        "levels[].level",
        "int or null",
        "level of the hierarchy, null for all levels; the list is empty in runs without levels",
        ("score",),
    ),
    Key(
        "levels[].type_range",
        "int",
        "range of boundary types on the level, which the weights of substitutions are divided by; "
        "for all levels, a common multiple",
        ("score",),
    ),
    Key("levels[].p_seg", "float or null", "p_seg of the level", ("score",)),
    Key(
        "test_set.fingerprint",
        "string",
        "sum of the digests of all accepted references (64 hexadecimal digits), which depends on "
        "their lengths, boundaries and types alone",
        ("score",),
    ),
    Key(
        "test_set.name",
        "string or null",
        "test set that the references are, or are a part of; null if none is known",
        ("score",),
    ),
    Key(
        "test_set.split",
        "string or null",
        "its split, `all` for the whole; null if no test set is known",
        ("score",),
    ),
    Key("test_set.documents", "int", "documents with an accepted reference", ("score",)),
    Key("test_set.recognised", "int", "accepted references that the split contains", ("score",)),
    Key(
        "unit",
        "string or null",
        "unit of the positions in the input tables, such as millisecond; null if they state none",
    ),
    Key("average", "string", "the average that the comparison showed", ("compare",)),
    Key("pairs", "int", "rows of the table scores, pairs or comparisons; for sweep, pairs swept"),
    Key("inputs.*[].url", "string", "a file of the input table; for compare, run.json of a run"),
    Key("inputs.*[].size", "int", "size of the file in bytes"),
    Key("inputs.*[].version", "string", "modification time of the file, or ETag in a store"),
    Key("rows.*.in", "int", "rows of the input table; for compare, documents of the run"),
    Key("rows.*.scored", "int", "rows scored; for compare, documents that all systems share"),
    Key("rows.*.rejected", "int", "rows listed in rejects"),
    Key("rows.*.unpaired", "int", "rows listed in unpaired; for compare, documents not shared"),
    Key("warnings[]", "string", "warnings about the numbers"),
    Key(
        "versions.*", "string", "version of segscore and of each library that computed the numbers"
    ),
    Key("seconds.*", "float", "duration of each stage of the last attempt"),
    Key("plan[]", "string", "how rows were matched, and why", ("score", "agree")),
    Key("fingerprint", "string", "hash of settings, inputs and version; part of the file names"),
    Key("files.*[]", "string", "files of each table; no other files belong to the run"),
)

NIGHT_RECORD = (
    Key("date", "string", "date of the night, such as 2026-01-31"),
    Key(
        "run",
        "string",
        "fingerprint of the run that was judged; night.json is not valid for any other run",
    ),
    Key("asked.gate[]", "string", "rules, as given"),
    Key("asked.alpha", "float", "probability that the gate of a night fails by noise alone"),
    Key("asked.against", "string", "`last-good`, or a date"),
    Key("asked.baseline", "string", "`last-good`, or `median-of-` and a number"),
    Key("asked.not_comparable", "string", "`fail` or `pass`"),
    Key("asked.gate_by[]", "string", "attributes in each value of which the rules also hold"),
    Key("asked.require_groups", "bool", "whether a night without an expected group is incomplete"),
    Key("against.*.date", "string", "date of the night that the system is compared with"),
    Key("against.*.run", "string", "fingerprint of that night's run"),
    Key("medians.*.*", "string", "runs, by date, of the nights with whose median it is compared"),
    Key("checks[].rule", "string", "rule, as given"),
    Key("checks[].system", "string", "coder of the hypotheses"),
    Key("checks[].measure", "string", "measure of the rule"),
    Key("checks[].average", "string", "`micro` or `macro`"),
    Key("checks[].limit", "float", "change that the rule allows, in the unit of the measure"),
    Key(
        "checks[].against",
        "string",
        "date of the night that the system is compared with; of several nights, the newest",
    ),
    Key("checks[].value", "float or null", "average tonight; null if undefined"),
    Key("checks[].before", "float or null", "average on the other night; null if undefined"),
    Key("checks[].documents", "int", "documents on which the measure is defined tonight"),
    Key(
        "checks[].documents_before",
        "int",
        "documents on which the measure is defined on the other night",
    ),
    Key("checks[].shared", "int", "documents that both nights scored"),
    Key("checks[].change", "float or null", "value minus before; null if either is undefined"),
    Key(
        "checks[].standard_error",
        "float or null",
        "standard error of the change, from the bootstrap",
    ),
    Key(
        "checks[].p",
        "float or null",
        "probability of a change this far beyond the limit if the true change is at the limit",
    ),
    Key("checks[].p_adjusted", "float or null", "p, adjusted by Holm for all checks of the night"),
    Key(
        "checks[].nights",
        "int",
        "nights whose median is compared with; 1 for a single night; of a rule for trends, the "
        "nights of the line",
    ),
    Key("checks[].group", "string or null", "values of the attributes of gate_by; null in checks"),
    Key("checks[].result", "string", "`passed`, `failed`, `undefined` (fails) or `undecided`"),
    Key(
        "checks[].moved[].document_id",
        "string",
        "id of a document that worsened, if the check failed",
    ),
    Key("checks[].moved[].value", "float", "value of the measure tonight, mean over references"),
    Key(
        "checks[].moved[].before",
        "float",
        "value on the other night; its average if the document is not shared",
    ),
    Key("checks[].moved[].shared", "bool", "whether both nights scored the document"),
    Key("systems[]", "string", "systems scored tonight, without reference points"),
    Key("missing[]", "string", "systems that were expected but are missing tonight"),
    Key("unpaired[].system", "string", "missing system whose documents all lack a reference"),
    Key("unpaired[].rows", "int", "number of its rows"),
    Key("unpaired[].document_id", "string", "id of a document of the system"),
    Key("unpaired[].scored_document_id", "string", "id of a document that has a reference"),
    Key("rejected[].system", "string", "missing system of which rows were rejected"),
    Key("rejected[].rows", "int", "number of its rows"),
    Key("rejected[].rejected", "int", "number of those rejected; the others have no reference"),
    Key("rejected[].rule", "string", "rule that most of them break; see rejects"),
    Key("new[]", "string", "systems that no earlier good night has"),
    Key(
        "differences.*[]",
        "string",
        "differences between the signatures, by the date of the other night",
    ),
    Key(
        "outcome",
        "string",
        "`passed`, `failed`, `incomplete`, `partial`, `not_comparable` or `accepted`",
    ),
    Key("finished_at", "string", "time of the verdict: ISO 8601, UTC"),
    Key("expected[]", "string", "systems that later nights must have, or they are incomplete"),
    Key(
        "warnings[]",
        "string",
        "signs that the input is not what it should be, or that a system declines slowly",
    ),
    Key("causes[]", "string", "warnings that say why systems probably failed or are missing"),
    Key(
        "trend.*",
        "string",
        "runs, by date, of the nights that lines of rules for trends go through",
    ),
    Key(
        "group_checks[].*",
        "as in checks",
        "results of each rule by system and group, and for the mean of all systems",
    ),
    Key("common[]", "string", "what got worse in a group for all systems, in sentences"),
    Key("missing_groups[]", "string", "groups that are required but missing tonight"),
    Key("unusable[].url", "string", "file of hypotheses that could not be read and was left out"),
    Key("unusable[].size", "int", "its size in bytes"),
    Key("unusable[].version", "string", "its modification time, or ETag in a store"),
    Key("unusable[].problem", "string", "why it could not be read"),
    Key("reused_ids", "int", "ids that the nights compared with use for other documents"),
    Key("accepted", "string or null", "reason given with --accept; null if the night was judged"),
    Key("good", "bool", "whether later nights are compared with this one"),
    Key("exit_code", "int", "exit code of the command"),
)

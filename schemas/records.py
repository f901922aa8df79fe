"""The keys of the JSON files that runs and nights write beside their tables."""

from typing import NamedTuple


class Key(NamedTuple):
    """A key of a record.

    Attributes:
        name: path of the key; `*` stands for any name, `[]` for each element of a list.
        kind: type of the value.
        meaning: meaning of the value.
        commands: commands that write the key; empty for all that write the record.
    """

    name: str
    kind: str
    meaning: str
    commands: tuple[str, ...] = ()


RUN = (
    Key("signature", "string", "what was computed, in one line; equal ones are comparable"),
    Key("settings", "object", "every setting of the command by its name, those not given too"),
    Key(
        "boundary_types",
        "list<int> or null",
        "types boundaries may have; null where the tables tell none apart",
        ("score", "sweep"),
    ),
    Key(
        "p_seg",
        "float or null",
        "prior of a boundary in a window, as used; in [0, 1]; null without a window",
        ("score", "sweep"),
    ),
    Key("pairs", "int", "rows of scores, of pairs or of comparisons; of a sweep pairs swept"),
    Key("inputs.*[].url", "string", "a file of the input table, or run.json of a run compared"),
    Key("inputs.*[].size", "int", "its bytes"),
    Key("inputs.*[].version", "string", "its modification time, or the store's own mark (ETag)"),
    Key("rows.*.in", "int", "rows of the input table; of a comparison documents of the run"),
    Key("rows.*.scored", "int", "of these, scored; of a comparison shared by all systems"),
    Key("rows.*.rejected", "int", "of these, listed in rejects"),
    Key("rows.*.unpaired", "int", "of these, listed in unpaired; of a comparison not shared"),
    Key("warnings[]", "string", "what a reader of the numbers should know"),
    Key("versions.*", "string", "version of segscore and of the libraries that made the numbers"),
    Key("seconds.*", "float", "time each stage of the last attempt took"),
    Key("plan[]", "string", "how rows met, and why so", ("score", "agree")),
    Key("fingerprint", "string", "names settings, inputs and version; part of the files' names"),
    Key("files.*[]", "string", "the files of each table: these are the run, no others"),
)

NIGHT_RECORD = (
    Key("date", "string", "the night, such as 2026-01-31"),
    Key("run", "string", "fingerprint of the run that was judged; of another one it says nothing"),
    Key("asked.gate[]", "string", "rules, as they were given"),
    Key("asked.alpha", "float", "chance that the gate of a night fails by noise alone"),
    Key("asked.against", "string", "`last-good`, or a date"),
    Key("asked.not_comparable", "string", "`fail` or `pass`"),
    Key("against.*.date", "string", "of each system, the night it was compared with"),
    Key("against.*.run", "string", "fingerprint of that night's run"),
    Key("checks[].rule", "string", "a rule, as it was given"),
    Key("checks[].system", "string", "coder of the hypotheses"),
    Key("checks[].measure", "string", "what the rule is about"),
    Key("checks[].average", "string", "`micro` or `macro`"),
    Key("checks[].limit", "float", "change that the rule allows, in the unit of the measure"),
    Key("checks[].against", "string", "date of the night compared with"),
    Key("checks[].value", "float or null", "the average tonight; null if undefined"),
    Key("checks[].before", "float or null", "the average then; null if undefined"),
    Key("checks[].documents", "int", "documents on which the measure is defined tonight"),
    Key("checks[].documents_before", "int", "documents on which it was then"),
    Key("checks[].shared", "int", "documents that both nights scored"),
    Key("checks[].change", "float or null", "value less before; null if either is undefined"),
    Key("checks[].standard_error", "float or null", "of the change, from the bootstrap"),
    Key(
        "checks[].p",
        "float or null",
        "chance of a change so far beyond the limit, were the true change at the limit",
    ),
    Key("checks[].p_adjusted", "float or null", "p, adjusted by Holm for all checks of the night"),
    Key("checks[].result", "string", "`passed`, `failed`, `undefined` (fails) or `undecided`"),
    Key("checks[].moved[].document_id", "string", "of a failed check, a document that got worse"),
    Key("checks[].moved[].value", "float", "of the measure tonight, mean over references"),
    Key("checks[].moved[].before", "float", "of the night before; its average if not shared"),
    Key("checks[].moved[].shared", "bool", "whether both nights scored the document"),
    Key("systems[]", "string", "scored tonight, reference points left out"),
    Key("missing[]", "string", "systems of the night compared with that are not there tonight"),
    Key("new[]", "string", "systems that no good night before has"),
    Key("differences.*[]", "string", "in what signatures differ, by the date of the other night"),
    Key("outcome", "string", "`passed`, `failed`, `incomplete` or `not_comparable`"),
    Key("finished_at", "string", "when it was judged: ISO 8601, UTC"),
    Key("good", "bool", "whether later nights are compared with this one"),
    Key("exit_code", "int", "of the command"),
)

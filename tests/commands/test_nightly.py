"""`segscore nightly`: real nights through the command line, with each outcome."""

import json
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from statistics import mean

import pytest

from segscore.pipeline import storage
from segscore.pipeline.nightly.formatting import short
from segscore.pipeline.nightly.nights import Nights
from segscore.pipeline.nightly.retention import remove_old
from segscore.pipeline.storage import read_table
from tests.oracles import naive_jackknife
from tests.support.driven import FaultPlan, Gate, wait
from tests.support.killing import Command
from tests.support.night_metrics import WORSE, metrics, one_error, outcome_in_metrics, shifted
from tests.support.nights import DAYS, GOOD, Archive, rows
from tests.support.promises import Reader

FIRST, SECOND, THIRD, FOURTH = DAYS[:4]


NIGHTS = ((FIRST, GOOD, 0),)
"""An archive whose first night was good."""


def files(folder: str) -> dict[str, bytes]:
    """Every file in a folder."""
    paths = {str(path): path for path in Path(folder).rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in paths.items()}


def deliver_one_everywhere(archive: Archive, night: str) -> None:
    """Deliver a night on which the boundaries of `other` are everywhere."""
    archive.deliver(night)
    listed = rows(night, "hypothesis", GOOD)
    for row in listed:
        if row["coder"] == "other":
            row["boundaries"] = [*range(1, row["n_units"])]
    archive.put(night, "hypothesis", listed)


# --- Outcomes of a night -------------------------------------------------------------------------


def test_good_nights(archive: Archive) -> None:
    assert archive.outcome(FIRST) == "passed"
    archive.deliver(SECOND)
    result = archive.run(SECOND)
    assert result.code == 0, result.err
    verdict = archive.read(SECOND, "night.json")
    assert (verdict["outcome"], verdict["good"], verdict["exit_code"]) == ("passed", True, 0)
    assert {check["against"] for check in verdict["checks"]} == {FIRST}
    assert [check["system"] for check in verdict["checks"]] == ["other", "steady"]
    summary = read_table(f"{archive.folder_of(SECOND)}/summary").to_pylist()
    for check in verdict["checks"]:
        (row,) = (
            row
            for row in summary
            if (row["hypothesis"], row["measure"], row["average"])
            == (check["system"], "boundary_similarity", "micro")
        )
        assert check["value"] == row["value"] and check["documents"] == row["defined"]
        assert check["change"] == pytest.approx(check["value"] - check["before"])


def test_a_worse_system_fails_the_gate(archive: Archive) -> None:
    archive.deliver(SECOND, WORSE)
    result = archive.run(SECOND)
    assert result.code == 1
    verdict = archive.read(SECOND, "night.json")
    assert (verdict["outcome"], verdict["good"], verdict["exit_code"]) == ("failed", False, 1)
    (failed,) = (check for check in verdict["checks"] if check["result"] == "failed")
    assert failed["system"] == "other"
    line = one_error(result.err)
    again = archive.segscore("show", archive.folder_of(SECOND))
    assert again.code == 0 and again.out.startswith(f"{SECOND}: failed: other got worse\n")
    for said in ("rule", "got worse: boundary_similarity", "documents that worsened most"):
        assert said in again.out
    now, before = (short(failed[name]) for name in ("value", "before"))
    assert f"failed: other got worse: boundary_similarity {now}, was {before} on {FIRST} (" in line
    assert "(0.02 allowed, p < 0.0001); worst: " in line
    scores = read_table(f"{archive.folder_of(SECOND)}/scores").to_pylist()
    values = [
        (row["boundary_similarity"], row["document_id"])
        for row in scores
        if row["hypothesis"] == "other"
    ]
    worst = [document for _, document in sorted(values)[:5]]
    assert [moved["document_id"] for moved in failed["moved"]] == worst
    for document in worst[:3]:
        assert document in line
    commands = [text.partition(": segscore ")[2] for text in result.out.splitlines()]
    explained = [command.split() for command in commands if command.startswith("explain")]
    assert len(explained) == 5
    explanation = archive.segscore(*explained[0])
    assert explanation.code == 0 and worst[0] in explanation.out, explanation.err


@pytest.mark.long
def test_rules_about_two_nights_begin_with_night_15(archive: Archive) -> None:
    """Until then, a fall is told, but fails only if a system loses half of its value."""
    archive.deliver(SECOND, {**GOOD, "other": 0.55})
    result = archive.run(SECOND)
    assert result.code == 0 and archive.outcome(SECOND) == "passed"
    results = {
        check["system"]: check["result"] for check in archive.read(SECOND, "night.json")["checks"]
    }
    assert results == {"other": "undecided", "steady": "passed"}
    said = "boundary_similarity got worse, but is not judged yet, with 1 of 14 nights: other 0."
    assert result.err.count(said) == 1
    printed = " ".join(result.out.split())
    assert printed.count("; 1 of 14 nights: before night 15, only a loss of half fails") == 1
    nights = [shifted(FIRST, days) for days in range(1, 14)]
    for night in nights:
        archive.deliver(night)
    span = ("--from", nights[0], "--to", nights[-1])
    assert archive.segscore("nightly", "--settings", archive.file, *span).code == 0
    archive.deliver(shifted(FIRST, 14), {**GOOD, "other": 0.5})
    result = archive.run(shifted(FIRST, 14))
    assert result.code == 1 and "other got worse: boundary_similarity 0." in one_error(result.err)
    assert "before night" not in " ".join(result.out.split())


@pytest.mark.long
def test_a_failed_night_is_not_compared_with(archive: Archive) -> None:
    archive.deliver(SECOND, WORSE)
    assert archive.run(SECOND).code == 1
    archive.deliver(THIRD, WORSE)
    assert archive.run(THIRD).code == 1
    checks = archive.read(THIRD, "night.json")["checks"]
    assert archive.read(SECOND, "night.json")["good_systems"] == ["steady"]
    assert {check["system"]: check["against"] for check in checks} == {
        "other": FIRST, "steady": SECOND,
    }  # fmt: skip
    archive.deliver(FOURTH)
    assert archive.run(FOURTH).code == 0


def test_a_measure_with_direction_lower_fails_on_a_rise(archive: Archive) -> None:
    deliver_one_everywhere(archive, SECOND)
    result = archive.run(SECOND, "--gate", "window_diff<=+0.02,macro:pk<=+1")
    assert result.code == 1
    assert "other got worse: window_diff 0." in one_error(result.err)
    results = {
        (check["rule"], check["system"]): check["result"]
        for check in archive.read(SECOND, "night.json")["checks"]
    }
    assert results.pop(("window_diff<=+0.02", "other")) == "failed"
    assert set(results.values()) == {"passed"} and len(results) == 3


def test_without_rules_nothing_is_compared(archive: Archive) -> None:
    archive.settle(gate="pk<=+0.02")
    text = archive.file.read_text().replace('gate = ["pk<=+0.02"]', "")
    archive.file.write_text(text)
    archive.deliver(SECOND, WORSE)
    result = archive.run(SECOND)
    assert result.code == 0, result.err
    assert archive.read(SECOND, "night.json")["checks"] == []


def test_an_average_that_became_undefined_fails(archive: Archive) -> None:
    """A system without any boundary has no precision."""
    archive.settle(gate="b_precision>=-0.02")
    archive.run(FIRST)
    archive.deliver(SECOND, {"steady": 0.9, "other": 0.0})
    result = archive.run(SECOND)
    assert result.code == 1
    assert f"other got worse: b_precision is undefined, was 1.000 on {FIRST}. " in one_error(
        result.err
    )


def test_rules_apply_to_panels(archive: Archive) -> None:
    """Measures of all references at once have rules, where documents have several references."""
    archive.settle(gate="mult_window_diff<=+0.05")
    for night, deliver in (
        (SECOND, archive.deliver),
        (THIRD, partial(deliver_one_everywhere, archive)),
    ):
        deliver(night)
        references = rows(night, "reference", GOOD)
        second = [{**row, "coder": "desk 2", "boundaries": row["boundaries"][1:]}
                  for row in references]  # fmt: skip
        archive.put(night, "reference", references + second)
        result = archive.run(night)
    assert result.code == 1
    assert "other got worse: mult_window_diff 0." in one_error(result.err)
    assert archive.read(SECOND, "night.json")["outcome"] == "passed"


@pytest.mark.long
def test_an_incomplete_night_does_not_say_which_systems_there_must_be(archive: Archive) -> None:
    for night in (SECOND, THIRD):
        archive.deliver(night, {"steady": 0.9, "new": 0.9})
        result = archive.run(night)
        assert result.code == 1
        assert "incomplete: missing tonight: other" in one_error(result.err)
        assert archive.read(night, "night.json")["expected"] == ["other", "steady"]
    archive.deliver(FOURTH, WORSE)
    result = archive.run(FOURTH)
    assert result.code == 1
    against = archive.read(FOURTH, "night.json")["against"]
    assert (against["other"]["date"], against["steady"]["date"]) == (FIRST, THIRD)
    assert "other got worse: boundary_similarity 0." in one_error(result.err)
    assert "missing" not in one_error(result.err)


def test_a_night_that_is_scored_again_is_no_longer_accepted(archive: Archive) -> None:
    archive.deliver(SECOND, WORSE)
    assert archive.run(SECOND, "--accept", "intended").code == 0
    archive.deliver(SECOND, {"steady": 0.9, "other": 0.3})
    result = archive.run(SECOND)
    assert result.code == 1
    assert f"{SECOND} was accepted (intended), which no longer holds; if it should" in result.err


def test_a_discontinued_system_is_accepted_once(archive: Archive) -> None:
    archive.deliver(SECOND, {"steady": 0.9})
    assert archive.run(SECOND).code == 1
    result = archive.run(SECOND, "--accept", "other is discontinued")
    assert result.code == 0, result.err
    assert archive.read(SECOND, "night.json")["expected"] == ["steady"]
    archive.deliver(THIRD, {"steady": 0.9})
    assert archive.run(THIRD).code == 0
    assert archive.outcome(THIRD) == "passed"


def test_nights_judged_before_one_of_them_is_accepted(archive: Archive) -> None:
    """They are judged again if an earlier night turns out not to need a system."""
    for night in (SECOND, THIRD):
        archive.deliver(night, {"steady": 0.9})
        assert archive.run(night).code == 1
    assert archive.run(SECOND, "--accept", "other is discontinued").code == 0
    assert archive.run(THIRD).code == 0


@pytest.mark.long
def test_an_accepted_night_stays_accepted(archive: Archive) -> None:
    archive.deliver(SECOND, WORSE)
    assert archive.run(SECOND).code == 1
    result = archive.run(SECOND, "--accept", "intended: fewer false alarms")
    assert result.code == 0, result.err
    assert "warning: other got worse: boundary_similarity 0." in result.err
    assert f"{SECOND}: accepted: intended: fewer false alarms" in result.out
    assert outcome_in_metrics(archive) == "accepted" and metrics(archive)["exit_code", ()] == 0
    for options in ((), ("--alpha", 0.06), ("--gate", "f1>=-0.02")):
        assert archive.run(SECOND, *options).code == 0
        verdict = archive.read(SECOND, "night.json")
        assert (verdict["outcome"], verdict["good"]) == ("accepted", True)
        assert verdict["accepted"] == "intended: fewer false alarms"
        assert "failed" in [check["result"] for check in verdict["checks"]]
    archive.deliver(THIRD, WORSE)
    assert archive.run(THIRD).code == 0
    assert {check["against"] for check in archive.read(THIRD, "night.json")["checks"]} == {SECOND}
    # Another input is another night.
    archive.deliver(SECOND, WORSE, seed=2)
    assert archive.run(SECOND).code == 1
    assert archive.read(SECOND, "night.json")["accepted"] is None


def test_the_reason_for_what_one_system_did_is_said(archive: Archive) -> None:
    archive.deliver(SECOND, WORSE)
    result = archive.run(SECOND, "--accept", "new microphones", "--system", "other")
    assert result.code == 0, result.err
    assert f"{SECOND}: accepted: new microphones (other)" in result.out
    assert f"{SECOND}: accepted: new microphones (other)" in archive.run(SECOND, "--message").out


def test_a_night_that_an_earlier_version_judged(archive: Archive) -> None:
    """Its verdict lacks what later versions added."""
    url = f"{archive.folder_of(FIRST)}/night.json"
    verdict = archive.read(FIRST, "night.json")
    for name in ("expected", "warnings", "accepted"):
        del verdict[name]
    storage.write_text(url, json.dumps(verdict))
    archive.deliver(SECOND, {"steady": 0.9})
    assert "missing tonight: other" in one_error(archive.run(SECOND).err)


# --- Input that looks wrong ----------------------------------------------------------------------


def test_a_repeated_night_is_warned_of(archive: Archive) -> None:
    for role in ("reference", "hypothesis"):
        archive.put(SECOND, role, rows(FIRST, role, GOOD))
    result = archive.run(SECOND)
    assert result.code == 0, result.err
    warning = f"other, steady: every average equals that of {FIRST}; check that tonight's data"
    assert f"warning: {warning}" in result.err
    assert archive.read(SECOND, "night.json")["warnings"][0].startswith(warning)
    assert metrics(archive)["warnings", ()] == 1
    assert warning in archive.run(SECOND).err  # every time
    archive.deliver(THIRD)
    result = archive.run(THIRD)
    assert "every average equals" not in result.err and metrics(archive)["warnings", ()] == 0


def test_a_repeated_night_is_warned_of_after_another_one(archive: Archive) -> None:
    archive.deliver(SECOND, {"steady": 0.9, "other": 0.7})
    archive.run(SECOND)
    for role in ("reference", "hypothesis"):
        archive.put(THIRD, role, rows(FIRST, role, GOOD))
    assert f"other, steady: every average equals that of {FIRST};" in archive.run(THIRD).err


@pytest.mark.long
def test_a_repetition_is_named_as_the_cause_of_a_failure(archive: Archive) -> None:
    archive.deliver(SECOND, WORSE)
    line = one_error(archive.run(SECOND).err)
    assert line.endswith(". If the change is intended, run the date again with --accept REASON")
    references, repeated = rows(SECOND, "reference", GOOD), rows(SECOND, "hypothesis", WORSE)
    archive.put(THIRD, "reference", references)
    archive.put(THIRD, "hypothesis", repeated)
    line = one_error(archive.run(THIRD).err)
    assert "failed: other got worse: boundary_similarity 0." in line and "--accept" not in line
    cause = f"other, steady: every average equals that of {SECOND}; check that tonight's data is"
    assert f". Probable cause: {cause} new, unless the same" in line
    assert archive.read(THIRD, "night.json")["causes"][0].startswith(cause)
    # Another system's repetition is not why a system failed.
    steady = [row for row in repeated if row["coder"] == "steady"]
    worse = [{**row, "coder": "other", "boundaries": [1]} for row in steady]
    archive.put(FOURTH, "reference", references)
    archive.put(FOURTH, "hypothesis", [*steady, *worse])
    result = archive.run(FOURTH)
    assert f"warning: steady: every average equals that of {THIRD}" in result.err
    assert "robable cause" not in result.err and "with --accept" in one_error(result.err)


def test_a_perfect_system_does_not_look_repeated(archive: Archive) -> None:
    archive.settle('not-comparable = "pass"', 'measures = ["pk"]', gate="pk<=+0.1")
    for night in (SECOND, THIRD):
        archive.deliver(night, {"steady": 1.0})
        assert archive.run(night, "--accept", "one system").code == 0
    assert archive.read(THIRD, "night.json")["warnings"] == []


def test_a_stale_system_is_named(archive: Archive) -> None:
    """One that delivers the segmentations of the night before has no documents in common."""
    archive.put(SECOND, "reference", rows(SECOND, "reference", GOOD))
    stale = rows(FIRST, "hypothesis", {"other": 0.8})
    archive.put(SECOND, "hypothesis", [*rows(SECOND, "hypothesis", {"steady": 0.9}), *stale])
    result = archive.run(SECOND)
    assert result.code == 75 and "missing tonight" not in one_error(result.err)
    assert "40 of 80 hypotheses have no reference" in result.err
    assert "other: none of its documents has a reference" in result.err
    assert (
        "partial: stale tonight: other has 40 rows, but of documents without a reference "
        f"tonight, such as {FIRST}-0 (the "
        f"references have {SECOND}-0); it has probably delivered the file of another night. Run"
    ) in one_error(result.err)
    assert archive.read(SECOND, "night.json")["unpaired"] == [
        {
            "system": "other",
            "rows": 40,
            "document_id": f"{FIRST}-0",
            "scored_document_id": f"{SECOND}-0",
        }
    ]
    assert one_error(archive.run(SECOND).err) == one_error(result.err)
    # Rows of a system without any reference do not count in the share.
    assert one_error(archive.run(SECOND, "--max-unpaired", 0.1).err) == one_error(result.err)
    references = rows(SECOND, "reference", GOOD)
    archive.put(SECOND, "reference", references[:20])
    line = one_error(archive.run(SECOND, "--max-unpaired", 0.1).err)
    named = (
        "/unpaired; other: none of its documents has a reference; it has probably delivered the "
        "file of another night; the night stays as it was published"
    )
    assert named in line


def test_a_system_whose_rows_are_rejected_is_not_called_missing(archive: Archive) -> None:
    steady, other = (rows(SECOND, "hypothesis", {name: 0.9}) for name in GOOD)
    wrong = [{**row, "n_units": row["n_units"] + 1} for row in other]
    archive.deliver(SECOND)
    archive.put(SECOND, "hypothesis", [*steady, *wrong])
    result = archive.run(SECOND)
    line = one_error(result.err)
    assert result.code == 75 and line.endswith(
        f"{SECOND} is published; partial: none of the 40 rows of other could be scored: 40 "
        f"rejected, most by the rule n_units_agree (listed in {archive.folder_of(SECOND)}/rejects)."
        " Run the date again when the rejected rows have been corrected, or with --accept REASON "
        "if later nights need not have this system"
    )
    verdict = archive.read(SECOND, "night.json")
    assert verdict["missing"] == ["other"] and verdict["unpaired"] == []
    (rejected,) = verdict["rejected"]
    assert rejected == {"system": "other", "rows": 40, "rejected": 40, "rule": "n_units_agree"}
    assert one_error(archive.run(SECOND).err) == line
    stale = rows(FIRST, "hypothesis", {"other": 0.8})
    archive.put(SECOND, "hypothesis", [*steady, *wrong[:1], *stale])
    result = archive.run(SECOND)
    assert "none of the 41 rows of other could be scored: 1 rejected" in one_error(result.err)
    assert "/rejects), 40 without a reference. Run the date again" in one_error(result.err)


def test_exchanged_tables_are_warned_of_and_change_nothing_later(archive: Archive) -> None:
    archive.put(SECOND, "reference", rows(SECOND, "hypothesis", GOOD))
    archive.put(SECOND, "hypothesis", rows(SECOND, "reference", GOOD))
    result = archive.run(SECOND)
    assert result.code == 1 and archive.outcome(SECOND) == "incomplete"
    assert (
        f"references and hypotheses changed places since {FIRST}: then, other, steady were judged "
        "by desk; tonight it is the reverse;"
    ) in result.err
    assert one_error(result.err).endswith(
        "incomplete: missing tonight: other, steady. Probable cause: "
        + archive.read(SECOND, "night.json")["causes"][0]
    )
    archive.deliver(THIRD)
    result = archive.run(THIRD)
    assert result.code == 0, result.err
    assert "changed places" not in result.err


def test_a_whole_night_of_the_file_of_another_night_is_awaited(archive: Archive) -> None:
    archive.put(SECOND, "reference", rows(SECOND, "reference", GOOD))
    archive.put(SECOND, "hypothesis", rows(FIRST, "hypothesis", GOOD))
    result = archive.run(SECOND)
    assert result.code == 75
    line = one_error(result.err)
    assert f"{SECOND}: waiting for input: " in line
    assert "every system has probably delivered the file of another night; nothing was" in line
    assert outcome_in_metrics(archive) == "waiting"
    archive.put(SECOND, "hypothesis", rows(SECOND, "hypothesis", GOOD))
    assert archive.run(SECOND).code == 0


def test_far_fewer_documents_are_warned_of(archive: Archive) -> None:
    archive.deliver(SECOND, documents=20)
    assert "scored on" not in archive.run(SECOND).err
    references = rows(THIRD, "reference", GOOD)
    archive.put(THIRD, "hypothesis", rows(THIRD, "hypothesis", GOOD))
    archive.put(THIRD, "reference", references[:9])
    waiting = one_error(archive.run(THIRD).err)
    assert "62 of 80 hypotheses have no reference, too many to publish the run with" in waiting
    result = archive.run(THIRD, "--max-unpaired", 1)
    assert f"steady: scored on 9 documents, but on 20 on {SECOND}; check" in result.err
    assert len(archive.read(THIRD, "night.json")["warnings"]) == 2


@pytest.mark.first
@pytest.mark.parametrize("place", ["option", "score"])
def test_a_night_waits_for_references(archive: Archive, place: str) -> None:
    """With too many hypotheses that have none, nothing is published; it is when they are there."""
    options = ("--max-unpaired", 0.4) if place == "option" else ()
    if place == "score":
        archive.settle(score="max-unpaired = 0.4")
    references = rows(SECOND, "reference", GOOD)
    archive.put(SECOND, "hypothesis", rows(SECOND, "hypothesis", GOOD))
    archive.put(SECOND, "reference", references[:20])
    result = archive.run(SECOND, *options)
    assert result.code == 75
    line = one_error(result.err)
    assert f"{SECOND}: waiting for input: 40 of 80 hypotheses have no reference" in line
    assert outcome_in_metrics(archive) == "waiting" and archive.read(SECOND, "run.json") is None
    archive.put(SECOND, "reference", references)
    assert archive.run(SECOND, *options).code == 0
    assert archive.run(SECOND, "--max-unpaired", 0).code == 0
    archive.put(SECOND, "reference", references[:20])
    line = one_error(archive.run(SECOND, *options).err)
    assert "the night stays as it was published before; run the date again" in line
    assert archive.outcome(SECOND) == "passed"


def test_max_unpaired_of_a_night_that_is_scored_already(archive: Archive) -> None:
    archive.put(SECOND, "hypothesis", rows(SECOND, "hypothesis", GOOD))
    archive.put(SECOND, "reference", rows(SECOND, "reference", GOOD)[:20])
    assert archive.run(SECOND, "--max-unpaired", 0.5).code == 0
    before = files(archive.runs)
    again = archive.run(SECOND)  # the next plain call of a scheduler
    assert again.code == 0, again.err
    assert outcome_in_metrics(archive) == "passed" and files(archive.runs) == before


def test_rejected_references_are_not_waited_for(archive: Archive) -> None:
    """No later delivery mends them, so that a scheduler must not try again for ever."""
    references, hypotheses = (rows(SECOND, role, GOOD) for role in ("reference", "hypothesis"))
    moved = [{**row, "boundaries": [1]} for row in references[:9]]
    archive.put(SECOND, "hypothesis", hypotheses)
    archive.put(SECOND, "reference", [*references, *moved])
    result = archive.run(SECOND)
    line = one_error(result.err)
    why = "18 of 80 hypotheses have no reference, 18 because theirs was rejected (18 unique_"
    assert (result.code, outcome_in_metrics(archive)) == (1, "broken")
    assert f"{SECOND}: broken: {why}" in line and "correct these references" in line
    archive.put(SECOND, "reference", [*references[:30], *moved])
    line = one_error(archive.run(SECOND).err)
    why = "38 of 80 hypotheses have no reference, 18 because theirs was rejected (18 unique_"
    assert f"{SECOND}: waiting for input: {why}" in line  # others are only late
    assert archive.run(SECOND, "--max-unpaired", 1).code == 0


def test_a_system_whose_references_were_rejected_is_not_called_stale(archive: Archive) -> None:
    references = rows(SECOND, "reference", GOOD)
    steady, other = (rows(SECOND, "hypothesis", {name: 0.9}) for name in GOOD)
    moved = [{**row, "boundaries": [1]} for row in references[:9]]
    archive.put(SECOND, "reference", [*references, *moved])
    archive.put(SECOND, "hypothesis", [*steady, *other[:2]])
    line = one_error(archive.run(SECOND, "--max-unpaired", 1).err)
    assert "2 rows of other could be scored: the references of their documents were rej" in line
    assert "stale" not in line


# --- Systems and signatures that are new ---------------------------------------------------------


def test_a_new_system_has_no_baseline(archive: Archive) -> None:
    archive.deliver(SECOND, {**GOOD, "new": 0.1})
    result = archive.run(SECOND)
    assert result.code == 0, result.err
    assert "new: no earlier good night to compare with" in result.out
    assert archive.read(SECOND, "night.json")["new"] == ["new"]


def test_another_signature_is_not_comparable(archive: Archive) -> None:
    archive.settle(score="n-t = 3")
    archive.deliver(SECOND, WORSE)
    result = archive.run(SECOND)
    assert result.code == 1
    line = one_error(result.err)
    assert f"not comparable with {FIRST}: n_t was 2, is 3. Start a new series" in line
    assert archive.outcome(SECOND) == "not_comparable"
    # Do what the message advises.
    assert archive.run(FIRST).code == 0
    result = archive.run(SECOND)
    assert result.code == 1 and archive.outcome(SECOND) == "failed"


def test_another_signature_may_pass(archive: Archive) -> None:
    archive.settle('not-comparable = "pass"', "n-t = 3")
    archive.deliver(SECOND, WORSE)
    result = archive.run(SECOND)
    assert result.code == 0, result.err
    assert f"warning: not comparable with {FIRST}: n_t was 2, is 3" in result.err
    archive.deliver(THIRD, GOOD)
    assert archive.run(THIRD).code == 0
    assert {
        baseline["date"] for baseline in archive.read(THIRD, "night.json")["against"].values()
    } == {SECOND}


@pytest.mark.long
def test_reference_points_and_consensus_are_no_systems(archive: Archive) -> None:
    """They do not change a system's average either."""
    archive.deliver(SECOND)
    assert archive.run(SECOND).code == 0
    before = archive.read(SECOND, "night.json")["checks"]
    archive.settle(score='reference-points = "none,human"\nconsensus = "0.5"')
    assert archive.run(FIRST).code == 0
    result = archive.run(SECOND)
    assert result.code == 0, result.err
    verdict = archive.read(SECOND, "night.json")
    assert verdict["systems"] == ["other", "steady"]
    assert verdict["checks"] == before


def test_many_documents_share_resampling_units(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Above a number of documents the noise is that of buckets of them: nearly the same."""
    archive.deliver(SECOND)
    assert archive.run(SECOND).code == 0
    exact = archive.read(SECOND, "night.json")["checks"]
    monkeypatch.setattr("segscore.pipeline.statistics.resampling.BUCKETS", 30)
    assert archive.run(SECOND, "--rejudge").code == 0
    for check, by_document in zip(archive.read(SECOND, "night.json")["checks"], exact, strict=True):
        assert check["value"] == by_document["value"]
        assert check["standard_error"] != by_document["standard_error"]
        assert check["standard_error"] == pytest.approx(by_document["standard_error"], rel=0.5)


SHOWS = 6


def deliver_shows(archive: Archive, night: str) -> None:
    """Deliver a night whose documents are of some shows."""
    for role in ("reference", "hypothesis"):
        listed = rows(night, role, GOOD)
        for number, row in enumerate(listed):
            row["show"] = f"show {number % SHOWS}"
        archive.put(night, role, listed)


@pytest.mark.first
@pytest.mark.parametrize(
    ("nightly", "score", "options"),
    [
        ('resample-by = "show"', "", ()),
        ('resample_by = "show"', "", ()),
        ("", 'resample-by = "show"', ()),
        ("", "", ("--resample-by", "show")),
    ],
)
def test_documents_of_a_show_are_one_unit(
    archive: Archive, nightly: str, score: str, options: tuple[str, ...]
) -> None:
    """In the averages of a night, and in the standard errors of the gate."""
    archive.settle(nightly, score, gate="macro:boundary_similarity>=-0.02")
    values: dict[str, dict[str, dict[str, list[float]]]] = {}
    for night in (SECOND, THIRD):
        deliver_shows(archive, night)
        result = archive.run(night, *options)
        assert result.code == 0, result.err
        assert "|ci:jackknife,show|" in archive.read(night, "run.json")["signature"]
        of_night = values.setdefault(night, {})
        for row in read_table(f"{archive.folder_of(night)}/scores").to_pylist():
            shows = of_night.setdefault(row["hypothesis"], {})
            shows.setdefault(row["show"], []).append(row["boundary_similarity"])
    checks = archive.read(THIRD, "night.json")["checks"]
    for check in (check for check in checks if check["system"] in GOOD):
        system = check["system"]

        def change(units: Collection[str], system: str = system) -> float:
            now, before = (
                mean(each for unit in units for each in values[night][system][unit])
                for night in (THIRD, SECOND)
            )
            return now - before

        expected = naive_jackknife.jackknife(change, dict.fromkeys(values[SECOND][system], 1.0))
        assert check["change"] == pytest.approx(expected.value, abs=1e-6)
        assert check["standard_error"] == pytest.approx(expected.error, abs=1e-6)


# --- The same date again -------------------------------------------------------------------------


def test_the_same_input_repeats_the_verdict_and_changes_nothing(archive: Archive) -> None:
    archive.deliver(SECOND, WORSE)
    first = archive.run(SECOND)
    before = {**files(archive.runs), **files(str(archive.metrics.parent))}
    again = archive.run(SECOND)
    assert (first.code, again.code) == (1, 1)
    assert one_error(first.err) == one_error(again.err)
    folder = archive.folder_of(SECOND)
    assert f"already scored, with the same input, in {folder}\n" in again.out
    assert f"written to {folder}\n" in first.out and "written to" not in again.out
    assert {**files(archive.runs), **files(str(archive.metrics.parent))} == before


def test_changed_rules_give_a_new_verdict_without_scoring(archive: Archive) -> None:
    archive.deliver(SECOND, WORSE)
    assert archive.run(SECOND).code == 1
    record = archive.read(SECOND, "run.json")
    assert archive.run(SECOND, "--gate", "boundary_similarity>=-0.9").code == 0
    assert archive.read(SECOND, "run.json") == record
    failed = archive.run(SECOND)
    assert failed.code == 1
    assert "If the change is intended, run the date again with --accept" in one_error(failed.err)


@pytest.mark.long
def test_a_wider_gate_does_not_last_and_says_so(archive: Archive) -> None:
    archive.deliver(SECOND, WORSE)
    assert archive.run(SECOND).code == 1
    passed = archive.run(SECOND, "--gate", "boundary_similarity>=-0.9")
    assert passed.code == 0
    assert (
        f"warning: {SECOND} is passed only because the settings of its gate have changed (gate was "
        "boundary_similarity>=-0.02, is boundary_similarity>=-0.9); with the former settings it is "
        "failed again; to keep it as a good night whatever the settings, run it with --accept"
    ) in passed.err
    assert "settings of its gate" not in archive.run(SECOND, "--gate", "pk<=+0.9").err
    assert archive.run(SECOND).code == 1
    # Do what the message advises.
    assert "settings of its gate" not in archive.run(SECOND, "--accept", "intended").err
    assert archive.run(SECOND).code == 0


def test_late_references_replace_the_night(archive: Archive) -> None:
    all_references = rows(SECOND, "reference", GOOD)
    archive.put(SECOND, "hypothesis", rows(SECOND, "hypothesis", GOOD))
    archive.put(SECOND, "reference", all_references[:25])
    result = archive.run(SECOND, "--max-unpaired", 0.5)
    assert result.code == 0, result.err
    assert archive.read(SECOND, "run.json")["rows"]["hypotheses"]["unpaired"] == 30
    few = Path(archive.folder, "references", f"date={SECOND}", "part.jsonl").stat().st_size
    archive.put(SECOND, "reference", all_references)
    reader = Reader(Path(archive.folder_of(SECOND)))
    reader.start()
    result = archive.run(SECOND)
    reader.end()
    assert result.code == 0, result.err
    url = f"{archive.folder}/references/date={SECOND}/part.jsonl"
    size = Path(url).stat().st_size
    changed = f"the input {url} has changed (it had {few} bytes in the earlier run and has {size} "
    assert f"{SECOND} is scored again: {changed}now)" in result.err
    assert archive.read(SECOND, "run.json")["rows"]["hypotheses"]["unpaired"] == 0
    assert read_table(f"{archive.folder_of(SECOND)}/scores").num_rows == 80
    assert archive.read(SECOND, "night.json")["checks"][0]["documents"] == 40


@pytest.mark.long
def test_a_changed_baseline_is_compared_again(archive: Archive) -> None:
    """Late references of the night before change tonight's verdict."""
    archive.deliver(SECOND)
    assert archive.run(SECOND).code == 0
    before = archive.read(SECOND, "night.json")
    archive.put(FIRST, "hypothesis", rows(FIRST, "hypothesis", GOOD)[::-1])
    archive.put(FIRST, "reference", rows(FIRST, "reference", GOOD))
    result = archive.run(FIRST)
    assert result.code == 0
    assert "date=2026-01-01/part.jsonl has changed (it was written again since" in result.err
    archive.deliver(FIRST, seed=1)
    assert archive.run(FIRST).code == 0
    assert archive.run(SECOND).code == 0
    after = archive.read(SECOND, "night.json")
    assert after["against"] != before["against"]
    assert after["checks"][0]["before"] != before["checks"][0]["before"]


# --- Waiting and refusing ------------------------------------------------------------------------


@pytest.mark.parametrize("delivered", [None, "hypothesis", "reference"])
def test_waiting_for_input(archive: Archive, delivered: str | None) -> None:
    if delivered is not None:
        archive.put(SECOND, delivered, rows(SECOND, delivered, GOOD))
    result = archive.run(SECOND)
    assert result.code == 75
    line = one_error(result.err)
    assert f"{SECOND}: waiting for input: " in line and "nothing was published" in line
    assert not Path(archive.folder_of(SECOND)).exists()
    values = metrics(archive)
    assert outcome_in_metrics(archive) == "waiting"
    assert values["exit_code", ()] == 75
    finished_at = archive.read(FIRST, "night.json")["finished_at"]
    then = datetime.fromisoformat(finished_at).timestamp()
    assert values["last_success_timestamp_seconds", ()] == then
    archive.deliver(SECOND)
    assert archive.run(SECOND).code == 0
    assert outcome_in_metrics(archive) == "passed"


def test_exchanged_tables_are_not_waited_for(archive: Archive) -> None:
    for role, other in (("reference", "hypothesis"), ("hypothesis", "reference")):
        archive.put(SECOND, role, [row | {"role": other} for row in rows(SECOND, other, GOOD)])
    result = archive.run(SECOND)
    line = one_error(result.err)
    assert result.code == 2 and "waiting" not in line
    assert "no row has the role reference, but 80 have the role hypothesis; exchange" in line
    assert outcome_in_metrics(archive) == "broken"


def test_a_file_of_both_roles_is_waited_for(archive: Archive) -> None:
    """Its references may be there before its hypotheses."""
    text = archive.file.read_text().replace("/hypotheses/date", "/references/date")
    archive.file.write_text(text)
    listed = [row | {"role": "reference"} for row in rows(SECOND, "reference", GOOD)]
    archive.put(SECOND, "reference", listed)
    result = archive.run(SECOND)
    line = one_error(result.err)
    assert result.code == 75 and "waiting for input: " in line and "no row has the role hyp" in line


def test_an_empty_table_is_waited_for(archive: Archive) -> None:
    archive.deliver(SECOND)
    archive.put(SECOND, "reference", [])
    result = archive.run(SECOND)
    assert result.code == 75 and "waiting for input" in one_error(result.err)


def test_an_invalid_table_gives_the_outcome_broken(archive: Archive) -> None:
    archive.deliver(SECOND)
    archive.put(SECOND, "hypothesis", [{"document_id": "a", "n_units": "many"}])
    result = archive.run(SECOND)
    assert result.code == 2
    one_error(result.err)
    assert outcome_in_metrics(archive) == "broken" and metrics(archive)["exit_code", ()] == 2
    assert archive.outcome(SECOND) is None


def test_too_many_rejects_publish_nothing(archive: Archive) -> None:
    archive.settle(score="max-rejects = 0.1")
    archive.deliver(SECOND)
    hypothesis_rows = rows(SECOND, "hypothesis", GOOD)
    others = [{**row, "boundaries": [1]} for row in hypothesis_rows[:30]]
    archive.put(SECOND, "hypothesis", hypothesis_rows + others)
    result = archive.run(SECOND)
    line = one_error(result.err)
    assert (
        result.code == 1
        and (
            f"60 hypotheses were rejected: other has two rows for {SECOND}-0 and 14 other "
            "documents; --max-rejects 0.1 allows 15 of 150 input rows; nothing was published"
        )
        in line
    )
    assert outcome_in_metrics(archive) == "broken"
    assert archive.read(SECOND, "run.json") is None


# --- Killed nights, and two at once --------------------------------------------------------------


class Jobs:
    """Nights in processes of their own."""

    def __init__(self, archive: Archive, folder: Path) -> None:
        self.archive = archive
        self.folder = folder
        self.commands: list[Command] = []

    def start(self, night: str, gate: Gate, host: str | None = None) -> tuple[FaultPlan, Command]:
        """Start a night that stops or dies at a gate."""
        place = self.folder / f"plan{len(self.commands)}"
        place.mkdir()
        fault_plan = FaultPlan(str(place), 20, {"gate": gate}, host)
        arguments = ("nightly", "--settings", self.archive.file, "--date", night, "--workers", 1)
        self.commands.append(Command(fault_plan, *arguments))
        return fault_plan, self.commands[-1]


@pytest.fixture
def jobs(archive: Archive, tmp_path: Path) -> Iterator[Jobs]:
    """Nights in processes that are killed at the end of the test."""
    started_jobs = Jobs(archive, tmp_path)
    yield started_jobs
    for command in started_jobs.commands:
        command.kill()


@pytest.mark.first
@pytest.mark.parametrize(
    ("gate", "published"),
    [
        (Gate("storage.write_new_text", "kill", "run.json"), False),
        (Gate("storage.write_new_text", "kill", "run.json", after=True), True),
        (Gate("nightly.nights.save_verdict", "kill"), True),
    ],
    ids=["before it is published", "before it is judged", "before the verdict is kept"],
)
def test_a_killed_night_can_be_run_again(
    archive: Archive, jobs: Jobs, gate: Gate, published: bool
) -> None:
    archive.deliver(SECOND, WORSE)
    _, command = jobs.start(SECOND, gate)
    assert command.result().code == -9
    assert (archive.read(SECOND, "run.json") is not None) == published
    assert archive.outcome(SECOND) is None
    result = archive.run(SECOND)
    assert result.code == 1 and archive.outcome(SECOND) == "failed"
    assert not (Path(archive.folder_of(SECOND)) / "_unfinished").exists()
    # Nobody took it for a good night of the system in the meantime.
    archive.deliver(THIRD)
    assert archive.run(THIRD).code == 0
    against = archive.read(THIRD, "night.json")["against"]
    assert {system: baseline["date"] for system, baseline in against.items()} == {
        "other": FIRST, "steady": SECOND,
    }  # fmt: skip


@pytest.mark.long
def test_the_verdict_of_a_replaced_run_does_not_count(archive: Archive, jobs: Jobs) -> None:
    archive.deliver(SECOND)
    assert archive.run(SECOND).code == 0
    archive.deliver(SECOND, WORSE)
    assert jobs.start(SECOND, Gate("nightly.nights.save_verdict", "kill"))[1].result().code == -9
    assert archive.outcome(SECOND) == "passed"  # of the run before
    archive.deliver(THIRD)
    assert archive.run(THIRD).code == 0
    assert {
        baseline["date"] for baseline in archive.read(THIRD, "night.json")["against"].values()
    } == {FIRST}


@pytest.mark.parametrize("host", [None, pytest.param("elsewhere", marks=pytest.mark.long)])
def test_two_at_once(archive: Archive, jobs: Jobs, host: str | None) -> None:
    """On one machine the second job sees the first; on different machines one of them wins."""
    archive.deliver(SECOND)
    fault_plan, first = jobs.start(SECOND, Gate("storage.write_new_text", "wait", "run.json"), host)
    wait(lambda: fault_plan.reached("gate"), "the record is next")
    metrics_before = archive.metrics.read_text()
    second = archive.run(SECOND)
    if host is None:
        assert second.code == 1
        assert "another process is working on this night" in one_error(second.err)
        assert archive.metrics.read_text() == metrics_before
    fault_plan.open("gate")
    result = first.result()
    assert sorted([result.code, second.code]) == [0, 1]
    if host is not None:
        assert "another process is working on this night" in one_error(result.err)
    assert outcome_in_metrics(archive) == "passed"
    assert archive.run(SECOND).code == 0


# --- Metrics -------------------------------------------------------------------------------------


def test_metrics_equal_the_tables(archive: Archive) -> None:
    odd = 'new\n"show"\\'
    archive.deliver(SECOND, {**WORSE, odd: 0.9})
    once = rows(SECOND, "hypothesis", {**WORSE, odd: 0.9})
    archive.put(SECOND, "hypothesis", [*once, once[3], {**once[0], "boundaries": [1]}])
    assert archive.run(SECOND).code == 1
    values = metrics(archive)
    assert outcome_in_metrics(archive) == "failed"
    record = archive.read(SECOND, "run.json")
    assert values["pairs", ()] == record["pairs"]
    assert values["duration_seconds", ()] == pytest.approx(sum(record["seconds"].values()))
    assert values["date_timestamp_seconds", ()] == datetime(2026, 1, 2, tzinfo=UTC).timestamp()
    for table, became in record["rows"].items():
        for name in became.keys() - {"in"}:
            assert values[f"{name}_rows", (("table", table),)] == became[name]
    assert values["rejected_rows", (("table", "hypotheses"),)] == 2
    assert values["copies_rows", (("table", "hypotheses"),)] == 1
    rule = ("rule", "boundary_similarity>=-0.02")
    assert values["gate_passed", (rule, ("system", "other"))] == 0
    assert values["gate_passed", (rule, ("system", "steady"))] == 1
    checked = 0
    for row in read_table(f"{archive.folder_of(SECOND)}/summary").to_pylist():
        system = ("system", row["hypothesis"])
        assert values["documents", (system,)] == row["documents"]
        if (row["measure"], row["average"]) == ("boundary_similarity", "micro"):
            labels = (("average", "micro"), ("measure", row["measure"]), system)
            assert values["average", labels] == row["value"]
            assert values["average_low", labels] == row["ci_low"]
            assert values["average_high", labels] == row["ci_high"]
            checked += 1
    assert checked == 3


def test_metrics_describe_the_newest_night(archive: Archive) -> None:
    archive.deliver(SECOND)
    assert archive.run(SECOND).code == 0
    before = archive.metrics.read_bytes()
    archive.deliver(FIRST, seed=4)
    result = archive.run(FIRST)
    assert result.code == 0 and f"describes a newer night, {SECOND}" in result.err
    assert archive.metrics.read_bytes() == before


def test_unwritable_metrics_are_reported(archive: Archive) -> None:
    archive.deliver(SECOND)
    result = archive.run(SECOND, "--metrics", f"{archive.file}/night.prom")
    assert result.code == 1
    assert "--metrics" in one_error(result.err)
    assert archive.outcome(SECOND) == "passed"


def test_json_lines(archive: Archive) -> None:
    archive.deliver(SECOND, WORSE)
    result = archive.run(SECOND, "--log-format", "json")
    lines = [json.loads(line) for line in result.err.splitlines()]
    (error,) = (line for line in lines if "outcome" in line)
    assert (error["outcome"], error["good"], error["run"]) == (
        "failed",
        False,
        archive.read(SECOND, "run.json")["fingerprint"],
    )
    assert (error["level"], error["exit_code"]) == ("error", 1)
    assert error == lines[-1]
    archive.run(SECOND, "--accept", "meant")
    again = archive.run(SECOND, "--log-format", "json")
    (judged,) = (line for line in map(json.loads, again.err.splitlines()) if "outcome" in line)
    assert (judged["outcome"], judged["good"], judged["exit_code"]) == ("accepted", True, 0)


# --- Old nights ----------------------------------------------------------------------------------


def without_removed(archive: Archive) -> dict[str, bytes]:
    """Return the files of the nights, without the summaries of those that were removed."""
    return {name: text for name, text in files(archive.runs).items() if "_removed" not in name}


@pytest.mark.long
def test_only_old_nights_are_removed(archive: Archive) -> None:
    last_good = FIRST
    failed = [shifted(FIRST, days) for days in (1, 2, 3, 40)]
    for night in failed:
        archive.deliver(night, WORSE)
        assert archive.run(night).code == 1
    runs = Path(archive.runs)
    (runs / f"date={failed[1]}" / "notes.txt").write_text("mine")
    mine = [runs / "date=2020-01-01" / "data.parquet", runs / "date=soon" / "a", runs / "old" / "b"]
    for path in mine:
        path.parent.mkdir()
        path.write_text("mine")
    before_removal = files(archive.runs)
    removed = {failed[0], failed[2]}
    tried = archive.run(failed[-1], "--keep", 10, "--dry-run")
    assert tried.code == 0 and files(archive.runs) == before_removal
    said = " ".join(tried.out.split())
    assert f"would remove 2 nights more than 10 days older than the newest: {failed[0]}" in said
    assert f"would not remove {archive.folder_of(failed[1])}: it contains notes.txt" in said
    result = archive.run(failed[-1], "--keep", 10)
    assert result.code == 1
    for night in removed:
        assert f"removed night {night}" in result.out
        assert not Path(archive.folder_of(night)).exists()
    remaining = {name: content for name, content in before_removal.items()
            if not any(f"date={night}/" in name for night in removed)}  # fmt: skip
    # The summaries of removed nights are kept for history and trend.
    kept = {
        name: content for name, content in files(archive.runs).items() if "_removed" not in name
    }
    assert kept == remaining
    assert Path(archive.folder_of(last_good)).exists()
    assert "notes.txt, which the night did not write" in result.err
    again = archive.run(failed[-1], "--keep", 10)
    assert again.code == 1 and "removed night" not in again.out
    assert without_removed(archive) == remaining


@pytest.mark.first
@pytest.mark.parametrize("after", [0, 1, 2, 8, -1])
def test_an_interrupted_removal_is_finished(
    archive: Archive, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    """It is finished whichever file was removed last; a file added meanwhile stays."""
    later = shifted(FIRST, 30)
    archive.deliver(later)
    assert archive.run(later).code == 0
    folder, done = Path(archive.folder_of(FIRST)), 0

    def interrupt(step: Callable[..., None]) -> Callable[..., None]:
        def interrupted(*arguments: object) -> None:
            nonlocal done
            if done == after or (after == -1 and not any(folder.iterdir())):
                raise KeyboardInterrupt
            done += 1
            step(*arguments)

        return interrupted

    with monkeypatch.context() as patched:
        for name in ("remove", "remove_files", "remove_if_empty"):
            patched.setattr(storage, name, interrupt(getattr(storage, name)))
        with pytest.raises(KeyboardInterrupt):
            remove_old(Nights(archive.runs), 10)
    (folder / "mine.txt").write_text("mine")
    before_removal = files(archive.runs)
    assert remove_old(Nights(archive.runs), 10)[0] == [] and files(archive.runs) == before_removal
    (folder / "mine.txt").unlink()
    assert remove_old(Nights(archive.runs), 10) == ([date.fromisoformat(FIRST)], [])
    assert not folder.exists()


def test_a_night_with_files_that_were_being_written_is_removed(archive: Archive) -> None:
    later = shifted(FIRST, 30)
    archive.deliver(later)
    assert archive.run(later).code == 0
    folder = Path(archive.folder_of(FIRST))
    part = next((folder / "scores").iterdir()).name
    for name in ("night.json", "run.json", "_removing.json", f"scores/{part}"):
        beside = folder / name
        beside.with_name(f".{beside.name}.0123456789abcdef.tmp").write_text("")
    (folder / ".scores.0123456789abcdef.tmp").mkdir()
    result = archive.run(later, "--keep", 10)
    assert result.code == 0 and "was not removed" not in result.err
    assert not folder.exists()


@pytest.mark.first
@pytest.mark.parametrize("place", ["scores/mynotes.txt", "corpus/a.jsonl", "summary/.hidden"])
def test_a_night_with_foreign_files_is_kept(archive: Archive, place: str) -> None:
    later = shifted(FIRST, 30)
    archive.deliver(later)
    assert archive.run(later).code == 0
    mine = Path(archive.folder_of(FIRST), place)
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("mine")
    before = files(archive.runs)
    result = archive.run(later, "--keep", 10)
    assert result.code == 0, result.err
    assert files(archive.runs) == before
    assert f"it contains {place.removesuffix('/a.jsonl')}" in result.err


def test_a_record_that_lists_files_elsewhere_removes_nothing(archive: Archive) -> None:
    later = shifted(FIRST, 30)
    archive.deliver(later)
    assert archive.run(later).code == 0
    night = Path(archive.folder_of(FIRST))
    victim = Path(archive.folder) / "victim-01234567.parquet"
    victim.write_text("mine")
    record = json.loads((night / "run.json").read_text())
    record["files"]["scores"].append("../../../victim-01234567.parquet")
    (night / "run.json").write_text(json.dumps(record))
    before = files(archive.folder)
    result = archive.run(later, "--keep", 10)
    assert "run.json: was not written by segscore, or was changed since" in result.err
    # Only the verdict of the later night differs: the removed night is skipped.
    verdict_file = str(Path(archive.folder_of(later)) / "night.json")
    contents = {
        name: text for name, text in files(archive.folder).items() if "/verdicts/" not in name
    }
    before = {name: text for name, text in before.items() if "/verdicts/" not in name}
    assert contents.keys() == before.keys() and contents.pop(verdict_file) != before.pop(
        verdict_file
    )
    assert contents == before


def test_a_wrong_date_in_the_future_removes_nothing(archive: Archive) -> None:
    """Days are then counted from today."""
    today = datetime.now(UTC).date().isoformat()
    for night in (today, "2999-01-01"):
        archive.deliver(night)
        assert archive.run(night).code == 0
    result = archive.run("2999-01-01", "--keep", 5)
    assert result.code == 0, result.err
    assert "2999-01-01 is in the future" in result.err
    assert metrics(archive)["date_timestamp_seconds", ()] > datetime(2998, 1, 1).timestamp()
    assert archive.run(today, "--accept", "as it should be").code == 0
    assert metrics(archive)["date_timestamp_seconds", ()] < datetime.now(UTC).timestamp()
    assert Path(archive.folder_of(today)).exists()
    assert not Path(archive.folder_of(FIRST)).exists()


def test_a_night_is_unchanged_after_its_baseline_is_removed(archive: Archive) -> None:
    archive.deliver(SECOND, WORSE)
    assert archive.run(SECOND).code == 1
    storage.remove(archive.folder_of(FIRST))
    result = archive.run(SECOND)
    assert result.code == 1 and archive.outcome(SECOND) == "failed"


def test_an_unreadable_night_is_skipped_with_a_warning(archive: Archive) -> None:
    archive.deliver(SECOND)
    assert archive.run(SECOND).code == 0
    storage.write_text(f"{archive.folder_of(SECOND)}/run.json", "{")
    archive.deliver(THIRD)
    result = archive.run(THIRD)
    assert result.code == 0, result.err
    assert "night ignored" in result.err and "not valid JSON" in result.err
    assert archive.read(THIRD, "night.json")["against"]["steady"]["date"] == FIRST


# --- Settings ------------------------------------------------------------------------------------


def test_settings_of_score_apply_to_nights(archive: Archive) -> None:
    """Whatever a settings file may say of `score`, such as a memory limit, applies to nights."""
    archive.settle(score='memory-limit = "4GiB"\nexplain-plan = true')
    archive.deliver(SECOND)
    result = archive.run(SECOND)
    assert result.code == 0, result.err
    archive.settle(score='memory-limit = "much"')
    assert archive.run(SECOND).code == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--date", "2026-1-2"), "--date 2026-1-2: must be a date such as 2026-01-31"),
        (("--date", "2026-02-30"), "--date 2026-02-30: must be a date"),
        (("--gate", "pk>=-1"), "--gate pk>=-1: lower is better"),
        (("--accept", " "), "--accept: is empty"),
        (("--max-unpaired", "2"), "--max-unpaired 2"),
        (("--not-comparable", "maybe"), "--not-comparable maybe: must be one of fail, pass"),
        (("--metrics", "night.txt"), "--metrics night.txt: must end in .prom"),
        (("--keep", "0"), "--keep 0: must be at least 1"),
        (("--runs", "runs/{date}"), "every night gets its own folder"),
        (("--references", "r/{day}"), "--references r/{day}: unknown placeholder {day}"),
        (("--references", " "), "REFERENCES: is empty"),
    ],
)
def test_contradictory_settings_are_refused(
    archive: Archive, options: tuple[str, ...], message: str
) -> None:
    archive.deliver(SECOND)
    result = archive.run(SECOND, *options)
    assert result.code == 2
    assert message in one_error(result.err)
    assert not Path(archive.folder_of(SECOND)).exists()


def test_what_the_gate_had_before_is_ignored_with_a_note(archive: Archive) -> None:
    """Rules about trends, and a night, median or probability of the user's own."""
    archive.settle(
        f'alpha = 0.5\nagainst = "{FIRST}"\nbaseline = "median-of-7"',
        gate="trend:pk<=+0.02 per 30 nights,pk<=+0.02",
    )
    archive.deliver(SECOND)
    result = archive.run(SECOND)
    assert result.code == 0, result.err
    for name in ("--alpha is ignored: ", "--against is ignored: ", "--baseline is ignored: "):
        assert result.err.count(f"warning: {name}") == 1
    assert "warning: --gate: the rules that begin with trend: are ignored: " in result.err
    night = archive.read(SECOND, "night.json")
    assert {check["rule"] for check in night["checks"]} == {"pk<=+0.02"}
    archive.settle(gate="pk<=+0.02")
    again = archive.run(SECOND)
    assert again.code == 0 and "ignored" not in again.err
    assert archive.read(SECOND, "night.json") == night


def test_a_night_that_failed_by_a_trend_stays_and_is_told(archive: Archive) -> None:
    """Version 0.2 had such rules, and medians that systems were compared with."""
    archive.settle(gate="trend:boundary_similarity>=-0.02 per 30 nights,boundary_similarity>=-0.5")
    archive.deliver(SECOND)
    assert archive.run(SECOND).code == 0
    url = f"{archive.folder_of(SECOND)}/night.json"
    verdict = archive.read(SECOND, "night.json")
    check = verdict["checks"][0]
    fallen = {"rule": "trend:boundary_similarity>=-0.02 per 30 nights", "limit": -0.02}
    of_line = {"before": 0.5, "value": 0.42, "change": -0.08, "against": FIRST, "nights": 30}
    failed = {**check, **fallen, **of_line, "result": "failed", "p": 0.001, "p_adjusted": 0.002}
    verdict |= {"checks": [failed, *verdict["checks"]], "outcome": "failed"}
    verdict |= {"medians": {}, "trend": {FIRST: "run"}}
    verdict["asked"] |= {"alpha": 0.01, "against": "last-good", "baseline": "last-good"}
    storage.write_text(url, json.dumps(verdict))
    told = archive.run(SECOND)
    assert told.code == 1 and archive.read(SECOND, "night.json") == verdict
    assert f"boundary_similarity 0.420, was 0.500 on {FIRST}" in one_error(told.err)


def test_options_that_a_settings_file_cannot_have(archive: Archive) -> None:
    archive.settle(
        f'date = "{SECOND}"\naccept = "always"\nfresh = true\nmetric = "x.prom"\nkeep = "long"'
    )
    result = archive.run(SECOND)
    assert result.code == 2
    line = one_error(result.err)
    for message in (
        "nightly.date can only be set on the command line",
        "nightly.accept can only be set on the command line",
        "nightly.fresh can only be set on the command line",
        "no such key nightly.metric; the nearest is nightly.metrics",
        "nightly.keep is 'long', must be an integer",
    ):
        assert message in line


def test_a_night_is_scored_by_the_table_score(archive: Archive) -> None:
    """The tables equal, to the byte, those of `segscore score` with the same file."""
    archive.settle(
        'not-comparable = "pass"',
        'n-t = 3\ngroup-by = ["show"]\nc-seg-costs = [1, 0.5]\nworkers = 1',
    )
    for role in ("reference", "hypothesis"):
        listed = rows(SECOND, role, GOOD)
        archive.put(SECOND, role, [{**row, "show": row["document_id"][-1]} for row in listed])
    assert archive.run(SECOND).code == 0
    tables = [f"{archive.folder}/{name}/date={SECOND}" for name in ("references", "hypotheses")]
    alone = archive.workspace / "alone"
    options = ("--settings", archive.file, "--output", alone)
    result = archive.segscore("score", *tables, *options)
    assert result.code == 0, result.err
    for table in ("scores", "summary"):
        one, other = (files(f"{run}/{table}") for run in (alone, archive.folder_of(SECOND)))
        assert list(one.values()) == list(other.values()) and one

"""A run that is being replaced can be read until then, and says so while it cannot."""

from tests.support.driven import Gate, wait
from tests.support.promises import require_one_line
from tests.support.resuming import Workspace
from tests.support.run_files import RECORD

OTHER = ("--n-t", 3)


def test_a_run_that_is_being_replaced_says_so(workspace: Workspace) -> None:
    """It can be read until the new one is complete; then there is none until that is published."""
    assert workspace.score().code == 0
    gates = {
        "part": Gate("runs.receipts.keep", "wait", "scored/part-00003"),
        "record": Gate("storage.write_new_text", "wait", RECORD),
    }
    fault_plan, command = workspace.start(gates, "--fresh", *OTHER)
    measure = ("compare", workspace.run, "--measure", "pk")
    wait(lambda: fault_plan.reached("part"), "a part is done")
    assert workspace.segscore(*measure).code == 0
    fault_plan.open("part")
    wait(lambda: fault_plan.reached("record"), "the record is next")
    result = workspace.segscore(*measure)
    line = require_one_line(result.err, result.code)
    assert (result.code, "a run is being published here" in line) == (2, True)
    fault_plan.open("record")
    assert command.result().code == 0
    assert workspace.segscore(*measure).code == 0

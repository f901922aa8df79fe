"""The worker that waits at a gate."""

from tests.support.driven import FaultPlan, Gate, wait
from tests.support.killing import Command

WAIT_AT_PART = Gate("runs.receipts.keep", "wait", "scored/part-00002|audited/part-00002")
"""At the end of the third part of `score` or `agree`."""

WAIT_IN_SHUFFLE = Gate("runs.receipts.keep", "wait", "met/")
"""At the end of the first batch of a shuffle."""


def waiting_process(fault_plan: FaultPlan, run: Command) -> int:
    """Return the process that waits at the gate, in the middle of a run.

    Raises:
        AssertionError: the run ended before any process came to the gate.
    """
    wait(lambda: fault_plan.reached("gate") or not run.running, "the gate was reached")
    reached = fault_plan.reached("gate")
    assert reached, f"the command ended before the gate: {run.result()}"
    return reached[0]

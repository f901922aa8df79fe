"""The worker that waits at a gate."""

from tests.support.driven import FaultPlan, Gate, wait

WAIT_AT_PART = Gate("runs.receipts.keep", "wait", "part-00002")


WAIT_IN_SHUFFLE = Gate("runs.shuffle._unpack", "wait")


def waiting_process(fault_plan: FaultPlan) -> int:
    """Return the process that waits at the gate."""
    wait(lambda: fault_plan.reached("gate"), "the gate was reached")
    return fault_plan.reached("gate")[0]

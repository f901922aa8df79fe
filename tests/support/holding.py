"""The worker that waits at a gate."""

from tests.support.driven import Drive, Gate, wait

HELD = Gate("runs.receipts.keep", "wait", "part-00002")


TRAVELLING = Gate("runs.shuffle._unpack", "wait")


def holder(drive: Drive) -> int:
    """Return the process that waits at the gate."""
    wait(lambda: drive.reached("gate"), "the gate was reached")
    return drive.reached("gate")[0]

"""What a task of an earlier run writes late does not change the run that replaced it."""

from tests.support.driven import Gate, wait
from tests.support.killing import cluster
from tests.support.resuming import Workspace
from tests.support.run_files import files
from tests.support.waiting import waiting_process

LATE = Gate("storage.temporary.path_beside", "wait", "scores/part-00002")


def test_a_late_part_of_other_settings_is_ignored(workspace: Workspace) -> None:
    first = workspace.fault_plan({"gate": LATE})
    second = workspace.fault_plan({"gate": Gate("runs.publication.publish", "wait")})
    with cluster(first) as dask:
        begun = workspace.command(first, "--cluster", dask.address)
        waiting_process(first, begun)
        begun.kill()
        again = workspace.command(second, "--n-t", 3, "--fresh")
        waiting_process(second, again)
        first.open("gate")
        wait(
            lambda: any("part-00002" in part for _, part, _ in first.finished_parts()),
            "it was written",
        )
        second.open("gate")
        result = again.result()
        assert result.code == 0, result.err
    output = workspace.folder / "undisturbed"
    assert workspace.segscore(*workspace.arguments(output, "--n-t", 3)).code == 0
    contents = {
        name: content for name, content in files(workspace.run).items() if "_unfinished" not in name
    }
    assert contents == files(output)

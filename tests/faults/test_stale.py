"""What a task of an earlier run writes late does not change the run that replaced it."""

from tests.support.driven import Gate, wait
from tests.support.holding import holder
from tests.support.killing import cluster
from tests.support.resuming import Desk
from tests.support.run_files import files

LATE = Gate("storage.temporary.path_beside", "wait", "scores/part-00002")


def test_a_late_part_of_other_settings_is_ignored(desk: Desk) -> None:
    first = desk.drive({"gate": LATE})
    second = desk.drive({"gate": Gate("runs.publication.publish", "wait")})
    with cluster(first) as dask:
        begun = desk.command(first, "--cluster", dask.address)
        holder(first)
        begun.kill()
        again = desk.command(second, "--n-t", 3, "--fresh")
        holder(second)
        first.open("gate")
        wait(lambda: any("part-00002" in part for _, part, _ in first.done()), "it was written")
        second.open("gate")
        ended = again.ended()
        assert ended.code == 0, ended.err
    output = desk.folder / "undisturbed"
    assert desk.segscore(*desk.arguments(output, "--n-t", 3)).code == 0
    contents = {
        name: content for name, content in files(desk.run).items() if "_unfinished" not in name
    }
    assert contents == files(output)

"""Find the files of an input table that cannot be read, each by itself."""

from collections.abc import Collection
from dataclasses import asdict, dataclass, replace

from segscore.pipeline import storage
from segscore.pipeline.errors import Absent, Refused
from segscore.pipeline.storage import InputFile
from segscore.pipeline.tables.columns import Contract
from segscore.pipeline.tables.find import check_files
from segscore.pipeline.tables.read import read_slice


@dataclass(frozen=True)
class UnusableFile(InputFile):
    """A file that cannot be read as the table that it belongs to, and why."""

    problem: str


def unusable_files(
    name: str, url: str, model: Contract, memory: int | None, left_out: Collection[str] = ()
) -> list[UnusableFile]:
    """Read every file of a table by itself, and return those that cannot be read.

    A worker has ``memory`` bytes; None is the default. Files with URLs in ``left_out`` are not
    tried.

    Raises:
        Failed: the server does not answer.
    """
    found = storage.find_counted(url)
    unusable = []
    for file in found.files:
        if file.url in left_out:
            continue
        try:
            table = check_files(name, url, replace(found, files=[file]), model, memory)
            for piece in table.slices:
                read_slice(piece, table.further)
        except Absent:  # without rows it harms nobody
            continue
        except Refused as problem:
            unusable.append(UnusableFile(**asdict(file), problem=str(problem)))
    return unusable

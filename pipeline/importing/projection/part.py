"""Tasks that project the segmentations of some documents, and write their rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from segscore.pipeline.alignment.resegment import Resegmentation
from segscore.pipeline.arrays.ragged import Ints
from segscore.pipeline.errors import Refused
from segscore.pipeline.importing.answers.alignment_rows import aligned_row, write_alignment
from segscore.pipeline.importing.answers.gathering import (
    DocumentUnits,
    GatheredPart,
    read_bucket,
    units_by_document,
)
from segscore.pipeline.importing.answers.part import Bucket
from segscore.pipeline.importing.answers.placing import Placed, missing_units
from segscore.pipeline.importing.import_tables import check_block
from segscore.pipeline.importing.parts import PartReceipt, refusable
from segscore.pipeline.importing.projection.carried import (
    Carried,
    Transcripts,
    align_transcripts,
    carry_rows,
)
from segscore.pipeline.importing.projection.settings import FROM, LATEST, TO, ProjectSettings
from segscore.pipeline.importing.projection.tally import (
    MOST_PROBLEMS,
    ProjectionTally,
    add_projections,
)
from segscore.pipeline.importing.shards import Shard, read_spread, write_shard
from segscore.pipeline.storage.memory import release_memory
from segscore.pipeline.tables.read import Rows


@dataclass(frozen=True)
class ProjectJob:
    """What all tasks that project share; segmentations have their edges (``runs.packets``)."""

    folder: str
    settings: ProjectSettings
    units: Mapping[str, Mapping[str, GatheredPart]]
    segmentations: Sequence[tuple[Shard, Ints]]
    in_characters: bool = False


@dataclass(frozen=True)
class ProjectedReceipt(PartReceipt):
    """What became of the segmentations of some documents; only the first problems are named."""

    shard: Shard | None = None
    rows: int = 0
    problems: list[str] = field(default_factory=list)
    unusable: int = 0
    tally: ProjectionTally = field(default_factory=ProjectionTally)


@refusable
def project_part(job: ProjectJob, part: Bucket) -> ProjectedReceipt:
    """Project the segmentations of some documents."""
    try:
        return _Projection(job, part).run()
    finally:
        release_memory()


class _Projection:
    """The work of one task."""

    def __init__(self, job: ProjectJob, part: Bucket) -> None:
        self.job, self.part, self.settings = job, part, job.settings
        self.units = {what: self._units(what) for what in (FROM, TO)}
        self.compared: dict[str, Transcripts | str] = {}
        self.tallies: list[ProjectionTally] = [ProjectionTally()]
        self.problems: list[str] = []
        self.aligned: list[dict[str, object]] = []

    def _units(self, what: str) -> dict[str, DocumentUnits]:
        rows = read_bucket(self.job.folder, what, self.job.units[what], self.part.number)
        return units_by_document(rows, f"--{what}")

    def run(self) -> ProjectedReceipt:
        """Project all segmentations."""
        blocks = read_spread(self.job.folder, self.job.segmentations, self.part.number)
        rows = sum(map(len, blocks))
        projected = [self._project(block) for block in blocks]
        if self.problems:
            first = self.problems[:MOST_PROBLEMS]
            return ProjectedReceipt(rows=rows, problems=first, unusable=len(self.problems))
        for block in projected:
            _, rejects = check_block(block)
            assert not rejects.num_rows, "a projected segmentation is valid"
        write_alignment(self.job.folder, self.part.name, self.aligned)
        shard = write_shard(self.job.folder, f"projected-{self.part.name}", projected)
        return ProjectedReceipt(shard=shard, rows=rows, tally=add_projections(self.tallies))

    def _project(self, block: Rows) -> Rows:
        """Return rows in the units of `--to`; list those that cannot be projected."""
        carried = []
        for number, row in enumerate(block.table.select(_NEEDED).to_pylist()):
            found = self._project_row(row)
            if isinstance(found, Carried):
                carried.append(found)
                continue
            place = f"{block.urls[int(block.file[number])]}:{int(block.row[number]) + 1}"
            self.problems.append(f"{row['document_id']} of {row['coder']} ({found}; {place})")
        return block if self.problems else carry_rows(block, carried)

    def _project_row(self, row: Mapping[str, object]) -> Carried | str:
        """Return where the boundaries of a row come to be, or why it cannot be projected."""
        document = str(row["document_id"])
        if document not in self.compared:
            self.compared[document] = self._compare(document)
        compared = self.compared[document]
        if isinstance(compared, str):
            return compared
        n_units: int = row["n_units"]  # type: ignore[assignment]
        if not compared.fits(n_units):
            has = f"{len(compared.source.ends)} units"
            if compared.text is not None:
                has = f"a text of {len(compared.text)} characters"
            return f"n_units is {n_units}, but it has {has} in --from"
        boundaries: list[int] = row["boundaries"]  # type: ignore[assignment]
        positions = sorted({*boundaries})
        try:
            placed = compared.place(positions, self.settings.tokens)
        except Refused as problem:
            return str(problem)
        cuts = placed.cuts if self.settings.ties == LATEST else placed.earliest
        inside = {*cuts} - {0, placed.n_units}
        moved = {
            position: cut for position, cut in zip(positions, cuts, strict=True) if cut in inside
        }
        self._account(row, compared, placed, len(positions) - len(inside))
        texts = self.units[TO][document].texts
        return Carried(len(texts), moved, [len(text.split()) for text in texts])

    def _account(
        self,
        row: Mapping[str, object],
        compared: Transcripts,
        placed: Resegmentation,
        collapsed: int,
    ) -> None:
        cost = placed.cost - placed.edits.total
        uncertain = len(placed.uncertain)
        target = compared.target
        found = Placed(
            source_tokens=len(target),
            output_tokens=len(compared.source),
            edits=placed.edits,
            break_cost=cost,
            breaks=len(placed.cuts),
            uncertain=uncertain,
            collapsed=collapsed,
            missing_tail=missing_units(target, len(target) - placed.edits.missing_tail),
        )
        self.aligned.append(aligned_row(str(row["document_id"]), str(row["coder"]), found))
        self.tallies.append(
            ProjectionTally(
                boundaries=len(placed.cuts), uncertain=uncertain, collapsed=collapsed, further=cost
            )
        )

    def _compare(self, document: str) -> Transcripts | str:
        """Align the transcripts of a document, or say why that cannot be done."""
        texts = {}
        for what, units in self.units.items():
            if document not in units:
                return f"no units in --{what}"
            texts[what] = units[document].texts
        characters = self.job.in_characters
        compared = align_transcripts(texts, self.settings, in_characters=characters)
        if isinstance(compared, Transcripts):
            tally = ProjectionTally.of_document(len(compared.target), compared.edits)
            self.tallies.append(tally)
        return compared


_NEEDED = ["document_id", "coder", "n_units", "boundaries"]

"""Find the systems of which no row was scored: without a reference, or one of the two rejected."""

from collections import Counter
from collections.abc import Collection, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from segscore.pipeline.nightly.gate.tallies import tables
from segscore.pipeline.nightly.nights import Night, system_rows
from segscore.pipeline.nightly.verdict import RejectedSystem, UnpairedSystem
from segscore.pipeline.scoring.unpaired import rejected_references
from segscore.pipeline.tables.contradictions import UNIQUE_CODER
from segscore.pipeline.tables.faults import EXACT_COPY


def unscored_systems(
    night: Night, missing: Collection[str]
) -> tuple[tuple[UnpairedSystem, ...], tuple[RejectedSystem, ...]]:
    """Return the systems whose rows are all unpaired, and those with rejected rows, by name.

    Rows of which the references were rejected are not unpaired here.
    """
    if not missing:
        return (), ()
    unpaired = [*night.parts("unpaired", ["table", "coder", "document_id"])]
    rejects = [*night.parts("rejects", ["table", "coder", "rule", "document_id"])]
    references = rejected_references(rejects, unpaired)
    documents = {name: _values_of(unpaired, name, "document_id") for name in sorted(missing)}
    rejected = []
    for name in sorted(missing):
        rules = Counter(_values_of(rejects, name, "rule").to_pylist())
        del rules[EXACT_COPY]  # the row that it is a copy of says more
        if rules:
            rule = min(rules, key=lambda each: (-rules[each], each))
            rows = rules.total() + len(documents.pop(name))
            rejected.append(RejectedSystem(name, rows, rules.total(), rule))
        elif references.are_of_all(documents[name]):
            rule = min(references.rules, key=lambda each: (-references.rules[each], each))
            rejected.append(RejectedSystem(name, len(documents.pop(name)), 0, rule))
    return _unpaired_systems(night, documents), tuple(rejected)


def scored_systems(night: Night) -> tuple[str, ...]:
    """Return the systems that a night scored, without those that delivered two versions.

    Of these, the few documents that are the same in both versions were scored.
    """
    parts = night.parts("rejects", ["table", "coder", "rule"])
    rejected = Counter[str]()
    for part in parts:
        is_twice = pc.and_(
            pc.equal(part["table"], "hypotheses"), pc.equal(part["rule"], UNIQUE_CODER)
        )
        rejected.update(part["coder"].filter(is_twice).to_pylist())
    scored = {row["hypothesis"]: row["documents"] for row in system_rows(night)}
    return tuple(name for name in sorted(scored) if rejected[name] / 2 <= scored[name])


def _unpaired_systems(
    night: Night, documents: Mapping[str, pa.ChunkedArray]
) -> tuple[UnpairedSystem, ...]:
    """Describe the systems that have unpaired documents."""
    documents = {name: of_system for name, of_system in documents.items() if len(of_system)}
    if not documents:
        return ()
    scored = tables(night, "scores", ["document_id", "hypothesis"])
    example = min(pc.min(part["document_id"]).as_py() for part in scored if part.num_rows)
    return tuple(
        UnpairedSystem(name, len(of_system), pc.min(of_system).as_py(), example)
        for name, of_system in documents.items()
    )


def _values_of(parts: Collection[pa.Table], system: str, column: str) -> pa.ChunkedArray:
    """Return the values of a column in a system's rows, in a table of unpaired or rejected rows."""
    columns = []
    for part in parts:
        is_hypothesis = pc.equal(part["table"], "hypotheses")
        mask = pc.and_(is_hypothesis, pc.equal(part["coder"], system))
        columns += part[column].filter(mask).chunks
    return pa.chunked_array(columns, pa.string())

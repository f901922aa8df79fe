"""Turn the own points of some hypotheses into rows to score."""

from dataclasses import replace

import pyarrow as pa

from segscore.pipeline.arrays.document_ids import hash_names
from segscore.pipeline.arrays.ragged import Categorical, ragged, trimmed
from segscore.pipeline.results.names import POINT
from segscore.pipeline.scoring.boundaries import Side, side, typed_side
from segscore.pipeline.scoring.counting import Rule
from segscore.pipeline.scoring.density_matched import OwnDraw, draw
from segscore.pipeline.scoring.references import References
from segscore.pipeline.scoring.view import Hypotheses
from segscore.pipeline.tables.read import Rows


def density_matched_rows(
    name: str, rows: Rows, hypotheses: Hypotheses, references: References, rule: Rule
) -> Hypotheses:
    """Return an own point of some hypotheses, drawn as often as the settings say."""
    settings = rule.settings
    types = None
    if hypotheses.side.types is not None:
        types = trimmed(ragged(rows.table.column("boundary_types").chunk(0))).values
    first = OwnDraw(
        documents=hash_names(hypotheses.document_id).hashes,
        coders=hash_names(pa.array(hypotheses.system.names)).hashes[hypotheses.system.code],
        n_units=references.units[hypotheses.document],
        boundaries=trimmed(ragged(rows.table.column("boundaries").chunk(0))),
        types=types,
        seed=settings.seed,
        number=0,
    )

    def drawn(number: int) -> Side:
        positions, types = draw(name, replace(first, number=number))
        document, words = hypotheses.document, references.words
        if types is None:
            return side(positions, document, words)
        return typed_side(positions, types, document, words)

    names = [f"{POINT}{name}:{system}" for system in hypotheses.system.names]
    system = Categorical(hypotheses.system.code, names)
    return replace(
        hypotheses,
        coder=pa.array(names, hypotheses.coder.type).take(pa.array(system.code)),
        system=system,
        side=drawn(0),
        drawn=drawn,
        draws=settings.draws,
    )

"""Turn the own points of some hypotheses into rows to score."""

import pyarrow as pa

from segscore.pipeline.arrays.document_ids import hash_names
from segscore.pipeline.arrays.ragged import Coded, Ints, ragged, trimmed
from segscore.pipeline.scoring.boundaries import Side, UnitLengths, side, typed_side
from segscore.pipeline.scoring.names import POINT
from segscore.pipeline.scoring.own_points import OwnDraws, draw
from segscore.pipeline.scoring.pairs import Hypotheses, Rule
from segscore.pipeline.scoring.references import References
from segscore.pipeline.tables.read import Rows


def own_rows(
    name: str, rows: Rows, hypotheses: Hypotheses, references: References, rule: Rule
) -> Hypotheses:
    """Draw an own point for each of some hypotheses, as often as the settings say."""
    settings = rule.settings
    types = None
    if hypotheses.side.types is not None:
        types = trimmed(ragged(rows.table.column("boundary_types").chunk(0))).values
    own_draws = OwnDraws(
        documents=hash_names(hypotheses.document_id).hashes,
        coders=hash_names(pa.array(hypotheses.system.names)).hashes[hypotheses.system.code],
        n_units=references.units[hypotheses.document],
        boundaries=trimmed(ragged(rows.table.column("boundaries").chunk(0))),
        types=types,
        seed=settings.seed,
        draws=settings.draws,
    )
    source = own_draws.hypothesis
    taken = pa.array(source)
    names = [f"{POINT}{name}:{system}" for system in hypotheses.system.names]
    system = Coded(hypotheses.system.code[source], names)
    return Hypotheses(
        document_id=hypotheses.document_id.take(taken),
        coder=pa.array(names, hypotheses.coder.type).take(pa.array(system.code)),
        system=system,
        document=hypotheses.document[source],
        side=_side(name, own_draws, hypotheses.document[source], references.words),
        attributes=hypotheses.attributes.take(taken),
        one_each=settings.draws == 1,
    )


def _side(name: str, own_draws: OwnDraws, document: Ints, words: UnitLengths | None) -> Side:
    positions, types = draw(name, own_draws)
    if types is None:
        return side(positions, document, words)
    return typed_side(positions, types, document, words)

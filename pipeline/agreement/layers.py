"""Refuse groups that are layers of annotation: values that differ between codings of a document.

Coders of acts and coders of beats of one play mean other things, so that their agreement says
nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from segscore.pipeline.agreement.tallies import GROUP, Groups
from segscore.pipeline.arrays.ragged import numbers
from segscore.pipeline.errors import Unsuitable
from segscore.pipeline.statistics.formatted_numbers import counted, shown_attribute
from segscore.pipeline.tables.contradictions import Described
from segscore.pipeline.tables.read import Rows


@dataclass(frozen=True)
class Layers:
    """In how many documents the codings have different values of an attribute.

    Attributes:
        documents: documents with two codings or more.
        differing: those of them whose codings have different values.
        example: the first of these by its id, with two of the values; empty if there are none.
    """

    documents: int
    differing: int
    example: tuple[str, str, str] = ("", "", "")

    def __add__(self, other: "Layers") -> "Layers":
        return Layers(
            self.documents + other.documents,
            self.differing + other.differing,
            min(self.example, other.example, key=lambda example: (not example[0], example)),
        )


def count_layers(rows: Rows, described: Described | None, group_by: Groups) -> dict[str, Layers]:
    """Count the documents whose codings have different values, for each attribute of codings."""
    of_documents = set() if described is None else {*described.rows.table.column_names}
    names = (column.removeprefix(GROUP) for column in group_by)
    of_codings = [name for name in names if name not in of_documents]
    return {
        name: _layers(rows, rows.table.column(name).combine_chunks())
        for name in of_codings
        if name in rows.table.column_names
    }


def _layers(rows: Rows, values: pa.Array) -> Layers:
    document, number = rows.numbered.document, len(rows.numbered.documents)
    encoded = values.dictionary_encode()
    code = numbers(encoded.indices.fill_null(-1))
    known = code >= 0
    low, high = np.full(number, len(encoded.dictionary)), np.full(number, -1)
    np.minimum.at(low, document[known], code[known])
    np.maximum.at(high, document[known], code[known])
    differing = np.flatnonzero(high > low)
    example = ("", "", "")
    if len(differing):
        ids = rows.numbered.documents.ids.take(pa.array(differing)).to_pylist()
        first = min(range(len(ids)), key=ids.__getitem__)
        ends = (int(end[differing[first]]) for end in (low, high))
        one, other = sorted(shown_attribute(encoded.dictionary[end].as_py()) for end in ends)
        example = (ids[first], one, other)
    several = int(np.count_nonzero(np.bincount(document, minlength=number) > 1))
    return Layers(several, len(differing), example)


def refuse_layers(parts: Iterable[Mapping[str, Layers]]) -> None:
    """Refuse an attribute of which a document has several values.

    Raises:
        Unsuitable: there is one.
    """
    whole: dict[str, Layers] = {}
    for part in parts:
        for name, layers in part.items():
            whole[name] = layers + whole.get(name, Layers(0, 0))
    for name, layers in whole.items():
        if layers.differing:
            document, one, other = layers.example
            raise Unsuitable(
                f"--group-by {name}: in {layers.differing:,} of "
                f"{counted(layers.documents, 'document')} with several codings, these have "
                f"different values, such as {one} and {other} in {document}; groups are of "
                f"documents. If each {name} is a layer, write it into document_id, such as "
                f"{document}/{one} and {document}/{other}, or audit a table of each; if not, give "
                "each document one value, in its codings or in --documents, or leave out --group-by"
            )

"""The compiled check finds all that the schema refuses, and suspects nothing that it accepts."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from segscore.pipeline.tables.columns import (
    DOCUMENTS,
    SEGMENTATIONS,
    Contract,
    segmentations_contract,
)
from segscore.pipeline.tables.quick_check import documents_are_sound, is_sound
from segscore.pipeline.tables.validate import broken_rules
from segscore.schemas.input_columns import INPUT_TYPES
from tests.support.corpora import SEGMENTATION

OPEN_ENDED = segmentations_contract(1)


@pytest.mark.parametrize("contract", [SEGMENTATIONS, OPEN_ENDED, DOCUMENTS])
def test_contracts_agree_with_the_schemas(contract: Contract) -> None:
    """With Pandera too, the required columns have the types that they are read with."""
    columns = contract.schema.columns
    assert tuple(name for name in columns if columns[name].required) == contract.required
    assert tuple(name for name in columns if not columns[name].required) == contract.optional
    schema = pa.schema([(name, INPUT_TYPES[name]) for name in columns])
    contract.schema.validate(schema.empty_table(), lazy=True)


names = st.one_of(st.none(), st.sampled_from(["", "a", "b", "é"]))
positions = st.one_of(st.none(), st.integers(-1, 6))
rows = st.fixed_dictionaries(
    {
        "document_id": names,
        "coder": names,
        "n_units": st.one_of(st.none(), st.integers(-1, 6)),
        "boundaries": st.one_of(st.none(), st.lists(positions, max_size=3)),
    }
)
good = st.integers(1, 6).flatmap(
    lambda n: st.fixed_dictionaries(
        {
            "document_id": st.just("d"),
            "coder": st.just("c"),
            "n_units": st.just(n),
            "boundaries": st.sets(st.integers(1, n - 1)).map(sorted) if n > 1 else st.just([]),
        }
    )
)


def table(listed: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(listed, SEGMENTATION).combine_chunks()


@given(st.lists(st.one_of(good, rows), min_size=1, max_size=4), st.integers(0, 3))
@example([{"document_id": "d", "coder": "c", "n_units": 1, "boundaries": []}], 0)
@example([{"document_id": "d", "coder": "c", "n_units": 3, "boundaries": [1, 3]}], 0)
@example([{"document_id": "d", "coder": "c", "n_units": 3, "boundaries": [2, 2]}], 0)
@example([{"document_id": "d", "coder": "c", "n_units": 3, "boundaries": [0]}], 0)
def test_the_quick_check_agrees_with_the_schema(listed: list[dict[str, Any]], skip: int) -> None:
    """They agree also where a table is a view into a larger one."""
    whole = table(listed)
    view = pa.Table.from_arrays(
        [column.chunk(0)[skip:] for column in whole.columns], schema=whole.schema
    )
    broken = broken_rules(view, SEGMENTATIONS) if len(view) else {}
    if is_sound(view):
        assert not broken
    elif not broken:
        # The check may read elements outside of the view; it then leaves the table to the schema.
        assert not is_sound(whole)


@given(st.lists(good, max_size=5))
def test_sound_tables_skip_the_schema(listed: list[dict[str, Any]]) -> None:
    assert is_sound(table(listed) if listed else SEGMENTATION.empty_table().combine_chunks())


kinds = st.one_of(st.none(), st.lists(st.one_of(st.none(), st.integers(0, 2)), max_size=3))
scores = st.sampled_from([None, -0.1, 0.0, 0.5, 1.0, 1.1, float("nan")])
typed = st.fixed_dictionaries(
    {
        "document_id": st.just("d"),
        "coder": st.just("c"),
        "n_units": st.just(4),
        "boundaries": st.lists(st.integers(0, 3), max_size=3).map(sorted),
        "boundary_types": kinds,
        "boundary_scores": st.one_of(st.none(), st.lists(scores, max_size=3)),
    }
)


@given(st.lists(typed, min_size=1, max_size=2), st.integers(4, 6), st.integers(0, 1))
@example([{"boundaries": [2, 2], "boundary_types": [1, 2], "boundary_scores": [0, 1]}], 6, 0)
@example([{"boundaries": [2, 2], "boundary_types": [2, 2], "boundary_scores": [0, 1]}], 6, 0)
@example([{"boundaries": [0, 2], "boundary_types": [2, 2], "boundary_scores": [0, 1]}], 6, 0)
def test_types_and_scores_are_judged_as_the_schema_does(
    listed: list[dict[str, Any]], width: int, skip: int
) -> None:
    """A list that is null obeys the rules, but is left to the schema, as is one outside a view."""
    schema = pa.schema([(name, INPUT_TYPES[name]) for name in SEGMENTATIONS.names[:width]])
    whole = pa.Table.from_pylist([SOUND | row for row in listed], schema).combine_chunks()
    view = pa.Table.from_arrays(
        [column.chunk(0)[skip:] for column in whole.columns], schema=whole.schema
    )
    broken = broken_rules(view, SEGMENTATIONS) if len(view) else {}
    lists = [values for name in schema.names[4:] for values in whole.column(name).to_pylist()]
    if any(values is None or None in values for values in lists):
        assert not (broken and is_sound(view))
    else:
        assert is_sound(view) == (not broken)


SOUND = {"document_id": "d", "coder": "c", "n_units": 4}


lost = st.one_of(st.none(), st.integers(-1, 2))


@given(st.lists(st.one_of(good, rows), min_size=1, max_size=4), st.lists(lost, min_size=4))
@example([{"document_id": "d", "coder": "c", "n_units": None, "boundaries": [9]}], [None] * 4)
@example([{"document_id": "d", "coder": "c", "n_units": 3, "boundaries": [3]}], [0] * 4)
@example([{"document_id": "d", "coder": "c", "n_units": 0, "boundaries": []}], [0] * 4)
@example([{"document_id": "d", "coder": "c", "n_units": 3, "boundaries": [0]}], [0] * 4)
@example([{"document_id": "d", "coder": "c", "n_units": 3, "boundaries": []}], [-1] * 4)
def test_both_checks_agree_where_rows_adopt_a_length(
    listed: list[dict[str, Any]], lost: list[int | None]
) -> None:
    """With the column of what an import dropped, too; the rules are stated here once more."""
    dropped = pa.array(lost[: len(listed)], pa.int32())
    whole = table(listed).append_column("collapsed_boundaries", dropped)
    broken = {
        i
        for i, row in enumerate(listed)
        if not row["document_id"]
        or not row["coder"]
        or (row["n_units"] is not None and row["n_units"] < 1)
        or row["boundaries"] is None
        or None in row["boundaries"]
        or any(b < 1 for b in row["boundaries"])
        or sorted(set(row["boundaries"])) != row["boundaries"]
        or (lost[i] or 0) < 0
    }
    assert {*broken_rules(whole, OPEN_ENDED)} == broken
    assert is_sound(whole, open_ended=True) == (not broken)


per_unit = st.one_of(st.none(), st.lists(st.one_of(st.none(), st.integers(-1, 2)), max_size=3))
any_document = st.fixed_dictionaries(
    {
        "document_id": names,
        "n_units": st.one_of(st.none(), st.integers(-1, 3)),
        "unit_lengths": per_unit,
        "unit_weights": per_unit,
    }
)
sound_document = st.integers(1, 4).flatmap(
    lambda n: st.fixed_dictionaries(
        {
            "document_id": st.sampled_from("de"),
            "n_units": st.just(n),
            "unit_lengths": st.lists(st.integers(0, 5), min_size=n, max_size=n).filter(any),
            "unit_weights": st.lists(st.integers(0, 5), min_size=n, max_size=n),
        }
    )
)


def documents(listed: list[dict[str, Any]], columns: tuple[str, ...]) -> pa.Table:
    schema = pa.schema([(name, INPUT_TYPES[name]) for name in columns])
    return pa.Table.from_pylist(listed, schema).combine_chunks()


@given(
    st.lists(st.one_of(sound_document, any_document), min_size=1, max_size=4),
    st.integers(0, 3),
    st.integers(2, 4),
)
@example([{"document_id": "d", "n_units": 2, "unit_lengths": [2**31 - 1, 1]}], 0, 3)
@example([{"document_id": "d", "n_units": 2, "unit_lengths": [2**31 - 2, 1]}], 0, 3)
def test_the_quick_check_of_documents_agrees_with_the_schema(
    listed: list[dict[str, Any]], skip: int, width: int
) -> None:
    """A null list obeys the rules but is left to the schema, as are nulls outside of a view."""
    whole = documents(listed, (*DOCUMENTS.required, *DOCUMENTS.optional)[:width])
    view = pa.Table.from_arrays(
        [column.chunk(0)[skip:] for column in whole.columns], schema=whole.schema
    )
    broken = broken_rules(view, DOCUMENTS) if len(view) else {}
    if documents_are_sound(view):
        assert not broken
    elif not broken:
        lists = [column for column in whole.columns if pa.types.is_list(column.type)]
        values = [value for column in lists for value in column.to_pylist()]
        assert any(value is None or None in value for value in values)


@given(st.lists(sound_document, max_size=5), st.integers(2, 4))
def test_sound_documents_skip_the_schema(listed: list[dict[str, Any]], width: int) -> None:
    assert documents_are_sound(
        documents(listed, (*DOCUMENTS.required, *DOCUMENTS.optional)[:width])
    )

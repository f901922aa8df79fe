"""Intervals of coders, at their level on simulated projects."""

import numpy as np
import pyarrow as pa
import pytest

import segscore
from tests.support.projects import Project, table

BATCHES, DOCUMENTS = 60, 40


@pytest.mark.long
@pytest.mark.parametrize("faults", [(), ("careless", "late")])
def test_intervals_of_coders_contain_the_truth(faults: tuple[str, ...]) -> None:
    """Projects of 40 documents are drawn from one of 2,400, in which the truth is known."""
    project = Project(4, BATCHES * DOCUMENTS, faults)
    codings = table(project, 5)
    _, document = np.unique(codings.column("document_id").to_pylist(), return_inverse=True)
    # Faults may change in time, so every batch has documents of all times.
    batch = pa.array(document % BATCHES)
    found = segscore.agree(codings.append_column("batch", batch), group_by=("batch",))
    rows = found.coders.to_pylist()
    for similarity in ("boundary_similarity",):
        name = f"peer_{similarity}"
        truth = {row["coder"]: row[name] for row in rows if row["batch"] is None}
        contained = [
            row[f"{name}_low"] <= truth[row["coder"]] <= row[f"{name}_high"]
            for row in rows
            if row["batch"] is not None
        ]
        assert len(contained) == 4 * BATCHES
        # Of 240 intervals, of which those of a batch depend on each other.
        assert 0.90 <= np.mean(contained) <= 0.99, similarity


@pytest.mark.long
def test_an_interval_of_a_change_excludes_0_where_its_p_value_is_small() -> None:
    for seed in range(12):
        codings = table(Project(5, 90, ("old",) * (seed % 2)), seed)
        for group_by in ("guidelines", "genre", "month"):
            found = segscore.agree(codings, group_by=(group_by,), similarity=["exact"])
            for row in found.agreement.to_pylist():
                if row["change_p"] is not None:
                    excludes = row["change_low"] > 0 or row["change_high"] < 0
                    assert excludes == (row["change_p"] < 0.05), row

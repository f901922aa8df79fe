"""Agreement by show: few shows of unequal agreement are taken as they are."""

from math import sqrt

import numpy as np
import pyarrow as pa
from scipy import stats

import segscore

SHOWS, OF_SHOW = 6, 5


def codings() -> pa.Table:
    """Two coders of 6 shows of 5 documents, who agree in all of them but the last."""
    draw, rows = np.random.default_rng(5), []
    for d in range(SHOWS * OF_SHOW):
        marks = sorted(draw.choice(np.arange(1, 40), 6, replace=False).tolist())
        others = sorted(draw.choice(np.arange(1, 40), 6, replace=False).tolist())
        show = d // OF_SHOW
        second = others if show == SHOWS - 1 else [*marks[:5], others[-1]]
        for coder, boundaries in (("ann", marks), ("bob", sorted({*second}))):
            rows.append(
                {"document_id": f"d{d:02}", "coder": coder, "n_units": 40, "show": f"s{show}"}
                | {"boundaries": boundaries}
            )
    return pa.Table.from_pylist(rows)


def test_intervals_by_show_have_a_degree_of_freedom_for_each_show_but_one() -> None:
    """The kurtosis of the shows, one of which is unlike the others, does not count."""
    table = codings()

    def pi(chosen: pa.Table) -> dict[str, float]:
        agreement = segscore.agree(
            chosen, resample_by="show", similarity=("boundary_similarity",)
        ).agreement.to_pylist()
        (row,) = (row for row in agreement if row["coefficient"] == "pi")
        return row

    shows = table.column("show").to_numpy(zero_copy_only=False)
    without = np.array(
        [pi(table.filter(pa.array(shows != f"s{s}")))["value"] for s in range(SHOWS)]
    )
    error = sqrt((SHOWS - 1) / SHOWS * np.square(without - without.mean()).sum())
    row = pi(table)
    reach = (row["value"] - row["ci_low"]) / error
    assert reach == float(np.clip(reach, stats.t.isf(0.025, 5) * 0.99, stats.t.isf(0.025, 4.6)))

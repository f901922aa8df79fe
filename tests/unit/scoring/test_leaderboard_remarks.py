"""The sentences on the trials of systems."""

import pytest

from segscore.pipeline.results.leaderboard import Leaderboard
from segscore.pipeline.results.leaderboard_remarks import describe_trials
from segscore.schemas.rows import AverageRow


@pytest.mark.parametrize(("needed", "said"), [(1, "1 trial"), (4, "4 trials")])
def test_a_system_is_told_how_many_trials_it_needs(needed: int, said: str) -> None:
    row: AverageRow = {
        "value": 0.5,
        "ci_low": None,
        "ci_high": None,
        "trials": 3,
        "sd_trials": 0.01,
        "self_agreement": 0.75,
        "stable_boundaries": 0.5,
        "trials_needed": needed,
    }
    board = Leaderboard((), "pk", {"pk": {"lea": row}})
    (sentence,) = describe_trials(board)
    assert sentence == (
        "lea: mean of 3 trials, sd between trials 0.0100, two trials agree by B 0.7500, "
        f"50 % of the boundaries are in all trials, with {said}, the variance between trials is at "
        "most a tenth of that of the average."
    )

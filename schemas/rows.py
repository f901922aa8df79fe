"""The types of rows of output tables, so that an undefined value is not taken for a number.

A row is a dict, as ``to_pylist`` makes it. A type has the columns that are read by name; values are
None where the schema of the table allows null. Tables of earlier versions lack some columns, and
the group-by columns have names of their own (``group_of``).
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict


class AverageRow(TypedDict, total=False):
    """A row of `summary`, the averages of a scoring run; ``group`` is the name of its group."""

    hypothesis: str
    group: str
    measure: str
    average: str
    value: float | None
    ci_low: float | None
    ci_high: float | None
    sd: float | None
    documents: int
    defined: int
    skill: float | None
    skill_low: float | None
    skill_high: float | None
    document_set: str | None
    effective: float | None
    freedom: float | None
    answers: int | None
    failed_answers: int | None
    undivided_answers: int | None
    edit_rate: float | None
    shared_documents: int | None
    shared_value: float | None
    shared_ci_low: float | None
    shared_ci_high: float | None
    shared_defined: int | None
    shared_skill: float | None
    shared_skill_low: float | None
    shared_skill_high: float | None
    trials: int | None
    sd_trials: float | None
    sd_documents: float | None
    self_agreement: float | None
    stable_boundaries: float | None
    trials_needed: int | None


class SystemRow(AverageRow, total=False):
    """A row of `systems`, the averages of a comparison, which has some columns of `summary`."""

    system: str
    run: str
    reference: str | None
    rank: float | None


class PairRow(TypedDict, total=False):
    """A row of `comparisons`, about a pair of systems."""

    measure: str
    average: str
    system: str
    other: str
    value: float | None
    other_value: float | None
    difference: float | None
    ci_low: float | None
    ci_high: float | None
    confidence: float | None
    p: float | None
    p_holm: float | None
    equal: bool | None
    better: str | None
    higher: int
    lower: int
    documents: int
    defined: int
    units: int
    effective: float | None
    smallest_difference_low: float | None
    smallest_difference_high: float | None
    documents_for_difference_low: int | None
    documents_for_difference_high: int | None


class RankRow(TypedDict, total=False):
    """A row of `rank_tests`, the tests of the ranks of a pair of systems."""

    measure: str
    system: str
    other: str
    mean_rank: float | None
    other_mean_rank: float | None
    p_nemenyi: float | None


class OmnibusRow(TypedDict, total=False):
    """A row of `omnibus`, Friedman's test over all systems."""

    measure: str
    statistic: float | None
    degrees: int
    p: float | None
    effect: float | None
    systems: int
    documents: int


class CoefficientRow(TypedDict, total=False):
    """A row of `agreement`, a coefficient of an audit; ``name`` is the name of its group."""

    name: str
    coefficient: str
    similarity: str
    actual: float | None
    expected: float | None
    value: float | None
    ci_low: float | None
    ci_high: float | None
    coders_low: float | None
    coders_high: float | None
    codings: int
    coders: int
    documents: int
    pairs: int
    chance: float | None
    corrected: float | None
    chance_documents: int
    change: float | None
    change_low: float | None
    change_high: float | None
    change_p: float | None
    same_coders: float | None
    joined_coders: float | None
    left_coders: float | None
    same_coders_change: float | None
    same_coders_low: float | None
    same_coders_high: float | None


class CoderRow(TypedDict, total=False):
    """A row of `coders`; ``name`` is the name of its group."""

    name: str
    coder: str
    documents: int
    peers: int
    boundaries: int
    rate: float | None
    peer_boundary_similarity: float | None
    peer_boundary_similarity_low: float | None
    peer_boundary_similarity_high: float | None
    self_pairs: int
    self_boundary_similarity: float | None
    self_boundary_similarity_low: float | None
    self_boundary_similarity_high: float | None
    candidate_documents: int
    candidate_share: float | None
    coder_share: float | None
    candidate_p: float | None
    candidate_wins: bool | None
    candidate_worse: bool | None
    without_pi_boundary_similarity: float | None
    others_boundary_similarity: float | None
    shrunk_effect: float | None
    agreement_effect: float | None
    agreement_error: float | None
    agreement_limit: float | None
    reading: str | None
    same_reading_similarity: float | None
    other_reading_similarity: float | None
    reading_ratio_of_rates: float | None
    reading_offset: float | None
    group_difference: float | None
    elsewhere_similarity: float | None
    weaker_in_group: bool | None
    boundary_offset: float | None
    boundary_offset_error: float | None
    rate_ratio: float | None
    rate_ratio_deviation: float | None
    low_agreement: bool | None
    shifted: bool | None
    outlying_rate: bool | None
    peer_drift: float | None
    peer_drift_p: float | None
    drifting: bool | None
    drift_from: str | None
    drift_to: str | None
    drift_start: float | None


class PeerRow(TypedDict, total=False):
    """A row of `peers`, about a pair of coders."""

    coder: str
    peer: str
    documents: int
    boundary_similarity: float | None
    segmentation_similarity: float | None
    residual: float | None
    high_agreement: bool | None
    exact_share: float | None
    exact_share_others: float | None
    copied: bool | None


class DocumentRow(TypedDict, total=False):
    """A row of `documents` of an audit."""

    document_id: str
    n_units: int
    codings: int
    coders: list[str]
    segments: list[int]
    segments_mean: float | None
    boundary_similarity: float | None
    window_diff_mean: float | None
    contested: float | None


def column_of(row: Mapping[str, object], name: str) -> object:
    """Return the value of a column whose name is not fixed; None if the row has no such column."""
    return row.get(name)


def number_in(row: Mapping[str, object], name: str) -> float | None:
    """Return a number in a column whose name is not fixed; None if it is undefined."""
    value = row.get(name)
    return value if isinstance(value, int | float) else None


def group_of(row: Mapping[str, object], by: Sequence[str]) -> tuple[Any, ...]:
    """Return the group of a row: its attributes, all None in a row over all documents."""
    return tuple(row[name] for name in by)

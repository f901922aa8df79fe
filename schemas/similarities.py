"""Similarities of two codings, as audits compute them."""

SIMILARITY_MEANINGS = {
    "boundary_similarity": "B: mean correctness of boundary pairs",
    "segmentation_similarity": "S: 1 - edits / potential boundaries",
    "exact": "B without near misses: matches / boundaries marked by either",
    "two_category": "share of positions at which both or neither have a boundary",
}
